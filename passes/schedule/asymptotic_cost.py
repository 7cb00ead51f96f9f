"""`asymptotic-cost`: which tasks each loop executes, whatever entries the operands have."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp

from irtensor.core.diagnostics import located_at
from irtensor.dialects.concrete_index.concrete_index import ComputeOp, ForallOp
from irtensor.passes.analysis.iteration_graph import enclosing_variables
from irtensor.passes.autoschedule.predicates import Predicates
from irtensor.passes.autoschedule.read_program import read_program
from irtensor.passes.autoschedule.statements import stored_by
from irtensor.passes.autoschedule.task_interpreter import TaskInterpreter
from irtensor.passes.autoschedule.task_sets import TaskSets, text_of
from irtensor.passes.concrete_index.support.loop_ranges import TASKS
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class AsymptoticCostPass(TensorPass):
    """Write on every loop the set of its tasks: the coordinates that it visits, for all operands at once.

    `{ik | B_ik}` is a task for each i and k at which B has an entry; `{jk | exists l A_jl}` one for each j, in whose
    row A has an entry, and each k. A set holds the tasks of all iterations of the loops around. Protocols that are not
    stated are as they will be lowered: lists are stepped through, the others located. Tensors count as stored in the
    order of the loops, because conversions take linear time. Source: Ahrens 2022, sections 5 and 6.4.

    Before: `forall %i { forall %k { ... access %B[locate %i, step %k] ... } }`
    After:  `forall %i attributes {tasks = "{i}"} { forall %k attributes {tasks = "{ik | B_ik}"} { ... } }`
    """

    name = "asymptotic-cost"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)

    def on_function(self, function: FuncOp) -> None:
        for compute in operations_in(function, ComputeOp):
            with located_at(compute):
                _annotate(compute)


def _annotate(compute: ComputeOp) -> None:
    program = read_program(compute)
    names = {variable: name for name, variable in program.variables.items()}
    task_sets = TaskSets(Predicates(), program.dimensions(compute))
    result = stored_by(program.statement).target.tensor
    fills = {name: fill for name, fill in program.fills.items() if name not in program.dense or name == result}
    tasks = TaskInterpreter(task_sets, fills).tasks(program.statement)
    for loop in operations_in(compute, ForallOp):
        heads = {names[loop.variable], *(names[variable] for variable in enclosing_variables(loop))}
        own = frozenset(query for query in tasks if set(query.heads) == heads)
        loop.attributes[TASKS] = StringAttr(text_of(task_sets.union(own)))
