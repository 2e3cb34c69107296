import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scorekeeper.score_command import score

NAMES = ["Ann", "Ben", "Cleo", "Dan"]
HALF = {"type": "deal", "contract": "half", "declarer": "Ann", "partner": "Cleo", "trump": "clubs", "tricks": 5}
SWEEP = {
    "type": "deal",
    "turn_up": "spades",
    "maker": "Ben",
    "trump": "hearts",
    "tricks": {"Ann": 0, "Ben": 5, "Cleo": 0, "Dan": 0},
}


def session(*events: object, **head: object) -> dict[str, Any]:
    document = {"format": "scorekeeper/session", "version": 1, "rules": "mensch", "players": NAMES, **head}
    return {**document, "events": list(events)}


def run(document: object, *options: str) -> Result:
    return CliRunner().invoke(score, [*options, "-"], input=json.dumps(document))


def test_it_prints_a_sheet_a_person_can_read() -> None:
    done = run(session(HALF, {"type": "misdeal"}, HALF | {"tricks": 4}, chip={"value": "0.25", "currency": "EUR"}))
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "Mensch · one chip is €0.25",
        "",
        "  Deal  Dealer  Played                      Result      Ann      Ben      Cleo      Dan",
        "     1  Ann     Half, Clubs: Ann with Cleo  Made    +1    1  −1   −1  +1     1  −1   −1",
        "     2  Ben     Half, Clubs: Ann with Cleo  Set     −2   −1  +2    1  −2    −1  +2    1",
        "",
        "Standings in chips",
        "  1  Ben    1",
        "  1  Dan    1",
        "  3  Ann   −1",
        "  3  Cleo  −1",
        "",
        "To settle",
        "  Ann pays Ben 1 chip (€0.25)",
        "  Cleo pays Dan 1 chip (€0.25)",
        "",
        "Next to deal: Cleo",
    ]


def test_a_price_of_several_chips_is_said_and_settled_in_money() -> None:
    done = run(session(HALF, chip={"value": "1.00", "currency": "EUR", "chips": 3}))
    assert done.stdout.splitlines()[0] == "Mensch · 3 chips are €1.00"
    assert "  Ben pays Ann €0.33" in done.stdout.splitlines()
    assert "  Dan pays Cleo €0.33" in done.stdout.splitlines()


def test_the_sheet_of_a_session_in_which_somebody_came_late_leaves_out_what_was_before() -> None:
    seats = {"type": "seats", "players": ["Ann", "Ben", "Cleo", "Eve"]}
    done = run(session(HALF, seats, HALF | {"partner": "Eve"}, {"type": "dealer", "player": "Eve"}))
    assert done.stdout.splitlines()[2:5] == [
        "  Deal  Dealer  Played                      Result      Ann      Ben      Cleo      Dan      Eve",
        "     1  Ann     Half, Clubs: Ann with Cleo  Made    +1    1  −1   −1  +1     1  −1   −1",
        "     2  Ben     Half, Clubs: Ann with Eve   Made    +1    2  −1   −2  −1     0   0   −1  +1    1",
    ]
    assert "  1  Ann    2\n  2  Eve    1\n" in done.stdout
    assert "Next to deal: Eve" in done.stdout


def test_the_sheet_of_a_finished_game_names_its_winner_and_the_next_game_has_a_heading() -> None:
    finished = run(session(SWEEP, rules="dirty-clubs")).stdout
    assert "Standings in points\n  1  Ben    0\n" in finished
    assert "The game is over. Won by: Ben\nNext to deal: Ben\n" in finished
    assert "settle" not in finished
    both = run(session(SWEEP, {"type": "new-game"}, SWEEP, rules="dirty-clubs")).stdout
    assert "\n  Game 2\n     2  Ben " in both


def test_the_sheet_shows_the_chips_in_hand_once_some_were_bought() -> None:
    assert "Chips in hand" not in run(session(HALF)).stdout
    bought = [{"type": "buy-in", "player": name, "chips": 10} for name in NAMES]
    assert "Chips in hand\n  Ann   11\n  Ben    9\n" in run(session(*bought, HALF)).stdout


def test_an_empty_sitting_has_a_sheet_too() -> None:
    assert run(session()).stdout.splitlines()[-1] == "Next to deal: Ann"


@pytest.mark.parametrize(
    "names",
    [
        ["x" * 40, "Ben", "花子", "Zoë"],
        ["\N{PLAYING CARD ACE OF SPADES}", "نادر", "می\N{ZERO WIDTH NON-JOINER}نا", "e\N{COMBINING ACUTE ACCENT}"],
    ],
)
def test_columns_stay_in_line_whatever_the_names(names: list[str]) -> None:
    half = HALF | {"declarer": names[0], "partner": names[2]}
    lines = run(session(half, half, players=names)).stdout.splitlines()
    first, second = lines[3:5]
    assert first.startswith("     1  ")
    assert second.startswith("     2  ")
    # The last column is flush right: both totals end where the name does, two columns a wide letter.
    assert len(first) == len(second)


def test_json_is_the_answer_and_nothing_else() -> None:
    done = run(session(HALF), "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    assert json.loads(done.stdout)["totals"] == {"Ann": 1, "Ben": -1, "Cleo": 1, "Dan": -1}


def test_a_refusal_is_one_clear_line_that_names_the_event() -> None:
    done = run(session(HALF, HALF | {"trump": "hearts", "tricks": 9}))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == ("-: event 2: Half is always played with clubs. Tricks must be a whole number from 0 to 8.\n")


def test_a_refusal_of_the_head_names_no_event() -> None:
    done = run(session(HALF, players=NAMES[:3]))
    assert (done.exit_code, done.stderr) == (2, "-: This game needs 4 players with different names.\n")


def test_a_refusal_as_json_tells_every_problem_with_its_field_and_message() -> None:
    done = run(session(HALF, HALF | {"trump": "hearts", "tricks": 9}), "--json")
    assert done.exit_code == 2
    assert json.loads(done.stdout) == {
        "error": {
            "event": 2,
            "problems": [
                {"code": "TRUMP_FIXED", "field": "trump", "message": "Half is always played with clubs."},
                {"code": "TRICKS_RANGE", "field": "tricks", "message": "Tricks must be a whole number from 0 to 8."},
            ],
        }
    }
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_file_that_cannot_be_read_is_refused_like_any_other(tmp_path: Path, options: list[str]) -> None:
    for path, why in ((tmp_path / "none.json", "No such file or directory"), (tmp_path, "Is a directory")):
        done = CliRunner().invoke(score, [*options, str(path)])
        assert done.exit_code == 2
        assert done.stderr == f"{path}: The file cannot be read: {why}.\n"
        if options:
            assert json.loads(done.stdout)["error"]["event"] == 0


def test_a_file_is_scored_like_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_text(json.dumps(session(HALF)), "utf-8")
    assert CliRunner().invoke(score, [str(path)]).stdout == run(session(HALF)).stdout


def test_it_needs_no_database_no_secret_and_no_terminal_that_knows_utf_8(tmp_path: Path) -> None:
    names = ["Ann", "Бен", "花子", "Zoë"]
    done = subprocess.run(
        [sys.executable, "-c", "from scorekeeper.score_command import score; score()", "-"],
        input=json.dumps(session(players=names)).encode(),
        env={"PYTHONPATH": os.pathsep.join(sys.path), "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        cwd=tmp_path,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert [name for name in names if name in done.stdout.decode("utf-8")] == names
    assert list(tmp_path.iterdir()) == []


def test_what_was_entered_cannot_drive_the_terminal() -> None:
    done = run(session(HALF | {"\x1b[2J": 1, "contract": "\x1b[31mgrand"}))
    assert done.exit_code == 2
    assert "\x1b" not in done.stderr
