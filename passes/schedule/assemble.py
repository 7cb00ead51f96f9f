"""`assemble`: how the positions of a sparse result's entries are determined."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr

from irtensor.core.diagnostics import UserError
from irtensor.core.schedule_words import ASSEMBLY_STRATEGIES
from irtensor.dialects.concrete_index.concrete_index import ComputeOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.iteration_graph import last_append_level, name_of
from irtensor.passes.concrete_index.support.recorded_steps import record_step
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option

APPEND, INSERT = map(StringAttr, ASSEMBLY_STRATEGIES)


@dataclass(frozen=True)
class AssemblePass(TensorPass):
    """Say how the positions of a sparse result's entries are determined: appended to lists that grow, or counted
    before.

    `append`: entries are appended in order; threads have lists of their own, which are joined. `insert`: the statement
    runs once without values and stores, which counts the entries; then there is exactly as much memory as they need,
    and the statement runs again and stores them where they belong, each thread its own.
    Before: `%A = compute (%r) : tensor<?x?xf64, #csr> { ... }`
    After `assemble{tensor=A strategy=insert}`: `%A = compute (%r) : tensor<?x?xf64, #csr> assemble "insert" { ... }`
    """

    name = "assemble"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    tensor: str = option("The sparse result; by default, all to which something is appended.", "")
    strategy: str = option(
        "How positions of entries are determined: by lists that grow, or counted.",
        "append",
        choices=ASSEMBLY_STRATEGIES,
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        results = operations_in(op, ComputeOp)
        if not self.tensor:
            for compute in results:
                if last_append_level(format_of(compute.result.type)) is not None:
                    compute.assemble = StringAttr(self.strategy)
            return
        found = [compute for compute in results if name_of(compute.result) == self.tensor]
        if not found:
            names = ", ".join(name_of(compute.result) for compute in results)
            message = f"assemble: no statement computes '{self.tensor}'"
            help = f"results are {names}" if names else "no statement has a result: run it where there are foralls"
            raise UserError("bad-schedule-step", message, op=results[0] if results else op, help=help)
        record_step(self.name, found)
        for compute in found:
            format = format_of(compute.result.type)
            if last_append_level(format) is None:
                message = f"assemble: nothing is appended to '{self.tensor}', which is stored {format}"
                help = "omit the step: where a component goes follows from its coordinates"
                raise UserError("illegal-assemble", message, op=compute, help=help)
            compute.assemble = StringAttr(self.strategy)
