"""The window's look: colours and sizes by name, light and dark, changed while it runs."""

import tomllib
from dataclasses import dataclass, fields
from enum import StrEnum
from string import Template
from typing import Final

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontInfo, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QApplication

from app.resources import Icon, icon, pixmap, resource_folder

MIN_ZOOM: Final = 0.8
MAX_ZOOM: Final = 2.0
_STYLE_SHEETS: Final = ("kandesk.qss", "overlay.qss", "composer.qss")
_BORDERS: Final = 2
TOUCH_PIXELS: Final = 44
_BUTTON_PIXELS: Final = 34
_DESIGN_PIXELS = 13
"""Body text of the design; a system font that is larger enlarges everything in proportion."""


class Scheme(StrEnum):
    """What the human chose."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Colours:
    """One colour for each purpose, as `#rrggbb`."""

    surface: str
    side: str
    card: str
    hover: str
    selected: str
    hairline: str
    field: str
    field_border: str
    text: str
    text_muted: str
    text_disabled: str
    accent: str
    accent_hover: str
    accent_pressed: str
    accent_soft: str
    on_accent: str
    attention: str
    attention_soft: str
    attention_badge: str
    on_attention_badge: str
    danger: str
    danger_soft: str
    success: str
    user: str
    code: str
    code_border: str
    added_soft: str
    removed_soft: str
    scroll: str
    scroll_hover: str
    shadow: str


TEXT_ON: Final[tuple[tuple[str, str], ...]] = (
    *((text, ground) for text in ("text", "text_muted") for ground in ("surface", "side", "card")),
    *(("text", ground) for ground in ("hover", "selected", "user", "code", "field")),
    *(("text_muted", ground) for ground in ("hover", "selected", "user", "code", "field")),
    *(("accent", ground) for ground in ("surface", "side", "card", "accent_soft")),
    *(("on_accent", ground) for ground in ("accent", "accent_hover", "accent_pressed")),
    *(("attention", ground) for ground in ("surface", "side", "card", "attention_soft")),
    *(("danger", ground) for ground in ("surface", "side", "card", "danger_soft")),
    *(("success", ground) for ground in ("surface", "card")),
    *(("text", ground) for ground in ("attention_soft", "danger_soft", "accent_soft")),
    *(("text", ground) for ground in ("added_soft", "removed_soft")),
    ("on_attention_badge", "attention_badge"),
)
"""Which text colours stand on which grounds; each pair has a contrast of at least 4.5:1."""


def load_colours(name: str) -> Colours:
    """The colours of `resources/themes/<name>.toml`."""
    path = resource_folder("resources") / "themes" / f"{name}.toml"
    values = tomllib.loads(path.read_text(encoding="utf-8"))
    return Colours(**values)


class Theme(QObject):
    """The look in force; `changed` tells whoever paints by hand to paint again."""

    changed = Signal()

    def __init__(
        self, application: QApplication, scheme: Scheme = Scheme.SYSTEM, zoom: float = 1.0
    ) -> None:
        super().__init__(application)
        self._application = application
        self._scheme = scheme
        self._zoom = zoom
        self._scale = zoom
        self._system_font = QFont(application.font())
        folder = resource_folder("resources") / "themes"
        self._template = Template(
            "".join((folder / name).read_text(encoding="utf-8") for name in _STYLE_SHEETS)
        )
        self._colours = {dark: load_colours("dark" if dark else "light") for dark in (False, True)}
        self._palettes = {dark: _palette(colours) for dark, colours in self._colours.items()}
        application.setStyle("Fusion")
        application.styleHints().colorSchemeChanged.connect(self._follow_system)
        self._apply()

    @property
    def scheme(self) -> Scheme:
        return self._scheme

    @property
    def zoom(self) -> float:
        return self._zoom

    @property
    def dark(self) -> bool:
        if self._scheme is Scheme.SYSTEM:
            return self._application.styleHints().colorScheme() is Qt.ColorScheme.Dark
        return self._scheme is Scheme.DARK

    @property
    def colours(self) -> Colours:
        return self._colours[self.dark]

    @property
    def palette(self) -> QPalette:
        """The colours for whoever paints by hand; a widget's own palette is changed by QSS."""
        return QPalette(self._palettes[self.dark])

    def set_scheme(self, scheme: Scheme) -> None:
        if scheme is not self._scheme:
            self._scheme = scheme
            self._apply()

    def set_zoom(self, zoom: float) -> None:
        """Text and controls at `zoom` times their normal size, between 80 % and 200 %."""
        bounded = min(MAX_ZOOM, max(MIN_ZOOM, round(zoom, 2)))
        if bounded != self._zoom:
            self._zoom = bounded
            self._apply()

    def pixels(self, design: int) -> int:
        """A length of the design in logical pixels at this font size and zoom."""
        return round(design * self._scale)

    @property
    def touch_pixels(self) -> int:
        """Least width and height of a control for fingers: larger text does not need more."""
        return max(TOUCH_PIXELS, self.pixels(_BUTTON_PIXELS))

    def font(self, design: int = _DESIGN_PIXELS, *, semibold: bool = False) -> QFont:
        """The system's font at one of the four sizes of the design: 12, 13, 15 and 20."""
        font = QFont(self._system_font)
        font.setPixelSize(self.pixels(design))
        if semibold:
            font.setWeight(QFont.Weight.DemiBold)
        return font

    def fixed_font(self, design: int = 12) -> QFont:
        font = QFont()
        font.setFamilies(
            ["SF Mono", "Cascadia Mono", "JetBrains Mono", "Noto Sans Mono", "DejaVu Sans Mono"]
        )
        font.setStyleHint(QFont.StyleHint.Monospace)
        font.setPixelSize(self.pixels(design))
        return font

    def icon(self, which: Icon, colour: str = "text_muted") -> QIcon:
        """`which` in one of this theme's colours."""
        colours = self.colours
        return icon(which, getattr(colours, colour), disabled=colours.text_disabled)

    def button_icon(self, which: Icon, colour: str = "text") -> QIcon:
        """`which` with a little room after it, for a button that has a text too."""
        colours = self.colours
        side, room = self.pixels(16), self.pixels(6)
        result = QIcon()
        for mode, value in (
            (QIcon.Mode.Normal, getattr(colours, colour)),
            (QIcon.Mode.Disabled, colours.text_disabled),
        ):
            for ratio in (1, 2):
                picture = QPixmap((side + room) * ratio, side * ratio)
                picture.fill(Qt.GlobalColor.transparent)
                painter = QPainter(picture)
                start = room * ratio if self._right_to_left else 0
                painter.drawPixmap(start, 0, pixmap(which, value, side * ratio))
                painter.end()
                picture.setDevicePixelRatio(ratio)
                result.addPixmap(picture, mode)
        return result

    @property
    def button_icon_size(self) -> QSize:
        return QSize(self.pixels(22), self.pixels(16))

    def icon_size(self, design: int = 18) -> QSize:
        return QSize(self.pixels(design), self.pixels(design))

    @property
    def _right_to_left(self) -> bool:
        return self._application.layoutDirection() is Qt.LayoutDirection.RightToLeft

    def _follow_system(self) -> None:
        if self._scheme is Scheme.SYSTEM:
            self._apply()

    def _apply(self) -> None:
        system = QFontInfo(self._system_font).pixelSize()
        self._scale = max(1.0, system / _DESIGN_PIXELS) * self._zoom
        self._application.setFont(self.font())
        self._application.setPalette(self.palette)
        self._application.setStyleSheet(self._style_sheet())
        self.changed.emit()

    def _style_sheet(self) -> str:
        colours = {field.name: getattr(self.colours, field.name) for field in fields(Colours)}
        lengths = {f"px{length}": f"{self.pixels(length)}px" for length in range(1, 65)}
        halves = {f"half{length}": f"{self.pixels(length) // 2}px" for length in (18, 32)}
        touch = f"{self.touch_pixels - _BORDERS}px"
        return self._template.substitute(colours, **lengths, **halves, touch=touch)


def _palette(colours: Colours) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for which, value in {
        role.Window: colours.surface,
        role.WindowText: colours.text,
        role.Base: colours.field,
        role.AlternateBase: colours.code,
        role.Text: colours.text,
        role.PlaceholderText: colours.text_muted,
        role.Button: colours.card,
        role.ButtonText: colours.text,
        role.BrightText: colours.danger,
        role.Highlight: colours.accent,
        role.HighlightedText: colours.on_accent,
        role.Link: colours.accent,
        role.LinkVisited: colours.accent,
        role.ToolTipBase: colours.card,
        role.ToolTipText: colours.text,
        role.Mid: colours.hairline,
        role.Accent: colours.accent,
    }.items():
        palette.setColor(which, QColor(value))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(colours.text_disabled))
    return palette
