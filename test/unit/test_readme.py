"""README.md and docs/ say what is so: generated parts are up to date, links lead somewhere, every page is listed."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)

# docs/ is no package: the generator is a script.
_specification = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
assert _specification is not None and _specification.loader is not None
generate = importlib.util.module_from_spec(_specification)
sys.modules["docs_generate"] = generate
_specification.loader.exec_module(generate)

PAGES = generate.pages()
BLOCKS = [
    (page.relative_to(ROOT).as_posix(), block[2])
    for page in PAGES
    for block in generate.BLOCK.finditer(page.read_text())
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("page, what", BLOCKS)
def test_generated_parts_are_up_to_date(page, what):
    if what.startswith("python first"):
        pytest.importorskip("pyamg")
    text = (ROOT / page).read_text(encoding="utf-8")
    (block,) = [block for block in generate.BLOCK.finditer(text) if block[2] == what]
    assert block[0] == generate.regenerate(block[0]), f"{page}: run `make texts`"


def test_every_kind_of_part_is_used():
    assert {what.partition(" ")[0] for _, what in BLOCKS} == set(generate.WRITERS)


def anchors(page):
    """What can stand behind `#` in a link to a page: GitHub's and mkdocs' spelling of its headings."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    plain = (re.sub(r"[^\w\- ]", "", heading).strip().lower() for heading in HEADING.findall(text))
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "``", text)):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in anchors(file), f"{page.name}: {file.name} has no heading #{anchor}"


def test_every_page_is_in_the_menu():
    listed = set(re.findall(r"[\w/-]+\.md\b", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    assert listed == {page.relative_to(ROOT / "docs").as_posix() for page in PAGES[1:]}


def test_every_dialect_has_a_page():
    pages = {page.stem for page in (ROOT / "docs" / "dialects").glob("*.md")}
    assert pages == {row[0] for row in generate.DIALECTS} | {"llvm"}
