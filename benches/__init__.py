"""Measurements: `python -m benches.retrieval FILE…` (what comes back) and `python -m benches.search` (how long it takes)."""
