"""The names that storage formats have for a user."""

from __future__ import annotations

import re

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format_reader import FORMAT_WORDS
from irtensor.late_imports import load_for
from irtensor.levels.known_levels import LEVEL_PROPERTIES

_WORD = re.compile(r"[A-Za-z_]\w*")


def name_at_start(text: str) -> str:
    """The public name that a text begins with, if that is not also the name of a level."""
    first = re.match(r"\s*([A-Za-z]+)", text)
    return "" if first is None or first[1] in LEVEL_PROPERTIES else public_name(first[1])


def public_name(name: str) -> str:
    """The public name of a format that `name` is, whatever its case; none of `Format`, which takes a text."""
    from irtensor import PUBLIC_NAMES

    module = "irtensor.named_formats"
    public = (known for known, home in PUBLIC_NAMES.items() if home == module and known != "Format")
    return next((known for known in public if known.lower() == name.lower()), "")


def suggest_word(error: UserError) -> None:
    """Let the error about an unknown word in the text of a format name the known word that is nearest."""
    location = error.location
    found = None if location is None else _WORD.match(location.text_line or "", location.column - 1)
    known = [*FORMAT_WORDS, *(name for name, level in LEVEL_PROPERTIES.items() if level.workspace is None)]
    if found is None or found[0] in known or public_name(found[0]):
        return
    load_for("suggestions")
    from difflib import get_close_matches

    if near := get_close_matches(found[0].lower(), known, 1):
        error.help = f"did you mean {near[0]}?" if error.help is None else f"did you mean {near[0]}? {error.help}"
