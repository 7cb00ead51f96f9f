"""The ways to compute parts of an expression in workspaces (Ahrens 2022, section 7.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from irtensor.dialects.operators import OPERATORS, Operator
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Call,
    Expression,
    Statement,
    Where,
    flattened,
    map_accesses,
    map_expressions,
    parts,
    reads,
    with_parts,
)

_ADD, _NEG = OPERATORS["add"], OPERATORS["neg"]


def groupings(trees: Iterable[Statement]) -> tuple[list[Statement], int]:
    """All programs in which parts of the values that a program's trees store are put into workspaces, and how many
    there are with duplicates.

    Trees that differ only in what is not put into a workspace give the same program.
    """
    found: dict[Statement, None] = {}
    count = 0
    for tree in trees:
        for program in _grouped(tree):
            found[map_expressions(program, flattened)] = None
            count += 1
    return list(found), count


def _grouped(statement: Statement) -> Iterator[Statement]:
    """A statement as it is, and with parts of what it stores in workspaces."""
    if isinstance(statement, Assign):
        yield from _assign_grouped(statement)
    else:
        yield from (with_parts(statement, grouped) for grouped in product(*map(_grouped, parts(statement))))


def _assign_grouped(assign: Assign) -> Iterator[Statement]:
    """An assignment as it is, and with each part of its value in a workspace, either side grouped again."""
    yield assign
    for part, reduces in _parts(assign):
        target, value = _outer(assign.target), _replaced(assign.value, part)
        for operator in (None, assign.operator) if reduces else (None,):
            producer = Assign(Access(1), operator, _shifted(part))
            for consumer in _assign_grouped(Assign(target, assign.operator, value)):
                yield from (Where(consumer, grouped) for grouped in _assign_grouped(producer))


def _parts(assign: Assign) -> dict[tuple[Call, bool], None]:
    """The proper parts of a value that several operands are read for, and whether they can be reduced by themselves.

    They can where everything above them distributes over the assignment's operator.
    """
    found: dict[tuple[Call, bool], None] = {}
    if isinstance(assign.value, Call):
        _collect_parts(assign.value, assign.operator, assign.operator is not None, found)
    return found


def _collect_parts(node: Call, reduction: Operator | None, reduces: bool, found: dict[tuple[Call, bool], None]) -> None:
    below = reduces and reduction is not None and distributes(node.operator, reduction)
    for argument in node.arguments:
        if isinstance(argument, Call):
            if len(list(reads(argument))) > 1:
                found[argument, below] = None
            _collect_parts(argument, reduction, below, found)


def distributes(operator: Operator, reduction: Operator) -> bool:
    """Whether an operator may be applied after a reduction of its argument instead of before."""
    return reduction.name in operator.distributes_over or (operator is _NEG and reduction is _ADD)


def _replaced(node: Expression, part: Call) -> Expression:
    """An expression in which every occurrence of a part is read from the workspace of a new `where` around it."""
    if node == part:
        return Access(1)
    if isinstance(node, Call):
        return Call(node.operator, tuple(_replaced(argument, part) for argument in node.arguments))
    return _shifted(node)


def _shifted(node: Expression) -> Expression:
    """An expression inside of one more `where`."""
    return map_accesses(node, _outer)


def _outer(access: Access) -> Access:
    return access if isinstance(access.tensor, str) else access._replace(tensor=access.tensor + 1)
