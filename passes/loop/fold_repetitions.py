"""`fold-repetitions`: what a loop combines in every iteration alike is combined at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, f64, i64
from xdsl.ir import Attribute, Block, SSAValue

from irtensor.dialects.algebra import ApplyOp, CastOp, operator_of
from irtensor.dialects.create_operation import create_block
from irtensor.dialects.is_inside import is_inside
from irtensor.dialects.loop import ForOp, IfOp
from irtensor.dialects.loop_memory import GetOp, LoadOp, SetOp, StoreOp
from irtensor.dialects.operators import OPERATORS, Operator, is_complex, is_float
from irtensor.dialects.order_of_sums import may_reassociate
from irtensor.dialects.scalar_types import element_name
from irtensor.passes.emit import Emitter, move_before
from irtensor.passes.loop.repeated_iterations import repeats_first
from irtensor.passes.loop.simplify_loops import is_pure
from irtensor.passes.operations_in import operations_of
from irtensor.passes.pass_base import TensorPass, structured_functions

_ADD, _MUL = OPERATORS["add"], OPERATORS["mul"]


@dataclass(frozen=True)
class FoldRepetitionsPass(TensorPass):
    """Combine a value that is the same in all iterations of a loop once, however often the loop runs.

    An operator that is idempotent, such as the maximum, takes the value; a sum takes a multiple of it, and a product a
    power. So what a fill value contributes takes no loop over the coordinates that have it. Sums and products of floats
    stay as they are unless they may be reassociated, for a multiple is rounded once.

    Before: `loop.for %i = %lo to %hi { %old = loop.get %t; %new = algebra.apply max(%old, %v); loop.set %new, %t }`
    After:  `loop.if %lo < %hi { %old = loop.get %t; %new = algebra.apply max(%old, %v); loop.set %new, %t }`
    Of a loop over rows or blocks that an idempotent operator combines elements in, the first iteration is enough, if
    later ones do the same or, like the last block of a dimension, a part of it.
    """

    name = "fold-repetitions"
    accepts = ("loop",)
    leaves = ("loop", "algebra")
    after = {"simplify-loops": "the clean-up finds what a body does not need the loop for"}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            self._fold(function.body.block)

    def _fold(self, block: Block) -> None:
        """Fold the loops in a block, inner ones first."""
        for op in operations_of(block):
            for region in op.regions:
                for inner in region.blocks:
                    self._fold(inner)
            if type(op) is ForOp and "parallel" not in op.attributes and not op.induction.uses:
                updates = list(folded_updates(op).values())
                if updates and all(is_foldable(update) for update in updates):
                    _replace(op, updates)
                    continue
            if type(op) is ForOp and "parallel" not in op.attributes and repeats_first(op):
                _keep_first(op)


def is_foldable(update: Update) -> bool:
    """Whether a value that is combined several times may be combined at once; floats only as their flags say."""
    operator, element = update.operator, element_name(update.given.type)
    if operator.idempotent and operator.associative:
        return True
    if operator not in (_ADD, _MUL) or element == "i1" or is_complex(element):
        return False
    return not is_float(element) or may_reassociate(update.apply.fastmath)


class Update(NamedTuple):
    """An application that combines a cell with what is `given`."""

    apply: ApplyOp
    operator: Operator
    given: SSAValue


def folded_updates(loop: ForOp) -> dict[SSAValue, Update]:
    """The updates that a body consists of, by the cells or the one array that they are of; none if it does more."""
    return _cell_updates(loop) or _element_update(loop)


def _cell_updates(loop: ForOp) -> dict[SSAValue, Update]:
    """The updates of cells that a body consists of, beside what is computed for them; none if it does anything else."""
    found: dict[SSAValue, Update] = {}
    reads = Counter[SSAValue]()
    for op in loop.body.block.walk():
        if isinstance(op, SetOp):
            update = cell_update(op)
            if update is None or op.cell in found:
                return {}
            found[op.cell] = update
        elif isinstance(op, GetOp):
            reads[op.cell] += 1
        elif not (is_pure(op) or isinstance(op, LoadOp) or (isinstance(op, IfOp) and op.otherwise.first_block is None)):
            return {}
    # What is read elsewhere is another value in each iteration.
    return {} if any(reads[cell] != 1 for cell in found) else found


def _element_update(loop: ForOp) -> dict[SSAValue, Update]:
    """The update of one element of a buffer that a body consists of, if it does."""
    ops = operations_of(loop.body.block)
    store = ops[-1] if len(ops) == 3 else None
    if not isinstance(store, StoreOp) or (update := stored_update(store)) is None:
        return {}
    return {} if any(is_inside(value, loop) for value in (update.given, store.index)) else {store.buffer: update}


def stored_update(store: StoreOp) -> Update | None:
    """What is stored in place of an element, where that is combined with something else, the element on the left."""
    apply = store.value.owner
    if not isinstance(apply, ApplyOp) or len(apply.arguments) != 2 or not apply.result.has_one_use():
        return None
    left, right = apply.arguments
    load = left.owner
    if not isinstance(load, LoadOp) or not left.has_one_use() or load.parent is not store.parent:
        return None
    if load.buffer is not store.buffer or load.index is not store.index:
        return None
    return Update(apply, operator_of(apply), right)


def cell_update(op: SetOp) -> Update | None:
    """What a cell is set to, where that is what it holds, combined with something else."""
    apply = op.value.owner
    if not isinstance(apply, ApplyOp) or len(apply.arguments) != 2 or apply.parent is not op.parent:
        return None
    left, right = apply.arguments
    for own, given in ((left, right), (right, left)):
        get = own.owner
        if isinstance(get, GetOp) and get.cell is op.cell and get.parent is op.parent:
            if own is given or not own.has_one_use() or not apply.result.has_one_use():
                return None
            return Update(apply, operator_of(apply), given)
    return None


def _keep_first(loop: ForOp) -> None:
    """Put the first iteration, if there is one, in place of a loop."""
    block = create_block()
    emit = Emitter(block)
    branch = emit.insert(IfOp.of(emit.compare("slt", loop.lower, loop.upper)))
    loop.induction.name_hint = None
    loop.induction.replace_all_uses_with(loop.lower)
    move_before(block, loop)
    for op in operations_of(loop.body.block):
        op.detach()
        branch.then.block.add_op(op)
    loop.detach()
    loop.erase()


def _replace(loop: ForOp, updates: list[Update]) -> None:
    block = create_block()
    emit = Emitter(block)
    branch = emit.insert(IfOp.of(emit.compare("slt", loop.lower, loop.upper)))
    inside = create_block()
    count: SSAValue | None = None
    for update in updates:
        if update.operator.idempotent:
            continue
        if count is None:
            counting = Emitter(inside)
            count = counting.narrow(counting.sub(loop.upper, loop.lower), i64)
        repeated = repeated_value(update, count)
        for place, argument in enumerate(update.apply.arguments):
            if argument is update.given:
                update.apply.operands[place] = repeated
    for op in (*operations_of(inside), *operations_of(loop.body.block)):
        op.detach()
        branch.then.block.add_op(op)
    move_before(block, loop)
    loop.detach()
    loop.erase()


def repeated_value(update: Update, count: SSAValue) -> SSAValue:
    """The value that a sum or product takes for as many of the given one as there are."""
    block = create_block()
    emit = Emitter(block)
    type, operator = update.given.type, "mul"
    wide = type
    if update.operator is _MUL:
        # The exponent is exact there: it says which sign the power of a negative number has.
        wide, operator = f64 if is_float(element_name(type)) else i64, "pow"
    arguments = _cast(emit, update.given, wide), _cast(emit, count, wide)
    value = emit.insert(ApplyOp.of(StringAttr(operator), arguments, wide)).result
    result = _cast(emit, value, type)
    move_before(block, update.apply)
    return result


def _cast(emit: Emitter, value: SSAValue, type: Attribute) -> SSAValue:
    return value if value.type == type else emit.insert(CastOp.of(value, type)).result
