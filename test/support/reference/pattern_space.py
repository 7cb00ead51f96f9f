"""Statements with up to four operands and index variables over every storage of operands and result.

The patterns are those of linear and multilinear algebra: products, masked products, sums of several, tensor times
matrix and vector, MTTKRP, transpositions. Their storages are too many to try all; `draw` gives one at random.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import product

from reference.case_space import (
    BITMAP,
    COMPRESSED,
    DENSE,
    HEAD,
    INF,
    MIDDLE,
    OPERANDS,
    RESULTS,
    SINGLETON,
    Levels,
    stored,
)
from reference.compare_with_oracle import Case
from reference.draw_widths import with_drawn_widths

from irtensor.core.level_format import LevelFormat
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import accesses
from irtensor.named_formats import BCSC, BCSR

# Statement, and the value of what its operands do not store.
PATTERNS: Mapping[str, tuple[str, float]] = {
    "product": ("C[i,j] = A[i,k] * B[k,j]", 0),
    "rows by rows": ("C[i,j] = A[i,k] * B[j,k]", 0),
    "chain": ("C[i,l] = A[i,j] * B[j,k] * D[k,l]", 0),
    "shortest paths": ("C[i,j] = min(k, A[i,k] + B[k,j])", INF),
    "product in a sum": ("C[i,j] = A[i,k] * B[k,j] + D[i,j]", 0),
    "sum in a product": ("C[i,j] = sum(k, (A[i,k] + B[i,k]) * D[k,j])", 0),
    "masked product": ("C[i,j] = D[i,j] * sum(k, A[i,k] * B[k,j])", 0),
    "matrix times vector": ("C[i] = A[i,j] * B[j] + D[i]", 0),
    "sum of three": ("C[i,j] = A[i,j] + B[j,i] + D[i,j]", 0),
    "sum of five": ("C[i,j] = A[i,j] + B[i,j] - D[j,i] + E[i,j] + F[i,j]", 0),
    "sum of tensors": ("C[i,j,k] = A[i,j,k] + B[k,j,i] + D[j,i,k]", 0),
    "MTTKRP": ("C[i,j] = A[i,k,l] * B[k,j] * D[l,j]", 0),
    "TTM": ("C[i,j,l] = A[i,j,k] * B[k,l]", 0),
    "TTV": ("C[i,j] = A[i,k,j] * B[k]", 0),
    "contraction": ("C[i,l] = A[i,j,k] * B[k,j,l]", 0),
    "outer product": ("C[i,j,k,l] = A[i,k] * B[j,l]", 0),
    "transposition": ("C[i,j,k,l] = A[l,j,i,k]", 0),
    "sum of order four": ("C[i,j,k,l] = A[i,j,k,l] + B[l,k,j,i]", 0),
    "slices": ("C[i,k] = A[i,j,k,l] * B[l,j]", 0),
}

_LISTS: dict[int, tuple[Levels, ...]] = {
    **OPERANDS,
    4: (
        *product((DENSE, COMPRESSED), repeat=4),
        *((HEAD, MIDDLE, MIDDLE, SINGLETON), (DENSE, HEAD, MIDDLE, SINGLETON), (COMPRESSED, BITMAP, DENSE, BITMAP)),
    ),
}
_BLOCKED = (BCSR(2, 2), BCSR(2, 3), BCSC(3, 2))


def draw(pattern: str, choose: random.Random) -> Case:
    """The pattern over operands and a result in any formats, levels in any order; a few in blocks or plain arrays."""
    notation, fill = PATTERNS[pattern]
    statement = Case(notation, {}).statement()
    ranks = {access.tensor: len(access.indices) for access in accesses(statement.expression)}
    blocked = choose.random() < 0.15
    formats = {name: _format(rank, _LISTS[rank], blocked, choose) for name, rank in ranks.items()}
    with_fill = {name: f if f is None or f.is_dense else f.with_fill(fill) for name, f in formats.items()}
    rank = len(statement.target.indices)
    lists = [levels for levels in RESULTS.get(rank, _LISTS[rank]) if levels]
    return Case(notation, with_fill, _format(rank, lists, blocked, choose))


def _format(
    rank: int, lists: list[Levels] | tuple[Levels, ...], blocked: bool, choose: random.Random
) -> TensorFormat | None:
    if choose.random() < 0.1:
        return None
    if blocked and rank == 2 and choose.random() < 0.6:
        return choose.choice(_BLOCKED)
    levels: list[LevelFormat] = list(choose.choice(lists))
    return with_drawn_widths(stored(levels, choose.sample(range(rank), rank)), choose.choice)
