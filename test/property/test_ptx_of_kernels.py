"""Kernels of GPUs become PTX for old and new processors, which NVIDIA's assembler accepts where there is one."""

import re
from pathlib import Path
from typing import Any, cast

import pytest
from cuda_assembler import PTXAS, assemble

import irtensor as it

CSR, CSC, DCSR, COO = it.CSR, it.CSC, it.DCSR, it.COO(2)
BLOCKS = it.Format("(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)")
COLUMNS = it.Format("(i, j) -> (j : compressed, i : compressed)")
CSF = it.Format("compressed, compressed, compressed")
FOURTH = it.Format("compressed, compressed, compressed, compressed")
KERNELS: dict[str, tuple[str, dict[Any, Any]]] = {
    "SpMV CSR": ("y[i] = A[i,j] * x[j]", {"A": CSR}),
    "SpMV CSC": ("y[i] = A[i,j] * x[j]", {"A": CSC}),
    "SpMV COO": ("y[i] = A[i,j] * x[j]", {"A": COO}),
    "SpMV DCSR": ("y[i] = A[i,j] * x[j]", {"A": DCSR}),
    "SpMV BCSR": ("y[i] = A[i,j] * x[j]", {"A": BLOCKS}),
    "SpMV ELL": ("y[i] = A[i,j] * x[j]", {"A": it.ELL}),
    "SpMV DIA": ("y[i] = A[i,j] * x[j]", {"A": it.DIA}),
    "SpMM": ("C[i,k] = A[i,j] * X[j,k]", {"A": CSR}),
    "SDDMM": ("C[i,j] = S[i,j] * P[i,k] * Q[j,k]", {"S": CSR, "C": CSR}),
    "SDDMM, other orientation": ("C[i,j] = S[i,j] * P[i,k] * Q[k,j]", {"S": CSR, "C": CSR}),
    "MTTKRP": ("M[i,r] = T[i,j,k] * B[j,r] * D[k,r]", {"T": CSF}),
    "MTTKRP of order 4": ("M[i,r] = T[i,j,k,l] * B[j,r] * D[k,r] * E[l,r]", {"T": FOURTH}),
    "TTV": ("C[i,j] = T[i,j,k] * x[k]", {"T": CSF, "C": DCSR}),
    "TTM": ("C[i,j,r] = T[i,j,k] * X[k,r]", {"T": CSF, "C": it.Format("compressed, compressed, dense")}),
    "GEMV": ("y[i] = A[i,j] * x[j]", {}),
    "GEMM": ("C[i,k] = A[i,j] * B[j,k]", {}),
    "CSR + CSR": ("C[i,j] = A[i,j] + B[i,j]", {"A": CSR, "B": CSR, "C": CSR}),
    "CSR .* CSR": ("C[i,j] = A[i,j] * B[i,j]", {"A": CSR, "B": CSR, "C": CSR}),
    "sum of 3": ("Z[i,j] = A[i,j] + B[i,j] + C[i,j]", dict.fromkeys("ABCZ", CSR)),
    "sum of 5": ("Z[i,j] = A[i,j] + B[i,j] + C[i,j] + D[i,j] + E[i,j]", dict.fromkeys("ABCDEZ", CSR)),
    "SpGEMM": ("C[i,k] = A[i,j] * B[j,k]", {"A": CSR, "B": CSR, "C": CSR}),
    "masked SpGEMM": ("C[i,k] = M[i,k] * A[i,j] * B[j,k]", dict.fromkeys("MABC", CSR)),
    "triangles": ("s = A[i,j] * B[j,k] * C[i,k]", dict.fromkeys("ABC", CSR)),
    "rows in any order": ("C[i,k] = A[i,j] * B[j,k]", {"A": COLUMNS, "B": DCSR, "C": it.Format("compressed, bitmap")}),
    "min-plus": ("y[i] = min(j, A[i,j] + x[j])", {"A": it.CSR.with_fill(float("inf"))}),
}
# Of kernels that take more than 64 registers, on sm_80: at most. Two sets have eight addresses of layers.
REGISTERS = {"masked SpGEMM": 72}


@pytest.mark.one_in(32)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100", "sm_120"])
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_assemble(name: str, arch: str, tmp_path: Path):
    statement, formats = KERNELS[name]
    text = it.compile(statement, formats=formats).ptx(arch)
    assert f".target {arch}" in text
    entries = text.count(".entry")
    assert entries
    if PTXAS is not None:
        said = assemble(text, arch, tmp_path)
        registers = [int(number) for number in re.findall(r"Used (\d+) registers", said)]
        assert len(registers) == entries and max(registers) <= REGISTERS.get(name, 64)
        # What a thread has for itself is in registers.
        stack = [int(number) for number in re.findall(r"(\d+) bytes stack frame", said)]
        assert max(stack) == 0


def test_a_processor_has_a_name() -> None:
    with pytest.raises(it.UserError, match="a processor has a name such as 'sm_90', not 90"):
        it.compile("y[i] = x[i]").ptx(cast(Any, 90))
