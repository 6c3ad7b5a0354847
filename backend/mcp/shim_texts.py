"""What the shim itself tells an agent while the desk cannot speak. English, read by models."""

STARTING = "Kandesk is starting"
AWAY = "Kandesk is away; the question is kept and the call goes on when it is back"
AWAY_UNHEARD = "Kandesk is away; the call goes on when it is back"
GAVE_UP = (
    "Kandesk could not be reached in the time this client waits for a tool. "
    "Nothing was answered. Call the tool again."
)
NO_DESK = (
    "Kandesk is not running and this connection may not start it (--no-start). "
    "Ask the human to open Kandesk, or to run `kandesk serve`, then call the tool again."
)
QUIT = (
    "The human has closed Kandesk, so it is not started again by this connection. "
    "Ask in the conversation instead, or ask the human to open Kandesk and call the tool again."
)
START_FAILED = "Kandesk could not be started: {reason}"
REFUSED = (
    "Kandesk refused this connection ({reason}). "
    "Ask the human to restart the agent, or to run `kandesk connect` for it again."
)
TOO_LARGE = "the arguments are too large: {size} bytes, the limit is {limit}"
SURROGATE = "params hold a lone surrogate, which no UTF-8 text can carry"
TOO_LONG = "the line is longer than {limit} bytes and was not read"
ID_IN_USE = "a request with this id is still open"
TOO_MANY = "{limit} calls are open on this connection; finish some first"
NO_METHOD = "no such method: {method}"
NO_NAME = "params.name must be the name of a tool"
BAD_VERSION = "Unsupported protocol version"
