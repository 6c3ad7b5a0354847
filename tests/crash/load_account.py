"""The account of a load run: the clients', agents' and humans' words against the store."""

from collections import Counter
from dataclasses import dataclass, field

from tests.crash.books import Books, Entry
from tests.crash.journal import Entry as Seen
from tests.crash.journal import Journal

_CERTAIN = {"delivered", "waiting_for_agent", "discarded", "replaced"}


@dataclass
class LoadAccount:
    """`lost`, `doubled` and `wrong` are empty when the promise was kept."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    figures: Counter[str] = field(default_factory=Counter)

    @property
    def kept(self) -> bool:
        return not (self.lost or self.doubled or self.wrong)


class _Words:
    """Journal entries, found by what they are about."""

    def __init__(self, journal: Journal) -> None:
        self.all = journal.read()
        self._about: dict[tuple[str, str], list[Seen]] = {}
        for seen in self.all:
            about = seen.get("pending") or seen.get("prompt") or ""
            self._about.setdefault((about, seen["what"]), []).append(seen)

    def of(self, about: str, what: str) -> list[Seen]:
        return self._about.get((about, what), [])


def load_account(books: Books, journal: Journal) -> LoadAccount:
    words, result = _Words(journal), LoadAccount()
    asks: dict[str, list[Entry]] = {}
    for entry in books.entries.values():
        (prompt,) = entry.prompts
        asks.setdefault(prompt, []).append(entry)
        _check_store(result, entry, words)
        if not entry.guest:
            _check_hosted(result, entry, words)
        result.figures[f"{'guest' if entry.guest else 'hosted'}: {_state(entry)}"] += 1
    for seen in words.all:
        result.figures[f"journal: {seen['what']}"] += 1
        if seen["what"] == "asked" and not seen["prompt"].startswith("hosted"):
            _check_guest(result, seen, asks.get(seen["prompt"], []), words)
    return result


def _state(entry: Entry) -> str:
    return f"{entry.status} {entry.delivery or ''}".strip()


def _check_store(result: LoadAccount, entry: Entry, words: _Words) -> None:
    """What a human was told is what is stored; the words belong to the question."""
    if len(entry.statuses) > 1 or entry.on_its_way:
        result.lost.append(f"{entry.pending_id} is unsettled: {entry}")
    own = f"answer to {entry.prompts[0]} by"
    if any(not text.startswith(own) for text in entry.texts):
        result.wrong.append(f"{entry.pending_id} of {entry.prompts} holds {entry.texts}")
    for told in words.of(entry.pending_id, "told"):
        if told["delivery"] in _CERTAIN and (
            entry.status != told["status"] or told["text"] != "".join(entry.texts)
        ):
            result.lost.append(f"told {told}, stored {entry}")
    if entry.delivery == "unknown" and entry.guest:
        result.lost.append(f"{entry.pending_id} of a guest is unknown")


def _check_hosted(result: LoadAccount, entry: Entry, words: _Words) -> None:
    prompts = words.of(entry.pending_id, "prompted")
    returns = [s for s in words.of(entry.pending_id, "returned") if not s["rejected"]]
    cut = words.of(entry.pending_id, "cut")
    taken = len(prompts) + len(returns)
    if taken > 1:
        result.doubled.append(f"{entry.pending_id}: {prompts} {returns}")
    if taken and entry.status != "answered":
        result.wrong.append(f"{entry.pending_id} was given and is {entry.status}")
    if entry.status == "answered" and entry.delivery == "delivered" and not taken and not cut:
        result.lost.append(f"{entry.pending_id} is called delivered and nobody has it")
    if entry.delivery == "unknown":
        result.figures["unknown, prompted" if prompts else "unknown, not prompted"] += 1
    stored = "".join(entry.texts)
    if any(stored not in seen["text"] for seen in prompts) or any(
        stored != seen["text"] for seen in returns
    ):
        result.wrong.append(f"{entry.pending_id}: stored {stored}, {prompts} {returns}")


def _check_guest(result: LoadAccount, ask: Seen, found: list[Entry], words: _Words) -> None:
    """One result an ask, that of one of its questions; by a key there is one question."""
    prompt = ask["prompt"]
    got, cuts = words.of(prompt, "got"), words.of(prompt, "cut")
    if len(got) != 1:
        (result.doubled if got else result.lost).append(f"{prompt} got {got}")
        return
    again = len(cuts) if ask["who"].startswith(("again", "shim")) else 0
    if not 1 <= len(found) <= 1 + again:
        result.doubled.append(f"{prompt} is there {len(found)} times")
    ends = {
        "answered": [e for e in found if e.status == "answered"],
        "skipped": [e for e in found if e.status == "rejected"],
        "withdrawn": [e for e in found if e.status == "cancelled"],
    }[got[0]["status"]]
    if not any("".join(entry.texts) == got[0]["text"] for entry in ends):
        result.wrong.append(f"{prompt} got {got}, stored {found}")
    delivered = [entry for entry in found if entry.delivery == "delivered"]
    if len(delivered) > 1 + len(cuts):
        result.doubled.append(f"{prompt} was delivered {len(delivered)} times, cut {len(cuts)}")
    if got[0]["status"] in {"answered", "skipped"} and not delivered:
        result.lost.append(f"{prompt} got {got} and none is called delivered: {found}")
