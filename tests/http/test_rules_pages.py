"""The rules pages: what they say is what the scoring does."""

import pytest
from bs4 import Tag
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import Player
from scorekeeper.rules import RULESETS, Payoff, ruleset
from scorekeeper.services.groups import rename_player
from tests.factories import make_session
from tests.http.conftest import Host
from tests.http.visitor import Page, Visitor


def payments(page: Page) -> dict[str, list[list[str]]]:
    """The lines of every contract or role, by its heading."""
    found: dict[str, list[list[str]]] = {}
    for body in page.soup.select("table.payoffs tbody"):
        heading, *rows = body.select("tr")
        found[_text(heading)] = [[_text(cell) for cell in row.select("th, td")] for row in rows]
    return found


def _text(element: Tag) -> str:
    return " ".join(element.get_text(" ").split())


def _shown(row: Payoff) -> list[str]:
    amounts = set(row.change.values())
    return ["wins at once"] if row.wins else [f"{amount:+}".replace("-", "−") if amount else "0" for amount in amounts]


def test_every_ruleset_has_its_page_without_a_link(visitor: Visitor) -> None:
    index = visitor.get("/rules")
    assert [link["href"] for link in index.soup.select("a.entry")] == [f"/rules/{one}" for one in RULESETS]
    for one in RULESETS:
        assert visitor.get(f"/rules/{one}").status == 200


@pytest.mark.parametrize("ruleset_id", RULESETS)
def test_every_payoff_stands_on_the_page(visitor: Visitor, ruleset_id: str) -> None:
    game, rules = ruleset(ruleset_id)
    payoffs = game.payoffs(rules)
    lines = [line for block in payments(visitor.get(f"/rules/{ruleset_id}")).values() for line in block]
    assert len(lines) == len(payoffs)
    for row, line in zip(payoffs, lines, strict=True):
        assert line[0].startswith(str(row.low) if row.low == row.high else f"{row.low}–{row.high}")
        assert set(_shown(row)) <= set(line[1:])


def test_half_and_five_pay_what_they_pay(visitor: Visitor) -> None:
    found = payments(visitor.get("/rules/mensch"))
    assert found["Half in clubs"] == [
        ["0–4 Set", "−2", "−2", "+2"],
        ["5–7 Made", "+1", "+1", "−1"],
        ["8 Made", "+2", "+2", "−2"],
    ]
    assert found["Five in another suit"] == [
        ["0–4 Set", "−3", "–", "+1"],
        ["5–7 Made", "+3", "–", "−1"],
        ["8 Made", "+6", "–", "−2"],
    ]


def test_dirty_clubs_counts_down(visitor: Visitor) -> None:
    assert payments(visitor.get("/rules/dirty-clubs")) == {
        "Maker": [["0–2 Set", "+5"], ["3 Made", "−3"], ["4 Made", "−4"], ["5 Made", "wins at once"]],
        "Every other player": [
            ["0 Set", "+5"],
            ["1", "−1"],
            ["2", "−2"],
            ["3", "−3"],
            ["4", "−4"],
            ["5", "wins at once"],
        ],
    }


def test_the_printed_rates_come_with_their_notice(visitor: Visitor) -> None:
    assert "they look swapped" in visitor.get("/rules/mensch-russian-printed").text
    assert "they look swapped" not in visitor.get("/rules/mensch").text


def test_what_has_no_say_is_left_out(visitor: Visitor) -> None:
    assert "Lowest bid" in visitor.get("/rules/buck-euchre-bid").text
    assert "Tricks the maker owes" not in visitor.get("/rules/buck-euchre-bid").text
    assert "Lowest bid" not in visitor.get("/rules/dirty-clubs").text


def test_a_session_shows_its_own_rules(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, house_rules={"half.clubs_set": 3})
    page = host.get(f"/sessions/{session.id}/rules")
    assert "Half: set in clubs: 3 (otherwise: 2)" in page.text
    assert payments(page)["Half in clubs"][0] == ["0–4 Set", "−3", "−3", "+3"]


def test_the_rules_of_a_session_follow_it_like_its_other_pages(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    page = host.get(f"/sessions/{session.id}/rules")
    assert page.soup.select(f"[data-live='/sessions/{session.id}/live']")
    assert page.soup.select("[data-part] h1")
    known = {"If-None-Match": page.response.headers["ETag"]}
    assert host.get(page.path, headers=known).status == 304
    player = db.scalars(select(Player.id).where(Player.group_id == host.group.group_id)).first()
    assert player is not None

    rename_player(db, host.group.group_id, player, "Annabel")

    assert host.get(page.path, headers=known).status == 200
    assert not host.get("/rules/mensch").soup.select("[data-live], [data-part]")


@pytest.mark.parametrize("page", ["rules", "chart"])
def test_a_message_is_not_part_of_what_a_browser_keeps_of_a_page(host: Host, db: Session, page: str) -> None:
    session = make_session(db, group=host.group)
    with host.client.session_transaction() as cookie:
        cookie["_flashes"] = [("done", "The cost was noted.")]

    shown = host.get(f"/sessions/{session.id}/{page}")

    assert "The cost was noted." in shown.text
    assert "ETag" not in shown.response.headers


def test_a_session_without_house_rules_says_so(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    assert "None: everything stands as published." in host.get(f"/sessions/{session.id}/rules").text


def test_a_stake_is_shown_where_there_is_one(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs", house_rules={"stake_loser": 7})
    assert "Chips each loser pays 7" in host.get(f"/sessions/{session.id}/rules").text
    assert "Played for the points alone." in host.get("/rules/dirty-clubs").text


def test_fixed_partners_are_paid_by_their_own_table(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, house_rules={"partnership": "fixed"})
    assert payments(host.get(f"/sessions/{session.id}/rules"))["Five in another suit"][1] == [
        "5–7 Made",
        "+2",
        "0",
        "−1",
    ]


def test_a_stranger_does_not_see_the_rules_of_a_session(host: Host, stranger: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    assert stranger.get(f"/sessions/{session.id}/rules").status == 404


@pytest.mark.parametrize("ruleset_id", ["poker", "%00", "x" * 3000])
def test_rules_that_do_not_exist_are_no_page(visitor: Visitor, ruleset_id: str) -> None:
    assert visitor.get(f"/rules/{ruleset_id}").status == 404
