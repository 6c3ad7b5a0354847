"""What the demo agent does at each prompt."""

import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final

from backend.agents.demo_late import late_answer
from backend.agents.demo_questions import IMPATIENT, SEVERAL, SINGLE
from backend.agents.demo_stage import Answer, Stage

PATIENCE: Final = 12.0
"""Seconds the agent waits for its last question before its call ends."""

Scene = Callable[[Stage, str], Awaitable[object]]
"""The words behind the command come with it."""

_SHOWN: Final = """\
## What I can show you

| Command | What happens |
|---|---|
| `/ask` | one question with three options |
| `/several` | three questions at once, one with several choices |
| `/permission` | I want to run a command and wait for you |
| `/edit` | I change a file in a temporary folder |
| `/timeout` | I ask, and my call ends before you answer |
| `/tour` | all of it |

Anything else gets an ordinary answer, for example:

```python
def total(prices: list[int]) -> int:
    return sum(prices)
```

> Answers reach me **where I wait for them**. If I wait no longer, they come as a new message.
"""

_FIRST: Final = "# Orders\n\nThe service stores orders.\n"
_SECOND: Final = (
    "# Orders\n\nThe service stores orders in {database}.\n\n## Start\n\n    make run\n"
)


async def tour(stage: Stage, _: str = "") -> None:
    await stage.say("Hello! I am the **demo agent**. Let me show you what working with me is like.")
    await stage.plan("Agree on a database", "Settle the rest", "Run the tests", "Write it down")
    await stage.think("A new service. First the choice everything else depends on: where to store.")
    answer = await one_question(stage)
    await stage.step_done()
    await several_questions(stage)
    await stage.step_done()
    await permission(stage)
    await stage.step_done()
    await edit(stage, _chosen(answer, "database"))
    await stage.step_done()
    await timeout(stage)


async def one_question(stage: Stage, _: str = "") -> Answer:
    await stage.say("One thing I cannot decide alone:")
    answer = await stage.ask(SINGLE)
    await stage.say(_comment(answer))
    return answer


async def several_questions(stage: Stage, _: str = "") -> None:
    await stage.say("Now three decisions at once.")
    await stage.say(_comment(await stage.ask(SEVERAL)))


async def permission(stage: Stage, _: str = "") -> None:
    await stage.say("I would like to run the tests.")
    allowed = await stage.run("pytest -q", "....................  20 passed in 0.31s")
    await stage.say("All of them pass." if allowed else "Then I leave them alone.")


async def edit(stage: Stage, words: str = "") -> None:
    """In a temporary folder: nothing of the human's is touched."""
    with tempfile.TemporaryDirectory(prefix="kandesk-demo-") as folder:
        path = Path(folder) / "README.md"
        await stage.write(path, _FIRST)
        await stage.read(path)
        await stage.write(path, _SECOND.format(database=words or "SQLite"))
    await stage.say("I have written that down in `README.md`, in a folder that is gone already.")


async def timeout(stage: Stage, words: str = "") -> None:
    """`words` may be another number of seconds."""
    patience = float(words) if words.isdecimal() else PATIENCE
    await stage.say(f"One last question. My call ends after {patience:.0f} seconds on purpose.")
    answer = await stage.ask(IMPATIENT, patience=patience)
    if answer:
        await stage.say(_comment(answer))
        return
    await stage.say(
        "I could not wait any longer. The question stays open: answer it whenever you like, "
        "and your answer reaches me as a new message."
    )


async def overview(stage: Stage, _: str = "") -> None:
    await stage.say(_SHOWN)


async def reply(stage: Stage, text: str) -> None:
    """Answer whatever was written; an answer that came late is taken as any other."""
    answer = late_answer(text)
    if answer is not None:
        await stage.say(_comment(answer))
        return
    quoted = "\n".join(f"> {line}" for line in text.strip().splitlines()[:20])
    await stage.say(f"Thank you, I have this from you:\n\n{quoted}\n\nTry `/tour` or `/help`.")


SCENES: Final[Mapping[str, tuple[Scene, str]]] = {
    "tour": (tour, "Show everything, one thing after the other"),
    "ask": (one_question, "Ask one question"),
    "several": (several_questions, "Ask three questions at once"),
    "permission": (permission, "Want to run a command"),
    "edit": (edit, "Change a file in a temporary folder"),
    "timeout": (timeout, "Ask and give up before you answer"),
    "help": (overview, "Say what I can show"),
}


def _comment(answer: Answer) -> str:
    status = answer.get("status")
    if status == "answered":
        parts = [_chosen(answer, question) for question in answer.get("answers", {})]
        return f"So it is **{', '.join(filter(None, parts)) or 'as you say'}**. Good."
    if status == "skipped":
        reason = answer.get("reject_reason")
        return f"You would rather not say{f': {reason}' if reason else ''}. I go on without it."
    return "I have no answer, so I leave that open."


def _chosen(answer: Answer, question: str) -> str:
    given = answer.get("answers", {}).get(question, {})
    labels = [str(option.get("label")) for option in given.get("selected", [])]
    return ", ".join(labels) or str(given.get("custom_text") or "")
