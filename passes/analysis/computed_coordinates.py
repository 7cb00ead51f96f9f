"""Preferred loop orders for coordinates computed from several loops, such as a block and the offset in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.ir import Block, SSAValue

from irtensor.dialects.concrete_index.concrete_index import LetOp
from irtensor.passes.analysis.iteration_graph import Edge
from irtensor.passes.analysis.ranges import block_parts, forall_of, sources


def said_of_loops(edges: Iterable[Edge]) -> Iterator[Edge]:
    """Preferred loop orders for computed coordinates, as pairs of the loops that compute them."""
    for edge in edges:
        if not edge.hard and (forall_of(edge.before) is None or forall_of(edge.after) is None):
            outer, inner = sources(edge.before), _stepped_by(edge.after)
            yield from (edge._replace(before=one, after=other) for one in outer - inner for other in inner - outer)


def _stepped_by(variable: SSAValue) -> frozenset[SSAValue]:
    """The loops that go from a coordinate to the next ones: those over offsets in blocks, not those over blocks."""
    binder = variable.owner.parent_op() if isinstance(variable.owner, Block) else None
    parts = block_parts(binder.coordinate) if isinstance(binder, LetOp) else None
    return sources(variable if parts is None else parts[1])
