"""The baseline of the round-trip bench: a bare SDK server with one tool that does nothing."""

import sys

import uvicorn
from mcp.server.mcpserver import MCPServer


def main(port: int) -> None:
    server = MCPServer("bare")

    @server.tool()
    async def noop() -> str:
        """Do nothing."""
        return "done"

    uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=port, log_level="critical")


if __name__ == "__main__":
    main(int(sys.argv[1]))
