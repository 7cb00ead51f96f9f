"""Whether loops make an entry only where something is added up: where they do not, entries depend on their order."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, LetOp, WhereOp
from irtensor.dialects.concrete_index.index_loops import binder_of
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.iteration_graph import enclosing_variables, name_of
from irtensor.passes.analysis.ranges import forall_of, sources
from irtensor.passes.support.operations_in import operations_in


def has_entries_of_terms(module: ModuleOp) -> bool:
    """Whether the loops of all definitions reach no entry of a result or workspace at which there is nothing to add.

    So it is where the innermost loop is over an index of stored entries: each of its iterations has a term. A loop in
    which a sum is completed may have none. Of dense operands alone it has one for each coordinate. Coordinates that
    are put together from several loops are not looked at.
    """
    if any([len(sources(let.variable)) > 1 for let in operations_in(module, LetOp)]):
        return False
    return all(_has_terms(assign) for assign in operations_in(module, AssignOp))


def loops_to_entries(module: ModuleOp) -> frozenset[frozenset[str]]:
    """The names of the loops around each store that makes entries of a result, without those over dense tensors.

    Where a workspace is copied to the result, its stores are these. An entry is there where a store is reached. So
    another statement with the same loops has the same entries, if the same tensors say where these loops go.
    """
    stores = operations_in(module, AssignOp)
    waiting = [store.tensor for store in stores if isinstance(binder_of(store.tensor), ComputeOp)]
    found = set[frozenset[str]]()
    while waiting:
        tensor = waiting.pop()
        for store in stores:
            if store.tensor is tensor:
                copied = _produced(store.value)
                if copied is None:
                    found.add(_loops_around(store))
                else:
                    waiting.append(copied)
    return frozenset(found)


def _produced(value: SSAValue) -> SSAValue | None:
    """The workspace that a value is an element of, as its producer stores into it; None for another value."""
    access = value.owner
    if not isinstance(access, AccessOp) or not access.indices:
        return None
    where = binder_of(access.tensor)
    return where.producer.block.args[0] if isinstance(where, WhereOp) else None


def _loops_around(op: Operation) -> frozenset[str]:
    variables = [variable for variable in enclosing_variables(op) if forall_of(variable) is not None]
    return frozenset([name_of(variable) for variable in variables if not _is_dense(variable)])


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
