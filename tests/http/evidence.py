"""What pages show and what the database holds, for tests that compare."""

from collections.abc import Sequence

from bs4 import Tag
from sqlalchemy import Connection, select
from sqlalchemy.orm import Session

from scorekeeper.models import Base
from tests.http.visitor import Page

Dump = dict[str, list[tuple[object, ...]]]


def dump(db: Session) -> Dump:
    """Every row of every table, as it stands now."""
    db.rollback()
    return dump_of(db.connection())


def dump_of(connection: Connection) -> Dump:
    return {
        name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
        for name, table in Base.metadata.tables.items()
    }


def chips_of(page: Page, name: str) -> list[str]:
    """What the chips page says of a player: bought, won or lost, cashed out, in hand."""
    cells = page.soup.select(".sheet th[scope=rowgroup]")
    body = next(cell for cell in cells if cell.get_text(" ", strip=True) == name).find_parent("tbody")
    assert isinstance(body, Tag)
    return [cell.get_text(strip=True) for cell in body.select("td .change")]


def standings_of(page: Page, heading: str = "Standings") -> list[list[str]]:
    """The table under *heading*: place, name and total of each row."""
    table = under(page, heading)[0].select_one("table")
    assert table is not None
    return [[cell.get_text(strip=True) for cell in row.select("td, th")] for row in table.select("tbody tr")]


def under(page: Page, heading: str) -> Sequence[Tag]:
    """The sections of *page* under a heading, none if there is no such heading."""
    return [section for section in page.soup.select("section") if heading == _heading(section)]


def payments_of(page: Page) -> list[tuple[str, bool]]:
    """Every payment of the settlement, and whether it is paid."""
    return [
        (item.p.get_text(strip=True), "paid" in (item.get("class") or []))
        for item in page.soup.select(".transfers > li")
        if item.p is not None
    ]


def sums_of(page: Page) -> dict[str, list[str]]:
    """How each player's settlement adds up: the amounts of the lines, then what they come to."""
    return {
        str(details.summary.bdi.get_text()): [cell.get_text(strip=True) for cell in details.select("td")]
        for details in page.soup.select("details")
        if details.summary is not None and details.summary.bdi is not None
    }


def number_of(text: str) -> int:
    """A number as a page writes it."""
    return int(text.replace("\N{MINUS SIGN}", "-").replace(",", "").replace("+", ""))


def _heading(section: Tag) -> str:
    return " ".join(section.h2.get_text(" ").split()) if section.h2 else ""
