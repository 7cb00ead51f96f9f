"""Sizes of the operands of a call that are known without a look at their entries."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from irtensor.passes.support.step_costs import STEPS
from irtensor.storage.entries_about import entries_about

if TYPE_CHECKING:
    from irtensor.compiler.compilation.request import Request
    from irtensor.storage.stored_tensor import StoredTensor


def magnitudes(operands: Sequence[Any]) -> tuple[tuple[int, ...], ...]:
    """The extents of operands, and how many entries and coordinates they have, as numbers of binary digits."""
    # Every call of a kernel with a schedule by size asks for them.
    sizes = [
        (*one.shape, one.size)
        if type(one) is np.ndarray or one.format is None
        else (
            *one.shape,
            entries_about(one),
            *[its.coordinates.size for its in one.levels if its.coordinates is not None],
        )
        for one in operands
    ]
    return tuple([tuple([size.bit_length() for size in its]) for its in sizes])


def slices_of(operand: StoredTensor) -> dict[frozenset[int], float]:
    """The number of slices with entries, by the dimensions that tell them apart, where levels list these slices."""
    found: dict[frozenset[int], float] = {}
    modes, count = frozenset[int](), 1.0
    for number, (level, stored) in enumerate(zip(operand.format.levels, operand.levels, strict=True)):
        if level.expression.form != "whole" or not level.format.unique or stored.flags is not None:
            break
        if level.format.pattern.structured and stored.coordinates is None:
            break
        modes |= {level.expression.dimension}
        if stored.coordinates is not None:
            count = float(stored.coordinates.size)
            found[modes] = count
        elif stored.positions is None:
            count *= operand.format.level_extent(number, operand.shape)
        else:
            break
    return found


def is_large(steps: float) -> bool:
    """Whether so many steps take as long as a search for programs."""
    return steps >= STEPS.search


def may_be_large(request: Request, operands: Sequence[Any]) -> bool:
    """Whether the loops of a definition may take so many steps: no more than there are coordinates."""
    return any([extents is not None and is_large(prod(extents.values())) for extents in request.extents(operands)])
