"""Compile latency by stage, and the cost of one call of a compiled kernel."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from xdsl.context import Context

from irtensor.dialects.tensor_format import TensorFormat
from irtensor.einsum import einsum
from irtensor.frontend.build_index_notation import KERNEL_NAME, build_index_notation
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation_parser import parse_notation
from irtensor.frontend.summation import insert_reductions
from irtensor.passes import get_all_passes
from irtensor.passes.pipelines import STAGES
from irtensor.runtime.cpu_engine import compile_llvm_text
from irtensor.runtime.emit_llvm import emit_llvm
from irtensor.tensor import Tensor

_CSR = "dense, compressed, pos = i32, crd = i32"
_CSF = "compressed, compressed, compressed, pos = i32, crd = i32"

# Title, notation, formats by name (the rest is dense), format of the result.
STATEMENTS: tuple[tuple[str, str, dict[str, str], str | None], ...] = (
    ("SpMV", "y[i] = A[i,j] * x[j]", {"A": _CSR}, None),
    ("SpMM", "C[i,j] = A[i,k] * B[k,j]", {"A": _CSR}, None),
    ("SDDMM", "S[i,j] = A[i,j] * C[i,k] * D[j,k]", {"A": _CSR}, _CSR),
    ("MTTKRP", "M[i,j] = T[i,k,l] * C[k,j] * D[l,j]", {"T": _CSF}, None),
    ("product", "C[i,j] = A[i,j] * B[i,j]", {"A": _CSR, "B": _CSR}, _CSR),
    ("sum of two", "C[i,j] = A[i,j] + B[i,j]", {"A": _CSR, "B": _CSR}, _CSR),
    ("sum of three", "D[i,j] = A[i,j] + B[i,j] + C[i,j]", {"A": _CSR, "B": _CSR, "C": _CSR}, _CSR),
)


def stage_times(notation: str, formats: dict[str, str], result: str | None) -> dict[str, float]:
    """Seconds of one compilation from notation to loaded code, by stage."""
    times: dict[str, float] = {}
    start = perf_counter()

    def stop(name: str) -> None:
        nonlocal start
        now = perf_counter()
        times[name] = now - start
        start = now

    statement = insert_reductions(parse_notation(notation))
    operands = {
        access.tensor: OperandDescription(
            np.dtype(np.float64),
            len(access.indices),
            TensorFormat.parse(formats[access.tensor]) if access.tensor in formats else None,
        )
        for access in _accesses(statement)
    }
    request = build_index_notation(statement, operands, None if result is None else TensorFormat.parse(result))
    stop("front end")
    context = Context()
    passes = get_all_passes()
    for stage, names in STAGES[1:]:
        for name in names:
            passes[name]()().apply(context, request.module)
        stop(stage)
    text = emit_llvm(request.module)
    stop("emit")
    compile_llvm_text(text, KERNEL_NAME)
    stop("LLVM")
    times["total"] = sum(times.values())
    return times


def _accesses(statement: Any) -> Any:
    from irtensor.frontend.expression_tree import accesses

    return accesses(statement.expression)


def compile_latency(repeats: int = 7) -> dict[str, dict[str, float]]:
    """Median seconds by statement and stage, warm."""
    table: dict[str, dict[str, float]] = {}
    for title, notation, formats, result in STATEMENTS:
        stage_times(notation, formats, result)
        runs = [stage_times(notation, formats, result) for _ in range(repeats)]
        table[title] = {name: median(run[name] for run in runs) for name in runs[0]}
    return table


def _seconds_per_call(function: Callable[[], Any], repeats: int = 2000) -> float:
    rounds: list[float] = []
    for _ in range(7):
        start = perf_counter()
        for _ in range(repeats // 7):
            function()
        rounds.append((perf_counter() - start) / (repeats // 7))
    return median(rounds)


def call_overhead() -> dict[str, float]:
    """Seconds of a call on a 2 x 2 matrix: nothing but overhead."""
    a = Tensor.from_numpy(np.eye(2), "dense, compressed")
    x, square = np.ones(2), np.ones((2, 2))
    return {
        "einsum, SpMV": _seconds_per_call(lambda: einsum("ij,j->i", a, x)),
        "einsum, element-wise product": _seconds_per_call(lambda: einsum("ij,ij->ij", a, square, format=_CSR)),
        "numpy.einsum": _seconds_per_call(lambda: np.einsum("ij,j->i", square, x)),
    }
