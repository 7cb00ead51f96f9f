"""operations_in finds what a walk with a test of the type finds; computed_from finds what is behind values."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects import test as test_dialect
from xdsl.dialects.arith import AddiOp, ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Block, Operation, Region

import irtensor as it
from irtensor.dialects.loop.loop import ForOp, IfOp, LoadOp, StoreOp, WhileOp
from irtensor.passes.support.operations_in import OpTypes, computed_from, operations_in


@pytest.fixture(scope="module")
def module(parse_module: Callable[[str], ModuleOp]) -> ModuleOp:
    return parse_module(
        it.compile("C[i,j] = A[i,j] + B[i,j]", dict.fromkeys("ABC", it.CSR), disk_cache=False).ir("loop")
    )


@pytest.mark.parametrize("op_types", [(ForOp,), (LoadOp, StoreOp), (WhileOp, IfOp, ForOp), (ModuleOp,), ()])
def test_finds_what_a_walk_finds(module: ModuleOp, op_types: tuple[type[Operation], ...]) -> None:
    loop = next(op for op in module.walk() if isinstance(op, ForOp))
    roots: list[Operation | Region | Block] = [module, loop, loop.body, loop.body.block]
    for root in roots:
        assert operations_in(root, *op_types) == [op for op in root.walk() if isinstance(op, op_types)]


def _number(value: int) -> ConstantOp:
    return ConstantOp(IntegerAttr(value, IndexType()))


def test_the_nearest_operations_that_values_are_computed_from() -> None:
    one, two = _number(1), _number(2)
    made = test_dialect.TestOp([one.result], [IndexType()])
    total = AddiOp(made.results[0], two.result)
    twice = AddiOp(total.result, total.result)
    assert computed_from([twice.result], test_dialect.TestOp) == [made]
    assert set(computed_from([twice.result], ConstantOp)) == {one, two}
    # Not what is behind one of them.
    assert computed_from([twice.result], AddiOp) == [twice]


def test_what_is_computed_from_in_other_ways() -> None:
    one, two = _number(1), _number(2)
    total = AddiOp(one.result, two.result)
    beside = AddiOp(total.result, two.result)
    assert computed_from([beside.result], ConstantOp, [total.result]) == [two]
    assert computed_from([total.result], ConstantOp, [total.result]) == []


def test_types_include_subclasses():
    class Base:
        pass

    class Derived(Base):
        pass

    op_types = OpTypes(Base, str)
    assert [op_types[op_type] for op_type in (Base, Derived, str, int)] == [True, True, True, False]
