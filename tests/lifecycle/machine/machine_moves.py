"""The moves: what may happen to memories, with arguments that a source of chance chooses so that much collides."""

from machine_pair import SLOTS, TEXTS, USERS, WORDS
from machine_rows import HOUR, at
from machine_writing import SMALL_TALK

__all__ = ["MOVES", "make"]

_ORIGINS = ("user", "user", "user", "assistant", "tool", "web", "import")
_CATEGORIES = ("state", "state", "event", "preference")
_MOMENTS = ("valid_from", "valid_until", "event_time", "expires_at")
_MOST_ROWS = 40
_NEVER = 10**18


def make(pair, chance, name):
    """Makes one move."""
    MOVES[name][1](pair, chance)


def _call(fields):
    """Fields of the model as the facade takes them."""
    called = {name: at(value) if name in _MOMENTS else value for name, value in fields.items()}
    if "source" in called:
        called["source_ref"] = called.pop("source")
    return called | {"importance": 3.0}


def _some_id(pair, chance):
    """An id that is there, mostly a late one; now and then one that is not."""
    if isinstance(chance, _Chosen):
        return chance.chosen()
    ids = list(pair.model.rows)
    if not ids or chance.random() < 0.03:
        return pair.model.last_id + 7
    return chance.choice(ids[-8:] if chance.random() < 0.7 else ids)


def _day(pair, chance, *days):
    """A moment that comes up again: noon of a day near the present."""
    return (pair.model.now // (24 * HOUR) + chance.choice(days)) * 24 * HOUR + 3 * HOUR


def _common(pair, chance):
    fields = {"origin": chance.choice(_ORIGINS)}
    if chance.random() < 0.25:
        fields["source"] = chance.choice(("letter", "page"))
    if chance.random() < 0.1:
        fields["expires_at"] = _day(pair, chance, 0, 1, 3)
    return fields


def _claim(pair, chance):
    fields = {}
    if chance.random() < 0.25:
        fields["confidence"] = chance.choice((0.4, 0.8))
    if chance.random() < 0.2:
        fields["valid_from"] = _day(pair, chance, -3, -1, 1, 1, 3)
    if chance.random() < 0.1:
        fields["valid_until"] = _day(pair, chance, 0, 1, 3)
    if fields.get("valid_until", _NEVER) <= fields.get("valid_from", -_NEVER):
        fields["valid_until"] = fields["valid_from"] + 24 * HOUR
    if chance.random() < 0.1:
        fields["event_time"] = _day(pair, chance, -40, -3, 2, 4)
    return fields


def _add(pair, owner, text, fields):
    pair.added(
        f"add({text!r}, {owner}, {fields})",
        lambda: pair.memory.add(text, user_id=owner, **_call(fields))[0],
        lambda: pair.model.add(owner, text, **fields),
    )
    pair.wrote(owner)


def add_event(pair, chance):
    fields = _common(pair, chance)
    if chance.random() < 0.3:
        fields["event_time"] = _day(pair, chance, -3, -1, 0)
    text = chance.choice(SMALL_TALK if chance.random() < 0.1 else TEXTS)
    _add(pair, chance.choice(USERS), text, fields)


def add_turn(pair, chance):
    text = chance.choice((*SMALL_TALK, *TEXTS[:4]))
    _add(pair, chance.choice(USERS), text, {"kind": "turn"} | _common(pair, chance))


def add_fact(pair, chance):
    fields = {"kind": "fact", "category": chance.choice(_CATEGORIES)} | _common(pair, chance) | _claim(pair, chance)
    if chance.random() < 0.7:
        fields["slot"] = chance.choice((*SLOTS, "HOME  City"))
    if chance.random() < 0.1:
        fields["infer"] = False
    if chance.random() < 0.15:
        fields["supersedes"] = _some_id(pair, chance)
    _add(pair, chance.choice(USERS), chance.choice(TEXTS), fields)


def say_again(pair, chance):
    """The words of what is out of the searches, most of the time in its slot."""
    gone = [row for row in pair.model.rows.values() if row["kind"] != "turn" and not pair.model.beside(row)]
    if gone:
        row = chance.choice(gone[-6:])
        fields = {"kind": row["kind"]} | _common(pair, chance)
        if row["kind"] == "fact":
            fields |= {"category": row["category"], "slot": row["slot"]}
        if row["valid_until"] is not None and chance.random() < 0.3:
            fields["valid_until"] = pair.model.behind(row) or row["valid_until"]
        _add(pair, row["owner"], row["text"], fields)


def add_knowledge(pair, chance):
    fields = {"kind": "knowledge"} | _common(pair, chance) | _claim(pair, chance)
    if chance.random() < 0.3:
        fields["supersedes"] = _some_id(pair, chance)
    _add(pair, chance.choice(USERS), chance.choice(TEXTS), fields)


def set_slot(pair, chance):
    fields, owner = _common(pair, chance) | _claim(pair, chance), chance.choice(USERS)
    if chance.random() < 0.5:
        fields["category"] = chance.choice(_CATEGORIES)
    _set_slot(pair, chance, owner, fields)


def plan(pair, chance):
    """What is to hold from a later day on; often for a slot of one user, so that plans meet."""
    fields = {"valid_from": _day(pair, chance, 1, 2, 2, 3, 5)}
    if chance.random() < 0.4:
        fields["event_time"] = fields["valid_from"]
    if chance.random() < 0.2:
        fields["valid_until"] = fields["valid_from"] + 24 * HOUR
    planned = _planned(pair)
    if planned and chance.random() < 0.4:
        one, text = chance.choice(planned), chance.choice(TEXTS)
        pair.added(
            f"supersede({one}, {text!r}, {fields})",
            lambda: pair.memory.supersede(one, text, **_call(fields)),
            lambda: pair.model.supersede(one, text, **fields),
        )
        return
    _set_slot(pair, chance, chance.choice(("ana", "ana", "bob")), fields)


def _planned(pair):
    model = pair.model
    return [
        one for one, row in model.rows.items() if row.get("valid_from") is not None and row["valid_from"] > model.now
    ]


def call_off(pair, chance):
    """Something becomes of what had not begun."""
    planned = _planned(pair)
    if planned:
        chance.choice((retire, retire, wrong, delete, delete, correct, pin))(pair, _Chosen(chance, planned))


def name_what_leaves(pair, chance):
    """Something becomes of what holds until a later day."""
    leaving = [one for one, row in pair.model.rows.items() if pair.model.leaves(row)]
    if leaving:
        chance.choice((supersede, supersede, correct, add_knowledge, add_fact, retire))(pair, _Chosen(chance, leaving))


def move_event(pair, chance):
    """The event that something is to begin with is on another day."""
    rows = [row for row in pair.model.rows.values() if row.get("valid_from") == row["event_time"] > pair.model.now]
    rows = [row["id"] for row in rows if row["event_time"] > row["recorded_at"]]
    if rows:
        one, event = chance.choice(rows), _day(pair, chance, -1, 1, 2, 3, 5)
        pair.both(
            f"update({one}, event_time={event})",
            lambda: pair.memory.update(one, event_time=at(event)),
            lambda: pair.model.move_event(one, event),
        )


class _Chosen:
    """A source of chance by which the id of a move is one of some."""

    def __init__(self, chance, ids):
        self._chance, self._ids = chance, ids

    def __getattr__(self, name):
        return getattr(self._chance, name)

    def chosen(self):
        return self._chance.choice(self._ids)


def _set_slot(pair, chance, owner, fields):
    slot, text = chance.choice(SLOTS), chance.choice(TEXTS)
    pair.added(
        f"facts.set({slot!r}, {text!r}, {owner}, {fields})",
        lambda: pair.memory.facts.set(slot, text, user_id=owner, **_call(fields)),
        lambda: pair.model.set_slot(owner, slot, text, **fields),
    )
    pair.wrote(owner)


def supersede(pair, chance):
    one, text, fields = _some_id(pair, chance), chance.choice(TEXTS), _common(pair, chance) | _claim(pair, chance)
    pair.added(
        f"supersede({one}, {text!r}, {fields})",
        lambda: pair.memory.supersede(one, text, **_call(fields)),
        lambda: pair.model.supersede(one, text, **fields),
    )


def mark_used(pair, chance):
    ids = [_some_id(pair, chance) for _ in range(chance.choice((1, 2, 3)))]
    pair.both(f"mark_used({ids})", lambda: pair.memory.mark_used(ids), lambda: pair.model.mark_used(ids))


def pin(pair, chance):
    one = _some_id(pair, chance)
    pair.both(f"pin({one})", lambda: pair.memory.pin(one), lambda: pair.model.pin(one, pinned=True))


def unpin(pair, chance):
    one = _some_id(pair, chance)
    pair.both(f"unpin({one})", lambda: pair.memory.unpin(one), lambda: pair.model.pin(one, pinned=False))


def retire(pair, chance):
    one = _some_id(pair, chance)
    pair.both(f"retire({one})", lambda: pair.memory.retire(one), lambda: pair.model.retire(one))


def wrong(pair, chance):
    one = _some_id(pair, chance)
    pair.both(f"wrong({one})", lambda: pair.memory.feedback(one, wrong=True), lambda: pair.model.wrong(one))


def correct(pair, chance):
    one, text, wrong = _some_id(pair, chance), chance.choice(TEXTS), chance.random() < 0.3
    pair.added(
        f"correct({one}, {text!r}, wrong={wrong})",
        lambda: pair.memory.feedback(one, wrong=wrong, corrected=text),
        lambda: pair.model.correct(one, text, wrong=wrong),
    )


def update(pair, chance):
    one, text = _some_id(pair, chance), chance.choice(TEXTS)
    pair.both(
        f"update({one}, {text!r})",
        lambda: pair.memory.update(one, content=text),
        lambda: pair.model.update(one, text),
    )


def _waiting(pair, chance):
    waiting = [row["id"] for row in pair.model.rows.values() if row["review"] == "pending"]
    return chance.choice(waiting) if waiting and chance.random() < 0.9 else _some_id(pair, chance)


def approve(pair, chance):
    one = _waiting(pair, chance)
    pair.both(f"approve({one})", lambda: pair.memory.review.approve(one), lambda: pair.model.approve(one))


def reject(pair, chance):
    one = _waiting(pair, chance)
    pair.both(f"reject({one})", lambda: pair.memory.review.reject(one), lambda: pair.model.reject(one))


def resolve(pair, chance):
    pairs = list(pair.model.pairs)
    both = chance.random() < 0.3
    keep, drop = chance.choice(pairs) if pairs else (_some_id(pair, chance), pair.model.last_id + 8)
    if chance.random() < 0.5:
        keep, drop = drop, keep
    pair.both(
        f"resolve({keep}, {drop}, keep_both={both})",
        lambda: pair.memory.review.resolve(keep, drop, keep_both=both),
        lambda: pair.model.resolve(keep, drop, both=both),
    )


def delete(pair, chance):
    one = _some_id(pair, chance)
    pair.both(f"delete({one})", lambda: pair.memory.delete(one), lambda: pair.model.delete(one))


def purge(pair, chance):
    user = chance.choice(("ana", "bob"))
    pair.both(f"purge_user({user})", lambda: pair.memory.purge_user(user, confirm=user), lambda: pair.model.purge(user))
    pair.partitions = [one for one in pair.partitions if one != user]


def undo(pair, chance):
    numbers = list(pair.model.operations)
    number = pair.model.last_operation + 5
    if numbers and chance.random() < 0.97:
        number = chance.choice(numbers[-6:] if chance.random() < 0.7 else numbers)
    _undone(pair, f"undo({number})", {"operation_id": number}, lambda: pair.model.undo(number))


def undo_source(pair, chance):
    source = chance.choice(("letter", "page"))
    _undone(pair, f"undo({source})", {"source_ref": source}, lambda: pair.model.undo_all("source", source))


def undo_run(pair, chance):
    runs = sorted({one["run"] for one in pair.model.operations.values() if one["run"]}) or ["sweep-0"]
    run = chance.choice(runs)
    _undone(pair, f"undo({run})", {"job_run": run}, lambda: pair.model.undo_all("run", run))


def _undone(pair, what, selector, plain):
    found = pair.both(what, lambda: pair.memory.undo(**selector), plain)
    if found is not None:
        pair.same(what, [one.id for one in found[0]], [one["id"] for one in found[1]])


def sweep(pair, _chance):
    pair.both("sweep", lambda: pair.memory.maintain(["sweep"]), lambda: pair.model.sweep(pair.partitions))


def step(pair, chance):
    pair.step(chance.choice((1, 1, 7, 30, 30, 24 * 60, 24 * 400, -1, -30)))


def search(pair, chance):
    as_of = _day(pair, chance, -3, -1, 0, 1) if chance.random() < 0.4 else None
    known_at = _known(pair, chance) if chance.random() < 0.6 else None
    asleep = chance.random() < 0.5
    pair.search(chance.choice(WORDS), chance.choice(USERS), asleep=asleep, as_of=as_of, known_at=known_at)


def _known(pair, chance):
    """A moment of knowing: one of the last moments at which something was done, or about that, or another day."""
    done = sorted({operation["at"] for operation in pair.model.operations.values()})
    if not done or chance.random() < 0.3:
        return _day(pair, chance, -30, -3, -1, 0, 1)
    return chance.choice(done[-12:]) + chance.choice((-1, 0, 0, 1))


def compare(pair, _chance):
    pair.compare()


MOVES = {
    move.__name__: (weight, move)
    for weight, move in (
        (8, add_event),
        (2, add_turn),
        (14, add_fact),
        (4, add_knowledge),
        (4, say_again),
        (8, set_slot),
        (4, plan),
        (4, call_off),
        (4, name_what_leaves),
        (4, move_event),
        (4, supersede),
        (6, mark_used),
        (3, pin),
        (2, unpin),
        (3, retire),
        (2, wrong),
        (3, correct),
        (4, update),
        (4, approve),
        (1, reject),
        (2, resolve),
        (3, delete),
        (0.3, purge),
        (14, undo),
        (1, undo_source),
        (0.5, undo_run),
        (4, sweep),
        (8, step),
        (10, search),
        (4, compare),
    )
}
