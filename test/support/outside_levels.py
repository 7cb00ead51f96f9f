"""Loads the level formats of the packages in `test/outside`, each of which registers one when it is imported."""

import sys
from importlib import import_module
from pathlib import Path

OUTSIDE = Path(__file__).parents[1] / "outside"


def load_level(package: str) -> None:
    """Import a package as if for the first time; `forget_registered` undoes it."""
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]
    sys.path.insert(0, str(OUTSIDE))
    try:
        import_module(f"{package}.level")
    finally:
        sys.path.remove(str(OUTSIDE))
