"""People who have already come in."""

import pytest
from flask import Flask
from sqlalchemy.orm import Session

from scorekeeper.services.groups import NewLink
from tests.factories import make_group
from tests.http.visitor import Visitor


class Host(Visitor):
    """A browser that has opened the link of a group."""

    def __init__(self, app: Flask, group: NewLink) -> None:
        super().__init__(app)
        self.group = group
        self.get(f"/open/{group.token}")

    @property
    def group_path(self) -> str:
        return f"/groups/{self.group.group_id}"


@pytest.fixture
def host(app: Flask, db: Session) -> Host:
    """Somebody in the group "Thursdays" of Ann, Ben, Cleo and Dan."""
    return Host(app, make_group(db))


@pytest.fixture
def stranger(app: Flask, db: Session) -> Host:
    """Somebody in a group of their own, who has no link to the other one."""
    return Host(app, make_group(db, name="Strangers", players=("Eve", "Fay", "Gus", "Hal")))
