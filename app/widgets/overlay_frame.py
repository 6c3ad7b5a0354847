"""The card of the overlay: header, steps, body and footer, or one line when it is collapsed."""

from typing import Final

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.theme import Theme
from app.viewmodels.clarification import ClarificationViewModel
from app.viewmodels.clarification_card import Phase
from app.widgets.arming import ArmingGuard
from app.widgets.collapsed_bar import CollapsedBar
from app.widgets.confirm_strip import ConfirmStrip, Step
from app.widgets.overlay_body import OverlayBody
from app.widgets.overlay_footer import OverlayFooter
from app.widgets.overlay_header import OverlayHeader
from app.widgets.question_tabs import QuestionTabs

MAX_WIDTH: Final = 808
_BAR: Final = 44
_COMPACT_BELOW: Final = 230
_BORDER: Final = 2


class OverlayFrame(QFrame):
    """Holds the parts, shows those that belong to the card's state, and knows how tall it is."""

    def __init__(
        self, view_model: ClarificationViewModel, theme: Theme, guard: ArmingGuard
    ) -> None:
        super().__init__()
        self.setObjectName("overlayCard")
        self.setProperty("role", "question-card")
        self._view_model = view_model
        self._theme = theme
        self._crowded = False
        self._height = 0
        self.header = OverlayHeader(view_model, theme)
        self.bar = CollapsedBar(view_model, theme)
        self.tabs = QuestionTabs(theme)
        self.body = OverlayBody(theme, guard)
        self.footer = OverlayFooter(theme)
        self.strip = ConfirmStrip(theme)
        self._column = QVBoxLayout(self)
        for part in (self.header, self.tabs, self.body, self.footer, self.strip, self.bar):
            self._column.addWidget(part, 1 if part is self.body else 0)
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def confirming(self) -> bool:
        return not self.strip.isHidden()

    def refresh(self, hint: str) -> None:
        """Show the card as it is now; the page of its step is built already."""
        card = self._view_model.card
        if card is None:
            return
        self.header.refresh()
        self.bar.refresh()
        self.tabs.refresh(card)
        self.body.refresh(card, self._view_model.clock.now())
        self.footer.refresh(card, hint=hint)
        if not card.editable or card.collapsed:
            self.strip.hide()
        self._show_closed(closed=card.phase is Phase.INACTIVE)
        self._show_parts(collapsed=card.collapsed)
        self.set_height(self._height)

    def open_strip(self, step: Step) -> None:
        self.footer.hide()
        self.strip.open_for(step)

    def close_strip(self) -> None:
        self.strip.hide()
        self.footer.show()

    def set_height(self, height: int) -> None:
        """Say less where there is little room."""
        self._height = height
        self._crowded = height < self.least_height
        low = height < self._theme.pixels(_COMPACT_BELOW)
        self.header.set_compact(compact=low and height < self.natural_height(self.width()))
        self.body.set_crowded(crowded=self._crowded)
        self._show_tabs()

    @property
    def least_height(self) -> int:
        """The height at which every button is in sight and some of the question too."""
        card = self._view_model.card
        if card is None or card.collapsed:
            return self.natural_height(0)
        foot: QWidget = self.strip if self.confirming else self.footer
        parts = [self.header.least_height, foot.sizeHint().height()]
        if card.review_step > 0:
            parts.append(self.tabs.sizeHint().height())
        margins = self._column.contentsMargins()
        around = margins.top() + margins.bottom() + _BORDER + len(parts) * self._column.spacing()
        return sum(parts) + self.body.least_height + around

    def natural_height(self, width: int) -> int:
        """The height at which nothing needs to scroll."""
        card = self._view_model.card
        if card is None or card.collapsed:
            return self._theme.pixels(_BAR) + _BORDER
        margins = self._column.contentsMargins()
        inside = width - margins.left() - margins.right() - _BORDER
        parts = [part for part in (self.tabs, self.footer, self.strip) if not part.isHidden()]
        height = sum(_height(part, inside) for part in parts) + self.header.full_height(inside)
        height += margins.top() + margins.bottom() + _BORDER
        return height + self.body.natural_height(inside) + (len(parts) + 1) * self._column.spacing()

    def _show_tabs(self) -> None:
        """Where not even they fit, Back and Next still go from question to question."""
        card = self._view_model.card
        shown = card is not None and not card.collapsed and card.review_step > 0
        self.tabs.setVisible(shown and not self._crowded)

    def _show_parts(self, *, collapsed: bool) -> None:
        px = self._theme.pixels
        margins = (0, 0, 0, 0) if collapsed else (px(16), px(12), px(16), px(12))
        self._column.setContentsMargins(*margins)
        self.bar.setVisible(collapsed)
        self.header.setVisible(not collapsed)
        self._show_tabs()
        self.body.setVisible(not collapsed)
        self.footer.setVisible(not collapsed and not self.confirming)

    def _show_closed(self, *, closed: bool) -> None:
        """Amber is for what needs the human; a question that is closed does not."""
        if bool(self.property("closed")) is not closed:
            self.setProperty("closed", closed)
            self.style().unpolish(self)
            self.style().polish(self)

    def _restyle(self) -> None:
        self.setMaximumWidth(self._theme.pixels(MAX_WIDTH))
        self._column.setSpacing(self._theme.pixels(8))


def _height(part: QWidget, width: int) -> int:
    tall = part.heightForWidth(width) if part.hasHeightForWidth() else -1
    return max(tall, part.sizeHint().height())
