"""One table of what the API offers; the router and the OpenAPI document are both made from it."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from backend.mcp.wire import WireModel

Handler = Callable[[Request], Awaitable[Response]]
Schema = dict[str, Any]

_PARAMETER: Final = re.compile(r"{(\w+)}")


@dataclass(frozen=True, slots=True)
class Query:
    """One parameter of the query; never required."""

    name: str
    text: str
    schema: Schema


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of a path. `replies` names the type of each body by status; a guard's are added."""

    name: str
    method: Literal["GET", "POST"]
    path: str
    summary: str
    handler: Handler
    replies: Mapping[int, type]
    body: type[WireModel] | None = None
    body_required: bool = True
    query: tuple[Query, ...] = field(default=())

    @property
    def path_parameters(self) -> tuple[str, ...]:
        return tuple(_PARAMETER.findall(self.path))


def to_routes(operations: Iterable[Operation]) -> list[Route]:
    """A route for each operation, fixed paths before those with a parameter.

    HEAD is not offered: no reply of the API is worth asking about without its body.
    """
    routes = []
    for operation in sorted(operations, key=lambda item: len(item.path_parameters)):
        route = Route(operation.path, operation.handler, methods=[operation.method])
        route.methods = {operation.method}
        routes.append(route)
    return routes
