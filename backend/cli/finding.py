"""What one check of `kandesk doctor` has found, and how it is shown."""

from dataclasses import asdict, dataclass
from enum import StrEnum


class Level(StrEnum):
    OK = "ok"
    WARNING = "warning"
    """It works, and something should be done."""
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """`text` says what is, `advice` what to do; both are one line."""

    level: Level
    check: str
    text: str
    advice: str = ""

    def line(self) -> str:
        told = f"{self.text}; {self.advice}" if self.advice else self.text
        return f"{self.level:8} {self.check:10} {_one_line(told)}"

    def to_json(self) -> dict[str, str]:
        return {name: str(value) for name, value in asdict(self).items()}


def ok(check: str, text: str) -> Finding:
    return Finding(Level.OK, check, text)


def warning(check: str, text: str, advice: str) -> Finding:
    return Finding(Level.WARNING, check, text, advice)


def problem(check: str, text: str, advice: str) -> Finding:
    return Finding(Level.PROBLEM, check, text, advice)


def _one_line(text: str) -> str:
    return " ".join(text.split())
