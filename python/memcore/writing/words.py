"""Word lists that tell what a short text says: words that say nothing, numbers, and wordings of one meaning."""

__all__ = [
    "DENIALS",
    "ENGLISH",
    "FILLERS",
    "HAN",
    "NUMBER_WORDS",
    "STOP_WORDS",
]

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
"""Chinese characters, as the inside of a class in a pattern."""

STOP_WORDS = frozenset(
    """
    a about after all also am an and any are as at be been before being but by did do does doing done each for from
    had has have having he her here hers him his how i if in into is it its just me mine more most much my of off on
    or our ours out over own quite rather really same she so some such than that the their theirs them then there
    these they this those to too under up us very was we were what when where which while who whom whose why with you
    your yours
    """.split()  # noqa: SIM905 (a word list reads better as a text)
)
"""English words that say nothing by themselves."""

FILLERS = frozenset(
    """
    a actually also an basically definitely do does indeed quite really simply the truly very
    """.split()  # noqa: SIM905
)
"""English words that may come and go without another thing being said; in a text that is English."""
DENIALS = frozenset(("not", "no", "never", "without", "hardly", "barely", "neither", "nor"))
"""English words after which a filler is none: who is not very happy may be happy."""
ENGLISH = frozenset(
    """
    and because been being could does from had has have indeed is not our really she should that the their them these
    they this those very were what when where which who with would you your
    """.split()  # noqa: SIM905
)
"""Words that show that a text is English: elsewhere `a`, `an` and `do` are words of their own (Spanish, German)."""

_COUNTED = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty
"""
NUMBER_WORDS = {word: str(number) for number, word in enumerate(_COUNTED.split())} | {
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "seventy": "70",
    "eighty": "80",
    "ninety": "90",
    "hundred": "100",
    "thousand": "1000",
    "million": "1000000",
    "billion": "1000000000",
    "half": "0.5",
    "once": "1x",
    "twice": "2x",
    "first": "1.",
    "second": "2.",
    "third": "3.",
}
