"""Each kind has the details of its life in a table of its own, from the moment it is stored."""

import sys
import unicodedata
from datetime import timedelta

import pytest
from storage_samples import ANA, NOON, a_memory

from memcore.errors import InvalidInputError, StorageError
from memcore.kinds import Category, Kind
from memcore.storage import memories
from memcore.storage.detail_rows import CaseDetail, ChunkDetail, Claim, EpisodeDetail, FactDetail, LessonDetail
from memcore.storage.details import slot_key
from memcore.storage.encoding import normalized, text_key, to_micros

DAY = 86_400_000_000


def stored(database, table, **changes):
    with database.write() as conn:
        [memory_id] = memories.insert(conn, [a_memory(**changes)])
        row = conn.exec_driver_sql(f"SELECT * FROM {table} WHERE memory_id = ?", (memory_id,)).mappings().first()
    return None if row is None else dict(row)


def test_an_event_starts_with_the_stability_of_its_importance(database):
    assert stored(database, "event_detail", importance=5.0)["stability_days"] == 45.0
    assert stored(database, "event_detail", importance=10.0)["stability_days"] == 60.0


@pytest.mark.parametrize(
    ("category", "days"), [(Category.PREFERENCE, 298.97), (Category.STATE, 39.86 / 24), (Category.IDENTITY, 1212.5)]
)
def test_a_fact_starts_at_full_strength_and_is_due_when_its_half_life_brings_it_to_a_tenth(database, category, days):
    row = stored(database, "fact_detail", kind=Kind.FACT, detail=FactDetail(category=category))
    assert (row["strength"], row["dormant"], row["category"]) == (1.0, 0, category.value)
    assert (row["due_at"] - to_micros(NOON)) / DAY == pytest.approx(days, abs=0.005)


def test_a_slot_is_looked_up_in_one_spelling(database):
    row = stored(database, "fact_detail", kind=Kind.FACT, detail=FactDetail(slot=" Home  ＣＩＴＹ"))
    assert (row["slot"], row["slot_key"]) == (" Home  ＣＩＴＹ", "home city")


def test_a_fact_holds_from_its_event_time_and_is_open_unless_told_otherwise(database):
    row = stored(database, "claim", kind=Kind.FACT)
    assert (row["valid_from"], row["valid_until"], row["closed_at"]) == (to_micros(NOON), None, None)
    closed = Claim(confidence=0.5, valid_from=NOON - timedelta(9), valid_until=NOON)
    row = stored(database, "claim", content="x", kind=Kind.KNOWLEDGE, claim=closed)
    assert row["confidence"] == 0.5
    assert (row["valid_from"], row["valid_until"]) == (to_micros(NOON) - 9 * DAY, to_micros(NOON))
    assert row["closed_at"] == to_micros(NOON)


@pytest.mark.parametrize(
    ("kind", "detail", "table", "expected"),
    [
        (Kind.CHUNK, ChunkDetail(path="a.md", first_line=3, last_line=9), "chunk_detail", {"path": "a.md"}),
        (Kind.CASE, CaseDetail(question="q", answer="a", result="failure"), "case_detail", {"result": "failure"}),
        (Kind.LESSON, LessonDetail(pattern="sum"), "lesson_detail", {"pattern": "sum"}),
        (Kind.EPISODE, EpisodeDetail(cues=("海",)), "episode_detail", {"cues": '["海"]'}),
        (Kind.EPISODE, None, "episode_detail", {"started_at": to_micros(NOON), "ended_at": to_micros(NOON)}),
        (Kind.SUMMARY, None, "summary_detail", {"started_at": to_micros(NOON)}),
    ],
)
def test_details_are_stored_with_their_memory(database, kind, detail, table, expected):
    row = stored(database, table, kind=kind, detail=detail)
    assert {name: row[name] for name in expected} == expected


@pytest.mark.parametrize("kind", [Kind.TURN, Kind.EVENT, Kind.CHUNK, Kind.CASE, Kind.LESSON])
def test_details_of_another_kind_and_missing_ones_are_refused_and_nothing_is_stored(database, kind):
    wrong = FactDetail() if kind in (Kind.TURN, Kind.EVENT) else None
    with pytest.raises(InvalidInputError, match=kind.value), database.write() as conn:
        memories.insert(conn, [a_memory(kind=kind, detail=wrong)])
    with database.read() as conn:
        assert conn.exec_driver_sql("SELECT count(*) FROM memory").scalar_one() == 0


def test_the_same_text_has_the_same_key_in_either_width_and_case(database):
    with database.write() as conn:
        ids = memories.insert(conn, [a_memory(text) for text in ("GB/s 上海", " ｇｂ／Ｓ  上海\n", "GB/s 北京")])
        keys = [conn.exec_driver_sql("SELECT text_key FROM memory WHERE id = ?", (one,)).scalar() for one in ids]
    assert keys[0] == keys[1] != keys[2]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10⁵ cells", "105 cells"),
        ("5²", "52"),
        ("7₂", "72"),
        ("1½", "11⁄2"),
        ("面积是5²", "面积是52"),
        ("培养了10⁵个细胞", "培养了105个细胞"),
        ("每天1½片", "每天11⁄2片"),
    ],
)
def test_a_raised_or_lowered_sign_and_a_fraction_are_another_text_and_another_slot(one, other):
    assert text_key(one) != text_key(other)
    assert slot_key(one) != slot_key(other)
    assert slot_key(f"Ｘ {one}") == slot_key(f"x  {one}") != slot_key(f"x {other}")


@pytest.mark.parametrize(
    ("one", "other"), [("①", "1"), ("５ m²", "5 m²"), ("ﬁn", "fin"), ("㎏", "kg"), ("第①步", "第1步")]
)
def test_width_circles_and_ligatures_are_one_text_and_one_slot(one, other):
    assert text_key(one) == text_key(other)
    assert slot_key(one) == slot_key(other)


def test_no_sign_but_those_raised_lowered_or_of_a_fraction_stays_as_it_is():
    for sign in map(chr, range(sys.maxunicode + 1)):
        form = unicodedata.decomposition(sign)
        if form:
            stays = form.split()[0] in ("<super>", "<sub>", "<fraction>")
            assert normalized(f"a{sign}") == (f"a{sign}" if stays else unicodedata.normalize("NFKC", f"a{sign}")), sign


def test_a_text_edited_by_hand_loses_its_key(database):
    with database.write() as conn:
        [memory_id] = memories.insert(conn, [a_memory()])
        conn.exec_driver_sql("UPDATE memory SET content = 'other' WHERE id = ?", (memory_id,))
        assert conn.exec_driver_sql("SELECT text_key FROM memory").scalar() is None


def test_details_go_with_their_memory_and_a_chain_of_supersession_closes_around_the_hole(database):
    with database.write() as conn:
        first, second, third = memories.insert(conn, [a_memory(text, kind=Kind.FACT) for text in "abc"])
        for old, new in ((first, second), (second, third)):
            conn.exec_driver_sql(
                "UPDATE claim SET superseded_by = ?, valid_until = valid_from, closed_at = 1 WHERE memory_id = ?",
                (new, old),
            )
        memories.remove(conn, [second])
        chain = conn.exec_driver_sql("SELECT memory_id, superseded_by FROM claim ORDER BY 1").fetchall()
        facts = conn.exec_driver_sql("SELECT memory_id FROM fact_detail ORDER BY 1").scalars().all()
    assert [tuple(row) for row in chain] == [(first, third), (third, None)]
    assert facts == [first, third]


def test_the_removal_of_the_last_of_a_chain_does_not_bring_the_old_one_back(database):
    with database.write() as conn:
        old, new = memories.insert(conn, [a_memory(text, kind=Kind.FACT) for text in "ab"])
        conn.exec_driver_sql(
            "UPDATE claim SET superseded_by = ?, valid_until = valid_from, closed_at = 1 WHERE memory_id = ?",
            (new, old),
        )
        memories.remove(conn, [new])
        row = conn.exec_driver_sql("SELECT superseded_by, valid_until FROM claim").one()
    assert row[0] is None
    assert row[1] is not None


@pytest.mark.parametrize(
    ("start", "then", "fits"),
    [
        ((), "doing", True),
        ((), "cancelled", True),
        ((), "done", False),
        (("doing",), "done", True),
        (("doing",), "failed", True),
        (("doing",), "open", False),
        (("doing", "done"), "doing", False),
        (("cancelled",), "open", False),
    ],
)
def test_the_database_refuses_what_a_task_cannot_become(database, start, then, fits):
    with database.write() as conn:
        memories.insert(conn, [a_memory()])
        partition = conn.exec_driver_sql("SELECT id FROM partition WHERE user_id = ?", (ANA.user_id,)).scalar_one()
        conn.exec_driver_sql(
            "INSERT INTO task (partition_id, recorded_at, updated_at, title) VALUES (?, 1, 1, 'book')", (partition,)
        )
        for state in start:
            conn.exec_driver_sql("UPDATE task SET state = ?", (state,))

    def become():
        with database.write() as conn:
            conn.exec_driver_sql("UPDATE task SET state = ?", (then,))

    if fits:
        become()
    else:
        with pytest.raises(StorageError):
            become()
