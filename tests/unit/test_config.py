"""Settings, and the secret key a machine keeps for itself."""

import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scorekeeper.config import BadSetting, kept_secret_key, settings


def test_a_machine_keeps_its_secret_key_to_its_owner(tmp_path: Path) -> None:
    data = tmp_path / "made" / "now"
    key = kept_secret_key(data)
    assert len(key) == 64
    assert kept_secret_key(data) == key
    assert [path.name for path in data.iterdir()] == ["secret_key"]
    assert (data / "secret_key").stat().st_mode & 0o077 == 0


def test_a_start_that_was_interrupted_before_leaves_nothing_half_written(tmp_path: Path) -> None:
    (tmp_path / "secret_key.1").write_text("half a")
    assert len(kept_secret_key(tmp_path)) == 64


def test_servers_that_start_at_once_agree_on_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: kept_secret_key(tmp_path), range(8)))) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SCOREKEEPER_PORT", "0"),
        ("SCOREKEEPER_PORT", "65536"),
        ("SCOREKEEPER_PORT", "http"),
        ("SCOREKEEPER_WORKERS", "-1"),
        ("SCOREKEEPER_THREADS", "0"),
        ("SCOREKEEPER_TIMEZONE", "Mars/Olympus"),
        ("SCOREKEEPER_DATABASE_URL", "scores.db"),
        ("SCOREKEEPER_DATABASE_URL", "sqlite://"),
        ("SCOREKEEPER_DATABASE_URL", "sqlite:///:memory:"),
        ("SCOREKEEPER_DATABASE_URL", "mysql://host/scores"),
        ("SCOREKEEPER_DATABASE_URL", "postgres://host/scores"),
        ("SCOREKEEPER_DATABASE_URL", "postgresql://ann:a@b:c@host/scores"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(name: str, value: str) -> None:
    with pytest.raises(BadSetting, match=name):
        settings({name: value})


@pytest.mark.parametrize("url", ["mysql://ann:secret@host/scores", "postgresql://ann:a@b:secret@host/scores"])
def test_that_a_database_cannot_be_used_says_no_password(url: str) -> None:
    with pytest.raises(BadSetting) as bad:
        settings({"SCOREKEEPER_DATABASE_URL": url})
    assert "secret" not in "".join(traceback.format_exception(bad.value))


def test_postgresql_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scorekeeper.config.find_spec", lambda name: None)
    with pytest.raises(BadSetting, match=r"pip install 'scorekeeper\[postgres\]'"):
        settings({"SCOREKEEPER_DATABASE_URL": "postgresql+psycopg://host/scores"})


def test_phones_keep_pages_unless_that_is_switched_off() -> None:
    assert settings({})["OFFLINE"]
    assert not settings({"SCOREKEEPER_OFFLINE": "0"})["OFFLINE"]


def test_without_settings_scores_are_kept_in_the_data_folder(tmp_path: Path) -> None:
    assert (
        settings({"SCOREKEEPER_DATA": str(tmp_path)})["SQLALCHEMY_DATABASE_URI"]
        == f"sqlite:///{tmp_path}/scorekeeper.db"
    )
