"""create_operation makes what xDSL's own `create` makes, uses of operands included."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntegerAttr, i1, i32, i64
from xdsl.ir import Attribute, Block, Operation, OpResult, Use

from irtensor.dialects.create_operation import create_operation
from irtensor.dialects.loop_memory import SetOp

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
    if isinstance(thing, Operation | OpResult | Use):
        names[id(thing)] = f"{type(thing).__name__} {len(names)}"
        return {key: _fields(value, names) for key, value in vars(thing).items()}
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
