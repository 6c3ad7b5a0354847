"""`kandesk mcp`: an MCP server on standard input and output that passes calls on to the desk.

Standard library only, no Qt: it starts as often as agents do. It lives exactly as long as its
client (agents.md, Shim).
"""

import argparse
import os
import signal
from collections.abc import Sequence
from functools import partial

from backend.ids import new_id
from backend.installation import command, version
from backend.mcp.listing_file import ListingFile
from backend.mcp.patience import Transport, waiting_limit
from backend.mcp.shim_calls import OpenCalls
from backend.mcp.shim_desk import DeskLink, here
from backend.mcp.shim_forward import Forwarder, Waits
from backend.mcp.shim_parent import watch_parent
from backend.mcp.shim_server import ShimServer
from backend.mcp.shim_start import DeskStarter, Permission, plan_start
from backend.mcp.shim_stdio import Output, claim_stdio, read_lines
from backend.paths import Home, resolve_home


def main(arguments: Sequence[str]) -> int:
    """Serve one client until it is gone."""
    parser = argparse.ArgumentParser(prog="kandesk mcp", allow_abbrev=False)
    parser.add_argument("--home", metavar="DIR", help="the data folder")
    parser.add_argument(
        "--no-start", action="store_true", help="never start Kandesk; fail while it is not running"
    )
    parsed = parser.parse_args(arguments)
    permission = Permission.FORBIDDEN if parsed.no_start else Permission.ALLOWED
    # Ctrl-C in a terminal reaches the whole group; it must end us without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    source, target = claim_stdio()
    watch_parent(_leave)
    server = build_server(resolve_home(parsed.home), Output(target, _leave), permission)
    for line in read_lines(source):
        server.receive(line)
    _leave()
    return 0


def build_server(home: Home, output: Output, permission: Permission) -> ShimServer:
    """One shim with an identity of its own."""
    instance = new_id()
    calls = OpenCalls()
    starter = DeskStarter(home, plan_start(command(), home), permission)
    forwarder = Forwarder(DeskLink(home, here(instance)), starter, calls, Waits())
    patience = partial(waiting_limit, transport=Transport.SHIM)
    return ShimServer(
        output,
        forwarder,
        calls,
        instance=instance,
        version=version(),
        patience=patience,
        others=ListingFile(home.agent_tools),
    )


def _leave() -> None:
    """End at once: the calls' sockets close with the process, which is how the desk learns it."""
    os._exit(0)
