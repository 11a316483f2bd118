"""What `stats` counts: each edge once, under its type, and the agent's own only."""


def test_an_empty_store_has_no_edges(memory):
    assert memory.stats().edges == {}


def test_edges_are_counted_by_type_with_mentions_and_the_order_of_turns(opened, path):
    memory = opened(agent_id="one")
    turns = [{"role": "user", "content": f"Turn {number} about the parcel."} for number in range(3)]
    ids = memory.add(turns, user_id="ana", session_id="s").ids
    assert memory.stats().edges == {"sequence": 2}
    memory.add("The parcel is for Bo.", user_id="ana", entities=["Bo", "parcel"])
    assert memory.stats().edges == {"mention": 2, "sequence": 2}
    memory.relate(ids[0], ids[2], type="causal", user_id="ana")
    memory.mark_used([ids[0], ids[1]], user_id="ana")
    assert memory.stats().edges == {"associative": 1, "causal": 1, "mention": 2, "sequence": 2}
    memory.delete(ids[1], user_id="ana")
    assert memory.stats().edges == {"causal": 1, "mention": 2, "sequence": 1}
    assert opened(path, agent_id="other").stats().edges == {}
    assert memory.stats().to_dict()["edges"] == memory.stats().edges
