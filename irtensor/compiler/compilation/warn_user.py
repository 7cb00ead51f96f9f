"""Tells the caller what passes warn of, at the line that asked for the kernel."""

from __future__ import annotations

from collections.abc import Sequence


def warn_user(messages: Sequence[str], category: type[Warning] | None = None) -> None:
    """Issue a warning, by default a DenseResultWarning, for each message, located in the innermost caller outside of
    irtensor."""
    if not messages:
        return
    import sys
    import warnings

    from irtensor.errors import DenseResultWarning

    package, depth = __name__.partition(".")[0], 1
    frame = sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == package:
        frame, depth = frame.f_back, depth + 1
    for message in messages:
        warnings.warn(message, category or DenseResultWarning, stacklevel=depth)
