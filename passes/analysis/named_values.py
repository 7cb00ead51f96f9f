"""Scalar temporaries that name one value: facts known about the value hold for them."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, WhereOp
from irtensor.passes.analysis.iteration_graph import stores_into


def named_value(where: WhereOp) -> SSAValue | None:
    """The value that a scalar temporary is stored once, each time its where is reached; None for any other."""
    produced = where.producer.block.args[0]
    assert isinstance(produced.type, TensorType)
    if produced.type.shape.data:
        return None
    stores = list(stores_into(where.producer.block, produced))
    if len(stores) != 1 or stores[0].operator is not None:
        return None
    parent = stores[0].parent_op()
    while parent is not where and isinstance(parent, WhereOp):
        parent = parent.parent_op()
    return stores[0].value if parent is where else None


def value_read(access: AccessOp) -> SSAValue | None:
    """The value that an access gives by another name, if it reads such a temporary."""
    side = access.tensor.owner
    where = side.parent_op() if isinstance(side, Block) else None
    return named_value(where) if isinstance(where, WhereOp) and where.consumer.block is side else None
