"""Background work that is kept, watched and ended together."""

import asyncio

from backend.work.supervisor import TaskSupervisor


async def test_a_stop_lets_running_work_end_and_does_not_wait_for_work_that_repeats() -> None:
    supervisor = TaskSupervisor()
    go_on = asyncio.Event()
    ended: list[str] = []

    async def work() -> None:
        await go_on.wait()
        ended.append("work")

    async def repeat() -> None:
        await asyncio.Event().wait()

    supervisor.start(work(), name="work")
    repeating = supervisor.start(repeat(), name="repeat", repeats=True)
    stopping = asyncio.create_task(supervisor.stop(patience=60))
    async with asyncio.timeout(5):
        await asyncio.wait({repeating})
    assert repeating.cancelled()
    assert not stopping.done()
    go_on.set()
    await stopping
    assert ended == ["work"]
