"""The password of a database server, where libpq itself finds none."""

import logging
from typing import Final

SERVICE: Final = "kandesk"

_log = logging.getLogger(__name__)


def password_from_keyring(address: str) -> str | None:
    """The password kept for `address` under the service `kandesk`; None when there is none.

    A desktop without a keyring, or one that stays locked, has none. May wait for a human who is
    asked to unlock it: call it on a thread that may block.
    """
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return None
    try:
        return keyring.get_password(SERVICE, address)
    except KeyringError as error:
        _log.info("the keyring has no password for the store: %s", error)
        return None
