"""Emits merges: which combinations of aligned chunks are cases, and what each of them does."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntAttr,
    StringAttr,
    UnitAttr,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, SSAValue

from irtensor.core.cached_property import cached_property
from irtensor.core.diagnostics import UserError
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp
from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    IfOp,
    JumperOp,
    MergeOp,
    PlaceOp,
    SpikeOp,
    StepperOp,
    UpdateOp,
    YieldOp,
    yielded,
)
from irtensor.dialects.loop.loop_memory import LoadOp
from irtensor.dialects.loop.loop_types import CellType
from irtensor.dialects.storage.storage import FiberType, format_of, is_array
from irtensor.dialects.support.create_operation import create_block, create_operation, create_region
from irtensor.passes.iteration_lattice.support.absent_payload import or_absent
from irtensor.passes.iteration_lattice.support.annihilation import Annihilation
from irtensor.passes.iteration_lattice.support.coiteration import (
    UNIT,
    count_copies,
    emit_coiterate,
    exceeds_most_loops,
    has_windows,
    inline_region,
    known_gap,
    probe_with,
)
from irtensor.passes.iteration_lattice.support.counted_loops import check_counted
from irtensor.passes.iteration_lattice.support.cutting import before_end, ends_in_entry
from irtensor.passes.iteration_lattice.support.known_values import Folding, Known, known_value
from irtensor.passes.iteration_lattice.support.presence import MOST_ENUMERATED, Operands, Presence
from irtensor.passes.iteration_lattice.support.probe import Probe
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in

_index = IndexType()
_MOST_CASES = 256
# Of so many operands that are looked up, all sets are tried; of more, those of so many at most.
_MOST_LOOKED_UP = 3
# As many times more bodies are made where selects would be in loops without any branch.
_COSTLY = 11


@dataclass
class Merge:
    """The product of several steppers: which sets of aligned cursors do anything, and how to express that."""

    op: CoiterateOp
    steppers: Sequence[tuple[int, StepperOp | JumperOp]]
    max_cases: int
    _probes: dict[object, Probe] = field(default_factory=dict[object, Probe], init=False)

    @cached_property
    def gaps(self) -> list[SSAValue | None]:
        """The payload of every stepper's gap, where it is known."""
        return [known_gap(stepper.chunk) for _, stepper in self.steppers]

    @cached_property
    def gaps_matter(self) -> bool:
        """Whether anything happens at coordinates that no operand stores."""
        return None in self.gaps or self._probe((), self._everyone).effect

    @property
    def _everyone(self) -> range:
        return range(len(self.steppers))

    @cached_property
    def _pointed(self) -> list[int]:
        """Cursors whose chunks end in an entry; those of others look the same wherever the iteration ends."""
        return [k for k in self._everyone if ends_in_entry(yielded(self.steppers[k][1].chunk)[0])]

    def _probe(self, aligned: Collection[int], absent: Collection[int], in_gaps: Mapping[int, Known] = {}) -> Probe:
        """What happens at a coordinate that some cursors have an entry at, and some, like other nests, have none."""
        key = frozenset(aligned), frozenset(absent), frozenset(in_gaps)
        if key not in self._probes:
            nests = list(self.op.nests)
            for k in absent:
                nests[self.steppers[k][0]] = self.gaps[k] or nests[self.steppers[k][0]]
            self._probes[key] = probe_with(self.op, nests, [self.steppers[k][0] for k in aligned], in_gaps)
        return self._probes[key]

    @cached_property
    def _presence(self) -> Presence:
        arguments = self.op.body.block.args[1:]
        names: dict[SSAValue, int] = {
            arguments[self.steppers[k][0]]: position for position, k in enumerate(self._pointed)
        }

        def oracle(aligned: Collection[int], absent: Collection[int]) -> Probe:
            return self._probe([self._pointed[k] for k in aligned], [self._pointed[k] for k in absent])

        return Presence(len(self._pointed), oracle, lambda probe: {names[x] for x in probe.used if x in names})

    def _numbered(self, sets: Sequence[Operands] | None) -> list[Operands] | None:
        return None if sets is None else [tuple(self._pointed[k] for k in positions) for positions in sets]

    @property
    def _is_wide(self) -> bool:
        """Whether trying every set of cursors is out of the question."""
        return len(self._pointed) > MOST_ENUMERATED

    @cached_property
    def cases(self) -> list[Operands]:
        """Sets of aligned cursors that matter, largest first; with any other set the first case in it is as good."""
        if self._is_wide and self.minimal_cases == [tuple(self._pointed)] and not self.gaps_matter:
            return [tuple(self._pointed)]
        if self.gaps_matter and not self._is_wide:
            sizes = range(len(self._pointed), 0, -1)
            found = [aligned for size in sizes for aligned in combinations(self._pointed, size)]
        else:
            found = self._numbered(self._presence.distinct_sets(_MOST_CASES))
            if found is None:
                raise self._too_many_cases()
        # A range that may cut chunks has iterations with no aligned cursor, and so have chunks without a last entry.
        if self.gaps_matter and (self._is_wide or self.op.live is None or len(self._pointed) < len(self.steppers)):
            found.append(())
        return found

    def _too_many_cases(self) -> UserError:
        loads = [load for _, stepper in self.steppers for load in operations_in(stepper.load, LoadOp)]
        sources = [load.buffer.owner for load in loads]
        names = [f"'{s.tensor.name_hint}'" for s in sources if is_array(s, "coordinates")]
        operands = ", ".join(names) or f"{len(self.steppers)} operands"
        index = self.op.body.block.args[0].name_hint
        return UserError(
            "too-many-cases",
            f"loop {index} visits the entries of {operands}, and each combination of them that is stored at a "
            f"coordinate needs code of its own: more than {_MOST_CASES}",
            op=self.op,
            help="compute the statement in parts",
        )

    @cached_property
    def minimal_cases(self) -> list[Operands] | None:
        """The cases that contain no other; None if they are too many."""
        if self._is_wide:
            return self._numbered(self._presence.minimal_sets())
        return [case for case in self.cases if not any(set(other) < set(case) for other in self.cases)]

    def can_select(self) -> bool:
        """Whether one body can serve all cases: the payload of an absent entry is known."""
        if any(self.gaps[k] is None for k in self._pointed):
            return False
        if not self._is_wide and not self.gaps_matter:
            if self.op.live is None or not self.cases:
                return False
            # It would do what the smaller case inside does.
            return all(map(self._acts, self.cases))
        return True

    def _acts(self, case: Operands, in_gaps: Mapping[int, Known] = {}) -> bool:
        return self._probe(case, [k for k in self._everyone if k not in case], in_gaps).effect

    @property
    def is_intersection(self) -> bool:
        """Whether only coordinates matter that all operands store, in order."""
        everyone = tuple(range(len(self.steppers)))
        ordered = all(s.nonordered is None for _, s in self.steppers)
        live = () if self.op.live is None else [number.data for number in self.op.live.data]
        all_live = all(number in live for number, _ in self.steppers)
        return ordered and all_live and not self.gaps_matter and self.minimal_cases == [everyone]

    def emit(self, emit: Emitter, strategy: str | None = None) -> None:
        """Emit the merge over the coiterate's range; unless told, choose between a body per case and selects."""
        check_counted(self.op, [stepper for _, stepper in self.steppers])
        select = strategy is None and self._prefers_select and self.can_select()
        live = set() if self.op.live is None else {number.data for number in self.op.live.data}
        count = len(self.steppers)
        cases, guard = self._selected_cases() if select else (self.cases, [])
        nonunique = [k for k, (_, stepper) in enumerate(self.steppers) if stepper.nonunique is not None]
        properties: dict[str, Attribute] = {
            "strategy": StringAttr(strategy or ("select" if select else "cases")),
            "cases": ArrayAttr([_numbers(case) for case in cases]),
            "sentinel": _numbers([k for k, (number, _) in enumerate(self.steppers) if number not in live]),
            "nonunique": _numbers(nonunique),
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 1, count, count]),
        }
        if self.op.live is None:
            properties["cut"] = UnitAttr()
        if nonunique and has_windows(self.op):
            properties["search"] = UnitAttr()
        cursors = [stepper.cursor for _, stepper in self.steppers]
        ends = [stepper.end for _, stepper in self.steppers]
        load = self._load()
        if select:
            bodies = [self._selecting_body(cases, guard)]
        else:
            bodies = [self._case_body(case, case is cases[-1]) for case in cases]
            count_copies(bodies)
        regions = [create_region(block) for block in (load, *bodies)]
        operands = (self.op.lo, self.op.hi, *cursors, *ends)
        emit.insert(create_operation(MergeOp, operands, properties=properties, regions=regions))

    @property
    def _prefers_select(self) -> bool:
        body = self.op.body.block
        if self._is_wide:
            return self.minimal_cases != [tuple(self._everyone)] or self.gaps_matter
        # Every case has a copy of the body and of the loops inside, without those of one iteration.
        inside = sum(inner.unit is None for inner in operations_in(body, CoiterateOp))
        copies = len(self.cases) * (1 + inside)
        # Below a full level there is a loop without branches in each body, where selects would cost at each coordinate.
        # Where a number is absent, loops inside may have less to visit, which a selected number does not say.
        payloads = [body.args[1 + number].type for number, _ in self.steppers]
        fibers = [type for type in payloads if isinstance(type, FiberType)]
        costly = all(map(_is_full, fibers)) if len(fibers) == len(payloads) else inside > 0
        if copies > (_COSTLY * self.max_cases if costly else self.max_cases):
            return True
        if exceeds_most_loops(self.op, len(self.cases)):
            return True
        return is_straight_line(body) and self._cases_need_the_same

    @property
    def _cases_need_the_same(self) -> bool:
        """Whether entries of located operands decide in all cases alike if anything is done: `(a + b) * x`, and not `a
        * x + b`, where one body would append an entry for each of `a` and `b`."""
        merged, folding = {number for number, _ in self.steppers}, Folding(known_value)
        looked_up = [(number, nest) for number, nest in enumerate(self.op.nests) if number not in merged]
        found = [(number, folding.gaps_of_nest(nest)) for number, nest in looked_up]
        gaps = [(number, gaps[0]) for number, gaps in found if len(gaps) == 1]
        choices = (some for size in range(min(len(gaps), _MOST_LOOKED_UP)) for some in combinations(gaps, size + 1))
        return all(len({self._acts(case, dict(some)) for case in self.cases}) == 1 for some in choices)

    def _selected_cases(self) -> tuple[list[Operands], list[Operands]]:
        """The cases that one body serves, and sets of cursors; it needs an aligned cursor in each set."""
        if self.gaps_matter:
            return [()], []
        if self.minimal_cases is not None:
            return self.minimal_cases, []
        return [(k,) for k in self._everyone], self._numbered(self._presence.alternatives()) or []

    def _load(self) -> Block:
        block = create_block([_index] * len(self.steppers))
        emit = Emitter(block)
        ends = [
            inline_region(stepper.load, (position,), emit, last=stepper.result.has_one_use())[0]
            for (_, stepper), position in zip(self.steppers, block.args, strict=True)
        ]
        emit.insert(YieldOp.of(*ends))
        return block

    def _chunk(self, k: int, block: Block, emit: Emitter, last: bool) -> SSAValue:
        """The chunk at a cursor, between the positions that a case's block has as arguments."""
        _, stepper = self.steppers[k]
        bounds = block.args[2 + k], block.args[2 + len(self.steppers) + k]
        return inline_region(stepper.chunk, bounds, emit, last=last and stepper.result.has_one_use())[0]

    def _case_body(self, aligned: Sequence[int], last: bool) -> Block:
        count = len(self.steppers)
        block = create_block([_index] * (2 + 2 * count))
        if not self.gaps_matter and not self._acts(tuple(aligned)):
            return block
        emit = Emitter(block)
        nests = list(self.op.nests)
        for k, (number, _) in enumerate(self.steppers):
            chunk = self._chunk(k, block, emit, last)
            nests[number] = chunk if k in aligned else before_end(chunk, emit)
        self._emit_iteration(block, nests, emit, only_tails=bool(aligned) and not self.gaps_matter, last=last)
        return block

    def _selecting_body(self, cases: Sequence[Operands], guard: Sequence[Operands]) -> Block:
        """One body for all cases: what a cursor that is not aligned contributes is chosen by a select."""
        count = len(self.steppers)
        block = create_block([*[_index] * (2 + 2 * count), *[i1] * count])
        emit = Emitter(block)
        always = set(range(count)).intersection(*cases)
        nests = list(self.op.nests)
        for k, (number, _) in enumerate(self.steppers):
            chunk = self._chunk(k, block, emit, last=True)
            spike = chunk.owner
            if not isinstance(spike, SpikeOp):
                nests[number] = before_end(chunk, emit)
                continue
            payload = spike.tail
            if k not in always:
                payload = or_absent(block.args[2 + 2 * count + k], payload, spike.gap, emit)
            nests[number] = emit.insert(SpikeOp.of(spike.gap, payload)).result
        nests += self._presence_nests(cases, block.args[2 + 2 * count :], emit)
        if guard:
            aligned = block.args[2 + 2 * count :]
            conditions = [reduce(emit.either, [aligned[k] for k in some]) for some in guard]
            branch = IfOp.of(reduce(emit.both, conditions), create_region(), create_region())
            emit = Emitter(emit.insert(branch).then.block)
        self._emit_iteration(block, nests, emit, only_tails=not self.gaps_matter, last=True)
        return block

    def _presence_nests(self, cases: Sequence[Operands], aligned: Sequence[SSAValue], emit: Emitter) -> list[SSAValue]:
        """Let the body select what missing entries annihilate; gives the nests that tell it which are there."""
        arguments = self.op.body.block.args[1:]
        payloads: dict[SSAValue, int] = {arguments[self.steppers[k][0]]: k for k in self._pointed}
        annihilation = Annihilation(self.op.body.block, payloads, self.op.nests, cases)
        annihilation.apply()
        if not annihilation.present:
            return []
        never = emit.constant(False, i1)
        return [emit.insert(SpikeOp.of(never, aligned[k])).result for k in annihilation.present]

    def _emit_iteration(
        self, block: Block, nests: list[SSAValue], emit: Emitter, *, only_tails: bool, last: bool
    ) -> None:
        """What happens in the range of one iteration; if gaps do nothing, only at its last coordinate."""
        start, end = block.args[0], block.args[1]
        if not only_tails:
            if any(stepper.empty is not None for _, stepper in self.steppers):
                some = emit.compare("slt", start, end)
                branch = emit.insert(IfOp.of(some, create_region(create_block()), create_region(create_block())))
                emit = Emitter(branch.then.block)
            emit_coiterate(emit, self.op.body.block, start, end, nests, last=last)
            return
        for number, nest in enumerate(nests):
            if isinstance(spike := nest.owner, SpikeOp):
                nests[number] = spike.tail
        at = emit.sub(end, emit.index(1))
        emit_coiterate(emit, self.op.body.block, at, end, nests, UNIT, last=last)


def _numbers(values: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr([IntAttr(value) for value in values])


def _is_full(fiber: FiberType) -> bool:
    """Whether the element at a coordinate below a fiber is located without a search or asking if there is an entry."""
    below = [level.format.properties for level in format_of(fiber.tensor).levels[fiber.level.data :]]
    return all(
        (properties.pattern.full and properties.pieces != "runs") or properties.pattern.along_diagonals
        for properties in below
    )


def is_straight_line(body: Block) -> bool:
    """Whether a body is scalar arithmetic that appends an entry or updates temporaries: cheap to speculate."""
    for op in body.ops:
        if isinstance(op, PlaceOp):
            fiber = op.fiber.type
            assert isinstance(fiber, FiberType)
            levels = format_of(fiber.tensor).levels
            is_last = fiber.level.data + 1 == len(levels)
            if not is_last or levels[-1].format.access.inserts or levels[-1].format.pattern.branchless:
                return False
            if not _is_arithmetic(op.body.block, plain=True):
                return False
    return _is_arithmetic(body, plain=False)


def _is_arithmetic(block: Block, *, plain: bool) -> bool:
    for op in block.ops:
        if isinstance(op, UpdateOp):
            if plain is (op.operator is not None) or plain is isinstance(op.target.type, CellType):
                return False
        elif not isinstance(op, ApplyOp | CastOp | ConstantOp) and not (isinstance(op, PlaceOp) and not plain):
            return False
    return True
