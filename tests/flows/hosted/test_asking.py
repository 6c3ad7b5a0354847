"""Questions, forms and permissions of an agent this desk runs, on their way there and back."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from backend.cli.inbox_door import open_door
from backend.domain.agents import AgentCommand
from backend.domain.clarification import BundleStatus, Delivery
from backend.domain.hosted import AgentProblem
from backend.errors import AgentFailed, InvalidInput
from backend.ids import ClaimId, SessionId, new_id
from backend.paths import Home
from tests.helpers.builders import make_answer
from tests.helpers.desk import HUMAN
from tests.helpers.hosting_desk import HostingDesk, hosting_desk, is_free, prompts_in
from tests.helpers.place import raw
from tests.helpers.scripted_agents import scripted_command
from tests.helpers.waiting import eventually, until


def asks(prompt: str = "Which database?", **question: Any) -> str:
    asked = {
        "prompt": prompt,
        "options": [{"label": "SQLite", "id": "lite"}, {"label": "PostgreSQL", "id": "pg"}],
        **question,
    }
    return f"ask {json.dumps({'questions': [asked]})}"


def elicits(properties: dict[str, Any], message: str = "Tell me") -> str:
    schema = {"type": "object", "properties": properties}
    return f"elicit {json.dumps({'mode': 'form', 'message': message, 'requestedSchema': schema})}"


async def test_a_question_is_asked_in_the_session_and_answered_live(desk: HostingDesk) -> None:
    """agents.md, Security: the injected tools bind every call to their session and its turn."""
    session = await desk.start(f"say First\n{asks()}\nsay Last")
    bundle = await desk.question(session)
    conversation = await desk.conversation(session)
    assert bundle.turn_id == conversation.turn_id
    assert conversation.input == "queue"
    outcome = await desk.answer(bundle, make_answer("q1", "pg"))
    assert outcome.delivery is Delivery.DELIVERED
    await desk.ready(session)
    said = await desk.said(session)
    assert any("pg" in line for line in said if line.startswith("agent: answer"))
    assert len(await desk.desk.list_sessions()) == 1


async def test_two_agents_ask_at_once_and_each_gets_its_own_answer(
    desk: HostingDesk, tmp_path: Path
) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    first = await desk.start(asks("First?"), folder=folders[0])
    await asyncio.sleep(0.05)
    second = await desk.start(asks("Second?"), folder=folders[1])
    asked_first, asked_second = await desk.question(first), await desk.question(second)
    await desk.answer(asked_first, make_answer("q1", "lite"))
    await desk.answer(asked_second, make_answer("q1", "pg"))
    await desk.ready(first)
    await desk.ready(second)
    assert "lite" in (await desk.said(first))[-1]
    assert "pg" in (await desk.said(second))[-1]


async def test_stopping_a_turn_withdraws_its_question(desk: HostingDesk) -> None:
    """K8.6 82: reference/agents.md, trap 6: an agent that never tells of its abort."""
    session = await desk.start(asks())
    bundle = await desk.question(session)
    await desk.api.cancel_turn(session)
    await desk.ready(session)
    assert (await desk.desk.get_bundle(bundle.pending_id)).status is BundleStatus.CANCELLED


async def test_an_answer_after_its_call_is_gone_is_the_agents_next_prompt(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """K8.6 79; K5.5, detached: a-e."""
    log = tmp_path / "frames"
    session = await desk.start(
        asks().replace("ask ", "give_up 0.2 "), command=scripted_command(log=str(log))
    )
    bundle = await desk.question(session)

    async def ended() -> bool:
        conversation = await desk.conversation(session)
        return conversation.status == "ready"

    await eventually(ended, seconds=20)
    outcome = await desk.answer(bundle, make_answer("q1", "pg"))
    assert outcome.delivery is Delivery.DELIVERED
    await until(lambda: len(prompts_in(log)) == 2, seconds=20)
    assert "PostgreSQL" in prompts_in(log)[1]
    await desk.ready(session)
    turns = {row.turn_id for row in await desk.rows(session)}
    assert len(turns) == 2


async def test_an_agent_that_dies_leaves_its_question_answerable_and_is_resumed_by_the_answer(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """agents.md, ACP: a crashed agent's questions detach; K1.7."""
    log = tmp_path / "frames"
    session = await desk.start(asks(), command=scripted_command(log=str(log)))
    bundle = await desk.question(session)
    os.killpg(desk.process(session), signal.SIGKILL)
    conversation = await desk.until(session, lambda seen: seen.turn_id is None)
    assert conversation.trouble is not None
    assert conversation.trouble.problem is AgentProblem.EXITED
    left = await desk.desk.get_bundle(bundle.pending_id)
    assert (left.answerable, left.detached) == (True, True)
    outcome = await desk.answer(left, make_answer("q1", "lite"))
    assert outcome.delivery is Delivery.DELIVERED
    await desk.ready(session)
    assert (await desk.conversation(session)).trouble is None
    assert len(prompts_in(log)) == 2


async def test_a_crash_interrupts_the_turn_and_one_press_resumes_with_the_question_still_open(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """agents.md, ACP: a crashed agent: the turn ends `interrupted`, one click resumes."""
    session = await desk.start(asks(), command=scripted_command())
    bundle = await desk.question(session)
    os.killpg(desk.process(session), signal.SIGKILL)
    await desk.until(session, lambda seen: seen.status == "failed" and seen.turn_id is None)
    with raw(tmp_path / "home" / "kandesk.db") as connection:
        (turn,) = connection.execute("SELECT metadata FROM task_session_turns").fetchall()
    assert json.loads(turn["metadata"])["kandesk"]["ended"]["outcome"] == "interrupted"
    await desk.api.resume(session)
    await desk.until(session, lambda seen: seen.status == "ready" and seen.trouble is None)
    left = await desk.desk.get_bundle(bundle.pending_id)
    assert (left.answerable, left.detached) == (True, True)


async def test_a_form_becomes_a_question_and_its_answer_the_forms_content(
    desk: HostingDesk,
) -> None:
    """agents.md: elicitation (form) -> question card."""
    session = await desk.start(
        elicits({"size": {"type": "string", "enum": ["small", "large"]}}, "How big?")
    )
    bundle = await desk.question(session)
    assert bundle.questions[0].question.prompt == "How big?"
    await desk.answer(bundle, make_answer("q1", "q1_opt2"))
    await desk.ready(session)
    assert (await desk.said(session))[-1] == 'agent: elicitation: accept {"size": "large"}'


async def test_skipping_a_form_declines_it(desk: HostingDesk) -> None:
    """Decline is not cancel."""
    session = await desk.start(elicits({"sure": {"type": "boolean"}}, "Sure?"))
    await desk.skip(await desk.question(session))
    await desk.ready(session)
    assert "elicitation: decline" in (await desk.said(session))[-1]


async def test_a_form_whose_question_is_withdrawn_is_cancelled(desk: HostingDesk) -> None:
    session = await desk.start(elicits({"sure": {"type": "boolean"}}, "Sure?"))
    await desk.desk.close_question((await desk.question(session)).pending_id)
    await desk.ready(session)
    assert "elicitation: cancel" in (await desk.said(session))[-1]


async def test_a_form_no_question_can_stand_for_is_declined_with_a_row(desk: HostingDesk) -> None:
    session = await desk.start(elicits({"odd": {"type": "object"}}))
    await desk.ready(session)
    rows = await desk.rows(session)
    assert [row.kind for row in rows if row.kind == "status"] == ["status"]
    assert "elicitation: decline" in rows[-1].content


async def test_a_script_reads_who_asks_and_that_permissions_wait_too(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """product.md, Commands: an agent is called what its human calls it, not by its kind."""
    session = await desk.start(asks())
    await desk.question(session)
    await desk.start("permission Delete everything")

    async def waits() -> bool:
        return bool(await desk.desk.reviews.list_open_reviews())

    await eventually(waits, seconds=20)
    door = await asyncio.to_thread(open_door, Home(tmp_path / "home"))
    (bundle,) = await asyncio.to_thread(door.list_open)
    assert bundle["agent"] == Path(sys.executable).name
    assert await asyncio.to_thread(door.count_permissions) == 1


async def _decide(desk: HostingDesk, session: SessionId, option: str) -> None:
    async def asked() -> bool:
        return any(
            review.session_id == session for review in await desk.desk.reviews.list_open_reviews()
        )

    await eventually(asked, seconds=20)
    (review,) = await desk.desk.reviews.list_open_reviews()
    await desk.desk.reviews.decide(
        review.review_id, option, client_id=HUMAN, claim_token=ClaimId(new_id())
    )


async def test_a_permission_is_asked_and_the_choice_reaches_the_agent(desk: HostingDesk) -> None:
    session = await desk.start("permission Delete everything")
    await _decide(desk, session, "reject")
    await desk.ready(session)
    assert (await desk.said(session))[-1] == "agent: permission: reject"


async def test_an_agent_that_dies_with_its_answer_is_given_it_again_once(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """K8.6 81; K5.5, watchdog: delivered live, and no sign of life since."""
    log = tmp_path / "frames"
    command = scripted_command(log=str(log))
    session = await desk.start(f"{asks()}\nsay used it", command=command)
    bundle = await desk.question(session)
    pid = desk.process(session)
    os.kill(pid, signal.SIGSTOP)
    outcome = await desk.answer(bundle, make_answer("q1", "pg"))
    assert outcome.delivery is Delivery.DELIVERED
    os.killpg(pid, signal.SIGKILL)
    await until(lambda: len(prompts_in(log)) == 2, seconds=20)
    assert "PostgreSQL" in prompts_in(log)[1]
    await desk.ready(session)
    assert len(prompts_in(log)) == 2


async def test_an_agent_that_spoke_after_its_answer_is_not_given_it_again(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """K8.6 81, watchdog: any sign of life shows that it had the answer."""
    log = tmp_path / "frames"
    command = scripted_command(log=str(log))
    session = await desk.start(f"{asks()}\nsleep 0.3\nsay used it\nexit 3", command=command)
    bundle = await desk.question(session)
    assert (await desk.answer(bundle, make_answer("q1", "pg"))).delivery is Delivery.DELIVERED
    await desk.until(session, lambda seen: seen.status == "failed" and seen.turn_id is None)
    await desk.send(session, "say again")
    await desk.ready(session)
    assert len(prompts_in(log)) == 2
    assert prompts_in(log)[1] == "say again"


async def test_a_question_of_a_desk_that_was_killed_is_answered_into_a_new_prompt(
    tmp_path: Path,
) -> None:
    """K8.6 86; K5.7: its call ended with the desk; the answer resumes the agent."""
    log = tmp_path / "frames"
    async with hosting_desk(tmp_path) as desk:
        session = await desk.start(asks(), command=scripted_command(log=str(log)))
        bundle = await desk.question(session)
    async with hosting_desk(tmp_path) as desk:
        desk.command(session, scripted_command(log=str(log)))
        left = await desk.question(session)
        assert (left.pending_id, left.detached) == (bundle.pending_id, True)
        outcome = await desk.answer(left, make_answer("q1", "lite"))
        assert outcome.delivery is Delivery.DELIVERED
        await desk.ready(session)
    assert len(prompts_in(log)) == 2


async def test_a_tool_of_the_agents_own_that_only_asks_is_a_question_and_no_permission(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """agents.md: AskUserQuestion is routed to the question form, never shown as Allow/Deny."""
    options = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
    asked = {"question": "Which colour?", "header": "Colour", "options": options}
    permission = {
        "toolCall": {
            "toolCallId": "c1",
            "title": "Ask user 1 question",
            "rawInput": {"questions": [asked]},
        },
        "_meta": {"toolName": "ask_user_question"},
        "options": [
            {"optionId": "proceed_once", "name": "Submit", "kind": "allow_once"},
            {"optionId": "cancel", "name": "Cancel", "kind": "reject_once"},
        ],
    }
    log = tmp_path / "frames"
    session = await desk.start(
        f"permission {json.dumps(permission)}", command=scripted_command(log=str(log))
    )
    bundle = await desk.question(session)
    assert bundle.questions[0].question.prompt == "Which colour?"
    assert await desk.desk.reviews.list_open_reviews() == ()
    await desk.answer(bundle, make_answer("q1", "q1_opt2"))
    await desk.ready(session)
    assert (await desk.said(session))[-1] == "agent: permission: proceed_once"
    assert '"answers":{"0":"Blue"}' in log.read_text().replace(" ", "")


async def test_an_answer_to_a_question_its_agent_gave_up_waits_for_the_turns_end(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """K8.6 85."""
    log = tmp_path / "frames"
    session = await desk.start(
        f"{asks().replace('ask ', 'give_up 0.2 ')}\nsay gone on\nsleep 1",
        command=scripted_command(log=str(log)),
    )
    bundle = await desk.question(session)

    async def given_up() -> bool:
        return any(line.endswith("gone on") for line in (await desk.said(session))[1:])

    await eventually(given_up, seconds=20)
    outcome = await desk.answer(bundle, make_answer("q1", "pg"))
    assert outcome.delivery is Delivery.WAITING_FOR_AGENT
    await until(lambda: len(prompts_in(log)) == 2, seconds=20)
    await desk.ready(session)
    assert (await desk.desk.get_bundle(bundle.pending_id)).delivery is Delivery.DELIVERED


async def test_an_answer_whose_agent_does_not_start_is_given_back_and_can_be_given_again(
    desk: HostingDesk, tmp_path: Path
) -> None:
    """K8.6 79; K5.6 row 11: restored pending, the draft kept; a full retry, one more dispatch."""
    log = tmp_path / "frames"
    session = await desk.start(asks(), command=scripted_command(log=str(log)))
    bundle = await desk.question(session)
    os.killpg(desk.process(session), signal.SIGKILL)
    await desk.until(session, lambda seen: seen.turn_id is None)
    desk.command(session, AgentCommand((str(tmp_path / "missing"),)))
    with pytest.raises(AgentFailed):
        await desk.answer(bundle, make_answer("q1", "pg"))
    left = await desk.question(session)
    assert (left.pending_id, left.answerable) == (bundle.pending_id, True)
    draft = await desk.desk.load_draft(bundle.pending_id)
    assert draft is not None
    desk.command(session, scripted_command(log=str(log)))
    outcome = await desk.answer(left, make_answer("q1", "pg"))
    assert outcome.delivery is Delivery.DELIVERED
    await desk.ready(session)
    assert len(prompts_in(log)) == 2


def elicits_some(required: list[str], **properties: Any) -> str:
    schema = {"type": "object", "properties": properties, "required": required}
    asked = {"mode": "form", "message": "Tell me", "requestedSchema": schema}
    return f"elicit {json.dumps(asked)}"


async def test_what_a_form_does_not_require_can_be_left_out_and_the_rest_not(
    desk: HostingDesk,
) -> None:
    """Empty is left out; what is required must be said, and something of all."""
    name, note = {"type": "string"}, {"type": "string"}
    session = await desk.start(elicits_some(["name"], name=name, note=note))
    bundle = await desk.question(session)
    assert [item.question.optional for item in bundle.questions] == [False, True]
    for empty in ((make_answer("q1"), make_answer("q2", text="x")), (make_answer("q1"),)):
        with pytest.raises(InvalidInput):
            await desk.answer(bundle, *empty)
    await desk.answer(bundle, make_answer("q1", text="me"))
    await desk.ready(session)
    assert (await desk.said(session))[-1] == 'agent: elicitation: accept {"name": "me"}'


async def test_a_form_that_requires_nothing_is_not_answered_by_nothing(desk: HostingDesk) -> None:
    session = await desk.start(elicits_some([], a={"type": "string"}, b={"type": "string"}))
    bundle = await desk.question(session)
    with pytest.raises(InvalidInput):
        await desk.answer(bundle, make_answer("q1"), make_answer("q2"))
    await desk.answer(bundle, make_answer("q2", text="only this"))
    await desk.ready(session)
    assert (await desk.said(session))[-1] == 'agent: elicitation: accept {"b": "only this"}'


async def test_a_later_card_of_a_form_that_may_be_left_out_is_by_a_skip(desk: HostingDesk) -> None:
    """The first card was answered: only what the form does not require is left out."""
    fields = {f"f{number}": {"type": "string"} for number in range(5)}
    session = await desk.start(elicits_some(["f0"], **fields))
    first = await desk.question(session)
    await desk.answer(first, make_answer("q1", text="said"))

    async def second() -> bool:
        return (await desk.question(session)).pending_id != first.pending_id

    await eventually(second, seconds=20)
    await desk.skip(await desk.question(session))
    await desk.ready(session)
    assert (await desk.said(session))[-1] == 'agent: elicitation: accept {"f0": "said"}'


async def test_a_question_asked_after_its_turn_has_ended_leaves_the_session_free(
    desk: HostingDesk,
) -> None:
    """Nothing tells the end of what an agent does then: it may speak of it beside "next"."""
    asked = {"questions": [{"prompt": "Which name?", "options": []}]}
    session = await desk.start(f"say done\nafter sleep 0.5\nafter ask {json.dumps(asked)}")
    bundle = await desk.question(session)
    assert (await desk.conversation(session)).turn_id is None
    question = bundle.questions[0].question.id
    await desk.answer(bundle, make_answer(question, text="Ada"))
    await desk.until(session, is_free)
    await desk.send(session, "say next")
    await desk.until(session, lambda seen: is_free(seen) and not seen.queue)

    async def said() -> bool:
        rows = await desk.said(session)
        return any("next" in row for row in rows[rows.index("user: say next") + 1 :])

    await eventually(said)
