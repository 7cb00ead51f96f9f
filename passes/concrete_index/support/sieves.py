"""Conditions of `if`s: several that all have to hold are one value, which is taken apart and put together here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.concrete_index.concrete_index import IfOp
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.erase_unused import erase_unused
from irtensor.passes.support.operations_in import operations_of


def conditions_of(value: SSAValue) -> Iterator[SSAValue]:
    """Those that all have to hold for a condition to hold."""
    owner = value.owner
    if isinstance(owner, ApplyOp) and owner.operator == StringAttr("and"):
        for argument in owner.arguments:
            yield from conditions_of(argument)
    else:
        yield value


def set_conditions(sieve: IfOp, conditions: Sequence[SSAValue]) -> None:
    """Let an `if` ask for these conditions instead of its own; of none, only its statements stay."""
    computed = sieve.condition.owner
    if conditions:
        emit = Emitter(Block())
        together = conditions[0]
        for other in conditions[1:]:
            together = emit.insert(ApplyOp.of(StringAttr("and"), (together, other), other.type)).result
        move_before(emit.block, sieve)
        sieve.operands = [together]
    else:
        move_before(sieve.body.block, sieve)
        Rewriter.erase_op(sieve)
    if isinstance(computed, Operation) and computed.parent is not None:
        erase_unused(operations_of(computed.parent))
