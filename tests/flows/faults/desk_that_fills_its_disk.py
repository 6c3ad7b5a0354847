"""`kandesk serve` whose disk becomes full in the middle of a delivery; run as a child process.

usage: python -m tests.flows.faults.desk_that_fills_its_disk MOMENT
"""

import sys
from collections.abc import Awaitable, Callable
from typing import Any

from app.launch import main
from backend.clarification.delivery import GuestDelivery
from backend.paths import resolve_home
from tests.helpers.disk import SmallDisk


def filling(method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Fill the disk the first time, then go on."""
    disk = SmallDisk(resolve_home(None).root.parent)
    filled = False

    async def fill_first(*args: object, **kwargs: object) -> object:
        nonlocal filled
        if not filled:
            disk.fill()
            filled = True
        return await method(*args, **kwargs)

    return fill_first


MOMENTS = {"confirmation": "_confirm", "keeping": "_keep"}

if __name__ == "__main__":
    name = MOMENTS[sys.argv[1]]
    setattr(GuestDelivery, name, filling(getattr(GuestDelivery, name)))
    sys.exit(main(["serve"]))
