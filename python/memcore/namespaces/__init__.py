"""The parts of `Memory` with a name of their own (`memory.facts`, `memory.tasks` …), a module each."""
