"""Whole searches and starts, memcore's and its peers', on the same seeded work.

`work` makes the memories and the questions, `port` says what a store is asked, `registry` names the stores, `turns`
asks them in turn and knows the right answers. `scopes` and `adding` are the rows of `benches.search`, `child` is the
fresh process of a start. Every other module is a store of its own: importing it imports the library, and one that is
not installed is named and left out.
"""
