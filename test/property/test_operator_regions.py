"""Operators have values where their regions say: all regions of three operands, in every format."""

import random
import warnings
from functools import reduce
from itertools import product

import numpy as np
import pytest
from sampling import few_or_many

import irtensor as it

VECTORS = ("dense", "compressed", "bitmap", "hashed", "padded")
MATRICES = (
    "dense, dense",
    "dense, compressed",
    "compressed, compressed",
    "(i, j) -> (j : dense, i : compressed)",
    "(i, j) -> (j : compressed, i : compressed)",
    "compressed(nonunique), singleton",
    "dense, bitmap",
    "bitmap, bitmap",
    "hashed, hashed",
    "dense, padded",
    "compressed, dense",
    "(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)",
    "(i, j) -> (j - i : compressed, i : range, j : offset)",
    "(i, j) -> (j - i : dense, i : range, j : offset)",
)
RESULTS = {
    1: ("dense", "compressed", "bitmap"),
    2: ("dense, dense", *MATRICES[1:3], *MATRICES[4:6], "dense, bitmap", MATRICES[11]),
}
SHAPES = {1: (16,), 2: (8, 5)}
BODIES = (
    lambda a, b, c: a + 2 * b + 4 * c,
    lambda a, b, c: a * b * c,
    lambda a, b, c: 1 + a + b + c,
    lambda a, b, c: a,
)


def region_of(mask, count):
    """The region with the sets of stored operands that are bits of a mask, as what an operator is given."""

    def region(*operands):
        found = False
        for stored in range(1 << count):
            if mask >> stored & 1:
                parts = [one if stored >> number & 1 else ~one for number, one in enumerate(operands)]
                found = reduce(lambda a, b: a & b, parts) | found
        return found

    return region


def stored_tensor(places, values, format, fill=0):
    """A tensor with entries at some places, and its dense meaning; of a dense one, all are entries."""
    dense = np.where(places, values, float(fill))
    format = str(format)
    if it.Format(format).is_dense:
        return dense, dense, np.ones(places.shape, bool)
    text = f"{format}, fill = {fill}" if fill else format
    coordinates = np.nonzero(places)
    tensor = it.Tensor.from_coo(np.array(coordinates), values[coordinates], shape=places.shape, format=it.Format(text))
    return tensor, dense, entries_of(tensor)


def entries_of(tensor):
    entries = np.zeros(tensor.shape, bool)
    entries[tuple(tensor.to_coo()[0])] = True
    return entries


def check(kernel, operands, mask, expected):
    """A kernel's result has the values of a dense evaluation, and entries where the region has some operand stored."""
    result = kernel(**{name: tensor for name, (tensor, _, _) in operands.items()})
    array = result if isinstance(result, np.ndarray) else result.to_numpy()
    np.testing.assert_array_equal(array, expected)
    if isinstance(result, np.ndarray) or result.format.fill or result.format.stores_fill:
        return
    sets = sum(entries.astype(int) << number for number, (_, _, entries) in enumerate(operands.values()))
    inside = np.vectorize(lambda stored: bool(mask >> stored & 1))(sets)
    sparse = [entries for tensor, _, entries in operands.values() if not isinstance(tensor, np.ndarray)]
    somewhere = np.logical_or.reduce(sparse) if sparse else np.ones(inside.shape, bool)
    found = entries_of(result)
    assert not found[~inside].any()
    assert found[inside & somewhere].all()


def computed(mask, dense, entries, body, cases):
    sets = sum(one.astype(int) << number for number, one in enumerate(entries))
    value = body(*dense)
    for case, other in cases.items():
        value = np.where(sets == sum(1 << number for number in case), other(*dense), value)
    inside = np.vectorize(lambda stored: bool(mask >> stored & 1))(sets)
    return np.where(inside, value, 0.0)


def kernel_of(count, rank, formats, result, operator, **settings):
    names = "ABD"[:count]
    indices = "ij"[:rank]
    access = ", ".join(f"{name}[{', '.join(indices)}]" for name in names)
    given = dict(zip(names, formats, strict=True)) | {"C": result}
    return it.compile(
        f"C[{', '.join(indices)}] = @f({access})",
        formats={name: it.Format(format) for name, format in given.items()},
        operators=[operator],
        **settings,
    )


@pytest.mark.one_in(1920)
@pytest.mark.parametrize("mask", range(256))
@pytest.mark.parametrize("levels", [*VECTORS, *MATRICES])
def test_all_regions_of_three_operands(levels, mask):
    """Each set of stored operands occurs, with zeros among what is stored and without."""
    rank = 1 if levels in VECTORS else 2
    drawn = random.Random(f"{levels} {mask}")
    result, target = drawn.choice(RESULTS[rank]), drawn.choice(["cpu", "cpu", "cpu", "cuda-emulated"])
    operator = it.operator("f", BODIES[0], region=region_of(mask, 3))
    kernel = kernel_of(3, rank, [levels] * 3, result, operator, target=target)
    size = int(np.prod(SHAPES[rank]))
    sets = np.arange(size).reshape(SHAPES[rank]) % 8
    for zeros in (False, True):
        values = np.random.default_rng(mask).integers(1 - zeros, 3, (3, *SHAPES[rank])).astype(float)
        operands = {
            name: stored_tensor((sets >> number & 1).astype(bool), values[number], levels)
            for number, name in enumerate("ABD")
        }
        _, dense, entries = zip(*operands.values(), strict=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", it.DenseResultWarning)
            check(kernel, operands, mask, computed(mask, dense, entries, BODIES[0], {}))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(few_or_many(25, 1500)))
def test_mixed_levels(seed):
    """Operands in formats of their own, with fill values, other bodies by what is stored, and automatic schedules."""
    drawn, numbers = random.Random(seed), np.random.default_rng(seed)
    rank, count = drawn.choice([1, 2]), drawn.choice([2, 3])
    formats = [drawn.choice(VECTORS if rank == 1 else MATRICES) for _ in range(count)]
    mask, whole = drawn.randrange(1 << (1 << count)), drawn.choice(BODIES)
    body = whole if count == 3 else lambda a, b: whole(a, b, 0)
    case = tuple(sorted(drawn.sample(range(count), drawn.randrange(count + 1))))
    other = (lambda a, b, c: a - b + 9.0) if count == 3 else (lambda a, b: a - b + 9.0)
    cases = drawn.choice([{}, {case: other}])
    operator = it.operator("f", body, region=region_of(mask, count), cases=cases, fill=0.0)
    operands = {}
    for name, format in zip("ABD", formats, strict=False):
        places, values = numbers.random(SHAPES[rank]) < 0.4, numbers.integers(0, 4, SHAPES[rank]).astype(float)
        fill = drawn.choice([0, 0, 2]) if not it.Format(format).stores_fill else 0
        operands[name] = stored_tensor(places, values, format, fill)
    # Formats with the fill values of the operands.
    given = [
        tensor.format if isinstance(tensor, it.Tensor) else it.Format(format)
        for (tensor, _, _), format in zip(operands.values(), formats, strict=True)
    ]
    settings = drawn.choice([{}, {}, {"schedule": "auto"}, {"target": "cuda-emulated"}])
    kernel = kernel_of(count, rank, map(str, given), drawn.choice(RESULTS[rank]), operator, **settings)
    _, dense, entries = zip(*operands.values(), strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", it.DenseResultWarning)
        check(kernel, operands, mask, computed(mask, dense, entries, body, cases))


@pytest.mark.parametrize("result", ["dense", "compressed"])
@pytest.mark.parametrize(
    "region, inside",
    [
        (lambda *x: reduce(lambda a, b: a ^ b, x), lambda stored: stored.sum(0) % 2 == 1),
        (lambda *x: reduce(lambda a, b: a | b, x), lambda stored: stored.any(0)),
        (lambda *x: x[0] & ~x[1] & ~x[8], lambda stored: stored[0] & ~stored[1] & ~stored[8]),
    ],
)
def test_many_operands(region, inside, result):
    """One body serves the sets of nine operands, which are too many to have a case each."""
    names = [f"A{number}" for number in range(9)]
    stored = np.array(list(product([False, True], repeat=9))[::3]).T
    values = np.random.default_rng(0).integers(1, 9, stored.shape).astype(float)
    total = it.operator("total", lambda a, b, c, d, e, f, g, h, k: a + b + c + d + e + f + g + h + k, region=region)
    formats = {name: it.Format("compressed") for name in names} | {"C": it.Format(result)}
    access = ", ".join(f"{name}[i]" for name in names)
    kernel = it.compile(f"C[i] = @total({access})", formats=formats, operators=[total])
    rows = zip(names, stored, values, strict=True)
    found = kernel(**{name: stored_tensor(places, row, "compressed")[0] for name, places, row in rows})
    where = inside(stored)
    expected = np.where(where, np.where(stored, values, 0).sum(0), 0)
    np.testing.assert_array_equal(found if result == "dense" else found.to_numpy(), expected)
    if result == "compressed":
        np.testing.assert_array_equal(entries_of(found), where)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("target", ["cpu", "cuda-emulated"])
@pytest.mark.parametrize("operand", ["dense, compressed", "compressed(nonunique), singleton", "dense, hashed"])
@pytest.mark.parametrize("dtype", [np.float64, np.bool_])
@pytest.mark.parametrize("mask", [2, 4, 6, 9, 13])
def test_blocks_of_a_result_do_not_hide_stored_zeros(mask, dtype, operand, target):
    """A place of a block is stored whether an operand has an entry there or not, which is asked of the operand."""
    numbers = np.random.default_rng(3)
    blocks = it.Format(MATRICES[11])
    places, values = numbers.random((2, 6, 5)) < 0.4, numbers.integers(0, 2, (2, 6, 5)).astype(dtype)
    a, m = (
        it.Tensor.from_coo(np.nonzero(at), v[at], shape=(6, 5), format=operand)
        for at, v in zip(places, values, strict=True)
    )
    dense = np.where(places[0], values[0], dtype(0))
    operator = it.operator("f", lambda a, b: a, region=region_of(mask, 2), fill=0)
    kernel = it.compile("C[i,j] = @f(A[i,j], M[i,j])", {"C": blocks}, operators=[operator], target=target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", it.DenseResultWarning)
        result = kernel(A=a, M=m)
    inside = np.vectorize(lambda one, other: bool(mask >> (one + 2 * other) & 1))(*places.astype(int))
    np.testing.assert_array_equal(result.to_numpy(), np.where(inside, dense, dtype(0)), f"{mask:04b}")
    kernel = it.compile("C[i,j] = where(stored(A[i,j]), M[i,j] + 1, 0)", {"C": blocks}, target=target)
    expected = np.where(places[0], np.where(places[1], values[1], 0).astype(dtype) + 1, 0)
    np.testing.assert_array_equal(kernel(A=a, M=m).to_numpy(), expected)


@pytest.mark.one_in(128)
@pytest.mark.parametrize("target", ["cpu", "cuda-emulated"])
@pytest.mark.parametrize("schedule", [None, "auto"])
@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("body", [lambda a, b: a, lambda a, b: a * b, lambda a, b: a + b, lambda a, b: 1 + a - a])
@pytest.mark.parametrize("mask", range(16))
def test_regions_of_sums(mask, body, columns, schedule, target):
    """Entries are those of the region, also where a sum cancels, or adds up nothing."""
    numbers = np.random.default_rng(mask)
    stored, values = numbers.random((3, 7, 7)) < 0.3, numbers.integers(-1, 2, (3, 7, 7)).astype(float)
    formats = [it.CSR, it.CSC if columns else it.CSR, it.CSR]
    operands = [stored_tensor(*one) for one in zip(stored, values, formats, strict=True)]
    (a, dense_a, at_a), (b, dense_b, at_b), (m, dense_m, at_m) = operands
    operator = it.operator("f", body, region=region_of(mask, 2))
    settings = {} if schedule is None else {"schedule": schedule}
    statement = "C[i,j] = @f(sum(k, A[i,k] * B[k,j]), M[i,j])"
    formats = {"A": a.format, "B": b.format, "M": m.format, "C": it.CSR}  # pyrefly: ignore[missing-attribute]
    kernel = it.compile(statement, formats, operators=[operator], target=target, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", it.DenseResultWarning)
        result = kernel(A=a, B=b, M=m)
    reached = (at_a.astype(int) @ at_b) > 0
    inside = np.array(
        [[bool(mask >> (x + 2 * y) & 1) for x, y in zip(*row, strict=True)] for row in zip(reached, at_m, strict=True)]
    )
    expected = np.where(inside, body(dense_a @ dense_b, dense_m), 0.0)
    np.testing.assert_array_equal(result.to_numpy(), expected)
    if not mask & 1:
        np.testing.assert_array_equal(entries_of(result), inside)
