"""What the gateway needs of one home: how servers are started, and where shims find their tools."""

from backend.agents.downstream_process import ServerProcesses
from backend.agents.started_processes import StartedProcesses
from backend.keyring_secrets import SystemKeyring
from backend.mcp.gateway_texts import listing
from backend.mcp.listing_file import ListingFile
from backend.paths import Home
from backend.review.gateway.gateway import Gateway
from backend.review.gateway.ports import GatewayMeans


def gateway_means(home: Home) -> GatewayMeans:
    notes = StartedProcesses(home.started_processes)
    return GatewayMeans(start=ServerProcesses(notes), secrets=SystemKeyring())


def list_for_shims(home: Home, gateway: Gateway | None) -> None:
    """Keep the file of other servers' tools true for as long as the desk runs."""
    if gateway is None:
        return
    servers, file = gateway.servers, ListingFile(home.agent_tools)
    servers.on_listing_changed(lambda: file.write(listing(servers.list())))
