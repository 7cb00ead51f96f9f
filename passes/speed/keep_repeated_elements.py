"""`keep-repeated-elements`: an element that entries in a row update stays in a register until another one is next."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, SSAValue

from irtensor.dialects.loop.loop import ForOp, IfOp, LoadOp, StoreOp
from irtensor.dialects.support.create_operation import clone_operation, copy_of, erase_operation
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.loop.lower_storage import REPEATS
from irtensor.passes.loop.support.accumulation_nests import is_outside
from irtensor.passes.loop.support.memory_roots import memory_of
from irtensor.passes.loop.support.value_sources import is_read, sources_of
from irtensor.passes.speed.support.dense_matrices import extents_of, product_of
from irtensor.passes.speed.support.loop_versions import put_in_branch
from irtensor.passes.speed.support.prefetches import shared_array
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import everything_in, operations_in
from irtensor.passes.support.pass_base import TensorPass

# How often an element is updated on average: where another one is next is not foreseen otherwise.
_OFTEN = 7


class KeepRepeatedElementsPass(TensorPass):
    """Load an element when its number is another one than that of the entry before, and store it when it changes again.

    Before: `for %p = %a to %b { %i = %crd[%p]; %y[%i] = %y[%i] + %v }`
    After:  `if %b - %a > 7 * %n { %at = cell %crd[%a]; %t = cell %y[%crd[%a]];
               for %p = %a to %b { %i = %crd[%p]; if %i != %at { %y[%at] = %t; %t = %y[%i]; %at = %i }; %t = %t + %v };
               %y[%at] = %t } else { as before }`, where %y has %n elements
    Where equal coordinates follow each other, as in the first level of COO, each entry would wait for what the one
    before has stored. Elements are combined in the same order as before. Arguments that hold such coordinates have
    the attribute `loop.repeats`, from lower-storage.
    """

    name = "keep-repeated-elements"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "lower-algebra-to-arith": "conditions are upstream arithmetic",
        "accumulate-in-registers": "rows are in registers already",
    }
    before = {"prefetch-gathers": "an element that stays in a register is not asked for early"}

    def on_function(self, function: FuncOp) -> None:
        if function.arg_attrs is not None and any(REPEATS in one.data for one in function.arg_attrs.data):
            for loop in operations_in(function, ForOp):
                for store in [one for one in loop.body.block.ops if isinstance(one, StoreOp)]:
                    load = _repeated(loop, store, function)
                    if load is not None:
                        _keep(loop, load, store)


def _repeated(loop: ForOp, store: StoreOp, function: FuncOp) -> LoadOp | None:
    """The load of the element that is stored, if all that a loop does with its memory is to update one after the other,
    and equal ones follow each other."""
    memory = memory_of(store.buffer)
    if not is_outside(store.buffer, loop) or not _follow(store.index, loop, function):
        return None
    loads = [one for one in loop.body.block.ops if isinstance(one, LoadOp) and one.buffer is store.buffer]
    if len(loads) != 1 or loads[0].index is not store.index or not loads[0].is_before_in_block(store):
        return None
    others = (one for one in everything_in(loop) if one is not store and one is not loads[0])
    touched = any(memory_of(operand) is memory for one in others for operand in one.operands)
    return None if touched else loads[0]


def _follow(index: SSAValue, loop: ForOp, function: FuncOp) -> bool:
    """Whether an index is computed from coordinates alone, whose equal values follow each other in the loop."""
    reads = [one for one in sources_of([index]) if is_inside(one, loop) and is_read(one)]
    return bool(reads) and all(
        isinstance(one.owner, LoadOp) and one.owner.index is loop.induction and _repeats(one.owner.buffer, function)
        for one in reads
    )


def _repeats(buffer: SSAValue, function: FuncOp) -> bool:
    """Whether an array holds equal numbers one behind the other."""
    if not isinstance(buffer, BlockArgument) or buffer.owner is not function.body.block:
        return False
    assert function.arg_attrs is not None
    return REPEATS in function.arg_attrs.data[buffer.index].data


def _keep(loop: ForOp, load: LoadOp, store: StoreOp) -> None:
    """Let a cell have the element meanwhile, and another cell its number, if each is updated often enough."""
    extents = extents_of(shared_array(load.buffer))
    if not extents:
        return
    emit = Emitter(Block())
    often = emit.mul(product_of(extents, emit), emit.index(_OFTEN))
    is_often = emit.compare("sgt", emit.sub(loop.upper, loop.lower), often)
    branch = put_in_branch(loop, is_often, emit, then=loop, otherwise=copy_of(loop))
    inside, behind, known = Emitter(Block()), Emitter(branch.then.block), {loop.induction: loop.lower}
    sources = set(sources_of([store.index]))
    for op in loop.body.block.ops:
        if any(result in sources for result in op.results):
            inside.insert(clone_operation(op, known))
    first = known[store.index]
    at, element = inside.cell(first), inside.cell(inside.load(store.buffer, first))
    move_before(inside.block, loop)
    behind.insert(StoreOp.of(behind.get(element), store.buffer, behind.get(at)))
    change = Emitter(Block())
    before = change.get(at)
    other = change.insert(IfOp.of(change.compare("ne", store.index, before)))
    then = Emitter(other.then.block)
    then.insert(StoreOp.of(then.get(element), store.buffer, before))
    then.set(then.load(store.buffer, store.index), element)
    then.set(store.index, at)
    current = change.get(element)
    move_before(change.block, load)
    load.value.replace_all_uses_with(current)
    put = Emitter(Block())
    put.set(store.value, element)
    move_before(put.block, store)
    for op in (load, store):
        erase_operation(op)
