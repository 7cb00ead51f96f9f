"""README.md and docs/ say what is so: generated parts are up to date, code runs, links lead somewhere."""

import importlib.util
import re
import sys
from importlib import import_module
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

page_code = import_module("docs.page_code")

PAGES = generate.pages()
# Texts beside README.md, which docs/root_pages.py makes pages of the site.
ROOT_PAGES = [ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")]


def name(page):
    return page.relative_to(ROOT).as_posix()


BLOCKS = [(name(page), block[2]) for page in PAGES for block in generate.BLOCK.finditer(page.read_text())]


@pytest.mark.one_in(12)
@pytest.mark.parametrize("page, what", BLOCKS)
def test_generated_parts_are_up_to_date(page, what):
    text = (ROOT / page).read_text(encoding="utf-8")
    (block,) = [block for block in generate.BLOCK.finditer(text) if block[2] == what]
    assert block[0] == generate.regenerate(block[0]), f"{page}: run `make texts`"


WITH_CODE = [page for page in PAGES if page_code.blocks(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_code_runs(page, tmp_path):
    text = page.read_text(encoding="utf-8")
    for shown in page_code.run_page(text, name(page), tmp_path):
        assert shown.is_right, f"{name(page)}:{shown.line} is not what is printed: run `make texts`\n{shown.printed}"


def test_every_kind_of_part_is_used():
    assert {what.partition(" ")[0] for _, what in BLOCKS} == set(generate.WRITERS)


def anchors(page):
    """What can stand behind `#` in a link to a page: GitHub's and mkdocs' spelling of its headings."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    plain = (re.sub(r"[^\w\- ]", "", heading).strip().lower() for heading in HEADING.findall(text))
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("page", [*PAGES, *ROOT_PAGES], ids=name)
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
    made = {page.name.lower() for page in ROOT_PAGES}
    assert listed == {page.relative_to(ROOT / "docs").as_posix() for page in PAGES[1:]} | made


def test_texts_of_the_root_are_pages():
    hook = (ROOT / "docs" / "root_pages.py").read_text(encoding="utf-8")
    assert set(re.findall(r'"(\w+\.md)"', hook)) == {page.name for page in ROOT_PAGES}


def test_every_dialect_has_a_page():
    pages = {page.stem for page in (ROOT / "docs" / "dialects").glob("*.md")}
    assert pages == {row[0] for row in generate.DIALECTS} | {"llvm"}


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


PAGE = """```python
x = 2
```

```python
import irtensor as it
print(x)
it.indices("")
```

```text
{printed}
```

```console
$ irtensor-run 'y[i] = 2 * v[i]' v='ones(2)'
{command}
```
"""
REFUSED = "irtensor.UserError: error: [bad-index]"


@pytest.mark.parametrize(
    "printed, command, right",
    [
        (f"2\n{REFUSED}...", "[2. 2.]", [True, True]),
        ("...", "...2.]", [True, True]),
        (f"3\n{REFUSED}...", "[2. 2.", [False, False]),
    ],
)
def test_outputs_that_are_not_so_are_found(printed, command, right, tmp_path):
    shown = list(page_code.run_page(PAGE.format(printed=printed, command=command), "page", tmp_path))
    assert [output.is_right for output in shown] == right


def test_outputs_are_brought_up_to_date(tmp_path):
    page = page_code.with_outputs(PAGE.format(printed="3", command="[3. 3.]"), "page", tmp_path)
    assert f"```text\n2\n{REFUSED}" in page
    assert "v='ones(2)'\n[2. 2.]\n```" in page


@pytest.mark.parametrize(
    "language, code",
    [
        ("python", "import irtensor as it\nit.indices('')"),
        ("python", "unknown"),
        ("console", "$ irtensor-run 'y[i] ='"),
        ("console", "$ make demo"),
        ("mlir", "func.func @f() {\n  func.retrun\n}"),
    ],
)
def test_code_that_fails_is_found(language, code, tmp_path):
    page = f"```{language}\n{code}\n```\n"
    with pytest.raises((AssertionError, NameError, page_code.UserError)):
        list(page_code.run_page(page, "page", tmp_path))


ALL_BLOCKS = [(page, block) for page in PAGES for block in page_code.blocks(page.read_text(encoding="utf-8"))]


def test_blocks_say_what_they_are():
    """A block in another language would not be run by any test. Examples of docstrings (pycon) run where they are."""
    known = {"python", "console", "mlir", "text", "pycon"}
    assert not [f"{name(page)}:{block.line}" for page, block in ALL_BLOCKS if block.language not in known]


def test_few_blocks_cannot_run():
    assert sum(not block.is_run for _, block in ALL_BLOCKS) <= 12


def test_targets_of_make_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [target for _, block in ALL_BLOCKS for target in re.findall(r"^\$ make (\S+)", block.text, re.MULTILINE)]
    texts = [page.read_text(encoding="utf-8") for page in (*PAGES, *ROOT_PAGES)]
    targets += [target for text in texts for target in re.findall(r"(?:`|^\$ )make ([\w-]+)[` ]", text, re.MULTILINE)]
    assert targets
    assert not [target for target in targets if "=" not in target and f"\n{target}:" not in makefile]


def test_what_cannot_run_says_why(tmp_path):
    assert not list(page_code.run_page("<!-- not run: no network -->\n\n```python\nunknown\n```\n", "page", tmp_path))
