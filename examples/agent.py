"""An agent that remembers: run it twice, and the second time it knows what was said in the first."""

from memcore import Memory

SAID = [
    {"role": "user", "name": "Ana", "content": "I moved to Lisbon in May, my cat Pixel came along."},
    {"role": "assistant", "content": "How does Pixel like the new flat?"},
    {"role": "user", "name": "Ana", "content": "She owns the window above the tram line 28 already."},
]

with Memory("agent.db") as memory:
    before = memory.context("Where does Ana live now?", user_id="ana")
    print(before or "Nothing is known about Ana yet.")

    memory.add("Ana is allergic to peanuts.", user_id="ana", kind="fact", idempotency_key="allergy")
    memory.add(SAID, user_id="ana", session_id="first-chat", entities=["Ana", "Pixel"], idempotency_key="first-chat")

    for question in ("Where does Ana live now?", "猫喜欢新家的什么地方？"):
        print(f"\n{question}")
        for hit in memory.search(question, user_id="ana", limit=3):
            print(f"{hit.score:.3f}  {hit.content}")
