"""Creates operations and blocks quickly: most of the time that the compiler spends in Python goes into making IR.

New IR has no parent, no uses and no neighbours. xDSL's own constructors find that out for each piece again; the
functions here write the fields, private ones included, and a test compares both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from functools import cache
from typing import Any, TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue, SSAValues, Use
from xdsl.irdl import IRDLOperation, OptionalDef

# pyright: reportPrivateUsage=false

_Op = TypeVar("_Op", bound=Operation)
_item: Callable[[Any, int], Any] = tuple.__getitem__
# One for all operations: what the collector does not have to walk.
_NO_VALUES: SSAValues[Any] = SSAValues()


def create_operation(
    op_type: type[_Op],
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: Mapping[str, Attribute] = {},
    attributes: Mapping[str, Attribute] = {},
    successors: Sequence[Block] = (),
    regions: Sequence[Region] = (),
) -> _Op:
    """What `kind.create` makes of these, at an unknown location; the regions have no parent yet."""
    op = op_type.__new__(op_type)
    if operands:
        op._operands, op._operand_uses = SSAValues(operands), _uses_by(op, operands)
    else:
        op._operands, op._operand_uses = _NO_VALUES, ()
    # Most operations have one result, or none.
    if not result_types:
        op.results = _NO_VALUES
    elif len(result_types) == 1:
        op.results = SSAValues((OpResult(result_types[0], op, 0),))
    else:
        op.results = SSAValues([OpResult(type, op, number) for number, type in enumerate(result_types)])
    op.properties = {**_defaults(op_type), **properties}
    op.attributes = {**attributes}
    op.location = UNKNOWN_LOC
    op._successors = tuple(successors)
    op._successor_uses = _uses_by(op, successors) if successors else ()
    op.regions = tuple(regions)
    for region in regions:
        region.parent = op
    return op


def first_result(op: Operation) -> SSAValue:
    """What `op.results[0]` is, without asking whether 0 is a slice."""
    return _item(op.results, 0)


def _uses_by(op: Operation, used: Iterable[SSAValue | Block]) -> tuple[Use, ...]:
    uses: list[Use] = []
    for number, value in enumerate(used):
        following = value.first_use
        use = Use(op, number, None, following)
        if following is not None:
            following._prev_use = use
        value.first_use = use
        uses.append(use)
    return tuple(uses)


@cache
def _defaults(op_type: type[Operation]) -> dict[str, Attribute]:
    """The properties that an operation of this kind has if nothing is said about them."""
    if not issubclass(op_type, IRDLOperation):
        return {}
    definition = op_type.get_irdl_definition()
    assert not any(getattr(attribute, "default_value", None) for attribute in definition.attributes.values())
    return {
        name: property.default_value
        for name, property in definition.properties.items()
        if not isinstance(property, OptionalDef) and property.default_value is not None
    }


def append_operation(block: Block, op: Operation) -> None:
    """What `block.add_op` does with an operation that is in no block, and does not contain this one."""
    assert op.parent is None
    last = block._last_op
    op.parent = block
    op._prev_op = last
    if last is None:
        block._first_op = op
    else:
        last._next_op = op
    block._last_op = op


def insert_operation(op: Operation, anchor: Operation) -> None:
    """What `block.insert_op_before` does with an operation that is in no block, and does not contain the anchor."""
    block, before = anchor.parent, anchor._prev_op
    assert op.parent is None and block is not None
    op.parent = block
    op._prev_op, op._next_op = before, anchor
    anchor._prev_op = op
    if before is None:
        block._first_op = op
    else:
        before._next_op = op


def replace_value(value: SSAValue, replacement: SSAValue) -> None:
    """What `value.replace_all_uses_with` does."""
    if replacement is value:
        return
    use, first = value.first_use, replacement.first_use
    while use is not None:
        following, user = use._next_use, use._operation
        operands = list(user._operands)
        operands[use._index] = replacement
        user._operands = SSAValues(operands)
        use._prev_use, use._next_use = None, first
        if first is not None:
            first._prev_use = use
        first, use = use, following
    value.first_use, replacement.first_use = None, first
    if replacement._name is None and value._name is not None:
        replacement.name_hint = value._name


def erase_operation(op: Operation) -> None:
    """What `block.erase_op` does with an operation whose results are not used."""
    assert all([result.first_use is None for result in op.results])
    detach_operation(op)
    op.drop_all_references()


def detach_operation(op: Operation) -> None:
    """What `op.detach` does with an operation that is in a block."""
    block, before, after = op.parent, op._prev_op, op._next_op
    assert block is not None
    op.parent = op._prev_op = op._next_op = None
    if before is None:
        block._first_op = after
    else:
        before._next_op = after
    if after is None:
        block._last_op = before
    else:
        after._prev_op = before


def create_block(argument_types: Sequence[Attribute] = (), names: Sequence[str | None] = ()) -> Block:
    """An empty block with arguments of these types, the first ones with these names, at unknown locations."""
    block = Block.__new__(Block)
    block._args = tuple([BlockArgument(type, block, number, UNKNOWN_LOC) for number, type in enumerate(argument_types)])
    block._first_op = block._last_op = None
    if names:
        for argument, name in zip(block._args, names, strict=False):
            argument.name_hint = name
    return block


def create_region(block: Block | None = None) -> Region:
    """A region of one block, which is in no region yet; by default an empty one without arguments."""
    region = Region.__new__(Region)
    region._first_block = region._last_block = block = block or create_block()
    block.parent = region
    return region


def clone_operation(op: _Op, mapping: MutableMapping[SSAValue, SSAValue]) -> _Op:
    """A copy of structured code, in which values are replaced as `mapping` says; results of the copy are added to it.

    What `op.clone` makes if every value that is used in `op` is made before it is used.
    """
    operands = [mapping.get(operand, operand) for operand in op._operands]
    regions = [clone_region(region, mapping) for region in op.regions]
    types = [result._type for result in op.results]
    new = create_operation(type(op), operands, types, op.properties, op.attributes, (), regions)
    new.location = op.location
    for old, result in zip(op.results, new.results, strict=True):
        mapping[old] = result
        result._name = old._name
    return new


def clone_region(region: Region, mapping: MutableMapping[SSAValue, SSAValue]) -> Region:
    """A copy of a region of one block or none, as `clone_operation` copies its operations."""
    source = region.first_block
    if source is None:
        return Region()
    assert source is region.last_block, "only structured code is copied"
    block = create_block([argument.type for argument in source.args])
    for old, argument in zip(source.args, block.args, strict=True):
        mapping[old] = argument
        argument._name = old._name
        argument.location = old.location
    op = source.first_op
    while op is not None:
        append_operation(block, clone_operation(op, mapping))
        op = op.next_op
    return create_region(block)


def copy_of(op: _Op) -> _Op:
    """What `op.clone()` makes of any operation, in a quarter of the time."""
    values: dict[int, SSAValue] = {}
    blocks: dict[int, Block] = {}
    copies: list[tuple[Operation, Operation]] = []
    copy = _copy_of(op, values, blocks, copies)
    _connect(copies, values, blocks)
    return copy


def copy_of_region(region: Region) -> Region:
    """What `region.clone()` makes."""
    values: dict[int, SSAValue] = {}
    blocks: dict[int, Block] = {}
    copies: list[tuple[Operation, Operation]] = []
    copy = _copy_of_region(region, None, values, blocks, copies)
    _connect(copies, values, blocks)
    return copy


def _connect(
    copies: Sequence[tuple[Operation, Operation]], values: Mapping[int, SSAValue], blocks: Mapping[int, Block]
) -> None:
    """Give copies the operands and successors of what they are copies of, as copied."""
    # A value may be used before it is made, where operations have no order or blocks stand in any.
    for old, new in copies:
        if old._operands:
            operands = [values.get(id(operand), operand) for operand in old._operands]
            new._operands, new._operand_uses = SSAValues(operands), _uses_by(new, operands)
        if old._successors:
            successors = [blocks.get(id(successor), successor) for successor in old._successors]
            new._successors, new._successor_uses = tuple(successors), _uses_by(new, successors)


def _copy_of(
    op: _Op, values: dict[int, SSAValue], blocks: dict[int, Block], copies: list[tuple[Operation, Operation]]
) -> _Op:
    """A copy without operands and successors, noted with all copies inside, in program order."""
    copy = create_operation(type(op), (), [result._type for result in op.results], op.properties, op.attributes)
    copy.location = op.location
    copies.append((op, copy))
    for old, result in zip(op.results, copy.results, strict=True):
        values[id(old)] = result
        result._name = old._name
    if op.regions:
        copy.regions = tuple([_copy_of_region(region, copy, values, blocks, copies) for region in op.regions])
    return copy


def _copy_of_region(
    region: Region,
    parent: Operation | None,
    values: dict[int, SSAValue],
    blocks: dict[int, Block],
    copies: list[tuple[Operation, Operation]],
) -> Region:
    copy = Region()
    copy.parent = parent
    source = region._first_block
    while source is not None:
        block = blocks[id(source)] = create_block([argument._type for argument in source._args])
        copy.add_block(block)
        for old, argument in zip(source._args, block._args, strict=True):
            values[id(old)] = argument
            argument._name = old._name
            argument.location = old.location
        op = source._first_op
        while op is not None:
            append_operation(block, _copy_of(op, values, blocks, copies))
            op = op._next_op
        source = source._next_block
    return copy
