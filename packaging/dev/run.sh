#!/usr/bin/env bash
# Sets the checkout up if needed and starts Kandesk:
#   run.sh                             the window
#   run.sh demo                        the window on a throw-away store with a demo agent
#   run.sh demo --screenshot FILE      draws it, writes FILE and exits; needs no display
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/setup.sh"
exec "$here/../../.venv/bin/kandesk" "$@"
