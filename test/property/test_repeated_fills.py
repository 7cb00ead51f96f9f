"""What a fill value contributes to a reduction is computed at once: operators, types, formats, threads."""

import numpy as np
import pytest

import irtensor as it

REDUCTIONS = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}
FORMATS = [
    it.CSR,
    it.DCSR,
    it.CSC,
    it.COO(2),
    it.Format("hashed, hashed"),
    it.Format("bitmap, compressed"),
    it.BCSR(2, 3),
]
FILLS = {"f8": (0, 1, -1, np.inf, 0.5), "f4": (0, -1, 2), "i8": (0, 1, -1, 3), "i1": (0, -1, 2)}


def operand(shape, format, dtype, fill, density, seed=0):
    rng = np.random.default_rng(seed)
    array = np.where(rng.random(shape) < density, rng.integers(-2, 3, shape), fill).astype(dtype)
    return array, it.Tensor.from_numpy(array, format.with_fill(array.dtype.type(fill).item()))


@pytest.mark.one_in(128)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("format", FORMATS, ids=str)
@pytest.mark.parametrize(("dtype", "fill"), [(dtype, fill) for dtype, fills in FILLS.items() for fill in fills])
@pytest.mark.usefixtures("small_parts")
def test_reductions(dtype, fill, format, threads):
    for seed, (shape, density) in enumerate(
        [((6, 9), 0.3), ((6, 9), 0.0), ((5, 3), 1.0), ((0, 3), 0.5), ((3, 0), 0.5)]
    ):
        array, tensor = operand(shape, format, dtype, fill, density, seed)
        for name, reduce in REDUCTIONS.items():
            for text, axis in (
                (f"s = {name}(i, {name}(j, A[i,j]))", None),
                (f"s[i] = {name}(j, A[i,j])", 1),
                (f"s[j] = {name}(i, A[i,j])", 0),
            ):
                if array.size == 0 and name in ("min", "max") and array.dtype.kind == "i":
                    continue
                found = run(text.replace("add(", "sum(").replace("mul(", "prod("), tensor, threads)
                expected = reduced(reduce, array, axis, dtype)
                np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype == "f4" else 1e-12, err_msg=text)


def run(text, tensor, threads):
    return np.asarray(it.compile(text, {"A": tensor.format}, num_threads=threads)(A=tensor))


def reduced(reduce, array, axis, dtype):
    neutral = {np.add: 0, np.multiply: 1}.get(reduce, np.inf if reduce is np.minimum else -np.inf)
    with np.errstate(all="ignore"):
        return reduce.reduce(
            array, axis=axis, dtype=dtype, initial=None if np.isinf(neutral) and array.dtype.kind == "i" else neutral
        )
