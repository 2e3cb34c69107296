"""The locks: made from what pyproject.toml states, by hash, and from no particular host."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ["requirements/run.txt", "requirements/dev.txt"]


def check_in(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, root / "requirements" / "check.py"], capture_output=True, text=True, check=False
    )


def test_the_locks_were_made_from_the_stated_dependencies() -> None:
    assert check_in(ROOT).returncode == 0


def test_a_changed_dependency_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    for name in [*LOCKS, "requirements/check.py"]:
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    stated = (ROOT / "pyproject.toml").read_text("utf-8")
    (tmp_path / "pyproject.toml").write_text(stated.replace('"flask>=3.1.3,<4"', '"flask>=3.1.2,<4"'), "utf-8")

    checked = check_in(tmp_path)

    assert checked.returncode == 1
    assert checked.stderr.endswith("run `make lock`\n")


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_hashes_and_names_no_package_host(lock: str) -> None:
    text = (ROOT / lock).read_text("utf-8")
    assert "://" not in text
    assert "--index-url" not in text
    packages = text.count("==")
    assert packages > 20
    assert text.count(" \\\n    --hash=sha256:") >= packages
