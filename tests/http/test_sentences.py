"""Every visible word goes through gettext: in a language that puts each sentence in brackets, none stands outside."""

from __future__ import annotations

import re
from collections.abc import Iterator

import flask_babel
import pytest
from babel import Locale
from babel.support import NullTranslations
from bs4.element import NavigableString
from flask import Flask
from sqlalchemy.orm import Session

from tests.factories import NAMES, make_deal, make_session
from tests.http.conftest import Host
from tests.http.test_every_route import pages
from tests.http.visitor import Page, Visitor
from tests.http.world import SESSIONS, make_world

WORD = re.compile(r"[^\W\d_]+")
LINK = re.compile(r"http://localhost/(?:(?:open|pen)/\S+|join)")
OPENING, CLOSING = "⟦⟧"
SPOKEN_ATTRIBUTES = ("alt", "aria-label", "aria-description", "aria-valuetext", "placeholder", "title", "label")
GIVEN = frozenset(
    # What people entered, and what the tests call it.
    " ".join(
        (
            *NAMES,
            "Thursdays",
            "Thursday",
            "Nothing yet",
            "Last week",
            "Last month",
            "Last year",
            "Pizza",
            "Clubs",
            "paid twice",
            "Zoe",
        )
    ).split()
).union("white red blue".split())


class Bracketed(NullTranslations):
    """A language that puts every sentence in brackets."""

    def ugettext(self, message: str) -> str:
        return f"{OPENING}{message}{CLOSING}"

    def ungettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"{OPENING}{msgid1 if n == 1 else msgid2}{CLOSING}"

    gettext, ngettext = ugettext, ungettext


def calendar_words() -> frozenset[str]:
    """What Babel writes in dates."""
    english = Locale("en", "GB")
    words: set[str] = set()
    for names in (english.months, english.days, english.day_periods):
        for by_width in names.values():
            for by_name in by_width.values():
                words |= {word for name in by_name.values() for word in WORD.findall(name)}
    return frozenset(words)


ALLOWED = GIVEN | calendar_words() | set(WORD.findall(Locale.parse("en_001").currency_symbols["JPY"]))


def outside_brackets(text: str) -> str:
    """What of *text* stands in no brackets."""
    depth, kept = 0, []
    for character in text:
        depth += character == OPENING
        if not depth:
            kept.append(character)
        depth -= character == CLOSING
    return "".join(kept)


def texts_of(page: Page) -> Iterator[str]:
    """Everything that a page shows or says."""
    # Currencies and their names come from Babel.
    for option in page.soup.select("[name=currency] option"):
        option.decompose()
    for code in page.soup.select(".spoken"):
        code.decompose()
    for node in page.soup.find_all(string=True):
        # The others are comments and the like.
        if type(node) is NavigableString:
            yield str(node)
    for element in page.soup.find_all(True):
        for attribute in SPOKEN_ATTRIBUTES:
            if element.has_attr(attribute):
                yield str(element[attribute])


def untranslated(page: Page) -> list[str]:
    found = [(text, WORD.findall(LINK.sub("", outside_brackets(text)))) for text in texts_of(page)]
    return [" ".join(text.split()) for text, words in found if not ALLOWED.issuperset(words)]


@pytest.fixture
def bracketed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flask_babel.Domain, "get_translations", lambda _domain: Bracketed())


@pytest.fixture
def values(db: Session, host: Host) -> dict[str, dict[str, str | int]]:
    return make_world(db, host.group).sessions


@pytest.mark.usefixtures("bracketed")
def test_the_brackets_are_seen(host: Host) -> None:
    page = host.get("/")

    assert OPENING in page.text
    page.soup.body.append("plain words")  # type: ignore[union-attr]
    assert untranslated(page) == ["plain words"]


@pytest.mark.usefixtures("bracketed")
@pytest.mark.parametrize("session", SESSIONS)
def test_every_word_of_every_page_can_be_translated(
    app: Flask, host: Host, values: dict[str, dict[str, str | int]], session: str
) -> None:
    for page in pages(app, host, values[session]):
        assert untranslated(page) == [], page.response.request.path


@pytest.mark.usefixtures("bracketed")
@pytest.mark.parametrize(
    "rules", ["mensch", "mensch-russian", "mensch-russian-printed", "dirty-clubs", "buck-euchre", "buck-euchre-bid"]
)
def test_every_word_about_every_ruleset_can_be_translated(host: Host, rules: str) -> None:
    for path in (f"/rules/{rules}", f"{host.group_path}/sessions/new?rules={rules}"):
        page = host.get(path)
        assert page.status == 200
        assert untranslated(page) == [], path


@pytest.mark.usefixtures("bracketed")
@pytest.mark.parametrize("session", SESSIONS)
def test_every_word_of_every_refusal_and_result_can_be_translated(
    app: Flask, host: Host, values: dict[str, dict[str, str | int]], session: str
) -> None:
    for page in pages(app, host, values[session]):
        for form in page.forms():
            # As it is shown: most are refused for what is not filled in, and what is done says so.
            if not form.action.endswith("/withdraw"):
                answer = form.submit()
                assert untranslated(answer) == [], (form.action, answer.status)


@pytest.mark.usefixtures("bracketed")
def test_every_word_of_every_error_page_can_be_translated(app: Flask, host: Host, db: Session) -> None:
    session = make_session(db, group=host.group)
    stale = host.get(f"/sessions/{session.id}/settlement").form("/close")
    make_deal(db, session)
    answers = [
        host.post("/groups"),
        host.get("/no-such-page"),
        host.post("/rules", data=stale.data),
        stale.submit("End"),
        host.post("/groups", data={"name": "x" * 1_100_000}),
        Visitor(app).get(host.group_path),
    ]

    assert [answer.status for answer in answers] == [400, 404, 405, 409, 413, 404]
    for answer in answers:
        assert untranslated(answer) == []
