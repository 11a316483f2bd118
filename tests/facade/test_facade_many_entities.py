"""Hundreds of entities cost a search no more than dozens: the atoms are bounded."""

import numpy as np

from memcore import Memory


def test_atoms_are_the_first_entities_up_to_the_limit():
    with Memory(":memory:", embedder="hashing") as memory:
        memory.add_many(
            {"content": f"Person{number} came", "user_id": "u", "entities": [f"Person{number}"]}
            for number in range(200)
        )
        found = memory.search("Who came with Person7?", user_id="u")
        atoms = memory._calls.store.mirror.atoms.atoms(found._evidence.reader._scope, found.trace.params, 256)
        assert len(atoms.names) == found.trace.params.concept_limit
        assert atoms.names[0] == "Person0"
        assert np.isfinite(atoms.matrix).all()
