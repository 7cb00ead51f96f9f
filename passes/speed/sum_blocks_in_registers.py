"""`sum-blocks-in-registers`: rows of dense blocks are summed in the lanes of vectors, which are added up once."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.algebra.order_of_sums import may_reassociate
from irtensor.dialects.loop.loop import ForOp, IfOp, LoadOp, StoreOp
from irtensor.dialects.loop.loop_types import BufferType, vector_of
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import clone_operation, create_operation, erase_operation
from irtensor.passes.cleanup.hoist_invariants import is_speculatable
from irtensor.passes.loop.support.accumulation_nests import is_outside, loop_around, sum_terms
from irtensor.passes.loop.support.memory_roots import is_seen_otherwise, memory_of
from irtensor.passes.speed.accumulate_in_registers import bits_of, is_lanewise
from irtensor.passes.speed.support.lanes import Masks, vector_of_operation
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import everything_in, operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass, option

_SUMS = (arith.AddfOp, arith.AddiOp)
_ADD = vector.CombiningKindAttr(vector.CombiningKindFlag.ADD)


@dataclass(frozen=True)
class SumBlocksInRegistersPass(TensorPass):
    """Keep the sums of a dense block's rows in vectors while a loop goes over blocks, and add up lanes behind it.

    Before: `for %p { for %i = 0 to 4 { for %j = 0 to 4 { %y[%b + %i] += %a[%p * 16 + %i * 4 + %j] * %x[%c + %j] } } }`
    After:  `4 x cell(zeros); for %p { 4 x cell += %a[4 elements] * %x[4 elements] };
            4 x %y[%b + ...] += sum of the lanes of a cell`
    The loops inside of a block have a fixed number of iterations, the sum may be regrouped, and all that the loop over
    blocks does with the result is to add to elements of it. Elements of blocks that are never reached are not touched.
    """

    name = "sum-blocks-in-registers"
    accepts = ("loop",)
    leaves = ("loop", "llvm")
    after = {
        "lower-algebra-to-arith": "only upstream arithmetic is widened",
        "hoist-invariants": "an element of the result is an invariant start plus the loop's index",
        "separate-full-blocks": "full blocks have a fixed number of iterations",
    }
    before = {"accumulate-in-registers": "what remains in a block are vectors"}

    width: int = option("The bits of a vector register.", 512)
    registers: int = option("The most vectors that hold sums.", 16)
    limit: int = option("The most operations that the rows of a block become.", 300)

    def on_function(self, function: FuncOp) -> None:
        for rows in [rows for loop in operations_in(function, ForOp) if (rows := _find(loop)) is not None]:
            vectors = rows.count * -(-rows.lanes * bits_of(rows.store.buffer) // self.width)
            size = rows.count * len(list(everything_in(rows.loop)))
            if vectors <= self.registers and size <= self.limit:
                _rewrite(rows)


@dataclass
class _Rows:
    """The rows of a block: `loop` runs over them, `inner` along one, and `around` over blocks."""

    around: ForOp
    loop: ForOp
    inner: ForOp
    store: StoreOp
    count: int
    lanes: int
    terms: tuple[SSAValue, ...]
    """What the number of a row's element is the sum of, beside the number of the row."""


def _find(loop: ForOp) -> _Rows | None:
    """A loop as that over the rows of a block, if it is one that can be kept in registers."""
    count, around = _iterations(loop), loop_around(loop)
    inner = [op for op in operations_of(loop.body.block) if type(op) is ForOp]
    if count is None or not isinstance(around, ForOp) or len(inner) != 1:
        return None
    if not all(op is inner[0] or op.name.startswith("arith.") for op in loop.body.block.ops):
        return None
    stores = [op for op in inner[0].body.block.ops if isinstance(op, StoreOp)]
    lanes = _iterations(inner[0])
    if len(stores) != 1 or lanes is None or lanes < 2 or not is_outside(stores[0].buffer, around):
        return None
    terms = sum_terms(stores[0].index, loop.induction, around)
    if terms is None or not is_outside(stores[0].index, inner[0]) or not _is_lanewise(inner[0], stores[0]):
        return None
    if not _only_adds(around, stores[0]):
        return None
    return _Rows(around, loop, inner[0], stores[0], count, lanes, terms)


def _iterations(loop: ForOp) -> int | None:
    """How many iterations a loop from 0 has, if that is known."""
    return constant_index(loop.upper) if constant_index(loop.lower) == 0 and not loop.attributes else None


def _is_lanewise(row: ForOp, store: StoreOp) -> bool:
    """Whether vectors can do what a row adds to its element."""
    varying: set[SSAValue] = {row.induction}
    masks = Masks()
    for op in row.body.block.ops:
        if varying.isdisjoint(op.operands):
            if not isinstance(op, LoadOp) and not is_speculatable(op) and op is not store:
                return False
            continue
        if isinstance(op, LoadOp):
            if sum_terms(op.index, row.induction, row) is None or op.value.type == i1:
                return False
        elif not masks.allow(op) or (op is not store and not masks.makes(op) and not is_lanewise(op)):
            return False
        varying.update(op.results)
    return store.value in varying


def _only_adds(around: ForOp, store: StoreOp) -> bool:
    """Whether all that is done with the memory of a store are sums of one kind, which may be regrouped."""
    memory, op_type = memory_of(store.buffer), type(store.value.owner)
    added: set[Operation] = set()
    for op in operations_in(around, StoreOp):
        if memory_of(op.buffer) is memory:
            total = op.value.owner
            if not isinstance(total, Operation) or type(total) is not op_type or op_type not in _SUMS:
                return False
            if isinstance(total, arith.AddfOp) and not may_reassociate(total.fastmath):
                return False
            old = [one.owner for one in total.operands if isinstance(one.owner, LoadOp) and one.owner.index is op.index]
            old = [one for one in old if memory_of(one.buffer) is memory and one.value.has_one_use()]
            if len(old) != 1:
                return False
            added.update((op, old[0]))
    return not is_seen_otherwise({store.buffer}, around) and not any(
        op not in added and any(isinstance(one.type, BufferType) and memory_of(one) is memory for one in op.operands)
        for op in everything_in(around)
    )


def _rewrite(rows: _Rows) -> None:
    """Sum in cells, and add those to the elements behind the loop over blocks if there was a block."""
    before, inside, after = Emitter(Block()), Emitter(Block()), Emitter(Block())
    buffer, total = rows.store.buffer, rows.store.value.owner
    assert isinstance(total, arith.AddfOp | arith.AddiOp)
    element, lanes = total.result.type, vector_of(total.result.type, rows.lanes)
    # A negative zero changes nothing when it is added.
    zero = before.number(-0.0, element)
    zeros = before.insert(create_operation(vector.BroadcastOp, (zero,), (lanes,))).results[0]
    cells = [before.cell(zeros) for _ in range(rows.count)]
    reached = before.cell(before.index(0))
    for row, cell in enumerate(cells):
        _RowEmitter(rows, inside, row).add_to(cell)
    inside.set(inside.index(1), reached)
    then = Emitter(after.insert(IfOp.of(after.compare("ne", after.get(reached), after.index(0)))).then.block)
    flags = {"fastmath": total.fastmath} if isinstance(total, arith.AddfOp) else {}
    for row, cell in enumerate(cells):
        index = then.index(row)
        for term in rows.terms:
            index = then.add(index, term)
        reduction = create_operation(vector.ReductionOp, (then.get(cell),), (element,), {"kind": _ADD, **flags})
        operands = (then.load(buffer, index), then.insert(reduction).dest)
        added = then.insert(create_operation(type(total), operands, (element,), total.properties)).result
        then.insert(StoreOp.of(added, buffer, index))
    move_before(before.block, rows.around)
    move_before(inside.block, rows.loop)
    erase_operation(rows.loop)
    behind = operations_of(after.block)
    for op in behind:
        op.detach()
    assert rows.around.parent is not None
    rows.around.parent.insert_ops_after(behind, rows.around)


class _RowEmitter:
    """Emits what one row of a block adds, in lanes, and adds it to a cell."""

    def __init__(self, rows: _Rows, emit: Emitter, row: int):
        self.rows, self.emit = rows, emit
        self.scalars: dict[SSAValue, SSAValue] = {rows.loop.induction: emit.index(row)}
        self.lanes: dict[SSAValue, SSAValue] = {}

    def add_to(self, cell: SSAValue) -> None:
        rows, emit = self.rows, self.emit
        for op in rows.loop.body.block.ops:
            if op is rows.inner:
                break
            emit.insert(clone_operation(op, self.scalars))
        self.scalars[rows.inner.induction] = emit.index(0)
        # Where elements are, which are numbers for lane 0; the rest that depends on the lane is vectors.
        varying: set[SSAValue] = {rows.inner.induction}
        for op in rows.inner.body.block.ops:
            if isinstance(op, LoadOp) and _is_old(op.value, rows.store):
                self.lanes[op.value] = emit.get(cell)
            elif isinstance(op, LoadOp) and op.index in varying:
                type = vector_of(op.value.type, rows.lanes)
                self.lanes[op.value] = emit.insert(LoadOp.of(op.buffer, self._scalar(op.index), type)).value
            elif op is rows.store:
                emit.set(self.lanes[rows.store.value], cell)
            elif any(one in self.lanes for one in op.operands):
                operands = [self._spread(one) for one in op.operands]
                self.lanes[op.results[0]] = vector_of_operation(op, operands, self.rows.lanes, self.emit)
            else:
                if not varying.isdisjoint(op.operands):
                    varying.update(op.results)
                emit.insert(clone_operation(op, self.scalars))

    def _scalar(self, value: SSAValue) -> SSAValue:
        return self.scalars.get(value, value)

    def _spread(self, value: SSAValue) -> SSAValue:
        """A value in all lanes."""
        if value not in self.lanes:
            scalar = self._scalar(value)
            type = vector_of(scalar.type, self.rows.lanes)
            self.lanes[value] = self.emit.insert(create_operation(vector.BroadcastOp, (scalar,), (type,))).results[0]
        return self.lanes[value]


def _is_old(value: SSAValue, store: StoreOp) -> bool:
    """Whether a value is the old one of the element that a store writes."""
    return isinstance(value.owner, LoadOp) and value.owner.index is store.index and value.owner.buffer is store.buffer
