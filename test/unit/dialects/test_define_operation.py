"""What operations call their operands, results and regions is what xDSL's own accessors find under these names."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import DenseArrayBase, i32, i64
from xdsl.ir import Operation, Region
from xdsl.irdl import AttrSizedOperandSegments, IRDLOperation
from xdsl.irdl.operations import get_accessors_from_op_def

from irtensor.dialects.create_operation import create_block, create_operation
from irtensor.dialects.iteration_lattice import IterationLattice
from irtensor.dialects.loop import Loop
from irtensor.dialects.storage import Storage

_KINDS: list[type[Operation]] = [*IterationLattice.operations, *Loop.operations, *Storage.operations]


@pytest.mark.parametrize("kind", _KINDS, ids=lambda kind: kind.name)
def test_names_stand_for_what_xdsl_finds(kind: type[IRDLOperation]) -> None:
    definition = kind.get_irdl_definition()
    # One of each part, those that may be any number included.
    count = len(definition.operands)
    sizes = DenseArrayBase.from_list(i32, [1] * count)
    sized = any(isinstance(option, AttrSizedOperandSegments) for option in definition.options)
    op = create_operation(
        kind,
        create_block([i64] * count).args,
        [i64] * len(definition.results),
        {"operandSegmentSizes": sizes} if sized else {},
        regions=[Region() for _ in definition.regions],
    )
    accessors: dict[str, Any] = get_accessors_from_op_def(definition, None)
    names = [name for name, _ in (*definition.operands, *definition.results, *definition.regions)]
    assert [getattr(op, name) for name in names] == [accessors[name].__get__(op) for name in names]
