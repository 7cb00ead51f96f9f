"""Temporaries in blocks: what loops over blocks read keeps which blocks are there (`split-blocked-dimensions`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from xdsl.dialects.arith import RemSIOp
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, TensorType
from xdsl.ir import Attribute, Block, SSAValue

from irtensor.core.level_format import LevelFormat
from irtensor.core.storage_levels import Level, LevelExpression
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.concrete_index.concrete_index import AssignOp, LetOp, WhereOp
from irtensor.dialects.storage.storage import FormatAttr, format_of
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.passes.analysis.iteration_graph import accesses_in, name_of
from irtensor.passes.concrete_index.support.where_laws import sides
from irtensor.passes.concrete_index.support.workspace_format import store_as
from irtensor.passes.concrete_index.support.workspace_levels import FLAGGED, MAPPED, WHOLE
from irtensor.passes.support.emit import Emitter


def blocked_temporaries(
    wheres: Iterable[WhereOp], sizes: Mapping[SSAValue, int], listed: Collection[SSAValue]
) -> dict[SSAValue, TensorFormat]:
    """The temporaries that are to be in blocks, as both sides bind them, and how they are stored then.

    They list their entries, and are read along variables that have loops over blocks of these `sizes`:
    coordinates that are listed one by one would not say which blocks exist. The slots in a block are dense, but for
    those variables along which another tensor lists them. They have flags where a tensor whose entries are told apart
    gets what they hold.
    """
    found: dict[SSAValue, TensorFormat] = {}
    for where in wheres:
        producer, consumer = sides(where)
        format = format_of(consumer.args[0].type)
        reads = [access for access in accesses_in(consumer) if access.tensor is consumer.args[0]]
        blocks: dict[int, int] = {}
        for dimension in range(format.rank):
            several = {sizes.get(read.indices[dimension], 0) for read in reads}
            if len(several) == 1 and (size := several.pop()):
                blocks[dimension] = size
        if blocks and not format.is_full:
            lists = {dimension for read in reads for dimension in blocks if read.indices[dimension] in listed}
            stores = [access for access in accesses_in(consumer) if isinstance(access, AssignOp)]
            flagged = any(format_of(store.tensor.type).records_entries for store in stores)
            offsets = FLAGGED if flagged and not format.stores_fill else WHOLE
            found[producer.args[0]] = found[consumer.args[0]] = _in_blocks(format, blocks, lists, offsets)
    return found


def _in_blocks(
    format: TensorFormat, sizes: Mapping[int, int], listed: Collection[int], offset: LevelFormat
) -> TensorFormat:
    """Blocks in place of coordinates, and inside of all levels the offsets in them."""
    levels: list[Level] = []
    offsets: list[Level] = []
    for level in format.levels:
        dimension = level.expression.dimension
        if dimension not in sizes:
            levels.append(level)
            continue
        size = sizes[dimension]
        levels.append(replace(level, expression=LevelExpression(dimension, "floordiv", size)))
        lists = dimension in listed and not level.format.pattern.full
        offsets.append(Level(LevelExpression(dimension, "mod", size), MAPPED if lists else offset))
    return replace(format, levels=(*levels, *offsets))


def bind_parts(store: AssignOp, variable: SSAValue, size: int) -> tuple[SSAValue, SSAValue]:
    """Around a store, the number of the block of a coordinate that no loop over blocks leads to, and the offset in it.

    Before: `assign %a into %w[%j]`
    After:  `let %jo = %j / 4 { let %ji = %j mod 4 { assign %a into %w[%j] } }`
    """
    block, name = store.parent, name_of(variable)
    assert block is not None
    computed = Block()
    emit = Emitter(computed)
    number = emit.divide(variable, emit.index(size))
    offset = emit.insert(RemSIOp(variable, emit.index(size))).result
    bodies = [create_block((IndexType(),)) for _ in range(2)]
    for body, hint in zip(bodies, (f"{name}o", f"{name}i"), strict=True):
        body.args[0].name_hint = hint
    outer, inner = bodies
    emit.insert(LetOp.of(number, create_region(outer)))
    outer.add_op(LetOp.of(offset, create_region(inner)))
    for op in list(computed.ops):
        op.detach()
        block.insert_op_before(op, store)
    store.detach()
    inner.add_op(store)
    return outer.args[0], inner.args[0]


def store_by_block(where: WhereOp, formats: Mapping[SSAValue, TensorFormat]) -> None:
    """Give a temporary whose accesses have an index per level a dimension for each level."""
    for side in sides(where):
        old = side.args[0]
        if old not in formats:
            continue
        levels, fill = [level.format for level in formats[old].levels], formats[old].fill
        assert isinstance(old.type, TensorType)
        shape = [DYNAMIC_INDEX] * len(levels)
        type: TensorType[Attribute] = TensorType(
            old.type.element_type, shape, FormatAttr(TensorFormat.of(levels, fill=fill))
        )
        store_as(side, type)
