"""The account of one kill: what the agents, calls and humans have seen against the store."""

from dataclasses import dataclass

from backend.clarification.hosted_delivery import NOT_RECOVERED
from tests.crash.books import Books, Entry
from tests.crash.journal import Entry as Seen
from tests.crash.journal import Journal

_CLAIMED = {"answered", "rejected"}
_SENT = {"delivered", "discarded", "waiting_for_agent", "replaced"}
_RETRYABLE = "can be retried"


@dataclass(frozen=True)
class Account:
    """The store when the desk was dead, after recovery, and after the human has gone on."""

    killed: Books
    recovered: Books
    final: Books
    journal: list[Seen]

    def problems(self) -> list[str]:
        """Everything that is lost, doubled, wrong or shown wrongly; none is the promise kept."""
        found = [
            problem
            for each in self.recovered.turns
            if each.reserved
            for problem in [f"turn {each.turn_id} is still reserved after recovery"]
        ]
        for pending in self.killed.entries:
            found += self._lost_at_the_kill(pending)
            found += self._shown(pending)
            found += self._told_wrongly(pending)
        for pending in self.final.entries:
            found += self._doubled_or_wrong(pending)
        if any(seen["what"] == "still waiting" for seen in self.journal):
            found.append("a call waits for an answered question")
        return found

    def _seen(self, pending: str, who: str, what: str) -> list[Seen]:
        return [
            seen
            for seen in self.journal
            if seen.get("pending") == pending and (seen["who"], seen["what"]) == (who, what)
        ]

    def _before_the_kill(self, pending: str, who: str, what: str) -> list[Seen]:
        end = next(at for at, seen in enumerate(self.journal) if seen["what"] == "killed")
        return [seen for seen in self._seen(pending, who, what) if self.journal.index(seen) < end]

    def _lost_at_the_kill(self, pending: str) -> list[str]:
        """What was claimed is kept, given back or unknown; what nobody claimed is as it was."""
        before, after = self.killed.entries[pending], self.recovered.entries[pending]
        found = [f"{pending} is half answered: {before.status}"] if len(before.statuses) > 1 else []
        if after.on_its_way:
            found.append(f"{pending} is still on its way after recovery")
        expected = self._expected(pending, before)
        have = (after.status, after.delivery)
        if have not in expected:
            found.append(f"{pending} is {have} after recovery, not one of {expected}")
        if before.on_its_way and after.status == "pending" and after.draft != before.chosen:
            found.append(f"{pending}: the answer {before.chosen} is lost, draft {after.draft}")
        if after.status == "pending" and self._taken(pending, before_the_kill=True):
            found.append(f"{pending} is open again though its answer was taken")
        found += [
            f"{pending}: told {told['delivery']}, stored {before.delivery}"
            for told in self._before_the_kill(pending, "human", "told")
            if told["delivery"] in _SENT and before.delivery not in _SENT
        ]
        return found

    def _expected(self, pending: str, before: Entry) -> list[tuple[str, str | None]]:
        if before.status not in _CLAIMED or not before.on_its_way:
            return [(before.status, before.delivery)]
        if self.killed.attempted(pending):
            return [(before.status, "unknown")]
        if before.guest:
            return [(before.status, "waiting_for_agent")]
        if self.killed.left_behind(pending):
            return [(before.status, "unknown")]
        return [("pending", None)]

    def _shown(self, pending: str) -> list[str]:
        """`GET /:id` says what the store holds, `unknown` by its name (K5.6 row 19)."""
        after = self.recovered.entries[pending]
        (shown,) = self._seen(pending, "desk", "shows")
        expected = (after.status, after.delivery or "")
        if (shown["status"], shown["delivery"]) != expected:
            return [f"{pending} is shown as {shown}, stored as {expected}"]
        return []

    def _told_wrongly(self, pending: str) -> list[str]:
        """A failure says whether the answer was given back (K5.6 rows 7, 8, 11); who answers what
        is settled is told how, and that the answer is not theirs.
        """
        before, after = self.killed.entries[pending], self.recovered.entries[pending]
        found = []
        for failed in self._before_the_kill(pending, "human", "failed"):
            text, claimed = str(failed["text"]), before.status in _CLAIMED
            prompted = self._before_the_kill(pending, "agent", "prompted")
            refused = claimed and not prompted and self.killed.left_behind(pending)
            if claimed and _RETRYABLE in text:
                found.append(f"{pending} is {before.status}, and the human was told: {text}")
            if refused and text != NOT_RECOVERED:
                found.append(f"{pending} cannot be given back, and the human was told: {text}")
        early = self._before_the_kill(pending, "human", "told")
        for told in self._seen(pending, "human", "told"):
            if told in early or after.status not in _CLAIMED:
                continue
            have = (told["status"], told["delivery"], told["claimed"])
            if have != (after.status, after.delivery, False):
                found.append(f"{pending} is settled as {after}, and the human was told {have}")
        return found

    def _taken(self, pending: str, *, before_the_kill: bool = False) -> list[Seen]:
        """Every time the answer has reached an agent: as a prompt, or as the result of a call."""
        look = self._before_the_kill if before_the_kill else self._seen
        returned = [
            seen
            for seen in look(pending, "call", "returned")
            if seen["status"] in {"answered", "skipped"}
        ]
        return look(pending, "agent", "prompted") + returned

    def _doubled_or_wrong(self, pending: str) -> list[str]:
        entry, taken = self.final.entries[pending], self._taken(pending)
        found = []
        prompts = self._seen(pending, "agent", "prompted")
        if len(prompts) > 1 or len({seen["who"] for seen in taken}) > 1:
            found.append(f"{pending} was given to the agent {len(taken)} times")
        if len(entry.statuses) > 1:
            found.append(f"{pending} ends half answered: {entry.status}")
        if entry.status == "pending" and not self._superseded(entry):
            found.append(f"{pending} is still open though it was answered")
        if entry.delivery == "delivered" and not taken:
            found.append(f"{pending} is called delivered and nobody has it")
        cut_off = self.killed.attempted(pending) or self.killed.left_behind(pending)
        if entry.delivery == "unknown" and not (prompts or cut_off):
            found.append(f"{pending} is unknown though nothing was attempted")
        chosen = list(entry.chosen) or ["skipped"]
        for seen in taken:
            right = (
                all(f"[{option}]" in seen["text"] for option in chosen)
                if seen["who"] == "agent"
                else seen["choice"] == chosen
            )
            if not right:
                found.append(f"{pending} was answered {chosen}, and the agent got {seen}")
        return found

    def _superseded(self, entry: Entry) -> bool:
        newest = [turn for turn in self.final.turns if turn.session_id == entry.session_id]
        return newest[-1].turn_id != entry.turn_id if newest else False


def account(killed: Books, recovered: Books, final: Books, journal: Journal) -> Account:
    return Account(killed, recovered, final, journal.read())
