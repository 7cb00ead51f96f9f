"""Arguments of a function that store the same coordinates as others: whoever calls it says so."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from irtensor.dialects.storage.storage_types import ENTRIES_OF


def first_with_entries(
    function: FuncOp, counts: Callable[[SSAValue, SSAValue], bool] = lambda first, other: True
) -> dict[SSAValue, SSAValue]:
    """The first argument that stores the same coordinates, for each argument that is not that one.

    Pairs that do not count are omitted.
    """
    arguments = function.body.block.args
    attributes = () if function.arg_attrs is None else function.arg_attrs.data
    first: dict[SSAValue, SSAValue] = {}
    for argument, said in zip(arguments, attributes, strict=False):
        number = said.data.get(ENTRIES_OF)
        if isinstance(number, IntegerAttr) and 0 <= number.value.data < argument.index:
            other = arguments[number.value.data]
            if counts(other, argument):
                first[argument] = first.get(other, other)
    return first
