"""Who may import whom."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_import_contracts_hold() -> None:
    linted = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert linted.returncode == 0, linted.stdout + linted.stderr


@pytest.mark.parametrize("package", ["scorekeeper.rules", "scorekeeper.ledger"])
def test_a_pure_package_needs_only_the_standard_library(package: str) -> None:
    # -I and -S leave out everything that was installed, so importing any of it would fail.
    code = f"import sys; sys.path.append({str(ROOT)!r}); import {package}; print(*sys.modules, sep='\\n')"
    loaded = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    ours = {name for name in loaded.stdout.split() if name.startswith("scorekeeper.")}
    assert package in ours
    assert {name for name in ours if not name.startswith(("scorekeeper.rules", "scorekeeper.ledger"))} == set()
