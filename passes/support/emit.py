"""Appends operations to a block: index arithmetic, loads and constants, folded where operands are constant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TypeGuard, TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i1, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.operators import Scalar
from irtensor.dialects.algebra.algebra import ConstantOp
from irtensor.dialects.algebra.scalar_types import constant_attribute
from irtensor.dialects.loop.loop_assembly import CountOp
from irtensor.dialects.loop.loop_memory import CellOp, GetOp, LoadOp, SetOp, StoreOp
from irtensor.dialects.loop.loop_types import held_type
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import (
    append_operation,
    create_operation,
    detach_operation,
    first_result,
    insert_operation,
)
from irtensor.passes.support.operations_in import operations_of

_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_index = IndexType()
_Op = TypeVar("_Op", bound=Operation)
# Larger than any allocation; its size in bytes still fits 64 bits.
_SATURATED = 1 << 56


@lru_cache(maxsize=1024)
def _index_attribute(value: int) -> IntegerAttr[IndexType]:
    return IntegerAttr(value, _index)


@lru_cache(maxsize=16)
def _predicate(name: str) -> IntegerAttr[IntegerType]:
    return IntegerAttr(_PREDICATES.index(name), i64)


def compares(op: Operation | Block, predicate: str) -> TypeGuard[arith.CmpiOp]:
    """Whether an operation compares two numbers in this way, such as `slt`: one signed number is less than another."""
    return isinstance(op, arith.CmpiOp) and op.predicate.value.data == _PREDICATES.index(predicate)


def is_successor(after: SSAValue, before: SSAValue) -> bool:
    """Whether `after` is `before + 1`, as emitted by `Emitter.add` or `Emitter.sub`."""
    known = constant_index(after), constant_index(before)
    if known[0] is not None and known[1] is not None:
        return known[0] == known[1] + 1
    owner, earlier = after.owner, before.owner
    if isinstance(earlier, arith.SubiOp) and earlier.lhs is after:
        return constant_index(earlier.rhs) == 1
    return isinstance(owner, arith.AddiOp) and owner.lhs is before and constant_index(owner.rhs) == 1


def factors_of_saturated(value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """The factors of a value that `Emitter.saturated_product` emitted; None if it did not."""
    owner = value.owner
    if not isinstance(owner, arith.SelectOp) or constant_index(owner.lhs) != _SATURATED:
        return None
    pairs = owner.rhs.owner
    return (pairs.lhs, pairs.rhs) if isinstance(pairs, arith.MuliOp) else None


def move_before(block: Block, anchor: Operation) -> None:
    """Put the operations of a block, in their order, right before an operation of another."""
    for op in operations_of(block):
        detach_operation(op)
        insert_operation(op, anchor)


def move_behind(block: Block, anchor: Operation) -> None:
    """Put the operations of a block, in their order, right behind an operation of another."""
    around = anchor.parent
    assert around is not None
    for op in reversed(operations_of(block)):
        detach_operation(op)
        around.insert_op_after(op, anchor)


class Emitter:
    """Appends to one block; every method returns the value it made."""

    def __init__(self, block: Block):
        self.block = block

    def insert(self, op: _Op) -> _Op:
        append_operation(self.block, op)
        return op

    def take(self, operations: Iterable[Operation]) -> None:
        """Append operations that stand elsewhere, in their order."""
        for op in operations:
            detach_operation(op)
            append_operation(self.block, op)

    def _make(
        self,
        op_type: type[Operation],
        operands: tuple[SSAValue, ...],
        result: Attribute,
        properties: Mapping[str, Attribute] = {},
    ) -> SSAValue:
        """Append an operation with one result."""
        op = create_operation(op_type, operands, (result,), properties)
        append_operation(self.block, op)
        return first_result(op)

    def index(self, value: int) -> SSAValue:
        return self._make(arith.ConstantOp, (), _index, {"value": _index_attribute(value)})

    def number(self, value: float, element: Attribute) -> SSAValue:
        """A number of a type of the builtin dialect."""
        if isinstance(element, IndexType):
            return self.index(int(value))
        number = int(value) if isinstance(element, IntegerType) else value
        attribute = constant_attribute(number, element)
        return self._make(arith.ConstantOp, (), element, {"value": attribute})

    def constant(self, value: Scalar, element: Attribute) -> SSAValue:
        return self.insert(ConstantOp.of(value, element)).result

    def add(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._arithmetic(arith.AddiOp, a, b, 0, lambda x, y: x + y)

    def sub(self, a: SSAValue, b: SSAValue) -> SSAValue:
        amount, owner = constant_index(b), a.owner
        if amount == 0:
            return a
        if amount is not None and isinstance(owner, arith.AddiOp) and constant_index(owner.rhs) == amount:
            return owner.lhs
        return self._make(arith.SubiOp, (a, b), _index)

    def mul(self, a: SSAValue, b: SSAValue) -> SSAValue:
        for x in (a, b):
            if constant_index(x) == 0:
                return x
        return self._arithmetic(arith.MuliOp, a, b, 1, lambda x, y: x * y)

    def saturated_product(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """A product of sizes, saturated at 2**56, so that an overflow asks for too much memory rather than too
        little."""
        pairs = self.mul(a, b)
        if not isinstance(pairs.owner, arith.MuliOp):
            return pairs
        most = self.index(_SATURATED)
        return self.select(self.compare("sgt", a, self.divide(most, self.max(b, self.index(1)))), most, pairs)

    def divide(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Quotient of numbers that are not negative."""
        x, y = constant_index(a), constant_index(b)
        if x is not None and y:
            return self.index(x // y)
        return self._make(arith.DivSIOp, (a, b), _index)

    def divide_up(self, a: SSAValue, b: int) -> SSAValue:
        """Quotient by a number, rounded up."""
        return self.divide(self.add(a, self.index(b - 1)), self.index(b))

    def _arithmetic(
        self, op_type: type[Operation], a: SSAValue, b: SSAValue, neutral: int, compute: Callable[[int, int], int]
    ) -> SSAValue:
        x, y = constant_index(a), constant_index(b)
        if x is not None and y is not None:
            return self.index(compute(x, y))
        if x == neutral:
            return b
        if y == neutral:
            return a
        return self._make(op_type, (a, b), _index)

    def min(self, *values: SSAValue) -> SSAValue:
        return self._fold_chain(arith.MinSIOp, values)

    def max(self, *values: SSAValue) -> SSAValue:
        return self._fold_chain(arith.MaxSIOp, values)

    def _fold_chain(self, op_type: type[Operation], values: tuple[SSAValue, ...]) -> SSAValue:
        result = values[0]
        for value in values[1:]:
            if value is not result:
                result = self._make(op_type, (result, value), _index)
        return result

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._make(arith.CmpiOp, (a, b), i1, {"predicate": _predicate(predicate)})

    def both(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Both conditions, or the bits that two numbers have in common."""
        return self._make(arith.AndIOp, (a, b), a.type)

    def either(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Either condition, or the bits of two numbers together."""
        return self._make(arith.OrIOp, (a, b), a.type)

    def select(self, condition: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._make(arith.SelectOp, (condition, a, b), a.type)

    def to_index(self, value: SSAValue) -> SSAValue:
        """A coordinate or position as an index; a condition counts as 0 or 1."""
        if isinstance(value.type, IndexType):
            return value
        if value.type == i1:
            value = self._make(arith.ExtUIOp, (value,), i64)
        return self._make(arith.IndexCastOp, (value,), _index)

    def load(self, buffer: SSAValue, position: SSAValue) -> SSAValue:
        return self.insert(LoadOp.of(buffer, position)).value

    def load_index(self, buffer: SSAValue, position: SSAValue) -> SSAValue:
        return self.to_index(self.load(buffer, position))

    def narrow(self, value: SSAValue, element: Attribute) -> SSAValue:
        """An index as an integer of a buffer's element type."""
        if isinstance(element, IndexType):
            return value
        return self._make(arith.IndexCastOp, (value,), element)

    def store_index(self, value: SSAValue, buffer: SSAValue, position: SSAValue) -> None:
        """Store an index into a buffer of narrower integers."""
        element = held_type(buffer)
        self.insert(StoreOp.of(self.narrow(value, element), buffer, position))

    def cell(self, initial: SSAValue) -> SSAValue:
        return self.insert(CellOp.of(initial)).cell

    def get(self, cell: SSAValue) -> SSAValue:
        return self.insert(GetOp.of(cell)).value

    def count(self, counter: SSAValue) -> SSAValue:
        """How many entries were appended by now."""
        return self.insert(CountOp.of(counter)).count

    def set(self, value: SSAValue, cell: SSAValue) -> None:
        self.insert(SetOp.of(value, cell))
