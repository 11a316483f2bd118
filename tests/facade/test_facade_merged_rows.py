"""What becomes of a row that was merged into a memory, when the memory is deleted, retired, purged or called wrong."""

import pytest

FIRST = {"en": "I prefer green tea over coffee.", "zh": "我非常喜欢喝绿茶。"}
NEAR = {"en": "I prefer green tea to coffee", "zh": "我很爱喝绿茶"}


def merged(memory, language, **given):
    """The id of a memory, that of the row which was merged into it, and the operation."""
    [kept] = memory.add(FIRST[language], user_id="ana", embedding=[1.0, 0.0]).ids
    assert memory.add(NEAR[language], user_id="ana", embedding=[1.0, 0.0], **given).ids == [kept]
    [ended] = memory.get_all(user_id="ana", filters={"ending": "retired"})
    return kept, ended.id, memory.history(ended.id)[-1].id


def shown(memory):
    return [record.content for record in memory.get_all(user_id="ana")]


def stored(memory):
    with memory._database.read() as connection:
        return [row[0] for row in connection.exec_driver_sql("SELECT content FROM memory ORDER BY id")]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_delete_takes_what_was_merged_into_the_memory_and_leaves_no_byte_of_it(memory, language):
    kept, _, _ = merged(memory, language)
    memory.add("They met in the park.", user_id="ana", embedding=[0.0, 1.0])
    report = memory.delete(kept, user_id="ana")
    assert (report.id, report.removed["memories"], report.removed["vectors"], report.pending) == (kept, 2, 2, False)
    assert stored(memory) == ["They met in the park."]
    assert memory.verify_absent(NEAR[language]) == memory.verify_absent(FIRST[language]) == []


def test_what_was_merged_stays_where_the_merge_was_undone(memory):
    kept, ended, operation = merged(memory, "en")
    memory.undo(operation)
    assert memory.delete(kept).removed["memories"] == 1
    assert shown(memory) == [NEAR["en"]]
    assert memory.get(ended).ending is None


def test_it_goes_where_the_merge_was_done_again(memory):
    kept, _, operation = merged(memory, "en")
    [undo] = memory.undo(operation)
    memory.undo(undo.id)
    assert memory.delete(kept).removed["memories"] == 2
    assert stored(memory) == []


def test_it_stays_where_its_source_was_taken_back(memory):
    kept, ended, _ = merged(memory, "en", source_ref="chat:1")
    memory.undo(source_ref="chat:1", user_id="ana")
    assert shown(memory) == [FIRST["en"]]
    assert memory.delete(kept).removed["memories"] == 1
    assert memory.get(ended).content == NEAR["en"]


def test_a_delete_takes_every_row_of_several_merges(memory):
    kept, _, _ = merged(memory, "en")
    for text in ("I really prefer green tea over coffee", "I do prefer the green tea to coffee!"):
        assert memory.add(text, user_id="ana", embedding=[1.0, 0.0]).ids == [kept]
    assert len(stored(memory)) == 4
    assert memory.delete(kept).removed["memories"] == 4
    assert stored(memory) == []


def test_a_delete_of_the_merged_row_leaves_the_memory(memory):
    kept, ended, _ = merged(memory, "en")
    assert memory.delete(ended).removed["memories"] == 1
    assert shown(memory) == [FIRST["en"]]
    assert memory.get(kept).content == FIRST["en"]


@pytest.mark.parametrize("how", ["retire", "wrong"])
def test_a_merged_row_stays_hidden_when_the_memory_ends(memory, how):
    kept, ended, _ = merged(memory, "en")
    if how == "retire":
        memory.retire(kept)
    else:
        memory.feedback(kept, wrong=True)
    assert shown(memory) == []
    assert memory.get(ended).ending == "retired"
    assert len(memory.search("green tea", user_id="ana", embedding=[1.0, 0.0])) == 0


def test_a_purge_takes_both(memory):
    merged(memory, "en")
    assert memory.purge_user("ana", confirm="ana").counts["memory"] == 2
    assert memory.verify_absent(NEAR["en"]) == []
