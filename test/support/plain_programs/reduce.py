"""Makes a failing program smaller for as long as it fails in the same way."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .expressions import Expression, Number, Reduce, accesses, children, free_variables, with_children
from .judge import Verdict, judge
from .operands import Operand
from .programs import Program
from .statements import Statement

TRIES = 150


def reduced(program: Program, kind: str, absent_rule: bool = False) -> Program:
    left = TRIES
    again = True
    while again and left > 0:
        again = False
        for smaller in simpler(program):
            left -= 1
            if left <= 0 or _fails(smaller, kind, absent_rule):
                again = left > 0
                program = smaller if left > 0 else program
                break
    return program


def _fails(program: Program, kind: str, absent_rule: bool) -> bool:
    from .run import in_children

    def work(one: Program) -> bool:
        try:
            return any(verdict.kind == kind for verdict in judge(one, absent_rule))
        except Exception:
            return False

    ((_, found),) = in_children(work, [program])
    return found.kind == kind if isinstance(found, Verdict) else found


def simpler(program: Program) -> Iterator[Program]:
    """Programs that are simpler in one respect, those first that take most away."""
    if program.schedule:
        yield replace(program, schedule=())
        if len(program.schedule) > 1:
            for at in range(len(program.schedule)):
                yield replace(program, schedule=program.schedule[:at] + program.schedule[at + 1 :])
    changes: tuple[dict[str, Any], ...] = (
        {"threads": 1},
        {"options": ()},
        {"way": "call"},
        {"formats": {}},
        {"dtypes": {}},
        {"result_format": None},
    )
    for change in changes:
        if any(getattr(program, name) != value for name, value in change.items()):
            yield replace(program, **change)
    if "R" in program.operands:
        yield replace(program, operands={name: o for name, o in program.operands.items() if name != "R"})
    elif program.statement.operator:
        yield replace(program, statement=replace(program.statement, operator=""))
    yield from _statements(program)
    yield from _extents(program)
    for name, operand in program.operands.items():
        for simple in _operands(operand):
            yield replace(program, operands=program.operands | {name: simple})
    yield from _plain_results(program)


def _plain_results(program: Program) -> Iterator[Program]:
    rank = len(program.statement.left)
    plain = ", ".join(["dense"] + ["compressed"] * (rank - 1)) if rank > 1 else "compressed"
    if program.result_format not in (None, plain, "compressed, compressed"):
        yield replace(program, result_format=plain)


def _statements(program: Program) -> Iterator[Program]:
    statement = program.statement
    for right in _expressions(statement.right):
        free = free_variables(right)
        if not accesses(right) or (program.door == "einsum" and _has_more(right)):
            continue
        left = tuple(index for index in statement.left if index in free)
        fixed = program.door == "operators" or program.result_format is not None or "R" in program.operands
        if fixed and left != statement.left:
            continue
        used = {access.name for access in accesses(right)} | {"R"}
        operands = {name: operand for name, operand in program.operands.items() if name in used}
        formats = {name: text for name, text in program.formats.items() if name in used}
        dtypes = {name: dtype for name, dtype in program.dtypes.items() if name in used}
        yield replace(
            program,
            statement=Statement(left, statement.operator, right),
            operands=operands,
            formats=formats,
            dtypes=dtypes,
        )


def _has_more(node: Expression) -> bool:
    return isinstance(node, Number | Reduce) or any(_has_more(child) for child in children(node))


def _expressions(node: Expression) -> Iterator[Expression]:
    """The expression with a part less."""
    for child in children(node):
        if not isinstance(node, Reduce):
            yield child
    if isinstance(node, Reduce) and node.operator != "sum":
        yield Reduce("sum", node.variable, node.body)
    parts = children(node)
    for at, child in enumerate(parts):
        for small in _expressions(child):
            if not isinstance(node, Reduce) or node.variable in free_variables(small):
                yield with_children(node, (*parts[:at], small, *parts[at + 1 :]))
            else:
                yield small


def _extents(program: Program) -> Iterator[Program]:
    """Extents halved, where no other variable runs over the same dimension."""
    for extent in sorted({*program.extents.values()} - {0, 1}, reverse=True):
        small = extent // 2 if extent > 3 else extent - 1
        names = {name for name, size in program.extents.items() if size == extent}
        extents = {name: small if name in names else size for name, size in program.extents.items()}
        operands = {}
        for name, operand in program.operands.items():
            cut = tuple(slice(small if size == extent else size) for size in operand.values.shape)
            operands[name] = replace(operand, values=operand.values[cut], stored=operand.stored[cut])
        if not any(f"bound('{name}" in step for step in program.schedule for name in names):
            yield replace(program, extents=extents, operands=operands)


def _operands(operand: Operand) -> Iterator[Operand]:
    """The operand in simpler storage, with an entry less, or of a usual type."""
    if not operand.is_dense:
        yield from _storages(operand)
    elif operand.door != "numpy":
        yield replace(operand, door="numpy")
    if operand.stored.any() and not operand.is_dense and np.count_nonzero(operand.stored) > 1:
        for at in np.argwhere(operand.stored)[:6]:
            values, stored = operand.values.copy(), operand.stored.copy()
            values[tuple(at)], stored[tuple(at)] = operand.fill, False
            yield replace(operand, values=values, stored=stored)
    if np.dtype(operand.values.dtype).kind in "fi" and operand.values.dtype.itemsize != 8:
        yield replace(operand, values=operand.values.astype("float64" if operand.values.dtype.kind == "f" else "int64"))


def _storages(operand: Operand) -> Iterator[Operand]:
    """A sparse operand dense, built from coordinates, or in a format with a shorter text."""
    if operand.fill == 0:
        yield replace(operand, door="numpy", format=None)
    if operand.door in ("keep", "from_numpy"):
        yield replace(operand, door="from_coo")
    rank = operand.values.ndim
    plain = ", ".join(["dense"] + ["compressed"] * (rank - 1)) if rank > 1 else "compressed"
    for text in (plain, ", ".join(["compressed"] * rank)):
        if operand.format is not None and operand.fill == 0 and len(text) < len(operand.format):
            yield replace(operand, door="from_coo", format=text)
