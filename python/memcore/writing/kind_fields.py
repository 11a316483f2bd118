"""The fields that only some kinds of memory have: claims, slots, details. Another kind refuses them by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass
from dataclasses import fields as parts_of
from typing import TYPE_CHECKING, Any

from memcore.kinds import Category, Kind
from memcore.records import checked_id
from memcore.storage.detail_rows import Claim, FactDetail
from memcore.storage.details import CLAIMED, DETAILED
from memcore.writing import fields

if TYPE_CHECKING:
    from memcore.storage.detail_rows import Detail

__all__ = ["KindFields", "kind_fields"]

_OF_CLAIMS = ("confidence", "valid_from", "valid_until", "supersedes")
_OF_FACTS = ("slot", "category")
_OF_SOME = frozenset((*_OF_CLAIMS, *_OF_FACTS, "details"))
_RESULTS = ("success", "failure")
_LARGEST_LINE = 2**31 - 1


@dataclass(frozen=True, slots=True)
class KindFields:
    """What a memory says beside its text: None where its kind says no such thing."""

    claim: Claim | None = None
    detail: Detail | None = None
    supersedes: int | None = None


_NOTHING = KindFields()
_PLAIN = frozenset(Kind) - {*CLAIMED, *DETAILED}
"""The kinds that have a text and nothing beside it."""


def kind_fields(kind: Kind, given: Mapping[str, Any], at: str = "") -> KindFields:
    """The fields of `given` that belong to some kinds only, checked for this kind.

    Raises:
        InvalidInputError: the kind has no such field, a value is not accepted, or the kind needs details that are not
            there.
    """
    _refuse_foreign(kind, given, at)
    if kind in _PLAIN:
        return _NOTHING

    def checked(key: str, check: Callable[[str, object], Any], default: Any = None) -> Any:
        value = given.get(key)
        return default if value is None else check(f"{at}{key}", value)

    claim = None
    if kind in CLAIMED:
        claim = Claim(
            confidence=checked("confidence", lambda key, value: fields.number(key, value, 1), 1.0),
            valid_from=checked("valid_from", fields.moment),
            valid_until=checked("valid_until", fields.moment),
        )
        _in_order(f"{at}valid_until", claim.valid_from, claim.valid_until, "valid_from")
    if kind is Kind.FACT:
        category = checked("category", lambda key, value: fields.choice(key, value, Category), Category.EVENT)
        detail: Detail | None = FactDetail(category=category, slot=checked("slot", fields.name))
    else:
        detail = _detail(kind, given.get("details"), at)
    return KindFields(claim, detail, checked("supersedes", checked_id))


def _refuse_foreign(kind: Kind, given: Mapping[str, Any], at: str) -> None:
    if given.keys().isdisjoint(_OF_SOME):
        return
    for keys, whose in ((_OF_CLAIMS, CLAIMED), (_OF_FACTS, (Kind.FACT,))):
        for key in keys:
            if given.get(key) is not None and kind not in whose:
                named = ", ".join(one.value for one in whose)
                fields.refuse(
                    f"{at}{key}", given[key], f"a memory of kind {kind.value} has none; kinds with it: {named}"
                )
    if given.get("details") is not None and (kind is Kind.FACT or kind not in DETAILED):
        named = ", ".join(one.value for one in DETAILED if one is not Kind.FACT)
        hint = "; give category and slot by themselves" if kind is Kind.FACT else ""
        fields.refuse_shown(
            f"{at}details", "a dict", f"a memory of kind {kind.value} has none{hint}; kinds with it: {named}"
        )


def _detail(kind: Kind, given: object, at: str) -> Detail | None:
    """The details of a kind, each part checked; None where the kind has none, or may do without."""
    shape = DETAILED.get(kind)
    if shape is None:
        return None
    parts = {part.name: part for part in parts_of(shape)}
    needed = [name for name, part in parts.items() if part.default is MISSING]
    if given is None and not needed:
        return None
    values = {} if given is None else _mapping(f"{at}details", given)
    for key in values:
        if key not in parts:
            hint = fields.nearest(key, parts)
            fields.refuse_shown(f"{at}details", f"the key {key!r}", f"give {', '.join(parts)}{hint}")
    for name in needed:
        if values.get(name) is None:
            what = f"details without {name!r}" if given is not None else "a memory without details"
            fields.refuse_shown(f"{at}details", what, f'kind {kind.value} needs them; give {{"{name}": …}}')
    checked = {key: _PARTS[key](f"{at}details.{key}", value) for key, value in values.items() if value is not None}
    _in_order(f"{at}details.ended_at", checked.get("started_at"), checked.get("ended_at"), "started_at")
    if kind is Kind.CHUNK:
        first = checked.setdefault("first_line", 1)
        last = checked.setdefault("last_line", first)
        if last < first:
            fields.refuse(f"{at}details.last_line", last, f"give a line from first_line ({first}) on")
    made: Detail = shape(**checked)
    return made


def _mapping(field: str, value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        fields.refuse(field, value, 'give a dict such as {"path": "notes.md"}')
    return value


def _in_order(field: str, start: Any, end: Any, name: str) -> None:
    if start is not None and end is not None and end <= start:
        fields.refuse_shown(field, end.isoformat(), f"give a moment after {name} ({start.isoformat()})")


def _line(field: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _LARGEST_LINE:
        fields.refuse(field, value, "give a line number, counted from 1")
    return value


def _result(field: str, value: object) -> str:
    if value not in _RESULTS:
        fields.refuse(field, value, f"give one of {', '.join(_RESULTS)}{fields.nearest(value, _RESULTS)}")
    return str(value)


_PARTS: dict[str, Callable[[str, object], Any]] = {
    "started_at": fields.moment,
    "ended_at": fields.moment,
    "cues": fields.tags,
    "path": fields.text,
    "first_line": _line,
    "last_line": _line,
    "question": fields.text,
    "answer": fields.text,
    "result": _result,
    "datasource": fields.name,
    "correction": fields.text,
    "pattern": fields.text,
}
