"""Statements whose results have computed indices, against NumPy's `ufunc.at`: formats, threads, operators, checks."""

import random

import numpy as np
import pytest
from sampling import few_or_many

import irtensor as it

RESULTS = (None, "compressed", "bitmap", "hashed")
MATRICES = (None, "csr", "csc", "dense, bitmap")
OPERATORS = {
    "+=": (np.add, 0.0),
    "max=": (np.maximum, -np.inf),
    "min=": (np.minimum, np.inf),
    "*=": (np.multiply, 1.0),
}


def stored(array, format):
    return array if format is None else it.Tensor.from_numpy(array, format)


def scattered(operator, coordinates, values, shape, start=None):
    """What terms at coordinates combine to, and 0 where there is none; or with what a result starts from."""
    combine, identity = OPERATORS[operator]
    found = np.full(shape, identity) if start is None else start.copy()
    combine.at(found, tuple(coordinates), values)
    reached = np.zeros(shape, bool)
    reached[tuple(coordinates)] = True
    return np.where(reached, found, 0.0 if start is None else start)


@pytest.mark.parametrize("seed", range(few_or_many(25, 1500)))
def test_random_statements(seed):
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    rows, columns, extent = draw.randint(1, 5), draw.randint(1, 4), draw.randint(1, 5)
    operator, threads = draw.choice([*OPERATORS]), draw.choice([1, 2])
    X = numbers.integers(1, 4, (rows, columns)) * (numbers.random((rows, columns)) < 0.7) * 1.0
    I, J = numbers.integers(0, extent, rows), numbers.integers(0, extent, (rows, columns))
    i, j = np.indices(X.shape)
    forms = {
        "I[i]": I[i],
        "J[i,j]": J,
        "i + j": i + j,
        "2 * i": 2 * i,
        "J[i,j] // 2": J // 2,
        "pad(I[i] + j)": I[i] + j,
        "pad(i - j)": i - j,
        "j + 1": j + 1,
    }
    chosen = draw.sample([*forms], draw.choice([1, 2]))
    coordinates = [forms[one] for one in chosen]
    where = numbers.random(X.shape) < 0.6 if draw.random() < 0.5 else np.ones(X.shape, bool)
    shape = tuple(
        extent if one.startswith("pad") else int(at.max(initial=0)) + draw.randint(1, 2)
        for one, at in zip(chosen, coordinates, strict=True)
    )
    kept = where.copy()
    for one, extent_of in zip(coordinates, shape, strict=True):
        kept &= (one >= 0) & (one < extent_of)
    given = {"X": stored(X, draw.choice(MATRICES)), "I": I, "J": J, "M": where}
    value = draw.choice(["X[i,j]", "X[i,j] + 1", "(i + 1) * X[i,j]"])
    values = {"X[i,j]": X, "X[i,j] + 1": X + 1, "(i + 1) * X[i,j]": (i + 1) * X}[value]
    text = f"y[{', '.join(chosen)}] {operator} {value}{'' if where.all() else ' if M[i,j]'}"
    given = {name: one for name, one in given.items() if f"{name}[" in text.split("]", 1)[0] + "]" + text}
    at = [one[kept] for one in coordinates]
    expected = scattered(operator, at, values[kept], shape)
    format = draw.choice(RESULTS if len(shape) == 1 else MATRICES)
    kernel = it.compile(text, {} if format is None else {"y": format}, extents={"y": shape}, num_threads=threads)
    reached = scattered("+=", at, np.ones(kept.sum()), shape) > 0
    found = kernel(**given)
    if isinstance(found, it.Tensor):
        assert format in ("bitmap", "dense, bitmap") or found.nnz <= np.count_nonzero(reached)
        nothing, found = found.fill_value, found.to_numpy()
    else:
        nothing = OPERATORS[operator][1]
    expected = np.where(reached, expected, nothing)
    np.testing.assert_array_equal(found, expected, err_msg=f"{text} {shape} {format} {threads}")
    start = numbers.integers(0, 3, shape) * 1.0
    found = it.compile(text, num_threads=threads)(**given, y=start)
    np.testing.assert_array_equal(found, scattered(operator, at, values[kept], shape, start), err_msg=f"{text} {start}")


def test_histograms_and_scattered_rows():
    numbers = np.random.default_rng(0)
    img, mask = numbers.integers(0, 256, (20, 30)), numbers.random((20, 30)) < 0.25
    count = it.compile("h[img[y,x] // 16] += 1 if mask[y,x]", extents={"h": (16,)})
    np.testing.assert_array_equal(count(img=img, mask=mask), np.bincount(img[mask] // 16, minlength=16))
    # No loop over the sixteen: one over the image.
    assert count.ir("loop").count("loop.for") == 1
    I, X = numbers.integers(0, 7, 20), numbers.random((20, 3))
    rows = np.zeros((7, 3))
    np.add.at(rows, I, X)
    np.testing.assert_allclose(it.compile("H[I[k], j] += X[k,j]", extents={"H": (7, 3)})(I=I, X=X), rows)
    np.testing.assert_allclose(it.compile("H[j, I[k]] += X[k,j]", extents={"H": (3, 7)})(I=I, X=X), rows.T)
    a, b, out = numbers.random(5), numbers.random(4), np.zeros(8)
    it.compile("y[i + j] += a[i] * b[j]")(a=a, b=b, out=out)
    np.testing.assert_allclose(out, np.convolve(a, b))
    np.testing.assert_array_equal(it.compile("y[2 * i + 1] = a[i]", extents={"y": (10,)})(a=a)[1::2], a)
    order = numbers.permutation(5)
    np.testing.assert_array_equal(it.compile("y[P[i]] = a[i]", extents={"y": (5,)})(P=order, a=a)[order], a)
    both = it.compile("Y[i, i + j] = a[i] * b[j]", extents={"Y": (5, 8)})(a=a, b=b)
    np.testing.assert_array_equal(both, [np.r_[np.zeros(i), a[i] * b, np.zeros(4 - i)] for i in range(5)])
    # Twice an element does not fit into the type of the elements.
    narrow = it.compile("y[2 * I[i]] += x[i]", extents={"y": (201,)})(I=np.array([100, 3], np.int8), x=np.ones(2))
    np.testing.assert_array_equal(np.flatnonzero(narrow), [6, 200])


def test_conditions_on_values_that_are_converted():
    b, x = np.array([True, False, True]), np.array([100, 7, 3], np.int8)
    assert it.compile("s += b[i] if b[i]")(b=b) == 2
    kernel = it.compile("y[i] = x[i] if b[i]", dtypes={"y": "int64"})
    np.testing.assert_array_equal(kernel(b=b, x=x), [100, 0, 3])


def test_declared_extents():
    x = np.arange(3.0)
    np.testing.assert_array_equal(it.compile("y[i] = 2.5", extents={"i": 3})(), [2.5] * 3)
    np.testing.assert_array_equal(it.compile("y[i,j] = x[i]", extents={"y": (3, 2)})(x=x), np.outer(x, [1, 1]))
    np.testing.assert_array_equal(it.compile("y[2 * i] = 1", extents={"i": 2, "y": (5,)})(), [1, 0, 1, 0, 0])
    np.testing.assert_array_equal(it.compile("y[2 * i] = 1", extents={"y": (5,)})(), [1, 0, 1, 0, 1])
    np.testing.assert_array_equal(it.compile("y[i] = x[clamp(i)]", extents={"i": 5})(x=x), [0, 1, 2, 2, 2])
