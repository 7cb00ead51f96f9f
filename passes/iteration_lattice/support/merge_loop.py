"""Loops for merges: load the chunk ends, take the least, run the matching case, advance without branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.arith import SelectOp
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Region, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.iteration_lattice.iteration_lattice import MergeOp, WalkOp
from irtensor.dialects.loop.loop import ConditionOp, ForOp, IfOp, WhileOp
from irtensor.dialects.support.create_operation import clone_region
from irtensor.passes.iteration_lattice.support.coiteration import inline_region
from irtensor.passes.iteration_lattice.support.gallop_loop import emit_jump, emit_search
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in

_BEYOND = (1 << 63) - 1  # the end of an exhausted operand's chunk: never the least

# Lowers the operations of a block to the emitter; they take effect only where the condition, if any, holds.
Statements = Callable[[Block, Emitter, SSAValue | None], None]


def emit_merge_loop(op: MergeOp, emit: Emitter, statements: Statements) -> None:
    """Emit the loop of one merge; `statements` lowers the bodies of the cases."""
    tails = _tails(op)
    sentinels = set() if tails else {number.data for number in op.sentinel.data}
    running = emit.cell(op.lo) if _uses_range_start(op) or op.cut is not None else None
    iteration = emit.insert(WhileOp.of())
    condition = Emitter(iteration.condition.block)
    condition.insert(ConditionOp.of(_continues(op, sentinels, running, condition)))
    inner = Emitter(iteration.body.block)
    positions = [inner.get(cursor) for cursor in op.cursors]
    readable, ends = _chunk_ends(op, positions, sentinels, inner)
    if op.strategy.data == "gallop":
        _emit_galloping_iteration(op, positions, ends, inner, statements)
        return
    end = inner.min(*ends, *([op.hi] if op.cut is not None else []))
    aligned = [inner.compare("eq", chunk_end, end) for chunk_end in ends]
    after = [_next_position(op, k, position, ends[k], aligned[k], inner) for k, position in enumerate(positions)]
    start = end if running is None else inner.get(running)
    if op.selects:
        _emit_selection(op, [start, end, *readable, *after], positions, aligned, inner, statements)
    else:
        _emit_cases(op, [start, end], positions, readable, after, aligned, inner, statements)
        _advance(op, positions, after, aligned, inner)
    if running is not None:
        inner.set(end, running)
    if tails:
        _emit_tails(op, tails, emit, statements)


def _tails(op: MergeOp) -> list[Region]:
    """The work for entries of each of two operands behind the last one of the other, in loops of their own.

    The loop for both then asks neither whether it has run out, which each step would wait for. Only where an entry of
    either has a list below: that may be short, and without one, merges have points of their own for the remaining
    entries.
    """
    cases = op.case_sets()
    everyone = [(0,), (1,)]
    if op.strategy.data != "cases" or op.cut is not None or op.nonunique.data or not set(everyone) <= set(cases):
        return []
    if len(op.cursors) != 2 or len(op.sentinel.data) != 2 or _uses_range_start(op):
        return []
    bodies = [op.bodies[cases.index(case)] for case in everyone]
    if not all(operations_in(body, MergeOp, WalkOp) for body in bodies):
        return []
    return [clone_region(body, {}) for body in bodies]


def _emit_tails(op: MergeOp, tails: Sequence[Region], emit: Emitter, statements: Statements) -> None:
    """Iterate over the remaining entries of the operand that has some, if one has."""
    positions = [emit.get(cursor) for cursor in op.cursors]
    branch = emit.insert(IfOp.of(emit.compare("slt", positions[0], op.ends[0]), with_else=True))
    for k, (tail, block) in enumerate(zip(tails, (branch.then.block, branch.otherwise.block), strict=True)):
        walk = Emitter(block).insert(ForOp.of(positions[k], op.ends[k]))
        inner = Emitter(walk.body.block)
        own = [walk.induction if other == k else position for other, position in enumerate(positions)]
        end = inline_region(op.load, [walk.induction] * 2, inner)[k]
        bind(tail.block, [end, end, *own, *[inner.add(position, inner.index(1)) for position in own]])
        statements(tail.block, inner, None)
    for cursor, end in zip(op.cursors, op.ends, strict=True):
        emit.set(end, cursor)


def _emit_galloping_iteration(
    op: MergeOp, positions: list[SSAValue], ends: Sequence[SSAValue], emit: Emitter, statements: Statements
) -> None:
    """Run the body if all chunks end together, else move every cursor to the largest of their ends."""
    end = emit.max(*ends)
    aligned = [emit.compare("eq", chunk_end, end) for chunk_end in ends]
    branch = emit.insert(IfOp.of(_all_aligned(range(len(ends)), aligned, emit), with_else=True))
    then = Emitter(branch.then.block)
    several = {number.data for number in op.nonunique.data}
    after = [
        _after_equal_ends(op, k, position, end, then) if k in several else then.add(position, then.index(1))
        for k, position in enumerate(positions)
    ]
    block = op.bodies[0].block
    bind(block, [end, end, *positions, *after])
    statements(block, then, None)
    for cursor, position in zip(op.cursors, after, strict=True):
        then.set(position, cursor)
    for k in range(len(ends)):
        emit_search(op, k, end, positions, Emitter(branch.otherwise.block))


def _uses_range_start(op: MergeOp) -> bool:
    return any(body.block.args[0].uses for body in op.bodies)


def _continues(op: MergeOp, sentinels: set[int], running: SSAValue | None, emit: Emitter) -> SSAValue:
    """Whether there is another iteration: all operands that bound the range, or else any operand, have entries left."""
    if op.cut is not None:
        assert running is not None
        return emit.compare("slt", emit.get(running), op.hi)
    everyone = range(len(op.cursors))
    bounding = [k for k in everyone if k not in sentinels]
    left = [emit.compare("slt", emit.get(op.cursors[k]), op.ends[k]) for k in bounding or everyone]
    result = left[0]
    for other in left[1:]:
        result = emit.both(result, other) if bounding else emit.either(result, other)
    return result


def _chunk_ends(
    op: MergeOp, positions: Sequence[SSAValue], sentinels: set[int], emit: Emitter
) -> tuple[list[SSAValue], list[SSAValue]]:
    """Positions that may be read, and the end of the chunk at each cursor."""
    safe = list(positions)
    stored: dict[int, SSAValue] = {}
    for k in sorted(sentinels):
        stored[k] = emit.compare("slt", positions[k], op.ends[k])
        safe[k] = emit.select(stored[k], positions[k], emit.index(0))
    ends = list(inline_region(op.load, safe, emit))
    for k, condition in stored.items():
        ends[k] = emit.select(condition, ends[k], emit.index(_BEYOND))
    return safe, ends


def _next_position(
    op: MergeOp, k: int, position: SSAValue, end: SSAValue, aligned: SSAValue, emit: Emitter
) -> SSAValue:
    """The position after a cursor's chunk; a nonunique one spans the following positions with the same end."""
    if k not in {number.data for number in op.nonunique.data}:
        return emit.add(position, emit.index(1))
    after = emit.cell(position)
    inner = Emitter(emit.insert(IfOp.of(aligned)).then.block)
    inner.set(_after_equal_ends(op, k, position, end, inner), after)
    return emit.get(after)


def _after_equal_ends(op: MergeOp, k: int, position: SSAValue, end: SSAValue, emit: Emitter) -> SSAValue:
    """The first position whose chunk does not end where that at `position` does, which is at `end`."""
    if op.search is not None:
        return emit_jump(op, k, emit.add(end, emit.index(1)), [position] * len(op.cursors), emit)
    after = emit.cell(emit.add(position, emit.index(1)))
    scan = emit.insert(WhileOp.of())
    condition = Emitter(scan.condition.block)
    candidate = condition.get(after)
    in_range = condition.compare("slt", candidate, op.ends[k])
    safe = [condition.select(in_range, candidate, position) for _ in op.cursors]
    same = condition.compare("eq", inline_region(op.load, safe, condition)[k], end)
    condition.insert(ConditionOp.of(condition.both(in_range, same)))
    inner = Emitter(scan.body.block)
    inner.set(inner.add(inner.get(after), inner.index(1)), after)
    return emit.get(after)


def _emit_cases(
    op: MergeOp,
    range: Sequence[SSAValue],
    positions: Sequence[SSAValue],
    readable: Sequence[SSAValue],
    after: Sequence[SSAValue],
    aligned: Sequence[SSAValue],
    emit: Emitter,
    statements: Statements,
) -> None:
    """A chain of branches, the case with most aligned cursors first; the last is an else if nothing else is left.

    A cursor that a case does not need aligned may stand behind its last chunk, where nothing can be read.
    """
    cases = op.case_sets()
    exhaustive = _is_exhaustive(cases, len(op.cursors), op.cut is not None)
    for number, (case, body) in enumerate(zip(cases, op.bodies, strict=True)):
        block = body.block
        own = [(positions if k in case else readable)[k] for k, _ in enumerate(positions)]
        bind(block, [*range, *own, *after])
        last = number == len(cases) - 1
        if not case or (last and exhaustive):
            statements(block, emit, None)
            return
        branch = emit.insert(IfOp.of(_all_aligned(case, aligned, emit), with_else=not last))
        statements(block, Emitter(branch.then.block), None)
        if not last:
            emit = Emitter(branch.otherwise.block)


def _emit_selection(
    op: MergeOp,
    arguments: Sequence[SSAValue],
    positions: Sequence[SSAValue],
    aligned: Sequence[SSAValue],
    emit: Emitter,
    statements: Statements,
) -> None:
    """The only body, predicated on the cases unless one of them always holds; then cursors move from `positions`.

    Where two operands store the same coordinates, a branch is predicted and runs ahead of the loads, while selects
    would wait for them; so that case has a copy of the body of its own. Loops inside branch at their ends anyway.
    """
    count = len(op.cursors)
    after = arguments[2 + count :]
    splits = count == 2 and not operations_in(op.bodies[0], MergeOp, WalkOp, ForOp)
    if splits:
        coincide = emit.insert(IfOp.of(emit.both(*aligned), with_else=True))
        body = clone_region(op.bodies[0], {}).block
        assume_aligned(body.args[2 + 2 * count :])
        then = Emitter(coincide.then.block)
        bind(body, [*arguments, *aligned])
        statements(body, then, None)
        for cursor, position in zip(op.cursors, after, strict=True):
            then.set(position, cursor)
        emit = Emitter(coincide.otherwise.block)
    block = op.bodies[0].block
    bind(block, [*arguments, *aligned])
    cases = [case for case in op.case_sets() if len(case) < count or not splits]
    if cases:
        statements(block, emit, _any_case(op, cases, aligned, emit))
    # Not from the readable positions among the arguments: there an exhausted operand is back at its start.
    _advance(op, positions, after, aligned, emit)


def _any_case(
    op: MergeOp, cases: Sequence[tuple[int, ...]], aligned: Sequence[SSAValue], emit: Emitter
) -> SSAValue | None:
    """Whether some case holds; None if one always does."""
    if _is_exhaustive(cases, len(op.cursors), op.cut is not None):
        return None
    condition = _all_aligned(cases[0], aligned, emit)
    for case in cases[1:]:
        condition = emit.either(condition, _all_aligned(case, aligned, emit))
    return condition


def assume_aligned(aligned: Sequence[SSAValue]) -> None:
    """Resolve the selects of a body for cursors that are aligned."""
    for argument in aligned:
        for use in list(argument.uses):
            select = use.operation
            is_choice = isinstance(select, ApplyOp) and select.operator == StringAttr("where")
            if isinstance(select, SelectOp) or (is_choice and use.index == 0):
                select.results[0].replace_all_uses_with(select.operands[1])


def _advance(
    op: MergeOp,
    positions: Sequence[SSAValue],
    after: Sequence[SSAValue],
    aligned: Sequence[SSAValue],
    emit: Emitter,
) -> None:
    """Move the aligned cursors behind their chunks, without a branch."""
    nonunique = {number.data for number in op.nonunique.data}
    for k, cursor in enumerate(op.cursors):
        if k in nonunique:
            emit.set(after[k], cursor)
        else:
            emit.set(emit.add(positions[k], emit.to_index(aligned[k])), cursor)


def bind(block: Block, values: Sequence[SSAValue]) -> None:
    for argument, value in zip(block.args, values, strict=True):
        argument.replace_all_uses_with(value)


def _all_aligned(case: Sequence[int], aligned: Sequence[SSAValue], emit: Emitter) -> SSAValue:
    condition = aligned[case[0]]
    for k in case[1:]:
        condition = emit.both(condition, aligned[k])
    return condition


def _is_exhaustive(cases: Sequence[tuple[int, ...]], count: int, cut: bool) -> bool:
    """Whether some case holds whichever cursors are aligned: none at all if the range may cut chunks, else some."""
    return () in cases or (not cut and {(k,) for k in range(count)} <= set(cases))
