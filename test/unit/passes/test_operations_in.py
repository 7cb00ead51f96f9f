"""operations_in finds what a walk with a test of the type finds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region

import irtensor as it
from irtensor.dialects.loop import ForOp, IfOp, LoadOp, StoreOp, WhileOp
from irtensor.passes.operations_in import operations_in


@pytest.fixture(scope="module")
def module(parse_module: Callable[[str], ModuleOp]) -> ModuleOp:
    return parse_module(
        it.compile("C[i,j] = A[i,j] + B[i,j]", dict.fromkeys("ABC", it.CSR), disk_cache=False).ir("loop")
    )


@pytest.mark.parametrize("kinds", [(ForOp,), (LoadOp, StoreOp), (WhileOp, IfOp, ForOp), (ModuleOp,), ()])
def test_finds_what_a_walk_finds(module: ModuleOp, kinds: tuple[type[Operation], ...]) -> None:
    loop = next(op for op in module.walk() if isinstance(op, ForOp))
    roots: list[Operation | Region | Block] = [module, loop, loop.body, loop.body.block]
    for root in roots:
        assert operations_in(root, *kinds) == [op for op in root.walk() if isinstance(op, kinds)]
