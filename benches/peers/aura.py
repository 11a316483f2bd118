"""aura-memory: BM25, n-grams, tags and, here, our vectors, fused by its own ranks; a person is a namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benches.peers.port import product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benches.peers.port import Item, Setting

__all__ = ["Aura"]


class Aura:
    """Session, speaker and moment are metadata; `deduplicate` is off, as each memory is asked for by its own id."""

    def __init__(self, setting: Setting) -> None:
        self._brain: Any = product("aura").Aura(str(setting.folder / "brain"))
        self._brain.set_embedding_fn(lambda text: [float(value) for value in setting.vectors.of(text)])
        self._ids: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        self._namespaces: dict[str, str] = {}

    def _namespace(self, scope: str) -> str:
        """Its name of a scope, which may have only ASCII letters and digits."""
        return self._namespaces.setdefault(scope, f"person-{len(self._namespaces)}")

    def fill(self, scope: str, items: Sequence[Item]) -> None:
        for item in items:
            moment = "" if item.moment is None else item.moment.isoformat()
            metadata = {"speaker": item.speaker or "", "session": item.session or "", "moment": moment}
            record = self._brain.store(
                item.text, namespace=self._namespace(scope), deduplicate=False, metadata=metadata
            )
            self._ids[item.key], self._keys[record] = record, item.key

    def search(self, scope: str, question: str, limit: int) -> list[str]:
        found = self._brain.recall_structured(question, top_k=limit, namespace=self._namespace(scope))
        return [self._keys[hit["id"]] for hit in found if hit["id"] in self._keys]

    def forget(self, _scope: str, items: Sequence[Item]) -> None:
        for item in items:
            self._brain.delete(self._ids.pop(item.key))

    def close(self) -> None:
        self._brain.close()
