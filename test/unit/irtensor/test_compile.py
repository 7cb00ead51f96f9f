"""The kernels of `irtensor.compile`: operands of all kinds, conversions, variants, and errors before any code runs."""

import copy
import pickle
from typing import Any

import effort
import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it
from irtensor import memory_cache
from irtensor.compiler.compilation import compile_kernel
from irtensor.runtime import cpu_engine

A: Any = sp.random(13, 9, 0.3, format="csr", random_state=1)
x, b = np.arange(9.0), np.arange(13.0)
SPMV = "y[i] = A[i,j] * x[j] + b[i]"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("IRTENSOR_CACHE_DIR", str(tmp_path))


def test_operands_by_name_and_by_position():
    kernel = it.compile(SPMV, formats={"A": it.CSR})
    assert kernel.operand_names == ("A", "x", "b")
    expected = A @ x + b
    for result in (kernel(A=A, x=x, b=b), kernel(A, x, b), kernel(A, b=b, x=list(x))):
        np.testing.assert_allclose(result, expected)
    np.testing.assert_allclose(it.compile("y(i) = A(i,j) * x(j) + b(i)")(A=A, x=x, b=b), expected)


def test_scalars_in_and_out():
    kernel = it.compile("s = c * A[i,j] * x[j]")
    result = kernel(c=2, A=A, x=x)
    assert isinstance(result, np.float64)
    assert result == pytest.approx(2 * (A @ x).sum())


def test_a_kernel_shows_its_statement():
    assert repr(it.compile("y[i]=A[i,j]*x[j]")) == "<kernel y[i] = A[i, j] * x[j]>"


def test_kernels_beyond_the_limit_make_room(monkeypatch):
    """What is known is forgotten, not what a caller holds; and what is asked for again is compiled again."""
    monkeypatch.setattr(memory_cache, "BOUND", 1)
    held = [it.compile(f"y[i] = {factor} * x[i]") for factor in (2, 3, 4, 2)]
    for _ in range(2):
        for kernel, factor in zip(held, (2, 3, 4, 2), strict=True):
            np.testing.assert_array_equal(kernel(x=x), factor * x)
            assert len(compile_kernel._kernels.entries()) <= 1


def test_one_kernel_specialises_on_dtypes_formats_and_widths():
    kernel = it.compile("y[i] = A[i,j] * x[j]")
    for array in (A, A.tocsc(), A.tocoo(), A.toarray(), it.Tensor.from_scipy(A, it.DCSR), A.tobsr((1, 3))):
        np.testing.assert_allclose(kernel(A=array, x=x), A @ x)
    for dtype in (np.float32, np.complex64, np.int8, np.int64, bool):
        narrow, vector = A.astype(dtype), x.astype(dtype)
        result = kernel(A=narrow, x=vector)
        expected = narrow.toarray().astype(int if dtype is bool else dtype) @ vector
        np.testing.assert_allclose(result, expected, rtol=1e-5)
    wide = A.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    np.testing.assert_allclose(kernel(A=wide, x=x), A @ x)


def test_named_formats_are_what_the_kernel_is_compiled_for():
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSC})
    np.testing.assert_allclose(kernel(A=A, x=x), A @ x)
    np.testing.assert_allclose(kernel(A=A.toarray(), x=x), A @ x)
    assert "j : dense, i : compressed" in kernel.explain()
    assert "converted" in kernel.explain()
    strict = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSC}, convert=False)
    np.testing.assert_allclose(strict(A=A.tocsc(), x=x), A @ x)
    with pytest.raises(it.UserError, match="format-mismatch"):
        strict(A=A, x=x)


def test_contradicting_storage_orders_are_converted():
    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", formats={"C": it.CSR})
    result = kernel(A=A, B=A.tocsc())
    assert result.format == it.CSR
    np.testing.assert_allclose(result.to_numpy(), 2 * A.toarray())
    assert "'B', stored" in kernel.explain()
    square = sp.random(8, 8, 0.3, random_state=2).tocsr()
    symmetric = it.compile("C[i,j] = A[i,j] + A[j,i]", formats={"C": it.CSR})(A=square)
    np.testing.assert_allclose(symmetric.to_numpy(), (square + square.T).toarray())
    with pytest.raises(it.UserError, match="loop-order-cycle"):
        it.compile("C[i,j] = A[i,j] + B[i,j]", formats={"C": it.CSR}, convert=False)(A=A, B=A.tocsc())


def test_compound_assignment_starts_from_the_operand_if_it_is_given():
    kernel = it.compile("y[i] += A[i,j] * x[j]")
    np.testing.assert_allclose(kernel(A=A, x=x), A @ x)
    np.testing.assert_allclose(kernel(A=A, x=x, y=b), A @ x + b)


def test_out_is_written_and_returned():
    kernel, out = it.compile("y[i] = A[i,j] * x[j]"), np.empty(13)
    assert kernel(A=A, x=x, out=out) is out
    np.testing.assert_allclose(out, A @ x)
    single = np.empty(13, np.float32)
    assert kernel(A=A, x=x, out=single) is single
    np.testing.assert_allclose(single, A @ x, rtol=1e-6)
    with pytest.raises(it.UserError, match=r"bad-cast.*\n.*\n.*\nhelp: write the conversion: y\[i\] = int32"):
        kernel(A=A, x=x, out=np.empty(13, np.int32))
    for bad in (np.empty(12), np.empty(13, "m8[s]"), np.empty(26)[::2]):
        with pytest.raises(it.UserError, match="bad-argument"):
            kernel(A=A, x=x, out=bad)


def test_dtypes_convert_operands_and_compile_for_them():
    kernel = it.compile("y[i] = A[i,j] * x[j]", dtypes={"x": np.float32, "A": np.float32})
    assert kernel(A=A, x=x).dtype == np.float32
    with pytest.raises(it.UserError, match="bad-cast"):
        kernel(A=A, x=x.astype(complex))


def test_empty_operands():
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR})
    for shape in ((0, 0), (3, 0), (0, 4), (3, 4)):
        result = kernel(A=sp.csr_array(shape), x=np.ones(shape[1]))
        np.testing.assert_array_equal(result, np.zeros(shape[0]))
    added = it.compile("C[i,j] = A[i,j] + A[i,j]", formats={"C": it.CSR})(A=sp.csr_array((3, 0)))
    assert added.shape == (3, 0) and added.nnz == 0


def test_unsorted_and_duplicate_entries_count_as_their_sum():
    messy = sp.csr_array((np.array([1.0, 2.0, 4.0]), np.array([2, 0, 2]), np.array([0, 3, 3])), shape=(2, 3))
    result = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR})(A=messy, x=np.array([1.0, 10.0, 100.0]))
    np.testing.assert_array_equal(result, [502.0, 0.0])


def test_changes_of_a_scipy_array_are_seen():
    kernel, array = it.compile("y[i] = A[i,j] * x[j]"), A.copy()
    kernel(A=array, x=x)
    array.data *= 2
    np.testing.assert_allclose(kernel(A=array, x=x), 2 * (A @ x))
    array.data = array.data * 2
    np.testing.assert_allclose(kernel(A=array, x=x), 4 * (A @ x))


@pytest.mark.parametrize(
    "slug, call",
    [
        ("missing-operand", lambda k: k(A=A, x=x)),
        ("unknown-operand", lambda k: k(A=A, x=x, b=b, z=b)),
        ("operand-count", lambda k: k(A, x, b, b)),
        ("operand-count", lambda k: k(A, x, b, A=A)),
        ("rank-mismatch", lambda k: k(A=A, x=A, b=b)),
        ("rank-mismatch", lambda k: k(A=A, x=2.0, b=b)),
        ("extent-mismatch", lambda k: k(A=A, x=b, b=b)),
        ("extent-mismatch", lambda k: k(A=A, x=x, b=x)),
        ("unsupported-dtype", lambda k: k(A=A, x=x.astype(object), b=b)),
        ("unsupported-dtype", lambda k: k(A=A, x=x.astype("m8[s]"), b=b)),
        ("unsupported-dtype", lambda k: k(A=A, x=np.array(["a"] * 9), b=b)),
        ("bad-argument", lambda k: k(A=A, x=[[1, 2], [3]], b=b)),
    ],
)
def test_operands_that_do_not_fit(slug: str, call):
    with pytest.raises(it.UserError, match=rf"\[{slug}\]"):
        call(it.compile(SPMV, formats={"A": it.CSR}))


@pytest.mark.parametrize(
    "slug, compile",
    [
        ("syntax-error", lambda: it.compile("y[i] = A[i,j] *")),
        ("unknown-operand", lambda: it.compile("y[i] = x[i]", formats={"A": it.CSR})),
        ("unknown-operand", lambda: it.compile("y[i] = x[i]", dtypes={"A": "f4"})),
        ("bad-format", lambda: it.compile("y[i] = x[i]", formats={"x": it.CSR})),
        ("bad-format", lambda: it.compile("y[i] = x[i]", formats={"x": "accumulator"})),
        ("bad-format", lambda: it.compile("y[i] = x[i]", formats={"y": it.Format("accumulator")})),
        ("unsupported-dtype", lambda: it.compile("y[i] = x[i]", dtypes={"x": "m8[s]"})),
        ("unknown-extent", lambda: it.compile("y[i] = x[j]")(x=np.ones(2))),
        ("unknown-extent", lambda: it.compile("y[i] = x[j]").ir()),
        ("unknown-extent", lambda: it.compile("y[i,k] += x[j]").prepare(x=np.ones(2))),
        ("unknown-operator", lambda: it.compile("y[i] = @f(x[i])")),
        ("bad-option", lambda: it.compile("y[i] = x[i]", colour="red")),
        ("unknown-stage", lambda: it.compile("y[i] = x[i]").ir("assembly")),
    ],
)
def test_statements_that_cannot_be_compiled(slug: str, compile):
    with pytest.raises(it.UserError, match=rf"\[{slug}\]"):
        compile()


def test_a_second_process_loads_the_code(tmp_path):
    import subprocess
    import sys

    program = (
        "import sys, numpy as np, irtensor as it\n"
        "k = it.compile('y[i] = A[i,j] * x[j]', formats={'A': it.CSR})\n"
        "print(k(A=np.eye(3), x=np.arange(3.0)), 'xdsl' in sys.modules)"
    )
    outputs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert outputs == ["[0. 1. 2.] True\n", "[0. 1. 2.] False\n"]


def test_kernels_of_arrays_load_no_storage_of_tensors():
    import subprocess
    import sys

    program = (
        "import sys, numpy as np, irtensor as it\n"
        "print(it.compile('y[i] = A[i,j] + x[j]')(np.eye(2), np.ones(2)))\n"
        "heavy = ('stored_tensor', 'convert_format', 'check_storage', 'packing', 'stored_levels')\n"
        "print([name for name in heavy if f'irtensor.storage.{name}' in sys.modules])"
    )
    for _ in "compiled", "from disk":
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert run.stdout == "[3. 3.]\n[]\n"


def test_strict_fp_adds_in_the_order_of_storage():
    values = np.random.default_rng(1).random(10_000).astype(np.float32)
    total = np.float32(0)
    for value in values:
        total += value
    assert it.compile("s = x[i]", strict_fp=True)(x=values) == total


def test_options_that_change_code_show_in_the_ir():
    plain, strict = (it.compile("s = x[i]", strict_fp=strict, num_threads=1) for strict in (False, True))
    assert "fastmath" in plain.ir("loop") and "fastmath" not in strict.ir("loop")
    assert "algebra.keeps_order" in strict.ir("keep-order-of-sums")
    assert "algebra.keeps_order" not in plain.ir("loop")
    assert len(plain.ir("llvm")) > len(strict.ir("llvm"))
    assert "keep-order-of-sums" in strict.explain()
    assert "keep-order-of-sums" not in plain.explain()


def test_gallop_searches_instead_of_walking():
    formats = {"A": "compressed", "B": "compressed", "C": "compressed"}
    short, long = np.zeros(1000), np.arange(1000.0) % 3
    short[[3, 500, 998]] = 1.0, 2.0, 3.0
    for notation in ("C[i] = A[i] * B[i]", "C[i] = A[i] + B[i]"):
        walking, galloping = (it.compile(notation, formats=formats, gallop=gallop) for gallop in (False, True))
        result = galloping(A=short, B=long)
        np.testing.assert_array_equal(result.to_numpy(), walking(A=short, B=long).to_numpy())
        # Only an intersection may skip entries.
        assert (galloping.ir("loop") != walking.ir("loop")) == ("*" in notation)


def test_errors_of_passes_point_into_the_notation():
    kernel = it.compile("C[i,k] = A[i,k] * B[i,k]", formats={"C": it.CSR, "A": it.CSR, "B": it.CSC}, convert=False)
    with pytest.raises(it.UserError) as raised:
        kernel(A=A, B=A.tocsc())
    assert raised.value.location is not None and raised.value.location.file == "<notation>"
    assert "C[i,k] = A[i,k] * B[i,k]" in str(raised.value)


def test_einsum_names_operands_by_position():
    with pytest.raises(it.UserError, match="operand 1 needs loop j before i"):
        it.einsum("ij,ij->i", A, A.tocsc(), convert=False)
    np.testing.assert_allclose(it.einsum("ij,ij->i", A, A.tocsc()), (A.multiply(A)).sum(axis=1).ravel().tolist()[0])


def test_options_by_keyword():
    kernel = it.compile("y[i] = A[i,j] * x[j]", verify=True, disk_cache=False)
    np.testing.assert_allclose(kernel(A=A, x=x), A @ x)
    with pytest.raises(TypeError):
        it.einsum("i->", x, colour="red")


@pytest.mark.parametrize(
    "slug, arguments",
    [
        ("bad-option", {"B": A}),
        ("bad-option", {"strict_fp": []}),
        ("bad-cast", {"dtype": []}),
        ("bad-format", {"format": []}),
        ("bad-argument", {"semiring": []}),
        ("bad-argument", {"convert": []}),
        ("bad-schedule", {"schedule": []}),
        ("bad-schedule", {"tune": {}}),
    ],
)
def test_einsum_says_what_is_wrong_with_arguments_that_have_no_hash(slug, arguments):
    with pytest.raises(it.UserError, match=rf"\[{slug}\]"):
        it.einsum("ij,j->i", A, x, **arguments)


def test_a_kernel_runs_in_many_threads():
    from concurrent.futures import ThreadPoolExecutor

    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", formats={"C": it.CSR})
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: kernel(A=A, B=A).to_numpy(), range(100)))
    for result in results:
        np.testing.assert_array_equal(result, (A + A).toarray())


def test_a_kernel_travels_to_another_process():
    either = it.operator("either", lambda a, b: a + b - a * b, identity=0.0, associative=True, commutative=True)
    kernel = it.compile("p[i] = @either(j, A[i,j])", formats={"A": it.CSR}, operators=[either])
    A = np.array([[0.5, 0.0, 0.5], [0.0, 0.0, 0.0]])
    for copied in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel)):
        np.testing.assert_array_equal(copied(A=A), [0.75, 0.0])


def test_functions_that_are_constant_on_a_type_keep_the_extents():
    stored = sp.csr_array(np.eye(4, dtype=bool))
    assert it.compile("s = sum(k, isnan(A[k,k]))")(A=stored) == 0
    assert it.compile("s = sum(i, imag(x[i]))")(x=x) == 0
    np.testing.assert_array_equal(it.compile("y[i] = imag(x[i])")(x=x), 0 * x)
    assert it.compile("C[i,j] = isnan(A[i,j])", formats={"C": it.CSR})(A=stored).nnz == 0


@pytest.mark.parametrize("format", ["dense, dense", "(i, j) -> (j : dense, i : dense)", it.Dense, it.COO, it.CSR])
def test_a_format_asked_for_gives_a_tensor(format):
    stored = it.Tensor.from_scipy(A)
    i, j = it.indices("i j")
    C = it.tensor_variable("C", 2)
    C[i, j] = 2 * stored[i, j]
    target = it.Tensor.from_numpy(np.zeros(A.shape), format)
    target[i, j] = 2 * stored[i, j]
    for result in (it.einsum("ij,->ij", stored, 2.0, format=format), C.evaluate(format=format), target):
        assert isinstance(result, it.Tensor)
        result.check()
        np.testing.assert_array_equal(result.to_numpy(), 2 * A.toarray())


@pytest.mark.parametrize("format", [it.BCSR, it.Format, int, 7, np.float64])
def test_what_is_no_format(format):
    for call in (lambda: it.Tensor.from_numpy(np.eye(3), format), lambda: it.einsum("ij->ij", A, format=format)):
        with pytest.raises(it.UserError, match="is not a storage format"):
            call()


def test_a_masked_array_is_refused():
    masked = np.ma.masked_array(x, x > 1)
    kernel = it.compile("y[i] = x[i]")
    calls = [
        lambda: kernel(x=masked),
        lambda: kernel(x=[*x[1:], np.ma.masked]),
        lambda: kernel(x=x, out=np.ma.masked_array(np.zeros_like(x), x > 1)),
        lambda: it.einsum("i->i", masked),
        lambda: it.Tensor.from_numpy(x, "compressed") + masked,
    ]
    for call in calls:
        with pytest.raises(it.UserError, match="mask"):
            call()


def test_names_beyond_the_grammar_of_the_ir():
    np.testing.assert_allclose(it.compile("ß[ö] = é[ö] * 2")(é=x), 2 * x)
    np.testing.assert_allclose(it.compile("y[i] = out[i] + self[i]")(out=x, self=x), 2 * x)


def test_every_public_name_exists_and_is_known_to_type_checkers():
    from pathlib import Path

    source = Path(it.__file__).read_text()
    for name in it.PUBLIC_NAMES:
        assert getattr(it, name) is not None
        assert f"import {name} as {name}" in source


def test_files_from_the_top_level(tmp_path):
    tensor = it.Tensor.from_scipy(A)
    it.write(str(tmp_path / "a.mtx"), tensor)
    assert (it.read(str(tmp_path / "a.mtx")).to_scipy() != A).nnz == 0


def test_operands_are_checked_at_every_call():
    kernel = it.compile("C[i,j] = A[i,j] * B[i,j]", formats={"C": it.CSR})
    A = it.Tensor.from_numpy(np.eye(3), it.CSR)
    for _ in range(2):
        np.testing.assert_array_equal(kernel(A, np.ones((3, 3))).to_numpy(), np.eye(3))
        with pytest.raises(it.UserError, match="extent"):
            kernel(A, np.ones((3, 2)))
        with pytest.raises(it.UserError, match="dimensions"):
            kernel(A, np.ones(3))
        with pytest.raises(it.UserError, match="no operand is given for B"):
            kernel(A)


def test_operators_check_their_operands_at_every_call(monkeypatch):
    A = it.Tensor.from_numpy(np.eye(3), it.CSR)
    i, j = it.indices("i j")
    product = A[i, j] * it.tensor_variable("x", 1)[j]
    y = it.tensor_variable("y", 1)
    y[i] = product
    for strict in ("0", "1"):
        monkeypatch.setenv("IRTENSOR_STRICT_FP", strict)
        np.testing.assert_array_equal(y.evaluate({"x": np.arange(3.0)}), [0, 1, 2])
        with pytest.raises(it.UserError, match="extent"):
            y.evaluate({"x": np.arange(2.0)})
    monkeypatch.setenv("IRTENSOR_STRICT_FP", "perhaps")
    with pytest.raises(it.UserError, match="IRTENSOR_STRICT_FP"):
        y.evaluate({"x": np.arange(3.0)})


def test_one_layout_serves_results_of_many_sizes():
    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", formats={"C": it.CSR})
    for rows, columns in ((3, 4), (0, 4), (5, 0), (300, 500), (3, 4)):
        A = sp.random_array((rows, columns), density=0.5, rng=np.random.default_rng(rows)).tocsr()
        result = kernel(A, A)
        result.check()
        np.testing.assert_array_equal(result.to_numpy(), 2 * A.toarray())


def test_kernels_from_the_disk_refuse_what_fresh_ones_do(tmp_path):
    from irtensor.compiler.compilation import compile_kernel

    for _ in range(2):
        it.clear_caches()
        options: dict[str, Any] = {"disk_cache": True, "cache_dir": tmp_path}
        kernel = it.compile("y[i] = max(k, A[i,k])", formats={"A": it.CSR, "y": "compressed"}, **options)
        with pytest.raises(it.UserError, match="dimension 1 of A has extent 0") as error:
            kernel(A=np.zeros((3, 0)))
        assert error.value.location is not None and error.value.location.column == 8
    kept = next(iter(compile_kernel._kernels.values()))
    assert kept is not None and list(kept.seconds) == ["disk cache"]


@pytest.mark.parametrize("notation", ["C[i,j] = sum(k, (A[i,k] < B[k,j]))", "C[i,j] = sum(k, A[i,k] * (B[k,j] >= 1))"])
def test_rows_of_comparisons_are_valid_after_every_pass(notation):
    generator = np.random.default_rng(3)
    a, b = generator.integers(0, 3, (4, 5)) * 1.0, generator.integers(0, 3, (5, 70)) * 1.0
    kernel = it.compile(notation, formats={"A": it.CSR}, verify=True, disk_cache=False)
    terms = a[:, :, None] < b if "<" in notation else a[:, :, None] * (b >= 1)
    np.testing.assert_array_equal(kernel(A=it.Tensor.from_numpy(a, it.CSR), B=b), terms.sum(axis=1))


@pytest.mark.parametrize(
    "steps",
    [
        "vectorize(i, 4)",
        "split(i, i0, i1, 8); vectorize(i1, 8)",
        "split(i, i0, i1, 4); unroll(i1, 4)",
        "vectorize(i, 2)",
    ],
)
def test_strict_fp_adds_in_the_order_of_storage_whatever_the_schedule(steps, monkeypatch):
    monkeypatch.setattr(cpu_engine, "compile_llvm_text", effort.as_asked)
    a, b = np.array([1e16, 1.0, -1e16, 1.0] * 16), np.ones(64)
    kernel = it.compile("s = a[i] * b[i]", schedule=it.schedule(steps), strict_fp=True, disk_cache=False)
    assert kernel(a=a, b=b) == 1.0
