"""Upper bounds on what can be entered, the same by hand and by file."""

from typing import Final

MAX_DEALS: Final = 10_000
"""In a session, misdeals included."""
MAX_EVENTS: Final = 20_000
"""In a session file: deals, buy-ins and whatever else happened."""
MAX_CHIPS: Final = 1_000_000
"""Of one player in one buy-in, cash-out, adjustment or opening sheet."""
MAX_PLAYERS: Final = 60
"""In a group."""
MAX_LINKS: Final = 50
"""Of a group, in force at a time."""
MAX_COLOURS: Final = 8
"""Of a chip set."""
MAX_PIECES: Final = 10_000
"""Of one colour."""
MAX_ARCHIVE: Final = 16 * 1024 * 1024
"""Bytes of a request that brings in the archive of a group."""
MAX_ROWS: Final = 128 * 1024 * 1024
"""Characters of all its rows, unpacked: about 250,000 deals."""
MAX_LINE: Final = 1024 * 1024
"""Characters of one of them."""
MAX_FILES: Final = 20_000
"""In it, each the file of a session."""
