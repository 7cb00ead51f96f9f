"""In which order dense matrices are accessed at coordinates of entries: by columns, so that entries are walked once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.ir import SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, ForallOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.iteration_graph import Edge, level_variables
from irtensor.passes.analysis.ranges import sources


def entries_once(edges: Iterable[Edge], accesses: Sequence[AccessOp]) -> Iterator[Edge]:
    """The edges; some edges for the rows of a dense matrix are reversed, others dropped.

    Where its columns are coordinates of entries, the rows go inside. Where its columns are segments of entries, such as
    the columns of another matrix, each is read once per entry as well, and other operands may say what goes inside.
    A result counts where an operand asks for its rows inside of another loop: otherwise each row is computed by itself.
    """
    edges = list(edges)
    entries, segments = _entries_and_segments(accesses)
    inside = {edge.after for edge in edges if isinstance(edge.access, AccessOp)}
    for edge in edges:
        access = edge.access
        counts = isinstance(access, AccessOp) or edge.before in inside
        is_row = counts and not edge.hard and not isinstance(access, ForallOp) and len(level_variables(access)) == 2
        rows, columns = sources(edge.before), sources(edge.after)
        if not is_row or rows & (entries | segments):
            yield edge
        elif columns & entries:
            yield edge._replace(before=edge.after, after=edge.before)
        elif not columns & segments:
            yield edge


def _entries_and_segments(accesses: Sequence[AccessOp]) -> tuple[set[SSAValue], set[SSAValue]]:
    """The variables of levels of operands that do not hold every coordinate, and those of levels above such a one."""
    entries, segments = set[SSAValue](), set[SSAValue]()
    for access in accesses:
        levels = format_of(access.tensor.type).levels
        full = [level.format.pattern.full for level in levels]
        for number, variable in enumerate(level_variables(access)):
            if not full[number]:
                entries.add(variable)
            elif not all(full[number:]):
                segments.add(variable)
    return entries, segments
