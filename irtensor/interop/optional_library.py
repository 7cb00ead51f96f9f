"""Libraries that irtensor does without, imported where something is asked of them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from irtensor.core.diagnostics import UserError
from irtensor.late_imports import lock


def optional_library(module: str, purpose: str) -> Any:
    """A module of a library, untyped: stubs know fewer shapes than it takes. Raises UserError [missing-library].

    `purpose` says what it is for, as in "an array of SciPy is made by".
    """
    library = module.partition(".")[0]
    try:
        with lock:
            return import_module(module)
    except ModuleNotFoundError as error:
        # Of a library that is there but broken, its own error says more.
        if error.name is None or error.name.partition(".")[0] != library:
            raise
        message = f"{purpose} {library}, which is not installed"
        raise UserError("missing-library", message, help=f"install it: pip install {library}") from error
