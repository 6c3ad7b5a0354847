"""What in the store moves a request or an attempted call: the transitions of T1.2, as written."""

import ast
import re
from functools import cache
from pathlib import Path

from backend import store

MOVES = re.compile(r"(?:INSERT INTO|UPDATE) tool_(?:action_requests|invocations)\b")


@cache
def writers() -> dict[str, frozenset[str]]:
    """By module of the store: its public functions that move one, also by others of the module."""
    found = {}
    for path in Path(str(store.__file__)).parent.glob("*.py"):
        names = _moving(ast.parse(path.read_text("utf-8")))
        if names:
            found[path.stem] = names
    return found


def _moving(tree: ast.Module) -> frozenset[str]:
    uses: dict[str, set[str]] = {}
    moving: set[str] = set()
    for node in tree.body:
        for name in _defined(node):
            uses[name] = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            if MOVES.search(_words(node)):
                moving.add(name)
    while more := {name for name, used in uses.items() if used & moving} - moving:
        moving |= more
    public = {node.name for node in tree.body if isinstance(node, ast.AsyncFunctionDef)}
    return frozenset(name for name in moving & public if not name.startswith("_"))


def _defined(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return [name]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Assign(targets=targets):
            return [each.id for each in targets if isinstance(each, ast.Name)]
        case _:
            return []


def _words(node: ast.AST) -> str:
    texts = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    return " ".join(text for text in texts if isinstance(text, str))
