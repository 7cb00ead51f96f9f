"""`warn-of-full-results`: a sparse result that gets an entry at every coordinate takes more memory than a dense one."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from irtensor.core.diagnostics import remark
from irtensor.core.fill_values import fill_text
from irtensor.core.operators import Scalar
from irtensor.dialects.concrete_index.concrete_index import AccessOp, ComputeOp, WhereOp
from irtensor.dialects.storage.storage import fill_of, format_of
from irtensor.passes.analysis.absence import is_temporary
from irtensor.passes.analysis.filled_product import filled_factor
from irtensor.passes.analysis.find_expression import term_of
from irtensor.passes.analysis.iteration_graph import last_append_level, name_of, stores_into
from irtensor.passes.analysis.lattice_points import acts_without
from irtensor.passes.analysis.ranges import forall_of, sources
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class WarnOfFullResultsPass(TensorPass):
    """Warn of a result that stores entries only, if a statement of sparse operands gives it one at every coordinate.

    The IR stays as it is. The warning says which operand or factor does it, and how the entries are kept: a dense one,
    such as `c` in `b[i,j] + c[j]`, a factor that is not zero where nothing is stored, such as `exp(b[i,j])`, or one
    that has none of the result's indices, such as `z` in `b[i,j] + sum(k, z[k])`. Source: thesis pitfall P28 (Kjolstad
    2020, section 3.3): a broadcast sum is dense.
    """

    name = "warn-of-full-results"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    before = {
        "split-diagonals": "a warning names the indices that were written, and splitting replaces them",
        "split-blocked-dimensions": "a warning names the indices that were written, and splitting replaces them",
    }

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for compute in operations_in(op, ComputeOp):
            reason = _why_full(compute)
            if reason is not None:
                name = name_of(compute.result)
                message = f"every coordinate of '{name}' gets an entry{reason}a dense result takes less memory"
                remark(message, compute, "warning", about=[name])


def _why_full(compute: ComputeOp) -> str | None:
    """Why every coordinate of a result of sparse operands gets an entry, up to what there is instead; None if not."""
    body = compute.body.block
    if last_append_level(format_of(compute.result.type)) is None:
        return None
    read = dict.fromkeys(access.tensor for access in operations_in(body, AccessOp))
    operands = [tensor for tensor in read if not is_temporary(tensor)]
    sparse = [tensor for tensor in operands if not format_of(tensor.type).is_dense]
    if not sparse:
        return None
    if not acts_without(body, sparse):
        access = _spread_access(compute, sparse)
        return None if access is None else f" because of {term_of(access.result)}, which has none of its indices; "
    factor = filled_factor(body, sparse)
    if factor is not None:
        fill = fill_text(fill_of(factor.access.tensor.type))
        stored, access = name_of(factor.access.tensor), term_of(factor.access.result)
        because = f" because {term_of(factor.value)} is {fill_text(factor.element)} where '{stored}' stores nothing"
        return f"{because}; where({access} != {fill}, ..., {fill_text(factor.zero)}) keeps the entries, "
    dense = [tensor for tensor in operands if tensor not in sparse]
    # Of several, one may do it alone, or each.
    causes = [tensor for tensor in dense if not acts_without(body, [*sparse, tensor])] or dense
    names = " and ".join(f"'{name_of(tensor)}'" for tensor in causes)
    return f" because of {names}; " if causes else "; "


def _spread_access(compute: ComputeOp, sparse: Collection[SSAValue]) -> AccessOp | None:
    """An access to a sparse operand by none of the result's indices; without it, the result would lack coordinates.
    None as well where loops of their own compute the values read with such indices."""
    reads = [access for access in operations_in(compute.body.block, AccessOp) if access.tensor in sparse]
    stores = stores_into(compute.body.block, compute.target)
    variables = {index for store in stores for index in store.indices}
    loops = [loop for variable in variables if (loop := forall_of(variable)) is not None]
    spread = list[AccessOp]()
    indexed = dict[SSAValue, Scalar]()
    for read in reads:
        if all(loop.is_ancestor(read) for loop in loops):
            inside = any(variables.intersection(sources(index)) for index in read.indices)
        elif _is_reduced_to_number(read, compute) and not any(loop.is_ancestor(read) for loop in loops):
            inside = False
        else:
            return None
        if inside:
            indexed[read.result] = fill_of(read.tensor.type)
        else:
            spread.append(read)
    return spread[0] if variables and spread and acts_without(compute.body.block, (), indexed) else None


def _is_reduced_to_number(read: AccessOp, compute: ComputeOp) -> bool:
    """Whether all temporaries are numbers that are computed from reads."""
    op: Operation | None = read
    while op is not None and op is not compute:
        around = op.parent_op()
        if isinstance(around, WhereOp) and op.parent is around.producer.block:
            if format_of(around.producer.block.args[0].type).rank:
                return False
        op = around
    return True
