"""What a text holds, and which of it a query asks for."""

import numpy as np
import pytest

from memcore.pipeline.answers import answering, what_it_holds

TEXTS = [
    ("I went there with Anna and Tom last week.", 3),
    ("Yes, near Lisbon.", 1),
    ("Wow! That is great.", 0),
    ("I read 《百年孤独》 in the library", 4),
    ('We saw "The wandering earth" again', 4),
    ("我的电话是13912345678", 8),
    ("", 0),
]
ASKED = [
    ("Who came along?", [1.0, 0.5, 0, 1, 1, 0, 0]),
    ("What did they do?", [1.0, 0.5, 0, 0, 0, 0, 0]),
    ("我看过的小说叫什么名字？", [1.0, 0.5, 0, 1, 1, 0, 0]),
    ("How many people were there?", [0, 0, 0, 0, 0, 1, 0]),
    ("我的电话号码是多少？", [0, 0, 0, 0, 0, 1, 0]),
    ("Tell me about the trip.", [0] * 7),
    ("Ana: Who came?\nTom: What do you mean?", [0] * 7),
    ("", [0] * 7),
]


@pytest.mark.parametrize(("text", "bits"), TEXTS)
def test_names_titles_and_digits_are_what_a_text_holds(text, bits):
    assert what_it_holds(text) == bits


@pytest.mark.parametrize(("query", "shares"), ASKED)
def test_a_text_answers_as_far_as_it_holds_what_is_asked_for(query, shares):
    holds = np.array([bits for _, bits in TEXTS], np.uint8)
    assert answering(query, holds).tolist() == shares


def test_the_first_word_of_a_sentence_is_no_name():
    assert what_it_holds("Good. Then we left! Maybe later? Yes") == 0
