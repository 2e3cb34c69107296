"""Ids in addresses: whole numbers that every database can hold."""

from __future__ import annotations

from typing import Any

from werkzeug.routing import IntegerConverter, Map

MAX_ID = 2**31 - 1
MAX_SEAT = 99
"""The highest seat an address can name."""


class IdConverter(IntegerConverter):
    """``<id:...>`` in a route: from 1 to :data:`MAX_ID`. Any other address is no page."""

    regex = "[0-9]{1,10}"

    def __init__(self, url_map: Map, **options: Any) -> None:
        super().__init__(url_map, min=1, max=MAX_ID, **options)


def row_key(text: str) -> int:
    """The id or number after which an older page begins, as an address carries it.

    :raises ValueError: if *text* is none; ``request.args.get`` then takes its default.
    """
    key = int(text)
    if not 1 <= key <= MAX_ID:
        raise ValueError(text)
    return key
