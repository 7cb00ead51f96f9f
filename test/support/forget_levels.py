"""Removes level formats that were registered from outside, as other tests know those of irtensor only."""

import sys


def forget_levels() -> None:
    """Also where nothing of them has been imported."""
    known = sys.modules.get("irtensor.levels.known_levels")
    if known is None:
        return
    outside = known.LEVEL_PROPERTIES.keys() - known.BUILT_IN
    for module, names in (
        ("known_levels", "LEVEL_PROPERTIES"),
        ("level_codes", "LEVEL_CODES"),
        ("level_stores", "LEVEL_STORES"),
    ):
        found = getattr(sys.modules.get(f"irtensor.levels.{module}"), names, {})
        for name in outside & found.keys():
            del found[name]
