"""Tickets: how an agent collects an answer after its call is gone (clarification.md, Ticket)."""

import base64
import hashlib
import hmac

from backend.ids import PendingId, Ticket

_TICKET_BYTES = 16


class TicketBook:
    """Issues the one ticket of a bundle.

    A ticket is 128 bits of a keyed digest, so that a restarted desk can name the ticket of an open
    call again although the store holds only its hash.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def ticket(self, pending_id: PendingId) -> Ticket:
        digest = hmac.new(self._key, pending_id.encode(), hashlib.sha256).digest()
        text = base64.urlsafe_b64encode(digest[:_TICKET_BYTES]).rstrip(b"=").decode()
        return Ticket(text)
