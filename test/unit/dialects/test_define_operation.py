"""What operations call their operands, results and regions is what xDSL's own accessors find under these names."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import DenseArrayBase, i32, i64
from xdsl.ir import Operation, Region
from xdsl.irdl import AttrSizedOperandSegments, IRDLOperation, OptionalDef, VariadicDef
from xdsl.irdl.operations import get_accessors_from_op_def

from irtensor.dialects.algebra.algebra import Algebra
from irtensor.dialects.concrete_index.concrete_index import ConcreteIndex
from irtensor.dialects.index_notation.index_notation import IndexNotation
from irtensor.dialects.iteration_lattice.iteration_lattice import IterationLattice
from irtensor.dialects.loop.loop import Loop
from irtensor.dialects.storage.storage import Storage
from irtensor.dialects.support.create_operation import create_block, create_operation

_DIALECTS = (Algebra, ConcreteIndex, IndexNotation, IterationLattice, Loop, Storage)
_KINDS: list[type[Operation]] = [kind for dialect in _DIALECTS for kind in dialect.operations]


# How many of the last part there are, where it may be any number or none.
@pytest.mark.parametrize("last", range(3))
@pytest.mark.parametrize("kind", _KINDS, ids=lambda kind: kind.name)
def test_names_stand_for_what_xdsl_finds(kind: type[IRDLOperation], last: int) -> None:
    definition = kind.get_irdl_definition()
    parts: list[Any] = [definition.operands, definition.results, definition.regions]
    # One of each part but the last, those that may be any number included.
    operands, results, regions = (len(its) if last == 1 else _count(its, last) for its in parts)
    sizes = DenseArrayBase.from_list(
        i32, [1] * (len(definition.operands) - 1) + [operands - len(definition.operands) + 1]
    )
    sized = any(isinstance(option, AttrSizedOperandSegments) for option in definition.options)
    op = create_operation(
        kind,
        create_block([i64] * operands).args,
        [i64] * results,
        {"operandSegmentSizes": sizes} if sized else {},
        regions=[Region() for _ in range(regions)],
    )
    accessors: dict[str, Any] = get_accessors_from_op_def(definition, None)
    names = [name for its in parts for name, _ in its]
    for name in names:
        found, expected = getattr(op, name), accessors[name].__get__(op)
        assert (type(found), found) == (type(expected), expected)


def _count(parts: list[tuple[str, Any]], last: int) -> int:
    """How many there are in all if there are so many of the last part, or one where it cannot be there so often."""
    if not parts or not isinstance(parts[-1][1], VariadicDef):
        return len(parts)
    return len(parts) - 1 + (min(last, 1) if isinstance(parts[-1][1], OptionalDef) else last)
