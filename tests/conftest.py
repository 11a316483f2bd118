"""What the tests of several folders share."""

import pytest
from mirror_rooms import ROOMS, room


@pytest.fixture(scope="module", params=ROOMS, ids=["roomy", "evicting"])
def rooms(request):
    """A mirror with room for all partitions, then one with room for none: see `mirror_rooms`."""
    with room(request.param) as found:
        yield found
