"""What temporaries are computed as, by the accesses that read them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from xdsl.dialects.arith import SubiOp
from xdsl.ir import Attribute, Block, SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, LetOp, WhereOp
from irtensor.passes.analysis.iteration_graph import name_of, stores_into
from irtensor.passes.analysis.ranges import block_variables, sources
from irtensor.passes.support.operations_in import computed_from

# What some variables are called where a temporary is read, whose producer has other variables.
Names = frozenset[tuple[SSAValue, str]]
NO_NAMES: Names = frozenset()


class Temporary(NamedTuple):
    """The component of a temporary that an access reads: a value, reduced by an operator over index variables.

    Without an operator it is the value. `names` are what the variables of the value are called where it is read.
    """

    value: SSAValue
    operator: Attribute | None
    reduced: tuple[str, ...]
    names: Names


def named(variable: SSAValue, names: Names) -> str:
    """The name of a variable; for an offset in a block, the name of the coordinate there."""
    variable = coordinate_of(variable)
    return next((name for one, name in names if one is variable), name_of(variable))


def coordinate_of(index: SSAValue) -> SSAValue:
    """The coordinate whose position in a block an index is; the index itself if it is none."""
    let = index.owner.parent_op() if isinstance(index.owner, Block) else None
    offset = let.coordinate.owner if isinstance(let, LetOp) else None
    if not isinstance(offset, SubiOp):
        return index
    # Other differences are coordinates that a statement computes.
    blocks = sources(offset.rhs)
    return offset.lhs if blocks and blocks <= block_variables(offset.lhs) else index


def temporary_of(access: AccessOp, names: Names = NO_NAMES) -> Temporary | None:
    """What an access reads of a temporary that one assignment computes; None for any other tensor."""
    where = access.tensor.owner.parent_op() if isinstance(access.tensor.owner, Block) else None
    if not isinstance(where, WhereOp):
        return None
    stores = list(stores_into(where.producer.block, where.producer.block.args[0]))
    if len(stores) != 1:
        return None
    (store,) = stores
    read = [
        (coordinate_of(stored), named(index, names))
        for stored, index in zip(store.indices, access.indices, strict=True)
    ]
    # A variable bound around both has the same name in both.
    inside = Names([*names, *read])
    return Temporary(store.value, store.operator, indices_reduced_by(store), inside)


def variables_of(values: Iterable[SSAValue]) -> list[SSAValue]:
    """The variables that values depend on, also by way of temporaries, with those of loops inside of these."""
    found: dict[SSAValue, None] = {}
    waiting = list(values)
    seen: set[SSAValue] = set()
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        for access in computed_from([value], AccessOp):
            found.update(dict.fromkeys(access.indices))
            if (temporary := temporary_of(access)) is not None:
                waiting.append(temporary.value)
    return list(found)


def indices_reduced_by(store: AssignOp) -> tuple[str, ...]:
    """The variables of the loops between an assignment and what binds its tensor that do not index it, outermost
    first."""
    found: list[str] = []
    indices = [coordinate_of(index) for index in store.indices]
    parent = store.parent_op()
    while parent is not None and store.tensor.owner not in [region.first_block for region in parent.regions]:
        if isinstance(parent, ForallOp) and parent.variable not in indices:
            found.append(name_of(parent.variable))
        parent = parent.parent_op()
    return tuple(reversed(found))
