"""The window's language: catalogs compiled, installed and exchanged while it runs.

`python -m app.language compile` makes the .qm files of a checkout, `update` brings new texts
of the sources into the catalogs.
"""

import subprocess
import sys
from pathlib import Path
from typing import Final

import PySide6
from PySide6.QtCore import (
    QLibraryInfo,
    QLocale,
    QObject,
    QStandardPaths,
    Qt,
    QTranslator,
    Signal,
)
from PySide6.QtWidgets import QApplication

from app.pseudo_locale import PSEUDO, write_pseudo_catalog
from app.resources import checkout_build_folder, resource_folder

SOURCE: Final = "en"
_QT_CATALOG: Final = "qtbase"


class Language(QObject):
    """The translators in force; `changed` after another language is installed."""

    changed = Signal()

    def __init__(self, application: QApplication, wanted: str | None = None) -> None:
        super().__init__(application)
        self._application = application
        self._translators: list[QTranslator] = []
        self._name = SOURCE
        self.use(wanted)

    @property
    def name(self) -> str:
        """The locale in force, such as `en` or `zh_CN`."""
        return self._name

    def use(self, wanted: str | None) -> None:
        """Speak `wanted`, or what the system speaks; English where there is no catalog."""
        name = best_match(wanted, available())
        for translator in self._translators:
            self._application.removeTranslator(translator)
        self._translators = [
            translator
            for translator in (self._qt_catalog(name), self._own_catalog(name))
            if translator is not None
        ]
        for translator in self._translators:
            self._application.installTranslator(translator)
        self._name = name
        # By its name alone a locale loses what the system's owner has set otherwise.
        own = QLocale.system() if not wanted else QLocale(wanted)
        locale = own if name == SOURCE else QLocale(name)
        QLocale.setDefault(locale if name != PSEUDO else QLocale("en_US"))
        self._application.setLayoutDirection(_direction(name))
        self.changed.emit()

    def _own_catalog(self, name: str) -> QTranslator | None:
        path = compiled_catalog(name)
        translator = QTranslator(self)
        if path is not None and translator.load(str(path)):
            return translator
        return None

    def _qt_catalog(self, name: str) -> QTranslator | None:
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        translator = QTranslator(self)
        if name != SOURCE and translator.load(f"{_QT_CATALOG}_{name}", folder):
            return translator
        return None


def available() -> tuple[str, ...]:
    """The locales there are catalogs for, English first."""
    names = sorted(path.stem.removeprefix("kandesk_") for path in _sources())
    return (SOURCE, *(name for name in names if name != SOURCE))


def best_match(wanted: str | None, names: tuple[str, ...]) -> str:
    """The catalog for a locale name; the system's languages in their order when none is named."""
    if wanted == PSEUDO:
        return PSEUDO
    candidates = [wanted] if wanted else QLocale.system().uiLanguages()
    for candidate in candidates:
        locale = QLocale(candidate.replace("-", "_"))
        for name in (locale.name(), QLocale.languageToCode(locale.language())):
            if name in names:
                return name
    return SOURCE


def native_name(name: str) -> str:
    """What a language is called in itself."""
    locale = QLocale(name)
    words = locale.nativeLanguageName()
    if "_" in name and locale.nativeTerritoryName():
        words = f"{words} ({locale.nativeTerritoryName()})"
    return words[:1].upper() + words[1:]


def compiled_catalog(name: str) -> Path | None:
    """The .qm file of a locale, compiled now if a checkout lacks it or has an older one."""
    packaged = resource_folder("i18n") / f"kandesk_{name}.qm"
    if packaged.is_file():
        return packaged
    source = resource_folder("i18n") / f"kandesk_{SOURCE if name == PSEUDO else name}.ts"
    if not source.is_file():
        return None
    target = compiled_folder() / f"kandesk_{name}.qm"
    if not target.is_file() or target.stat().st_mtime < source.stat().st_mtime:
        _compile(name, source, target)
    return target if target.is_file() else None


def compiled_folder() -> Path:
    """The build folder of a checkout; the user's cache for an installed program."""
    build = checkout_build_folder()
    if build is not None:
        return build / "i18n"
    cache = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericCacheLocation)
    return Path(cache) / "kandesk" / "i18n"


def compile_all() -> list[Path]:
    """Compile every catalog and the pseudo-locale; the files that were made."""
    made = (compiled_catalog(name) for name in (*available(), PSEUDO))
    return [path for path in made if path is not None]


def update_catalogs(catalogs: list[Path] | None = None) -> None:
    """Bring the texts of the sources into `catalogs`, by default those of the project."""
    program = Path(__file__).resolve().parent
    sources = sorted(str(path) for path in program.rglob("*.py"))
    wanted = catalogs or _sources()
    for catalog in wanted:
        _run_tool("lupdate", *sources, "-ts", str(catalog), "-locations", "none", "-no-obsolete")


def _compile(name: str, source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if name == PSEUDO:
        source = write_pseudo_catalog(source, target.with_suffix(".ts"))
    _run_tool("lrelease", str(source), "-qm", str(target), "-silent")


def _run_tool(name: str, *arguments: str) -> None:
    suffix = ".exe" if sys.platform == "win32" else ""
    tool = Path(PySide6.__file__).parent / f"{name}{suffix}"
    if not tool.is_file():
        return
    subprocess.run([str(tool), *arguments], check=True, stdout=subprocess.DEVNULL)  # noqa: S603


def _sources() -> list[Path]:
    return sorted(resource_folder("i18n").glob("kandesk_*.ts"))


def _direction(name: str) -> Qt.LayoutDirection:
    return QLocale(name).textDirection()


def main(arguments: list[str]) -> int:
    if arguments == ["compile"]:
        for path in compile_all():
            sys.stdout.write(f"{path}\n")
        return 0
    if arguments == ["update"]:
        update_catalogs()
        return 0
    sys.stderr.write("usage: python -m app.language compile | update\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
