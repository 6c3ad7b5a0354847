"""What every test relies on: no screen, and none of the developer's own settings."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.pop("KANDESK_HOME", None)
