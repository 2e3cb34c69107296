"""Moving chips for a reason no rule knows."""

import pytest
from sqlalchemy.orm import Session

from scorekeeper.services.check import differences
from tests.factories import make_deal, make_session
from tests.http.conftest import Host
from tests.http.evidence import chips_of, dump
from tests.http.visitor import Form


def adjust(host: Host, session_id: int, *chips: str | int, note: str = "A deal paid twice") -> Form:
    form = host.get(f"/sessions/{session_id}/chips").form("/chips/adjust")
    return form.fill(**{f"adjust-chips-{seat}": amount for seat, amount in enumerate(chips)}, **{"adjust-note": note})


def test_chips_are_moved_and_the_log_says_why(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    make_deal(db, session)

    page = adjust(host, session.id, "+2", "-3", "", "1").submit()

    assert [chips_of(page, name)[1] for name in ("Ann", "Ben", "Cleo", "Dan")] == ["+3", "−4", "+1", "0"]
    assert "A deal paid twice" in page.follow("What happened").text
    assert list(differences(db)) == []


def test_a_real_minus_sign_is_one(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = adjust(host, session.id, "2", "−2").submit()

    assert chips_of(page, "Ben")[1] == "−2"


@pytest.mark.parametrize(
    ("chips", "sentence"),
    [
        (("1", "1", "0", "0"), "The chips must add up to zero; they add up to 2: that much too high."),
        (("1", "-4", "0", "0"), "The chips must add up to zero; they add up to −3: that much too low."),
        (("0", "0", "0", "0"), "Say whose chips change."),
        (("", "", "", ""), "Say whose chips change."),
    ],
)
def test_it_says_by_how_much_the_sum_is_wrong(host: Host, db: Session, chips: tuple[str, ...], sentence: str) -> None:
    session = make_session(db, group=host.group)
    before = dump(db)

    page = adjust(host, session.id, *chips).submit()

    assert page.status == 422
    assert page.errors() == {"adjust-chips": sentence}
    assert [page.form("/chips/adjust").data[f"adjust-chips-{seat}"] for seat in range(4)] == list(chips)
    assert page.form("/chips/adjust").data["adjust-note"] == "A deal paid twice"
    assert dump(db) == before


@pytest.mark.parametrize("typed", ["x", "1.5", "1000001", "-1000001", "--1", "9" * 50])
def test_it_refuses_what_is_no_number_of_chips(host: Host, db: Session, typed: str) -> None:
    session = make_session(db, group=host.group)
    before = dump(db)

    page = adjust(host, session.id, 1, typed).submit()

    assert page.status == 422
    assert page.errors() == {"adjust-chips-1": "Chips must be a whole number from −1,000,000 to 1,000,000."}
    assert dump(db) == before


@pytest.mark.parametrize(
    ("note", "sentence"),
    [
        ("", "Say why, in a note."),
        ("   ", "Say why, in a note."),
        ("x" * 201, "A note has at most 200 characters."),
        ("a\x00b", "The character U+0000 cannot be used."),
        ("a\N{RIGHT-TO-LEFT OVERRIDE}b", "The character U+202E cannot be used."),
    ],
)
def test_it_wants_a_reason(host: Host, db: Session, note: str, sentence: str) -> None:
    session = make_session(db, group=host.group)
    before = dump(db)

    page = adjust(host, session.id, 1, -1, note=note).submit()

    assert page.status == 422
    assert page.errors() == {"adjust-note": sentence}
    assert dump(db) == before


def test_a_note_is_shown_as_it_was_written(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)

    page = adjust(host, session.id, 1, -1, note='<img src=x onerror="alert(1)"> 🂡 he said "kontra"').submit()

    page = page.follow("What happened")
    assert '<img src=x onerror="alert(1)"> 🂡 he said "kontra"' in page.text
    assert not page.soup.select("img")


def test_an_adjustment_is_no_deal(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    adjust(host, session.id, 1, -1).submit()

    assert make_deal(db, session) == 1


def test_a_form_sent_twice_moves_once(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = adjust(host, session.id, 1, -1)

    form.submit()

    assert chips_of(form.submit(), "Ann")[1] == "+1"


def test_a_stale_form_comes_back_filled_in(host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    form = adjust(host, session.id, 1, -1)
    make_deal(db, session)

    page = form.submit()

    assert page.status == 409
    assert chips_of(page.form("/chips/adjust").submit(), "Ann")[1] == "+2"


def test_a_stranger_moves_nothing(host: Host, stranger: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    own = make_session(db, group=stranger.group)
    form = adjust(stranger, own.id, 1, -1)
    before = dump(db)

    assert stranger.post(f"/sessions/{session.id}/chips/adjust", data=form.data).status == 404
    assert dump(db) == before
