"""Functions for vectors: values beside NumPy's, the same bits everywhere, and what happens without the library."""

import itertools
import math
import re
import subprocess
import sys
import textwrap
from typing import Any

import effort
import numpy as np
import pytest
import scipy.sparse as sparse

import irtensor as it
from irtensor.runtime import cpu_engine, vector_functions
from irtensor.runtime.vector_functions import VectorSet, vector_functions_are_from, with_vector_functions

FUNCTIONS = (
    *("exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh", "cbrt", "erf"),
    *("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"),
)
NAMES = {f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}
PAIRS = {"power": "x[i] ** z[i]", "arctan2": "atan2(x[i], z[i])"}
DTYPES = (np.float32, np.float64)
# What glibc promises of its vectors, and NumPy of its own.
ULPS = 4
FEATURES = cpu_engine._get_engine().features.split(",")
needs_library = pytest.mark.skipif(not vector_functions_are_from(), reason="this system has no libmvec")


@pytest.fixture(autouse=True)
def optimised(little_effort: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for users."""
    monkeypatch.setattr(cpu_engine, "compile_llvm_text", effort.as_asked)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def kernels():
    """Kernels of one statement, by its right side."""
    return {}


def evaluated(kernels, text, **operands):
    kernel = kernels.get(text)
    if kernel is None:
        kernel = kernels[text] = it.compile(f"y[i] = {text}", disk_cache=False)
    return kernel(**operands)


def special(dtype):
    """Numbers at which functions have poles, zeros, branches, limits, or are rounded in other ways."""
    limits = np.finfo(dtype)
    numbers = [0, 0.5, 1, 2, 3, 10, 100, 1000, 1e-5, 1e-10, math.pi / 2, math.pi, 1e15, math.inf, math.nan]
    numbers += [limits.tiny, limits.smallest_subnormal, limits.tiny / 8, limits.max, 1 + limits.eps, 1 - limits.epsneg]
    numbers += [
        88.8,
        103.5,
        104.5,
        709.8,
        740.0,
        745.2,
        746.0,
        127.9,
        149.0,
        1074.0,
        7.0,
        1e-300 if dtype is float else 1e-38,
    ]
    return np.array([sign * number for number in numbers for sign in (1, -1)], dtype)


def ulps(found, expected):
    """How many numbers there are between two, where both are finite; elsewhere they have to be the same."""
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(expected))
    numbers = ~np.isnan(found)
    np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))
    finite = np.isfinite(found)
    bits = np.int32 if found.dtype == np.float32 else np.int64
    return np.abs(np.abs(found[finite]).view(bits) - np.abs(expected[finite]).view(bits)).max(initial=0)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
@np.errstate(all="ignore")
def test_values_of_all_lengths(kernels, rng, name, dtype):
    text = f"{NAMES.get(name, name)}(x[i])"
    function = np.vectorize(math.erf, otypes=[float]) if name == "erf" else getattr(np, name)
    # NumPy's own vectors are as far from the right value as ours; more digits are right.
    numbers = np.concatenate([special(dtype), *(scale * rng.standard_normal(300) for scale in (0.1, 1, 10))])
    numbers = numbers.astype(dtype)
    right = function(numbers.astype(np.longdouble)).astype(dtype)
    assert ulps(evaluated(kernels, text, x=numbers), right) <= ULPS
    rng.shuffle(numbers)
    whole = evaluated(kernels, text, x=numbers)
    for length in range(41):
        # Offsets that are not those of vectors; the same bits wherever a number stands.
        part = evaluated(kernels, text, x=numbers[length : 2 * length])
        np.testing.assert_array_equal(part, whole[length : 2 * length])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PAIRS)
@np.errstate(all="ignore")
def test_values_of_pairs(kernels, name, dtype):
    x, z = np.array(list(itertools.product(special(dtype), repeat=2)), dtype).T.copy()
    right = getattr(np, name)(x.astype(np.longdouble), z.astype(np.longdouble)).astype(dtype)
    assert ulps(evaluated(kernels, PAIRS[name], x=x, z=z), right) <= ULPS


@pytest.mark.one_in(2)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("exponent", [*range(-9, 10), 31, 64, -64, 65])
@np.errstate(all="ignore")
def test_values_of_literal_powers(kernels, rng, exponent, dtype):
    """Whether they are products or calls."""
    limits = np.finfo(dtype)
    spread = np.exp(rng.uniform(np.log(limits.tiny), np.log(limits.max), 300))
    x = np.concatenate([special(dtype), spread, rng.standard_normal(300)]).astype(dtype)
    right = (x.astype(np.longdouble) ** exponent).astype(dtype)
    assert ulps(evaluated(kernels, f"x[i] ** {exponent}", x=x), right) <= ULPS


def test_products_take_the_place_of_powers_unless_sums_keep_their_order(rng):
    x = rng.random(1000) * 3
    cubes = it.compile("y[i] = x[i] ** 3", disk_cache=False)
    np.testing.assert_array_equal(cubes(x=x), x * x * x)
    assert "powf" not in cubes.ir("cpu") and "pow" not in cubes.assembly()
    strict = it.compile("y[i] = x[i] ** 3", strict_fp=True, disk_cache=False)
    np.testing.assert_array_equal(strict(x=x), [math.pow(number, 3) for number in x])


@needs_library
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("text", ["A[i,j] * tanh(A[i,j])", "A[i,j] * exp(x[j])", "A[i,j] * log(B[i,j])"])
def test_entries_of_sparse_operands(rng, text, dtype):
    a: Any = sparse.random_array((40, 50), density=0.3, format="csr", rng=rng, dtype=dtype)
    b, x = rng.random((40, 50)).astype(dtype), rng.random(50).astype(dtype)
    operands = {"A": a} | {name: value for name, value in (("B", b), ("x", x)) if f"{name}[" in text}
    kernel = it.compile(f"Y[i,j] = {text}", formats={"A": it.CSR, "Y": it.CSR}, disk_cache=False)
    found = kernel(**operands).to_scipy().toarray()
    dense = a.toarray()
    factor = {"t": np.tanh(dense), "e": np.exp(x), "l": np.log(b)}[text[9]]
    np.testing.assert_allclose(found, dense * factor, rtol=10 * np.finfo(dtype).eps)
    assert "_ZGV" in kernel.llvm_ir(optimized=True)


@needs_library
def test_loops_call_functions_for_vectors_unless_sums_keep_their_order():
    x = np.linspace(-2, 2, 100)
    kernel = it.compile("y[i] = tanh(x[i])", disk_cache=False)
    kernel(x=x)
    text = kernel.assembly()
    assert "_ZGV" in text and "tanh" in text
    strict = it.compile("y[i] = tanh(x[i])", strict_fp=True, disk_cache=False)
    np.testing.assert_array_equal(strict(x=x), [math.tanh(number) for number in x])
    assert "_ZGV" not in strict.assembly()


@needs_library
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "text", ["x[i] ** 65", "x[i] ** 1.5", "x[i] ** (-65)", "x[i] ** 65.0", "1.5 ** x[i]", "atan2(x[i], 2)"]
)
def test_constant_arguments_leave_calls_for_vectors(rng, text, dtype):
    x = (rng.random(1003) + 0.5).astype(dtype)
    kernel = it.compile(f"y[i] = {text}", disk_cache=False)
    exact = eval(text.replace("[i]", ""), {"x": x.astype(np.longdouble), "atan2": np.arctan2})
    assert ulps(kernel(x=x), exact.astype(dtype)) <= ULPS
    # Besides, the function for one number calls that for vectors.
    others = [
        part
        for part in kernel.llvm_ir(optimized=True).split("\ndefine ")
        if "@irtensor.vector" not in part.split("{")[0]
    ]
    assert any(re.search(r"call .*<\d+ x \w+> @_ZGV", part) for part in others)


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_do_not_depend_on_the_number_of_threads(rng, dtype):
    x = rng.standard_normal(100_003).astype(dtype)
    results = [it.compile("y[i] = exp(x[i])", num_threads=n, disk_cache=False)(x=x) for n in (1, 2, 3)]
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


CALLS = "call afn float @llvm.exp.f32(float %a)\ncall afn double @llvm.pow.f64(double %b, double %c)\n"


@needs_library
@pytest.mark.parametrize(
    ("bits", "has_avx2", "variants"),
    [
        (128, False, ("_ZGVbN4v_expf", "_ZGVbN2vv_pow")),
        (256, False, ("_ZGVcN8v_expf", "_ZGVcN4vv_pow")),
        (256, True, ("_ZGVdN8v_expf", "_ZGVdN4vv_pow")),
        (512, True, ("_ZGVeN16v_expm1f", "_ZGVeN8vv_pow")),
    ],
)
def test_variants_are_those_of_the_processor(bits, has_avx2, variants):
    lines = CALLS.replace("llvm.exp.f32", "expm1f" if bits == 512 else "llvm.exp.f32").splitlines()
    for line, variant in zip(lines, variants, strict=True):
        text = with_vector_functions(line, VectorSet(bits, has_avx2, has_masks=False), widest=True)
        assert f"({variant})" in text
        assert " afn " not in text and "@irtensor.vector." in text.splitlines()[0]


@needs_library
def test_numbers_of_both_kinds_have_as_many_lanes():
    text = with_vector_functions(CALLS, VectorSet(512, has_avx2=True, has_masks=True), widest=False)
    assert "(_ZGVdN8v_expf)" in text and "(_ZGVeN8vv_pow)" in text


def test_an_older_library_lacks_functions(monkeypatch):
    """That of glibc 2.34 has six functions."""
    found = vector_functions.vector_function
    monkeypatch.setattr(vector_functions, "vector_function", lambda name: None if "tanh" in name else found(name))
    line = "call afn double @llvm.tanh.f64(double %a)"
    assert with_vector_functions(line, VectorSet(256, True, False), widest=True).strip() == line.replace(" afn", "")


@needs_library
@pytest.mark.parametrize("first", ["with", "without"])
def test_without_the_library_calls_are_scalar(tmp_path, first):
    """Also where the cache has code that calls it, and the other way round."""
    code = """
        import sys
        import numpy as np
        from irtensor.runtime import vector_functions
        if sys.argv[1] == "without":
            vector_functions._LIBRARY = "libmvec_that_is_not_there.so.1"
        import irtensor as it
        x = np.linspace(-3, 3, 1001)
        kernel = it.compile("y[i] = tanh(x[i])")
        np.testing.assert_allclose(kernel(x=x), np.tanh(x), rtol=1e-15)
        print("_ZGV" in kernel.assembly(), "disk cache" in kernel.explain())
    """
    outputs = []
    for which in (first, {"with": "without", "without": "with"}[first]):
        found = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), which],
            env={"IRTENSOR_CACHE_DIR": str(tmp_path), "HOME": str(tmp_path)},
            check=True,
            capture_output=True,
            text=True,
        )
        outputs.append(found.stdout.split()[0] == str(which == "with"))
    assert outputs == [True, True]


@needs_library
def test_llvm_links_them_as_well(monkeypatch):
    """Where the linker here does not know what object files have."""
    monkeypatch.setattr(cpu_engine, "link_objects", lambda objects, resolve: None)
    x = np.linspace(-1, 1, 50)
    found = it.compile("y[i] = tanh(x[i]) + 3", disk_cache=False)(x=x)
    np.testing.assert_allclose(found, np.tanh(x) + 3, rtol=1e-14)


@needs_library
def test_functions_with_calls_have_the_widest_vectors_of_the_processor():
    """The others have those that LLVM takes."""
    loop = "define void @{0}(ptr %x) {{\nentry:\n  %v = load float, ptr %x\n{1}  ret void\n}}\n"
    text = loop.format("calls", "  %r = call afn float @llvm.tanh.f32(float %v)\n") + loop.format("plain", "")
    wide = with_vector_functions(text, VectorSet(256, True, True), widest=True)
    assert 'define void @calls(ptr %x) "prefer-vector-width"="512" {' in wide
    assert "define void @plain(ptr %x) {" in wide
    assert "@_ZGVeN16v_tanhf" in wide
    narrow = with_vector_functions(text, VectorSet(256, True, False), widest=True)
    assert "prefer-vector-width" not in narrow and "@_ZGVdN8v_tanhf" in narrow
    rows = with_vector_functions(text, VectorSet(256, True, True), widest=False)
    assert "prefer-vector-width" not in rows and "@_ZGVdN8v_tanhf" in rows


@needs_library
@pytest.mark.skipif("+avx512vl" not in FEATURES, reason="this processor has one width of vectors")
def test_long_loops_have_the_widest_vectors_and_rows_do_not():
    x = np.linspace(0, 1, 50, dtype=np.float32)
    long = it.compile("y[i] = tanh(x[i])", disk_cache=False)
    long(x=x)
    assert "_ZGVeN16v_tanhf" in long.assembly()
    rows = it.compile("y[i] = sum(j, tanh(X[i,j]) * x[j])", disk_cache=False)
    rows(X=np.outer(x, x), x=x)
    # LLVM prefers 256 bits on processors of Intel, and 512 on those of AMD that have them.
    if not cpu_engine._get_engine().cpu.startswith("znver"):
        assert "_ZGVdN8v_tanhf" in rows.assembly() and "_ZGVeN16v" not in rows.assembly()
