"""Removes level formats and operators that were registered from outside, as other tests know those of irtensor only."""

import sys


def forget_registered() -> None:
    """Also where nothing of them has been imported."""
    _forget_levels()
    _forget_operators()


def _forget_levels() -> None:
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


def _forget_operators() -> None:
    known = sys.modules.get("irtensor.operators.known_operators")
    if known is None:
        return
    for name in known.OPERATORS.keys() - known.BUILT_IN:
        for other in known.OPERATORS.pop(name).also:
            del known.ALIASES[other]
        if name in known.REDUCTIONS:
            known.REDUCTIONS.remove(name)
    for module, cache in (
        ("irtensor.frontend.operator_signatures", "_resolve"),
        ("irtensor.interop.numpy_ufuncs", "operators_by_function"),
    ):
        if module in sys.modules:
            getattr(sys.modules[module], cache).cache_clear()
