"""`hint-short-loops`: tells LLVM which loops run along a segment of stored entries, which is short as a rule."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from irtensor.dialects.loop import ForOp, IfOp, LoadOp, WhileOp
from irtensor.passes.pass_base import TensorPass

_ONE = IntegerAttr(1, i64)


@dataclass(frozen=True)
class HintShortLoopsPass(TensorPass):
    """One vector per iteration in innermost loops whose bounds are read from memory: most segments fill no more.

    Without the hint LLVM takes four vectors at a time, and a row of ten entries is left to the scalar loop behind.

    Before: `%end = loop.load %pos[...]; loop.for %p = %begin to %end { ... }`
    After:  `%end = loop.load %pos[...]; loop.for %p = %begin to %end attributes {interleave = 1 : i64} { ... }`
    """

    name = "hint-short-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if not isinstance(function, FuncOp) or function.is_declaration:
                continue
            for loop in function.walk():
                if isinstance(loop, ForOp) and not loop.attributes and _is_read(loop.upper) and _is_innermost(loop):
                    loop.attributes["interleave"] = _ONE


def _is_read(bound: SSAValue) -> bool:
    owner = bound.owner
    if isinstance(owner, arith.IndexCastOp):
        owner = owner.input.owner
    return isinstance(owner, LoadOp)


def _is_innermost(loop: ForOp) -> bool:
    return not any(isinstance(op, ForOp | WhileOp | IfOp) for op in loop.body.block.ops)
