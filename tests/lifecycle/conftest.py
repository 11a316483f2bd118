"""What the tests of stories share: one story in each language that a file has texts for."""

import pytest
from play import Play


@pytest.fixture(params=["en", "zh"])
def told(request, tmp_path):
    """A story and the texts of it that the file has under `SAID`: the words of its language first."""
    words, *texts = request.module.SAID[request.param]
    story = Play(tmp_path / "agent.db", words)
    yield story, texts
    story.close()
