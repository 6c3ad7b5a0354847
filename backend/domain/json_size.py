"""About how large a value of JSON is."""


def json_size(value: object) -> int:
    """About how many characters a value of JSON takes."""
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, dict):
        return sum(len(name) + 4 + json_size(part) for name, part in value.items())
    if isinstance(value, list | tuple):
        return 2 + sum(1 + json_size(part) for part in value)
    return 8
