"""Removing for good: one memory, or all of a user; and the proof that nothing is left."""

import logging
import time
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

from memcore.errors import InvalidInputError, StorageError, shown, without_values
from memcore.kinds import Kind
from memcore.records import DeleteReport, PurgeReport, Remains, checked_id
from memcore.scope import Partition, checked_name
from memcore.storage import (
    called_off,
    memories,
    merged,
    named_only,
    purge,
    receipts,
    remains,
    statistics,
    strength,
    traces,
    unplanned,
    unsaid,
)
from memcore.storage.encoding import to_micros
from memcore.storage.neighbours import Sight
from memcore.storage.places import PLACES
from memcore.writing.reach import Reach, found

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memcore.storage.database import Database
    from memcore.storage.rows import MemoryRow
    from memcore.writing.echo import GivenBlocks

__all__ = ["delete", "finish", "purge_user", "remains_of", "resume"]

PAUSE = 0.005
"""Seconds between two batches of a purge: who waits to write in another process looks every millisecond."""
_log = logging.getLogger(__name__)


def delete(
    database: "Database",
    memory_id: object,
    *,
    within: Reach,
    now: datetime,
    blocks: "GivenBlocks",
    retention_days: "Mapping[Kind, int] | None" = None,
) -> DeleteReport:
    """How many rows of what went with the memory; its neighbours in the session are joined to each other.

    What is out of the searches because it says the same, goes with it: merged into it, by whatever call, or superseded
    by it with its own text; not where that was undone. So does an entity that is there only because these name it. The
    context blocks that its user was given are forgotten: it may stand in one of them. What it was to take the place of,
    but had not begun to, keeps its time, and its operations become what they were without. Other operations tell
    nothing of what went: neither why, nor from which source.

    Raises:
        InvalidInputError: `memory_id` is no id.
        NotFoundError: it is unknown, or not the named user's own.
    """
    wanted = checked_id("id", memory_id)
    with database.write() as connection:
        [asked] = found(connection, within, [wanted], field="id", to_change=True)
        going = merged.merged_into(connection, [wanted])
        sight = Sight.at(now, retention_days or {})
        given = called_off.given_back(connection, going, sight)
        going += named_only.last_named_by(connection, going)
        told = unsaid.told_of(connection, going)
        traceable = _is_traceable(memories.fetch(connection, going))
        left = traces.traces_of(connection, going, told.operations) if traceable else None
        if named_only.forget_aliases(connection, going):
            left = None
        followed = unplanned.forget_plans(connection, going, sight.now)
        called_off.forget(connection, given)
        removed = asdict(memories.remove(connection, going))
        called_off.give(connection, given, sight)
        unplanned.note_heirs(connection, followed, now)
        unsaid.unsay(connection, told)
        strength.reschedule(connection, [one.change.memory_id for one in given])
        statistics.forget(connection)
        receipt = receipts.write(connection, within.agent_id, "delete", to_micros(now), removed)
    blocks.forget(asked.partition.user_id)
    return DeleteReport(wanted, removed, pending=not _wiped(database, left, receipt))


def purge_user(
    database: "Database",
    partition: Partition,
    *,
    confirm: str | None,
    now: datetime,
    salt: bytes | None,
    blocks: "GivenBlocks",
) -> PurgeReport:
    """What a purge removed, or, where `confirm` is not the user's name, would remove.

    With `salt`, random bytes, what is removed leaves tombstones. The context blocks that the user was given are
    forgotten.

    Raises:
        StorageError: the database cannot be written. What the mark hides stays hidden, and goes at the next opening.
    """
    user, kept = partition.user_id or "", salt is not None
    if confirm != partition.user_id:
        with database.read() as connection:
            return PurgeReport(user, purge.count(connection, partition))
    with database.write() as connection:
        number = purge.begin(connection, partition, now, salt=salt)
    blocks.forget(partition.user_id)
    counts = dict.fromkeys((place.table for place in PLACES), 0)
    if number is None:
        return PurgeReport(user, counts, confirmed=True, tombstones=kept)
    finish(database, number)
    with database.read() as connection:
        counts |= receipts.counts(connection, partition.agent_id, "purge", to_micros(now))
    return PurgeReport(user, counts, confirmed=True, pending=not _wiped(database, None, None), tombstones=kept)


def finish(database: "Database", number: int | None = None) -> None:
    """Brings an open purge (None: the oldest) to its end.

    Whoever goes on with one looks first for traces that quote what it removes. That is done while nobody waits; only to
    forget them others wait, for some at a time.
    """
    if number is None:
        with database.read() as connection:
            number = purge.oldest(connection)
        if number is None:
            return
    with database.read() as connection:
        quoting = purge.quotes(connection, number)
    for start in range(0, len(quoting), purge.QUOTES):
        with database.write() as connection:
            purge.forget_quotes(connection, number, quoting[start : start + purge.QUOTES])
        time.sleep(PAUSE)
    ended = False
    while not ended:
        with database.write() as connection:
            ended = purge.advance(connection, number)
        time.sleep(PAUSE)


def resume(database: "Database") -> int:
    """Brings what an earlier process began to its end: how many purges there were.

    Raises:
        StorageError: the database cannot be written.
    """
    ended = 0
    while True:
        with database.read() as connection:
            more, pending = purge.is_open(connection), bool(receipts.pending(connection))
        if not more:
            break
        finish(database)
        ended += 1
    if pending:
        _wiped(database, None, None)
    return ended


def remains_of(database: "Database", wanted: object, *, agent_id: str, user_id: object) -> list[Remains]:
    """Where a memory (by its id) or a text still is; an empty list where it is nowhere.

    Raises:
        InvalidInputError: `wanted` is neither an id nor a text with a visible character and without lone surrogates,
            or `user_id` is no name.
    """
    user = None if user_id is None else checked_name("user_id", user_id)
    if not isinstance(wanted, str):
        number = checked_id("text_or_id", wanted)
        with database.read() as connection:
            return remains.id_in_tables(connection, number, agent_id, user)
    if not wanted.strip():
        raise InvalidInputError(f"text_or_id: {shown(wanted)} is not accepted; give the id of a memory, or a text")
    if any("\ud800" <= character <= "\udfff" for character in wanted):
        raise InvalidInputError(f"text_or_id: {shown(wanted)} is not accepted; leave out lone surrogates")
    with database.read() as connection:
        rows, others = remains.text_in_tables(connection, wanted, agent_id, user)
    file = database.raw_file()
    if file is None or others:  # bytes do not say whose they are
        return rows
    return rows + remains.text_in_files(database.path, file, wanted)


def _is_traceable(rows: "list[MemoryRow]") -> bool:
    """Whether pieces of some memories tell their bytes from others.

    What one said before it was changed is not known any more, and a name of a few letters is in many words.
    """
    unchanged = all(row.updated_at == row.recorded_at for row in rows)
    names = [row.content.encode("utf-8", "replace") for row in rows if row.kind is Kind.ENTITY]
    return unchanged and all(map(traces.pieces, names))


def _wiped(database: "Database", left: traces.Traces | None, receipt: int | None) -> bool:
    """Whether the files hold nothing of it; where that cannot be seen to now, the receipt stays pending."""
    try:
        return database.wipe(left, receipt)
    except StorageError as error:
        _log.warning("removed rows may still have bytes in a file: %s", without_values(error))
        return False
