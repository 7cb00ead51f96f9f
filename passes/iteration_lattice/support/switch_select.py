"""One loop body for all outcomes of several switches: the payload tells absent entries, not a branch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod

from xdsl.ir import SSAValue

from irtensor.core.cached_property import cached_property
from irtensor.dialects.iteration_lattice.iteration_lattice import CoiterateOp, IfOp, RunOp, SwitchOp
from irtensor.dialects.support.create_operation import create_region
from irtensor.passes.iteration_lattice.support.absent_payload import known_gap_of, or_absent
from irtensor.passes.iteration_lattice.support.annihilation import Annihilation
from irtensor.passes.iteration_lattice.support.coiteration import emit_coiterate, facts_of, probe_with
from irtensor.passes.iteration_lattice.support.presence import Operands, Presence
from irtensor.passes.iteration_lattice.support.probe import Probe
from irtensor.passes.support.emit import Emitter

_MOST_CHOICES = 64


@dataclass
class SwitchSelect:
    """A loop over switches, each between an entry and the fill value at all coordinates of the loop."""

    op: CoiterateOp
    switches: list[tuple[int, SwitchOp]]

    @staticmethod
    def of(op: CoiterateOp, switches: list[tuple[int, SwitchOp]]) -> SwitchSelect:
        """Those of the switches whose outcomes one body can serve."""
        served = [(k, one) for k, one in switches if known_gap_of(one) is not None]
        return SwitchSelect(op, [(k, one) for k, one in served if isinstance(one.positive.owner, RunOp)])

    @property
    def _everyone(self) -> range:
        return range(len(self.switches))

    @cached_property
    def presence(self) -> Presence:
        arguments = self.op.body.block.args[1:]
        names: dict[SSAValue, int] = {arguments[number]: k for k, (number, _) in enumerate(self.switches)}
        return Presence(len(self.switches), self._probe, lambda probe: {names[x] for x in probe.used if x in names})

    def _probe(self, stored: Collection[int], absent: Collection[int]) -> Probe:
        nests = list(self.op.nests)
        for k in (*stored, *absent):
            number, switch = self.switches[k]
            nests[number] = switch.positive if k in stored else switch.negative
        return probe_with(self.op, nests)

    def emit(self, emit: Emitter) -> bool:
        """Emit the loop, around it a branch if there are switches without whose entries it does nothing."""
        cases, guard = self._cases()
        if not cases:
            return False  # Whatever is there, nothing is done.
        found = [switch.condition for _, switch in self.switches]
        always = set(self._everyone).intersection(*cases)
        nests = list(self.op.nests)
        outer = emit
        branch = None
        if guard is not None:
            branch = IfOp.of(guard.emit(found, emit), create_region(), create_region())
            emit = Emitter(branch.then.block)
        for k, (number, switch) in enumerate(self.switches):
            entry, rest = _payload(switch.positive), _payload(switch.negative)
            if k not in always:
                entry = or_absent(found[k], entry, rest, emit)
            nests[number] = emit.insert(RunOp.of(entry)).result
        arguments = self.op.body.block.args[1:]
        payloads: dict[SSAValue, int] = {arguments[number]: k for k, (number, _) in enumerate(self.switches)}
        annihilation = Annihilation(self.op.body.block, payloads, self.op.nests, cases)
        annihilation.apply()
        nests += [emit.insert(RunOp.of(found[k])).result for k in annihilation.present]
        facts = facts_of(self.op)._replace(live=None)
        effect = emit_coiterate(emit, self.op.body.block, self.op.lo, self.op.hi, nests, facts)
        if branch is not None:
            outer.insert(branch)
        return effect

    def _cases(self) -> tuple[list[Operands], _Guard | None]:
        """The sets of entries that the body serves, and when it does anything: always, or if a guard holds."""
        if self._probe((), self._everyone).effect:
            return [()], None
        minimal = self.presence.minimal_sets()
        if minimal is None:
            return [(k,) for k in self._everyone], _Guard(self.presence.alternatives())
        if len(minimal) == 1:
            return minimal, _Guard([(k,) for k in minimal[0]])
        alternatives = _Guard(self.presence.alternatives())
        return minimal, alternatives if alternatives.lets_in_only(minimal) else _Guard(minimal, of_sets=True)


@dataclass
class _Guard:
    """A condition on entries: that there is one in each of some sets, or `of_sets` all of one of the sets."""

    sets: list[Operands]
    of_sets: bool = False

    def emit(self, found: Sequence[SSAValue], emit: Emitter) -> SSAValue:
        inner, outer = (emit.both, emit.either) if self.of_sets else (emit.either, emit.both)
        return reduce(outer, [reduce(inner, [found[k] for k in some]) for some in self.sets])

    def lets_in_only(self, minimal: Sequence[Operands]) -> bool:
        """Whether what passes has all entries of one of these sets; False also where that takes long to find out."""
        if prod(map(len, self.sets)) > _MOST_CHOICES:
            return False
        return all(any(set(case).issubset(choice) for case in minimal) for choice in product(*self.sets))


def _payload(run: SSAValue) -> SSAValue:
    assert isinstance(run.owner, RunOp)
    return run.owner.payload
