"""What create_operation and its like make is what xDSL's own constructors make, uses and neighbours included."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1, i32, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue, Use

from irtensor.dialects.loop.loop import ForOp, IfOp
from irtensor.dialects.loop.loop_memory import SetOp
from irtensor.dialects.support.create_operation import (
    append_operation,
    clone_operation,
    copy_of,
    create_block,
    create_operation,
    create_region,
    erase_operation,
    insert_operation,
    replace_value,
)

_EQUAL: dict[str, Attribute] = {"predicate": IntegerAttr(0, i64)}
_CASES: list[tuple[type[Operation], int, tuple[Attribute, ...], dict[str, Attribute]]] = [
    # A property that is left out and has a default.
    (arith.AddiOp, 2, (i64,), {}),
    (arith.CmpiOp, 2, (i1,), _EQUAL),
    (arith.ConstantOp, 0, (i32,), {"value": IntegerAttr(3, i32)}),
    (SetOp, 2, (), {}),
    (llvm.UndefOp, 0, (i64,), {}),
]


def _fields(thing: Any, names: dict[int, str]) -> Any:
    """What an operation holds, comparable with what another holds: `names` says what objects are called."""
    if id(thing) in names:
        return names[id(thing)]
    if isinstance(thing, Operation | OpResult | Use | Block | BlockArgument | Region):
        names[id(thing)] = f"{type(thing).__name__} {len(names)}"
        # Some are never written, and then those of the class.
        return {field.name: _fields(getattr(thing, field.name), names) for field in fields(thing)}
    if isinstance(thing, tuple):
        return type(thing).__name__, [_fields(item, names) for item in thing]
    return thing


def _uses(block: Block) -> list[list[tuple[str, int]]]:
    return [[(use.operation.name, use.index) for use in argument.uses] for argument in block.args]


@pytest.mark.parametrize("kind, operands, results, properties", _CASES)
def test_equals_what_create_makes(
    kind: type[Operation], operands: int, results: tuple[Attribute, ...], properties: dict[str, Attribute]
) -> None:
    found: list[Any] = []
    for create in (kind.create, create_operation):
        # One value as several operands, and one that is used already.
        block = Block(arg_types=(i64, i64))
        block.add_op(arith.AddiOp(block.args[0], block.args[0]))
        values = (block.args[0], block.args[0], block.args[1])[:operands]
        if create is create_operation:
            op = create_operation(kind, values, results, properties)
        else:
            op = kind.create(operands=values, result_types=results, properties=properties)
        names = {id(argument): f"argument {number}" for number, argument in enumerate(block.args)}
        names |= {id(use): f"use {number}" for number, use in enumerate(use for a in block.args for use in a.uses)}
        found.append((_fields(op, names), _uses(block)))
        assert op.properties is not properties
        block.add_op(op)
        op.detach()
        op.erase()
        assert _uses(block)[0] == [("arith.addi", 1), ("arith.addi", 0)]
    assert found[0] == found[1]


def _blocks(create: Any, region: Any, append: Any) -> Region:
    """A region of one block with two arguments and two operations, the second of which uses the first."""
    block = create((i64, i1))
    one = create_operation(arith.AddiOp, (block.args[0], block.args[0]), (i64,))
    append(block, one)
    append(block, create_operation(arith.AddiOp, (one.result, block.args[0]), (i64,)))
    return region(block)


def test_blocks_and_regions_equal_those_of_xdsl() -> None:
    made = _blocks(create_block, create_region, append_operation)
    expected = _blocks(lambda types: Block(arg_types=types), Region, Block.add_op)
    assert _fields(made, {}) == _fields(expected, {})


def test_an_operation_with_regions_and_successors_equals_what_create_makes() -> None:
    found: list[Any] = []
    for create in (Operation.create.__func__, create_operation):
        target = Block()
        jump = create(llvm.BrOp, successors=(target,), attributes={"note": IntegerAttr(1, i64)})
        holder = create(IfOp, regions=(Region(Block()), Region()))
        uses = [(use.operation is jump, use.index) for use in target.uses]
        names = {id(target): "target"} | {id(use): "use" for use in target.uses}
        assert all(region.parent is holder for region in holder.regions)
        found.append((_fields(jump, names), uses, _fields(holder, {})))
    assert found[0] == found[1]


def test_only_operations_without_a_block_are_appended() -> None:
    block = create_block()
    op = create_operation(llvm.UndefOp, (), (i64,))
    append_operation(block, op)
    with pytest.raises(AssertionError):
        append_operation(create_block(), op)


def test_a_copy_equals_what_clone_makes() -> None:
    around = create_block((IndexType(), IndexType(), IndexType(), i1))
    lower, upper, other, condition = around.args
    loop = ForOp.of(lower, upper)
    loop.attributes["note"] = IntegerAttr(1, i64)
    loop.induction.name_hint = "i"
    inner = create_operation(arith.AddiOp, (loop.induction, lower), (IndexType(),))
    inner.result.name_hint = "sum"
    append_operation(loop.body.block, inner)
    append_operation(loop.body.block, create_operation(IfOp, (condition,), regions=(create_region(), Region())))
    append_operation(around, loop)
    found: list[Any] = []
    for clone in (clone_operation, Operation.clone):
        mapping: dict[SSAValue, SSAValue] = {lower: other}
        copy: Any = clone(loop, mapping)
        copied = copy.body.block.first_op
        assert copied is not inner and tuple(copied.operands) == (copy.induction, other)
        assert mapping == {lower: other, loop.induction: copy.induction, inner.result: copied.results[0]}
        found.append((str(copy), copied.results[0].name_hint, copy.induction.name_hint, copy.location))
    assert found[0] == found[1]
    assert copy.is_structurally_equivalent(clone_operation(loop, {lower: other}))


def test_a_copy_of_code_in_any_order_equals_what_clone_makes() -> None:
    """Blocks that jump back, values that are used before they are made, and others of outside."""
    outside = create_block((i64, i1))
    first, second = create_block((i64,)), create_block((i64,), ["again"])
    late = create_operation(arith.AddiOp, (second.args[0], outside.args[0]), (i64,))
    early = create_operation(arith.AddiOp, (late.result, late.result), (i64,))
    early.result.name_hint = "early"
    for block, op in (
        (first, early),
        (first, create_operation(llvm.BrOp, (early.result,), successors=(second,))),
        (second, late),
        (second, create_operation(llvm.BrOp, (late.result,), successors=(first,))),
    ):
        append_operation(block, op)
    region = create_region(first)
    region.add_block(second)
    holder = create_operation(
        IfOp, (outside.args[1],), regions=(region, Region()), attributes={"a": IntegerAttr(1, i64)}
    )
    found: list[Any] = []
    for copy in (copy_of, Operation.clone):
        made = copy(holder)
        uses = {id(use): f"use {number}" for number, use in enumerate(use for a in outside.args for use in a.uses)}
        names = {id(argument): f"argument {number}" for number, argument in enumerate(outside.args)}
        found.append(_fields(made, names | uses | {id(holder): "the original"}))
        made.erase()
    assert found[0] == found[1]
    assert _uses(outside) == [[("arith.addi", 1)], [(holder.name, 0)]]


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("name", [None, "sum"])
def test_what_is_inserted_replaced_and_erased_is_so_as_by_xdsl(name: str | None, place: int) -> None:
    found: list[Any] = []
    for insert, replace, erase in (
        (insert_operation, replace_value, erase_operation),
        (
            lambda op, anchor: anchor.parent.insert_op_before(op, anchor),
            SSAValue.replace_all_uses_with,
            lambda op: op.parent.erase_op(op),
        ),
    ):
        region = _blocks(create_block, create_region, append_operation)
        block = region.block
        old, user = block.ops
        old.results[0].name_hint = name
        new = create_operation(arith.AddiOp, (block.args[0], old.results[0]), (i64,))
        insert(new, (old, user)[place])
        replace(block.args[0], old.results[0])
        replace(old.results[0], new.results[0])
        replace(new.results[0], new.results[0])
        erase(user)
        found.append((_fields(region, {}), [[(use.operation is new, use.index) for use in _uses_of(new)]]))
    assert found[0] == found[1]


def _uses_of(op: Operation) -> list[Use]:
    return [use for result in op.results for use in result.uses]


def test_what_is_used_is_not_erased() -> None:
    block = _blocks(create_block, create_region, append_operation).block
    assert block.first_op is not None
    with pytest.raises(AssertionError):
        erase_operation(block.first_op)
