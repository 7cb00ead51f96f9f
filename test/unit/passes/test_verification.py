"""What is wrong with a module is said at its operations, also where an operation cannot be verified at all."""

import numpy as np
import pytest
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region
from xdsl.irdl import IRDLOperation, irdl_op_definition, region_def
from xdsl.utils.exceptions import VerifyException

import irtensor as it
from irtensor.passes.support.verification import verification_errors


@irdl_op_definition
class WrongOp(IRDLOperation):
    name = "wrong.op"

    def verify_(self):
        raise VerifyException("it is wrong")


@irdl_op_definition
class BrokenOp(IRDLOperation):
    name = "broken.op"

    def verify_(self):
        raise RuntimeError("it is broken")


@irdl_op_definition
class FullOp(IRDLOperation):
    """Its block has to be empty, which only verifying all of it finds out."""

    name = "full.op"
    body = region_def("single_block")

    def verify(self, verify_nested_ops=True):
        if verify_nested_ops and self.body.block.ops:
            raise VerifyException("the block is not empty")


def _messages(*operations):
    return [error.message for error in verification_errors(ModuleOp(list(operations)))]


def test_what_is_right():
    assert _messages(test_dialect.TestOp()) == []


def test_each_operation_that_is_wrong():
    assert _messages(WrongOp(), test_dialect.TestOp(), WrongOp()) == ["'wrong.op' op it is wrong"] * 2


def test_one_that_is_broken_beside_one_that_is_wrong():
    assert _messages(BrokenOp(), WrongOp()) == ["'wrong.op' op it is wrong"]
    assert _messages(WrongOp(), BrokenOp()) == ["'wrong.op' op it is wrong"]


def test_one_that_is_broken_alone():
    with pytest.raises(RuntimeError, match="it is broken"):
        verification_errors(ModuleOp([BrokenOp()]))


def test_no_more_than_twenty_errors():
    assert len(_messages(*(WrongOp() for _ in range(30)))) == 20


def test_what_is_wrong_with_a_block_is_said_of_the_operation_around_it():
    """The operations are right, one by one."""
    inner = test_dialect.TestOp(regions=[Region(Block([test_dialect.TestTermOp()]))])
    full = FullOp(regions=[Region(Block([inner, test_dialect.TestTermOp()]))])
    assert _messages(full) == ["'full.op' op the block is not empty"]


@pytest.mark.parametrize("format", [it.CSR, it.BCSR(4, 4), it.COO(2)], ids=str)
def test_lanes_that_share_a_condition(format):
    """In rows of vectors, one condition chooses for all lanes: what is absent, and what the statement says."""
    generator = np.random.default_rng(0)
    a, b = generator.random((40, 40)), generator.random((40, 37))
    a[a > 0.3] = 0
    largest = it.compile("O[i,d] = max(j, M[i,j] * V[j,d])", formats={"M": format}, verify=True)
    np.testing.assert_allclose(largest(M=a, V=b), (a[:, :, None] * b[None]).max(axis=1))
    chosen = it.compile("O[i,d] = max(j, where(M[i,j] > 0.1, V[j,d], 0.0))", formats={"M": format}, verify=True)
    np.testing.assert_allclose(chosen(M=a, V=b), np.where(a[:, :, None] > 0.1, b[None], 0).max(axis=1))
