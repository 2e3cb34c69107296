"""The ``scorekeeper`` command: Flask's own commands and db, plus ours.

The application is imported where it is needed: ``scorekeeper score`` starts without it.
"""

from __future__ import annotations

import sys

import click
from flask import Flask, current_app
from flask.cli import FlaskGroup, with_appcontext
from flask_babel import gettext as _
from flask_babel import ngettext

from scorekeeper.score_command import score


def app_with_migrations() -> Flask:
    """The application of this machine, and what the ``db`` commands need besides."""
    from scorekeeper import schema
    from scorekeeper.app import app_of_this_machine
    from scorekeeper.config import BadSetting

    try:
        app = app_of_this_machine()
    except (BadSetting, OSError) as error:
        raise click.ClickException(str(error)) from error
    schema.init_app(app)
    return app


class Commands(FlaskGroup):
    """Says in a line what is wrong with the database, rather than in a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        from sqlalchemy.exc import DBAPIError

        try:
            return super().invoke(ctx)
        except DBAPIError as error:
            reason = str(error.orig).strip()
            raise click.ClickException(
                _("The database cannot be used: %(reason)s. `scorekeeper db upgrade` prepares it.", reason=reason)
            ) from error


@click.group(cls=Commands, create_app=app_with_migrations)
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
            _(
                "group %(group)s, session %(session)s, %(what)s: stored %(stored)s, expected %(expected)s",
                group=difference.group_id,
                session=difference.session_id,
                what=difference.what,
                stored=repr(difference.stored),
                expected=repr(difference.expected),
            )
        )
    click.echo(ngettext("%(num)s difference", "%(num)s differences", len(found)))
    sys.exit(1 if found else 0)
