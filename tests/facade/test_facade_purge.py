"""Forgetting a user for good: nothing of the user is left, in no answer and no byte, and nobody else notices."""

import hashlib
from contextlib import suppress

import numpy as np
import pytest
from facade_lives import COMMON, RandomEmbedder, files, live, sentinel, words_of

from memcore import Memory
from memcore.errors import InvalidInputError, NotFoundError
from memcore.storage import integrity
from memcore.storage.places import FILES, PLACES

USERS = ("anastasia", "bartholomew", "chrysanthemum")
GONE, *OTHERS = USERS
ROWS = 1_001


@pytest.fixture(scope="module")
def lives(tmp_path_factory):
    """Three users with the same text beside their own, and what was seen before and after the purge of one."""
    folder = tmp_path_factory.mktemp("lives")
    seen = {}
    with Memory(folder / "agent.db", embedder=RandomEmbedder(), durability="relaxed") as memory:
        memory.add("The harbour is shared by all", entities=["The harbour"])
        seen["ids"] = {user: live(memory, user, ROWS) for user in USERS}
        memory._database.wipe()
        found(memory)
        memory.search(sentinel(GONE), user_id=GONE)
        memory.maintain(["snapshot"])
        seen["files before"] = files(folder)
        seen["vectors"] = vectors(memory, seen["ids"][GONE])
        seen["rows before"] = rows_of_others(memory)
        seen["search before"] = found(memory)
        seen["dry run"] = memory.purge_user(GONE)
        seen["rows after the dry run"] = rows_of_others(memory)
        seen["report"] = memory.purge_user(GONE, confirm=GONE)
        seen["files after"] = files(folder)
        seen["rows after"] = rows_of_others(memory)
        seen["search after"] = found(memory)
        seen["kept anew"] = memory.maintain(["snapshot"])[0].done
        seen["files kept anew"] = files(folder)
        seen["memory"] = memory
        yield seen


def vectors(memory, ids):
    with memory._database.read() as connection:
        rows = connection.exec_driver_sql("SELECT memory_id, sq8, f32 FROM memory_vector").fetchall()
    return [blob for one, *blobs in rows if one in set(ids) for blob in blobs]


def rows_of_others(memory):
    """By table: how many rows, and a hash over every column of them, of all that is not the purged user's."""
    answers = {}
    with memory._database.read() as connection:
        known = connection.exec_driver_sql("SELECT id, user_id FROM partition").fetchall()
        theirs = {number for number, user in known if user != GONE}
        mine = {
            row[0]
            for row in connection.exec_driver_sql("SELECT id FROM memory WHERE user_id IS NOT ?", (GONE,)).fetchall()
        }
        given = {"ids": f"[{','.join(map(str, mine))}]"}
        for place in PLACES:
            rows = set()
            if place.of_partition is not None:
                for number in theirs:
                    query = f"SELECT * FROM {place.table} WHERE {place.of_partition}"
                    rows |= {tuple(row) for row in connection.exec_driver_sql(query, {"partition": number})}
            if place.memories and place.of_partition is None:
                query = f"SELECT * FROM {place.table} WHERE {place.of_memories}"
                rows |= {tuple(row) for row in connection.exec_driver_sql(query, given)}
                if place.table == "mention":  # the purged user's memories mention what is shared
                    rows = {row for row in rows if row[0] in mine}
            said = "\n".join(sorted(map(repr, rows)))
            answers[place.table] = (len(rows), hashlib.sha256(said.encode()).hexdigest())
    return answers


def found(memory):
    return [
        [(hit.id, hit.score) for hit in memory.search(f"{COMMON} {sentinel(user)}", user_id=user, limit=20)]
        for user in OTHERS
    ]


def test_every_place_had_something_of_every_user(lives):
    empty = [table for table, (rows, _) in lives["rows before"].items() if rows == 0]
    assert empty == []
    assert [table for table, rows in lives["dry run"].counts.items() if rows == 0] == []


def test_without_confirmation_it_counts_and_changes_nothing(lives):
    assert not lives["dry run"].confirmed
    assert lives["rows after the dry run"] == lives["rows before"]
    assert lives["dry run"].counts["memory"] >= ROWS


def test_what_was_counted_is_what_went_and_the_receipt_says_so_without_a_name(lives):
    report = lives["report"]
    assert (report.user_id, report.confirmed, report.pending, report.tombstones) == (GONE, True, False, False)
    assert report.counts == lives["dry run"].counts
    with lives["memory"]._database.read() as connection:
        [row] = connection.exec_driver_sql("SELECT * FROM receipt").fetchall()
    assert sentinel(GONE) not in str(row)
    assert GONE not in str(row)
    assert f'"memory": {report.counts["memory"]}' in row.counts


def test_no_row_is_left(lives):
    memory = lives["memory"]
    left = memory.purge_user(GONE).counts
    assert {table: rows for table, rows in left.items() if rows} == {}
    assert memory.get_all(user_id=GONE, limit=10).items[0].user_id is None
    assert {hit.user_id for hit in memory.search(COMMON, user_id=GONE, limit=50)} <= {None}
    with pytest.raises(NotFoundError):
        memory.get(lives["ids"][GONE][0])


@pytest.mark.parametrize("code", ["utf-8", "utf-16-le", "utf-16-be"])
def test_no_word_and_no_name_of_the_user_is_in_the_bytes_of_any_file(lives, code):
    left = {
        (name, word): content.lower().count(word.lower().encode(code))
        for name, content in lives["files after"].items()
        for word in words_of(GONE)
    }
    assert {place: count for place, count in left.items() if count} == {}


def test_the_engine_snapshot_went_whole_and_the_next_one_has_nothing_of_the_user(lives):
    assert sentinel(GONE).lower().encode() in lives["files before"]["agent.db.engine"].lower()
    assert "agent.db.engine" not in lives["files after"]
    assert lives["kept anew"] == len(OTHERS) + 1
    anew = lives["files kept anew"]["agent.db.engine"]
    assert all(sentinel(user).lower().encode() in anew.lower() for user in OTHERS)
    assert [word for word in words_of(GONE) if word.lower().encode() in anew.lower()] == []
    assert sum(blob[-40:] in anew for blob in lives["vectors"]) == 0


def test_no_piece_of_a_vector_of_the_user_is_in_the_bytes_of_any_file(lives):
    everything = b"".join(lives["files after"].values())
    assert len(lives["vectors"]) > ROWS
    assert sum(blob[-40:] in everything for blob in lives["vectors"]) == 0


def test_the_bytes_were_there_before_so_that_their_absence_says_something(lives):
    before = b"".join(lives["files before"].values()).lower()
    assert all(word.lower().encode() in before for word in words_of(GONE))
    exact = b"".join(lives["files before"].values())
    assert all(blob[-40:] in exact for blob in lives["vectors"])


def test_the_log_is_empty_and_no_file_is_there_that_no_place_names(lives):
    assert lives["files after"]["agent.db-wal"] == b""
    assert {*lives["files before"], *lives["files after"], "agent.db-shm"} == {f"agent.db{suffix}" for suffix in FILES}


def test_every_column_of_the_rows_of_others_is_as_it_was(lives):
    assert lives["rows after"] == lives["rows before"]


def test_others_find_what_they_found(lives):
    assert lives["search after"] == lives["search before"]
    assert all(lives["search before"])


def test_verify_absent_finds_nothing_of_the_user_and_everything_of_another(lives):
    memory = lives["memory"]
    assert [memory.verify_absent(word) for word in words_of(GONE)] == [[]] * len(words_of(GONE))
    assert memory.verify_absent(lives["ids"][GONE][0]) == []
    remains = memory.verify_absent(sentinel(OTHERS[0]).upper())
    tables = {remain.place for remain in remains if remain.offset is None}
    with_words = {place.table for place in PLACES if place.words} - {"partition", "memory_vector", "knowledge_detail"}
    assert with_words - tables == set()
    assert any(remain.place == "agent.db" and remain.offset for remain in remains)


def test_the_file_is_sound_after_it(lives):
    with lives["memory"]._database.read() as connection:
        assert integrity.check(connection).sound
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"


def test_an_unknown_user_gives_zeros_and_no_error(memory):
    report = memory.purge_user("nobody", confirm="nobody")
    assert set(report.counts.values()) == {0}
    assert report.confirmed


@pytest.mark.parametrize("wrong", [None, "", "ANA", "ana "])
def test_only_the_same_name_confirms(memory, wrong):
    memory.add("Ana is here", user_id="ana")
    assert not memory.purge_user("ana", confirm=wrong).confirmed
    assert len(memory.get_all(user_id="ana")) == 1


@pytest.mark.parametrize("wrong", [5, b"ana", True, ["ana"], np.array([1, 2]), np.array(["ana", "ana"])])
def test_what_is_no_text_confirms_nothing_and_is_refused(memory, wrong):
    memory.add("Ana is here", user_id="ana")
    with pytest.raises(InvalidInputError, match=r"^confirm: .* is not accepted; give the name of the user"):
        memory.purge_user("ana", confirm=wrong)
    assert len(memory.get_all(user_id="ana")) == 1


def test_what_is_no_name_or_no_text_is_refused(memory):
    with pytest.raises(InvalidInputError, match="user_id"):
        memory.purge_user(None, confirm=None)
    with pytest.raises(InvalidInputError, match="tombstones"):
        memory.purge_user("ana", tombstones=1)
    with pytest.raises(InvalidInputError, match="text_or_id"):
        memory.verify_absent("  ")
    with pytest.raises(InvalidInputError, match="text_or_id"):
        memory.verify_absent(1.5)
    with pytest.raises(InvalidInputError, match=r"^text_or_id: 'half .* is not accepted; leave out"):
        memory.verify_absent("half \ud83d")


def test_the_user_begins_anew_after_a_purge(memory):
    first = memory.add("Ana lives in Porto", user_id="ana", session_id="s", entities=["Porto"], idempotency_key="k")
    memory.purge_user("ana", confirm="ana")
    again = memory.add("Ana lives in Porto", user_id="ana", session_id="s", entities=["Porto"], idempotency_key="k")
    assert again[0].id > first[0].id
    record = memory.get(again[0].id)
    assert (record.position, record.prev_id) == (0, None)
    assert [hit.id for hit in memory.search("Porto", user_id="ana")] == [record.id]
    assert len(memory.graph(record.id).nodes) == 2


def test_another_agent_with_a_user_of_the_same_name_keeps_everything(opened):
    one, other = opened(), opened(agent_id="other")
    for memory in (one, other):
        memory.add("Ana lives in Porto", user_id="ana")
    one.purge_user("ana", confirm="ana")
    assert [record.content for record in other.get_all(user_id="ana")] == ["Ana lives in Porto"]
    assert one.verify_absent("Porto") == []
    assert {remain.place for remain in other.verify_absent("Porto")} == {"memory", "agent.db"}


def test_a_text_that_others_have_too_is_absent_for_the_one_who_has_it_no_more(memory):
    kept = memory.add("The password is Sésame", user_id="bob")[0].id
    gone = memory.add("The password is Sésame", user_id="ana")[0].id
    memory.delete(gone)
    assert memory.verify_absent("sésame", user_id="ana") == []
    assert {remain.row for remain in memory.verify_absent("SÉSAME", user_id="bob") if remain.row} == {(kept,)}


def test_a_store_in_memory_forgets_too():
    with Memory(":memory:", embedder="none") as memory:
        memory.add("Ana lives in Porto", user_id="ana")
        report = memory.purge_user("ana", confirm="ana")
        assert (report.counts["memory"], report.pending) == (1, False)
        assert memory.verify_absent("Porto") == []


@pytest.fixture
def one_life(tmp_path):
    """A store in which something of one user is in every place."""
    folder = tmp_path / "one"
    folder.mkdir()
    with Memory(folder / "agent.db", embedder=RandomEmbedder(), durability="relaxed") as memory:
        live(memory, GONE, 60)
        yield memory, folder


def test_a_delete_takes_whatever_hangs_on_the_memory_and_no_byte_of_it_is_left(one_life):
    memory, folder = one_life
    with memory._database.read() as connection:
        rows = connection.exec_driver_sql("SELECT id, content FROM memory WHERE kind <> 'entity'").fetchall()
    chosen = [row for row in rows if " of " in row[1]] + rows[10:13]
    assert len(chosen) == 11
    for one, content in chosen:
        assert {remain.place for remain in memory.verify_absent(one)} > {"memory"}
        report = memory.delete(one)
        assert (report.pending, memory.verify_absent(one), memory.verify_absent(content)) == (False, [], [])
    everything = b"".join(files(folder).values()).lower()
    for word in ("slot Z", "cue Z", "because Z", "when Z", "/notes/"):
        assert word.lower().encode() not in everything, word
    with memory._database.read() as connection:
        assert integrity.check(connection).sound
        changed = set(connection.exec_driver_sql("SELECT memory_id FROM operation_change").scalars())
        assert changed.isdisjoint(one for one, _ in chosen)
        assert connection.exec_driver_sql("SELECT count(*) FROM receipt WHERE pending = 0").scalar_one() == len(chosen)


def test_when_every_memory_was_deleted_one_by_one_no_word_of_them_is_in_the_file(one_life):
    memory, folder = one_life
    with memory._database.read() as connection:
        ids = connection.exec_driver_sql("SELECT id FROM memory ORDER BY id % 7, id").scalars().all()
        blobs = connection.exec_driver_sql("SELECT sq8, f32 FROM memory_vector").fetchall()
    for one in ids:
        with suppress(NotFoundError):  # an entity goes with the last memory that names it
            assert not memory.delete(one).pending
    with memory._database.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM memory").scalar_one() == 0
    everything = b"".join(files(folder).values())
    for said in (COMMON, "Entity ", "meta-", "tag-", "key-Z", "slot Z", "Alias", "wrote this", "changed this"):
        assert said.encode() not in everything, said
    assert not any(blob[-40:] in everything for row in blobs for blob in row)


def test_what_analyze_sampled_of_a_user_goes_too(one_life):
    memory, folder = one_life
    memory.add("Bob is here", user_id="bob")
    with memory._database.write() as connection:
        connection.exec_driver_sql("ANALYZE")
    memory.purge_user(GONE, confirm=GONE)
    everything = b"".join(files(folder).values())
    assert GONE.encode() not in everything
    assert sentinel(GONE).encode() not in everything
