"""What is asked before the program ends: who still waits, and what would be lost."""

from collections.abc import Collection

from PySide6.QtCore import QObject

from app.viewmodels.typed_work import Unsaved
from app.widgets.confirm import Question


class LeavingWords(QObject):
    def question(
        self, waiting: int, permissions: int, unsaved: Collection[Unsaved]
    ) -> Question | None:
        """None where nobody waits and nothing is lost.

        `waiting` counts everything that is open, `permissions` what of it ends with the desk.
        """
        if not waiting and not unsaved:
            return None
        text = self.tr("Not everything is saved. Quit anyway?")
        lines = [self.lost(each) for each in Unsaved if each in unsaved]
        if waiting:
            text = self._waiting(waiting, permissions)
            lines.append(self._kept(permissions))
        return Question(
            title=self.tr("Quit Kandesk"),
            text=text,
            detail="\n\n".join(lines),
            accept=self.tr("Quit"),
        )

    def lost(self, what: Unsaved) -> str:
        match what:
            case Unsaved.TYPED:
                return self.tr(
                    "What you typed last cannot be saved now: the store does not take it. It is "
                    "lost if you quit before the store is back."
                )
            case Unsaved.SAID:
                return self.tr(
                    "What agents said last cannot be saved now: the store does not take it. It is "
                    "lost if you quit before the store is back."
                )
            case Unsaved.NOT_STARTED:
                return self.tr(
                    "The first message of a session that you have not started is kept nowhere. "
                    "It is lost if you quit."
                )

    def _waiting(self, waiting: int, permissions: int) -> str:
        if permissions:
            return self.tr("%n request(s) still wait. Quit anyway?", "", waiting)
        return self.tr("%n question(s) still wait. Quit anyway?", "", waiting)

    def _kept(self, permissions: int) -> str:
        """Questions outlive the desk; the agents that wait for a permission do not."""
        if permissions:
            return self.tr(
                "Questions are kept, and are here again when Kandesk starts. Permissions that "
                "nobody has given are cancelled: the agents that ask for them end with Kandesk."
            )
        return self.tr("They are kept, and are here again when Kandesk starts.")
