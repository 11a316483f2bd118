"""How high the cosine of unrelated texts goes in an embedding space: the floor under which nothing counts as found.

Words that mean nothing are compared with ordinary sentences. The largest of n independent normal values lies near
μ + σ·√(2 ln n) (Fisher & Tippett 1928), so the floor of a search over n memories is base + slope · √(2 ln n); base and
slope come from μ and σ of those cosines, widened so that about 99 of 100 meaningless queries stay below it. For the
embedders that come with memcore both were measured on up to 8,000 real texts (75 to 180 meaningless queries).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memcore.embedding.port import Embedder

__all__ = ["KNOWN", "MEANINGLESS", "ORDINARY", "Floor", "calibrate", "nonsense_directions"]

MEANINGLESS = (
    "qwxzv plomf drakkit",
    "zzkrw",
    "blenfo virtak",
    "ghrut mnelp osqi",
    "fnarble",
    "trixuv yombo",
    "kkkj wwwq",
    "sproing glabbet nixor",
    "vvbn xcvz",
    "olumpi draxen fette",
    "jqpx",
    "mibble wurzt",
    "犇囧槑",
    "巙鱻麤",
    "嘟噗啪嗒",
    "唔哩咔",
    "囍燚犮",
    "咕叽啵嗡",
    "魃魈魁魊",
    "呱呱唧唧哒",
    "嘭唰咻",
    "鼟龘",
    "喵呜咪哞",
    "磕啷咣当咚",
)
ORDINARY = (
    "She left her umbrella on the night train.",
    "The bakery opens at six on weekdays.",
    "My brother repairs old radios.",
    "We planted tomatoes behind the garage.",
    "Thanks, see you tomorrow!",
    "The meeting was moved to Thursday.",
    "He is allergic to shellfish.",
    "I finally finished that long novel.",
    "Our flight was delayed by two hours.",
    "The cat sleeps on the radiator.",
    "Can you recommend a quiet café?",
    "They painted the kitchen yellow.",
    "I started learning the cello last year.",
    "The server ran out of memory again.",
    "Dinner was delicious.",
    "Her office is on the fourth floor.",
    "It rained all weekend.",
    "I have an appointment at the dentist.",
    "他把钥匙落在办公室了。",
    "超市今天鸡蛋打折。",
    "我妹妹在学画画。",
    "明天见！",
    "会议改到星期四下午。",
    "他对花生过敏。",
    "我终于读完了那本小说。",
    "航班晚点了两个小时。",
    "猫在沙发上睡觉。",
    "你能推荐一家安静的咖啡馆吗？",
    "厨房的墙刷成了黄色。",
    "去年我开始学大提琴。",
    "服务器又没内存了。",
    "晚饭很好吃。",
    "她的办公室在四楼。",
    "周末一直在下雨。",
    "我约了牙医。",
    "谢谢，不客气。",
)
ENDINGS = ("", "?", "!")
"""How a query may end; a model puts meaningless words with a question mark elsewhere than without one."""
MARKS = ".!?。！？"
WIDER_BASE = 1.7
WIDER_SLOPE = 0.55
SEPARATION = 0.15
INSEPARABLE = frozenset({"multilingual-e5-small-q4"})
"""Embedders that were measured and do not put meaningless words apart."""


@dataclass(frozen=True, slots=True)
class Floor:
    """The floor of a search over n memories is base + slope · √(2 ln n)."""

    base: float
    slope: float


KNOWN = {
    "multilingual-use-v3": Floor(0.10, 0.045),
    "multilingual-e5-small-q4": Floor(0.83, 0.018),
}


def calibrate(embedder: Embedder) -> Floor:
    """The floor of an embedder's space; embeds 24 meaningless queries and 36 ordinary sentences.

    Raises:
        ProviderError: the embedder failed, or answered with something unusable.
    """
    from memcore.embedding.port import checked

    sound = checked(embedder)
    cosines = sound.embed(MEANINGLESS, query=True).astype(float) @ sound.embed(ORDINARY).astype(float).T
    mean, deviation = float(cosines.mean()), float(cosines.std())
    return Floor(min(mean + WIDER_BASE * deviation, 1.0), WIDER_SLOPE * deviation)


def nonsense_directions(embedder: Embedder) -> NDArray[np.float32]:
    """The unit means of the meaningless queries with each ending, (k, d), without those that sentences lie near too.

    A model that has never seen a word tends to put it where it puts all such words. A query that lies nearer to them
    than to a memory says nothing about that memory. k is 0 to 3; where it is 0, the model does not tell them apart.

    Raises:
        ProviderError: the embedder failed, or answered with something unusable.
    """
    import numpy as np

    from memcore.embedding.port import checked

    sound = checked(embedder)
    if embedder.name in INSEPARABLE:
        return np.zeros((0, sound.dimension), np.float32)
    sentences = [sentence.rstrip(MARKS) for sentence in ORDINARY[::2]]
    texts = [text + ending for ending in ENDINGS for text in (*MEANINGLESS, *sentences)]
    embedded = sound.embed(texts, query=True).astype(np.float64).reshape(len(ENDINGS), -1, sound.dimension)
    found = [_direction(one[: len(MEANINGLESS)], one[len(MEANINGLESS) :]) for one in embedded]
    return np.array([one for one in found if one is not None], np.float32).reshape(-1, sound.dimension)


def _direction(meaningless: NDArray[np.float64], ordinary: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The unit mean of (m, d) meaningless queries; None where ordinary ones, (o, d), are not much farther from it."""
    import numpy as np

    total = meaningless.sum(axis=0)
    unit: NDArray[np.float64] = total / np.linalg.norm(total)
    without_itself = total[None, :] - meaningless
    own = (meaningless * without_itself).sum(axis=1) / np.linalg.norm(without_itself, axis=1)
    apart = np.quantile(own, 0.1) - np.quantile(ordinary @ unit, 0.9)
    return unit if apart >= SEPARATION else None
