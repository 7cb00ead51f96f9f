"""Whether loops make an entry only where something is added up: where they do not, entries depend on their order."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, LetOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.ranges import sources
from irtensor.passes.support.operations_in import operations_in


def has_entries_of_terms(module: ModuleOp) -> bool:
    """Whether the loops of all definitions reach no entry of a result or workspace at which there is nothing to add.

    So it is where the innermost loop is over an index of what is stored: each of its iterations has a term. A loop in
    which a sum is completed may have none. Of dense operands alone it has one for each coordinate. Coordinates that
    are put together from several loops are not looked at.
    """
    if any([len(sources(let.variable)) > 1 for let in operations_in(module, LetOp)]):
        return False
    return all(_has_terms(assign) for assign in operations_in(module, AssignOp))


def _has_terms(assign: AssignOp) -> bool:
    stored = set[SSAValue]().union(*map(sources, assign.indices))
    parent: Operation | None = assign.parent_op()
    while isinstance(parent, ForallOp | LetOp):
        if isinstance(parent, ForallOp):
            if parent.variable in stored:
                return True
            if not _is_dense(parent.variable):
                return False
        parent = parent.parent_op()
    assert parent is None or isinstance(parent, ComputeOp | WhereOp)
    return True


def _is_dense(variable: SSAValue) -> bool:
    """Whether a loop goes to all coordinates, whatever is stored: it reads only dense tensors."""
    bound = [use.operation.variable for use in variable.uses if isinstance(use.operation, LetOp)]
    uses = [use.operation for one in (variable, *bound) for use in one.uses]
    return all(format_of(access.tensor.type).is_dense for access in uses if isinstance(access, AccessOp))
