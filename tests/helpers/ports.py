"""Loopback ports: one that was free a moment ago, and one that somebody listens on."""

import asyncio
import socket

from tests.helpers.waiting import eventually


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def until_listening(port: int, seconds: float = 15.0) -> None:
    async def listens() -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return False
        writer.close()
        await writer.wait_closed()
        return True

    await eventually(listens, seconds=seconds)
