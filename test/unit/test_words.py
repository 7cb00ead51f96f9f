"""Phrases that make readers guess: riddles in place of nouns. docs/glossary.md has the words to use."""

import io
import itertools
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("dialects", "passes", "irtensor", "tools", "benchmarks", "docs")
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
# Each with what to write.
BANNED = {
    r"\bof which\b": "say the noun again, or begin a sentence with it",
    r"\b(?:is|are|was|were) no\b(?! (?:longer|more)\b)": "`is not a`, `does not exist`, or `no` before the noun",
    r"\b(?:leave|leaves|leaving|left)\b[^.\n]{0,40}?(?<![%^])\bout\b": "omit, skip, drop or remove",
    r"\bas far as\b": "where, up to, or what is known",
    r"\bturns? of (?:a|the|each|every) loop": "iteration",
    r"\b(?:gone|goes|go|going) along\b": "to iterate over, to step through, or to merge",
    r"\bwhat is\b": "the noun: `the stored values`, not `what is stored`",
    r"\b(?:at|of|in|to|from|with|has|have) (?:a|one|each|every|any|some|another|the same|the first) places?\b(?! of)": (
        "position, slot, offset, location or element"
    ),
    r"(?<!decimal )\bplaces\b": "positions, slots, offsets, locations or elements",
}
# Names in IR and arguments that only look like one.
_CODE = re.compile(r"%\w+|\bno:|\bl=left\b")


def texts():
    links = {entry for entry in (ROOT / "irtensor").iterdir() if entry.is_symlink()}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            inside = not any(path.is_relative_to(link) for link in links)
            if path.suffix in (".py", ".md") and inside and "__pycache__" not in path.parts:
                yield path
    yield from (ROOT / page for page in PAGES)


def test_no_riddles():
    found: list[str] = []
    for path in texts():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            text = _CODE.sub("", line)
            found += [
                f"{path.relative_to(ROOT)}:{number}: {match[0]!r}: {instead}"
                for phrase, instead in BANNED.items()
                if (match := re.search(phrase, text, re.IGNORECASE))
            ]
    assert not found, "\n".join(found)


# Files in which a name may have the word `kind`, by its meaning: elsewhere only attributes have it, as `dtype.kind`.
KINDS = {
    "a kind of number": (
        "irtensor/core/*arithmetic.py",
        "irtensor/core/scalar_operator.py",
        "irtensor/frontend/operator_signatures.py",
        "irtensor/frontend/parts/split_chain.py",
        "irtensor/frontend/promotion.py",
        "irtensor/operators/*.py",
        "irtensor/runtime/regroup_segments*.py",
        "passes/autoschedule/absent_entries.py",
        "passes/loop/*.py",
        "passes/loop/support/*.py",
        "passes/speed/split_off_functions.py",
        "passes/support/read_arith.py",
    ),
    "the argument of Schedule.bound": (
        "dialects/concrete_index/index_ranges.py",
        "irtensor/api/schedule.py",
        "irtensor/compiler/kernel/check_bounds.py",
        "irtensor/core/schedule_words.py",
        "passes/schedule/bound.py",
    ),
    "a property of MLIR's operations": (
        "dialects/nvvm/nvvm.py",
        "irtensor/runtime/emit_nvvm.py",
        "irtensor/runtime/emulat*.py",
        "passes/nvvm/support/lane_exchange.py",
    ),
}
# Names of xDSL and NumPy.
_THEIRS = re.compile(r"MLIRTokenKind|argsort\(.*kind=")


def test_kind_has_one_meaning():
    known = [path for files in KINDS.values() for file in files for path in ROOT.glob(file)]
    found: list[str] = []
    for path in texts():
        if path.suffix != ".py" or path in known or path.parts[len(ROOT.parts)] == "benchmarks":
            continue
        text = path.read_text(encoding="utf-8")
        if path.is_relative_to(ROOT / "docs") or "kind" not in text.lower():
            continue
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        found += [
            f"{path.relative_to(ROOT)}:{name.start[0]}: {name.string}: say of what it is the kind"
            for before, name in itertools.pairwise(tokens)
            if name.type == tokenize.NAME and "kind" in name.string.lower() and before.string != "."
            if not _THEIRS.search(name.line)
        ]
    assert not found, "\n".join(found)
