"""`fold-fills`: what the host fills with a pattern of bytes is filled by the driver of the device, without a kernel."""

from __future__ import annotations

from collections.abc import Container, Iterator

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter

from irtensor.dialects.llvm.kernel_attributes import KERNEL
from irtensor.dialects.loop.loop import FillOp, LoadOp, MemsetOp, ParallelOp, StoreOp
from irtensor.dialects.loop.loop_types import held_type
from irtensor.passes.llvm.support.byte_patterns import has_pattern
from irtensor.passes.nvvm.support.host_code import run_by_host, stays_on_host, waits_for_kernels
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.pass_base import TensorPass


class FoldFillsPass(TensorPass):
    """Let the driver fill memory between kernels, where the bytes of a value are one pattern of 1, 2 or 4 bytes.

    Before: `loop.fill %zero, %y[%lo to %hi]; loop.parallel %b = 0 to %n on blocks(128) { ... }`
    After:  `loop.memset %zero, %y[%lo to %hi]; loop.parallel %b = 0 to %n on blocks(128) { ... }`

    A single element is filled so as well, unless a kernel is needed for the operations beside it. Other values, such as
    the double 1.0, are stored by kernels.
    """

    name = "fold-fills"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "spread-loops": "what no pattern is for is spread over threads",
        "lower-assembly": "ends of segments are stored then",
        "lower-algebra-to-arith": "constants of all types are known then",
    }
    before = {"outline-launches": "code between parallel loops becomes kernels"}

    def on_function(self, function: FuncOp) -> None:
        if KERNEL in function.attributes:
            return
        by_host = dict.fromkeys(run_by_host(function))
        for around in by_host:
            for region in around.regions:
                for block in region.blocks:
                    _fold(block, by_host)


def _fold(block: Block, by_host: Container[Operation]) -> None:
    for kernel in [*_kernels(block, by_host)]:
        if all(map(_is_foldable, kernel)):
            for op in kernel:
                _replace(op)


def _kernels(block: Block, by_host: Container[Operation]) -> Iterator[list[Operation]]:
    """The operations that would be kernels of one iteration each; fills that need none are for themselves."""
    run: list[Operation] = []
    for op in operations_of(block):
        if stays_on_host(op) and not waits_for_kernels(op):
            continue
        alone = not (isinstance(op, ParallelOp | LoadOp) or op in by_host or stays_on_host(op))
        if alone and not (isinstance(op, FillOp) and _is_foldable(op)):
            run.append(op)
            continue
        yield run
        yield [op] if alone else []
        run = []
    yield run


def _is_foldable(op: Operation) -> bool:
    if isinstance(op, StoreOp) and op.value.type != held_type(op.buffer):
        return False
    return isinstance(op, FillOp | StoreOp) and has_pattern(op.operands[0])


def _replace(op: Operation) -> None:
    emit = Emitter(Block())
    value, buffer, lower, *bounds = op.operands
    upper = bounds[0] if bounds else emit.add(lower, emit.index(1))
    emit.insert(MemsetOp.of(value, buffer, lower, upper)).location = op.location
    move_before(emit.block, op)
    Rewriter.erase_op(op)
