"""Schema version 2, word for word: the triggers that bound how long a row counts. Released, and so never edited.

Indexes by these moments leave out what is past, so that a write beside a long past costs no more than beside none.
`fact_detail.shown_until` is the moment from which no search shows a fact; `memory.compared_until` that from which a
text is compared no more with what is said later. What is past for good is so from -2^63 on, what has no end until
2^63 - 1. A text that a person said is not so is compared with always, and one that waits as long as it may.
"""

__all__ = ["TRIGGERS"]

_OPEN, _PAST = "9223372036854775807", "-9223372036854775808"
_OVER = (
    f"CASE WHEN c.valid_until IS NULL THEN {_OPEN} WHEN c.valid_until <= c.closed_at OR c.valid_until <= c.valid_from"
    f" THEN {_PAST} ELSE c.valid_until END"
)
_STANDS_UNTIL = f"min(coalesce(m.expires_at, {_OPEN}), {_OVER})"
_OF = "FROM memory AS m LEFT JOIN claim AS c ON c.memory_id = m.id WHERE m.id = {id}"
_SHOWN_UNTIL = (
    f"(SELECT CASE WHEN m.ended_at IS NOT NULL OR m.review_state <> 'active' THEN {_PAST} ELSE {_STANDS_UNTIL} END"
    f" {_OF})"
)
_DENIED = (
    "m.review_state = 'rejected' OR m.ending IS 'wrong'"
    " OR EXISTS (SELECT 1 FROM feedback AS b WHERE b.memory_id = m.id AND b.wrong = 1)"
)
_COMPARED_UNTIL = (
    f"(SELECT CASE WHEN {_DENIED} THEN {_OPEN} WHEN m.ended_at IS NOT NULL THEN {_PAST}"
    f" WHEN m.review_state = 'pending' THEN coalesce(m.expires_at, {_OPEN}) ELSE {_STANDS_UNTIL} END {_OF})"
)


def _bound_fact(memory_id: str) -> str:
    bound = _SHOWN_UNTIL.format(id=memory_id)
    return f"UPDATE fact_detail SET shown_until = {bound} WHERE memory_id = {memory_id} AND shown_until <> {bound};"


def _bound_text(memory_id: str) -> str:
    bound = _COMPARED_UNTIL.format(id=memory_id)
    return (
        f"UPDATE memory SET compared_until = {bound}"
        f" WHERE id = {memory_id} AND text_key IS NOT NULL AND compared_until <> {bound};"
    )


def _bound(memory_id: str) -> str:
    return f"{_bound_fact(memory_id)} {_bound_text(memory_id)}"


TRIGGERS = (
    (
        "CREATE TRIGGER claim_bounds AFTER INSERT ON claim WHEN NEW.valid_until IS NOT NULL BEGIN"
        f" {_bound('NEW.memory_id')} END"
    ),
    (
        "CREATE TRIGGER claim_bounds_again AFTER UPDATE OF valid_from, valid_until, closed_at, superseded_by ON claim"
        f" BEGIN {_bound('NEW.memory_id')} END"
    ),
    f"CREATE TRIGGER fact_detail_bounds AFTER INSERT ON fact_detail BEGIN {_bound_fact('NEW.memory_id')} END",
    (
        "CREATE TRIGGER memory_bounds AFTER INSERT ON memory WHEN NEW.expires_at IS NOT NULL BEGIN"
        f" {_bound_text('NEW.id')} END"
    ),
    (
        "CREATE TRIGGER memory_bounds_again AFTER UPDATE OF review_state, expires_at, ended_at, ending, text_key"
        f" ON memory BEGIN {_bound('NEW.id')} END"
    ),
    *(
        f"CREATE TRIGGER feedback_bounds_{name} AFTER {name} ON feedback WHEN {row}.wrong = 1 BEGIN"
        f" {_bound_text(f'{row}.memory_id')} END"
        for name, row in (("insert", "NEW"), ("delete", "OLD"))
    ),
    f"CREATE TRIGGER feedback_bounds_update AFTER UPDATE OF wrong ON feedback BEGIN {_bound_text('NEW.memory_id')} END",
)
