"""A scripted model for real agents, on loopback: `scripted_steps` says what it does.

It speaks OpenAI's chat completions (OpenCode) and responses (Codex), Anthropic's messages (Claude)
and Gemini's generateContent, streaming.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route

from tests.helpers.ports import free_port
from tests.helpers.scripted_anthropic import count_tokens, messages
from tests.helpers.scripted_gemini import generate
from tests.helpers.scripted_openai import chat, models, responses


@contextmanager
def scripted_model() -> Iterator[str]:
    """Serve the model; yields its base URL for OpenAI's clients, which ends in `/v1`."""
    routes = [
        Route("/v1/chat/completions", chat, methods=["POST"]),
        Route("/v1/responses", responses, methods=["POST"]),
        Route("/v1/models", models),
        Route("/v1/messages", messages, methods=["POST"]),
        Route("/v1/messages/count_tokens", count_tokens, methods=["POST"]),
        Route("/v1beta/models/{call}", generate, methods=["POST"]),
    ]
    port = free_port()
    config = uvicorn.Config(
        Starlette(routes=routes), host="127.0.0.1", port=port, log_level="critical"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.should_exit = True
        thread.join(10)
