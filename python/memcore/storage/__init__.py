"""The truth: one SQLite file, its tables, and one module of functions for each thing that is stored in it.

Every function takes a connection that `Database.read()` or `Database.write()` gave, and belongs to that transaction.
Importing this package costs about a second (SQLModel), so nothing above it does so before the first `Memory(...)`.
"""
