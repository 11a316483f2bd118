"""The command line `memcore`. It calls `memcore.Memory` and nothing else; numpy and SQL load with the first command."""

from memcore.surfaces.cli.app import app, main

__all__ = ["app", "main"]
