"""`parallelize-outermost`: without a schedule, outermost loops are parallel where their iterations keep apart."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from irtensor.dialects.concrete_index.concrete_index import ComputeOp, ForallOp, WhereOp
from irtensor.passes.analysis.races import (
    AUTOMATIC,
    PARALLEL,
    WINDOWS,
    Race,
    has_windows,
    is_marked,
    races_of,
    refusal,
)
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class ParallelizeOutermostPass(TensorPass):
    """Mark outermost loops as parallel unless a schedule has marked others; the kernel decides by the work it has.

    Iterations may store into components that the loop's variable indexes, append to a result in the order of the
    iterations, and reduce into a number or into the components of a dense result; every part then has its own.
    Floating-point sums are reduced in parts unless the function keeps their order.
    An operand that stores a coordinate several times asks for parts that are windows, unless every part has a result of
    its own. Where a later pass finds that iterations depend on each other after all, the loop stays sequential.
    Before: `forall %i { ... }`
    After:  `forall %i attributes {parallel = "automatic"} { ... }`
    """

    name = "parallelize-outermost"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "choose-loop-order": "the order says which loops are outermost",
        "insert-workspaces": "workspaces decide whether iterations depend on each other",
    }

    def on_function(self, function: FuncOp) -> None:
        for compute in function.body.block.ops:
            if isinstance(compute, ComputeOp):
                loops = list(outermost_loops(compute.body.block))
                if not any(is_marked(inner) for inner in operations_in(compute, ForallOp)):
                    for loop in loops:
                        if obstacle(loop) is None:
                            loop.attributes[PARALLEL] = AUTOMATIC
                            if any(_needs_windows(race) for race in races_of(loop)):
                                loop.attributes[WINDOWS] = UnitAttr()


def outermost_loops(block: Block) -> Iterator[ForallOp]:
    """The loops of a statement that are in no other, also those that compute temporaries."""
    for op in block.ops:
        if isinstance(op, ForallOp):
            yield op
        elif isinstance(op, WhereOp):
            yield from outermost_loops(op.producer.block)
            yield from outermost_loops(op.consumer.block)


def obstacle(loop: ForallOp) -> Race | None:
    """What keeps a loop from being parallel without a schedule."""
    for race in races_of(loop):
        if _needs_windows(race):
            if not has_windows(loop):
                return race
        elif refusal(race, "temporary") is not None:
            return race
    return None


def _needs_windows(race: Race) -> bool:
    """Whether iterations of the same coordinate have to be in one part, because parts cannot each have a result."""
    return race.conflict == "repeated" and refusal(race, "temporary") is not None
