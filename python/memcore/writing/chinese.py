"""Chinese wordings of one meaning, made one where they are surely words of their own and no part of a name.

Chinese has neither capitals nor spaces, and any character may stand in a name: 李真, 张和, 于明. So a word is made
plain only where its beginning is sure: after a pronoun, after a word that was recognised itself, and, if it has two
characters, where a clause begins. Everything else stays as it is written.
"""

import re

from memcore.writing.words import HAN

__all__ = ["plain_run"]

_MAYBE, _SURE = 1, 2
_ACTIVITY = "(?=[喝吃看听玩打唱跳读写画做游跑爬逛睡])"
_LIKING = f"(?:喜欢|喜爱|热爱|讨厌|害怕|爱{_ACTIVITY})"
_FAMILY = "哥哥|弟弟|姐姐|妹妹|儿子|女儿|丈夫|妻子|爷爷|奶奶"
_WORDS: tuple[tuple[int, str, str | None, int], ...] = (
    (0, "(?<![自忘无其吉利排维])(?:[我你他她它咱]们?|您)", None, _SURE),
    (_SURE, f"的(?={_FAMILY}|妈妈|母亲|爸爸|父亲)", "", _SURE),
    (_SURE, "妈妈|母亲|妈(?![妈咪祖])", "妈妈", _MAYBE),
    (_SURE, "爸爸|父亲|爸(?!爸)", "爸爸", _MAYBE),
    (_SURE, _FAMILY, None, _MAYBE),
    (_SURE, f"(?:真|挺|蛮)(?={_LIKING})", "", _SURE),
    (_MAYBE, f"(?:很|非常|特别|十分|极其|超级|相当)(?={_LIKING})", "", _SURE),
    (_MAYBE, "喜欢|喜爱|热爱", "喜欢", 0),
    (_SURE, f"爱{_ACTIVITY}", "喜欢", 0),
    (_SURE, "居住在?|住在?", "住", 0),
    (_MAYBE, "经常|时常", "经常", _SURE),
    (_SURE, "常常", "经常", _SURE),
    (_SURE, "现在|目前|如今", "现在", _SURE),
    (_SURE, "[也都还]", None, _SURE),
    (_SURE, "觉得|认为", "觉得", _MAYBE),
    (_SURE, "(?:打算|计划|准备)(?=去)", "打算", _SURE),
    (_SURE, "购买", "买", 0),
)
"""How sure its beginning must be, its spellings, the one for all (None: itself), how sure is what follows."""
_RULES = tuple((needs, re.compile(pattern), plain, leaves) for needs, pattern, plain, leaves in _WORDS)
_WORK = re.compile(f"(在[{HAN}]{{2,8}}?)(?:工作|上班|任职)$")
_WORK_ALONE = re.compile("(?:工作|上班|任职)$")
_SIGH = re.compile(r"(?<=.)(?<!([啊呀哦]))[啊呀哦]$")
_NAMING = re.compile("[叫名姓是]")


def plain_run(run: str, *, ends: bool) -> str:
    """A run of Chinese characters from where a clause begins, or a word of another script ends; `ends`: to its end.

    >>> plain_run("我很爱喝茶", ends=True), plain_run("李真爱喝茶", ends=True)
    ('我喜欢喝茶', '李真爱喝茶')
    """
    if ends and _NAMING.search(run) is None:
        run = _SIGH.sub("", run)
    said: list[str] = []
    at, beginning = 0, _MAYBE
    while at < len(run):
        if ends and beginning:
            work = _WORK.match(run, at) if beginning == _SURE else _WORK_ALONE.match(run, at)
            if work is not None:
                return "".join((*said, work[1] if beginning == _SURE else "", "工作"))
        for needs, pattern, plain, leaves in _RULES:
            found = pattern.match(run, at) if beginning >= needs else None
            if found is not None:
                said.append(found[0] if plain is None else plain)
                at, beginning = found.end(), leaves
                break
        else:
            said.append(run[at])
            at, beginning = at + 1, 0
    return "".join(said)
