"""Exports as released versions wrote them, each beside the numbers that its pages showed then."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.http.evidence import standings_of, sums_of
from tests.http.visitor import Visitor

FOLDER = Path(__file__).parent / "released"


def numbers_of(visitor: Visitor, session_id: object) -> dict[str, Any]:
    """The numbers that the pages of a session show, with the names beside them."""
    page = visitor.get(f"/sessions/{session_id}/settlement")
    heading = next(one for one in page.soup.select("h2")).get_text(" ", strip=True)
    return {
        "standings": standings_of(page, heading),
        "sums": sums_of(page),
        "payments": [
            [re.findall(r"\d[\d.,]*\d|\d", item.p.get_text()), "paid" in (item.get("class") or [])]
            for item in page.soup.select(".transfers > li")
            if item.p is not None
        ],
        "file": json.loads(visitor.get(f"/sessions/{session_id}/export").response.get_data()),
    }
