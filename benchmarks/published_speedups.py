"""What Ahrens 2022, Figure 7, shows: how many times faster the schedule that was searched for is than the default one.

Values are those of the public repository's data files, tag `pldi2022`. The paper's times are without the assembly of
results and without transposes of operands.
"""

from __future__ import annotations

from dataclasses import dataclass, field

# The density at which dimensions grow.
DENSITY = 0.01


@dataclass(frozen=True)
class Published:
    """One kernel: the schedule that was chosen (Figure 8), the dimension at which densities grow, seconds there, and
    ratios by dimension and by density.

    Matrices and the tensor are sparse, vectors are dense. An operand written by columns is stored by columns.
    """

    statement: str
    program: str
    extent: int
    default_seconds: float
    best_seconds: float
    by_extent: dict[int, float] = field(default_factory=dict[int, float])
    by_density: dict[float, float] = field(default_factory=dict[float, float])

    @property
    def ratios(self) -> dict[int, float]:
        """By dimension, the largest one included."""
        return {**self.by_extent, self.extent: self.default_seconds / self.best_seconds}


def _densities(*ratios: float) -> dict[float, float]:
    return {2.0**-power: ratio for power, ratio in zip(range(6, 18, 2), ratios, strict=True)}


PUBLISHED: dict[str, Published] = {
    # Between 0.94 and 1.02 everywhere.
    "SpMV": Published(
        "a[i] = B[i,j] * c[j]",
        "forall ij: a[i(i)] += B[l(i),s(j)] * c[l(j)]",
        16384, 0.00288, 0.00289,
    ),
    "SpMV2": Published(
        "a[i] = B[i,j] * C[j,k] * d[k]",
        "(forall ij: a[i(i)] += B[l(i),s(j)] * w[l(j)]) where (forall jk: w[a(j)] += C[l(j),s(k)] * d[l(k)])",
        16384, 0.753, 0.00733,
        {512: 2.5, 1024: 5.4, 2048: 15, 4096: 37, 8192: 71},
        _densities(157, 59, 19.5, 4.6, 1.3, 0.71),
    ),
    "SpMTTKRP": Published(
        "A[i,j] = B[i,k,l] * C[j,k] * D[j,l]",
        "forall j: ((forall i: A[a(i),a(j)] = w[s(i)]) where "
        "(forall lki: w[i(i)] += B[s(i),s(k),l(l)] * C[s(j),s(k)] * D[s(j),s(l)]))",
        1024, 5.72, 0.0893,
        {64: 17, 128: 75, 256: 91, 512: 80},
        _densities(43, 266, 1250, 2650, 921, 267),
    ),
    "SpGEMM": Published(
        "A[i,j] = B[i,k] * C[j,k]",
        "forall i: ((forall j: A[a(i),a(j)] = w[s(j)]) where (forall kj: w[i(j)] += B[l(i),s(k)] * C[s(j),l(k)]))",
        4096, 5.09, 0.297,
        {128: 9.8, 256: 25, 512: 23, 1024: 21, 2048: 19},
        _densities(13, 47, 267, 1130, 1510, 1350),
    ),
    "SpGEMM2": Published(
        "A[i,j] = B[i,k] * C[k,l] * D[j,l]",
        "forall i: ((forall jl: A[a(i),a(j)] += w[l(l)] * D[s(j),s(l)]) where "
        "(forall kl: w[i(l)] += B[l(i),s(k)] * C[l(k),s(l)]))",
        2048, 13.07, 0.101,
        {128: 5, 256: 17, 512: 39, 1024: 62},
        _densities(229, 42, 8, 7, 15, 34),
    ),
    "SpGEMMH": Published(
        "A[i,j] = B[i,k] * C[j,k] * D[j,k]",
        "forall j: ((forall i: A[a(i),a(j)] = w[s(i)]) where "
        "(forall ki: w[i(i)] += B[s(i),l(k)] * C[s(j),s(k)] * D[l(j),s(k)]))",
        2048, 1.44, 0.00051,
        {128: 14, 256: 118, 512: 494, 1024: 1420},
        _densities(2030, 3100, 1600, 1210, 1690, 2050),
    ),
}  # fmt: skip
