"""operations_in finds what a walk with a test of the type finds."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func
from xdsl.ir import Block, Operation, Region
from xdsl.parser import Parser

import irtensor as it
from irtensor.dialects import get_all_dialects
from irtensor.dialects.loop import ForOp, IfOp, LoadOp, StoreOp, WhileOp
from irtensor.passes.operations_in import operations_in


@pytest.fixture(scope="module")
def module() -> ModuleOp:
    context = Context()
    for dialect in (Builtin, Arith, Func):
        context.load_dialect(dialect)
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    text = it.compile("C[i,j] = A[i,j] + B[i,j]", dict.fromkeys("ABC", it.CSR), disk_cache=False).ir("loop")
    return Parser(context, text).parse_module()


@pytest.mark.parametrize("kinds", [(ForOp,), (LoadOp, StoreOp), (WhileOp, IfOp, ForOp), (ModuleOp,), ()])
def test_finds_what_a_walk_finds(module: ModuleOp, kinds: tuple[type[Operation], ...]) -> None:
    loop = next(op for op in module.walk() if isinstance(op, ForOp))
    roots: list[Operation | Region | Block] = [module, loop, loop.body, loop.body.block]
    for root in roots:
        assert operations_in(root, *kinds) == [op for op in root.walk() if isinstance(op, kinds)]
