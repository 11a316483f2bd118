"""Word lists that tell what a short text says: words without content, denials, opposites, in English and Chinese."""

__all__ = [
    "ALIKE",
    "DENIALS",
    "HAN",
    "HAN_DENIALS",
    "HAN_FILLERS",
    "HAN_PARTICLES",
    "LIMITS",
    "NUMBER_WORDS",
    "OPPOSITES",
    "PERSONS",
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

DENIALS = {
    "not": "not",
    "n't": "not",
    "cannot": "not",
    "no": "no",
    "nope": "no",
    "none": "none",
    "nobody": "nobody",
    "nothing": "nothing",
    "nowhere": "nowhere",
    "never": "never",
    "neither": "neither",
    "nor": "nor",
    "without": "without",
    "unless": "unless",
    "hardly": "hardly",
    "barely": "hardly",
    "except": "except",
}
HAN_DENIALS = "不没未无非别莫勿否甭毫"

PERSONS = {
    **dict.fromkeys(("i", "me", "my", "mine", "myself"), "i"),
    **dict.fromkeys(("you", "your", "yours", "yourself"), "you"),
    **dict.fromkeys(("he", "him", "his", "himself"), "he"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "she"),
    **dict.fromkeys(("we", "us", "our", "ours", "ourselves"), "we"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), "they"),
}
LIMITS = frozenset(
    """
    will would might may could should must can if only almost nearly former formerly ex stopped stop quit
    again anymore longer still yet already maybe perhaps probably
    """.split()  # noqa: SIM905
)
"""Words that say how far a statement holds: planned, possible, over, doubted."""

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

_OPPOSED = """
    love/hate like/dislike likes/dislikes loves/hates loved/hated liked/disliked enjoy/hate enjoys/hates before/after
    left/right up/down in/out on/off open/closed open/close opens/closes opened/closed start/end starts/ends
    started/ended begin/end began/ended buy/sell buys/sells bought/sold win/lose wins/loses won/lost hot/cold
    warm/cold big/small large/small long/short tall/short high/low more/less most/least increase/decrease
    increases/decreases increased/decreased rise/fall rises/falls rose/fell add/remove added/removed
    enable/disable enabled/disabled allow/forbid allowed/forbidden accept/reject accepted/rejected
    accept/refuse accepted/refused true/false yes/no always/never always/sometimes often/rarely often/seldom
    all/some every/some early/late earlier/later early/later first/last young/old new/old day/night
    morning/evening morning/afternoon afternoon/evening today/tomorrow today/yesterday yesterday/tomorrow
    brother/sister mother/father mum/dad mom/dad son/daughter husband/wife boy/girl man/woman uncle/aunt
    north/south east/west married/divorced married/single single/divorced alive/dead can/cannot with/without
    agree/disagree agrees/disagrees agreed/disagreed remember/forget remembers/forgets pass/fail passed/failed
    success/failure healthy/ill healthy/sick strong/weak fast/slow happy/sad safe/dangerous black/white
    male/female public/private inside/outside above/below over/under
    lend/borrow lends/borrows lent/borrowed teach/learn arrive/leave arrives/leaves arrived/left
    came/went come/go comes/goes join/leave joins/leaves joined/left minimum/maximum better/worse best/worst
"""
OPPOSITES = frozenset(
    pair for line in _OPPOSED.split() for one, other in [line.split("/")] for pair in ((one, other), (other, one))
)
"""Pairs of English words of which one does not say what the other says, in both orders."""

HAN_PARTICLES = frozenset("的地得了着吧呢啊呀哦嘛很挺蛮太真都也还就是个有在于、，。！：；“”‘’ ")
"""Chinese characters that may come and go without another thing being said."""
HAN_FILLERS = ("非常", "特别", "十分", "极其", "超级", "相当")
"""Chinese words that may."""
ALIKE = (
    frozenset(("喜欢", "爱", "喜爱", "热爱", "爱好")),
    frozenset(("住", "居住", "住在", "居住在")),
    frozenset(("工作", "上班", "任职")),
    frozenset(("说", "讲", "表示")),
    frozenset(("觉得", "认为", "感觉")),
    frozenset(("经常", "常常", "常", "时常")),
    frozenset(("打算", "计划", "准备")),
    frozenset(("妈妈", "母亲", "妈")),
    frozenset(("爸爸", "父亲", "爸")),
    frozenset(("吃", "食用")),
    frozenset(("买", "购买")),
    frozenset(("今天", "今日")),
    frozenset(("现在", "目前", "如今")),
    frozenset(("和", "与", "跟", "同")),
)
"""Chinese words of one meaning, any of which may stand for another."""
