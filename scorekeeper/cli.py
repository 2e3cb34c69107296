"""The ``scorekeeper`` command: Flask's own commands and db, plus ours.

The application is imported where it is needed: ``scorekeeper score`` starts without it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click
from flask import Flask, current_app
from flask.cli import FlaskGroup, with_appcontext

from scorekeeper.config import BadSetting, kept_secret_key, settings
from scorekeeper.score_command import score


def app_of_this_machine() -> Flask:
    """The application as the command line runs it: with a secret key and a data folder of its own where none is set."""
    from scorekeeper.app import create_app

    try:
        config = settings()
        data = Path(str(config["DATA"]))
        data.mkdir(parents=True, exist_ok=True)
        return create_app({"SECRET_KEY": config["SECRET_KEY"] or kept_secret_key(data)})
    except (BadSetting, OSError) as error:
        raise click.ClickException(str(error)) from error


@click.group(cls=FlaskGroup, create_app=app_of_this_machine)
def main() -> None:
    """Keep score at a card table and settle the evening."""


main.add_command(score)


@main.command("serve")
@with_appcontext
def serve_command() -> None:
    """Bring the database up to date and serve the app."""
    from scorekeeper.serve import serve

    serve(current_app._get_current_object())  # type: ignore[attr-defined]


@main.command()
@with_appcontext
def check() -> None:
    """Work everything out again from what was recorded, and report what differs. Exit status 1 if anything does."""
    from scorekeeper.extensions import db
    from scorekeeper.services.check import differences

    found = list(differences(db.session()))
    for difference in found:
        click.echo(
            f"group {difference.group_id}, session {difference.session_id}, {difference.what}: "
            f"stored {difference.stored!r}, expected {difference.expected!r}"
        )
    click.echo(f"{len(found)} differences")
    sys.exit(1 if found else 0)
