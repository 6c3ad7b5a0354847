"""How this desk starts each agent it knows: data, not code.

The words are those of the agents' own documentation; those of Claude Code, Codex, OpenCode, Gemini
CLI and Qwen Code were run.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class HostedAgent:
    """An agent that speaks ACP; the first of `commands` whose program is found is started."""

    key: str
    name: str
    commands: tuple[tuple[str, ...], ...]
    install_hint: str


HOSTED_AGENTS: Final[tuple[HostedAgent, ...]] = (
    HostedAgent(
        "claude-code",
        "Claude Code",
        (("claude-agent-acp",), ("claude-code-acp",)),
        "npm install -g @agentclientprotocol/claude-agent-acp",
    ),
    HostedAgent(
        "codex", "Codex", (("codex-acp",),), "npm install -g @agentclientprotocol/codex-acp"
    ),
    HostedAgent("opencode", "OpenCode", (("opencode", "acp"),), "npm install -g opencode-ai"),
    HostedAgent(
        "gemini", "Gemini CLI", (("gemini", "--acp"),), "npm install -g @google/gemini-cli"
    ),
    HostedAgent("qwen", "Qwen Code", (("qwen", "--acp"),), "npm install -g @qwen-code/qwen-code"),
    HostedAgent(
        "copilot", "GitHub Copilot", (("copilot", "--acp"),), "npm install -g @github/copilot"
    ),
    HostedAgent("goose", "Goose", (("goose", "acp"),), "brew install block-goose-cli"),
    HostedAgent("kimi", "Kimi", (("kimi", "acp"),), "uv tool install --python 3.13 kimi-cli"),
    HostedAgent(
        "cursor",
        "Cursor",
        (("cursor-agent", "acp"),),
        "curl https://cursor.com/install -fsS | bash",
    ),
    HostedAgent("amp", "Amp", (("amp-acp",),), "npm install -g amp-acp"),
    HostedAgent("auggie", "Auggie", (("auggie", "--acp"),), "npm install -g @augmentcode/auggie"),
)
