"""What results and temporaries start from, and whether all of their components are stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import TensorType, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.core.operators import Scalar, same_value
from irtensor.dialects.algebra.algebra import identity_of
from irtensor.dialects.algebra.scalar_types import constant_attribute
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, IfOp, WhereOp
from irtensor.dialects.storage.storage import ResultOp, fill_of, format_of
from irtensor.dialects.support.is_inside import innermost_around
from irtensor.passes.analysis.iteration_graph import can_locate, level_variables, stores_into
from irtensor.passes.analysis.ranges import block_variables, forall_of, is_whole, sources


def describe_initial_state(
    result: ResultOp, target: SSAValue, compute: ComputeOp, accesses: Sequence[AccessOp | AssignOp]
) -> None:
    """Say whether components may stay unwritten or are accumulated into, and what they start from.

    `target` is the result under construction.
    """
    stores = list(stores_into(compute.body.block, target))
    combined = [store for store in stores if store.operator is not None]
    if not _stores_all_first(stores, compute, accesses):
        if combined or not all(_covers(store, accesses) for store in stores):
            result.initialize = UnitAttr()
    assert isinstance(target.type, TensorType)
    initial = _identity(stores, target.type)
    if initial is not None and not same_value(initial, fill_of(target.type)):
        result.initial = constant_attribute(initial, target.type.element_type)


def _identity(stores: Iterable[AssignOp], type: TensorType[Attribute]) -> Scalar | None:
    """What a tensor has to start from for a statement that combines, and finds nothing that another one has stored.

    The first statement decides what the others find, and the first of each version of loops that are under conditions.
    """
    versions: set[IfOp] = set()
    for store in stores:
        version = innermost_around(store, IfOp)
        if version not in versions and store.operator is not None:
            return identity_of(store.operator, store, type.element_type)
        if version is None:
            return None
        versions.add(version)
    return None


def _stores_all_first(stores: Sequence[AssignOp], compute: ComputeOp, accesses: Iterable[AccessOp | AssignOp]) -> bool:
    """Whether all coordinates are stored, by loops under no condition, before another statement comes to any."""
    if not stores or stores[0].operator is not None or not _covers(stores[0], accesses):
        return False
    around = stores[0].parent_op()
    while isinstance(around, ForallOp) and around.parent_op() is not compute:
        around = around.parent_op()
    others = (compute.body.block.find_ancestor_op_in_block(store) for store in stores[1:])
    return isinstance(around, ForallOp) and around not in others


def _covers(store: AssignOp, accesses: Iterable[AccessOp | AssignOp]) -> bool:
    """Whether a plain store reaches every coordinate of the target's locatable levels: nothing sparse drives them."""
    format = format_of(store.tensor.type)
    variables = level_variables(store)
    if any(loop is not None and not is_whole(loop) for index in variables for loop in map(forall_of, sources(index))):
        return False  # all windows of a loop together may cover it, one of them does not
    if _has_ragged_blocks(store) or is_conditional(store):
        return False
    located = frozenset[SSAValue]().union(
        *(sources(variable) for number, variable in enumerate(variables) if can_locate(format, number))
    )
    for access in accesses:
        if isinstance(access, AccessOp):
            levels = format_of(access.tensor.type).levels
            for number, variable in enumerate(level_variables(access)):
                if not levels[number].format.pattern.full and sources(variable) & located:
                    return False
    return True


def is_conditional(op: Operation) -> bool:
    """Whether an operation runs under a condition in some iterations only: one around all loops chooses a version."""
    is_sieved, around = False, op.parent_op()
    while around is not None and not isinstance(around, ComputeOp):
        if is_sieved and isinstance(around, ForallOp):
            return True
        is_sieved |= isinstance(around, IfOp)
        around = around.parent_op()
    return False


def is_in_part(indices: Iterable[SSAValue]) -> bool:
    """Whether indices have loops over a part of their dimensions: other ranges than windows that cover all together."""
    loops = [loop for index in indices for loop in map(forall_of, sources(index)) if loop is not None]
    return any(not is_whole(loop) and not block_variables(loop.variable) for loop in loops)


def _has_ragged_blocks(store: AssignOp) -> bool:
    """Whether blocks may reach beyond the extent, in levels that are located from the root: no loop goes there."""
    assert isinstance(store.tensor.type, TensorType)
    extents = store.tensor.type.get_shape()
    for level in format_of(store.tensor.type).levels:
        if not level.format.access.positional:
            return False
        expression = level.expression
        if expression.form == "mod" and (
            extents[expression.dimension] < 0 or extents[expression.dimension] % expression.factor
        ):
            return True
    return False


def start_value(op: WhereOp) -> Scalar:
    """The identity of the operator that the producer's first statement accumulates with; a plain store needs none."""
    temporary = op.producer.block.args[0]
    assert isinstance(temporary.type, TensorType)
    identity = _identity(stores_into(op.producer.block, temporary), temporary.type)
    return 0 if identity is None else identity
