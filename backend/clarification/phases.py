"""What is recorded of each phase of a response (clarification.md, Observability)."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from backend.clock import Clock, Deadline
from backend.domain.validation import shortened
from backend.errors import AppError, ErrorCode, TemporarilyUnavailable
from backend.ids import PendingId
from backend.metrics import Metrics

_log = logging.getLogger("clarification.response")


class PhaseRecorder:
    """Writes `clarification.response.phase` records and counts exhausted budgets."""

    def __init__(self, clock: Clock, metrics: Metrics, driver: str) -> None:
        self._clock = clock
        self._metrics = metrics
        self._driver = driver

    @contextmanager
    def phase(self, name: str, pending_id: PendingId, deadline: Deadline) -> Iterator[None]:
        """Record one phase that must end by `deadline`.

        An exhausted budget and a caller that went away are told apart: only the first is counted.

        Raises:
            TemporarilyUnavailable: `temporarily_unavailable`, instead of whatever showed that the
                deadline has passed.
        """
        started = self._clock.monotonic()
        outcome = "ok"
        try:
            yield
        except (TimeoutError, TemporarilyUnavailable) as error:
            outcome = "timeout" if _ran_out(error, deadline) else "unavailable"
            if outcome == "timeout":
                self._metrics.count_response_timeout(name)
                raise TemporarilyUnavailable(
                    ErrorCode.TEMPORARILY_UNAVAILABLE,
                    "clarification response is temporarily unavailable",
                ) from error
            raise
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        except AppError as error:
            outcome = error.code.value
            raise
        except BaseException as error:
            outcome = type(error).__name__
            raise
        finally:
            self.record(name, pending_id, outcome, started)

    def record(self, name: str, pending_id: PendingId, outcome: str, started: float) -> None:
        """Write one record; `started` is a moment of the monotonic clock."""
        _log.info(
            "clarification.response.phase",
            extra={
                "phase": name,
                "duration_ms": round((self._clock.monotonic() - started) * 1000, 3),
                "outcome": outcome,
                "driver": self._driver,
                # An unknown id is whatever a caller sent.
                "pending_id": shortened(pending_id),
            },
        )

    def ran_out(self, name: str) -> None:
        """Count a budget that ran out although the phase has a result."""
        self._metrics.count_response_timeout(name)


def _ran_out(error: Exception, deadline: Deadline) -> bool:
    return isinstance(error, TimeoutError) or deadline.expired
