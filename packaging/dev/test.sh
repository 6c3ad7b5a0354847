#!/usr/bin/env bash
# Sets the checkout up if needed and runs every check and test.
#   test.sh               all checks, all tests (crash and load runs in their short form)
#   test.sh ARGS...       only pytest, with these arguments
# KANDESK_LONG=1 runs crash and load tests in their long form.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/setup.sh" --tests
cd "$here/../.."
export PATH="$PWD/.venv/bin:$PATH"
export QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}"
unset KANDESK_HOME

if [ $# -gt 0 ]; then exec pytest "$@"; fi

step() { printf '\n== %s\n' "$*"; "$@"; }
step ruff check .
step ruff format --check .
step lint-imports
step mypy
step pyright
step pytest -n 3 --dist worksteal -m 'not peers and not bench'
