"""ARCHITECTURE.md is true of the tree, and the layers it draws are the ones that are checked."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
LONGEST_FILE = 350
DECISION_LINES = 40


def places():
    block = PAGE.partition("## Where do I find")[2].partition("```\n")[2].partition("```")[0]
    return [line.split()[0] for line in block.splitlines()]


def sources():
    files = [*ROOT.glob("python/**/*.py"), *ROOT.glob("rust_core/src/**/*.rs")]
    return [path for path in files if "__pycache__" not in path.parts]


def test_every_place_the_page_names_is_there():
    missing = [place for place in places() if not (ROOT / place).exists()]
    assert missing == []


def test_every_module_and_package_of_memcore_has_its_place_on_the_page():
    entries = [path for path in (ROOT / "python" / "memcore").iterdir() if not path.name.startswith(("_", "."))]
    named = {path.name for path in entries if path.is_dir() or path.suffix == ".py"}
    assert named == {Path(place).name for place in places() if place.startswith("python/memcore/")}


def test_the_layers_on_the_page_are_those_that_import_linter_checks():
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = configuration["tool"]["importlinter"]["contracts"][0]["layers"]
    drawn = PAGE.partition("## Who may call whom")[2].partition("```\n")[2].partition("```")[0]
    assert [re.sub(r"\s+", " ", layer).strip() for layer in drawn.split("→")][:-1] == layers


def test_unsafe_code_stands_where_the_page_says():
    core = ROOT / "rust_core" / "src"
    unsafe = re.compile(r"^[^/\n]*\bunsafe\b", re.MULTILINE)
    files = {
        path.relative_to(core).as_posix() for path in core.glob("**/*.rs") if unsafe.search(path.read_text("utf-8"))
    }
    named = PAGE.partition("`unsafe` stands in")[2].partition("\n\n")[0]
    assert files == set(re.findall(r"`([\w/]+\.rs)`", named))


def test_a_file_is_short_enough_to_be_read_at_once():
    long = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in sources()}
    assert {path: lines for path, lines in long.items() if lines > LONGEST_FILE} == {}
    assert sorted(long.values())[len(long) // 2] < 220


def test_a_decision_says_context_choice_price_and_how_we_would_notice():
    pages = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert pages
    index = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for part in ("**Context.**", "**Choice.**", "**Price.**", "**We would notice that it is wrong**"):
            assert part in text, f"{page.name} lacks {part}"
        assert len(text.splitlines()) <= DECISION_LINES, page.name
        assert f"({page.name})" in index
