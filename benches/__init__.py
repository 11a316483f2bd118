"""Measurements: `benches.retrieval` tells what comes back, `benches.search` how long it takes; run them by `python -m`."""
