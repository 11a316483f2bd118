"""The public face of the compute core."""

import doctest
import subprocess
import sys

import pytest

from memcore import compute


@pytest.mark.parametrize("name", compute.__all__)
def test_the_examples_of_the_docstrings_run(name: str) -> None:
    documented = getattr(compute, name)
    example = doctest.DocTestParser().get_doctest(documented.__doc__ or "", vars(compute).copy(), name, None, None)
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, out=failures.append)
    assert not failures, "".join(failures)


def test_every_public_function_and_class_says_what_it_gives() -> None:
    for name in compute.__all__:
        if name != "ANALYZER_VERSION":
            assert (getattr(compute, name).__doc__ or "").strip(), name


def test_importing_the_module_does_not_import_numpy() -> None:
    code = "import sys, memcore.compute; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
