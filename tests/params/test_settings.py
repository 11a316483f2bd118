"""What is decided when a memory is opened, in code or in the environment."""

from dataclasses import FrozenInstanceError

import pytest

from memcore.errors import InvalidInputError
from memcore.kinds import Kind, Layer
from memcore.settings import Settings, parse_size


def test_the_mirror_may_keep_one_gibibyte_unless_told_otherwise() -> None:
    assert Settings().memory_limit == 1024**3
    assert Settings.from_environment({}) == Settings()
    assert Settings.from_environment({"MEMCORE_MEMORY_LIMIT": ""}) == Settings()


def test_the_environment_says_it_in_bytes_or_units(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings.from_environment({"MEMCORE_MEMORY_LIMIT": "512MB"}).memory_limit == 512_000_000
    monkeypatch.setenv("MEMCORE_MEMORY_LIMIT", "2GiB")
    assert Settings.from_environment().memory_limit == 2 * 1024**3


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1", 1),
        ("1073741824", 1024**3),
        ("7 B", 7),
        ("1kB", 1_000),
        ("1 KiB", 1_024),
        ("1.5mib", 1_572_864),
        (" 0.1GB ", 100_000_000),
        ("3TB", 3 * 10**12),
        ("4TiB", 4 * 1024**4),
    ],
)
def test_sizes_are_read_exactly(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text", ["0", "0.1", "-1", "1e9", "512M", "MB", "1 2", "∞", "٣", "9" * 40, "999999999TiB", "1,5GB"]
)
def test_what_is_no_size_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InvalidInputError, match=r"MEMCORE_MEMORY_LIMIT: .*give a size such as 512MB"):
        Settings.from_environment({"MEMCORE_MEMORY_LIMIT": text})


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "1GB", None, 2**63])
def test_an_impossible_limit_is_refused(limit: object) -> None:
    with pytest.raises(InvalidInputError, match=r"memory_limit: .*give bytes"):
        Settings(memory_limit=limit)  # type: ignore[arg-type]


def test_a_write_waits_a_minute_for_others_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings().lock_timeout == 60
    assert Settings.from_environment({"MEMCORE_LOCK_TIMEOUT": "2.5"}).lock_timeout == 2.5
    monkeypatch.setenv("MEMCORE_LOCK_TIMEOUT", "0")
    assert Settings.from_environment() == Settings(lock_timeout=0)


@pytest.mark.parametrize("text", ["-1", "a minute", "1e3", "inf", "nan", "86401", "٣", "1,5"])
def test_what_is_no_wait_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match=r"MEMCORE_LOCK_TIMEOUT: .*give seconds from 0 to 86400"):
        Settings.from_environment({"MEMCORE_LOCK_TIMEOUT": text})


@pytest.mark.parametrize("wait", [-1, True, "60", None, float("nan"), float("inf"), 86_401])
def test_an_impossible_wait_is_refused(wait: object) -> None:
    with pytest.raises(InvalidInputError, match=r"lock_timeout: .*give seconds from 0 to 86400"):
        Settings(lock_timeout=wait)  # type: ignore[arg-type]


def test_settings_cannot_be_changed_once_made() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().memory_limit = 5  # type: ignore[misc]


def test_all_layers_are_on_and_everything_is_kept_unless_told_otherwise():
    assert Settings().layers == frozenset(Layer)
    assert Settings().retention_days == {}


def test_layers_and_retention_come_from_code_or_the_environment():
    assert Settings(layers={"turns", Layer.FACTS}).layers == {Layer.TURNS, Layer.FACTS}  # type: ignore[arg-type]
    assert Settings(retention_days={"turn": 30}).retention_days == {Kind.TURN: 30}  # type: ignore[dict-item]
    found = Settings.from_environment({"MEMCORE_LAYERS": "turns, facts", "MEMCORE_RETENTION_DAYS": "turn=30,event=9"})
    assert found.layers == {Layer.TURNS, Layer.FACTS}
    assert found.retention_days == {Kind.TURN: 30, Kind.EVENT: 9}
    assert Settings.from_environment({"MEMCORE_LAYERS": "-facts"}).layers == frozenset(Layer) - {Layer.FACTS}


@pytest.mark.parametrize("layers", ["facts", None, {"dreams"}, {5}])
def test_what_is_no_set_of_layers_is_refused(layers):
    with pytest.raises(InvalidInputError, match="layers"):
        Settings(layers=layers)


@pytest.mark.parametrize("days", ["turn", None, {"dream": 5}, {"turn": 0}, {"turn": True}, {"turn": 1.5}])
def test_what_is_no_retention_is_refused(days):
    with pytest.raises(InvalidInputError, match="retention_days"):
        Settings(retention_days=days)


@pytest.mark.parametrize(
    "variables",
    [
        {"MEMCORE_LAYERS": "dreams"},
        {"MEMCORE_LAYERS": "-facts,turns"},
        {"MEMCORE_RETENTION_DAYS": "turn"},
        {"MEMCORE_RETENTION_DAYS": "dream=5"},
    ],
)
def test_a_variable_that_says_neither_is_refused_by_its_name(variables):
    [name] = variables
    with pytest.raises(InvalidInputError, match=name):
        Settings.from_environment(variables)


def test_the_snapshot_is_kept_unless_told_otherwise() -> None:
    assert Settings().snapshot
    assert Settings.from_environment({"MEMCORE_SNAPSHOT": ""}).snapshot
    assert Settings.from_environment({"MEMCORE_SNAPSHOT": "1"}).snapshot
    assert not Settings.from_environment({"MEMCORE_SNAPSHOT": "0"}).snapshot
    with pytest.raises(InvalidInputError, match="MEMCORE_SNAPSHOT"):
        Settings.from_environment({"MEMCORE_SNAPSHOT": "no"})
    with pytest.raises(InvalidInputError, match="snapshot"):
        Settings(snapshot=1)  # type: ignore[arg-type]


def test_after_how_many_changes_the_snapshot_is_written_can_be_said() -> None:
    assert Settings().snapshot_after == Settings.from_environment({"MEMCORE_SNAPSHOT_AFTER": " "}).snapshot_after
    assert Settings.from_environment({"MEMCORE_SNAPSHOT_AFTER": "250"}).snapshot_after == 250
    for text in ("0", "-1", "many", "1.5", "9" * 19):
        with pytest.raises(InvalidInputError, match="MEMCORE_SNAPSHOT_AFTER"):
            Settings.from_environment({"MEMCORE_SNAPSHOT_AFTER": text})
    for given in (0, True, 2.0, 2**63):
        with pytest.raises(InvalidInputError, match="snapshot_after"):
            Settings(snapshot_after=given)  # type: ignore[arg-type]
