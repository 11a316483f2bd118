"""Bytes of a file that belong to no row are found wherever SQLite leaves them, and VACUUM leaves none of them."""

import random
import re

import pytest

from memcore.storage.driver import sqlite_driver
from memcore.storage.pages import unused

WORDS = [f"word{number:06d}" for number in range(3000)]


class Held:
    """The bytes of a closed file."""

    def __init__(self, path):
        self.content = path.read_bytes()
        self.size = len(self.content)

    def read(self, offset, size):
        return self.content[offset : offset + size]


def connected(path, page_size, *, secure):
    connection = sqlite_driver().connect(str(path), isolation_level=None)
    connection.execute(f"PRAGMA page_size = {page_size}")
    connection.execute(f"PRAGMA secure_delete = {secure}")
    connection.execute("CREATE TABLE said (id INTEGER PRIMARY KEY, word TEXT, content TEXT)")
    connection.execute("CREATE INDEX said_word ON said (word)")
    return connection


def worked(path, page_size, *, secure, rounds=1500, seed=5):
    """A file after inserts, changes of length and removals in random order; the words that no row has any more.

    Without secure_delete no row is longer than a page: the ends of the pages that go on with it are not looked through.
    """
    chance = random.Random(seed)
    connection = connected(path, page_size, secure=secure)
    connection.execute("BEGIN")
    there = {}
    for word in chance.sample(WORDS, rounds):
        number = chance.randrange(10**6)
        content = f"{word} " * chance.choice([1, 3, 40, 1200] if secure == "ON" else [1, 3, 20])
        connection.execute("INSERT OR REPLACE INTO said VALUES (?, ?, ?)", (number, word, content))
        there[number] = word
        other = chance.choice(list(there))
        if chance.random() < 0.4:
            longer = f"{there[other]} " * chance.choice([2, 5, 60] if secure == "ON" else [2, 5, 20])
            connection.execute("UPDATE said SET content = ? WHERE id = ?", (longer, other))
        elif chance.random() < 0.6:
            connection.execute("DELETE FROM said WHERE id = ?", (other,))
            del there[other]
    connection.execute("COMMIT")
    return connection, set(WORDS) - set(there.values())


def words_in(content):
    return {found.decode() for found in re.findall(rb"word\d{6}", content)}


def rows_of(file, words):
    return words & words_in(file.content)


@pytest.mark.parametrize("secure", ["ON", "OFF"])
@pytest.mark.parametrize("page_size", [512, 1024, 4096, 65536])
def test_every_removed_word_that_is_in_the_file_is_in_unused_bytes(tmp_path, page_size, secure):
    connection, gone = worked(tmp_path / "a.db", page_size, secure=secure)
    connection.close()
    file = Held(tmp_path / "a.db")
    stale = b"\0".join(found for _, found in unused(file))
    left = rows_of(file, gone)
    assert left <= words_in(stale)
    assert left or secure == "ON"


def test_secure_delete_alone_leaves_copies_of_rows_that_were_moved(tmp_path):
    """Why the file is looked through at all."""
    left = 0
    for seed in range(4):
        connection, gone = worked(tmp_path / f"{seed}.db", 4096, secure="ON", seed=seed)
        connection.close()
        left += len(rows_of(Held(tmp_path / f"{seed}.db"), gone))
    assert left > 0


def test_after_vacuum_no_removed_word_is_left(tmp_path):
    connection, gone = worked(tmp_path / "a.db", 1024, secure="OFF")
    connection.execute("VACUUM")
    connection.close()
    assert rows_of(Held(tmp_path / "a.db"), gone) == set()


def test_offsets_are_those_of_the_bytes_in_the_file(tmp_path):
    connection, _ = worked(tmp_path / "a.db", 1024, secure="OFF")
    connection.close()
    file = Held(tmp_path / "a.db")
    found = list(unused(file))
    assert len(found) > 10
    assert all(file.content[offset : offset + len(stretch)] == stretch for offset, stretch in found)


def test_no_byte_of_a_row_that_is_there_is_taken_for_unused(tmp_path):
    connection = connected(tmp_path / "a.db", 1024, secure="ON")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO said VALUES (?, ?, ?)", [(n, word, word * 300) for n, word in enumerate(WORDS)])
    connection.execute("COMMIT")
    connection.close()
    stale = b"".join(found for _, found in unused(Held(tmp_path / "a.db")))
    assert re.search(rb"(word\d{6})\1", stale) is None


@pytest.mark.parametrize("size", [0, 50, 100, 4096])
def test_a_file_that_is_no_database_has_nothing_to_look_through(tmp_path, size):
    (tmp_path / "a.db").write_bytes(bytes(size))
    assert list(unused(Held(tmp_path / "a.db"))) == []
