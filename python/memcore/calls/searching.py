"""The calls that search; with `on_error="log"` a failure is logged, without content, and the answer is empty."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memcore.errors import MemcoreError, without_values
from memcore.searching import missing, request, result
from memcore.writing import fields, use

if TYPE_CHECKING:
    from memcore.calls.store import OpenStore
    from memcore.searching.request import SearchFields
    from memcore.searching.result import SearchResult, WhyNot

__all__ = ["Searching"]

log = logging.getLogger("memcore")


@dataclass(frozen=True, slots=True)
class Searching:
    """The searching calls on one store; each says in `Memory` what it gives back and raises."""

    store: OpenStore

    def search(self, query: object, given: SearchFields, *, record: bool = True) -> SearchResult:
        """See `Memory.search`; what is asked only to look into a search is not recorded."""
        store = self.store
        try:
            present = store.now()
            asked = request.request(query, agent_id=store.agent_id, clock=present, given=given)
            found = store.searcher.search(asked)
            store.keeper.note()
            if record:
                store.recorder.note(asked, found, present)
            return found  # noqa: TRY300 - what is raised above is caught
        except MemcoreError as error:
            if not store.log_errors:
                raise
            log.error("search failed and answers empty: %s", without_values(error))  # noqa: TRY400 - no content in logs
            return result.nothing(store.agent_id, datetime.now(UTC), store.params.current(), error)

    def context(
        self, query: object, max_chars: int | None, max_tokens: int | None, given: SearchFields, *, mark_used: object
    ) -> str:
        """See `Memory.context`."""
        store = self.store
        try:
            noted = fields.flag("mark_used", mark_used)
            found = self.search(query, given)
            block = found.block(max_chars=max_chars, max_tokens=max_tokens)
            if block.text:
                store.blocks.note(block.text, found.trace.user_ids, found.trace.session_id, store.now())
            if noted and block.ids:
                use.note_use(
                    store.database, block.ids, within=store.reach(), now=store.now(), associate=store.associates
                )
        except MemcoreError as error:
            if not store.log_errors:
                raise
            log.error("the context is empty: %s", without_values(error))  # noqa: TRY400 - no content in logs
            return ""
        return block.text

    def why_not(self, memory_id: int, query: object, given: SearchFields) -> WhyNot:
        """See `Memory.why_not`."""
        return missing.fits(self.search(query, given, record=False), memory_id)
