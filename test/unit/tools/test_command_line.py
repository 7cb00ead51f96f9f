"""How arguments are divided into passes and options."""

import argparse

import pytest

from irtensor.core.diagnostics import UserError
from irtensor.tools.command_line import _truth, separate_passes

OPTIONS, PASSES = {"--target", "--verify-each", "--verify-order", "-p"}, {"cse", "reorder"}


@pytest.mark.parametrize(
    ("arguments", "remaining", "pipeline"),
    [
        (["a.mlir", "--cse"], ["a.mlir"], "cse"),
        (["-cse", "--reorder=order=i"], [], "cse,reorder{order=i}"),
        (["-p", "cse", "--pass-pipeline=reorder"], [], "cse,reorder"),
        (["--cse", "--", "--reorder", "-"], ["--", "--reorder", "-"], "cse"),
        (["--verify-each", "a.mlir"], ["--verify-each=true", "a.mlir"], ""),
        (["--verify-order", "a.mlir"], ["--verify-order=true", "a.mlir"], ""),
        (["--verify-each=false", "-"], ["--verify-each=false", "-"], ""),
    ],
)
def test_passes_are_taken_out(arguments, remaining, pipeline):
    assert separate_passes(arguments, OPTIONS, PASSES) == (remaining, pipeline)


def test_a_pipeline_that_is_missing():
    with pytest.raises(UserError, match="-p needs a value") as caught:
        separate_passes(["a.mlir", "-p"], OPTIONS, PASSES)
    assert caught.value.help == "write -p='builtin.module(pass-a,pass-b)'"


def test_truth():
    assert [_truth(text) for text in ("true", "True", "1", "false", "0")] == [True, True, True, False, False]
    with pytest.raises(argparse.ArgumentTypeError, match="expected true or false, got 'maybe'"):
        _truth("maybe")
