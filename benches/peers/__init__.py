"""Other retrievers beside memcore: the same stores and questions, the same metrics, in the same run.

    python -m benches.peers FILE… [--only NAME]… [--stores N]

Each module but `port`, `registry` and `comparing` is an adapter to one of them. What they need is in
`requirements.txt`; what is not installed is named and left out.
"""
