"""What a schedule is searched for: one statement in which every index variable has a loop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from irtensor.dialects.operators import Scalar
from irtensor.passes.autoschedule.statements import Access, Expression, accessed, reads


@dataclass(frozen=True)
class Kernel:
    """The statement `target op= value` in loops over all its index variables.

    `dense` names the operands without a pattern; `fills` says what the others are where nothing is stored, 0 unless
    another value is given; `dimensions` which index variables run over the same coordinates.
    """

    target: Access
    operator: str | None
    value: Expression
    dense: frozenset[str] = frozenset()
    fills: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    dimensions: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def indices(self) -> frozenset[str]:
        return accessed(self.target) | accessed(self.value)

    def dimension(self, index: str) -> str:
        return self.dimensions.get(index, index)

    @property
    def sparse(self) -> dict[str, tuple[str, ...]]:
        """The operands that have a pattern, with the index variables of their modes."""
        return {str(read.tensor): read.indices for read in reads(self.value) if read.tensor not in self.dense}

    @property
    def operands(self) -> frozenset[str]:
        """The names of all tensors, the result's among them."""
        return frozenset(str(access.tensor) for access in (self.target, *reads(self.value)))
