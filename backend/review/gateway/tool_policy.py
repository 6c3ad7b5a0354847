"""What the human has said of a downstream tool, read in the transaction that decides its call."""

from backend.domain.gateway_tools import SEPARATOR, policy_of
from backend.domain.policy import CallFacts, PolicyDecision
from backend.store import gateway_rows
from backend.store.database import Transaction


async def tool_policy(tx: Transaction, facts: CallFacts) -> PolicyDecision:
    """A tool nobody spoke of asks, and so does one that is defined otherwise than was seen."""
    if facts.server_id is None:
        return PolicyDecision.ASK
    name = facts.tool_name.partition(SEPARATOR)[2]
    said = await gateway_rows.find_said(tx, facts.server_id, name)
    if said is None:
        return PolicyDecision.ASK
    policy = policy_of(said.said, said.definition_digest, facts.risk)
    if policy is PolicyDecision.ALLOW and said.definition_digest != facts.definition_digest:
        return PolicyDecision.ASK
    return policy
