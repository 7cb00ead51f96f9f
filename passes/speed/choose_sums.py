"""`choose-sums`: what adds zero under a condition chooses between the old and the new sum instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import ForOp, LoadOp, StoreOp
from irtensor.dialects.support.create_operation import create_operation, erase_operation
from irtensor.passes.loop.support.accumulation_nests import is_outside
from irtensor.passes.speed.support.lanes import can_compare
from irtensor.passes.support.emit import compares
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

_SUMS = (arith.AddfOp, arith.AddiOp)
_PRODUCTS = (arith.MulfOp, arith.MuliOp)


@dataclass(frozen=True)
class ChooseSumsPass(TensorPass):
    """Choose between two sums where a factor that is zero keeps what it is multiplied by from a sum.

    Before: `%c = %a != 0; for %f { %x = select %c, %d[%f], 0; %y[%f] += %a * %x }`
    After:  `%c = %a != 0; for %f { %y[%f] = select %c, %y[%f] + %a * %d[%f], %y[%f] }`
    Both leave an element alone where `%a` is zero. A processor with masks does the second in the instruction that
    multiplies and adds. A sum of negative zeros keeps its sign, as where nothing is stored. Only for loops in which all
    iterations share the condition.
    """

    name = "choose-sums"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"lower-algebra-to-arith": "only upstream arithmetic is recognised"}
    before = {"accumulate-in-registers": "vectors are chosen by masks there"}

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            for store in operations_of(loop.body.block):
                if type(store) is StoreOp:
                    _rewrite(store, loop)


def _rewrite(store: StoreOp, loop: ForOp) -> None:
    """Choose between sums in a store, if a term is zero under a condition."""
    total = store.value.owner
    if not isinstance(total, _SUMS) or not total.result.has_one_use():
        return
    for old, product in (total.operands, reversed(total.operands)):
        choice = _choice(product.owner, loop)
        if _is_old(old, store) and choice is not None and product.has_one_use():
            choice.result.replace_all_uses_with(choice.lhs)
            result = create_operation(arith.SelectOp, (choice.cond, total.result, old), (old.type,))
            loop.body.block.insert_op_before(result, store)
            store.operands[0] = result.result
            erase_operation(choice)
            return


def _is_old(value: SSAValue, store: StoreOp) -> bool:
    load = value.owner
    return isinstance(load, LoadOp) and load.buffer is store.buffer and load.index is store.index


def _choice(product: Operation | Block, loop: ForOp) -> arith.SelectOp | None:
    """The factor of a product that is zero where the other one is zero."""
    if not isinstance(product, _PRODUCTS):
        return None
    for factor, other in (product.operands, reversed(product.operands)):
        choice = other.owner
        if not isinstance(choice, arith.SelectOp) or not choice.result.has_one_use() or not _is_zero(choice.rhs):
            continue
        condition = choice.cond.owner
        if is_outside(choice.cond, loop) and _says_not_zero(condition) and condition.operands[0] is factor:
            return choice
    return None


def _says_not_zero(op: Operation | Block) -> TypeGuard[Operation]:
    """Whether a comparison holds for all numbers but zero."""
    if isinstance(op, arith.CmpfOp):
        return can_compare(op)
    return compares(op, "ne") and _is_zero(op.rhs)


def _is_zero(value: SSAValue) -> bool:
    constant = value.owner.properties.get("value") if isinstance(value.owner, arith.ConstantOp) else None
    return isinstance(constant, FloatAttr | IntegerAttr) and constant.value.data == 0
