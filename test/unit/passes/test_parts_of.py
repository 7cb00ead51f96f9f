"""parts_of sees every change of a module that a verifier could see."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, ModuleOp, StringAttr, UnitAttr, i64
from xdsl.ir import Block, Region

import irtensor as it
from irtensor.dialects.loop.loop import ForOp
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.support.parts_of import is_same, parts_of

Change = Callable[[ModuleOp], object]


@pytest.fixture
def module(parse_module: Callable[[str], ModuleOp]) -> ModuleOp:
    return parse_module(it.compile("y[i] = A[i,j] * x[j]", {"A": it.CSR}, disk_cache=False).ir("loop"))


def _loop(module: ModuleOp) -> ForOp:
    return next(op for op in module.walk() if isinstance(op, ForOp))


def _set_operand(module: ModuleOp) -> None:
    loop = _loop(module)
    loop.operands[0] = loop.operands[1]


def _swap(module: ModuleOp) -> None:
    first = _loop(module).body.block.first_op
    assert first is not None and first.next_op is not None
    second = first.next_op
    second.detach()
    first.parent_block().insert_op_before(second, first)  # pyrefly: ignore[missing-attribute]


def _insert(module: ModuleOp) -> None:
    loop = _loop(module)
    loop.body.block.add_op(arith.ConstantOp.from_int_and_width(0, IndexType()))


def _retype(module: ModuleOp) -> None:
    constant = next(op for op in module.walk() if op.results)
    constant.results[0]._type = i64


def _rename_property(module: ModuleOp) -> None:
    function = next(iter(module.body.block.ops))
    function.properties["sym_name"] = StringAttr("other")


CHANGES: dict[str, Change] = {
    "operand": _set_operand,
    "order": _swap,
    "insertion": _insert,
    "erasure": lambda module: _loop(module).body.block.last_op.detach(),  # pyrefly: ignore[missing-attribute]
    "type": _retype,
    "property": _rename_property,
    "new attribute": lambda module: _loop(module).attributes.update({"new": UnitAttr()}),
    "block argument": lambda module: _loop(module).body.block.insert_arg(IndexType(), 0),
    "new block": lambda module: _loop(module).body.add_block(Block()),
    "region": lambda module: module.add_region(Region(create_block())),
}


def test_what_nothing_has_changed_is_the_same(module: ModuleOp) -> None:
    before = parts_of(module)
    assert is_same(before, parts_of(module)) and not is_same(before, parts_of(module.clone()))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_is_seen(module: ModuleOp, change: Change) -> None:
    before = parts_of(module)
    change(module)
    assert not is_same(before, parts_of(module))
