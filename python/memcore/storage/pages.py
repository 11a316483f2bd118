"""What lies in those bytes of a database file that belong to no row.

Where SQLite moves rows from page to page, it leaves copies of them in the unused middle of the old page, also with
`secure_delete`; a row that is removed later leaves its copy there. The format is that of
https://www.sqlite.org/fileformat2.html: pages, free pages, cells and free blocks.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Bytes", "unused"]

_AT_ONCE = 1024  # pages
_HEADER = struct.Struct(">BHHH")  # of a page: its kind, first free block, number of cells, where they begin
_BLOCK = struct.Struct(">HH")  # of a free block: the next one, its length
_HEADERS = {2: 12, 5: 12, 10: 8, 13: 8}  # bytes of the header, by the kind of the page


class Bytes(Protocol):
    """A file that can be read at any place."""

    @property
    def size(self) -> int:
        """How many bytes it has."""
        ...

    def read(self, offset: int, size: int) -> bytes:
        """The bytes from `offset` on, at most `size`."""
        ...


def unused(file: Bytes) -> Iterator[tuple[int, bytes]]:
    """Each stretch of bytes that belongs to no row and is not all zeros, with its offset in the file.

    The file must hold all of the database (an empty write-ahead log), and nobody may write to it meanwhile. The ends of
    pages that continue a long row are not looked at; with `secure_delete` they are zeros. Of a file with more than 2^24
    pages, pages that continue long rows may be taken for others; that finds too much, never too little.
    """
    head = file.read(0, 100)
    if len(head) < 100 or not head.startswith(b"SQLite format 3\0"):
        return
    size = int.from_bytes(head[16:18], "big")
    size = 65_536 if size == 1 else size
    free, trunks = _free_pages(file, head, size)
    for start in range(0, file.size, size * _AT_ONCE):
        chunk = file.read(start, size * _AT_ONCE)
        for at in range(0, len(chunk), size):
            number = (start + at) // size + 1
            if number in free:
                stretches = [(trunks.get(number, 0), size)]
            elif chunk[at] in _HEADERS:
                stretches = _gaps(chunk, at, at)
            else:  # the first page begins with the header of the file; the others have no cells
                stretches = _gaps(chunk, at, at + 100) if number == 1 else []
            for low, high in stretches:
                found = chunk[low + at : high + at]
                if found.count(0) != len(found):
                    yield start + at + low, found


def _free_pages(file: Bytes, head: bytes, size: int) -> tuple[set[int], dict[int, int]]:
    """The numbers of the free pages, and for those that list others where the list ends."""
    free: set[int] = set()
    trunks: dict[int, int] = {}
    trunk = int.from_bytes(head[32:36], "big")
    while trunk and trunk not in trunks:
        page = file.read((trunk - 1) * size, size)
        count = int.from_bytes(page[4:8], "big")
        free.add(trunk)
        free.update(int.from_bytes(page[8 + 4 * place : 12 + 4 * place], "big") for place in range(count))
        trunks[trunk] = 8 + 4 * count
        trunk = int.from_bytes(page[:4], "big")
    return free, trunks


def _gaps(chunk: bytes, page: int, header: int) -> list[tuple[int, int]]:
    """The unused middle and the free blocks of the page that begins at `page`, as (from, to) in it."""
    if header + _HEADER.size > len(chunk):
        return []
    kind, block, cells, content = _HEADER.unpack_from(chunk, header)
    if kind not in _HEADERS:
        return []
    gaps = [(header - page + _HEADERS[kind] + 2 * cells, content or 65_536)]
    while block and page + block + _BLOCK.size <= len(chunk):
        following, length = _BLOCK.unpack_from(chunk, page + block)
        gaps.append((block + 4, block + length))
        block = following if following > block else 0
    return gaps
