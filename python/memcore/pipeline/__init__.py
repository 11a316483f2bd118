"""A search: eight steps over a `Reader`, then the context block."""
