"""Emits merges: which combinations of aligned chunks are cases, and what each of them does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IndexType, IntAttr, StringAttr, UnitAttr, i32
from xdsl.ir import Block, Region, SSAValue

from irtensor.dialects.iteration_lattice import CoiterateOp, MergeOp, RunOp, SpikeOp, StepperOp, YieldOp, yielded
from irtensor.passes.emit import Emitter
from irtensor.passes.iteration_lattice.coiteration import emit_coiterate, gap_run, inline_region, probe_with

_index = IndexType()
_Steppers = Sequence[tuple[int, StepperOp]]


def emit_merge(op: CoiterateOp, steppers: _Steppers, emit: Emitter) -> None:
    """Emit the merge of a coiterate's steppers over its range."""
    live = set() if op.live is None else {number.data for number in op.live.data}
    scratch = Emitter(Block())
    gaps = [gap_run(scratch, stepper.chunk) for _, stepper in steppers]
    cases = list(_cases(op, steppers, gaps))
    if op.live is None:
        cases = _with_unaligned(op, steppers, gaps, cases)
    load = Block(arg_types=[_index] * len(steppers))
    inner = Emitter(load)
    ends = [
        inline_region(stepper.load, (position,), inner)[0]
        for (_, stepper), position in zip(steppers, load.args, strict=True)
    ]
    inner.insert(YieldOp.of(*ends))
    properties = {
        "strategy": StringAttr("walk"),
        "cases": ArrayAttr([_numbers(case) for case in cases]),
        "sentinel": _numbers([k for k, (number, _) in enumerate(steppers) if number not in live]),
        "nonunique": _numbers([k for k, (_, stepper) in enumerate(steppers) if stepper.nonunique is not None]),
        "operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 1, len(steppers), len(steppers)]),
    }
    if op.live is None:
        properties["cut"] = UnitAttr()
    operands = [op.lo, op.hi, *(s.cursor for _, s in steppers), *(s.end for _, s in steppers)]
    bodies = [Region(_case_body(op, steppers, case)) for case in cases]
    emit.insert(MergeOp.create(operands=operands, properties=properties, regions=[Region(load), *bodies]))


def _numbers(values: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr([IntAttr(value) for value in values])


def _cases(op: CoiterateOp, steppers: _Steppers, gaps: Sequence[SSAValue | None]) -> Iterator[tuple[int, ...]]:
    """Sets of aligned cursors that matter, largest first; others reduce to one of them."""
    found: dict[tuple[int, ...], None] = {}
    everyone = range(len(steppers))
    for size in range(len(steppers), 0, -1):
        for aligned in combinations(everyone, size):
            outcome = probe_with(op, _with_gaps(op, steppers, gaps, aligned))
            arguments = op.body.block.args[1:]
            used = tuple(k for k in aligned if arguments[steppers[k][0]] in outcome.used)
            if outcome.effect and (used or _gaps_matter(op, steppers, gaps)):
                found[used if not _gaps_matter(op, steppers, gaps) else aligned] = None
            elif outcome.effect:
                found[aligned] = None
    yield from sorted(found, key=lambda case: (-len(case), case))


def _gaps_matter(op: CoiterateOp, steppers: _Steppers, gaps: Sequence[SSAValue | None]) -> bool:
    return any(gap is None for gap in gaps) or probe_with(op, _with_gaps(op, steppers, gaps, ())).effect


def _with_unaligned(
    op: CoiterateOp, steppers: _Steppers, gaps: Sequence[SSAValue | None], cases: list[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    """A range that may cut chunks also has turns in which no cursor is aligned."""
    return [*cases, ()] if _gaps_matter(op, steppers, gaps) and () not in cases else cases


def _with_gaps(
    op: CoiterateOp, steppers: _Steppers, gaps: Sequence[SSAValue | None], aligned: Sequence[int]
) -> list[SSAValue]:
    """The nests of a turn in which only the `aligned` cursors are at a stored entry."""
    nests = list(op.nests)
    for k, (number, _) in enumerate(steppers):
        gap = gaps[k]
        if k not in aligned and gap is not None:
            nests[number] = gap
    return nests


def _case_body(op: CoiterateOp, steppers: _Steppers, aligned: Sequence[int]) -> Block:
    """Arguments: the turn's range, the cursors' positions, the positions after their chunks."""
    count = len(steppers)
    block = Block(arg_types=[_index] * (2 + 2 * count))
    emit = Emitter(block)
    start, end = block.args[0], block.args[1]
    nests = list(op.nests)
    only_tails = True
    for k, (number, stepper) in enumerate(steppers):
        if k in aligned:
            position, after = block.args[2 + k], block.args[2 + count + k]
            nests[number] = inline_region(stepper.chunk, (position, after), emit)[0]
            continue
        spike = yielded(stepper.chunk)[0].owner
        if isinstance(spike, SpikeOp):
            gap = inline_region(stepper.chunk, (block.args[2 + k], block.args[2 + count + k]), emit)[0].owner
            assert isinstance(gap, SpikeOp)
            nests[number] = emit.insert(RunOp.of(gap.gap)).result
        else:
            nests[number] = inline_region(stepper.chunk, (block.args[2 + k], block.args[2 + count + k]), emit)[0]
            only_tails = False
    scratch = Emitter(Block())
    gaps = [gap_run(scratch, stepper.chunk) for _, stepper in steppers]
    if only_tails and aligned and not _gaps_matter(op, steppers, gaps):
        tails = [
            emit.insert(RunOp.of(nest.owner.tail)).result if isinstance(nest.owner, SpikeOp) else nest
            for nest in nests
        ]
        emit_coiterate(emit, op.body.block, emit.sub(end, emit.index(1)), end, tails, unit=True)
    else:
        emit_coiterate(emit, op.body.block, start, end, nests)
    return block
