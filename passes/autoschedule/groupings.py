"""The ways to compute parts of an expression in workspaces (Ahrens 2022, section 7.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from irtensor.core.operators import Operator
from irtensor.passes.analysis.distribution import distributes
from irtensor.passes.autoschedule.search_options import USUAL_ASSIGNS
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Call,
    Expression,
    Statement,
    Where,
    count_assigns,
    flattened,
    map_accesses,
    map_expressions,
    parts,
    reads,
    with_parts,
)


class Groupings(NamedTuple):
    """Programs, how many were made with duplicates, and whether they are complete."""

    programs: list[Statement]
    made: int
    complete: bool


def groupings(trees: Iterable[Statement], element: str, most: int | None = None) -> Groupings:
    """All programs in which parts of the values that a program's trees store are put into workspaces; the first `most`
    of each tree, as `first_programs`.

    Values are of the type `element`, on which it depends which operators distribute over others. Trees that differ only
    in parts without a workspace give the same program.
    """
    found: dict[Statement, None] = {}
    made, complete = 0, True
    for tree in trees:
        of_tree = _grouped(tree, element)
        for program in of_tree if most is None else first_programs(of_tree, most):
            found[map_expressions(program, flattened)] = None
            made += 1
        complete = complete and next(of_tree, None) is None
    return Groupings(list(found), made, complete)


def first_programs(programs: Iterable[Statement], most: int) -> Iterator[Statement]:
    """The first `most` programs; fewer if they have many workspaces on average, for each takes longer to look at."""
    left = most * USUAL_ASSIGNS
    for program in islice(programs, most):
        yield program
        left -= count_assigns(program)
        if left <= 0:
            return


def _grouped(statement: Statement, element: str) -> Iterator[Statement]:
    """A statement as it is, and with parts of what it stores in workspaces."""
    if isinstance(statement, Assign):
        yield from _assign_grouped(statement, element)
    else:
        yield from (with_parts(statement, grouped) for grouped in _all_grouped(parts(statement), element))


def _all_grouped(statements: Sequence[Statement], element: str) -> Iterator[list[Statement]]:
    """Statements beside each other, each in all ways, made as they are asked for; the last one changes first."""
    if not statements:
        yield []
        return
    first, *others = statements
    for grouped in _grouped(first, element):
        yield from ([grouped, *rest] for rest in _all_grouped(others, element))


def _assign_grouped(assign: Assign, element: str) -> Iterator[Statement]:
    """An assignment as it is, and with each part of its value in a workspace, either side grouped again."""
    yield assign
    for part, reduces in _parts(assign, element):
        target, value = _outer(assign.target), _replaced(assign.value, part)
        for operator in (None, assign.operator) if reduces else (None,):
            producer = Assign(Access(1), operator, _shifted(part))
            for consumer in _assign_grouped(Assign(target, assign.operator, value), element):
                yield from (Where(consumer, grouped) for grouped in _assign_grouped(producer, element))


def _parts(assign: Assign, element: str) -> dict[tuple[Call, bool], None]:
    """The proper parts of a value that several operands are read for, and whether they can be reduced by themselves.

    They can where everything above them distributes over the assignment's operator, and if they are there once: the sum
    of squares is not the square of the sum.
    """
    found: dict[tuple[Call, bool], None] = {}
    times = Counter[Call]()

    def collect(node: Call, reduction: Operator | None) -> None:
        for position, argument in enumerate(node.arguments):
            if isinstance(argument, Call):
                below = reduction is not None and distributes(
                    node.operator, position, len(node.arguments), reduction, element
                )
                if len(list(reads(argument))) > 1:
                    found[argument, below] = None
                    times[argument] += 1
                collect(argument, reduction if below else None)

    if isinstance(assign.value, Call):
        collect(assign.value, assign.operator)
    return dict.fromkeys((part, below and times[part] == 1) for part, below in found)


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
