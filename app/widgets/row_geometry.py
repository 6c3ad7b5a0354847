"""Where the rows of a list are, by their heights; a change costs no layout of the others."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate


class RowGeometry:
    """Heights in pixels from the first row to the last."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._edges: list[int] | None = None

    def __len__(self) -> int:
        return len(self._heights)

    @property
    def total(self) -> int:
        return self._tops[-1]

    def replace(self, heights: Iterable[int]) -> None:
        self._heights = list(heights)
        self._edges = None

    def insert(self, row: int, heights: Iterable[int]) -> None:
        self._heights[row:row] = heights
        self._edges = None

    def remove(self, row: int, count: int) -> None:
        del self._heights[row : row + count]
        self._edges = None

    def set_height(self, row: int, height: int) -> None:
        if self._heights[row] != height:
            self._heights[row] = height
            self._edges = None

    def top(self, row: int) -> int:
        return self._tops[row]

    def height(self, row: int) -> int:
        return self._heights[row]

    def row_at(self, y: int) -> int:
        """The row that `y` is in, or -1."""
        if y < 0 or y >= self.total:
            return -1
        return bisect_right(self._tops, y) - 1

    @property
    def _tops(self) -> list[int]:
        if self._edges is None:
            self._edges = list(accumulate(self._heights, initial=0))
        return self._edges
