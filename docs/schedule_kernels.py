"""Kernels of taco's scheduling tests and of the dissertation's case studies, each with a schedule and its loops.

`docs/generate.py` writes them into docs/schedule/kernels.md; tests run them on all targets and compare their results.
"""

from __future__ import annotations

import textwrap
from typing import NamedTuple

import irtensor as it


class ScheduledKernel(NamedTuple):
    """A statement, the formats of its sparse tensors as Python writes them, and the steps of its schedule."""

    statement: str
    formats: dict[str, str]
    steps: str

    def compile(self, **options: object) -> it.Kernel:
        formats = {tensor: FORMATS[format] for tensor, format in self.formats.items()}
        return it.compile(self.statement, formats=formats, schedule=it.schedule(self.steps), **options)


FORMATS = {"it.CSR": it.CSR, "it.DCSR": it.DCSR, "it.CSF(3)": it.CSF(3)}
_SPMV, _SPMM, _SDDMM = "y[i] = A[i,j] * x[j]", "C[i,k] = A[i,j] * B[j,k]", "A[i,k] = B[i,k] * C[i,j] * D[j,k]"
_MTTKRP, _TTV = "A[i,j] = B[i,k,l] * D[l,j] * C[k,j]", "A[i,j] = B[i,j,k] * c[k]"
_TTM, _GEMM = "A[i,j,l] = B[i,j,k] * C[k,l]", "C[i,j] = A[i,k] * B[k,j]"
_A, _B = {"A": "it.CSR"}, {"B": "it.CSF(3)"}

KERNELS: dict[str, ScheduledKernel] = {
    "spmv by rows": ScheduledKernel(_SPMV, _A, "split(i, i0, i1, 16); parallelize(i0)"),
    "spmv by equal pieces": ScheduledKernel(
        _SPMV,
        _A,
        "fuse(i, j, f); pos(f, fp, A[i,j]); split(fp, block, entry, 1000); parallelize(block, temporary)",
    ),
    "spmv by equal pieces with a workspace": ScheduledKernel(
        _SPMV,
        _A,
        "fuse(i, j, f); pos(f, fp, A[i,j]); split(fp, block, fp1, 512); split(fp1, thread, entry, 16); "
        "precompute(A[i,j] * x[j], over=entry, producer=product, workspace=w); unroll(product, 16); "
        "parallelize(block, temporary)",
    ),
    "spmv by a warp per row": ScheduledKernel(_SPMV, _A, "parallelize(i, team=32)"),
    "spmv by lanes of a warp per row": ScheduledKernel(
        _SPMV,
        _A,
        "split(i, block, i1, 16); split(i1, row, warp, 8); pos(j, jp, A[i,j]); split(jp, entry, lane, 32); "
        "reorder(block, warp, row, lane, entry); parallelize(block)",
    ),
    "half of the rows": ScheduledKernel(_SPMV, {"A": "it.DCSR"}, "divide(i, half, row, 2)"),
    "half of the stored rows": ScheduledKernel(_SPMV, {"A": "it.DCSR"}, "pos(i, ip, A[i,j]); divide(ip, half, row, 2)"),
    "half of the entries": ScheduledKernel(
        _SPMV, {"A": "it.DCSR"}, "fuse(i, j, f); pos(f, fp, A[i,j]); divide(fp, half, entry, 2)"
    ),
    "spmm by rows": ScheduledKernel(
        _SPMM,
        _A,
        "split(i, i0, i1, 16); pos(j, jp, A[i,j]); split(jp, jp0, jp1, 8); reorder(i0, i1, jp0, jp1, k); "
        "parallelize(i0); vectorize(k, 8)",
    ),
    "spmm by eight entries": ScheduledKernel(
        _SPMM,
        _A,
        "split(i, i0, i1, 16); pos(j, jp, A[i,j]); split(jp, jp0, jp1, 8); reorder(i0, i1, jp0, k, jp1); "
        "parallelize(i0)",
    ),
    "spmm by entries": ScheduledKernel(
        _SPMM,
        _A,
        "reorder(i, j, k); fuse(i, j, f); pos(f, fp, A[i,j]); split(fp, block, entry, 1000); "
        "parallelize(block, temporary)",
    ),
    "spmm by blocks, warps and lanes": ScheduledKernel(
        _SPMM,
        _A,
        "reorder(i, j, k); fuse(i, j, f); pos(f, fp, A[i,j]); split(fp, block, fp1, 256); split(fp1, warp, entry, 8); "
        "split(k, strip, lane, 32); reorder(block, warp, lane, strip, entry); parallelize(block, atomics)",
    ),
    "sddmm": ScheduledKernel(
        _SDDMM,
        {"B": "it.CSR"},
        "split(i, i0, i1, 16); pos(k, kp, B[i,k]); split(kp, kp0, kp1, 8); reorder(i0, i1, kp0, kp1, j); "
        "parallelize(i0); vectorize(j, 8)",
    ),
    "sddmm with a sparse result": ScheduledKernel(
        _SDDMM, {"A": "it.CSR", "B": "it.CSR"}, "reorder(i, k, j); parallelize(i); vectorize(j, 8)"
    ),
    "sddmm by blocks, warps and lanes": ScheduledKernel(
        _SDDMM,
        {"B": "it.CSR"},
        "reorder(i, k, j); fuse(i, k, f); pos(f, fp, B[i,k]); split(fp, block, fp1, 256); split(fp1, warp, entry, 8); "
        "split(j, strip, lane, 32); reorder(block, warp, entry, lane, strip); parallelize(block, atomics)",
    ),
    "mttkrp by rows": ScheduledKernel(
        _MTTKRP, _B, "reorder(i, k, l, j); precompute(B[i,k,l] * D[l,j], over=j, workspace=w); parallelize(i)"
    ),
    "mttkrp by slices": ScheduledKernel(
        _MTTKRP, _B, "reorder(i, k, l, j); pos(i, ip, B[i,k,l]); split(ip, chunk, slice, 32); parallelize(chunk)"
    ),
    "mttkrp by entries": ScheduledKernel(
        _MTTKRP,
        _B,
        "reorder(i, k, l, j); fuse(i, k, ik); fuse(ik, l, f); pos(f, fp, B[i,k,l]); "
        "split(fp, chunk, entry, 1000); parallelize(chunk, temporary)",
    ),
    "mttkrp by blocks, warps and lanes": ScheduledKernel(
        _MTTKRP,
        _B,
        "reorder(i, k, l, j); fuse(k, l, kl); fuse(i, kl, f); pos(f, fp, B[i,k,l]); split(fp, block, fp1, 256); "
        "split(fp1, warp, entry, 8); split(j, strip, lane, 32); reorder(block, warp, strip, lane, entry); "
        "parallelize(block, atomics)",
    ),
    "ttv": ScheduledKernel(
        _TTV, _B, "fuse(i, j, f); pos(f, fp, B[i,j,k]); split(fp, chunk, fiber, 16); parallelize(chunk)"
    ),
    "ttv by entries": ScheduledKernel(
        _TTV,
        _B,
        "fuse(j, k, jk); fuse(i, jk, f); pos(f, fp, B[i,j,k]); split(fp, block, fp1, 256); "
        "split(fp1, thread, entry, 8); precompute(B[i,j,k] * c[k], over=entry, producer=product, workspace=w); "
        "unroll(product, 8); parallelize(block, atomics)",
    ),
    "ttm": ScheduledKernel(
        _TTM,
        _B,
        "reorder(i, j, k, l); fuse(i, j, f); pos(f, fp, B[i,j,k]); split(fp, chunk, fiber, 16); "
        "parallelize(chunk); vectorize(l, 8)",
    ),
    "dense product in tiles": ScheduledKernel(
        _GEMM,
        {},
        "split(i, i0, i1, 32); split(j, j0, j1, 32); split(k, k0, k1, 8); reorder(i0, j0, k0, i1, k1, j1); "
        "parallelize(i0); unroll(k1); vectorize(j1, 8)",
    ),
    "dense product in tiles of tiles": ScheduledKernel(
        _GEMM,
        {},
        "split(i, i0, i1, 64); split(j, j0, j1, 64); split(k, k0, k1, 64); split(i1, i2, i3, 8); "
        "split(j1, j2, j3, 16); reorder(i0, j0, k0, i2, j2, k1, i3, j3); parallelize(i0); "
        "unroll(i3, 8); vectorize(j3, 8)",
    ),
}


def kernel(name: str) -> str:
    """The call that makes a kernel, a step a line, and its loops."""
    found = KERNELS[name]
    given = ", ".join(f'"{tensor}": {format}' for tensor, format in found.formats.items())
    formats = [f"    formats={{{given}}},"] if given else []
    steps = textwrap.indent("\n".join(str(step) for step in it.schedule(found.steps).steps), "        ")
    schedule = f'    schedule=it.schedule("""\n{steps}\n    """),'
    call = ["import irtensor as it", "", "kernel = it.compile(", f'    "{found.statement}",', *formats, schedule, ")"]
    code = "\n".join(call)
    return f"```python\n{code}\n```\n\nIts loops:\n\n```text\n{loops_of(found.compile())}\n```\n"


def loops_of(kernel: it.Kernel) -> str:
    """The loops of a kernel, as `explain()` tells them."""
    return textwrap.dedent(kernel.explain().partition("\nloops\n")[2].partition("\n\n")[0])
