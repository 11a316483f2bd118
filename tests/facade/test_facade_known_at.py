"""What was known at an earlier moment: searches and the listings of facts agree about it."""

from datetime import UTC, datetime, timedelta

import pytest

from memcore import Memory

START = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Days:
    """A memory whose clock stands at a day."""

    def __init__(self, path):
        self.day = 0
        self.memory = Memory(path, embedder="none", durability="relaxed", clock=lambda: self.at(self.day))

    def at(self, day):
        return START + timedelta(days=day)

    def home(self, content, **given):
        return self.memory.add(content, user_id="ana", kind="fact", slot="home", **given)[0]

    def known(self, day):
        """What is found of what was known at a day, asked for in each way that there is."""
        given = {"user_id": "ana", "known_at": self.at(day)}
        found = sorted(hit.id for hit in self.memory.search("Ana lives 安娜", **given))
        listed = [one.id for one in self.memory.facts.list(slot="home", **given)]
        assert found == listed
        filling = self.memory.facts.get("home", **given)
        assert (filling is None and not found) or filling.id in found
        return found


@pytest.fixture
def days(tmp_path):
    opened = Days(tmp_path / "agent.db")
    yield opened
    opened.memory.close()


def test_what_waited_then_is_not_known_then_also_when_it_was_approved_since(days):
    old = days.home("Ana lives in Lisbon.")
    days.day = 10
    waits = days.home("安娜 lives in Porto.", origin="web")
    days.day = 20
    days.memory.review.approve(waits.id)
    days.day = 30
    assert [days.known(day) for day in (-1, 5, 15, 20, 25)] == [[], [old.id], [old.id], [waits.id], [waits.id]]
    why = days.memory.why_not(waits.id, "Ana lives 安娜", user_id="ana", known_at=days.at(15))
    assert (why.reason, why.detail) == (
        "let in later",
        "it waited for review, or was out of the searches, at `known_at`",
    )


def test_what_was_retired_or_called_wrong_since_was_known_until_then(days):
    gone, wrong, stays = (
        days.home("Ana lives in Lisbon."),
        days.home("Ana lives in Porto."),
        days.home("Ana lives in Faro."),
    )
    days.day = 10
    days.memory.retire(gone.id)
    days.memory.feedback(wrong.id, wrong=True)
    days.day = 20
    assert (days.known(5), days.known(15)) == ([gone.id, wrong.id, stays.id], [stays.id])


def test_what_was_retired_then_and_is_back_was_not_known_then(days):
    fact = days.home("Ana lives in Lisbon.")
    days.day = 10
    days.memory.retire(fact.id)
    days.day = 20
    days.memory.undo(days.memory.history(fact.id)[-1].id)
    days.day = 30
    assert [days.known(day) for day in (5, 15, 25)] == [[fact.id], [], [fact.id]]


def test_what_was_rejected_then_and_let_in_since_was_not_known_then(days):
    waits = days.home("Ana lives in Lisbon.", confidence=0.2)
    days.memory.review.reject(waits.id)
    days.day = 10
    days.memory.undo(days.memory.history(waits.id)[-1].id)
    days.memory.review.approve(waits.id)
    days.day = 20
    assert [days.known(day) for day in (5, 15)] == [[], [waits.id]]


def test_the_approvals_of_another_user_change_nothing(days):
    hers = days.home("Ana lives in Lisbon.")
    his = days.memory.add("Bo lives in Lisbon.", user_id="bo", kind="fact", slot="home", confidence=0.2)[0]
    days.day = 10
    days.memory.review.approve(his.id)
    assert days.known(5) == [hers.id]


@pytest.mark.parametrize(
    ("before", "later"),
    [({"origin": "import"}, {"origin": "user"}), ({"confidence": 0.8}, {"confidence": 0.95})],
    ids=["origin", "confidence"],
)
def test_of_two_in_conflict_the_evidence_of_then_decides(days, before, later):
    first = days.home("Ana lives in Lisbon.", **before).id
    days.day = 1
    second = days.home("Ana lives in Porto.", **before).id
    days.day = 10
    assert days.home("Ana lives in Lisbon.", **later).id == first
    days.day = 20

    def given(**moments):
        return days.memory.facts.get("home", user_id="ana", **moments).id

    assert given() == given(known_at=days.at(15)) == first
    assert given(known_at=days.at(5)) == given(as_of=days.at(5), known_at=days.at(5)) == second
    days.memory.undo(days.memory.history(first)[-1].id)
    assert given() == second
    assert given(known_at=days.at(15)) == first
