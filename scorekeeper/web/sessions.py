"""Opening a session: which rules, who sits where, who deals first, and what a chip is worth."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import groupby
from typing import Any, Final

from babel.core import Locale, UnknownLocaleError
from babel.lists import format_list
from babel.numbers import get_currency_name, get_territory_currencies
from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from flask_babel import lazy_gettext as later
from flask_babel import to_user_timezone
from wtforms import Field, HiddenField, SelectField, StringField
from wtforms.fields.choices import SelectChoice

from scorekeeper import currencies, queries
from scorekeeper.extensions import db
from scorekeeper.ledger import MAX_MINOR, AmbiguousAmount, MalformedAmount, parse_minor, plain
from scorekeeper.ledger.chipset import Bank, worth
from scorekeeper.limits import MAX_CHIPS
from scorekeeper.models import AnyRow
from scorekeeper.names import BadName, clean_name
from scorekeeper.rules import (
    CARD_GAMES,
    MOST_SITTING_OUT,
    RULESETS,
    CardGame,
    Option,
    OptionValue,
    Problem,
    Refused,
    Ruleset,
    Seat,
)
from scorekeeper.rules import ruleset as published_ruleset
from scorekeeper.services.carrying import OFFERED, Carry, LeftOpen, in_other_unit, left_open
from scorekeeper.services.chipset import colours_of
from scorekeeper.services.groups import Role
from scorekeeper.services.ledger import chip_of
from scorekeeper.services.sessions import OpenSession, open_session
from scorekeeper.services.transaction import ChangedForm
from scorekeeper.sessionfile import Chip
from scorekeeper.web import access, amounts
from scorekeeper.web.forms import SubmissionForm
from scorekeeper.web.pieces import said
from scorekeeper.words import (
    amount_message,
    beside,
    day,
    game_name,
    isolated,
    option_group_label,
    option_short_label,
    option_value_label,
    problem_message,
    ruleset_notice,
    ruleset_summary,
    ruleset_title,
)
from scorekeeper.words.numbers import MINUS, locale

blueprint = Blueprint("sessions", __name__)

BY_LOT: Final = "lot"
COMMON_CURRENCIES: Final = ("EUR", "USD", "GBP", "CHF", "PLN", "CZK", "SEK", "NOK", "DKK", "HUF", "JPY", "CAD", "AUD")
YES_OR_NO: Final = {"yes": True, "no": False}
_WHOLE: Final = re.compile(r"[+-]?\d{1,9}")
_CARRY_NAME: Final = re.compile(r"carry-(\d{1,9})")
_CARRY_VALUE: Final = re.compile(r"(left|all)-(\d{1,9})")


class OpenForm(SubmissionForm):
    """What every session asks; :func:`_open_form` adds ``seat-0``, ``opening-0``, ``rule-<option>`` and ``carry-<id>``.

    ``beside`` holds what is wrong with the seats, the opening sheet, or what is carried over as a whole. ``warns`` says
    that nothing is: it is only to be known before the session begins.
    """

    rules = HiddenField()
    # The chips and players of which it was last said that the chip set hardly has enough, or what stays open with them.
    advised = HiddenField()
    name = StringField(later("Name of the session"))
    dealer = SelectField(later("First dealer"), validate_choice=False)
    price = StringField(later("Price of chips"), render_kw={"inputmode": "decimal"})
    priced = StringField(later("For how many chips"), render_kw={"inputmode": "numeric"})
    currency = SelectField(later("Currency"), validate_choice=False)
    buy_in = StringField(later("Chips each buys"), render_kw={"inputmode": "numeric"})

    def __init__(self, places: int, **defaults: object) -> None:
        super().__init__(data=defaults)
        self.places = range(places)
        self.beside: dict[str, list[str]] = {"players": [], "opening": [], "carry": []}
        self.warns = False

    def add_problems(self, problems: Iterable[Problem], names: Sequence[str] = ()) -> list[Problem]:
        """Beside its field, or the group of fields it is about."""
        for problem in super().add_problems(problems, names):
            if problem.code.startswith("HOUSE_RULE"):
                rule = self[f"rule-{problem.field}"]
                rule.errors = [*rule.errors, problem_message(problem)]
            else:
                # What there is no field for any more was open of an earlier session.
                self.beside.get(problem.field, self.beside["carry"]).append(problem_message(problem))
        return []

    @property
    def refused(self) -> list[dict[str, str]]:
        """Everything that does not fit, with the id of its control."""
        found = [(field.id, error) for field in self for error in field.errors]
        found += [(name, error) for name, errors in self.beside.items() for error in errors]
        return [{"id": control, "text": str(error)} for control, error in found]


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """House rules under one heading."""

    title: str
    fields: tuple[Field, ...]


@blueprint.get("/groups/<id:group_id>/sessions/new")
def new(group_id: int) -> str:
    group = access.group(group_id, Role.HOST)
    if "rules" not in request.args:
        return render_template("sessions/rules.html", group=group, games=list(rulesets_by_game()))
    game, ruleset = _chosen(request.args["rules"])
    people = _people(group.id, game.id)
    return _page(group, game, ruleset, _open_form(game, ruleset, people), people)


@blueprint.post("/groups/<id:group_id>/sessions")
def create(group_id: int) -> ResponseReturnValue:
    group = access.group(group_id, Role.HOST)
    game, published = _chosen(request.form.get("rules", ""))
    people = _people(group.id, game.id)
    form = _open_form(game, published, people)
    form.validate()
    command = _entered(form, group, game, published)
    if form.refused:
        return _page(group, game, published, form, people), 422
    chosen = [f"{carry.session_id}-{carry.version}-{carry.unpaid:d}" for carry in command.carry]
    asked = "/".join([str(command.buy_in), *map(str, command.players), *chosen])
    if form.advised.data != asked and _warned(form, group, command, people):
        if form.warns:
            form.advised.data = asked
        return _page(group, game, published, form, people), 422
    try:
        session_id = open_session(db.session(), command)
    except Refused as refused:
        form.add_problems(refused.problems)
        return _page(group, game, published, form, people), 422
    except ChangedForm:
        flash(_("A session was begun with this form before you changed it. Send it again to begin another."), "warning")
        form.renew_submission()
        return _page(group, game, published, form, people), 409
    if command.buy_in and group.chip_set:
        flash(*_to_hand_out(group, command))
    if form.dealer.data == BY_LOT:
        session = access.game_session(session_id)
        dealer = queries.seats(db.session(), session_id)[session.first_dealer].name
        flash(_("Drawn by lot: %(name)s deals first.", name=isolated(dealer)), "done")
    return redirect(url_for("board.session", session_id=session_id), 303)


def _to_hand_out(group: AnyRow, command: OpenSession) -> tuple[str, str]:
    """Which pieces everybody gets for what they buy, and how much of a message that is."""
    pieces = Bank.with_out(colours_of(group.chip_set), {}).hand_out(command.buy_in, len(command.players))
    if pieces:
        return _("Hand everybody %(pieces)s.", pieces=said(pieces)), "done"
    return _too_few(command), "warning"


def _warned(form: OpenForm, group: AnyRow, command: OpenSession, people: People) -> bool:
    """Whether there is anything to know before the session begins; it then stands beside its fields.

    What cannot be carried over for its unit is said along with it.
    """
    form.buy_in.errors = list(_warnings(group, command))
    units = []
    for carry in command.carry:
        if left := next((left for left in people.left if left.session.id == carry.session_id), None):
            name = f"carry-{carry.session_id}"
            form[name].errors = list(_stays(people, left, command.players, carry))
            units += in_other_unit(left.session, command.chip, name)
    form.warns = bool(form.refused) and not units
    form.add_problems(units)
    return bool(form.refused)


def _stays(people: People, left: LeftOpen, players: Collection[int], carry: Carry) -> Iterator[str]:
    """What of an earlier session stays open, and because of whom, where *players* can take along only a part."""
    concerned, taken = left.concerned(unpaid=carry.unpaid), left.among(players, unpaid=carry.unpaid)
    stays = {player: amount - taken.get(player, 0) for player, amount in concerned.items()}
    if taken and any(stays.values()):
        yield _(
            "These do not sit at this table: %(players)s. So this stays open, and is offered again next time:"
            " %(open)s.",
            players=_listed(people, [player for player in concerned if player not in players]),
            open=_amounts(people, left, stays),
        )


def _warnings(group: AnyRow, command: OpenSession) -> Iterator[str]:
    """What to know before everybody buys: that the chip set cannot make it, or has nothing of a colour left after."""
    players = len(command.players)
    # Everything else is refused anyway.
    if not (group.chip_set and players and 0 < command.buy_in <= MAX_CHIPS):
        return
    bank = Bank.with_out(colours_of(group.chip_set), {})
    pieces = bank.hand_out(command.buy_in, players)
    if not pieces:
        yield _too_few(command)
    for colour in bank.last_ones(pieces, players):
        yield _("That takes the last %(colour)s ones in the bank.", colour=isolated(colour.name))


def _too_few(command: OpenSession) -> str:
    return _(
        "The chip set cannot make %(chips)s alike for everybody: borrow what is missing.",
        chips=amounts.counted(command.buy_in),
    )


def rulesets_by_game() -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Every ruleset to choose from, under the name of its card game."""
    for game in CARD_GAMES.values():
        yield (
            game_name(game.id),
            [
                {
                    "id": ruleset.id,
                    "title": ruleset_title(ruleset.id),
                    "summary": ruleset_summary(ruleset.id),
                    "notice": ruleset_notice(ruleset.id),
                }
                for ruleset in game.rulesets
            ],
        )


def now() -> datetime:
    return datetime.now(UTC)


def today() -> date:
    """The date where the table stands: that of the configured time zone."""
    here: datetime = to_user_timezone(now())
    return here.date()


def _chosen(ruleset_id: str) -> tuple[CardGame[Any], Ruleset]:
    return published_ruleset(ruleset_id) if ruleset_id in RULESETS else abort(404)


@dataclass(frozen=True, slots=True)
class People:
    """The players of a group who have not retired, who sat in its latest session, and what is open between them.

    ``chip`` is the last price of chips. ``names`` are those of everybody, by player. ``more_open`` says that even more
    is open than is in ``left``.
    """

    players: Sequence[AnyRow]
    seating: Sequence[tuple[int, int]]
    chip: Chip | None
    left: Sequence[LeftOpen]
    more_open: bool
    names: Mapping[int, str]


def _people(group_id: int, card_game: str) -> People:
    everybody = queries.players(db.session(), group_id)
    left = left_open(db.session(), group_id)
    return People(
        players=[player for player in everybody if player.retired_at is None],
        seating=queries.last_seated(db.session(), group_id),
        chip=queries.last_price(db.session(), group_id, card_game),
        left=left[:OFFERED],
        more_open=len(left) > OFFERED,
        names={player.id: player.name for player in everybody},
    )


def _carry_field(people: People, left: LeftOpen) -> SelectField:
    """What can be taken along of an earlier session; without a choice where nothing can."""
    present = {player.id for player in people.players}
    choices, said = [], []
    if left.left:
        said.append(_("Left open: %(open)s.", open=_amounts(people, left, left.left)))
        if left.left_among(present):
            choices.append(("left", _("Take along what is left")))
    if left.unpaid:
        everything = _amounts(people, left, left.concerned(unpaid=True))
        said.append(_("With the payments not yet made: %(open)s.", open=everything))
        if left.lines_among(present):
            choices.append(("all", _("Take along unpaid, too") if choices else _("Take along what is unpaid")))
    if retired := [player for player in left.concerned(unpaid=True) if player not in present]:
        said.append(
            _("What concerns those who have retired stays open: %(players)s.", players=_listed(people, retired))
        )
    return SelectField(
        _("Open from %(session)s", session=isolated(left.session.name)),
        choices=[
            SelectChoice("", _("Settled apart")),
            *(SelectChoice(f"{way}-{left.session.version}", label) for way, label in choices),
        ],
        default="",
        description=" ".join(said),
        validate_choice=False,
    )


def _amounts(people: People, left: LeftOpen, open_of: Mapping[int, int]) -> str:
    chip = chip_of(left.session)
    each = [
        beside(isolated(name), amounts.settled(open_of[player], chip).text)
        for player, name in people.names.items()
        if open_of.get(player)
    ]
    return format_list(each, locale=locale(), style="unit")


def _listed(people: People, players: Iterable[int]) -> str:
    return format_list([isolated(people.names[player]) for player in players], locale=locale())


def _carry(form: OpenForm) -> tuple[Carry, ...]:
    """What is to be carried over. Whether it is still so is seen when it is done: the form may have done it before."""
    carries = []
    for name, value in request.form.items():
        if value and (of_session := _CARRY_NAME.fullmatch(name)):
            if chosen := _CARRY_VALUE.fullmatch(value):
                carries.append(Carry(int(of_session[1]), int(chosen[2]), unpaid=chosen[1] == "all"))
            else:
                form.add_problems([Problem("CARRY_CHANGED", name)])
    return tuple(carries)


def _open_form(game: CardGame[Any], ruleset: Ruleset, people: People) -> OpenForm:
    """The form for *ruleset*, filled in as the group sat last, or else as its players joined."""
    players, chip = people.players, people.chip
    present = {player.id for player in players}
    sitting = [player for _seat, player in people.seating if player in present]
    if not game.admits(ruleset, len(sitting)):
        sitting += [player.id for player in players if player.id not in sitting]
        sitting = sitting[: game.players(ruleset)]
    options = {option.name: option for option in game.options}
    names = [SelectChoice("", _("Nobody")), *(SelectChoice(str(player.id), player.name) for player in players)]
    fields: dict[str, Any] = {}
    places = (options["players"].high or 0) + MOST_SITTING_OUT
    for place in range(places):
        label = _("Seat %(number)s", number=place + 1)
        player = str(sitting[place]) if place < len(sitting) else ""
        fields[f"seat-{place}"] = SelectField(label, choices=names, default=player, validate_choice=False)
        fields[f"opening-{place}"] = StringField(label, render_kw={"inputmode": "numeric"})
    for option in _changeable(game):
        fields[f"rule-{option.name}"] = _rule_field(option, ruleset.options[option.name])
    for left in people.left:
        fields[f"carry-{left.session.id}"] = _carry_field(people, left)
    form_class = type("OpenSessionForm", (OpenForm,), fields)
    offered = chip if game.plays_for_chips(ruleset) else None
    form: OpenForm = form_class(
        places=places,
        rules=ruleset.id,
        name=_("%(game)s, %(day)s", game=game_name(game.id), day=day(today())),
        dealer=BY_LOT,
        currency=chip.currency if chip else _likely_currency(),
        price=plain(offered.value_minor, offered.exponent) if offered else "",
        priced=str(offered.chips) if offered else "1",
    )
    form.dealer.choices = [SelectChoice(BY_LOT, _("Drawn by lot")), *names[1:]]
    form.currency.choices = [
        *(SelectChoice(code, get_currency_name(code, locale=locale())) for code in COMMON_CURRENCIES),
        *(SelectChoice(code, code) for code in currencies.in_use() if code not in COMMON_CURRENCIES),
    ]
    return form


def _changeable(game: CardGame[Any]) -> Iterator[Option]:
    return (option for option in game.options if option.high is None or option.low < option.high)


def _rule_field(option: Option, value: OptionValue) -> Field:
    """A house rule, at the value the ruleset gives it."""
    label = option_short_label(option.name)
    if option.choices:
        choices = [SelectChoice(choice, option_value_label(choice)) for choice in option.choices]
        return SelectField(label, choices=choices, default=value, validate_choice=False)
    if option.high is None:
        choices = [SelectChoice(word, option_value_label(choice)) for word, choice in YES_OR_NO.items()]
        return SelectField(label, choices=choices, default="yes" if value else "no", validate_choice=False)
    return StringField(label, default=str(value), render_kw={"inputmode": "numeric"})


def _likely_currency() -> str:
    """That of the country the browser's language names."""
    for language in request.accept_languages.values():
        try:
            territory = Locale.parse(language, sep="-").territory
        except (ValueError, UnknownLocaleError):
            continue
        if found := get_territory_currencies(territory) if territory else []:
            return str(found[0])
    return COMMON_CURRENCIES[0]


def _page(group: AnyRow, game: CardGame[Any], ruleset: Ruleset, form: OpenForm, people: People) -> str:
    rules = groupby(_changeable(game), key=lambda option: option.group)
    groups = {
        name: RuleGroup(option_group_label(name), tuple(form[f"rule-{option.name}"] for option in options))
        for name, options in rules
    }
    seats = [form[f"seat-{place}"] for place in form.places]
    usual = game.players(ruleset)
    return render_template(
        "sessions/new.html",
        group=group,
        form=form,
        ruleset={"id": ruleset.id, "title": ruleset_title(ruleset.id), "notice": ruleset_notice(ruleset.id)},
        seats=seats[:usual],
        more_seats=seats[usual:],
        # The seats offer everybody, and nobody.
        more_players=len(seats[0].choices) - 1 > usual,
        opening=[form[f"opening-{place}"] for place in form.places],
        stake=groups.pop("stake", None),
        carry=[form[f"carry-{left.session.id}"] for left in people.left],
        more_open=people.more_open,
        rules=list(groups.values()),
        unit=game.unit,
        in_set=amounts.counted(worth(colours_of(group.chip_set))) if group.chip_set else "",
    )


def _entered(form: OpenForm, group: AnyRow, game: CardGame[Any], published: Ruleset) -> OpenSession:
    """What was entered; anything that cannot be understood has its message beside its field."""
    ruleset = _house_rules(form, game, published)
    taken = [place for place in form.places if form[f"seat-{place}"].data]
    players = tuple(_whole(form[f"seat-{place}"].data) or 0 for place in taken)
    chip, buy_in = _chip(form), _buy_in(form)
    if (chip or buy_in) and not game.plays_for_chips(ruleset):
        form.price.errors = [_("No chips change hands by these rules. Say first what a loser pays.")]
    return OpenSession(
        group_id=group.id,
        link_id=group.link_id,
        submission_id=form.submission_id.data,
        name=_name(form),
        card_game=game.id,
        ruleset=ruleset,
        players=players,
        dealer=_dealer(form, players),
        started_on=today(),
        opening=_opening(form, taken),
        chip=chip,
        buy_in=buy_in,
        carry=_carry(form),
        device=access.device(),
        device_name=group.link_name,
    )


def _name(form: OpenForm) -> str:
    try:
        return clean_name(form.name.data or "")
    except BadName as bad:
        form.add_problems(bad.problems)
        return ""


def _house_rules(form: OpenForm, game: CardGame[Any], published: Ruleset) -> Ruleset:
    changes = {
        option.name: value
        for option in _changeable(game)
        if (value := _option_value(option, form[f"rule-{option.name}"].data)) != published.options[option.name]
    }
    try:
        return game.with_house_rules(published, changes)
    except Refused as refused:
        form.add_problems(refused.problems)
        return published


def _option_value(option: Option, text: str) -> object:
    """What was entered, as the option's kind of value if it can be; the rules refuse it otherwise."""
    if option.choices:
        return text
    if option.high is None:
        return YES_OR_NO.get(text, text)
    whole = _whole(text)
    return text if whole is None else whole


def _dealer(form: OpenForm, players: Sequence[int]) -> Seat | None:
    if form.dealer.data == BY_LOT:
        return None
    player = _whole(form.dealer.data)
    if player in players:
        return Seat(players.index(player))
    form.dealer.errors = [_("The first dealer must sit at the table.")]
    return Seat(0)


def _chip(form: OpenForm) -> Chip | None:
    text, currency = form.price.data or "", form.currency.data or ""
    if not text.strip():
        return None
    try:
        exponent = currencies.exponent_of(currency)
    except currencies.UnknownCurrency:
        form.currency.errors = [_("Choose a currency.")]
        return None
    try:
        price = parse_minor(text, exponent)
    except (AmbiguousAmount, MalformedAmount) as error:
        form.price.errors = [amount_message(error, currency, exponent)]
        return None
    if not price:
        bounds = {"low": 1, "high": MAX_MINOR, "currency": currency, "exponent": exponent}
        form.add_problems([Problem("MALFORMED", "price", {"reason": "money", **bounds})])
    chips = _whole(form.priced.data)
    if chips is None or not 1 <= chips <= MAX_CHIPS:
        form.add_problems([Problem("CHIPS_RANGE", "priced", {"low": 1, "high": MAX_CHIPS})])
        chips = 1
    return Chip(price, currency, exponent, chips)


def _buy_in(form: OpenForm) -> int:
    text = (form.buy_in.data or "").strip()
    chips = _whole(text) if text else 0
    if chips is None or not 0 <= chips <= MAX_CHIPS:
        form.add_problems([Problem("CHIPS_RANGE", "buy_in", {"low": 0, "high": MAX_CHIPS})])
        return 0
    return chips


def _opening(form: OpenForm, taken: Sequence[int]) -> tuple[int, ...] | None:
    """What stands on the sheet of each seat that is taken; None if nothing was entered."""
    fields = [form[f"opening-{place}"] for place in form.places]
    if not any((field.data or "").strip() for field in fields):
        return None
    totals = []
    for place, field in enumerate(fields):
        total = _whole(field.data)
        if place in taken and total is None:
            field.errors = [_("Enter a whole number.")]
        elif place in taken:
            totals.append(total or 0)
        elif field.data:
            field.errors = [_("Nobody sits here.")]
    return tuple(totals)


def _whole(text: str | None) -> int | None:
    """The whole number that was typed, in any script's digits."""
    typed = (text or "").strip().replace(MINUS, "-")
    return int(typed) if _WHOLE.fullmatch(typed) else None
