"""`split-long-sums`: long floating-point sums add up sums of blocks, so that rounding errors stay small."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, Float64Type, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.create_operation import create_operation
from irtensor.dialects.loop import ForOp, ParallelOp
from irtensor.dialects.loop_memory import GetOp, SetOp
from irtensor.dialects.order_of_sums import may_reassociate
from irtensor.passes.emit import Emitter, move_before
from irtensor.passes.operations_in import operations_of
from irtensor.passes.pass_base import TensorPass, option, structured_functions


@dataclass(frozen=True)
class SplitLongSumsPass(TensorPass):
    """Split an outermost loop that only sums into blocks, each with a sum of its own (Higham 2002, section 4.2).

    Before: `for %i = %a to %b { %t += %x[%i] }`
    After:  `for %k = 0 to (%b - %a) / 4096 { %s = cell 0.0; for %i in block %k { %s += %x[%i] }; %t += %s }`
    Only where the sum may be reassociated; a loop inside another is left alone: most are short rows.
    """

    name = "split-long-sums"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"lower-algebra-to-arith": "only upstream arithmetic is recognised"}

    block: int = option("The iterations of a block.", 4096)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            self._split_in(function.body.block)

    def _split_in(self, block: Block) -> None:
        for op in operations_of(block):
            if isinstance(op, ParallelOp):
                self._split_in(op.body.block)
            # With a hint for LLVM it is not long.
            elif isinstance(op, ForOp) and not op.attributes and (addition := _only_sum(op)) is not None:
                _split(op, addition, self.block)


def _only_sum(loop: ForOp) -> tuple[GetOp, SetOp] | None:
    """The read and write of the one cell that a loop without inner regions sums into."""
    body = operations_of(loop.body.block)
    writes = [op for op in body if isinstance(op, SetOp)]
    if len(writes) != 1 or any(op.regions for op in body):
        return None
    write = writes[0]
    reads = [op for op in body if isinstance(op, GetOp) and op.operands[0] is write.operands[1]]
    addition = write.operands[0].owner
    if len(reads) != 1 or not isinstance(addition, arith.AddfOp) or not may_reassociate(addition.fastmath):
        return None
    value = reads[0].results[0]
    uses = [use.operation for use in value.uses]
    is_sum = uses == [addition] and isinstance(value.type, Float32Type | Float64Type)
    return (reads[0], write) if is_sum else None


def _split(loop: ForOp, addition: tuple[GetOp, SetOp], size: int) -> None:
    read, write = addition
    cell, element = write.operands[1], read.results[0].type
    before = Emitter(Block())
    length = before.index(size)
    rounded = before.add(before.sub(loop.upper, loop.lower), before.index(size - 1))
    outer = ForOp.of(before.index(0), before.divide(rounded, length))
    number = outer.body.block.args[0]
    emit = Emitter(outer.body.block)
    start = emit.add(loop.lower, emit.mul(number, length))
    end = emit.min(emit.add(start, length), loop.upper)
    partial = emit.cell(emit.number(0.0, element))
    block = loop.parent
    assert block is not None
    move_before(before.block, loop)
    block.insert_op_before(outer, loop)
    loop.detach()
    loop.operands[0], loop.operands[1] = start, end
    read.operands[0] = write.operands[1] = partial
    emit.insert(loop)
    _add_to(emit, cell, partial, write.operands[0].owner)


def _add_to(emit: Emitter, cell: SSAValue, partial: SSAValue, addition: Operation | Block) -> None:
    assert isinstance(addition, arith.AddfOp)
    operands = (emit.get(cell), emit.get(partial))
    total = create_operation(arith.AddfOp, operands, (operands[0].type,), {"fastmath": addition.fastmath})
    emit.insert(SetOp.of(emit.insert(total).result, cell))
