"""A real MCP SDK client in a process of its own: asks what it reads, prints what it gets.

usage: python -m tests.helpers.asking_client http URL TOKEN [NAME]
       python -m tests.helpers.asking_client shim HOME FOLDER [NAME]
       python -m tests.helpers.asking_client bare URL

Each line on stdin is the JSON arguments of one `ask_user_question` (of one `noop` for `bare`);
each line on stdout is `{"result", "asked_at", "returned_at"}`, times in monotonic seconds.
"""

import asyncio
import json
import sys
import time
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from mcp import Client

from tests.helpers.mcp_clients import ask, http_client, shim_client


def connect(kind: str, arguments: list[str]) -> AbstractAsyncContextManager[Client]:
    name = arguments[2] if len(arguments) > 2 else "sdk-client"
    if kind == "http":
        return http_client(arguments[0], arguments[1], name=name)
    if kind == "shim":
        return shim_client(Path(arguments[0]), Path(arguments[1]), name=name)
    return http_client(arguments[0], "none")


async def main(kind: str, arguments: list[str]) -> None:
    async with connect(kind, arguments) as client:
        print("ready", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked_at = time.monotonic()
            if kind == "bare":
                await client.call_tool("noop", {})
                result: object = None
            else:
                result = await ask(client, json.loads(line))
            returned_at = time.monotonic()
            print(
                json.dumps(
                    {"result": result, "asked_at": asked_at, "returned_at": returned_at},
                    ensure_ascii=False,
                ),
                flush=True,
            )


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
