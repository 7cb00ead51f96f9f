"""`coord`: a loop that counts the stored entries of an operand counts coordinates again."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from irtensor.passes.concrete_index.support.loop_ranges import POSITIONS, check_new_names, nests_named
from irtensor.passes.concrete_index.support.recorded_steps import record_step
from irtensor.passes.schedule.pos import rename
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class CoordPass(TensorPass):
    """Undo `pos`: let the loops over a variable count coordinates, and give the variable another name.

    It may be a block of entries, which is then cut into blocks of equally many coordinates. Of loops that count
    coordinates already, only the name changes.
    Source: `coord` of taco.

    Before: `forall %jp attributes {positions = "A"} { ... access %A[%i, %jp] ... }`
    After:  `forall %j { ... access %A[%i, %j] ... }`, by `coord{positions=jp variable=j}`
    """

    name = "coord"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    positions: str = option("The index variable of the loops that count entries.", "")
    variable: str = option("The name of the variable from here on.", "")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        nests = nests_named(op, self.positions, self.name)
        check_new_names(self.name, [nest[0] for nest in nests], (self.variable,))
        record_step(self.name, [nest[0] for nest in nests])
        for nest in nests:
            rename(nest, self.positions, self.variable)
            for loop in nest:
                loop.attributes.pop(POSITIONS, None)
