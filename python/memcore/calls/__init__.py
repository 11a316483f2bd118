"""What each call of `Memory` does: an open store, and the bodies of its methods, one module for each section of it."""
