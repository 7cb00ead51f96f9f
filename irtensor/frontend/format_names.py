"""The names that storage formats have for a user."""

from __future__ import annotations

import re

from irtensor.levels.known_levels import LEVEL_PROPERTIES


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
