"""A desk whose agent talks, to be killed.

Run as `python -m tests.peers.desk_that_is_killed HOME FOLDER KEY` in the environment of the user
whose agents it runs. It says `talks` and the session's id once the agent does.
"""

import asyncio
import sys
from pathlib import Path

from tests.helpers.peer_agents import PEER_AGENTS
from tests.helpers.peer_desk import peer_desk


async def main() -> None:
    home, folder, key = sys.argv[1:]
    agent = next(agent for agent in PEER_AGENTS if agent.key == key)
    async with peer_desk(Path(folder), Path(home)) as desk:
        session = await desk.start(agent, "<<drip 200>>")
        await desk.says(session, "drip1")
        print(f"talks {session}", flush=True)
        await asyncio.sleep(120)


if __name__ == "__main__":
    asyncio.run(main())
