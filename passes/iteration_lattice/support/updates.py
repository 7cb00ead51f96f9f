"""The targets of `update` and `place` operations, and whether an update changes anything."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.operators import Scalar, convert, same_value
from irtensor.dialects.algebra.algebra import find_operator
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.iteration_lattice.iteration_lattice import MergeOp, PlaceOp, UpdateOp, WalkOp
from irtensor.dialects.loop.loop import ForOp, WhileOp
from irtensor.dialects.loop.loop_memory import SetOp
from irtensor.dialects.storage.storage import (
    DimOp,
    FiberType,
    InitializeOp,
    ResultOp,
    RootOp,
    WorkspaceOp,
    fill_of,
    format_of,
)
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.iteration_lattice.support.known_values import Fill, Known


def is_initialized(target: SSAValue) -> bool:
    """Whether a result's component holds the fill value before it is written, so that storing it changes nothing.

    Levels that are appended to hold it in any case, because an absent element reads as the fill value.
    """
    assert isinstance(target.type, FiberType)
    if not format_of(target.type.tensor).is_dense:
        return True
    tensor = written_tensor(target)
    result = None if tensor is None else tensor.owner
    if isinstance(result, WorkspaceOp):
        return True
    return isinstance(result, ResultOp) and result.initialize is not None and result.initial is None


def _starts_from(tensor: TensorType[Attribute], identity: Scalar) -> bool:
    """Whether a component of a tensor has the identity of the operator that combines into it before it is reached."""
    return format_of(tensor).is_dense or same_value(fill_of(tensor), identity)


def is_opaque(op: Operation) -> bool:
    """Whether an operation has a body and gives nothing, as a loop that is lowered already: it may do something.

    What gives a value is done for that, whatever it is computed by.
    """
    return bool(op.regions) and not op.results


def is_certain(place: PlaceOp) -> bool:
    """Whether something is written below a slot each time it is reached: no loop or branch lies between."""
    block = place.body.block
    uses = [use.operation for use in block.args[0].uses if use.operation.parent is block]
    return any(isinstance(use, UpdateOp) or (isinstance(use, PlaceOp) and is_certain(use)) for use in uses)


def levels_in_full(uses: list[Operation], around: Block | None) -> int:
    """How many levels of a result are visited by loops, one inside the other, that run over all their coordinates."""
    if len(uses) != 1 or not isinstance(place := uses[0], PlaceOp):
        return 0
    loop = place.parent_op()
    if not isinstance(loop, ForOp) or loop.parent is not around or place.coordinate is not loop.induction:
        return 0
    if constant_index(loop.lower) != 0 or not isinstance(loop.upper.owner, DimOp):
        return 0
    inner = place.body.block
    return 1 + levels_in_full([use.operation for use in inner.args[0].uses], inner)


def written_tensor(target: SSAValue) -> SSAValue | None:
    """The tensor that a fiber which is written to belongs to; None if it belongs to none that is written."""
    while isinstance(owner := target.owner, Block):
        place = owner.parent_op()
        if not isinstance(place, PlaceOp):
            return None
        target = place.fiber
    return owner.tensor if isinstance(owner, RootOp | InitializeOp) else None


def changed_by(op: Operation) -> Iterator[SSAValue]:
    """The temporaries that an operation changes with all that is inside of it: cells, and tensors that are written."""
    for inner in op.walk():
        if isinstance(inner, SetOp):
            yield inner.cell
        elif isinstance(inner, UpdateOp):
            target = inner.target
            written = written_tensor(target) if isinstance(target.type, FiberType) else target
            if written is not None:
                yield written


def update_is_void(op: UpdateOp, value: Known | None, is_entry: bool = False) -> bool:
    """Whether storing a known value leaves the target as it is; an entry does not, where entries are told apart."""
    if value is None or isinstance(value, Fill):
        return False
    if is_entry and isinstance(op.target.type, FiberType) and not format_of(op.target.type.tensor).is_dense:
        return False
    if op.operator is not None:
        element = element_name(op.value.type)
        identity = find_operator(op.operator, op).identity(element)
        if identity is None or not same_value(convert(value, element), identity):
            return False
        # An element without entry reads as the fill value, which may be another one than that of nothing.
        return not isinstance(op.target.type, FiberType) or _starts_from(op.target.type.tensor, identity)
    if not isinstance(op.target.type, FiberType):
        return False
    return same_value(value, fill_of(op.target.type.tensor)) and is_initialized(op.target)


def writes_to(update: UpdateOp, tensor: SSAValue) -> bool:
    """Whether an update is of a component of a tensor."""
    return isinstance(update.target.type, FiberType) and written_tensor(update.target) is tensor


def places_in(op: Operation, inside_loop: bool = False) -> Iterator[tuple[PlaceOp, bool]]:
    """The `place` operations inside an operation, and whether a loop lies between."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if not inner.regions:
                    continue
                if isinstance(inner, PlaceOp):
                    yield inner, inside_loop
                yield from places_in(inner, inside_loop or isinstance(inner, ForOp | WalkOp | MergeOp | WhileOp))
