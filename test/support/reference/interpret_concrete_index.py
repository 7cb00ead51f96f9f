"""Runs `concrete_index` statements in order over dense arrays, without any storage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from reference.interpret_scalars import combine, evaluate_scalar, identity_of
from reference.loop_arithmetic import compute_scalar
from reference.merged_levels import made_by_splits, merge_array, split_array
from xdsl.dialects.arith import SubiOp
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.operators import Scalar
from irtensor.dialects.concrete_index.concrete_index import (
    AccessOp,
    AssignOp,
    ComputeOp,
    ForallOp,
    IfOp,
    LetOp,
    WhereOp,
)
from irtensor.dialects.concrete_index.index_ranges import BoundOp, EntryCountOp, EntryNumberOp, EntryOp, ExtentOp
from irtensor.dialects.storage.storage import MergeLevelsOp, fill_of, format_of


def interpret_concrete_index(
    module: ModuleOp, operands: Sequence[np.ndarray], shape: Sequence[int] = ()
) -> list[np.ndarray]:
    """Call the module's first function with the dense meaning of its operands; gives that of its results.

    `shape` is that of results whose levels are split.

    A result starts at its fill value, or at the identity of the operator that its first assignment combines with. A
    plain store must reach each component at most once.
    """
    function = next(op for op in module.body.block.ops if isinstance(op, FuncOp))
    interpreter = _Interpreter(dict(zip(function.body.block.args, operands, strict=True)))
    for op in function.body.block.ops:
        if isinstance(op, ComputeOp):
            interpreter.compute(op)
        elif isinstance(op, MergeLevelsOp):
            interpreter.tensors[op.result] = merge_array(interpreter.tensors[op.tensor], op)
        elif isinstance(op, ReturnOp):
            made = [made_by_splits(value) for value in op.arguments]
            return [split_array(interpreter.tensors[value], splits, shape) for value, splits in made]
    raise AssertionError("a function ends in func.return")


class _Interpreter:
    def __init__(self, tensors: dict[SSAValue, np.ndarray]) -> None:
        self.tensors: dict[SSAValue, Any] = {**tensors}
        self.values: dict[SSAValue, Any] = {}
        self.stored: set[tuple[int, tuple[int, ...]]] = set()

    def compute(self, op: ComputeOp) -> None:
        for target, result in zip(op.body.block.args, op.results, strict=True):
            assert isinstance(target.type, TensorType)
            shape = tuple(self._extent_along(op, target, dimension) for dimension in range(len(target.type.shape)))
            self.tensors[target] = self.tensors[result] = np.full(shape, _start(target, op.body.block), object)
        self.block(op.body.block)

    def block(self, block: Block) -> None:
        for op in block.ops:
            self.statement(op)

    def statement(self, op: Operation) -> None:
        run = _STATEMENTS.get(type(op))
        if run is None:
            self.values[op.results[0]] = self._value(op)
        else:
            run(self, op)

    def _forall(self, op: ForallOp) -> None:
        bounds = [int(self.values[bound]) for bound in op.bounds] or [0, self._extent(op.variable)]
        variable, body = op.variable, op.body.block
        for coordinate in range(*bounds):
            self.values[variable] = coordinate
            self.block(body)

    def _let(self, op: LetOp) -> None:
        self.values[op.variable] = self.values[op.coordinate]
        self.block(op.body.block)

    def _where(self, op: WhereOp) -> None:
        produced, consumed = op.producer.block.args[0], op.consumer.block.args[0]
        # As many components as there are blocks, or places in one: what is not stored has no component here.
        made = _Components(_start(produced, op.producer.block)) if _counts(op) else self._made(op)
        self.tensors[produced] = self.tensors[consumed] = made
        self.stored = {key for key in self.stored if key[0] != id(produced)}
        self.block(op.producer.block)
        self.block(op.consumer.block)

    def _if(self, op: IfOp) -> None:
        if self.values[op.condition]:
            self.block(op.body.block)

    def _entry_of(self, op: EntryOp) -> None:
        self.values.update(zip(op.coordinates, self._entry(op), strict=True))

    def _made(self, op: WhereOp) -> np.ndarray:
        produced = op.producer.block.args[0]
        assert isinstance(produced.type, TensorType)
        shape = tuple(self._extent_along(op, produced, d) for d in range(len(produced.type.shape)))
        return np.full(shape, _start(produced, op.producer.block), object)

    def _value(self, op: Operation) -> Any:
        """The only result of an operation."""
        compute = _VALUES.get(type(op))
        if compute is not None:
            return compute(self, op)
        if op.name.startswith("arith."):
            values = [self.values[operand] for operand in op.operands]
            with np.errstate(all="ignore"):
                return compute_scalar(op, [np.int64(value) if type(value) is int else value for value in values])
        return evaluate_scalar(op, self.values)

    def _access(self, op: AccessOp) -> Any:
        return self.tensors[op.tensor][self._at(op)]

    def _extent_op(self, op: ExtentOp) -> int:
        return self.tensors[op.tensor].shape[op.dimension.value.data]

    def _count(self, op: EntryCountOp) -> int:
        entries = self._entries(op)
        before = tuple(self.values[one] for one in op.before)
        return len([at for at in entries if at < before] if before else entries)

    def _bound(self, op: BoundOp) -> Any:
        extent, number = self.values[op.extent], op.number.value.data
        assert extent == number if op.is_exact else extent % number == 0, f"{extent} is not {op.kind.data}"
        return extent

    def _entries(self, op: EntryOp | EntryCountOp | EntryNumberOp) -> list[tuple[int, ...]]:
        """The coordinates of what is not the fill value, which may be less than what is stored, in storage order."""
        format = format_of(op.tensor.type)
        if not isinstance(op, EntryNumberOp) and op.by_dimension is not None:
            return self._places_of_blocks(op)
        array = self.tensors[op.tensor].transpose(format.dimension_order)
        below = array[tuple(self.values[index] for index in op.prefix)]
        count = op.levels.value.data
        found = np.argwhere(below != fill_of(op.tensor.type))
        return sorted({tuple(map(int, place[:count])) for place in found})

    def _places_of_blocks(self, op: EntryOp | EntryCountOp) -> list[tuple[int, ...]]:
        """The same of a tensor in blocks: all places of those that have anything, below a row of blocks."""
        format, prefix = format_of(op.tensor.type), [self.values[index] for index in op.prefix]
        order = list(dict.fromkeys(format.dimension_order))
        sizes = [next(one.expression.factor for one in format.levels if one.expression.dimension == d) for d in order]
        found = np.argwhere(self.tensors[op.tensor].transpose(order) != fill_of(op.tensor.type))
        first, end = len(prefix), len(prefix) + op.levels.value.data
        blocks = {tuple(int(c) // size for c, size in zip(place, sizes, strict=True)) for place in found}
        above = tuple(index // size for index, size in zip(prefix, sizes, strict=False))
        units = {block[first:end] for block in blocks if block[:first] == above}
        ranges = [
            [range(n * size, n * size + size) for n, size in zip(unit, sizes[first:], strict=False)] for unit in units
        ]
        return sorted(place for unit in ranges for place in product(*unit))

    def _entry(self, op: EntryOp) -> tuple[int, ...]:
        entries = self._entries(op)
        if self.values[op.number] < len(entries):
            found = entries[self.values[op.number]]
            if op.by_dimension is not None:
                return tuple(map(min, found, self._behind(op)))
            ends = [self.values[end] for end in op.between]
            assert not ends or ends[0] <= found[0] <= ends[1], f"entry {found} is not between {ends}"
            return found
        return self._behind(op)

    def _behind(self, op: EntryOp) -> tuple[int, ...]:
        order, first = list(dict.fromkeys(format_of(op.tensor.type).dimension_order)), len(op.prefix)
        shape = self.tensors[op.tensor].shape
        return tuple(shape[dimension] for dimension in order[first : first + len(op.coordinates)])

    def _entry_number(self, op: EntryNumberOp) -> int:
        entries, place = self._entries(op), tuple(self.values[index] for index in op.indices)
        if (found := place[len(op.prefix) :]) in entries:
            return entries.index(found) - self.values[op.first]
        return self.values[op.past]

    def _at(self, op: AccessOp | AssignOp) -> tuple[int, ...]:
        return tuple(self.values[index] for index in op.indices)

    def _store(self, op: AssignOp) -> None:
        array, place = self.tensors[op.tensor], self._at(op)
        if op.operator is None:
            key = (id(op.tensor), place)
            # All that is no entry has one place, where nothing but the value of what is absent is stored.
            absent = any(self._is_past(index) for index in op.indices) and array[place] == self.values[op.value]
            assert absent or key not in self.stored, f"a plain store reaches {place} twice"
            self.stored.add(key)
            array[place] = self.values[op.value]
        else:
            array[place] = combine(op.operator, array[place], self.values[op.value], op.value.type, op)

    def _is_past(self, index: SSAValue) -> bool:
        number = _source(index).owner
        return isinstance(number, EntryNumberOp) and self.values[number.result] == self.values[number.past]

    def _extent(self, variable: SSAValue) -> int:
        """The extent of a dimension that the variable indexes, perhaps under the name of a `let`."""
        for use in variable.uses:
            op = use.operation
            if isinstance(op, LetOp):
                found = self._extent_or_none(op.variable)
            elif isinstance(op, SubiOp):
                found = self._extent_behind(op)
            else:
                found = self._extent_of_use(op, use.index)
            if found is not None:
                return found
        raise AssertionError(f"nothing says how many coordinates {variable.name_hint} has")

    def _extent_behind(self, place: SubiOp) -> int | None:
        """The extent of the coordinates at places in a block with which a temporary is stored that is read by place."""
        lets = [use.operation for use in place.result.uses if isinstance(use.operation, LetOp)]
        for use in [use for let in lets for use in let.variable.uses]:
            read = use.operation
            where = read.operands[0].owner.parent_op() if isinstance(read, AccessOp) else None
            if isinstance(where, WhereOp):
                produced = where.producer.block.args[0]
                stores = (op for op in where.walk() if isinstance(op, AssignOp) and op.tensor is produced)
                stored = _source(next(stores).indices[use.index - 1]).owner
                assert isinstance(stored, SubiOp)
                return self._extent_or_none(stored.lhs)
        return None

    def _extent_or_none(self, variable: SSAValue) -> int | None:
        try:
            return self._extent(variable)
        except AssertionError:
            return None

    def _extent_of_use(self, op: Operation, index: int) -> int | None:
        if not isinstance(op, AccessOp | AssignOp):
            return None
        dimension = index - (len(op.operands) - len(op.indices))
        if isinstance(self.tensors.get(op.tensor), _Components):
            return None
        if op.tensor in self.tensors:
            return self.tensors[op.tensor].shape[dimension]
        where = op.tensor.owner.parent_op() if isinstance(op.tensor.owner, Block) else None
        if isinstance(where, WhereOp) and op.tensor is where.consumer.block.args[0]:
            return self._extent_along(where, where.producer.block.args[0], dimension)
        return None

    def _extent_along(self, op: Operation, tensor: SSAValue, dimension: int) -> int:
        """Extent of a dimension of a tensor under construction, from the operands that share its index variable."""
        for store in op.walk():
            if isinstance(store, AssignOp) and store.tensor is tensor:
                return self._extent(_source(store.indices[dimension]))
        raise AssertionError("nothing is stored")


# By exact type: operations are interpreted once for each iteration.
_STATEMENTS: dict[type[Operation], Callable[[_Interpreter, Any], None]] = {
    ForallOp: _Interpreter._forall,
    LetOp: _Interpreter._let,
    WhereOp: _Interpreter._where,
    IfOp: _Interpreter._if,
    AssignOp: _Interpreter._store,
    EntryOp: _Interpreter._entry_of,
}
_VALUES: dict[type[Operation], Callable[[_Interpreter, Any], Any]] = {
    AccessOp: _Interpreter._access,
    ExtentOp: _Interpreter._extent_op,
    EntryCountOp: _Interpreter._count,
    EntryNumberOp: _Interpreter._entry_number,
    BoundOp: _Interpreter._bound,
}


class _Components(dict[tuple[int, ...], Any]):
    """The components of a temporary by their indices; those that nothing stores have the same value."""

    def __init__(self, start: Scalar) -> None:
        self.start = start

    def __missing__(self, place: tuple[int, ...]) -> Scalar:
        assert all(index >= 0 for index in place)
        return self.start


def _counts(where: WhereOp) -> bool:
    """Whether a temporary is indexed by what counts blocks, or places in one, which index no operand."""
    produced = where.producer.block.args[0]
    stores = (op for op in where.producer.walk() if isinstance(op, AssignOp) and op.tensor is produced)
    sources = [_source(index) for store in stores for index in store.indices]
    loops = [source.owner.parent_op() for source in sources if isinstance(source.owner, Block)]
    return any(isinstance(source.owner, SubiOp | EntryNumberOp) for source in sources) or any(
        isinstance(loop, ForallOp) and "blocks" in loop.attributes for loop in loops
    )


def _source(variable: SSAValue) -> SSAValue:
    parent = variable.owner.parent_op() if isinstance(variable.owner, Block) else None
    return _source(parent.coordinate) if isinstance(parent, LetOp) else variable


def _start(target: SSAValue, block: Block) -> Scalar:
    assert isinstance(target.type, TensorType)
    first = next((op for op in block.walk() if isinstance(op, AssignOp) and op.tensor is target), None)
    if first is None or first.operator is None:
        return fill_of(target.type)
    return identity_of(first.operator, target.type.element_type, first)
