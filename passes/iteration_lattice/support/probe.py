"""What a loop body would still do if some payloads were known, and which payloads that depends on (Ahrens 2024, 5).

Nothing is built: a dry run folds operators as `specialize.Copier` does, and notes effects.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.operators import Argument, Constant, convert
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    IfOp,
    PlaceOp,
    RunOp,
    ThunkOp,
    UnfurlOp,
    UpdateOp,
)
from irtensor.dialects.loop.loop_memory import CellOp, GetOp
from irtensor.dialects.storage.storage import (
    FiberType,
    FinalizeOp,
    InitializeOp,
)
from irtensor.dialects.support.create_operation import first_result
from irtensor.passes.iteration_lattice.support.known_values import (
    FILL,
    Fill,
    Folding,
    Known,
    asks_if_stored,
    fill_payload,
    is_entry,
    known_value,
)
from irtensor.passes.iteration_lattice.support.updates import changed_by, is_opaque, update_is_void, written_tensor
from irtensor.passes.support.operations_in import operations_of


@dataclass
class Probe:
    """Outcome of a dry run: whether anything is done, and the payloads that this depends on."""

    effect: bool = False
    used: set[SSAValue] = field(default_factory=set)
    trace: frozenset[object] = frozenset()
    """What the constants among the payloads turned the body into; with equal traces it became the same."""


def probe(
    body: Block,
    payloads: Mapping[SSAValue, Known],
    nests: Mapping[SSAValue, SSAValue] = {},
    present: Collection[SSAValue] = (),
    entries: Collection[SSAValue] = (),
) -> Probe:
    """What a body would do if some of its arguments were known, and others came from nests that may have gaps.

    Those that are `present` are entries with unknown values, `entries` some with known ones.
    """
    run = _DryRun(dict(payloads), {argument: _Origin((), argument) for argument in body.args})
    for argument, nest in nests.items():
        run.folding.bind(argument, nest)
    run.folding.present.update(present)
    run.entries.update(entries)
    if not run.block(body):
        return Probe()
    origins = _all_origins(run.used)
    used = {origin for origin in origins if isinstance(origin, SSAValue)}
    return Probe(True, used, frozenset(origins - used))


_EXTERNAL = object()


class _Origin:
    """What a value depends on: a probed argument, or the constants that its computation met, and further origins."""

    __slots__ = ("own", "parents")

    def __init__(self, parents: Sequence[_Origin], own: object = None):
        self.parents = parents
        self.own = own


def _all_origins(origins: Sequence[_Origin]) -> set[object]:
    seen: set[_Origin] = set()
    left = list(origins)
    while left:
        if (origin := left.pop()) not in seen:
            seen.add(origin)
            left += origin.parents
    return {origin.own for origin in seen if origin.own is not None}


class _DryRun:
    def __init__(self, known: dict[SSAValue, Known | None], origins: dict[SSAValue, _Origin]):
        self.values: dict[SSAValue, Known | None] = known
        self.origins = origins
        self.folding = Folding(self.known, self.is_entry)
        self.entries: set[SSAValue] = set()
        self.local: set[SSAValue] = set()
        self.used: list[_Origin] = []

    def known(self, value: SSAValue) -> Known | None:
        return self.values[value] if value in self.values else known_value(value)

    def is_entry(self, value: SSAValue) -> bool:
        """Whether a value is known to be that of an entry."""
        return value in self.entries or is_entry(value)

    def origin(self, *values: SSAValue, met: object = None) -> _Origin:
        """The origins of the unknown ones among these values, and `met`."""
        parents = [self.origins[value] for value in values if value in self.origins and self.known(value) is None]
        return parents[0] if met is None and len(parents) == 1 else _Origin(parents, met)

    def block(self, block: Block) -> set[object]:
        """Run a block; gives the cells it changed that live outside of it, and a mark for results."""
        touched: set[object] = set()
        operations = operations_of(block)
        local = [memory for op in operations if (memory := _local_memory(op)) is not None]
        self.local.update(local)
        for op in operations:
            touched |= self.operation(op)
        return touched.difference(local)

    def operation(self, op: Operation) -> set[object]:
        """Run an operation; gives what it changes, as `block` does."""
        change = _CHANGES.get(type(op)) or (_DryRun._opaque if is_opaque(op) else None)
        if change is not None:
            return change(self, op)
        self._compute(op)
        return set()

    def _compute(self, op: Operation) -> None:
        """Note the known results of an operation that changes nothing, or else their origin."""
        if type(op) in _ALIASES:
            self._alias(first_result(op), op._operands[0], cast=type(op) is CastOp)
        elif type(op) is ApplyOp:
            self._apply(op)
        elif type(op) is InitializeOp:
            self.values[op.tensor] = FILL
        else:
            self.origins.update(dict.fromkeys(op.results, self._met(op, *op._operands)))

    def _met(self, op: Operation, *operands: SSAValue) -> _Origin:
        """What operands are computed from; those that are known are what an operation has met."""
        known = [repr(value) for operand in operands if (value := self.known(operand)) is not None]
        return self.origin(*operands, met=(op, *known) if known else None)

    def _placed(self, touched: set[object], op: Operation, *coordinates: SSAValue) -> set[object]:
        """An effect at coordinates, or in a range, depends on the values that these are computed from."""
        if touched:
            self.used.append(self._met(op, *coordinates))
        return touched

    def _place(self, op: PlaceOp) -> set[object]:
        return self._placed(self.block(op.body.block), op, *op.operands[1:])

    def _opaque(self, op: Operation) -> set[object]:
        """A loop that is lowered already: taken to do something with all that it reads, and to change its cells."""
        for inner in op.walk():
            self.used.append(self.origin(*inner.operands))
        self.values.update(dict.fromkeys(changed_by(op)))
        return {_EXTERNAL}

    def _alias(self, result: SSAValue, source: SSAValue, cast: bool = False) -> None:
        value = self.known(source)
        if value is None:
            self.origins[result] = self.origin(source)
        else:
            if cast and not isinstance(value, Fill):
                value = convert(value, element_name(result.type))
            self.values[result] = value
            if self.is_entry(source):
                self.entries.add(result)

    def _apply(self, op: ApplyOp) -> None:
        outcome = self.folding.fold(op, op.arguments)
        if isinstance(outcome, Constant):
            self.values[op.result] = outcome.value
            if asks_if_stored(op) and self.known(op.arguments[0]) is None:
                self.used.append(self.origin(op.arguments[0]))
        elif isinstance(outcome, Argument):
            self._alias(op.result, op.arguments[outcome.index])
            if self.known(op.result) is None:
                self.origins[op.result] = _Origin((self.origins[op.result],), (op, outcome))
        else:
            arguments = op.arguments
            met = (op, *(repr(self.known(value)) for value in arguments))
            self.origins[op.result] = self.origin(*arguments, met=met)
        if outcome is not None and self.known(op.result) is not None and self.folding.gives_entry(op, op.arguments):
            self.entries.add(op.result)

    def _update(self, op: UpdateOp) -> set[object]:
        value = self.known(op.value)
        if update_is_void(op, value, self.is_entry(op.value)):
            return set()
        origin = self.origin(op.value, met=(op, repr(value)))
        target = op.target
        if isinstance(target.type, FiberType):
            self.used.append(origin)
            tensor = written_tensor(target)
            if tensor is None or tensor not in self.local:
                return {_EXTERNAL}
            self.values[tensor] = None
            return {tensor}
        self.values[target] = None
        self.origins[target] = _Origin((self.origins[target], origin)) if target in self.origins else origin
        if target not in self.local:
            self.used.append(origin)
        return {target}

    def _coiterate(self, op: CoiterateOp) -> set[object]:
        for argument, nest in zip(op.body.block.args[1:], op.nests, strict=True):
            payload = _payload_of_nest(nest, self)
            if payload is None:
                self.origins[argument] = self.origin(nest)
                self.folding.bind(argument, nest)
            else:
                self.values[argument] = payload
                if isinstance(nest.owner, RunOp) and self.is_entry(nest.owner.payload):
                    self.entries.add(argument)
        return self._placed(self.block(op.body.block), op, op.lo, op.hi)

    def _if(self, op: IfOp) -> set[object]:
        condition = self.known(op.condition)
        touched: set[object] = set()
        if condition is None or condition:
            touched |= self.block(op.then.block)
        if condition is None or not condition:
            touched |= self.block(op.otherwise.block)
        if touched:
            self.used.append(self.origin(op.condition, met=(op, repr(condition))))
        return touched


# Operations whose known result is their first operand.
_ALIASES: frozenset[type[Operation]] = frozenset((CastOp, CellOp, GetOp, FinalizeOp, UnfurlOp, ThunkOp))

# What runs the operations that change cells or results, or do so in their bodies.
_CHANGES: dict[type[Operation], Callable[[_DryRun, Any], set[object]]] = {
    UpdateOp: _DryRun._update,
    CoiterateOp: _DryRun._coiterate,
    PlaceOp: _DryRun._place,
    IfOp: _DryRun._if,
}


def _local_memory(op: Operation) -> SSAValue | None:
    """The temporary that an operation makes anew: what happens to it before is of no concern."""
    if type(op) is CellOp:
        return op.cell
    return op.tensor if type(op) is InitializeOp else None


def _payload_of_nest(nest: SSAValue, run: _DryRun) -> Known | None:
    """The payload of a nest that is the same everywhere: a run of a known value, or any level of a fill fiber."""
    owner = nest.owner
    if isinstance(owner, RunOp):
        return run.known(owner.payload)
    if isinstance(owner, UnfurlOp | ThunkOp) and run.known(owner.fiber) is FILL:
        return fill_payload(owner)
    return None
