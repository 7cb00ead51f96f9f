"""irtensor-run as a process, and with a schedule."""

import subprocess
import sys

import pytest

from irtensor.tools import irtensor_run


def test_a_reader_that_has_gone_is_no_error():
    command = [sys.executable, "-m", "irtensor.tools.irtensor_run", "y[i] = x[i]", "x=ones(9)", "--explain"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


PRODUCT = ["A[i,j] = B[i,k] * C[k,j]", "B=ones(2, 3)", "C=ones(3, 2)"]


def test_a_schedule(capsys):
    steps = "reorder(i, k, j); precompute(B[i,k] * C[k,j], over=j, workspace=row)"
    assert irtensor_run.main([*PRODUCT, "--schedule", steps]) == 0
    assert capsys.readouterr().out == "[[3. 3.]\n [3. 3.]]\n"
    assert irtensor_run.main([*PRODUCT, "--schedule", steps, "--ir", "step 2"]) == 0
    assert "concrete_index.where produce (%row)" in capsys.readouterr().out


@pytest.mark.filterwarnings("default::irtensor.DenseResultWarning")
def test_a_sparse_result_that_is_dense(capsys):
    assert (
        irtensor_run.main(
            ["A[i,j] = B[i,j] - c[j]", "B=ones(2, 3)", "c=ones(3)", *"--format A=CSR --format B=CSR".split()]
        )
        == 0
    )
    told = "warning: every coordinate of 'A' gets an entry because of 'c'; a dense result takes less memory\n"
    assert capsys.readouterr().err == told


def test_a_schedule_that_is_none(capsys):
    assert irtensor_run.main([*PRODUCT, "--schedule", "reorder(i, k); tile(i, 4)"]) == 1
    text, _, steps = capsys.readouterr().err.partition("help: steps are ")
    assert (
        text
        == """<schedule>:1:16: error: [bad-schedule] there is no step 'tile'
  reorder(i, k); tile(i, 4)
                 ^^^^
"""
    )
    assert {"precompute", "reorder", "split"} <= set(steps.strip().split(", "))
