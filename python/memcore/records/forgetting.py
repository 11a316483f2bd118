"""What was removed for good, and where something still is."""

from collections.abc import Mapping
from dataclasses import dataclass

from memcore.records.plain import Plain

__all__ = ["DeleteReport", "PurgeReport", "Remains"]


@dataclass(frozen=True, slots=True)
class DeleteReport(Plain):
    """What went with a deleted memory: the number of rows of each table, without the content.

    `memories` is more than 1 where rows that said the same, or entities that nothing else names, went with it.

    `pending`: the memory is gone from every answer, but bytes of it may still be in a file, because somebody reads an
    older state of it or it is too large to be rewritten in passing; the next delete or the job `wipe` sees to it.
    """

    id: int
    removed: Mapping[str, int]
    pending: bool = False


@dataclass(frozen=True, slots=True)
class PurgeReport(Plain):
    """How many rows of each table a purge removed, or would remove.

    `confirmed` False: it only counted. `pending`: everything is gone from every answer, but bytes of it may still be in
    a file; the job `wipe` sees to it. `tombstones`: what was removed is kept from coming back with an old transcript.
    """

    user_id: str
    counts: Mapping[str, int]
    confirmed: bool = False
    pending: bool = False
    tombstones: bool = False


@dataclass(frozen=True, slots=True)
class Remains(Plain):
    """A place where something still is, without its content.

    `place` is a table, with the `column` and the `row` (the numbers of its key), or the name of a file with the
    `offset` of a byte in it.
    """

    place: str
    column: str | None = None
    row: tuple[int, ...] | None = None
    offset: int | None = None
