"""Taking a session out as a file."""

import io
import json
import re
from zipfile import ZipFile

import pytest
from sqlalchemy.orm import Session
from werkzeug.http import parse_options_header

from scorekeeper.rules import MISDEAL, Seat
from scorekeeper.services.deals import VoidDeal, void_deal
from scorekeeper.services.sessions import Adjust, MoveChips, adjust, cash_out
from scorekeeper.sessionfile import Chip, answer, read_document, score
from tests.factories import FIVE_IN_SPADES_MADE, make_deal, make_session
from tests.http.conftest import Host
from tests.http.evidence import dump


def test_the_file_says_everything_that_counts(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group, chip=Chip(25, "EUR", 2), buy_in=40)
    make_deal(db, session)
    make_deal(db, session, MISDEAL)
    make_deal(db, session, FIVE_IN_SPADES_MADE)
    adjust(db, Adjust(**session.command(db), chips=(1, -1, 0, 0), note="paid twice"))
    cash_out(db, MoveChips(**session.command(db), seat=Seat(0), chips=10))
    void_deal(db, VoidDeal(**session.command(db), number=3))
    before = dump(db)

    page = host.get(f"/sessions/{session.id}/export")

    document = json.loads(page.response.get_data())
    assert document == {
        "format": "scorekeeper/session",
        "version": 1,
        "rules": "mensch",
        "house_rules": {},
        "players": ["Ann", "Ben", "Cleo", "Dan"],
        "dealer": "Dan",
        "chip": {"value": "0.25", "currency": "EUR"},
        "events": [
            *({"type": "buy-in", "player": name, "chips": 40} for name in ("Ann", "Ben", "Cleo", "Dan")),
            {"type": "deal", "contract": "half", "declarer": "Ann", "partner": "Cleo", "trump": "clubs", "tricks": 5},
            {"type": "misdeal"},
            {"type": "adjustment", "chips": {"Ann": 1, "Ben": -1, "Cleo": 0, "Dan": 0}, "note": "paid twice"},
            {"type": "cash-out", "player": "Ann", "chips": 10},
        ],
    }
    assert answer(score(read_document(document)))["totals"] == {"Ann": 2, "Ben": -2, "Cleo": 1, "Dan": -1}
    assert dump(db) == before


def test_a_session_without_events_is_a_file_too(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = host.get(f"/sessions/{session.id}/export")

    assert json.loads(page.response.get_data())["events"] == []


def test_it_comes_as_a_file_that_no_browser_runs(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    headers = host.get(f"/sessions/{session.id}/export").response.headers

    assert headers["Content-Type"] == "application/json"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Disposition"].startswith("attachment;")


@pytest.mark.parametrize(
    ("name", "plain", "full"),
    [
        ("Thursday", "Thursday 2026-11-26.json", None),
        ("Männerrunde", "Mannerrunde 2026-11-26.json", "Männerrunde 2026-11-26.json"),
        ("🂡 night", " night 2026-11-26.json", "🂡 night 2026-11-26.json"),
        ("ليلة", " 2026-11-26.json", "ليلة 2026-11-26.json"),
        ('"He said" it', "-He said- it 2026-11-26.json", None),
        ("../../etc/passwd", "..-..-etc-passwd 2026-11-26.json", None),
        ("a; filename=b.exe", "a; filename=b.exe 2026-11-26.json", None),
    ],
)
def test_its_name_is_that_of_the_session_in_any_script(
    host: Host, db: Session, name: str, plain: str, full: str | None
) -> None:
    session = make_session(db, group=host.group, name=name)

    header = host.get(f"/sessions/{session.id}/export").response.headers["Content-Disposition"]

    header.encode("ascii")
    # The ASCII name alone, as an old browser reads it; then the full one, which every other prefers.
    fallback = header.split("; filename*=")[0]
    assert parse_options_header(fallback)[1]["filename"] == plain
    assert parse_options_header(header)[1]["filename"] == (full or plain)


def test_the_archive_of_a_group_holds_the_file_of_every_session(host: Host, stranger: Host, db: Session) -> None:
    made = [make_session(db, group=host.group, name=name) for name in ("ليلة", "Same", "Same")]
    make_deal(db, made[2])
    make_session(db, group=stranger.group)
    before = dump(db)

    archive = host.get(host.group_path).follow("Archive of the group").response

    name = parse_options_header(archive.headers["Content-Disposition"])[1]["filename"]
    assert re.fullmatch(r"Thursdays \d{4}-\d{2}-\d{2}\.zip", name)
    with ZipFile(io.BytesIO(archive.get_data())) as files:
        names = ["1/ليلة 2026-11-26.json", "2/Same 2026-11-26.json", "3/Same 2026-11-26.json"]
        assert files.namelist() == ["group.jsonl", *names]
        for session, file in zip(made, names, strict=True):
            assert files.read(file) == host.get(f"/sessions/{session.id}/export").response.get_data()
    assert dump(db) == before


def test_a_stranger_gets_no_file(host: Host, stranger: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    assert stranger.get(f"/sessions/{session.id}/export").status == 404
    assert stranger.get(f"{host.group_path}/export").status == 404
