"""Storage formats under the names people know them by; `Format(text)` reads any other."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from irtensor.core.check_tensor_format import MAXIMUM_RANK
from irtensor.core.coordinate_format import coordinate_format
from irtensor.core.diagnostics import UserError
from irtensor.core.level_format import LevelFormat
from irtensor.core.storage_levels import Level, LevelExpression
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.arguments import is_list
from irtensor.frontend.format_names import name_at_start, suggest_word
from irtensor.frontend.notation.notation_errors import UserTypeError

CSR = TensorFormat.of(["dense", "compressed"])
CSC = TensorFormat.of(["dense", "compressed"], order=[1, 0])
DCSR = TensorFormat.of(["compressed", "compressed"])
DCSC = TensorFormat.of(["compressed", "compressed"], order=[1, 0])
# As many slots in every row, filled from the left.
ELL = TensorFormat.of(["dense", "padded"])
# Runs of equal elements in every row.
RLE = TensorFormat.of(["dense", "run_list"])
# Blocks of consecutive entries in every row.
VBL = TensorFormat.of(["dense", "block_list"])
# One entry in each row: permutations, choices of one, labels.
PERMUTATION = TensorFormat.of(["dense", "point"])
# A block of coordinates in each row.
BAND = TensorFormat.of(["dense", "band"])
# Whole diagonals, each a row of elements numbered by row; SciPy's `dia` numbers them by column.
DIA = TensorFormat.parse("(i, j) -> (j - i : compressed, i : range, j : offset)")


def Format(text: str) -> TensorFormat:
    """The format that a text describes: `Format("dense, compressed")`, or with the dimensions, outermost level first.

    Functions that take a format take such a text, or a name such as `"csr"`, as well. Raises UserError [bad-format].

    >>> it.Format("(i, j) -> (j : dense, i : compressed)") == it.CSC
    True
    >>> it.Format("compressed, compressed, fill = inf, pos = i32, crd = i32")
    (i, j) -> (i : compressed, j : compressed), fill = inf, pos = i32, crd = i32
    >>> it.Format("compressed(crd = i8), compressed(crd = i16)")
    (i, j) -> (i : compressed(crd = i8), j : compressed), crd = i16
    """
    if not isinstance(text, str):
        raise UserTypeError("bad-format", f"the text of a format is a str, not {type(text).__name__}")
    try:
        return TensorFormat.parse(text)
    except UserError as error:
        suggest_word(error)
        if name := name_at_start(text):
            error.help = f"names are for format= and formats=, as format='{name}'; irtensor.{name} gives the format"
        raise


def Dense(rank: int, order: Iterable[int] | None = None) -> TensorFormat:
    """Every element stored; row-major unless `order` names the dimensions from the outermost.

    Raises UserError [bad-format].

    >>> it.Dense(2, order=(1, 0))
    (i, j) -> (j : dense, i : dense)
    """
    return _uniform("dense", rank, order)


def COO(rank: int = 2) -> TensorFormat:
    """A list of coordinates, sorted: compressed(nonunique), then singletons. No coordinates occur twice.

    Raises UserError [bad-format].

    >>> it.COO(3)
    (i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)
    """
    return coordinate_format(_rank(rank))


def CSF(rank: int, order: Iterable[int] | None = None) -> TensorFormat:
    """Compressed in every level; `order` names the dimensions from the outermost.

    Raises UserError [bad-format]. Source: Smith and Karypis 2015.

    >>> it.CSF(3, order=(2, 0, 1))
    (i, j, k) -> (k : compressed, i : compressed, j : compressed)
    """
    return _uniform("compressed", rank, order)


def PACKED(rank: int = 2) -> TensorFormat:
    """The elements whose coordinates do not grow: the lower triangle of a matrix, row by row, as BLAS packs it.

    All dimensions have the same extent. Raises UserError [bad-format].

    >>> it.PACKED(3)
    (i, j, k) -> (i : dense, j : triangle, k : triangle)
    >>> it.Tensor.from_numpy(np.tril(np.ones((3, 3))), it.PACKED(2)).values.size
    6
    """
    return TensorFormat.of(["dense" if number == 0 else "triangle" for number in range(_rank(rank))])


def BCSR(rows: int, columns: int) -> TensorFormat:
    """CSR of dense blocks of `rows` x `columns`; the last blocks are padded with the fill value.

    Raises UserError [bad-format].

    >>> it.BCSR(2, 3)
    (i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)
    """
    return _blocked((0, 1), (rows, columns))


def BCSC(rows: int, columns: int) -> TensorFormat:
    """CSC of dense row-major blocks of `rows` x `columns`; the last blocks are padded with the fill value.

    Raises UserError [bad-format].

    >>> it.BCSC(2, 3)
    (i, j) -> (j floordiv 3 : dense, i floordiv 2 : compressed, i mod 2 : dense, j mod 3 : dense)
    """
    return _blocked((1, 0), (rows, columns))


def CSB(size: int) -> TensorFormat:
    """Square blocks of `size`, all of them present; each a list of coordinates inside it, in any order.

    Raises UserError [bad-format]. Source: Buluc et al. 2009.

    >>> it.Tensor.from_numpy(np.eye(4), it.CSB(2)).nnz
    4
    """
    dense, heads = LevelFormat("dense"), LevelFormat("compressed", unique=False, ordered=False)
    blocks = [Level(LevelExpression(dimension, "floordiv", size), dense) for dimension in (0, 1)]
    offsets = [
        Level(LevelExpression(dimension, "mod", size), level)
        for dimension, level in ((0, heads), (1, LevelFormat("singleton")))
    ]
    return TensorFormat(2, (*blocks, *offsets))


def ModeGeneric(rank: int, sparse: int) -> TensorFormat:
    """COO over the first `sparse` dimensions of `rank`, each entry a dense block over the others.

    Raises UserError [bad-format]. Source: Baskaran et al. 2012.

    >>> it.ModeGeneric(3, 1)
    (i, j, k) -> (i : compressed, j : dense, k : dense)
    """
    if not 0 < _rank(sparse) <= _rank(rank):
        raise UserError("bad-format", f"{sparse} sparse dimensions of {rank}: expected 1..{rank}")
    heads = [level.format for level in coordinate_format(sparse).levels]
    return TensorFormat.of([*heads, *[LevelFormat("dense")] * (rank - sparse)])


def _uniform(level: str, rank: int, order: Iterable[int] | None) -> TensorFormat:
    levels = [level] * _rank(rank)
    if order is None:
        return TensorFormat.of(levels)
    dimensions = [int(one) for one in order if isinstance(one, int | np.integer)] if is_list(order) else []
    if len(dimensions) != rank or any(dimension not in dimensions for dimension in range(rank)):
        message = f"the order {order!r} does not name each dimension from 0 to {rank - 1} once"
        raise UserError("bad-format", message, help=f"give it as {tuple(range(rank))}, or in any other order of these")
    return TensorFormat.of(levels, dimensions)


def _blocked(order: tuple[int, int], sizes: tuple[int, int]) -> TensorFormat:
    dense, compressed = LevelFormat("dense"), LevelFormat("compressed")
    outer, inner = (LevelExpression(dimension, "floordiv", sizes[dimension]) for dimension in order)
    blocks = [Level(LevelExpression(dimension, "mod", sizes[dimension]), dense) for dimension in (0, 1)]
    return TensorFormat(2, (Level(outer, dense), Level(inner, compressed), *blocks))


def _rank(rank: int) -> int:
    # A list of as many levels would be made before it is found too long.
    if isinstance(rank, bool) or not isinstance(rank, int) or not 0 <= rank <= MAXIMUM_RANK:
        raise UserError("bad-format", f"rank {rank!r} is not a number from 0 to {MAXIMUM_RANK}")
    return rank


def block_size(format: TensorFormat, shape: tuple[int, ...]) -> tuple[int, int] | None:
    """The size of blocks, where a matrix is stored as BCSR in whole ones."""
    if format.rank != 2 or len(format.levels) != 4:
        return None
    size = (format.levels[0].expression.factor, format.levels[1].expression.factor)
    whole = all(extent % factor == 0 for extent, factor in zip(shape, size, strict=True))
    return size if whole and format == BCSR(*size) else None
