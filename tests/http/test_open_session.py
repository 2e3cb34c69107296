"""Opening a session: rules, seats, first dealer, chips, a sheet on paper, house rules."""

import json
from datetime import UTC, date, datetime
from urllib.parse import quote

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scorekeeper.app import create_app
from scorekeeper.extensions import db as database
from scorekeeper.models import AnyRow, GameSession, LedgerEntry, Player, SessionSeat
from scorekeeper.rules import RULESETS
from scorekeeper.services.groups import add_player
from scorekeeper.services.history import next_table
from scorekeeper.web import sessions as opening_a_session
from tests.http.conftest import Host
from tests.http.visitor import Form


def form_for(host: Host, ruleset: str = "mensch") -> Form:
    return host.get(f"{host.group_path}/sessions/new?rules={ruleset}").form("/sessions")


def ids(db: Session, host: Host) -> dict[str, int]:
    db.rollback()
    rows = db.execute(select(Player).where(Player.group_id == host.group.group_id).order_by(Player.id)).scalars()
    return {player.name: player.id for player in rows}


def opened(db: Session) -> AnyRow:
    db.rollback()
    return db.execute(select(*GameSession.__table__.columns)).one()


def seated(db: Session) -> list[str]:
    db.rollback()
    return list(
        db.scalars(select(Player.name).join(SessionSeat, SessionSeat.player_id == Player.id).order_by(SessionSeat.seat))
    )


def how_many(db: Session) -> int:
    db.rollback()
    return db.scalar(select(func.count()).select_from(GameSession)) or 0


def test_all_rulesets_are_offered_and_each_has_its_form(host: Host) -> None:
    page = host.get(host.group_path).follow("Start a session")
    offered = [link["href"] for link in page.soup.select("a.entry")]
    assert offered == [f"{host.group_path}/sessions/new?rules={ruleset}" for ruleset in RULESETS]
    for ruleset in RULESETS:
        assert form_for(host, ruleset).data["rules"] == ruleset


def test_it_opens_a_session_as_it_is_offered(host: Host, db: Session) -> None:
    page = form_for(host).submit()
    session = opened(db)
    assert page.path == f"/sessions/{session.id}"
    assert (session.card_game, session.ruleset_id, session.state) == ("mensch", "mensch", "open")
    assert (session.opening, session.currency) == ([0, 0, 0, 0], None)
    assert seated(db) == ["Ann", "Ben", "Cleo", "Dan"]


def test_players_sit_where_they_were_put_and_the_chosen_one_deals(host: Host, db: Session) -> None:
    who = ids(db, host)
    seats = {f"seat-{seat}": who[name] for seat, name in enumerate(("Dan", "Cleo", "Ben", "Ann"))}
    form_for(host).fill(name="At Dan's", dealer=who["Ben"], **seats).submit()
    assert seated(db) == ["Dan", "Cleo", "Ben", "Ann"]
    assert (opened(db).name, opened(db).first_dealer, opened(db).table["dealer"]) == ("At Dan's", 2, 2)


def test_drawing_by_lot_tells_who_was_drawn(host: Host, db: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.randbelow", lambda players: players - 1)
    form = form_for(host)
    page = form.submit()
    assert opened(db).first_dealer == 3
    assert "Drawn by lot: Dan deals first." in page.text
    monkeypatch.setattr("secrets.randbelow", lambda players: 0)
    assert "Drawn by lot: Dan deals first." in form.submit().text, "a repeat draws nobody else"


def test_the_same_form_sent_twice_opens_one_session(host: Host, db: Session) -> None:
    form = form_for(host)
    assert form.submit().path == form.submit().path
    assert how_many(db) == 1


def test_the_same_form_with_other_content_is_told_and_opens_a_session_when_it_is_meant(host: Host, db: Session) -> None:
    form = form_for(host)
    form.submit()
    page = form.fill(name="Friday").submit()
    assert page.status == 409
    assert "Send it again to begin another" in page.text
    assert how_many(db) == 1
    page.form("/sessions").submit()
    assert how_many(db) == 2


def test_the_next_session_offers_the_seats_of_the_last(host: Host, db: Session) -> None:
    who = ids(db, host)
    seats = {f"seat-{seat}": who[name] for seat, name in enumerate(("Dan", "Cleo", "Ben", "Ann"))}
    form_for(host).fill(**seats).submit()
    assert [form_for(host).data[f"seat-{seat}"] for seat in range(4)] == [
        str(who[name]) for name in ("Dan", "Cleo", "Ben", "Ann")
    ]


@pytest.mark.parametrize(
    ("instant", "day"),
    [
        (datetime(2026, 11, 26, 22, 59, tzinfo=UTC), date(2026, 11, 26)),
        (datetime(2026, 11, 26, 23, 1, tzinfo=UTC), date(2026, 11, 27)),
    ],
)
def test_it_is_dated_by_the_clock_on_the_wall(
    host: Host, database_url: str, db: Session, monkeypatch: pytest.MonkeyPatch, instant: datetime, day: date
) -> None:
    settings = {"SECRET_KEY": "for tests", "TESTING": True, "BABEL_DEFAULT_TIMEZONE": "Europe/Luxembourg"}
    app = create_app({"SQLALCHEMY_DATABASE_URI": database_url, **settings})
    monkeypatch.setattr(opening_a_session, "now", lambda: instant)
    form_for(Host(app, host.group)).submit()
    with app.app_context():
        database.engine.dispose()
    assert opened(db).started_on == day


@pytest.mark.parametrize(
    ("price", "currency", "minor", "exponent"),
    [
        ("0.25", "EUR", 25, 2),
        ("0,25", "EUR", 25, 2),
        ("1 523,98", "EUR", 152398, 2),
        ("10", "JPY", 10, 0),
        ("0,125", "BHD", 125, 3),
        ("٠٫٢٥", "EUR", 25, 2),
    ],
)
def test_a_chip_can_have_a_price(host: Host, db: Session, price: str, currency: str, minor: int, exponent: int) -> None:
    form_for(host).fill(price=price, currency=currency).submit()
    assert (opened(db).chip_value_minor, opened(db).currency, opened(db).exponent) == (minor, currency, exponent)


def test_a_price_can_be_that_of_several_chips(host: Host, db: Session) -> None:
    form_for(host).fill(price="1.00", currency="EUR", priced="3").submit()
    assert (opened(db).chip_value_minor, opened(db).chips_priced) == (100, 3)


@pytest.mark.parametrize("priced", ["0", "-1", "1.5", "", "x", "9" * 30])
def test_a_price_is_that_of_a_whole_number_of_chips(host: Host, db: Session, priced: str) -> None:
    page = form_for(host).fill(price="1.00", currency="EUR", priced=priced).submit()
    assert page.status == 422
    assert page.errors() == {"priced": "Chips must be a whole number from 1 to 1,000,000."}


@pytest.mark.parametrize(
    ("price", "currency", "field", "message"),
    [
        ("1,523", "EUR", "price", "This could mean €1.52 or €1,523.00. Write it without a mark for thousands."),
        ("0", "EUR", "price", "The price of a chip must be from €0.01 to €10,000,000.00."),
        ("-1", "EUR", "price", "An amount cannot be negative."),
        ("0.5", "JPY", "price", "JPY has no decimals: give a whole amount."),
        ("9" * 5000, "EUR", "price", "The most is €10,000,000.00."),
        ("a lot", "EUR", "price", "Enter an amount, such as €0.25."),
        ("0.25", "XXX", "currency", "Choose a currency."),
        ("0.25", "", "currency", "Choose a currency."),
    ],
)
def test_a_price_that_cannot_be_used_is_refused_beside_its_field(
    host: Host, db: Session, price: str, currency: str, field: str, message: str
) -> None:
    page = form_for(host).fill(price=price, currency=currency).submit()
    assert page.status == 422
    assert page.errors() == {field: message}
    assert page.form("/sessions").data["price"] == price
    assert page.soup.select_one("details[open] [name=price]") is not None, "nothing that is wrong is folded away"
    assert how_many(db) == 0


def test_everybody_buys_in_at_the_start(host: Host, db: Session) -> None:
    form_for(host).fill(buy_in="40").submit()
    assert db.scalars(select(SessionSeat.bought).order_by(SessionSeat.seat)).all() == [40, 40, 40, 40]
    assert db.scalar(select(func.sum(LedgerEntry.chips))) == 0


@pytest.mark.parametrize("chips", ["-1", "1.5", "forty", "1000001", "9" * 5000])
def test_a_buy_in_that_is_no_number_of_chips_is_refused(host: Host, db: Session, chips: str) -> None:
    page = form_for(host).fill(buy_in=chips).submit()
    assert page.errors() == {"buy_in": "Chips must be a whole number from 0 to 1,000,000."}
    assert how_many(db) == 0


def test_without_a_stake_dirty_clubs_has_no_chips_to_buy(host: Host, db: Session) -> None:
    page = form_for(host, "dirty-clubs").fill(buy_in="40").submit()
    assert page.errors() == {"price": "No chips change hands by these rules. Say first what a loser pays."}
    assert how_many(db) == 0


def test_dirty_clubs_can_be_played_for_chips(host: Host, db: Session) -> None:
    form = form_for(host, "dirty-clubs").fill(buy_in="40", price="0.10", currency="EUR", **{"rule-stake_loser": "5"})
    form.submit()
    assert json.loads(opened(db).options)["stake_loser"] == 5


def test_a_sheet_on_paper_can_be_carried_on(host: Host, db: Session) -> None:
    sheet = {"opening-0": "+12", "opening-1": "\N{MINUS SIGN}7", "opening-2": "-5", "opening-3": "0"}
    form_for(host).fill(**sheet).submit()
    assert opened(db).opening == [12, -7, -5, 0]


def test_a_sheet_that_does_not_add_up_says_by_how_much(host: Host, db: Session) -> None:
    sheet = {"opening-0": "12", "opening-1": "-7", "opening-2": "-5", "opening-3": "2"}
    page = form_for(host).fill(**sheet).submit()
    assert page.errors() == {"opening": "The chips must add up to zero; they add up to 2: that much too high."}
    assert page.form("/sessions").data["opening-0"] == "12"
    assert how_many(db) == 0


def test_a_sheet_has_a_number_for_everybody_who_sits(host: Host, db: Session) -> None:
    page = form_for(host, "dirty-clubs").fill(**{"opening-0": "12", "opening-1": "x", "opening-5": "3"}).submit()
    assert page.errors() == {
        "opening-1": "Enter a whole number.",
        "opening-2": "Enter a whole number.",
        "opening-3": "Enter a whole number.",
        "opening-5": "Nobody sits here.",
    }
    assert how_many(db) == 0


def test_a_game_that_somebody_has_won_cannot_be_carried_on(host: Host, db: Session) -> None:
    sheet = {"opening-0": "12", "opening-1": "0", "opening-2": "25", "opening-3": "3"}
    page = form_for(host, "dirty-clubs").fill(**sheet).submit()
    assert page.errors() == {"opening": "Somebody has won already: everybody must have more than 0 points."}
    assert how_many(db) == 0


def test_only_what_differs_is_a_house_rule(host: Host, db: Session) -> None:
    form_for(host).fill(
        **{"rule-half.clubs_set": "3", "rule-passed_out": "next-dealer", "rule-solo.offered": "no"}
    ).submit()
    page = host.get(f"/sessions/{opened(db).id}/rules")
    differences = [item.get_text(strip=True) for item in page.soup.select("[aria-labelledby=house-rules] li")]
    assert differences == [
        "When everybody passes: Thrown in; the deal passes on (otherwise: The holder of the queen of hearts plays)",
        "Half: set in clubs: 3 (otherwise: 2)",
        "Solo: can be bid: No (otherwise: Yes)",
    ]


@pytest.mark.parametrize(
    ("rule", "value", "message"),
    [
        ("half.clubs_set", "101", "“Half: set in clubs” must be a whole number from 0 to 100."),
        ("half.clubs_set", "", "“Half: set in clubs” must be a whole number from 0 to 100."),
        ("half.clubs_set", "9" * 5000, "“Half: set in clubs” must be a whole number from 0 to 100."),
        ("half.offered", "perhaps", "“Half: can be bid” must be yes or no."),
        ("cards", "36", "These do not go together: “Cards in the deck” and “Cards in a hand”."),
    ],
)
def test_a_house_rule_that_cannot_be_is_refused_beside_its_field(
    host: Host, db: Session, rule: str, value: str, message: str
) -> None:
    page = form_for(host).fill(**{f"rule-{rule}": value}).submit()
    assert page.status == 422
    assert page.errors() == {f"rule-{rule}": message}
    assert page.soup.select_one(f'details[open] [name="rule-{rule}"]') is not None
    assert how_many(db) == 0


def test_a_house_rule_of_unknown_wording_names_the_choices(host: Host, db: Session) -> None:
    page = form_for(host).fill(**{"rule-dealing": "quickly"}).submit()
    assert page.status == 422
    assert "All at once" in page.errors()["rule-dealing"]
    assert how_many(db) == 0


def test_a_player_cannot_sit_twice(host: Host, db: Session) -> None:
    ann = ids(db, host)["Ann"]
    page = form_for(host).fill(**{"seat-1": ann}).submit()
    assert page.status == 422
    assert page.errors() == {"players": "This game needs 4 players with different names."}
    assert page.form("/sessions").data["seat-1"] == str(ann)
    assert how_many(db) == 0


def test_an_empty_seat_is_refused(host: Host, db: Session) -> None:
    page = form_for(host).fill(**{"seat-1": ""}).submit()
    assert page.errors() == {"players": "This game needs 4 players with different names."}
    assert how_many(db) == 0


@pytest.mark.parametrize("seat", ["x", "-1", "0", "9" * 30, "\0", "²"])
def test_somebody_who_is_nobody_cannot_sit(host: Host, db: Session, seat: str) -> None:
    page = form_for(host).fill(**{"seat-1": seat}).submit()
    assert page.errors() == {"players": "This game needs 4 players with different names."}
    assert how_many(db) == 0


def test_a_player_of_another_group_cannot_sit(host: Host, stranger: Host, db: Session) -> None:
    page = form_for(host).fill(**{"seat-1": ids(db, stranger)["Eve"]}).submit()
    assert page.errors() == {"players": "This game needs 4 players with different names."}
    assert "Eve" not in [option.get_text() for option in page.soup.select("option")]
    assert how_many(db) == 0


@pytest.mark.parametrize("dealer", ["", "x", "9" * 5000])
def test_the_first_dealer_must_sit_at_the_table(host: Host, db: Session, dealer: str) -> None:
    page = form_for(host).fill(dealer=dealer).submit()
    assert page.errors() == {"dealer": "The first dealer must sit at the table."}
    assert how_many(db) == 0


def test_a_house_rule_says_how_many_play(host: Host, db: Session) -> None:
    eve = add_player(db, host.group.group_id, "Eve")
    five: dict[str, str | int] = {"rule-players": "5", "rule-cards": "32", "seat-4": eve}
    form_for(host, "dirty-clubs").fill(**five).submit()
    assert seated(db) == ["Ann", "Ben", "Cleo", "Dan", "Eve"]
    assert opened(db).opening == [25] * 5


@pytest.mark.parametrize("more", [1, 2])
def test_those_beyond_the_players_of_a_deal_sit_out_in_turn(host: Host, db: Session, more: int) -> None:
    others = {
        f"seat-{seat}": add_player(db, host.group.group_id, name)
        for seat, name in list(enumerate(("Eve", "Fay"), start=4))[:more]
    }
    form_for(host).fill(**others).submit()
    session = opened(db)
    assert len(session.seating) == 4 + more
    assert len(next_table(session).seats) == 4


def test_more_players_than_the_rules_say_are_refused(host: Host, db: Session) -> None:
    people = ("Eve", "Fay", "Gus")
    more = {f"seat-{seat}": add_player(db, host.group.group_id, name) for seat, name in enumerate(people, start=4)}
    page = form_for(host, "dirty-clubs").fill(**more).submit()
    assert page.errors() == {"players": "This game needs 4 players with different names."}
    assert how_many(db) == 0


def test_a_game_for_three_offers_three_seats(host: Host, db: Session) -> None:
    form = form_for(host, "buck-euchre-three")
    assert [form.data[f"seat-{seat}"] != "" for seat in range(4)] == [True, True, True, False]
    form.submit()
    assert seated(db) == ["Ann", "Ben", "Cleo"]


@pytest.mark.parametrize("name", ["", "x" * 41, "a\0b", "\N{RIGHT-TO-LEFT OVERRIDE}"])
def test_a_session_needs_a_name(host: Host, db: Session, name: str) -> None:
    page = form_for(host).fill(name=name).submit()
    assert page.status == 422
    assert list(page.errors()) == ["name"]
    assert how_many(db) == 0


def test_everything_that_is_wrong_is_said_at_once_and_leads_to_its_field(host: Host, db: Session) -> None:
    page = form_for(host).fill(name="", price="x", buy_in="x", **{"rule-hand": "99", "opening-2": "x"}).submit()
    assert list(page.errors()) == [
        "name",
        "buy_in",
        "price",
        "opening-0",
        "opening-1",
        "opening-2",
        "opening-3",
        "rule-hand",
    ]
    links = [str(link["href"]).removeprefix("#") for link in page.soup.select("#problems a")]
    assert len(links) == 8
    for target in links:
        assert page.soup.find(id=target) is not None
    assert how_many(db) == 0


def test_the_printed_rates_come_with_their_notice(host: Host) -> None:
    for page in (
        host.get(f"{host.group_path}/sessions/new"),
        host.get(f"{host.group_path}/sessions/new?rules=mensch-russian-printed"),
    ):
        assert "they look swapped" in page.text
        corrected = page.follow("Play the corrected rates")
        assert corrected.form("/sessions").data["rules"] == "mensch-russian"
        assert "they look swapped" not in corrected.text


@pytest.mark.parametrize("rules", ["", "poker", "dirty-clubs-up", "\0", "x" * 3000])
def test_rules_that_do_not_exist_are_no_page(host: Host, db: Session, rules: str) -> None:
    assert host.get(f"{host.group_path}/sessions/new?rules={quote(rules)}").status == 404
    form = form_for(host)
    assert form.fill(rules=rules).submit().status == 404
    assert how_many(db) == 0


def test_a_stranger_can_open_nothing(host: Host, stranger: Host, db: Session) -> None:
    form = form_for(stranger)
    assert stranger.get(f"{host.group_path}/sessions/new?rules=mensch").status == 404
    assert stranger.post(f"{host.group_path}/sessions", data=form.data).status == 404
    assert how_many(db) == 0


def test_the_last_currency_of_the_group_is_offered(host: Host) -> None:
    form_for(host).fill(price="1", currency="CHF").submit()
    assert form_for(host).data["currency"] == "CHF"


@pytest.mark.parametrize(
    ("languages", "currency"),
    [
        ("de-CH,de;q=0.9", "CHF"),
        ("en-GB", "GBP"),
        ("lb", "EUR"),
        ("*", "EUR"),
        ("xx-YY-zz!,,;q=x", "EUR"),
        ("en-JP", "JPY"),
    ],
)
def test_the_currency_is_that_of_the_reader(host: Host, languages: str, currency: str) -> None:
    page = host.get(f"{host.group_path}/sessions/new?rules=mensch", headers={"Accept-Language": languages})
    assert page.form("/sessions").data["currency"] == currency
