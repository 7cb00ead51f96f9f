"""The six kernels of Ahrens 2022, Figure 7, on random operands: by schedules, and by SciPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import irtensor as it
from benchmarks.autoscheduler_report import AUTO, DEFAULT, TUNED, UNSCHEDULED
from benchmarks.inputs import CSR, matricised, random_csf, random_csr, vector
from benchmarks.published_speedups import PUBLISHED
from benchmarks.references import row_wise_product
from irtensor.frontend.expression_tree import accesses
from irtensor.frontend.notation.notation_parser import parse_statement

# Sparse tensors by rank: as CSR, only the first level is dense. Vectors are dense.
FORMATS = {2: CSR, 3: "dense, compressed, compressed, pos = i32, crd = i32"}
Operands = Mapping[str, Any]


@dataclass(frozen=True)
class ScheduledKernel:
    """A statement, the published schedule, and what computes it with SciPy, given operands as `Operand.theirs`."""

    statement: str
    program: str
    scipy: Callable[..., Any]

    @property
    def ranks(self) -> dict[str, int]:
        """Tensors by name, the result last."""
        parsed = parse_statement(self.statement)
        return {access.tensor: len(access.indices) for access in (*accesses(parsed.expression), parsed.target)}

    @property
    def formats(self) -> dict[str, Any]:
        """How the tensors that have a format are stored, by name."""
        return {name: FORMATS[rank] for name, rank in self.ranks.items() if rank in FORMATS}

    @property
    def variables(self) -> list[str]:
        """The order of the default loops: that of the names."""
        parsed = parse_statement(self.statement)
        return sorted({index for access in accesses(parsed.expression) for index in access.plain_indices})

    def kernels(self) -> dict[str, Callable[..., Any]]:
        """The compared variants besides SciPy. Operands are converted at each call, where a schedule asks for that."""
        formats = self.formats
        by_name = it.schedule().reorder(*self.variables)
        return {
            DEFAULT: it.compile(self.statement, formats=formats, schedule=by_name),
            UNSCHEDULED: it.compile(self.statement, formats=formats),
            AUTO: it.compile(self.statement, formats=formats, schedule="auto"),
            TUNED: it.compile(self.statement, formats=formats, tune="samples"),
        }

    def as_published(self, operands: Operands) -> Callable[[], Any]:
        """A call with the published schedule, operands and result stored as it reads and writes them."""
        formats = self.formats
        if self.program.startswith("forall j:"):
            formats[list(self.ranks)[-1]] = it.Format("(i, j) -> (j : dense, i : compressed), pos = i32, crd = i32")
        schedule = it.schedule().autoschedule(program=self.program)
        kernel = it.compile(self.statement, formats=formats, schedule=schedule)
        kernel(**operands)
        stored = {
            name: operand.to_format(kernel.read_formats[name]) if name in kernel.read_formats else operand
            for name, operand in operands.items()
        }
        kernel = it.compile(self.statement, formats={**formats, **kernel.read_formats}, schedule=schedule)
        return lambda: kernel(**stored)

    def operands(self, extent: int, density: float) -> tuple[Operands, Operands]:
        """Random operands that have this extent in each dimension, as irtensor takes them and as SciPy does."""
        ours: dict[str, Any] = {}
        theirs: dict[str, Any] = {}
        for seed, (name, rank) in enumerate(list(self.ranks.items())[:-1]):
            ours[name], theirs[name] = _operand(rank, extent, int(density * extent**rank), seed)
        return ours, theirs


def _operand(rank: int, extent: int, stored: int, seed: int) -> tuple[Any, Any]:
    if rank == 1:
        return (vector(extent),) * 2
    if rank == 2:
        array = random_csr(extent, extent, max(1, stored), seed)
        return it.Tensor.from_scipy(array), array
    shape = (extent, extent, extent)
    tensor = random_csf(shape, max(1, stored), seed, FORMATS[3])
    return tensor, matricised(*tensor.to_coo(), shape)


def _sorted(matrix: Any) -> Any:
    """As irtensor stores CSR."""
    matrix = matrix.tocsr()
    matrix.sort_indices()
    return matrix


_SCIPY: dict[str, Callable[..., Any]] = {
    "SpMV": lambda B, c: B @ c,
    "SpMV2": lambda B, C, d: B @ (C @ d),
    "SpMTTKRP": lambda B, C, D: _sorted(B @ row_wise_product(C, D).T),
    "SpGEMM": lambda B, C: _sorted(B @ C.T),
    "SpGEMM2": lambda B, C, D: _sorted(B @ C @ D.T),
    "SpGEMMH": lambda B, C, D: _sorted(B @ C.multiply(D).T),
}
KERNELS = {
    name: ScheduledKernel(PUBLISHED[name].statement, PUBLISHED[name].program, scipy) for name, scipy in _SCIPY.items()
}
