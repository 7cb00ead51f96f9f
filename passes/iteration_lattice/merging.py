"""Emits merges: which combinations of aligned chunks are cases, and what each of them does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from xdsl.dialects.builtin import (
    ArrayAttr,
    ComplexType,
    DenseArrayBase,
    IndexType,
    IntAttr,
    StringAttr,
    UnitAttr,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from irtensor.dialects.algebra import ApplyOp, CastOp, ConstantOp
from irtensor.dialects.iteration_lattice import (
    CoiterateOp,
    JumperOp,
    MergeOp,
    PlaceOp,
    RunOp,
    SpikeOp,
    StepperOp,
    UpdateOp,
    YieldOp,
)
from irtensor.dialects.loop_types import CellType
from irtensor.dialects.storage import FiberOp, FiberType, format_of
from irtensor.passes.emit import Emitter
from irtensor.passes.iteration_lattice.coiteration import emit_coiterate, gap_run, inline_region, probe_with

_index = IndexType()


@dataclass
class Merge:
    """The product of several steppers: which sets of aligned cursors do anything, and how to express that."""

    op: CoiterateOp
    steppers: Sequence[tuple[int, StepperOp | JumperOp]]
    max_cases: int

    @cached_property
    def gaps(self) -> list[SSAValue | None]:
        """The run of every stepper's gap, where it is known."""
        scratch = Emitter(Block())
        return [gap_run(scratch, stepper.chunk) for _, stepper in self.steppers]

    @cached_property
    def gaps_matter(self) -> bool:
        """Whether anything happens at coordinates that no operand stores."""
        return None in self.gaps or probe_with(self.op, self._with_gaps(())).effect

    def _with_gaps(self, aligned: Sequence[int]) -> list[SSAValue]:
        """The nests of a turn in which only the `aligned` cursors are at a stored entry."""
        nests = list(self.op.nests)
        for k, (number, _) in enumerate(self.steppers):
            gap = self.gaps[k]
            if k not in aligned and gap is not None:
                nests[number] = gap
        return nests

    @cached_property
    def cases(self) -> list[tuple[int, ...]]:
        """Sets of aligned cursors that matter, largest first; any other set reduces to one of them."""
        found: dict[tuple[int, ...], None] = {}
        arguments = self.op.body.block.args[1:]
        for size in range(len(self.steppers), 0, -1):
            for aligned in combinations(range(len(self.steppers)), size):
                outcome = probe_with(self.op, self._with_gaps(aligned))
                if outcome.effect:
                    used = tuple(k for k in aligned if arguments[self.steppers[k][0]] in outcome.used)
                    found[aligned if self.gaps_matter else used] = None
        cases = sorted(found, key=lambda case: (-len(case), case))
        if self.op.live is None and self.gaps_matter and () not in found:
            # A range that may cut chunks has turns in which no cursor is aligned.
            cases.append(())
        return cases

    @cached_property
    def minimal_cases(self) -> list[tuple[int, ...]]:
        return [case for case in self.cases if not any(set(other) < set(case) for other in self.cases)]

    def can_select(self) -> bool:
        """Whether the absence of an entry can be expressed by its payload: a fill value, or an empty range."""
        if self.op.live is None or not self.cases or () in self.cases or None in self.gaps:
            return False
        return all(_has_absent_form(self.op.body.block.args[1 + number].type) for number, _ in self.steppers)

    @property
    def is_intersection(self) -> bool:
        """Whether only coordinates matter that all operands store, each once and in order."""
        everyone = tuple(range(len(self.steppers)))
        ordered = all(s.nonunique is None and s.nonordered is None for _, s in self.steppers)
        live = () if self.op.live is None else [number.data for number in self.op.live.data]
        all_live = all(number in live for number, _ in self.steppers)
        return ordered and all_live and not self.gaps_matter and self.cases == [everyone]

    def emit(self, emit: Emitter, strategy: str | None = None) -> None:
        """Emit the merge over the coiterate's range; unless told, choose between a body per case and selects."""
        body = self.op.body.block
        cheap = len(self.cases) > self.max_cases or is_straight_line(body)
        select = strategy is None and cheap and self.can_select()
        live = set() if self.op.live is None else {number.data for number in self.op.live.data}
        count = len(self.steppers)
        cases = self.minimal_cases if select else self.cases
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
        cursors = [stepper.cursor for _, stepper in self.steppers]
        ends = [stepper.end for _, stepper in self.steppers]
        bodies = [self._selecting_body()] if select else [self._case_body(case) for case in cases]
        regions = [Region(block) for block in (self._load(), *bodies)]
        operands = (self.op.lo, self.op.hi, *cursors, *ends)
        emit.insert(MergeOp.create(operands=operands, properties=properties, regions=regions))

    def _load(self) -> Block:
        block = Block(arg_types=[_index] * len(self.steppers))
        emit = Emitter(block)
        pairs = zip(self.steppers, block.args, strict=True)
        emit.insert(YieldOp.of(*(inline_region(stepper.load, (p,), emit)[0] for (_, stepper), p in pairs)))
        return block

    def _case_body(self, aligned: Sequence[int]) -> Block:
        count = len(self.steppers)
        block = Block(arg_types=[_index] * (2 + 2 * count))
        emit = Emitter(block)
        nests = list(self.op.nests)
        for k, (number, stepper) in enumerate(self.steppers):
            chunk = inline_region(stepper.chunk, (block.args[2 + k], block.args[2 + count + k]), emit)[0]
            spike = chunk.owner
            if k not in aligned and isinstance(spike, SpikeOp):
                chunk = emit.insert(RunOp.of(spike.gap)).result
            nests[number] = chunk
        self._emit_turn(block, nests, emit, only_tails=bool(aligned) and not self.gaps_matter)
        return block

    def _selecting_body(self) -> Block:
        """One body for all cases: what a cursor that is not aligned contributes is chosen by a select."""
        count = len(self.steppers)
        block = Block(arg_types=[*[_index] * (2 + 2 * count), *[i1] * count])
        emit = Emitter(block)
        always = set(range(count)).intersection(*self.cases)
        nests = list(self.op.nests)
        for k, (number, stepper) in enumerate(self.steppers):
            spike = inline_region(stepper.chunk, (block.args[2 + k], block.args[2 + count + k]), emit)[0].owner
            assert isinstance(spike, SpikeOp)
            payload = spike.tail
            if k not in always:
                payload = _or_absent(block.args[2 + 2 * count + k], payload, spike.gap, emit)
            nests[number] = emit.insert(SpikeOp.of(spike.gap, payload)).result
        self._emit_turn(block, nests, emit, only_tails=not self.gaps_matter)
        return block

    def _emit_turn(self, block: Block, nests: list[SSAValue], emit: Emitter, *, only_tails: bool) -> None:
        """What happens in the range of one turn; if gaps do nothing, only at its last coordinate."""
        start, end = block.args[0], block.args[1]
        if not only_tails:
            emit_coiterate(emit, self.op.body.block, start, end, nests)
            return
        for number, nest in enumerate(nests):
            if isinstance(spike := nest.owner, SpikeOp):
                nests[number] = emit.insert(RunOp.of(spike.tail)).result
        emit_coiterate(emit, self.op.body.block, emit.sub(end, emit.index(1)), end, nests, unit=True)


def _numbers(values: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr([IntAttr(value) for value in values])


def _has_absent_form(payload: Attribute) -> bool:
    if isinstance(payload, FiberType):
        level = format_of(payload.tensor).levels[payload.level.data].format
        return not level.properties.full
    return not isinstance(payload, ComplexType)


def _or_absent(present: SSAValue, payload: SSAValue, gap: SSAValue, emit: Emitter) -> SSAValue:
    """The payload if the cursor is aligned, else the fill value or the fiber below no positions."""
    fiber = payload.owner
    if not isinstance(fiber, FiberOp):
        return emit.select(present, payload, gap)
    zero = emit.index(0)
    begin, end = emit.select(present, fiber.begin, zero), emit.select(present, fiber.end, zero)
    return emit.insert(FiberOp.of(fiber.tensor, begin, end, fiber.result.type.level.data)).result  # pyright: ignore


def is_straight_line(body: Block) -> bool:
    """Whether a body is scalar arithmetic that appends an entry or updates temporaries: cheap to speculate."""
    for op in body.ops:
        if isinstance(op, PlaceOp):
            fiber = op.fiber.type
            assert isinstance(fiber, FiberType)
            levels = format_of(fiber.tensor).levels
            is_last = fiber.level.data + 1 == len(levels)
            if not is_last or levels[-1].format.properties.full or levels[-1].format.properties.branchless:
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
