#!/usr/bin/env bash
# Sets the checkout up if needed and runs every check and test.
#   test.sh            all checks, and all tests but those that kill, load or starve the program
#   test.sh ARGS...    only pytest, with these arguments; the others, in their short form, with
#                      -m '(crash or load or faults) and not peers and not bench'
# KANDESK_LONG=1 runs them in their long form.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/setup.sh" --tests
cd "$here/../.."
export PATH="$PWD/.venv/bin:$PATH"
export QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}"
unset KANDESK_HOME
# The tests start the program a thousand times; without bytecode each start compiles all of it.
unset PYTHONDONTWRITEBYTECODE

if [ $# -gt 0 ]; then exec pytest "$@"; fi

# Thousands of stores are made and removed again: in memory where there is enough of it.
folder=/tmp
memory=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1) || memory=0
if [ "${memory:-0}" -ge 4194304 ]; then folder=/dev/shm; fi
folder=$(mktemp -d "$folder/kandesk-tests-XXXXXX")
trap 'rm -rf "$folder"' EXIT

step() { printf '\n== %s\n' "$*"; "$@"; }
step ruff check .
step ruff format --check .
step lint-imports
# Each takes one core for a minute; what the first prints waits for its turn.
pyright_output="$folder/pyright"
pyright >"$pyright_output" 2>&1 &
pyright_process=$!
step mypy
printf '\n== pyright\n'
pyright_result=0
wait "$pyright_process" || pyright_result=$?
cat "$pyright_output"
[ "$pyright_result" -eq 0 ] || exit "$pyright_result"
step pytest -n 3 --dist worksteal --basetemp="$folder/tests" -o tmp_path_retention_policy=failed \
  -m "not peers and not bench and not crash and not load and not faults"
