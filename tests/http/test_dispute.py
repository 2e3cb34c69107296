"""A deal that people do not agree about: it counts, and every page that adds up says what it would be without it."""

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from scorekeeper.models import Deal
from scorekeeper.queries import DEALS_SHOWN
from scorekeeper.services.check import differences
from scorekeeper.services.deals import DisputeDeal, VoidDeal, dispute_deal, start_next_game, void_deal
from scorekeeper.services.sessions import close_session
from scorekeeper.services.transaction import StaleSession
from scorekeeper.sessionfile import Chip
from tests.factories import CLUB_TURNED, FIVE_IN_SPADES_MADE, HALF_MADE, MadeSession, make_deal, make_session
from tests.http.conftest import Host
from tests.http.evidence import dump, under
from tests.http.test_carry_over import take
from tests.http.test_settle import part
from tests.http.visitor import Page


def dispute(page: Page, button: str = "Disputed") -> Page:
    return page.form("/deals/1/restore").submit(button)


def stands(page: Page, heading: str = "Deal 1 is disputed") -> list[list[str]]:
    """The table under *heading*: each player with it and without it."""
    (section,) = under(page, heading)
    return [[cell.get_text(strip=True) for cell in row.select("th, td")] for row in section.select("tbody tr")]


@pytest.fixture
def played(host: Host, db: Session) -> MadeSession:
    """Two deals: Ann and Cleo won a Half, then Ben a Five in spades."""
    session = make_session(db, group=host.group)
    make_deal(db, session, HALF_MADE)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    return session


def test_a_disputed_deal_counts_and_shows_what_would_be_without_it(
    host: Host, db: Session, played: MadeSession
) -> None:
    page = dispute(host.get(f"/sessions/{played.id}/deals/1"))

    with_it = {row[0]: row[1] for row in stands(page)}
    without = {row[0]: row[2] for row in stands(page)}
    assert with_it == {"Ann": "0", "Ben": "+2", "Cleo": "0", "Dan": "−2"}
    assert without == {"Ann": "−1", "Ben": "+3", "Cleo": "−1", "Dan": "−1"}
    assert list(differences(db)) == []


def test_wherever_the_score_is_it_is_said_that_a_deal_is_disputed(host: Host, db: Session, played: MadeSession) -> None:
    path = f"/sessions/{played.id}"
    dispute_deal(db, DisputeDeal(**played.command(db), number=1, disputed=True))

    for _ in range(DEALS_SHOWN):
        make_deal(db, played)
    page = host.get(f"{path}/deals/1")

    sheet = host.get(path).follow("Deal 1 is disputed: how it would be without")

    assert sheet.path == f"{path}/deals"
    assert stands(sheet) == stands(page)
    text = host.get(f"{path}/settlement").soup.select("textarea")[0].get_text()
    assert text.endswith("\nDeal 1 is disputed.")
    dispute_deal(db, DisputeDeal(**played.command(db), number=1, disputed=False))
    for page in (host.get(path), host.get(f"{path}/deals"), host.get(f"{path}/settlement")):
        assert "disputed" not in page.text


def test_several_are_spoken_of_as_several(host: Host, db: Session, played: MadeSession) -> None:
    for number in (1, 2):
        dispute_deal(db, DisputeDeal(**played.command(db), number=number, disputed=True))

    for page in ("/deals/1", "/deals", "/settlement"):
        (section,) = under(host.get(f"/sessions/{played.id}{page}"), "Deals 1 and 2 are disputed")
        assert "They count as they were recorded until everybody agrees." in section.get_text()
        assert [cell.get_text() for cell in section.select("thead th")] == ["Player", "With them", "Without them"]
        assert " it " not in section.get_text().replace("say that it is right", "")


def test_when_everybody_agrees_it_is_as_before(host: Host, db: Session, played: MadeSession) -> None:
    page = dispute(dispute(host.get(f"/sessions/{played.id}/deals/1")), "It is right as it is")

    assert not under(page, "Deal 1 is disputed")
    assert db.scalars(select(Deal.disputed)).all() == [False, False]
    assert list(differences(db)) == []


def test_what_follows_from_it_in_a_game_is_worked_out_again(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    make_deal(db, session, CLUB_TURNED)
    make_deal(db, session, {"turn_up": "clubs", "tricks": [0, 5, 0, 0]})
    page = dispute(host.get(f"/sessions/{session.id}/deals/1"))
    assert {row[0]: row[2] for row in stands(page)} == {"Ann": "30", "Ben": "0", "Cleo": "30", "Dan": "30"}


def test_a_void_deal_is_not_in_dispute_any_more(host: Host, db: Session, played: MadeSession) -> None:
    dispute(host.get(f"/sessions/{played.id}/deals/1"))
    void_deal(db, VoidDeal(**played.command(db), number=1))
    page = host.get(f"/sessions/{played.id}/deals/1")
    assert not under(page, "Deal 1 is disputed")
    assert "Disputed" not in [button.get_text(strip=True) for button in page.soup.select("button")]


def test_what_has_been_said_is_not_said_twice(host: Host, db: Session, played: MadeSession) -> None:
    dispute_deal(db, DisputeDeal(**played.command(db), number=1, disputed=True))
    before = dump(db)
    with pytest.raises(StaleSession):
        dispute_deal(db, DisputeDeal(**played.command(db), number=1, disputed=True))
    assert dump(db) == before


def test_the_dispute_outlives_other_changes(host: Host, db: Session, played: MadeSession) -> None:
    dispute_deal(db, DisputeDeal(**played.command(db), number=1, disputed=True))
    void_deal(db, VoidDeal(**played.command(db), number=2))
    page = host.get(f"/sessions/{played.id}/deals/1")
    assert {row[0]: row[2] for row in stands(page)} == {"Ann": "0", "Ben": "0", "Cleo": "0", "Dan": "0"}
    assert list(differences(db)) == []


def test_the_settlement_says_whose_payment_hangs_on_it(host: Host, db: Session, played: MadeSession) -> None:
    dispute_deal(db, DisputeDeal(**played.command(db), number=1, disputed=True))

    page = host.get(f"/sessions/{played.id}/settlement")

    assert {row[0]: row[1:] for row in stands(page)}["Ben"] == ["+2", "+3"]
    (section,) = under(page, "Deal 1 is disputed")
    hanging, instead = ([item.get_text(strip=True) for item in found.select("li")] for found in section.select("ul"))
    assert hanging == ["Dan pays Ben 2 chips."]
    assert instead == ["Ann pays Ben 1 chip.", "Cleo pays Ben 1 chip.", "Dan pays Ben 1 chip."]
    assert section.a is not None
    assert host.get(str(section.a["href"])).path == f"/sessions/{played.id}/deals/1"


def test_after_the_end_it_still_says_so(host: Host, db: Session, played: MadeSession) -> None:
    close_session(db, played.plain_command(db))
    dispute_deal(db, DisputeDeal(**played.command(db), number=2, disputed=True))

    page = host.get(f"/sessions/{played.id}/settlement")

    (section,) = under(page, "Deal 2 is disputed")
    assert "Dan pays Ben 2 chips." in [item.get_text(strip=True) for item in section.select("ul li")]
    assert list(differences(db)) == []


def test_a_payment_that_is_made_hangs_on_it_too(host: Host, db: Session, played: MadeSession) -> None:
    page = host.get(f"/sessions/{played.id}/settlement").form("/close").submit("End")
    (payment,) = [form for form in page.forms() if "Dan pays Ben" in form.element.get_text(" ")]
    payment.submit("Paid")
    dispute_deal(db, DisputeDeal(**played.command(db), number=1, disputed=True))

    page = host.get(f"/sessions/{played.id}/settlement")

    (section,) = under(page, "Deal 1 is disputed")
    assert section.select("ul")[0].get_text(strip=True) == "Dan pays Ben 2 chips. (paid)"


def test_what_another_session_settles_hangs_on_it_and_is_not_said_to_be_paid(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=Chip(25, "EUR", 2))
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    close_session(db, session.plain_command(db))
    dispute_deal(db, DisputeDeal(**session.command(db), number=1, disputed=True))
    take(host, session, "all")

    page = host.get(f"/sessions/{session.id}/settlement")

    (section,) = under(page, "Deal 1 is disputed")
    assert [item.get_text(strip=True) for item in section.select("ul")[0].select("li")] == [
        f"{name} pays Ben 1 chip, €0.25. What was open is carried over to Tuesday." for name in ("Ann", "Cleo", "Dan")
    ]


def test_of_a_payment_made_in_part_that_part_hangs_on_it_as_paid(host: Host, db: Session, played: MadeSession) -> None:
    close_session(db, played.plain_command(db))
    part(host.get(f"/sessions/{played.id}/settlement"), "Dan pays Ben", "1")
    dispute_deal(db, DisputeDeal(**played.command(db), number=1, disputed=True))

    page = host.get(f"/sessions/{played.id}/settlement")

    (section,) = under(page, "Deal 1 is disputed")
    assert "Dan pays Ben 1 chip. (paid)" in [item.get_text(strip=True) for item in section.select("ul li")]


def test_where_another_game_would_be_played_no_totals_are_compared(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, card_game="dirty-clubs")
    make_deal(db, session, {"turn_up": "clubs", "tricks": [0, 5, 0, 0]})
    start_next_game(db, session.plain_command(db))
    make_deal(db, session, CLUB_TURNED)

    page = dispute(host.get(f"/sessions/{session.id}/deals/1"))

    assert not stands(page)
    (section,) = under(page, "Deal 1 is disputed")
    assert "Without it game 1 would be played." in section.get_text()
    assert "A game would then end elsewhere" in section.get_text()
