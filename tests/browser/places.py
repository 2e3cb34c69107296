"""A group whose sessions are in every state, and the way to each page of the app."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from playwright.sync_api import Page
from sqlalchemy.orm import Session

from scorekeeper import queries
from scorekeeper.ledger import Choices
from scorekeeper.ledger.chipset import Colour
from scorekeeper.rules import MISDEAL, Facts, Seat
from scorekeeper.services.carrying import Carry
from scorekeeper.services.chipset import set_chips
from scorekeeper.services.costs import KITTY, AddCost, SetStake, add_cost, set_stake
from scorekeeper.services.counts import CountIn, count_in
from scorekeeper.services.deals import (
    CorrectDeal,
    DeclareDeal,
    RecordDeal,
    VoidDeal,
    correct_deal,
    declare_deal,
    record_deal,
    start_next_game,
)
from scorekeeper.services.deals import void_deal as void
from scorekeeper.services.groups import NewLink, Role, add_player, retire_player
from scorekeeper.services.joining import make_code
from scorekeeper.services.seats import SeatPlayers, Sitter, seat_players
from scorekeeper.services.sessions import Adjust, MoveChips, adjust, cash_out, close_session
from scorekeeper.services.settlement import Pay, pay
from scorekeeper.services.transaction import take_pen
from scorekeeper.sessionfile import Chip
from tests.factories import (
    CLUB_TURNED,
    FIVE_IN_SPADES_MADE,
    HALF_MADE,
    NAMES,
    MadeSession,
    make_group,
    make_session,
    seen_by,
)

SOLO_SET: Facts = {"contract": "solo", "declarer": 2, "trump": "hearts", "tricks": 6}
MADE_BY_THREE: Facts = {"turn_up": "spades", "maker": 0, "trump": "hearts", "tricks": [3, 2, 0, 0]}
SWEEP: Facts = {"turn_up": "spades", "maker": 1, "trump": "hearts", "tricks": [0, 5, 0, 0]}
NO_SWEEP: Facts = {"turn_up": "spades", "maker": 1, "trump": "hearts", "tricks": [1, 4, 0, 0]}
DROPPED: Facts = {"turn_up": "spades", "maker": 1, "trump": "hearts", "dropped": [3], "tricks": [1, 3, 1, 0]}

CALLING: Facts = {"contract": "half", "declarer": 0, "called_card": "AS"}

NO_SUCH_PAGE = "no such page"

REFUSED_FILE = """{"format": "scorekeeper/session", "version": 1, "rules": "mensch", "dealer": "Ann",
 "players": ["Ann", "Ben", "Cleo", "Dan"],
 "events": [{"type": "deal", "contract": "half", "declarer": "Ann", "partner": "Ann", "trump": "hearts",
  "tricks": 9}]}"""
GOOD_FILE = """{"format": "scorekeeper/session", "version": 1, "rules": "mensch", "dealer": "Ann",
 "players": ["Ann", "Ben", "Cleo", "Eve"],
 "events": [{"type": "deal", "contract": "half", "declarer": "Ann", "partner": "Ben", "tricks": 5}]}"""


@dataclass(frozen=True, slots=True)
class Places:
    """A group, and its sessions by the state they are in."""

    group: NewLink
    player: int
    retired: int
    idle: int
    sessions: Mapping[str, int]

    def pages(self) -> dict[str, str]:
        """Every page that can be looked at, in all its states: its name and its path."""
        group = f"/groups/{self.group.group_id}"
        pages = {
            "start": "/",
            "group": group,
            "links": f"{group}/links",
            "player": f"{group}/players/{self.player}",
            "player who has retired": f"{group}/players/{self.retired}",
            "player who never played": f"{group}/players/{self.idle}",
            "delete the group": f"{group}/delete",
            "chip set": f"{group}/chips",
            "rules": "/rules",
            "rules of Mensch": "/rules/mensch",
            "rules of Buck Euchre": "/rules/buck-euchre",
            "which rules": f"{group}/sessions/new",
            "new session of Mensch": f"{group}/sessions/new?rules=mensch-russian-printed",
            "new session of Dirty Clubs": f"{group}/sessions/new?rules=dirty-clubs",
            "import": f"{group}/import",
            NO_SUCH_PAGE: "/nowhere",
            "no network": "/no-network",
        }
        for state, number in self.sessions.items():
            pages[f"session {state}"] = f"/sessions/{number}"
        of = {state: f"/sessions/{number}" for state, number in self.sessions.items()}
        return pages | {
            "rules of a session": f"{of['of partners']}/rules",
            "record Mensch": f"{of['running']}/deals/new",
            "record ahead": f"{of['running']}/deals/ahead/1",
            "record Dirty Clubs": f"{of['from 25 down']}/deals/new",
            "record with dropping": f"{of['with dropping']}/deals/new",
            "score sheet": f"{of['running']}/deals",
            "score sheet of games": f"{of['undecided']}/deals",
            "older deals": f"{of['running']}/deals?before=4",
            "printed score sheet": f"{of['running']}/deals?all=1",
            "deal": f"{of['running']}/deals/2",
            "deal corrected": f"{of['running']}/deals/4",
            "deal void": f"{of['running']}/deals/3",
            "deal of Dirty Clubs": f"{of['with dropping']}/deals/1",
            "deal that does not count": f"{of['undecided']}/deals/3",
            "deal to decide about": f"{of['undecided']}/deals/2",
            "correct": f"{of['running']}/deals/1/correct",
            "void a deal": f"{of['running']}/deals/1/void",
            "void a deal at the end": f"{of['closed']}/deals/1/void",
            "why a change": f"{of['running']}/deals/4/why/3",
            "why a change of Dirty Clubs": f"{of['with dropping']}/deals/1/why/1",
            "why a total": f"{of['running']}/seats/0/why",
            "why a total of Dirty Clubs": f"{of['from 25 down']}/seats/1/why",
            "why chips in the group": f"{group}/players/{self.player}/why/chips",
            "why games in the group": f"{group}/players/{self.player}/why/dirty-clubs",
            "chart": f"{of['running']}/chart",
            "chart of Dirty Clubs": f"{of['with dropping']}/chart",
            "declare": f"{of['running']}/deals/declare",
            "declare Dirty Clubs": f"{of['with dropping']}/deals/declare",
            "seats": f"{of['running']}/seats",
            "the pen": f"{of['running']}/pen",
            "the pen elsewhere": f"{of['written elsewhere']}/pen",
            "record without the pen": f"{of['written elsewhere']}/deals/new",
            "chips without the pen": f"{of['written elsewhere']}/chips",
            "seats without the pen": f"{of['written elsewhere']}/seats",
            "settlement without the pen": f"{of['written elsewhere']}/settlement",
            "deal without the pen": f"{of['written elsewhere']}/deals/1",
            "seats of five": f"{of['of five']}/seats",
            "bidding": f"{of['running']}/bidding?say=pass.half.five",
            "bidding over": f"{of['running']}/bidding?say=pass.pass.pass.pass",
            "bidding of Dirty Clubs": f"{of['from 25 down']}/bidding?say=hearts.spades.clubs",
            "bidding of Dirty Clubs over": f"{of['from 25 down']}/bidding?say=hearts.spades.clubs.clubs.hearts.clubs",
            "bidding after turning down": f"{of['with dropping']}/bidding?say=hearts.pass.pass.pass.pass",
            "session turned": f"{of['running']}?turn=1",
            "table view": f"{of['running']}/table",
            "table view of Dirty Clubs": f"{of['over']}/table?turn=3",
            "chips": f"{of['running']}/chips",
            "costs": f"{of['running']}/costs",
            "costs without the pen": f"{of['written elsewhere']}/costs",
            "history": f"{of['running']}/history",
            "chips without": f"{of['from 25 down']}/chips",
            "join": "/join",
            "bring a group in": "/import",
            "join codes": f"{of['running']}/codes",
            "count of the chips": f"{of['running']}/count",
            "count of chips not bought": f"{of['of five']}/count",
            "export": f"{of['running']}/files",
            "sheet for tonight": f"{of['running']}/paper",
            "sheet of five": f"{of['of five']}/paper",
            "sheet of Dirty Clubs": f"{of['with dropping']}/paper",
            "sheet after the end": f"{of['closed']}/paper",
            "keying in": f"{of['running']}/paper/keying",
            "keying in Dirty Clubs": f"{of['with dropping']}/paper/keying",
            "settlement to be": f"{of['running']}/settlement",
            "settlement to be as chosen": f"{of['running']}/settlement?banker=2&step=0.50&least=1&apart=0-1&rest=kitty",
            "settlement": f"{of['closed']}/settlement",
            "settlement after one that was discarded": f"{of['discarded']}/settlement",
            "settlement that is carried over": f"{of['carried over']}/settlement",
            "settlement of two sessions": f"{of['taking along']}/settlement",
            "settlement of games": f"{of['over']}/settlement",
        }


def make_places(db: Session, names: tuple[str, ...] = NAMES, group_name: str = "Thursdays") -> Places:
    """Play in every state."""
    group = make_group(db, name=group_name, players=names)
    set_chips(db, group.group_id, [Colour("white", 1, 60), Colour("red", 5, 40), Colour(names[0], 20, 4)])
    sessions = {
        "empty": make_session(db, group=group),
        "running": _running(db, group, group_name),
        "of partners": make_session(db, group=group, house_rules={"partnership": "fixed"}),
        "from 25 down": make_session(db, group=group, card_game="dirty-clubs"),
        "with dropping": make_session(db, group=group, card_game="dirty-clubs", ruleset="buck-euchre"),
        "over": make_session(db, group=group, card_game="dirty-clubs", house_rules={"stake_loser": 5}),
        "undecided": make_session(db, group=group, card_game="dirty-clubs"),
        "closed": make_session(db, group=group, chip=Chip(25, "EUR", 2), buy_in=40),
        "discarded": make_session(db, group=group, chip=Chip(100, "JPY", 0, 3)),
        "declared": make_session(db, group=group),
        "of five": make_session(db, group=group),
        "written elsewhere": make_session(db, group=group, buy_in=40),
        "carried over": make_session(db, group=group, name=group_name, chip=Chip(100, "EUR", 2, 3)),
    }
    _record(db, sessions["of partners"], HALF_MADE)
    _record(db, sessions["from 25 down"], MADE_BY_THREE, CLUB_TURNED)
    _record(db, sessions["with dropping"], DROPPED)
    _record(db, sessions["over"], CLUB_TURNED, SWEEP)
    _leave_undecided(db, sessions["undecided"])
    _close(db, sessions["closed"])
    _discard(db, sessions["discarded"])
    _declare(db, sessions["declared"])
    _play_with_five(db, sessions["of five"])
    _record(db, sessions["written elsewhere"], HALF_MADE, SOLO_SET)
    sessions["taking along"] = _take_along(db, sessions["carried over"])
    take_pen(db, replace(sessions["written elsewhere"].plain_command(db), device="another", device_name=names[1]))
    player = queries.players(db, group.group_id)[0].id
    retired, idle = (add_player(db, group.group_id, name) for name in ("Gus", "Hal"))
    retire_player(db, group.group_id, retired, retired=True)
    return Places(group, player, retired, idle, {state: session.id for state, session in sessions.items()})


def _running(db: Session, group: NewLink, name: str) -> MadeSession:
    session = make_session(db, group=group, name=name, chip=Chip(25, "EUR", 2), buy_in=40)
    set_stake(db, SetStake(**session.command(db), amount=10))
    _record(db, session, HALF_MADE, MISDEAL, FIVE_IN_SPADES_MADE, SOLO_SET)
    void(db, VoidDeal(**session.command(db), number=3))
    correct_deal(db, CorrectDeal(**session.command(db), number=4, facts={**SOLO_SET, "declarer": 3}))
    cash_out(db, MoveChips(**session.command(db), seat=Seat(0), chips=10))
    adjust(db, Adjust(**session.command(db), chips=(2, -2, 0, 0), note=f"{name}: paid the wrong way round"))
    _record(db, session, *[HALF_MADE, FIVE_IN_SPADES_MADE] * 4)
    held = [seat.bought + seat.chips - seat.cashed for seat in queries.seats(db, session.id)]
    off = [1, -3, 1, 1]
    count_in(db, CountIn(**session.command(db), counted=tuple(map(sum, zip(held, off, strict=True)))))
    add_cost(db, AddCost(**session.command(db), payer=KITTY, amount=800, seats=(0, 1, 2, 3)))
    add_cost(db, AddCost(**session.command(db), payer=1, amount=500, seats=()))
    add_cost(db, AddCost(**session.command(db), payer=0, amount=1000, seats=(0, 1, 2), note=f"{name}: drinks"))
    row = seen_by(db, session.id, group.link_id)
    make_code(db, row, Role.SCORER)
    return session


def _leave_undecided(db: Session, session: MadeSession) -> None:
    _record(db, session, SWEEP)
    start_next_game(db, session.plain_command(db))
    _record(db, session, CLUB_TURNED, CLUB_TURNED)
    correct_deal(db, CorrectDeal(**session.command(db), number=1, facts=NO_SWEEP))


def _close(db: Session, session: MadeSession) -> None:
    _record(db, session, HALF_MADE, FIVE_IN_SPADES_MADE, SOLO_SET)
    close_session(db, session.plain_command(db))
    plan = session.command(db)["expected_version"]
    pay(db, Pay(**session.command(db), plan=plan, line=0))
    pay(db, Pay(**session.command(db), plan=plan, line=1, amount=10))


def _discard(db: Session, session: MadeSession) -> None:
    _record(db, session, HALF_MADE, FIVE_IN_SPADES_MADE)
    close_session(db, session.plain_command(db), Choices(step=5))
    plan = session.command(db)["expected_version"]
    pay(db, Pay(**session.command(db), plan=plan, line=0))
    void(db, VoidDeal(**session.command(db), number=2, discard=True))


def _take_along(db: Session, before: MadeSession) -> MadeSession:
    """A session that settles what another left open, and what is not yet paid there."""
    _record(db, before, HALF_MADE, FIVE_IN_SPADES_MADE)
    close_session(db, before.plain_command(db), Choices(step=50))
    take_along = Carry(before.id, before.command(db)["expected_version"], unpaid=True)
    session = make_session(db, group=before.group, chip=Chip(25, "EUR", 2), carry=(take_along,))
    _record(db, session, SOLO_SET)
    return session


def _declare(db: Session, session: MadeSession) -> None:
    _record(db, session, HALF_MADE)
    declare_deal(db, DeclareDeal(**session.command(db), facts=CALLING))


def _play_with_five(db: Session, session: MadeSession) -> None:
    """Two come to a table of four: one new, and one who stands in."""
    _record(db, session, HALF_MADE)
    group = session.group.group_id
    own = [player.id for player in queries.players(db, group)][:4]
    new, other = (add_player(db, group, name) for name in ("Eve", "Fay"))
    sitters = Sitter(own[0]), Sitter(other, Seat(1)), Sitter(own[2]), Sitter(new), Sitter(own[3])
    seat_players(db, SeatPlayers(**session.command(db), sitters=sitters))
    _record(db, session, {**SOLO_SET, "declarer": 1, "dealer": 2}, {"dealer": 4, **MISDEAL}, HALF_MADE)


def _record(db: Session, session: MadeSession, *deals: Facts) -> None:
    for facts in deals:
        record_deal(db, RecordDeal(**session.command(db), facts=facts))


STICKING_OUT = """() =>
    document.scrollingElement.scrollWidth <= innerWidth ? [] :
        ["the page", ...[...document.querySelectorAll("main *")]
            .filter(element => element.getBoundingClientRect().right > innerWidth + 0.5)
            .map(element => element.outerHTML.slice(0, 120))]
"""
"""JavaScript: the elements that make a page wider than its window."""


def open_group(page: Page, url: str, places: Places) -> None:
    """Open the group's link, as a phone does that comes to the table."""
    page.goto(f"{url}/open/{places.group.token}")


def everywhere(page: Page, url: str, places: Places) -> Iterator[str]:
    """Stand on each page of the app. Yields its name."""
    open_group(page, url, places)
    for name, path in places.pages().items():
        response = page.goto(f"{url}{path}")
        assert response
        assert response.ok or name == NO_SUCH_PAGE, name
        yield name
    yield from _answers(page, url, places)


def _answers(page: Page, url: str, places: Places) -> Iterator[str]:
    """Send forms that cannot be saved as they are, and stand on each page that says so. Yields its name."""
    group = f"{url}/groups/{places.group.group_id}"
    session = f"{url}/sessions/{places.sessions['running']}"

    page.goto(url)
    _send(page, "form")
    yield "start refused"
    page.goto(f"{group}/sessions/new?rules=dirty-clubs")
    page.locator("[name=price]").evaluate("field => field.value = '1.5.5'")
    page.locator("[name=rule-hand]").evaluate("field => field.value = '99'")
    page.locator("[name=seat-1]").select_option(index=1)
    _send(page, "main form")
    yield "session refused"
    page.goto(f"{session}/pen")
    page.goto(page.locator(".key").inner_text())
    yield "the pen offered"
    page.goto(f"{session}/settlement?banker=9&step=x&least=-1&apart=x")
    yield "settlement refused"
    page.goto(f"{url}/sessions/{places.sessions['closed']}/deals/1")
    page.locator("a.risk").click()
    with page.expect_navigation():
        page.locator("button.risk").click()
    yield "settlement to be discarded"
    page.goto(f"{url}/sessions/{places.sessions['closed']}/settlement")
    page.locator("details.part summary").first.click()
    with page.expect_navigation():
        page.locator("details.part button").first.click()
    yield "part refused"
    page.goto(f"{session}/chips")
    page.locator("#adjust-chips-0, [name=chips-0]").first.evaluate("field => field.value = '5'")
    _send(page, "details form")
    yield "chips refused"
    page.goto(f"{session}/chips")
    page.locator("[name=buy-player]").first.check(force=True)
    page.locator("[name=buy-chips]").fill("95")
    with page.expect_navigation():
        page.locator("[name=ask]").first.click()
    yield "pieces asked for"
    page.goto(f"{group}/chips")
    page.locator("[name=value-1]").fill("1")
    _send(page, "main form")
    yield "chip set refused"
    page.goto(f"{group}/import")
    page.locator("textarea").fill(REFUSED_FILE)
    _send(page, "main form")
    yield "file refused"
    page.goto(f"{group}/import")
    page.locator("textarea").fill(GOOD_FILE)
    _send(page, "main form")
    yield "dry run"
    page.goto(f"{session}/deals/new")
    _send(page, "main form")
    yield "deal refused"
    page.goto(f"{session}/deals/new")
    page.locator("[name=expected_version]").evaluate("field => field.value = '3'")
    for control in ("#declarer-0", "#partner-2", "#tricks-5"):
        page.locator(control).check(force=True)
    _send(page, "main form")
    yield "deal stale"
    page.goto(f"{session}/paper/keying")
    for control, text in (("contract", "half"), ("declarer", "nobody"), ("total-0", "x")):
        page.locator(f"[name=r1-{control}]").fill(text)
    # The script lets nobody leave without asking, unless it sees the form go.
    with page.expect_navigation():
        page.get_by_role("button", name="Check").click()
    yield "rows refused"
    page.goto(f"{session}/paper/keying")
    players = page.locator(".grid thead bdi").all_inner_texts()
    for control, text in (("contract", "half"), ("declarer", players[0]), ("partner", players[1]), ("tricks", "5")):
        page.locator(f"[name=r1-{control}]").fill(text)
    with page.expect_navigation():
        page.get_by_role("button", name="Check").click()
    yield "rows that agree"
    page.goto(f"{url}/sessions/{places.sessions['empty']}")
    page.locator("[name=expected_version]").evaluate("field => field.value = '3'")
    _send(page, "main form")
    yield "button stale"
    page.goto(f"{group}/links")
    _send(page, "main form")
    yield "new link"
    page.goto(f"{group}/delete")
    _send(page, "main form")
    yield "group not deleted"


def _send(page: Page, form: str) -> None:
    """Send a form as it is, whatever the browser would say of it."""
    with page.expect_navigation():
        page.locator(form).first.evaluate("form => form.submit()")
