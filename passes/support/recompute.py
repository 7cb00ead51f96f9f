"""Values that are computed once more, elsewhere or from other values."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping

from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.support.create_operation import clone_operation


def recomputed(
    value: SSAValue,
    known: MutableMapping[SSAValue, SSAValue],
    insert: Callable[[Operation], object],
    again: Callable[[Operation], bool],
) -> SSAValue:
    """What stands for a value where `insert` puts operations: what `known` has for it, or a copy, or the value itself.

    Copied are the operations for which `again` holds, each once. Their results are added to `known`.
    """
    owner = value.owner
    if value in known or isinstance(owner, Block) or not again(owner):
        return known.get(value, value)
    for operand in owner.operands:
        recomputed(operand, known, insert, again)
    insert(clone_operation(owner, known))
    return known[value]
