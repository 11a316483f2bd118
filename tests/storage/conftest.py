import pytest

from memcore.storage.database import Database


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agent.db"


@pytest.fixture
def database(path):
    with Database(path) as opened:
        yield opened


@pytest.fixture
def by_hand(path):
    """Another connection to the same file, as an SQL shell would open it: foreign keys off, commits at once."""
    from memcore.storage.driver import sqlite_driver

    connection = sqlite_driver().connect(str(path), isolation_level=None, timeout=10)
    yield connection
    connection.close()
