"""Which steps of a schedule have been applied to a definition: decisions that are made later keep what these did."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Operation

from irtensor.dialects.concrete_index.concrete_index import ComputeOp
from irtensor.dialects.support.is_inside import innermost_around


def record_step(step: str, ops: Iterable[Operation]) -> None:
    """Let the definitions around these operations, which a step is applied to, say so."""
    for compute in dict.fromkeys(map(definition_of, ops)):
        if compute is not None and step not in (known := recorded_steps(compute)):
            compute.scheduled = ArrayAttr([StringAttr(name) for name in (*known, step)])


def recorded_steps(op: Operation) -> tuple[str, ...]:
    """The steps that have been applied to the definition around an operation, each once."""
    compute = definition_of(op)
    if compute is None or compute.scheduled is None:
        return ()
    return tuple([name.data for name in compute.scheduled])


def definition_of(op: Operation) -> ComputeOp | None:
    """The definition that an operation is, or is a part of."""
    return op if isinstance(op, ComputeOp) else innermost_around(op, ComputeOp)
