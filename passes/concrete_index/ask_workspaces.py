"""`ask-workspaces`: whether a sum has an entry is asked of the workspace that has the sum."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.diagnostics import remark
from irtensor.core.operators import STORED, same_value
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, identity_of
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.expect import expect
from irtensor.passes.analysis.absence import value_without
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.support.emit import move_before
from irtensor.passes.support.operations_in import is_argument, operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

# An access, by its tensor and its index variables: the number of a loop of the producer, or a variable bound around it.
_Key = tuple[SSAValue, tuple[int | SSAValue, ...]]


class AskWorkspacesPass(TensorPass):
    """Ask a workspace which of its components are stored, where another one is computed to say just that.

    Before: `where produce (%s) { for %k, %j: assign or and(stored(%B), stored(%C)) into %s[%j] } consume (%t) {
             where produce (%w) { for %k, %j: assign add mul(%B, %C) into %w[%j] } consume (%v) { ... %t[%j] ... } }`
    After:  `where produce (%w) { ... } consume (%v) { ... stored(%v[%j]) ... }`
    Both have the same loops, and the stored value is a product of entries in lists and dense levels: where a component
    of the workspace is written, all of them are there.
    """

    name = "ask-workspaces"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "insert-workspaces": "workspaces are there",
        "scalarize-reductions": "a temporary of one component records nothing",
    }
    before = {"map-wide-workspaces": "a workspace that nobody reads needs no table"}

    def on_function(self, function: FuncOp) -> None:
        for where in operations_in(function, WhereOp):
            _ask(where)


class _Producer(NamedTuple):
    """Loops inside of each other that store into a temporary that records its entries."""

    store: AssignOp
    loops: list[ForallOp]

    def key(self, access: AccessOp) -> _Key:
        return access.tensor, self.numbered(access)

    def numbered(self, access: AccessOp | AssignOp) -> tuple[int | SSAValue, ...]:
        own = {loop.variable: number for number, loop in enumerate(self.loops)}
        return tuple([own.get(index, index) for index in access.indices])

    def runs_like(self, other: _Producer) -> bool:
        """Whether both have the same loops, and store into the same levels at the same coordinates."""
        mine, others = ([loop.attributes for loop in one.loops] for one in (self, other))
        levels = [format_of(one.store.tensor.type).levels for one in (self, other)]
        return mine == others and levels[0] == levels[1] and self.numbered(self.store) == other.numbered(other.store)


def _ask(where: WhereOp) -> None:
    asking = _producer_of(where)
    asked = None if asking is None or asking.store.operator != StringAttr("or") else _asked(asking, asking.store.value)
    if asking is None or asked is None:
        return
    reads = [use.operation for use in where.consumer.block.args[0].uses]
    for inner in operations_in(where, WhereOp):
        if inner is where or not all(map(inner.consumer.block.is_ancestor, reads)):
            continue
        producer = _producer_of(inner)
        if producer is not None and producer.runs_like(asking) and _multiplied(producer) == asked:
            remark(
                f"whether '{name_of(producer.store.tensor)}' has an entry is asked of it, and not computed apart",
                inner,
                by="ask-workspaces",
            )
            _replace(where, [expect(read, AccessOp) for read in reads], inner)
            return


def _producer_of(where: WhereOp) -> _Producer | None:
    """The loops of a producer, if they are one inside the other around a single assignment."""
    loops: list[ForallOp] = []
    operations = operations_of(where.producer.block)
    while len(operations) == 1 and isinstance(loop := operations[0], ForallOp) and not loop.bounds:
        loops.append(loop)
        operations = operations_of(loop.body.block)
    computed, store = operations[:-1], operations[-1] if operations else None
    levels = format_of(where.producer.block.args[0].type).levels
    records = bool(levels) and levels[-1].format.workspace is not None
    is_simple = all(isinstance(op, AccessOp | ApplyOp | CastOp | ConstantOp) for op in computed)
    return _Producer(store, loops) if records and is_simple and isinstance(store, AssignOp) else None


def _asked(producer: _Producer, value: SSAValue) -> set[_Key] | None:
    """The accesses that are all entries where a condition holds; None if it is not a conjunction of `stored`."""
    op = value.owner
    if isinstance(op, ApplyOp) and op.operator == StringAttr("and"):
        parts = [_asked(producer, argument) for argument in op.arguments]
        return None if parts[0] is None or parts[1] is None else parts[0] | parts[1]
    if isinstance(op, ApplyOp) and asks_if_stored(op) and isinstance(access := op.arguments[0].owner, AccessOp):
        return {producer.key(access)}
    return None


def _multiplied(producer: _Producer) -> set[_Key] | None:
    """The accesses to sparse tensors, if nothing is stored wherever one of them has no entry; None otherwise."""
    store = producer.store
    if store.operator is None:
        return None
    identity = identity_of(store.operator, store, store.value.type)
    found: set[_Key] = set()
    for access in _accesses_before(store):
        format = format_of(access.tensor.type)
        if not is_argument(access.tensor):
            return None
        if format.is_dense:
            continue
        levels = [level.format.properties for level in format.levels]
        key = producer.key(access)
        without = value_without(store.value, lambda one, key=key: producer.key(one) == key)
        # A lookup may find an entry absent when the component is written.
        listed = all(level.pattern.full or not level.access.inserts for level in levels) and not format.stores_fill
        if not listed or without is None or not same_value(without, identity):
            return None
        found.add(key)
    return found


def _accesses_before(store: AssignOp) -> Iterator[AccessOp]:
    assert store.parent is not None
    return (op for op in operations_of(store.parent) if isinstance(op, AccessOp))


def _replace(where: WhereOp, reads: list[AccessOp], inner: WhereOp) -> None:
    for read in reads:
        block = read.parent
        assert block is not None
        access = AccessOp.of(inner.consumer.block.args[0], read.indices)
        stored = ApplyOp.of(StringAttr(STORED), (access.result,), i1)
        access.location = stored.location = read.location
        block.insert_op_before(access, read)
        block.insert_op_before(stored, read)
        read.result.replace_all_uses_with(stored.result)
        Rewriter.erase_op(read)
    assert where.parent is not None
    move_before(where.consumer.block, where)
    Rewriter.erase_op(where)
