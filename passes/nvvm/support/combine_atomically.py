"""Elements that iterations of a parallel loop combine with values: on a device, each of them changes atomically."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import ComplexType, StringAttr, SymbolRefAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.dialects.algebra.algebra import ApplyOp, find_operator
from irtensor.dialects.algebra.order_of_sums import rounds
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.loop.loop import AtomicOp, LoadOp, PrivateOp, StoreOp, ViewOp, YieldOp
from irtensor.dialects.loop.loop_parallel import CountedOp, used_from_outside
from irtensor.passes.support.emit import Emitter, move_before


class _Update(NamedTuple):
    """`x[i] = x[i] op v`."""

    load: LoadOp
    apply: ApplyOp
    store: StoreOp


def combine_atomically(loop: CountedOp, deterministic: bool = False) -> bool:
    """Let iterations combine elements that parts would have for themselves (`loop.private`) atomically.

    False, and nothing is changed, where an element is not one word of the machine. So it is where the order counts in
    which threads come, and the result is to be `deterministic`.
    """
    found: dict[PrivateOp, list[_Update]] = {}
    for value in used_from_outside(loop):
        private = value.owner
        if isinstance(private, PrivateOp):
            updates = None if deterministic and _rounds(private) else _updates(private)
            if updates is None or not all(loop.is_ancestor(one.store) for one in updates):
                return False
            found[private] = updates
    for private, updates in found.items():
        for update in updates:
            _change(update)
        emit = Emitter(Block())
        view = emit.insert(ViewOp.of(private.buffer, private.lower)).view
        move_before(emit.block, private)
        private.own.replace_all_uses_with(view)
        Rewriter.erase_op(private)
    return True


def _rounds(private: PrivateOp) -> bool:
    operator = private.operator
    assert isinstance(operator, StringAttr | SymbolRefAttr)
    return rounds(find_operator(operator, private), element_name(private.element))


def _updates(private: PrivateOp) -> list[_Update] | None:
    """All that is done with private elements; None if it is something else, or cannot be done atomically."""
    if isinstance(private.element, ComplexType):
        return None
    found: list[_Update] = []
    loads = 0
    for use in private.own.uses:
        op = use.operation
        if isinstance(op, LoadOp):
            loads += 1
            continue
        update = _update(op)
        if update is None:
            return None
        found.append(update)
    return found if loads == len(found) else None


def _update(op: Operation) -> _Update | None:
    if not isinstance(op, StoreOp) or not isinstance(op.value.owner, ApplyOp):
        return None
    apply = op.value.owner
    load = apply.operands[0].owner
    if not isinstance(load, LoadOp) or load.buffer is not op.buffer or load.index is not op.index:
        return None
    if not (_used_once(load.value) and _used_once(apply.result)):
        return None
    return _Update(load, apply, op)


def _used_once(value: SSAValue) -> bool:
    return len(list(value.uses)) == 1


def _change(update: _Update) -> None:
    load, apply, store = update.load, update.apply, update.store
    atomic = AtomicOp.of(store.buffer, store.index)
    atomic.location = store.location
    Rewriter.replace_op(store, atomic, [])
    inner = Emitter(atomic.body.block)
    values = [atomic.old if operand is load.value else operand for operand in apply.operands]
    combined = ApplyOp.of(apply.operator, values, apply.result.type)
    combined.fastmath = apply.fastmath
    inner.insert(YieldOp.of(inner.insert(combined).result))
    Rewriter.erase_op(apply)
    Rewriter.erase_op(load)
