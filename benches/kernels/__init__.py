"""The kernels beside what people would use instead of them: `python -m benches.kernels graph|vectors|texts|models`."""
