"""Numbers what is read of sessions, so that an older reading never replaces a newer one (K4.4)."""

import itertools

from backend.domain.conversation import ProjectionRevision


class Projections:
    """One per run of the desk; its epoch is higher than that of every owner before."""

    def __init__(self, epoch: int) -> None:
        self._epoch = epoch
        self._sequence = itertools.count(1)

    def begin(self, epoch: int) -> None:
        """The store was got back, under this number. Others may have owned it meanwhile."""
        self._epoch = epoch

    def next(self) -> ProjectionRevision:
        """The number of a reading that is about to begin.

        Taken before the snapshot: of two readings the one with the greater number has then seen
        everything that was committed before either began.
        """
        return ProjectionRevision(self._epoch, next(self._sequence))
