"""A desk that is killed between an approval and its result.

Run as `python -m tests.peers.gateway_that_is_killed HOME FOLDER MOMENT`. A real client asks for a
file to be written by a real server, its human approves, and the process kills itself: at the
`decision`, once it is durable; at the `claim`, before the call; or at the `result`, before anything
is written down of it.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from backend.domain.review import ReviewStatus
from backend.events import Event, ReviewChanged
from tests.helpers.gateway_peers import GatewayDesk, gateway_desk, server_program
from tests.helpers.mcp_clients import ignore_progress


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Killer:
    """The approval is told of twice: when it is decided and when it is claimed."""

    def __init__(self, moment: str) -> None:
        self._left = {"decision": 1, "claim": 2}.get(moment, 0)

    def hear(self, event: Event) -> None:
        if isinstance(event, ReviewChanged) and event.review.status is ReviewStatus.APPROVED:
            self._left -= 1
            if not self._left:
                die()


async def die_once_written(file: Path) -> None:
    while not os.path.exists(file):  # noqa: ASYNC240, PTH110 - the moment is what counts
        await asyncio.sleep(0)
    die()


async def run(desk: GatewayDesk, folder: Path, moment: str) -> None:
    await desk.add("files", server_program("mcp-server-filesystem"), str(folder))
    desk.hear = Killer(moment).hear
    arguments = {"path": str(folder / "a.txt"), "content": "once\n"}
    async with desk.client() as client:
        calling = asyncio.ensure_future(
            client.call_tool("files__write_file", arguments, progress_callback=ignore_progress)
        )
        review = await desk.asked()
        if moment == "result":
            asyncio.get_running_loop().create_task(die_once_written(folder / "a.txt"))
        await desk.decide(review, "approve")
        await calling
        await asyncio.sleep(60)


async def main() -> None:
    home, folder, moment = sys.argv[1:]
    async with gateway_desk(Path(home)) as desk:
        await run(desk, Path(folder), moment)


if __name__ == "__main__":
    asyncio.run(main())
