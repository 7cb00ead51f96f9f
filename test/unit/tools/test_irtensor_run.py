"""irtensor-run as a process, and with a schedule."""

import subprocess
import sys

import pytest
from cuda_stub import run_on_card

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
        == """<schedule>:1:16: error: [bad-schedule] unknown step 'tile'
  reorder(i, k); tile(i, 4)
                 ^^^^
"""
    )
    assert {"precompute", "reorder", "split"} <= set(steps.strip().split(", "))


# A matrix in a file, and a function of IR whose argument is stored in another way than the file.
ON_A_GPU = """
import contextlib, io, os, tempfile
from irtensor.tools import irtensor_run

folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
open("a.mtx", "w").write("%%MatrixMarket matrix coordinate integer general\\n2 3 2\\n1 1 3\\n2 3 -2\\n")
open("k.mlir", "w").write(it.compile("y[i] = A[i,j] * x[j]", formats=dict(A="csc")).ir())

def said(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = irtensor_run.main(list(arguments))
    show(code, out.getvalue() + err.getvalue())

"""
SPMV = ["y[i] = A[i,j] * x[j]", "A=a.mtx", "x=ones(3)"]


def on_a_gpu(*commands: list[str]) -> list[tuple[int, str]]:
    """Exit codes, and what is printed."""
    shown = run_on_card(ON_A_GPU + "\n".join(f"said(*{command!r})" for command in commands)).shown
    return list(zip(shown[::2], shown[1::2], strict=True))


@pytest.mark.parametrize("target", ["cuda", "cuda-emulated"])
def test_operands_and_results_move(target: str):
    on = ["--target", target]
    sparse = ["C[i,j] = A[i,j] + A[i,j]", "A=a.mtx", "--format", "A=CSR", "--format", "C=CSR", *on]
    assert on_a_gpu(
        [*SPMV, *on],
        [*SPMV, "--format", "A=CSR", *on],
        ["k.mlir", *SPMV[1:], *on],
        ["s = A[i,j] * factor", "A=a.mtx", "factor=2", *on],
        ["y[i] += A[i,j] * x[j]", *SPMV[1:], "y=ones(2)", *on],
        sparse,
    ) == [
        (0, "[ 3. -2.]\n"),
        (0, "[ 3. -2.]\n"),
        (0, "[ 3. -2.]\n"),
        (0, "2\n"),
        (0, "[ 4. -1.]\n"),
        (0, "Tensor(shape=(2, 3), dtype=int64, nnz=2, format='(i, j) -> (i : dense, j : compressed)')\n"),
    ]


def test_times_and_files_of_a_gpu():
    ran = run_on_card(
        ON_A_GPU
        + f"""
os.environ["IRTENSOR_TARGET"] = "cuda"
said(*{[*SPMV, "--time=3"]!r})
said(*{[*SPMV, "-o", "y.npy"]!r})
show(np.load("y.npy").tolist())
"""
    )
    assert ran.shown[0] == 0 and "median" in ran.shown[1] and ran.shown[2:] == [0, "", [3.0, -2.0]]
    assert len(ran.named("cuCtxSynchronize")) == 3


def test_what_a_gpu_does_not_take():
    (result, wrong, unknown) = on_a_gpu(
        ["C[i,j] = A[i,j]", "A=a.mtx", "--format", "C=ELL", "--target", "cuda"],
        [*SPMV, "--target", "gpu"],
        [*SPMV, "y=ones(2)", "--target", "cuda"],
    )
    assert result[0] == 1 and result[1].startswith("error: [cuda-conversion] a result stored ")
    text = "error: [bad-option] target='gpu' is not usable: expected cpu, cuda or cuda-emulated\n"
    assert wrong == (1, text)
    assert unknown == (1, "error: [unknown-operand] the statement reads no operand y\nhelp: its operands are A, x\n")
