"""`pos`: a loop over coordinates counts the stored entries of an operand instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr

from irtensor.core.diagnostics import UserError
from irtensor.dialects.concrete_index.concrete_index import AccessOp, ForallOp
from irtensor.passes.analysis.iteration_graph import accesses_in, name_of
from irtensor.passes.concrete_index.support.counted_entries import entries_of, those_that_read
from irtensor.passes.concrete_index.support.loop_ranges import FUSED, POSITIONS, check_new_names, nests_named
from irtensor.passes.concrete_index.support.recorded_steps import record_step
from irtensor.passes.schedule.support.counting_pass import CountingPass
from irtensor.passes.support.pass_base import option


@dataclass(frozen=True)
class PosPass(CountingPass):
    """Let the loops over a variable count the stored entries of an operand, and give the variable another name.

    `split` and `divide` then cut the loop, and its parts, into blocks of equally many entries, as they do with
    `tensor`. Loops that are fused count their entries together. By itself it changes nothing: a loop visits the same
    coordinates, those of the entries and what else there is to do. Source: `pos` of taco; Kjolstad 2020, section 6.3.

    Before: `forall %j { ... access %A[%i, %j] ... }`
    After:  `forall %jp attributes {positions = "A"} { ... access %A[%i, %jp] ... }`,
            by `pos{variable=j positions=jp tensor=A}`
    """

    name = "pos"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    variable: str = option("The index variable whose loops count entries, or the name of fused loops.", "")
    positions: str = option("The name of the variable from here on.", "")
    tensor: str = option("The operand whose entries are counted.", "")
    indices: tuple[str, ...] = option("The indices with which the operand is read, if that has to be said.", ())

    def take(self, ctx: Context, op: ModuleOp) -> None:
        nests = those_that_read(nests_named(op, self.variable, self.name), self.tensor)
        check_new_names(self.name, [nest[0] for nest in nests], (self.positions,))
        record_step(self.name, [nest[0] for nest in nests])
        for nest in nests:
            self._check_indices(nest)
            entries_of(nest, self.name, self.tensor)
            rename(nest, self.variable, self.positions)
            for loop in nest:
                loop.attributes[POSITIONS] = StringAttr(self.tensor)

    def _counting(self, tensor: str) -> Mapping[str, Any]:
        return {"tensor": tensor, "indices": ()}

    def _check_indices(self, nest: Sequence[ForallOp]) -> None:
        accesses = [access for access in accesses_in(nest[-1].body.block) if isinstance(access, AccessOp)]
        found = [access for access in accesses if name_of(access.tensor) == self.tensor]
        if not self.indices or any(self._is_meant(access, nest) for access in found):
            return
        read = {f"{self.tensor}[{', '.join(map(name_of, access.indices))}]" for access in found}
        raise UserError(
            "illegal-split",
            f"pos: '{self.tensor}[{', '.join(self.indices)}]' is not read in loop {self.variable}",
            op=nest[0],
            help=f"read are {', '.join(sorted(read))}" if read else f"'{self.tensor}' is not read there at all",
        )

    def _is_meant(self, access: AccessOp, nest: Sequence[ForallOp]) -> bool:
        """Whether an access has the variables of a nest where the indices have their names; others may be of before."""
        own = {loop.variable: name_of(loop.variable) for loop in nest}
        pairs = list(zip(access.indices, self.indices, strict=False))
        alike = all(own.get(index, "") == (name if name in own.values() else "") for index, name in pairs)
        return alike and len(access.indices) == len(self.indices)


def rename(nest: Sequence[ForallOp], old: str, new: str) -> None:
    """Give a loop, or the name under which a nest is fused, another name."""
    for loop in nest:
        if loop.attributes.get(FUSED) == StringAttr(old):
            loop.attributes[FUSED] = StringAttr(new)
        else:
            loop.variable.name_hint = new
