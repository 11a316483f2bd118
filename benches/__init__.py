"""Measurements: `python -m benches.retrieval` tells what comes back, `python -m benches.search` how long it takes."""
