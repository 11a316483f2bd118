"""From a text to a stored, linked and embedded memory, and the later changes to it."""
