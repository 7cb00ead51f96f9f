"""Phrases that make readers guess: riddles in place of nouns. docs/glossary.md has the words to use."""

import re
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
