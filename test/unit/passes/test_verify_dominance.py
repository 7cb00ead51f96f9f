"""The dominance check on IR that text cannot express, and its cost."""

from itertools import pairwise

import pytest
from xdsl.dialects import test as xdsl_test
from xdsl.dialects.arith import AddiOp, ConstantOp
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.cf import BranchOp, ConditionalBranchOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from irtensor.core.diagnostics import UserError
from irtensor.passes.verify_dominance import check_dominance


def test_a_detached_definition_does_not_reach():
    constant = ConstantOp.from_int_and_width(1, 32)
    function = FuncOp("f", ((), ()), Region(Block([AddiOp(constant.result, constant.result), ReturnOp()])))
    with pytest.raises(UserError, match=r"operand #0 of 'arith.addi' does not dominate") as caught:
        check_dominance(ModuleOp([function]))
    assert caught.value.slug == "does-not-dominate"


def test_a_long_chain_of_blocks_needs_no_recursion():
    blocks = [Block() for _ in range(3000)]
    value = xdsl_test.TestOp(result_types=[i32])
    blocks[0].add_op(value)
    for block, successor in pairwise(blocks):
        block.add_op(BranchOp(successor))
    blocks[-1].add_ops([xdsl_test.TestOp([value.results[0]]), ReturnOp()])
    check_dominance(ModuleOp([FuncOp("f", ((), ()), Region(blocks))]))


def test_a_value_goes_out_of_sight_with_its_subtree():
    condition = xdsl_test.TestOp(result_types=[ConstantOp.from_int_and_width(1, 1).result.type])
    left, right = Block(), Block()
    entry = Block([condition, ConditionalBranchOp(condition.results[0], left, (), right, ())])
    value = xdsl_test.TestOp(result_types=[i32])
    left.add_ops([value, ReturnOp()])
    right.add_ops([xdsl_test.TestOp([value.results[0]]), ReturnOp()])
    with pytest.raises(UserError, match="does not dominate"):
        check_dominance(ModuleOp([FuncOp("f", ((), ()), Region([entry, left, right]))]))
