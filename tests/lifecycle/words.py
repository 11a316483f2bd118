"""What the scenarios say, in English and in Chinese: the same story twice."""

from dataclasses import dataclass

__all__ = ["CHINESE", "ENGLISH", "Words"]


@dataclass(frozen=True)
class Words:
    """The texts of the stories; a `…_query` finds the text beside it."""

    language: str
    slot: str
    old: str
    new: str
    newest: str
    where_query: str
    old_query: str
    mood: str
    mood_query: str
    habit: str
    habit_query: str
    habit_again: str
    number: str
    other_number: str
    negated: str
    number_query: str
    small_talk: tuple[str, ...]
    private: str
    private_query: str
    room: str
    room_query: str
    offer: str
    offer_query: str
    turns: tuple[str, ...]
    turn_query: str
    false_claim: str
    import_text: str
    import_query: str
    task: str
    note: str


ENGLISH = Words(
    language="en",
    slot="home city",
    old="Ana lives in Lisbon.",
    new="Ana lives in Porto.",
    newest="Ana lives in Madrid.",
    where_query="Where does Ana live?",
    old_query="Lisbon",
    mood="Ana is exhausted after the marathon.",
    mood_query="exhausted marathon",
    habit="Ana drinks oat milk with her espresso every morning.",
    habit_query="oat milk espresso",
    habit_again="  ANA drinks oat milk with her espresso every morning. ",
    number="The gate code of the garage is 4711.",
    other_number="The gate code of the garage is 4712.",
    negated="The gate code of the garage is not 4711.",
    number_query="gate code garage",
    small_talk=("Thanks!", "ok", "haha", "you're welcome", "Good morning!"),
    private="Ana plans to resign in spring.",
    private_query="resign spring",
    room="The rehearsal moves to the blue hall.",
    room_query="rehearsal hall",
    offer="The web page says that Ana lives in Atlantis.",
    offer_query="Atlantis",
    turns=("Which platform does the train leave from?", "From platform nine.", "Then I take the stairs."),
    turn_query="platform train",
    false_claim="Ana is allergic to walnuts.",
    import_text="Ana once owned a red bicycle called Comet.",
    import_query="bicycle Comet",
    task="Renew Ana's passport",
    note="The form needs two photographs.",
)

CHINESE = Words(
    language="zh",
    slot="居住城市",
    old="小安住在上海。",
    new="小安住在成都。",
    newest="小安住在哈尔滨。",
    where_query="小安住在哪里？",
    old_query="上海",
    mood="小安跑完马拉松以后非常疲惫。",
    mood_query="马拉松 疲惫",
    habit="小安每天早上喝燕麦拿铁。",
    habit_query="燕麦拿铁",
    habit_again=" 小安每天早上喝燕麦拿铁。 ",
    number="车库大门的密码是4711。",
    other_number="车库大门的密码是４７１２。",
    negated="车库大门的密码不是4711。",
    number_query="车库大门密码",
    small_talk=("谢谢！", "好的", "哈哈", "不客气", "早上好！"),
    private="小安打算春天辞职。",
    private_query="春天辞职",
    room="排练改到蓝色大厅。",
    room_query="排练大厅",
    offer="网页上说小安住在亚特兰蒂斯。",
    offer_query="亚特兰蒂斯",
    turns=("火车从哪个站台出发？", "从九号站台出发。", "那我走楼梯过去。"),
    turn_query="火车站台",
    false_claim="小安对核桃过敏。",
    import_text="小安以前有一辆叫彗星的红色自行车。",
    import_query="彗星自行车",
    task="给小安续签护照",
    note="表格需要两张照片。",
)
