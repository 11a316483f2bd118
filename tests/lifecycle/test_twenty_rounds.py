"""Twenty rounds of the same: our own block coming back adds no row, what a person repeats is one row, stronger."""

import pytest
from play import Play
from words import CHINESE, ENGLISH

ROUNDS = 20
LANGUAGES = pytest.mark.parametrize("words", [ENGLISH, CHINESE], ids=lambda words: words.language)


@pytest.fixture
def play(tmp_path, words):
    story = Play(tmp_path / "agent.db", words)
    story.memory.add(words.habit, user_id="ana")
    story.memory.add(words.number, user_id="ana")
    story.fact(words.old)
    yield story
    story.close()


def whole(block):
    return block


def quoted(block):
    return "\n".join(f"> {line}" for line in block.splitlines())


def without_its_end(block):
    return "\n".join(block.splitlines()[:-1])


def without_its_opening(block):
    return "\n".join(block.splitlines()[1:])


def spoken_around(block):
    return f"Here is what I remember:\n\n{block}\n\nDoes that help?"


SHAPES = pytest.mark.parametrize("shaped", [whole, quoted, without_its_end, without_its_opening, spoken_around])


def block_of(play, words, **given):
    block = play.memory.context(f"{words.habit_query} {words.number_query}", user_id="ana", **given)
    assert words.habit in block
    return block


@LANGUAGES
@SHAPES
@pytest.mark.parametrize("origin", ["assistant", "tool"])
def test_our_block_fed_back_as_a_text_adds_no_row(play, words, shaped, origin):
    for _ in range(ROUNDS):
        play.later(hours=1)
        [added] = play.memory.add(shaped(block_of(play, words)), user_id="ana", origin=origin)
        assert (added.id, added.outcome) == (None, "drop")
        assert added.reason
    assert play.rows() == 3


@LANGUAGES
@SHAPES
@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_our_block_fed_back_as_a_message_of_a_chat_adds_no_row(play, words, shaped, role):
    for _ in range(ROUNDS):
        play.later(hours=1)
        message = {"role": role, "content": shaped(block_of(play, words, session_id=None))}
        [added] = play.memory.add([message], user_id="ana", session_id="monday")
        assert (added.id, added.outcome) == (None, "drop")
    assert play.rows() == 3


@LANGUAGES
def test_our_block_before_the_words_of_a_person_leaves_only_the_words(play, words):
    for _ in range(ROUNDS):
        play.later(hours=1)
        message = {"role": "user", "content": f"{block_of(play, words)}\n\n{words.turns[0]}"}
        [added] = play.memory.add([message], user_id="ana", session_id="monday")
        assert play.memory.get(added.id).content == words.turns[0]
    assert play.rows() == 3 + ROUNDS


@LANGUAGES
@pytest.mark.parametrize("kind", ["event", "fact", "knowledge"])
def test_a_sentence_that_a_person_repeats_is_one_row_and_stronger(play, words, kind):
    [first] = play.memory.add(words.private, user_id="ana", kind=kind)
    before = play.memory.get(first.id)
    for _ in range(ROUNDS):
        play.later(hours=1)
        [again] = play.memory.add(words.private, user_id="ana", kind=kind)
        assert (again.id, again.outcome) == (first.id, "merge")
    after = play.memory.get(first.id)
    assert play.rows() == 4
    assert after.access_count == before.access_count + ROUNDS
    assert after.base_importance == pytest.approx(before.base_importance + ROUNDS * 0.1)
    assert after.last_used_at == play.now
    assert len(play.memory.history(first.id)) == ROUNDS


@LANGUAGES
def test_thanks_of_a_person_is_a_turn_each_time_and_nothing_as_a_text(play, words):
    thanks = words.small_talk[0]
    for _ in range(ROUNDS):
        [turn] = play.memory.add([{"role": "user", "content": thanks}], user_id="ana", session_id="monday")
        [text] = play.memory.add(thanks, user_id="ana")
        assert (turn.outcome, text.outcome) == ("accept", "drop")
    page = play.memory.get_all(user_id="ana", kinds=["turn"])
    assert [one.content for one in page] == [thanks] * ROUNDS
    assert [one.position for one in page] == list(range(ROUNDS))
