"""Compile latency by stage, and the cost of one call of a compiled kernel: `python -m benchmarks.latency` as JSON.

`python -m benchmarks.latency --docs` measures the compile latency alone and brings its table in docs/ up to date.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.interleave import interleaved
from irtensor.api.einsum import einsum
from irtensor.compiler.compilation import compile_kernel, draft, lower_request
from irtensor.compiler.compilation.compile_kernel import compile_fresh
from irtensor.compiler.compilation.compile_request import CompileRequest
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import accesses
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions
from irtensor.options import current_options
from irtensor.passes.pipelines import TARGETS, stages_to
from irtensor.tensors.tensor import Tensor

_CSR = "dense, compressed, pos = i32, crd = i32"
_DCSR = "compressed, compressed, pos = i32, crd = i32"
_CSF = "compressed, compressed, compressed, pos = i32, crd = i32"

_ROOT = Path(__file__).resolve().parent.parent
_DOCS = _ROOT / "docs"
# How often each statement is compiled. Other work on the machine disturbs some compilations more than others.
ROUNDS = 40
# The modules that say how long each stage took.
_TIMED = (compile_kernel, draft, lower_request)
# The stages of the pipelines in their order, what there is beside them, and all together.
COLUMNS = (*stages_to(TARGETS["cpu"]), "planning", "llvm text", "native code", "total")

# Title, notation, formats by name (the rest is dense), format of the result.
STATEMENTS: tuple[tuple[str, str, dict[str, str], str | None], ...] = (
    ("SpMV", "y[i] = A[i,j] * x[j]", {"A": _CSR}, None),
    ("SpMM", "C[i,j] = A[i,k] * B[k,j]", {"A": _CSR}, None),
    ("SDDMM", "S[i,j] = A[i,j] * C[i,k] * D[j,k]", {"A": _CSR}, _CSR),
    ("TTM", "Y[i,j,k] = T[i,j,l] * U[k,l]", {"T": _CSF}, "compressed, compressed, dense, pos = i32, crd = i32"),
    ("MTTKRP", "M[i,j] = T[i,k,l] * C[k,j] * D[l,j]", {"T": _CSF}, None),
    ("product", "C[i,j] = A[i,j] * B[i,j]", {"A": _CSR, "B": _CSR}, _CSR),
    ("sum of two", "C[i,j] = A[i,j] + B[i,j]", {"A": _CSR, "B": _CSR}, _CSR),
    ("sum of three", "D[i,j] = A[i,j] + B[i,j] + C[i,j]", {"A": _CSR, "B": _CSR, "C": _CSR}, _CSR),
    ("sum of five DCSR", "F[i,j] = A[i,j] + B[i,j] + C[i,j] + D[i,j] + E[i,j]", dict.fromkeys("ABCDE", _DCSR), _DCSR),
    ("sum of two CSF", "C[i,j,k] = A[i,j,k] + B[i,j,k]", {"A": _CSF, "B": _CSF}, _CSF),
    (
        "MTTKRP of a sum",
        "M[i,j] = sum(k, l, (S[i,k,l] + T[i,k,l]) * C[k,j] * D[l,j])",
        {"S": _CSF, "T": _CSF},
        None,
    ),
)


def stage_times(notation: str, formats: dict[str, str], result: str | None) -> dict[str, float]:
    """Seconds of one compilation from notation to loaded code for one thread, by column; no cache takes part.

    They are processor time: a compilation has one thread and waits for nothing, but a busy machine lets it wait.
    """
    start = process_time()
    statement = insert_reductions(parse_statement(notation))
    operands = {
        access.tensor: OperandDescription(
            np.dtype(np.float64),
            len(access.indices),
            TensorFormat.parse(formats[access.tensor]) if access.tensor in formats else None,
        )
        for access in accesses(statement.expression)
    }
    request = CompileRequest(statement, tuple(operands.items()), None if result is None else TensorFormat.parse(result))
    parsed = process_time()
    with ExitStack() as clocks:
        for module in _TIMED:
            clocks.enter_context(patch.object(module, "perf_counter", process_time))
        times = compile_fresh(request, current_options(num_threads=1)).seconds
    total = process_time() - start
    times["index_notation"] += parsed - start
    times["total"] = total
    return {name: times[name] for name in COLUMNS}


def compile_latency(rounds: int = ROUNDS) -> dict[str, dict[str, float]]:
    """The least seconds by statement and column, warm. Statements take turns, so that a busy moment meets all."""
    runs: dict[str, list[dict[str, float]]] = {title: [] for title, *_ in STATEMENTS}
    for _ in range(rounds + 1):
        for title, notation, formats, result in STATEMENTS:
            runs[title].append(stage_times(notation, formats, result))
    return {title: {name: min(run[name] for run in warm) for name in COLUMNS} for title, (_, *warm) in runs.items()}


def call_overhead() -> dict[str, float]:
    """Seconds of a call on a 2 x 2 matrix: nothing but overhead.

    Interleaved: they take tens of microseconds, twice as many while another process uses the same core.
    """
    a = Tensor.from_numpy(np.eye(2), "dense, compressed")
    x, square = np.ones(2), np.ones((2, 2))
    calls: dict[str, Callable[[], Any]] = {
        "einsum, SpMV": lambda: einsum("ij,j->i", a, x),
        "einsum, element-wise product": lambda: einsum("ij,ij->ij", a, square, format=_CSR),
        "numpy.einsum": lambda: np.einsum("ij,j->i", square, x),
    }
    return {name: timing.seconds for name, timing in interleaved(calls, seconds=5.0, most=1001).items()}


def compiling_and_calling() -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """`compile_latency` and `call_overhead` in a process that has nothing else to keep in memory, as most have."""
    command = [sys.executable, "-m", "benchmarks.latency"]
    run = subprocess.run(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True, check=True)
    compiling, calling = json.loads(run.stdout)
    return compiling, calling


def renew_table() -> None:
    """Measure the compile latency, and write it into docs/ with what it was measured on."""
    seconds = compile_latency()
    # Not before: a process that compiles has nothing else to keep in memory.
    from benchmarks import machine, report

    path = _DOCS / "benchmarks" / "results.json"
    results = report.Results.read(path)
    results.compile_seconds, results.compile_machine = seconds, machine.own_facts()
    results.write(path)
    subprocess.run([sys.executable, str(_DOCS / "generate.py")], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docs", action="store_true", help="measure compiling alone, and write it into docs/")
    if parser.parse_args().docs:
        renew_table()
    else:
        print(json.dumps([compile_latency(), call_overhead()]))
