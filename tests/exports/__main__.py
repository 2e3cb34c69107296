"""Writes the archive of a group with everything in it, and what its pages say: ``python -m tests.exports``.

Run once at every schema, before it is released: what has been written then is brought in by the tests ever after.
"""

from __future__ import annotations

import json
import tempfile

import flask_migrate
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from scorekeeper.extensions import db as database
from scorekeeper.models import GameSession
from scorekeeper.services.counts import CountIn, count_in
from scorekeeper.services.deals import DisputeDeal, dispute_deal
from scorekeeper.services.groups import retire_player
from tests.conftest import make_app
from tests.exports import FOLDER, numbers_of
from tests.factories import MadeSession, make_group
from tests.http.conftest import Host
from tests.http.world import make_world


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        app = make_app(f"sqlite:///{scratch}/scores.db")
        with app.app_context():
            flask_migrate.upgrade()
            engine = database.engine
        with Session(engine) as db:
            group = make_group(db)
            world = make_world(db, group)
            session = MadeSession(int(world.sessions["open"]["session_id"]), group)
            dispute_deal(db, DisputeDeal(**session.command(db), number=2, disputed=True))
            count_in(db, CountIn(**session.command(db), counted=(59, 41, 45, 37)))
            retire_player(db, group.group_id, int(world.sessions["open"]["player_id"]), retired=True)
            schema = db.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
            ids = db.scalars(select(GameSession.id).order_by(GameSession.id)).all()
        host = Host(app, group)
        (FOLDER / f"{schema}.zip").write_bytes(host.get(f"{host.group_path}/export").response.get_data())
        numbers = [json.dumps(numbers_of(host, session_id), ensure_ascii=False) for session_id in ids]
        (FOLDER / f"{schema}.json").write_text("[{}]\n".format(",\n".join(numbers)), "utf-8")
        engine.dispose()


if __name__ == "__main__":
    main()
