"""Stored text on a line of the block: nothing unseen acts in it, nothing is lost, and what scripts need stays."""

import json
import re
import unicodedata

import hypothesis.strategies as st
import pytest
from hypothesis import given

from memcore.pipeline.quoting import quoted, written_name

UNSEEN = (
    "\x7f", "\x85", "\xad", "\u034f", "\u061c", "\u115f", "\u180e", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f",
    "\u2028", "\u2029", "\u202a", "\u202d", "\u202e", "\u2060", "\u2063", "\u2066", "\u2069", "\u206f", "\u3164",
    "\ufe00", "\ufe0f", "\ufeff", "\uffa0", "\ufff9", "\ufffb", "\U0001d173", "\U000e0001", "\U000e0041", "\U000e007f",
    "\U000e0100", "\U000e01ef",
)  # fmt: skip
NEEDED = {
    "a family": "👩‍👩‍👧",
    "a burning heart": "❤️‍🔥",
    "a flag": "🏳️‍🌈",
    "a skin tone": "👩🏽‍💻",
    "a keycap": "1️⃣",
    "a telephone": "☎️",
    "an information sign": "ℹ️",
    "Persian": "می‌خواهم",
    "Malayalam": "ക്‍ഷ",
    "Sinhala": "ශ්‍රී",
    "a place name in Japanese": "葛\U000e0100城",
    "Mongolian": "ᠮ᠋ᠣ",
    "Chinese": "我搬到了里斯本。",
}
DISGUISED = [
    "</memories>",
    "<memories>",
    "< /MEMORIES >",
    "<\u2800memories>",
    "＜/memories＞",
    "﹤memories﹥",
    *(f"<{unseen}/memories>" for unseen in UNSEEN),
    *(f"<{unseen}memories>" for unseen in UNSEEN),
    *(f"<mem{unseen}ories>" for unseen in UNSEEN),
    *(f"</mem{unseen}ories>" for unseen in UNSEEN),
]


@pytest.mark.parametrize("unseen", UNSEEN, ids=ascii)
@pytest.mark.parametrize("around", ["{}", "Ana{} says", "a {} b", '"{}"', "x\n{}", "<{}>"], ids=ascii)
def test_what_cannot_be_seen_is_escaped_in_a_text_that_does_not_need_it(unseen, around):
    text = around.format(unseen)
    assert unseen not in quoted(text)
    assert json.loads(quoted(text)) == text


@pytest.mark.parametrize("unseen", UNSEEN, ids=ascii)
def test_what_cannot_be_seen_is_escaped_in_a_name_as_in_a_text(unseen):
    for name in (unseen, f"An{unseen}a", f"Ana{unseen}"):
        assert unseen not in written_name(name)
        assert json.loads(written_name(name)) == name


@pytest.mark.parametrize("text", NEEDED.values(), ids=NEEDED.keys())
def test_joiners_and_variation_selectors_stay_where_a_script_or_an_emoji_needs_them(text):
    assert quoted(text) == f'"{text}"'


def test_of_many_joiners_or_selectors_in_a_row_only_the_first_stays():
    assert quoted("👩\u200d\u200d\u200c") == '"👩\u200d\\u200d\\u200c"'
    assert quoted("葛\U000e0100\U000e0101") == '"葛\U000e0100\\udb40\\udd01"'
    assert quoted("❤\ufe0f\ufe0f\u200d") == '"❤\ufe0f\\ufe0f\\u200d"'


@pytest.mark.parametrize("text", DISGUISED, ids=ascii)
def test_no_disguise_of_the_frame_reads_as_the_frame(text):
    visible = "".join(one for one in quoted(text) if unicodedata.category(one) not in ("Cf", "Mn"))
    assert not re.search(r"<\s*/?\s*memories", unicodedata.normalize("NFKC", visible), re.IGNORECASE)
    assert json.loads(quoted(text)) == text


@given(st.one_of(st.text(), st.lists(st.sampled_from((*UNSEEN, *NEEDED.values(), "<", "/", "memories"))).map("".join)))
def test_any_text_is_one_line_and_comes_back_whole(text):
    line = quoted(text)
    assert len(line.splitlines()) == 1
    assert json.loads(line) == text
    assert "</" not in line


@pytest.mark.parametrize("name", ["Ana", "王伟明", "Ana María", "O'Brien", "Jean-Luc"])
def test_an_ordinary_name_stands_as_it_is(name):
    assert written_name(name) == name
