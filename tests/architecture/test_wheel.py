"""What is shipped: the built wheel, installed into a new environment and used from another folder."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Installing may have to fetch the locked packages first.
pytestmark = pytest.mark.timeout(600)

STRAY = ["left.sqlite", "scorekeeper/left.sqlite3", "tests/left.db", "migrations/left.sqlite-wal"]


def build(target: str, source: Path, into: Path) -> Path:
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", target, "-d", into], cwd=source, check=True)
    (built,) = into.iterdir()
    return built


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree in which databases were left behind."""
    copy = tmp_path_factory.mktemp("checkout") / "scorekeeper"
    shutil.copytree(
        ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis")
    )
    for name in STRAY:
        (copy / name).write_bytes(b"SQLite format 3\0")
    return copy


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", checkout, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked."""
    archive = build("sdist", checkout, tmp_path_factory.mktemp("sdist"))
    unpacked = tmp_path_factory.mktemp("unpacked")
    subprocess.run(["tar", "-xzf", str(archive), "-C", str(unpacked)], check=True)
    (folder,) = unpacked.iterdir()
    return folder


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command, in an environment that holds the wheel and its locked dependencies only."""
    environment = tmp_path_factory.mktemp("environment")
    python = environment / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    pip = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "-r", str(ROOT / "requirements" / "run.txt")], check=True)
    subprocess.run([*pip, "--no-deps", str(wheel)], check=True)
    return python.with_name("scorekeeper")


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    """An environment in which the command keeps its data in *tmp_path*."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("SCOREKEEPER_", "PYTHON"))}
    return inherited | {
        "SCOREKEEPER_DATA": str(tmp_path),
        "SCOREKEEPER_DATABASE_URL": f"sqlite:///{tmp_path / 'scores.sqlite'}",
        "SCOREKEEPER_SECRET_KEY": "only for this test, and long enough for it",
        "SCOREKEEPER_HOST": "127.0.0.1",
        "SCOREKEEPER_PORT": str(port),
    }


def test_the_wheel_ships_code_templates_migrations_and_static_files(wheel: Path) -> None:
    shipped = contents(wheel)
    for path in [*(ROOT / "templates").rglob("*.html"), *(ROOT / "migrations").rglob("*.py")]:
        assert f"scorekeeper/{path.relative_to(ROOT)}" in shipped
    for path in (ROOT / "scorekeeper" / "static").rglob("*.*"):
        assert str(path.relative_to(ROOT)) in shipped


def test_neither_archive_holds_a_database(wheel: Path, sdist: Path) -> None:
    names = {Path(name).name for name in contents(wheel)} | {path.name for path in sdist.rglob("*")}
    assert "cli.py" in names
    assert names & {Path(name).name for name in STRAY} == set()


def test_the_source_distribution_builds_the_same_wheel(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    assert contents(build("wheel", sdist, tmp_path)) == contents(wheel)


def test_the_installed_command_upgrades_a_database(installed: Path, settings: dict[str, str], tmp_path: Path) -> None:
    subprocess.run([str(installed), "db", "upgrade"], cwd=tmp_path, env=settings, check=True)
    assert (tmp_path / "scores.sqlite").read_bytes().startswith(b"SQLite format 3")


def test_the_installed_command_serves_pages_until_it_is_told_to_stop(
    installed: Path, settings: dict[str, str], tmp_path: Path
) -> None:
    url = f"http://127.0.0.1:{settings['SCOREKEEPER_PORT']}"
    command = [str(installed), "serve"]
    with subprocess.Popen(command, cwd=tmp_path, env=settings, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            # The address is printed once the server answers there, so there is nothing to wait for.
            assert url in server.stdout.readline()
            for path, kind in [("/", "text/html"), ("/static/app.css", "text/css")]:
                with urllib.request.urlopen(url + path, timeout=30) as answer:
                    assert answer.status == 200
                    assert answer.headers.get_content_type() == kind
            server.send_signal(signal.SIGTERM)
            assert server.wait(30) == 0
        finally:
            server.kill()


def test_a_taken_port_is_refused_in_one_line(installed: Path, settings: dict[str, str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", int(settings["SCOREKEEPER_PORT"]))):
        command = [str(installed), "serve"]
        refused = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert settings["SCOREKEEPER_PORT"] in refused.stderr
