"""Collections of the wrong shape, unknown keywords and impossible openings are refused, and nothing is written."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memcore import InvalidInputError, MemcoreError, Memory, ParamsError, StorageError


class Thing:
    def __repr__(self):
        return "a thing"  # the same in every process that collects the tests


NO_METADATA = [5, "x", [1], {1: 2}, {"a": float("nan")}, {"a": Thing()}, {"a": "\ud800"}, {"a": 2**70}]
NO_FILTERS = [
    [],
    "",
    0,
    (),
    False,
    "x",
    5,
    [1],
    {1: 2},
    {"a": Thing()},
    {"importance": {"near": 3}},
    {"tags": {"gt": "a"}},
]


@pytest.fixture
def stored(memory):
    memory.add("Ana drinks tea", user_id="ana", tags=["drink"])
    return memory


@pytest.fixture
def unchanged(stored, everything_in):
    before = everything_in(stored)
    yield stored
    assert everything_in(stored) == before


@pytest.mark.parametrize("bad", NO_METADATA, ids=ascii)
def test_metadata_that_json_cannot_hold_is_refused(unchanged, bad):
    for call in (lambda: unchanged.add("text", metadata=bad), lambda: unchanged.update(1, metadata=bad)):
        with pytest.raises(InvalidInputError, match=r"^metadata"):
            call()


@pytest.mark.parametrize("bad", NO_FILTERS, ids=ascii)
def test_filters_that_are_none_are_refused(unchanged, bad):
    for call in (unchanged.search, unchanged.context):
        with pytest.raises(InvalidInputError, match=r"^filters"):
            call("tea", user_id="ana", filters=bad)
    with pytest.raises(InvalidInputError, match=r"^filters"):
        unchanged.get_all(user_id="ana", filters=bad)


@pytest.mark.parametrize("field", ["tags", "entities"])
@pytest.mark.parametrize("bad", ["x", 5, [5], [""], ["nul \0"], {"a": 1}, [["a"]]], ids=ascii)
def test_lists_of_what_are_no_names_are_refused(unchanged, field, bad):
    with pytest.raises(InvalidInputError, match=rf"^{field}"):
        unchanged.add("text", **{field: bad})


@pytest.mark.parametrize("bad", [5, None, "abc", {"content": "x"}, b"x"], ids=ascii)
def test_what_is_no_list_of_items_is_refused(unchanged, bad):
    with pytest.raises(InvalidInputError, match=r"^items"):
        unchanged.add_many(bad)


@pytest.mark.parametrize(
    "bad", [5, None, "text", {}, {"content": None}, {"content": "x", "mood": 1}, {"content": "x", "at": "y"}], ids=ascii
)
def test_one_bad_item_names_its_index_and_nothing_is_written(unchanged, bad):
    with pytest.raises(InvalidInputError, match=r"^items\[2\]"):
        unchanged.add_many([{"content": "first"}, {"content": "second"}, bad, {"content": "fourth"}])


@pytest.mark.parametrize(
    "bad",
    [5, "hi", {}, {"role": "user"}, {"role": "robot", "content": "x"}, {"role": "user", "content": "x", "mood": 1}],
    ids=ascii,
)
def test_one_bad_message_names_its_index_and_nothing_is_written(unchanged, bad):
    with pytest.raises(InvalidInputError, match=r"^content\[1\]"):
        unchanged.add([{"role": "user", "content": "first"}, bad])


@pytest.mark.parametrize("params", [[], "", 5, "x"], ids=ascii)
def test_params_that_are_no_dict_are_refused(unchanged, params):
    with pytest.raises(InvalidInputError, match=r"^params"):
        unchanged.search("tea", params=params)


@pytest.mark.parametrize("params", [{"limit": 5}, {"bm25_k1": -1}, {"bm25_k1": "0.9"}, {"fusion": "sum"}], ids=ascii)
def test_params_that_are_unknown_or_out_of_range_are_refused(unchanged, params):
    with pytest.raises(ParamsError, match=next(iter(params))):
        unchanged.search("tea", params=params)


@pytest.mark.parametrize(
    "call",
    [
        lambda m, **more: m.add("text", **more),
        lambda m, **more: m.add([{"role": "user", "content": "text"}], **more),
        lambda m, **more: m.add_many([{"content": "text"}], **more),
        lambda m, **more: m.search("tea", **more),
        lambda m, **more: m.context("tea", **more),
        lambda m, **more: m.why_not(1, "tea", **more),
        lambda m, **more: m.get(1, **more),
        lambda m, **more: m.get_all(**more),
        lambda m, **more: m.update(1, importance=3, **more),
        lambda m, **more: m.delete(1, **more),
        lambda m, **more: m.relate(1, 1, **more),
        lambda m, **more: m.unrelate(1, 1, **more),
        lambda m, **more: m.mark_used([1], **more),
        lambda m, **more: m.graph(1, **more),
        lambda m, **more: m.maintain(**more),
        lambda m, **more: m.stats(**more),
        lambda m, **more: m.doctor(**more),
        lambda m, **more: m.backup("copy.db", **more),
        lambda _, **more: Memory(":memory:", **more),
    ],
    ids=[
        "add",
        "messages",
        "add_many",
        "search",
        "context",
        "why_not",
        "get",
        "get_all",
        "update",
        "delete",
        "relate",
        "unrelate",
        "mark_used",
        "graph",
        "maintain",
        "stats",
        "doctor",
        "backup",
        "Memory",
    ],
)
@pytest.mark.parametrize("keyword", ["mood", "at", "batch"])
def test_an_unknown_keyword_is_a_type_error(unchanged, call, keyword):
    with pytest.raises(TypeError, match=f"'{keyword}'"):
        call(unchanged, **{keyword: "x"})


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("agent_id", None),
        ("agent_id", "nul \0"),
        ("clock", 5),
        ("clock", "now"),
        ("settings", {}),
        ("settings", 5),
        ("embedder", 5),
        ("embedder", "words"),
        ("embedder", object()),
        ("params", 5),
        ("params", ""),
        ("params", "nul \0"),
        ("params", "half \ud800"),
        ("durability", "some"),
        ("durability", None),
        ("on_error", "ignore"),
        ("on_error", None),
    ],
)
def test_an_argument_of_the_opening_is_refused_and_no_file_is_made(path, field, bad):
    with pytest.raises(InvalidInputError, match=rf"^{field}: .*;"):
        Memory(path, **{field: bad})
    assert not path.exists()


@pytest.mark.parametrize("bad", ["", "nul \0", "half \ud800", 5, None, b"agent.db"], ids=ascii)
def test_what_is_no_path_is_refused(unchanged, bad):
    with pytest.raises(InvalidInputError, match=r"^path"):
        Memory(bad)
    with pytest.raises(InvalidInputError, match=r"^path"):
        unchanged.backup(bad)


def test_a_backup_is_a_file(unchanged):
    with pytest.raises(InvalidInputError, match=r"^path: ':memory:'"):
        unchanged.backup(":memory:")


NAIVE = datetime(2026, 5, 8)  # noqa: DTZ001 - a clock without a time zone is what is tested
TOO_EARLY = datetime.min.replace(tzinfo=timezone(timedelta(hours=5)))


@pytest.mark.parametrize("answer", [NAIVE, None, 5, "2026-05-08T00:00:00Z", TOO_EARLY], ids=ascii)
def test_a_clock_that_gives_no_aware_datetime_is_named_and_nothing_is_written(opened, everything_in, answer):
    memory = opened(clock=lambda: answer)
    before = everything_in(memory)
    calls = [
        lambda: memory.add("text"),
        lambda: memory.search("text"),
        lambda: memory.update(1, importance=3),
        lambda: memory.mark_used([1]),
    ]
    for call in calls:
        with pytest.raises(InvalidInputError, match=r"^clock"):
            call()
    assert everything_in(memory) == before


def test_with_on_error_log_reads_answer_empty_and_the_log_has_no_content(opened, caplog):
    memory = opened(on_error="log", clock=lambda: NAIVE)
    assert list(memory.search("a secret query", user_id="ana")) == []
    assert memory.context("a secret \ud800") == ""
    now = datetime(2026, 5, 8, tzinfo=UTC)
    closed = opened(on_error="log", clock=lambda: now)
    closed.add("Ana drinks tea", user_id="ana")
    before = closed.search("tea", user_id="ana")
    closed.close()
    assert len(before) == 1
    found = closed.search("a secret query", user_id="ana")
    assert (list(found), closed.context("a secret query")) == ([], "")
    assert "closed" in found.trace.to_dict()["problems"][0]
    assert len(caplog.records) == 4
    assert "secret" not in caplog.text


def test_with_on_error_log_writes_still_raise(opened):
    memory = opened(on_error="log")
    with pytest.raises(MemcoreError):
        memory.add("")
    memory.close()
    with pytest.raises(StorageError, match="closed"):
        memory.add("text")


def test_a_backup_never_overwrites_and_names_what_is_in_the_way(unchanged, tmp_path):
    (tmp_path / "there.db").write_text("mine")
    for target in (tmp_path / "there.db", tmp_path, tmp_path / "agent.db"):
        with pytest.raises(StorageError, match="exists"):
            unchanged.backup(target)
    with pytest.raises(StorageError, match=r"folder|opened"):
        unchanged.backup(tmp_path / "nowhere" / "copy.db")
    assert (tmp_path / "there.db").read_text() == "mine"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "agent.db",
        "agent.db-shm",
        "agent.db-wal",
        "agent.db.lock",
        "there.db",
    ]
