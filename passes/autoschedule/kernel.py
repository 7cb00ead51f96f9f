"""The input of a search for a schedule: a statement and known facts about its operands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from irtensor.core.operators import OPERATORS, Operator, Scalar
from irtensor.core.tensor_format import TensorFormat
from irtensor.passes.autoschedule.search_options import MOST_INDICES, MOST_OPERANDS
from irtensor.passes.autoschedule.statements import (
    Access,
    Indices,
    Statement,
    accessed,
    assigns_within_loops,
    operators_in,
    reads,
    stored_by,
)


@dataclass(frozen=True)
class Kernel:
    """A statement that any loops over its index variables are put around.

    Only a reduction that is part of a value, and is not pulled out of it, is a loop in `program`, in the producer of a
    `where` whose consumer uses what it gives; `written` is the statement with all of these. `dense` names the tensors
    without a pattern, the result too if it is one; `fills` says what tensors are where nothing is stored, 0 unless
    another value is given; `dimensions` which index variables run over the same coordinates; `formats` of those
    operands that are to be read as these allow, not by any protocol; `loops` are those of the definition, outermost
    first, for operators that reduce in their order; `determined` which modes of operands have at most one coordinate
    for those of other modes; `element` is the type of the values.
    """

    program: Statement
    dense: frozenset[str] = frozenset()
    fills: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    dimensions: Mapping[str, str] = field(default_factory=dict[str, str])
    formats: Mapping[str, TensorFormat] = field(default_factory=dict[str, TensorFormat])
    loops: Indices = ()
    determined: Mapping[str, Mapping[int, frozenset[int]]] = field(
        default_factory=dict[str, Mapping[int, frozenset[int]]]
    )
    written: Statement | None = None
    element: str = "f64"

    @property
    def target(self) -> Access:
        return stored_by(self.program).target

    @property
    def indices(self) -> frozenset[str]:
        return accessed(self.program)

    @property
    def operators(self) -> dict[str, Operator]:
        """Operators by name: the built-in ones and the user's that it computes with."""
        return {**OPERATORS, **{operator.name: operator for operator in operators_in(self.program)}}

    def keeps_order(self, program: Statement) -> bool:
        """Whether operators that do not commute reduce in the order of the definition's loops."""
        for assign, around in assigns_within_loops(program):
            if assign.operator is not None and not assign.operator.commutative:
                reducing = [index for index in around if index not in assign.target.indices and index in self.loops]
                if reducing != sorted(reducing, key=self.loops.index):
                    return False
        return True

    def dimension(self, index: str) -> str:
        return self.dimensions.get(index, index)

    @property
    def reads(self) -> int:
        """How many operands are read, each as often as it is."""
        return len(self._operands())

    @property
    def too_large(self) -> str | None:
        """Why programs for it are not searched, if it is too large for that."""
        if self.reads <= MOST_OPERANDS and len(self.indices) <= MOST_INDICES:
            return None
        most = f"more than are searched for ({MOST_OPERANDS} and {MOST_INDICES})"
        return f"{self.reads} operands are read in {len(self.indices)} loops, {most}"

    @property
    def tensors(self) -> frozenset[str]:
        """The names of the operands and of the result."""
        return frozenset(str(one.tensor) for one in (self.target, *self._operands()))

    @property
    def sparse(self) -> dict[str, tuple[str, ...]]:
        """The operands that have a pattern, with the index variables of their modes."""
        return {str(read.tensor): read.indices for read in self._operands() if read.tensor not in self.dense}

    @property
    def fill_values(self) -> dict[str, Scalar]:
        """What the operands that have a pattern, and the result, are where nothing is stored."""
        return {name: self.fills.get(name, 0) for name in (*self.sparse, str(self.target.tensor))}

    def _operands(self) -> list[Access]:
        # A workspace is a number here.
        return [read for read in reads(self.program) if isinstance(read.tensor, str)]
