"""Extents that types state: dimensions over which one index variable ranges cannot have different ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.dialects.storage.storage import format_of

# An operation, what the tensor that it indexes is called, the tensor's type, and an index variable per dimension.
Indexed = tuple[Operation, str, Attribute, Sequence[SSAValue]]


def static_extents(type: Attribute) -> Iterator[tuple[int, int]]:
    """The dimensions of a tensor with an extent in its type, each with that extent."""
    assert isinstance(type, TensorType)
    for dimension, extent in enumerate(type.get_shape()):
        if extent >= 0:
            yield dimension, extent


def name_text(tensor: SSAValue) -> str:
    """What a tensor is called in a message."""
    return f"%{tensor.name_hint}" if tensor.name_hint else "a tensor"


def indexed_by_dimension(accesses: Iterable[Any], result: SSAValue) -> Iterator[Indexed]:
    """Those of `concrete_index` accesses and stores that index by dimension: tensors with blocks may be by level."""
    for op in accesses:
        format = format_of(op.tensor.type)
        if not format.is_blocked and len(op.indices) == format.rank:
            yield op, "the result" if op.tensor is result else name_text(op.tensor), op.tensor.type, op.indices


def check_static_extents(indexed: Iterable[Indexed]) -> None:
    """Raise UserError [extent-mismatch] for a variable that ranges over dimensions of different stated extents."""
    known: dict[SSAValue, tuple[int, str]] = {}
    for op, tensor, type, indices in indexed:
        for dimension, extent in static_extents(type):
            variable = indices[dimension]
            if not isinstance(variable, BlockArgument):
                continue  # a coordinate that is computed, which ranges over no dimension
            named = f"dimension {dimension} of {tensor}"
            other, before = known.setdefault(variable, (extent, named))
            if other != extent:
                name = f"%{variable.name_hint}" if variable.name_hint else "the same index variable"
                message = f"{named} has extent {extent}, but {before}, over which {name} ranges as well, {other}"
                help = "let the types state equal extents, or '?' for extents that only the operands of a call have"
                raise UserError("extent-mismatch", message, op=op, help=help)
