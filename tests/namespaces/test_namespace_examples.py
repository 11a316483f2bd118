"""The example of each part of `Memory` gives what it shows."""

import doctest
import importlib
import pkgutil

import pytest

from memcore import namespaces

MODULES = [module.name for module in pkgutil.iter_modules(namespaces.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_the_example_gives_what_it_shows(name):
    tried = doctest.testmod(importlib.import_module(f"memcore.namespaces.{name}"))
    assert tried.attempted > 0
    assert tried.failed == 0
