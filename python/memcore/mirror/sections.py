"""A block as the sections of an engine snapshot, and back.

Numbers that only this process gives, those of sessions and speakers, are kept with the names that they stand for.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from memcore.compute import Bm25Index, CognitiveGraphEngine, IntentEngine
from memcore.mirror.edges import ShortEdges
from memcore.mirror.graphs import ArcWeights
from memcore.mirror.packed import packed, unpacked
from memcore.mirror.rows import DTYPES, RowTable
from memcore.storage.engine_columns import CooccurrenceColumns
from memcore.storage.rows import EntityRow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from memcore.mirror.block import Codes, PartitionBlock
    from memcore.storage.engine_file import Section

__all__ = ["ENGINES", "GRAPH", "WORDS", "fill", "fill_graph", "fill_words", "sections_of"]

GRAPH, WORDS = frozenset(("graph", "arcs")), frozenset(("words",))
"""The sections of engines that take long to make."""
ENGINES = {"graph": CognitiveGraphEngine, "words": Bm25Index, "vectors": IntentEngine, "entity_vectors": IntentEngine}
"""What the sections of engines become; the others become bytes."""

_CODED = ("session", "speaker")
_NODES = (np.int64, np.uint32)
_EDGES = (np.uint32, np.float32, np.uint8)
_PAIRS = (np.int64, np.int64, np.int64)
_MENTIONS = (np.int64, np.int64)


def sections_of(block: PartitionBlock, names: Mapping[int, str]) -> tuple[dict[str, Any], list[Section]]:
    """The counts and the sections of a block; `names` are what its codes stand for."""
    single = block.rows.single
    rows = {name: single.get(name, block.rows.column(name)) for name in DTYPES}
    coded: dict[str, list[str]] = {}
    for name in _CODED:
        codes, places = np.unique(rows[name], return_inverse=True)
        start = int(np.searchsorted(codes, 0))  # before it, what stands for none
        coded[name] = [names[code] for code in codes[start:].tolist()]
        rows[name] = (places - start).clip(min=-1).astype(np.int32)
    table = block.entities
    entities = {
        "names": [[key, *known] for key, known in table.names.items()],
        "unseen": sorted(table.unseen),
    }
    edges, mentions, pairs = block.edges.short, table.mentions(), table.pairs()
    sections: list[Section] = [
        ("rows", packed(column for name, column in rows.items() if name not in single)),
        ("single", packed(rows[name] for name in single)),
        ("names", _json(coded | {"single": [*single]})),
        ("entities", _json(entities)),
        ("mentions", packed(mentions)),
        ("pairs", packed(pairs)),
        ("nodes", packed(edges[:2])),
        ("edges", packed(edges[2:])),
        ("unseen", packed((np.sort(block.unseen_ids),))),
        ("words", block.bm25),
    ]
    if block.vectors is not None and block.entity_vectors is not None:
        sections += [("vectors", block.vectors), ("entity_vectors", block.entity_vectors)]
    if block.arcs is not None:
        sections += [("graph", block.graph), ("arcs", _json(block.arcs))]
    counts = {
        "rows": len(block.rows),
        "nodes": len(edges.nodes),
        "edges": len(edges.targets),
        "mentions": len(mentions[0]),
        "pairs": len(pairs[0]),
        "unseen": len(block.unseen),
    }
    return counts, sections


def fill(block: PartitionBlock, sections: Mapping[str, Any], counts: Mapping[str, int], codes: Codes) -> None:
    """Fills an empty block with what the sections were made of, but for those of `GRAPH` and `WORDS`.

    Raises:
        KeyError: a section is missing.
        ValueError: a section is not what it should be.
    """

    def columns(name: str, dtypes: tuple[Any, ...]) -> list[NDArray[Any]]:
        return unpacked(sections[name].array(), dtypes, counts[name])

    coded = json.loads(sections["names"].array().tobytes())
    single = dict.fromkeys(coded["single"])
    names = [name for name in DTYPES if name not in single]
    rows = dict(zip(names, columns("rows", tuple(DTYPES[name] for name in names)), strict=True))
    values = unpacked(sections["single"].array(), [DTYPES[name] for name in single], 1)
    alone = dict(zip(single, values, strict=True))
    for name, number in (("session", block.partition_id), ("speaker", 0)):
        known = [codes.code(name, number, key) for key in coded[name]]
        held = alone if name in single else rows
        held[name][:] = np.array([*known, -1], np.int32)[held[name]]  # the last one: none
    block.rows = RowTable.of(rows, alone)
    entities = json.loads(sections["entities"].array().tobytes())
    block.entities.set_names(
        [EntityRow(key, name, tuple(aliases)) for key, name, *aliases in entities["names"]]
        + [EntityRow(key, "", (), live=False) for key in entities["unseen"]]
    )
    block.entities.set_mentions(*columns("mentions", _MENTIONS))
    block.entities.set_pairs(CooccurrenceColumns(*columns("pairs", _PAIRS)))
    edges = ShortEdges(*columns("nodes", _NODES), *columns("edges", _EDGES))
    if edges.degrees.sum(dtype=np.int64) != len(edges.targets) or (edges.targets >= len(edges.nodes)).any():
        raise ValueError("degrees and edges do not agree")
    block.edges.set_short(edges)
    block.unseen.update(columns("unseen", (np.int64,))[0].tolist())
    if block.vectors is not None:
        dimension = block.vectors.dimension
        block.vectors, block.entity_vectors = sections["vectors"], sections["entity_vectors"]
        if not dimension == block.vectors.dimension == block.entity_vectors.dimension:
            raise ValueError("the vectors have another dimension")


def fill_words(block: PartitionBlock, sections: Mapping[str, Any]) -> None:
    """Fills the postings of an empty block with the section of `WORDS`.

    Raises:
        KeyError: it is missing.
    """
    block.bm25 = sections["words"]


def fill_graph(block: PartitionBlock, sections: Mapping[str, Any]) -> None:
    """Fills the graph of an empty block with the sections of `GRAPH`; where there are none, it is made when asked for.

    Raises:
        KeyError: one of them is missing.
        TypeError: the numbers that it was made with are others.
    """
    if sections:
        block.graph = sections["graph"]
        block.arcs = ArcWeights(*json.loads(sections["arcs"].array().tobytes()))


def _json(value: object) -> bytes:
    return json.dumps(value).encode()
