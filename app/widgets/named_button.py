"""A push button as every row of buttons has it."""

from PySide6.QtWidgets import QPushButton


def named_button(name: str, role: str = "") -> QPushButton:
    """One that no Enter presses from elsewhere; `name` is a contract (window.md)."""
    button = QPushButton()
    button.setObjectName(name)
    button.setAutoDefault(False)
    if role:
        button.setProperty("role", role)
    return button
