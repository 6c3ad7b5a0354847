#!/usr/bin/env bash
# Makes a checkout ready to run: system libraries, uv, .venv from the pinned requirements, the
# project itself (editable) and its translations. Under a second when nothing has changed.
#   setup.sh           what running needs
#   setup.sh --tests   also what the tests need (Xvfb, accessibility, fonts)
set -euo pipefail
cd "$(dirname "$0")/../.."

run_packages=(python3 python3-venv ca-certificates libegl1 libgl1 libxkbcommon0 libxkbcommon-x11-0
  libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-image0 libxcb-render-util0 libxcb-shape0
  libxcb-xinerama0 libwayland-cursor0 libdbus-1-3 libfontconfig1 libglib2.0-0 fonts-dejavu-core)
test_packages=(git xvfb openbox xdotool dbus dbus-x11 at-spi2-core python3-pyatspi gir1.2-atspi-2.0
  fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji procps postgresql)

say() { printf 'setup: %s\n' "$*" >&2; }

fingerprint() {
  cat packaging/dev/setup.sh packaging/requirements/dev.lock pyproject.toml \
    i18n/*.ts 2>/dev/null | sha256sum | cut -c1-64
  printf '%s\n' "$PWD"
}

installed() { [ "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" = "install ok installed" ]; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
    say "these packages are missing and there is no sudo to install them: ${missing[*]}"; exit 1
  fi
}

install_packages() {
  command -v dpkg-query >/dev/null || { say "not a Debian system: install what Qt 6 needs yourself"; return; }
  missing=()
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} = 0 ] && return
  say "installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

find_uv() {
  if command -v uv >/dev/null; then uv=$(command -v uv); return; fi
  local tools="${XDG_CACHE_HOME:-$HOME/.cache}/kandesk/tools"
  if [ ! -x "$tools/bin/uv" ]; then
    say "installing uv"
    python3 -m venv "$tools"
    "$tools/bin/python" -m pip install -q --disable-pip-version-check 'uv>=0.9,<1'
  fi
  uv="$tools/bin/uv"
}

want="run"
[ "${1:-}" = "--tests" ] && want="tests"
stamp=".venv/setup-$want.stamp"
now=$(fingerprint)
[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$now" ] && exit 0

install_packages "${run_packages[@]}"
if [ "$want" = "tests" ]; then
  install_packages "${test_packages[@]}"
  # pyright is a Node program.
  command -v node >/dev/null || install_packages nodejs
fi
find_uv
export UV_NO_CONFIG=1 UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy
if ! .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  "$uv" venv -q --clear --python '>=3.11,<3.14' .venv
fi
say "installing Python packages"
"$uv" pip sync -q --python .venv/bin/python --require-hashes packaging/requirements/dev.lock
"$uv" pip install -q --python .venv/bin/python --no-deps --no-build-isolation -e .
[ -f app/language.py ] && .venv/bin/python -m app.language compile >/dev/null
printf '%s\n' "$now" > "$stamp"
[ "$want" = "tests" ] && cp "$stamp" .venv/setup-run.stamp
say "ready"
