"""These tests are about PostgreSQL itself, so they fail anywhere else rather than say nothing."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def postgresql(database_server_url: str | None) -> str:
    """The URL of this test process's PostgreSQL database."""
    if database_server_url is None:
        pytest.fail("tests/postgres needs --database=postgresql, as `make test` gives it")
    return database_server_url
