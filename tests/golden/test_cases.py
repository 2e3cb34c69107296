"""The published cases: each sitting with its score, or the refusal it must meet, through the command itself."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from scorekeeper.score_command import score

CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))


def missing(expected: Any, got: Any, where: str = "answer") -> list[str]:
    """Where *expected* is not found in *got*; an object may hold more than expected, a list may not."""
    if isinstance(expected, dict) and isinstance(got, dict):
        return [
            fault
            for key, value in expected.items()
            for fault in (missing(value, got[key], f"{where}.{key}") if key in got else [f"{where}.{key} is missing"])
        ]
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        return [
            fault
            for place, (one, other) in enumerate(zip(expected, got, strict=True))
            for fault in missing(one, other, f"{where}[{place}]")
        ]
    same = type(expected) is type(got) and expected == got
    return [] if same else [f"{where}: expected {expected!r}, got {got!r}"]


def test_there_are_cases() -> None:
    assert len(CASES) >= 77


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_case_is_answered_as_published(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    expect = case["expect"]

    done = CliRunner().invoke(score, ["--json", "-"], input=json.dumps(case["session"]))

    answer = json.loads(done.stdout)
    if "error" in expect:
        assert done.exit_code == 2
        assert answer["error"]["event"] == expect["error"]["event"]
        assert expect["error"]["code"] in [problem["code"] for problem in answer["error"]["problems"]]
        return
    assert done.exit_code == 0
    if "winners" in expect:
        expect["winners"].sort()
        answer["winners"].sort()
    assert missing(expect, answer) == []
