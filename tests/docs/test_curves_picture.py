"""docs/curves.svg shows the curves that memories live by, and none that they do not."""

import importlib.util
import re
import sys
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from memcore import curves
from memcore.curves import HALF_LIFE_HOURS, LIVES, Curve

DOCS = Path(__file__).parents[2] / "docs"
PICTURE = (DOCS / "curves.svg").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def plot():
    spec = importlib.util.spec_from_file_location("plot_curves", DOCS / "plot_curves.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["plot_curves"] = module  # a dataclass looks its module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["plot_curves"]


def test_the_file_is_what_the_script_draws_from_the_curves(plot):
    assert plot.picture() == PICTURE, "run: make tables"


def test_a_changed_curve_changes_the_picture(plot, monkeypatch):
    monkeypatch.setattr(curves, "hyperbolic", lambda age: 1.0 / (1.0 + age / 31.0))
    assert plot.picture() != PICTURE


def test_every_curve_and_every_kind_that_has_one_is_named(plot):
    labels = " ".join(line.label for line in plot.drawn())
    assert {line.curve for line in plot.drawn()} == set(Curve) - {Curve.NONE}
    for word in (*(kind for kind, life in LIVES.items() if life.curve is not Curve.NONE), *HALF_LIFE_HOURS):
        assert re.search(rf"\b{word}\b", labels), word


def test_every_line_begins_at_one_and_falls(plot):
    ages = np.linspace(0.0, 365.0, 800)
    for line in plot.drawn():
        left = line.retention(ages)
        assert left[0] == pytest.approx(1.0)
        assert (np.diff(left) <= 0).all()


def test_the_picture_is_well_formed_says_what_it_shows_and_knows_dark_pages():
    root = ET.fromstring(PICTURE)  # noqa: S314 - the repository's own file
    space = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{space}title").text
    assert "gaussian 0.99" in root.find(f"{space}desc").text
    assert "prefers-color-scheme: dark" in PICTURE


def test_no_label_lies_on_another_or_runs_out_of_the_picture(plot):
    found = re.findall(rf'<text x="{plot.LABELS}" y="([\d.]+)">([^<]*)', PICTURE)
    heights = [float(height) for height, _ in found]
    assert len(heights) == len(plot.drawn())
    assert all(below - above >= plot.GAP - 0.1 for above, below in pairwise(heights))
    assert all(plot.TOP - 10 <= height <= plot.HEIGHT for height in heights)
    assert max(len(label) for _, label in found) * 7 <= plot.WIDTH - plot.LABELS
