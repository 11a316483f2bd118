"""A memory takes the place of another by name: the old one is kept with its end, and what cannot be is refused."""

from datetime import UTC, datetime

import pytest

from memcore.errors import InvalidInputError, NotFoundError
from memcore.kinds import Outcome

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def rows(memory, query, *parameters):
    with memory._database.read() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query, parameters)]


def operations(memory):
    return [row[0] for row in rows(memory, "SELECT action FROM operation ORDER BY id")]


def test_an_id_that_cannot_be_superseded_is_told_and_the_text_is_stored(memory):
    [hers] = memory.add("Ana lives in Lisbon.", user_id="ana", kind="fact")
    [told] = memory.add("Ben lives in Porto.", user_id="ben", kind="fact", supersedes=hers.id)
    assert told.outcome is Outcome.ACCEPT
    assert "ignored" in told.reason
    assert memory.add("Snow is white.", user_id="ana", kind="knowledge", supersedes=hers.id)[0].reason.count(
        "of kind fact"
    )
    assert memory.get(hers.id).superseded_by is None


def test_supersede_keeps_the_old_row_with_its_end_and_what_it_said_of_itself(memory):
    [old] = memory.add("Ana lives in Lisbon.", user_id="ana", kind="fact", slot="home", category="identity")
    new = memory.supersede(old.id, "Ana lives in Porto.", user_id="ana")
    assert (new.outcome, new.supersedes) == (Outcome.ACCEPT, old.id)
    before, after = memory.get(old.id), memory.get(new.id)
    assert (before.superseded_by, before.valid_until) == (new.id, after.valid_from)
    assert (after.slot, after.category, after.superseded_by) == ("home", "identity", None)
    third = memory.supersede(new.id, "Ana lives in Faro.")
    assert memory.get(new.id).superseded_by == third.id
    assert operations(memory) == ["supersede", "supersede"]


def test_a_lesson_and_knowledge_are_superseded_too(memory):
    [lesson] = memory.add("Ask before booking.", kind="lesson", details={"pattern": "trips"})
    newer = memory.supersede(lesson.id, "Ask twice before booking.")
    assert rows(memory, "SELECT pattern FROM lesson_detail WHERE memory_id = ?", newer.id) == [("trips",)]
    [known] = memory.add("Pluto is a planet.", kind="knowledge")
    assert memory.supersede(known.id, "Pluto is a dwarf planet.").supersedes == known.id


def test_supersede_refuses_what_cannot_be_and_stores_nothing(memory, everything_in):
    [old] = memory.add("Ana lives in Lisbon.", user_id="ana", kind="fact")
    memory.supersede(old.id, "Ana lives in Porto.")
    [event] = memory.add("Ana moved in May.", user_id="ana")
    [shared] = memory.add("Lisbon lies by a river.", kind="fact")
    before = everything_in(memory)
    for call, error, message in (
        (lambda: memory.supersede(old.id, "Ana lives in Faro."), InvalidInputError, "superseded by 2 already"),
        (lambda: memory.supersede(event.id, "Ana moved in June."), InvalidInputError, "use update instead"),
        (lambda: memory.supersede(999, "Ana lives in Faro."), NotFoundError, "^id: 999"),
        (lambda: memory.supersede(2, "Ana lives in Faro.", user_id="ben"), NotFoundError, "^id: 2"),
        (lambda: memory.supersede(shared.id, "It does not.", user_id="ana"), NotFoundError, "^id: "),
        (lambda: memory.supersede("2", "Ana lives in Faro."), InvalidInputError, "^id: "),
        (lambda: memory.supersede(2, " "), InvalidInputError, "^content: "),
        (lambda: memory.supersede(2, "x", kind="event"), TypeError, "kind"),
    ):
        with pytest.raises(error, match=message):
            call()
    assert everything_in(memory) == before


def test_from_a_weaker_origin_a_successor_waits(memory):
    [old] = memory.add("Ana lives in Lisbon.", user_id="ana", kind="fact")
    new = memory.supersede(old.id, "Ana lives in Porto.", origin="tool")
    assert (new.outcome, memory.get(new.id).review_state, memory.get(old.id).superseded_by) == (
        "defer",
        "pending",
        None,
    )


def test_a_text_that_is_stored_as_it_is_supersedes_what_it_names(memory):
    [old] = memory.add("Ana lives in Lisbon.", user_id="ana", kind="fact")
    [new] = memory.add("Ana lives in Faro.", user_id="ana", kind="fact", supersedes=old.id, infer=False)
    assert (new.outcome, new.supersedes, new.reason) == (Outcome.ACCEPT, old.id, f"it supersedes {old.id}")
    assert memory.get(old.id).superseded_by == new.id
    [done] = memory.history(new.id)
    memory.undo(done.id)
    assert memory.get(old.id).superseded_by is None


def test_a_text_that_is_stored_as_it_is_ends_nothing_of_stronger_evidence_and_nothing_that_is_not_there(memory):
    [old] = memory.add("安娜住在里斯本。", user_id="ana", kind="fact")
    given = {"user_id": "ana", "kind": "fact", "infer": False}
    [weak] = memory.add("安娜住在法鲁。", supersedes=old.id, origin="web", **given)
    assert (weak.outcome, weak.supersedes) == (Outcome.ACCEPT, None)
    assert weak.reason == f"memory {old.id} has stronger evidence, and stays"
    [lost] = memory.add("安娜住在波尔图。", supersedes=99, **given)
    assert (lost.outcome, lost.supersedes) == (Outcome.ACCEPT, None)
    assert lost.reason == "supersedes: 99 is no memory of the same user, and was ignored"
    assert memory.get(old.id).superseded_by is None


def test_what_was_said_to_one_alone_stays_so_when_it_is_replaced(memory):
    old = memory.facts.set("debt", "Ana owes Bo money.", user_id="ana", channel="direct")
    new = memory.supersede(old.id, "Ana has paid Bo back.")
    assert memory.get(new.id).channel == "direct"
    assert [hit.id for hit in memory.search("Bo", user_id="ana", channel="group")] == []
    told = memory.supersede(new.id, "Ana and Bo are even.", channel="group")
    assert memory.get(told.id).channel == "group"
