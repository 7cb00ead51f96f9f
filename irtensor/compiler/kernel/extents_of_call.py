"""Operands that say how far those variables of a statement run that no operand has as a dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irtensor.compiler.kernel.check_stored_once import check_stored_once
from irtensor.core.diagnostics import UserError
from irtensor.frontend.bind_extents import bind_extents, check_result_indices
from irtensor.frontend.computed_coordinates import (
    Interval,
    check_coordinates,
    coordinates_in,
    ranges_without_dimension,
    uses_coordinates,
    variables_without_dimension,
)
from irtensor.frontend.declared_extents import check_declared
from irtensor.frontend.expression_tree import Access, Statement, gathered
from irtensor.frontend.extents_of_result import extent_array, indices_of_result_alone, with_extents
from irtensor.interop.as_operand import as_operand


class ExtentsOfCall:
    """What a statement says of the extents of its variables, beside the shapes of operands.

    `names` has the operands that are added to `statement`, by variable; `open_statement` reads them.
    """

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.has_coordinates = uses_coordinates(statement.expression)
        self._of_result = indices_of_result_alone(statement)
        self._computed = variables_without_dimension(statement) if self.has_coordinates else ()
        self.open_statement, self.names = with_extents(statement, (*self._of_result, *self._computed))
        computed = [use.coordinate for use in coordinates_in(statement.expression)]
        computed += [coordinate for _, coordinate in statement.coordinates]
        self._reads_elements = bool(gathered(computed))
        self._declared = dict(statement.extents)
        self.are_checked = self.has_coordinates or bool(self._declared)

    def arrays(self, shape: tuple[int, ...] | None, given: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """The operands for one call; `shape` is that of the result, if known.

        Raises UserError [unknown-extent] or [index-out-of-range].
        """
        target = self.statement.target.plain_indices
        extents = {name: extent for name, extent in self._declared.items() if name in self.names}
        if shape is not None and len(shape) == len(target):
            extents |= {name: shape[target.index(name)] for name in self._of_result}
        elif any(name not in extents for name in self._of_result):
            check_result_indices(self.statement)
        if any(name not in extents for name in self._computed):
            read = {name: as_operand(value) for name, value in given.items()}
            shapes = {name: tuple(operand.shape) for name, operand in read.items()}
            known = {**extents, **self._declared}
            extents |= ranges_without_dimension(self.statement, shapes, lambda access: _interval(access, read), known)
        return {self.names[name]: extent_array(extent) for name, extent in extents.items()}

    def check(self, names: Sequence[str], data: Sequence[Any], is_new: bool) -> None:
        """Raise UserError [index-out-of-range] for a computed coordinate that may be outside of its dimension.

        `is_new`: whether these are other shapes than those of the call before. Elements may be others at any call.
        """
        if not (is_new or self._reads_elements):
            return
        by_name = dict(zip(names, data, strict=True))
        shapes = {name: tuple(operand.shape) for name, operand in by_name.items()}
        extents = bind_extents(self.open_statement, shapes)
        check_declared(self.statement, extents)
        try:
            check_coordinates(self.statement, shapes, extents, lambda access: _bounds(access, by_name))
        except UserError:
            # The bounds may be wider than the elements, which decide.
            check_coordinates(self.statement, shapes, extents, lambda access: _interval(access, by_name))
        check_stored_once(self.statement, extents, by_name.__getitem__)


def _interval(access: Access, operands: Mapping[str, Any]) -> Interval | None:
    """The least and the greatest element of an operand."""
    values = _elements(access, operands)
    return (int(values.min()), int(values.max())) if values.size else None


def _bounds(access: Access, operands: Mapping[str, Any]) -> Interval | None:
    """Bounds of the elements of an operand, found in half the time: 0 is one where no element is negative."""
    values = _elements(access, operands)
    if not values.size or values.dtype.kind != "i":
        return _interval(access, operands)
    # Negative numbers are the greatest ones there.
    greatest = int(values.view(f"u{values.itemsize}").max())
    return (0, greatest) if greatest <= np.iinfo(values.dtype).max else _interval(access, operands)


def _elements(access: Access, operands: Mapping[str, Any]) -> np.ndarray:
    """The elements that coordinates are computed from. Raises UserError [unsupported-index]."""
    operand = operands[access.tensor]
    values = operand if isinstance(operand, np.ndarray) else getattr(operand, "values", None)
    if not isinstance(values, np.ndarray):
        message = f"coordinates are read from {access.tensor}, whose elements are on a GPU"
        raise UserError("unsupported-index", message, help="compute it with target='cpu'")
    return values
