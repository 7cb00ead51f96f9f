"""`match-symmetric`: symmetric operands whose entries cannot stand for their mirrors are asked for with all entries."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp

from irtensor.core.diagnostics import remark
from irtensor.core.wide_formats import for_all_sizes
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.symmetric_access import symmetric_access, symmetric_arguments
from irtensor.passes.repairs.insert_conversions import convert_argument, reads_of
from irtensor.passes.support.pass_base import TensorPass


class MatchSymmetricPass(TensorPass):
    """Ask for all entries of a symmetric operand where a statement cannot be executed for an entry and its mirrors.

    Before: `func @f(%A: tensor<?x?xf64, #symmetric>)` reading %A[%i, %j] twice
    After:  `func @f(%A: tensor<?x?xf64, #csr> {storage.converts = 0 : index})`
    An operand stays as it is where `expand-symmetric` reads its stored part: where one statement reads it once, does
    nothing where it has no entry, and reads and writes arrays beside it.
    """

    name = "match-symmetric"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    before = {"expand-symmetric": "that pass refuses operands that are not expanded, unless they are converted first"}
    needs = "conversions"

    def on_function(self, function: FuncOp) -> None:
        for argument in symmetric_arguments(function):
            reason = symmetric_access(argument)
            if isinstance(reason, str) and (reads_of(argument) or not argument.uses):
                name, before = name_of(argument), format_of(argument.type)
                uses = [use.operation for use in reads_of(argument)]
                after = for_all_sizes(before.with_mirrors)
                convert_argument(function, argument, after)
                text = f"'{name}', stored {before}, is converted to {after}: {reason}"
                remark(text, uses[0] if uses else function, by=self.name, about=[name])
