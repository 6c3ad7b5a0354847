"""The option that names the store of one run, where it is on a server."""

import argparse

from backend.errors import InvalidInput
from backend.store.store_location import check_address


def add_database_option(parser: argparse.ArgumentParser, *, text: str) -> None:
    """Its value is an address without a password, or None; anything else is wrong usage."""
    parser.add_argument("--database", metavar="URL", type=_address, help=text)


def _address(written: str) -> str:
    try:
        return check_address(written, source="--database")
    except InvalidInput as error:
        # argparse says which option it is; neither of the two repeats the value.
        raise argparse.ArgumentTypeError(str(error.params["reason"])) from None
