"""irtensor-run answers damaged arguments and files with a result or an error of the user's that has a way out."""

import io
import random
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from irtensor.tools import irtensor_run
from irtensor.tools.exit_code import USER_ERROR

COMMANDS = [
    ["y[i] = A[i,j] * x[j]", "A=matrix.mtx", "x=ones(4)", "--format", "A=CSR"],
    ["C[i,j] = A[i,k] * B[k,j]", "A=matrix.mtx", "B=dense.npy", "--format", "C=CSR", "--schedule", "reorder(i, k, j)"],
    ["C[i,j] = A[i,j] + alpha * B[i,j]", "A=matrix.mtx", "B=matrix.mtx", "alpha=2.5", "--format", "B=BCSR(2,2)"],
    ["z = T[i,j,k] * x[k]", "T=tensor.tns", "x=random(3)", "--format", "T=CSF(3)", "--explain"],
    [
        "y[i] += A[i,j]",
        "A=dense.npy",
        "y=zeros(3)",
        "--format",
        "A=(i, j) -> (j : dense, i : compressed)",
        "-o",
        "y.tns",
    ],
    [
        *("C[i,j] = A[i,k] * B[k,j]", "A=matrix.mtx", "B=dense.npy", "--ir", "concrete_index", "--schedule"),
        "reorder(i, k, j); precompute(A[i,k] * B[k,j], over=[i, k])",
    ],
]
FILES = {
    "matrix.mtx": b"%%MatrixMarket matrix coordinate real general\n3 4 3\n1 1 1.5\n2 3 -2e-1\n3 4 7\n",
    "tensor.tns": b"1 2 1 1.5\n2 1 3 -2\n",
}
PIECES = [
    *("(", ")", "[", "]", ",", ";", "=", "==", ":", '"', "'", "\n", "\0", "é", "²", "٣", "$", "\\", "->", " "),
    *("i", "A", "x", "0", "-1", "1.5", "1" + 30 * "0", "9" * 5000, "nan", "True", "None", "CSR", "COO(2)", "CSF(0)"),
    *("matrix.mtx", "none.mtx", "tensor.tns", "dense.npy", ".", "y.mtx", "y.npy", "--format", "--time", "--ir", "-o"),
    *(
        "A=matrix.mtx",
        "A=tensor.tns",
        "x=zeros(0)",
        "A=compressed",
        "dense, compressed(nonunique)",
        "fill = ",
        "sum(",
        "*",
    ),
]


def damaged_bytes(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(changed) + 1)
        match rng.randrange(4):
            case 0:
                changed[at:] = b""
            case 1:
                changed[at:at] = rng.randbytes(rng.randrange(1, 4))
            case 2:
                del changed[at : at + rng.randrange(1, 9)]
            case _:
                changed[at : at + 1] = rng.randbytes(1)
    return bytes(changed)


def put_files(folder: Path) -> None:
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    np.save(folder / "dense.npy", np.arange(12.0).reshape(4, 3) % 5)


def check_run(arguments: list[str], story: str) -> int:
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        status = irtensor_run.main(arguments)
    story = f"{story}: {arguments}\n{errors.getvalue()}"
    assert status in (0, USER_ERROR), story
    assert "Traceback" not in errors.getvalue(), story
    assert status == 0 or "error: [" in errors.getvalue(), story
    return status


@pytest.mark.one_in(2)
@pytest.mark.parametrize("part", range(4))
def test_damaged_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: Callable[..., str], part: int):
    monkeypatch.chdir(tmp_path)
    seen = set()
    for number in range(40 * part, 40 * (part + 1)):
        put_files(tmp_path)
        rng = random.Random(number)
        arguments = list(rng.choice(COMMANDS))
        for _ in range(rng.choice((0, 1, 1, 2))):
            at = rng.randrange(len(arguments))
            match rng.randrange(8):
                case 0:
                    arguments.insert(at, rng.choice(PIECES))
                case 1:
                    del arguments[at]
                case _:
                    arguments[at] = damaged(arguments[at], rng, PIECES, (1, 1, 2, 4))
        seen.add(check_run(arguments, str(number)))
    assert seen == {0, 1}


@pytest.mark.parametrize("name", ["dense.npy", *FILES])
def test_damaged_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.chdir(tmp_path)
    put_files(tmp_path)
    whole = (tmp_path / name).read_bytes()
    rank = 3 if name == "tensor.tns" else 2
    seen = set()
    for number in range(100):
        (tmp_path / name).write_bytes(damaged_bytes(whole, random.Random(number)))
        seen.add(check_run([f"z = A[{'i, j, k'[: 3 * rank - 2]}]", f"A={name}"], str(number)))
    assert seen == {0, 1}
