"""What a statement is split into, and why."""

from __future__ import annotations

from typing import NamedTuple

from irtensor.frontend.parts.kernel_steps import Part


class Split(NamedTuple):
    """The statements; one for one kernel. Times are nanoseconds: of the chosen statements, of one kernel, and of the
    other candidates, None without any; `refused` has the reasons then: see Choice.

    `entries` are those of intermediates, None if dense. `is_mixed` says that one of these is dense where sparse tensors
    have no entries. `item` is the bytes of an element. `is_other` says that the last statement is not the one
    that was asked for.
    """

    parts: tuple[Part, ...]
    chosen: float
    at_once: float
    otherwise: float | None
    refused: frozenset[str]
    is_mixed: bool
    entries: tuple[int | None, ...]
    item: int
    is_other: bool
