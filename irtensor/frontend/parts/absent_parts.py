"""What changes where a part of an expression is computed as a number everywhere, and absent nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from irtensor.core.operators import Scalar, convert, same_value
from irtensor.frontend.element_types import element_name
from irtensor.frontend.expression_tree import Access, Expression, Statement, accesses, free_indices, replaced
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.promotion import type_statement
from irtensor.frontend.result_fill import fill_read, folded, typed_parts
from irtensor.frontend.typed_expression import TypedAccess, TypedApply, TypedExpression
from irtensor.frontend.user_operator import UserOperator

# The name that stands for the part: no tensor of a statement has such a name.
_PART = "<part>"
# Operators with the same result for an absent value and for the number that stands for it. A product is not one: 0
# times infinity.
_EXACT = frozenset("where and or eq ne lt le gt ge min max".split())
# All ways for so many reads to have entries or not are looked at.
_MOST = 5


class Changes(NamedTuple):
    """`entries` says that a sparse result has entries at other coordinates. `numbers` says that other operands meet a
    number that were annihilated before: an infinity becomes a NaN there.
    """

    entries: bool
    numbers: bool


def changes_by_presence(
    whole: Expression,
    part: Expression,
    value: Scalar | None,
    dtype: np.dtype,
    operands: Mapping[str, OperandDescription],
    operators: Mapping[str, UserOperator],
) -> Changes | None:
    """What changes in a whole expression if a part, which is this value where it is absent, has a number there.

    None where too many tensors decide it.
    """
    stand_in = Access(_PART, free_indices(part))
    read = replaced(whole, {part: stand_in})
    sparse = [one for one in dict.fromkeys(accesses(read)) if fill_read(one, operands, dtype) is not None]
    if not any([one == stand_in for one in accesses(read)]) or len(sparse) > _MOST:
        return None
    described = {**operands, _PART: OperandDescription(dtype, len(stand_in.indices))}
    typed = type_statement(Statement(Access("", ()), None, read), described, operators)
    found = _Absence(stand_in, value, sparse, operands, operators)
    return found.changes(typed)


class _Absence:
    """Values of expressions for each set of absent reads, by the set's number. The part's bit is the last one."""

    def __init__(
        self,
        part: Access,
        value: Scalar | None,
        sparse: list[Access],
        operands: Mapping[str, OperandDescription],
        operators: Mapping[str, UserOperator],
    ) -> None:
        self._value = value
        self._bits = {access: 1 << number for number, access in enumerate((part, *sparse))}
        self._part = part
        self._sets = range(1 << len(self._bits))
        self._operands = operands
        self._operators = operators
        self._meets_numbers = False

    def changes(self, whole: TypedExpression) -> Changes:
        values, _ = self._visit(whole)
        nothing = values[-1]
        dropped = [nothing is not None and one is not None and same_value(one, nothing) for one in values]
        entries = any([dropped[number | 1] and not dropped[number] for number in self._sets])
        return Changes(entries, self._meets_numbers)

    def _visit(self, node: TypedExpression) -> tuple[list[Scalar | None], int]:
        """The values of an expression, and the bits of what it reads; the bit behind those of all sets is a dense
        operand's."""
        if isinstance(node, TypedAccess):
            return self._read(node)
        parts = [self._visit(part) for part in typed_parts(node)]
        known: dict[str, Scalar | None] = {}
        values: list[Scalar | None] = []
        for number in self._sets:
            arguments = [its[number] for its, _ in parts]
            key = repr(arguments)
            if key not in known:
                known[key] = folded(node, arguments, self._operators)
            values.append(known[key])
        read = 0
        for _, bits in parts:
            read |= bits
        if read & 1 and not (isinstance(node, TypedApply) and node.operator in _EXACT):
            others = read & ~1
            self._meets_numbers |= any(
                [values[n] is None and values[n | 1] is not None and others & ~n != 0 for n in self._sets]
            )
        return values, read

    def _read(self, node: TypedAccess) -> tuple[list[Scalar | None], int]:
        bit = self._bits.get(node.access)
        if bit is None:
            return [None] * len(self._sets), len(self._sets)
        if node.access == self._part:
            value = None if self._value is None else convert(self._value, element_name(node.dtype))
        else:
            value = fill_read(node.access, self._operands, node.dtype)
        return [value if number & bit else None for number in self._sets], bit
