"""The peers by name, and how each is installed."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benches.peers.port import Peer, Setting

__all__ = ["PEERS", "Entry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A peer: where its adapter is, what `pip install` brings it, and what it is given beyond text and scope."""

    name: str
    adapter: str
    package: str
    given: str

    def open(self, setting: Setting) -> Peer:
        """The peer, empty.

        Raises:
            ImportError: it is not installed.
        """
        module, _, name = self.adapter.partition(":")
        peer: Peer = getattr(importlib.import_module(f"benches.peers.{module}"), name)(setting)
        return peer


PEERS = (
    Entry("bm25", "lexical:Lexical", "", "nothing more"),
    Entry("dense", "dense:Dense", "", "our vectors"),
    Entry("rrf", "fused:Fused", "", "our vectors"),
    Entry("chromadb", "chroma:Chroma", "chromadb==1.5.9", "our vectors; speaker, session, moment as metadata"),
    Entry("mem0", "mem0:Mem0", "mem0ai==2.2.1", "our vectors; speaker, session, moment in its fields"),
    Entry("mem0-hybrid", "mem0:Mem0Hybrid", "mem0ai==2.2.1 fastembed==0.9.1", "as mem0, its BM25 and our stop words"),
    Entry("mempalace", "palace:Palace", "mempalace==3.11.0", "our vectors; speaker, session, moment in its fields"),
    Entry("mempalace-union", "palace:PalaceUnion", "mempalace==3.11.0", "as mempalace, candidates by word too"),
    Entry("synapse", "synapse:Synapse", "geny-memory-adaptor==1.11.1", "session as a tag, the moment; own vectors"),
    Entry("aura", "aura:Aura", "aura-memory==1.64.2", "our vectors; speaker, session, moment as metadata"),
)
