"""Where taco, or the text of its dissertation, goes wrong: one test per pitfall of Kjolstad 2020 (P1-P34).

Those of single lattices (P1, P2) are in test_iteration_lattices.py and test_merge_cases.py; P11, P12, P31 and P32 are
of graphics processors, P34 is of measurements. All expected values come from dense NumPy arithmetic.
"""

import itertools
import warnings

import numpy as np
import pytest

import irtensor as it

CSC = "(i, j) -> (j : dense, i : compressed)"
# Compressed at 32 bits, as SciPy gives it.
NARROW = "(i, j) -> (i : dense, j : compressed), pos = i32, crd = i32"


def _sparse(shape: tuple[int, ...], seed: int, density: float = 0.4) -> np.ndarray:
    random = np.random.default_rng(seed)
    values = random.integers(1, 9, shape).astype(float)
    return np.where(random.random(shape) < density, values, 0.0)


def _check(notation, operands, expected, formats, **options):
    """A kernel gives the expected values for operands stored as said; the result is returned for more checks."""
    result = it.compile(notation, formats=formats, **options)(**operands)
    actual = result.to_numpy() if isinstance(result, it.Tensor) else result
    np.testing.assert_allclose(actual, expected)
    return result


def _vectors(count: int, extent: int, seed: int, density: float = 0.3) -> dict[str, np.ndarray]:
    return {name: _sparse((extent,), seed + number, density) for number, name in enumerate("bcd"[:count])}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("step", ["split(i, i0, i1, 4)", "split(i, i0, i1, 3, tensor=b)", "divide(i, i0, i1, 3)"])
@pytest.mark.parametrize("operator", ["+", "-", "*"])
def test_p3_blocks_do_not_see_the_last_entry_of_the_block_before(step, operator):
    formats = dict.fromkeys("abc", "compressed")
    for seed in range(4):
        v = _vectors(2, 17, seed)
        expected = eval(f"b {operator} c", dict(v))
        _check(f"a[i] = b[i] {operator} c[i]", v, expected, formats, schedule=it.schedule(step))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("step", ["split(i, i0, i1, 4)", "split(i, i0, i1, 2, tensor=d)", "divide(i, i0, i1, 5)"])
def test_p4_each_loop_of_a_block_finds_its_own_end(step):
    """Several loops follow each other in a block; each operand in turn is the first that has no entries left."""
    formats = dict.fromkeys("abcd", "compressed")
    for lengths in itertools.permutations((3, 9, 17)):
        v = {name: np.where(np.arange(17) < n, 1.0 + np.arange(17), 0) for name, n in zip("bcd", lengths, strict=True)}
        for notation in ("(b[i] + c[i]) * d[i]", "b[i] * c[i] + d[i]", "b[i] + c[i] + d[i]"):
            expected = eval(notation.replace("[i]", ""), dict(v))
            _check(f"a[i] = {notation}", v, expected, formats, schedule=it.schedule(step))


@pytest.mark.parametrize("rows", [[0], [4], [0, 4], [1, 2], []])
def test_p5_fused_levels_pass_over_empty_segments(rows):
    """Blocks of two entries of all levels together; whole rows and layers in between have none."""
    b = np.zeros((5, 4, 6))
    b[rows] = _sparse((4, 6), 3, 0.3)
    b[:, 1] = 0
    c = _sparse((6,), 1, 1)
    steps = "fuse(i, j, f); fuse(f, k, g); split(g, g0, g1, 2, tensor=B)"
    for levels in ("dense, compressed, compressed", "dense, dense, compressed", "compressed, compressed, compressed"):
        _check("A[i,j] = B[i,j,k] * c[k]", {"B": b, "c": c}, b @ c, {"B": levels}, schedule=it.schedule(steps))


def test_p6_sddmm_with_row_major_factor_is_not_appended_to_once_per_k():
    b, c, d = _sparse((6, 7), 1), _sparse((6, 5), 2, 1), _sparse((5, 7), 3, 1)
    formats = {"A": it.CSR, "B": it.CSR}
    result = _check("A[i,j] = B[i,j] * C[i,k] * D[k,j]", {"B": b, "C": c, "D": d}, b * (c @ d), formats)
    assert len(result.values) == np.count_nonzero(b)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("formats", list(itertools.product((it.CSR, it.DCSR, CSC, it.COO(2)), repeat=3)))
def test_p7_a_sparse_product_in_any_formats(formats):
    b, c = _sparse((6, 5), 1), _sparse((5, 7), 2)
    _check("A[i,j] = B[i,k] * C[k,j]", {"B": b, "C": c}, b @ c, dict(zip("ABC", formats, strict=True)))


@pytest.mark.parametrize("d_format", ["dense", "compressed"])
def test_p8_matrix_by_columns_under_a_sum(d_format):
    b, c, d = _sparse((6, 5), 1), _sparse((5,), 2, 1), _sparse((6,), 3, 0.5)
    _check("a[i] = B[i,j] * c[j] + d[i]", {"B": b, "c": c, "d": d}, b @ c + d, {"B": CSC, "d": d_format})


def test_p9_no_loop_of_a_sum_under_a_product_is_lost():
    b, c, d = _sparse((4, 5), 1), _sparse((4, 5), 2), _sparse((5, 3), 3)
    formats = {"B": it.CSR, "C": it.CSR}
    for notation in ("a[i,j] = (B[i,k] + C[i,k]) * D[k,j]", "a[i,j] = sum(k, (B[i,k] + C[i,k]) * D[k,j])"):
        _check(notation, {"B": b, "C": c, "D": d}, (b + c) @ d, formats)
    # Where it is open what is summed, the statement has to say it.
    with pytest.raises(it.UserError, match="ambiguous-sum") as caught:
        it.compile("y[i] = (A[i,j] + b[i]) * c[i]")
    assert "sum(j, (A[i, j] + b[i]) * c[i])" in str(caught.value)


@pytest.mark.parametrize(
    "steps", ["split(j, j0, j1, 2, tensor=B)", "split(j, j0, j1, 3); split(j1, j2, j3, 2, tensor=B)"]
)
@pytest.mark.parametrize("c_format", ["dense", "compressed"])
def test_p10_entries_are_counted_beside_other_lists_and_within_blocks(steps, c_format):
    b, c = _sparse((6, 11), 1), _sparse((11,), 2, 0.6)
    formats = {"B": it.CSR, "c": c_format}
    _check("a[i] = B[i,j] * c[j]", {"B": b, "c": c}, b @ c, formats, schedule=it.schedule(steps))


@pytest.mark.parametrize("races", ["atomics", "temporary"])
@pytest.mark.parametrize(("operator", "reduce"), [("*=", np.prod), ("max=", np.max), ("+=", np.sum)])
def test_p13_threads_that_meet_lose_no_update(operator, reduce, races, small_parts):
    b = np.random.default_rng(1).choice([1.0, 2.0, 0.5], (4000, 3))
    schedule = it.schedule(f"reorder(i, j); parallelize(i, races={races})")
    notation = f"a[j] {operator} B[i,j]" if operator != "+=" else "a[j] = B[i,j]"
    for _ in range(5):
        _check(notation, {"B": b}, reduce(b, axis=0), {}, schedule=schedule, num_threads=4)


@pytest.mark.parametrize("result", ["dense", "compressed"])
@pytest.mark.parametrize(("left", "right"), [([1, 2, 0, 0, 0, 0], [0, 3, 4, 0, 5, 6]), ([0] * 6, [0, 3, 0, 0, 5, 0])])
def test_p14_what_is_left_of_a_subtrahend_is_negated(left, right, result):
    b, c = np.array(left, float), np.array(right, float)
    _check("a[i] = b[i] - c[i]", {"b": b, "c": c}, b - c, {"a": result, "b": "compressed", "c": "compressed"})


def test_p15_a_dense_result_that_is_written_in_part_is_initialised():
    b = np.zeros((5, 4))
    b[3, 1] = 2.0
    kernel = it.compile("a[i] = B[i,j] * c[j]", formats={"B": it.DCSR})
    out = np.full(5, np.nan)
    kernel(B=b, c=np.ones(4), out=out)
    np.testing.assert_array_equal(out, b.sum(1))


def test_p16_a_temporary_without_entries_is_read_as_zero():
    b, c, d = _sparse((6, 5), 1), np.zeros((5, 6)), _sparse((6, 6), 2)
    formats = {"A": it.CSR, "B": it.CSR, "C": it.CSR, "D": it.CSR}
    _check("A[i,j] = B[i,k] * C[k,j] + D[i,j]", {"B": b, "C": c, "D": d}, d, formats)


def test_p17_cancellation_is_stored_and_appending_does_not_depend_on_values():
    b = np.array([[1.0, 2.0], [0.0, 0.0]])
    result = _check("A[i,j] = B[i,j] - C[i,j]", {"B": b, "C": b}, b - b, {name: it.CSR for name in "ABC"})
    assert len(result.values) == 2 and not result.values.any()


def test_p18_duplicates_in_upper_levels_and_elements_in_parts_are_merged():
    rows, columns, values = [0, 0, 0, 2, 2], [1, 1, 3, 0, 0], [1.0, 2.0, 4.0, 8.0, 16.0]
    dense = np.zeros((3, 4))
    np.add.at(dense, (rows, columns), values)
    parts = "compressed(nonunique), singleton(nonunique)"
    b = it.Tensor.from_coo([rows, columns], values, shape=dense.shape, format=it.Format(parts), duplicates="keep")
    assert b.nnz == 5
    c = _sparse(dense.shape, 5)
    _check("A[i,j] = B[i,j] + C[i,j]", {"B": b, "C": c}, dense + c, {"A": it.CSR, "C": it.CSR})
    _check("A[i,j] = B[i,j] * C[i,j]", {"B": b, "C": c}, dense * c, {"A": it.COO(2), "C": it.COO(2)})


@pytest.mark.one_in(3)
@pytest.mark.parametrize("operator", ["+", "*", "-"])
@pytest.mark.parametrize("formats", list(itertools.product(("hashed", "compressed", "dense"), repeat=2)))
def test_p19_tables_take_part_without_an_order(operator, formats):
    """Empty slots are passed over, a table is never one side of a merge, and a full one is not searched for ever."""
    for density in (0.0, 0.3, 1.0):
        v = _vectors(2, 13, 5, density)
        stored = dict(zip("bc", formats, strict=True)) | {"a": "compressed"}
        _check(f"a[i] = b[i] {operator} c[i]", v, eval(f"b {operator} c", dict(v)), stored)


@pytest.mark.parametrize("located", ["hashed", "bitmap"])
def test_p20_what_is_looked_up_may_not_be_there(located):
    v = _vectors(2, 13, 5)
    expected = np.where(v["c"] != 0, v["b"] * 3 + 1, 0.0)
    formats = {"a": "compressed", "b": located, "c": "compressed"}
    _check("a[i] = where(c[i] != 0, b[i] * 3 + 1, 0.0)", v, expected, formats)
    assert np.count_nonzero((v["c"] != 0) & (v["b"] == 0))


def test_p21_one_tensor_read_with_other_indices_has_walks_of_its_own():
    a = _sparse((6, 5), 1)
    _check("C[i,j] = A[i,k] * A[j,k]", {"A": a}, a @ a.T, {"A": it.CSR})
    _check("C[i,j] = A[i,k] * A[j,k]", {"A": a}, a @ a.T, {"A": it.CSR, "C": it.CSR})
    _check("y[i] = A[i,k] * A[i,k]", {"A": a}, (a * a).sum(1), {"A": it.CSR})


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (4, 0), (3, 3)])
def test_p22_empty_segments_are_not_read(shape):
    b = np.zeros(shape)
    for format in (it.CSR, it.DCSR, CSC, it.COO(2)):
        _check("A[i,j] = B[i,j] * C[i,j]", {"B": b, "C": b}, b, {"A": it.CSR, "B": format, "C": it.CSR})
        _check("s = B[i,j]", {"B": b}, 0.0, {"B": format})


@pytest.mark.parametrize(
    ("operator", "reduce"), [("min=", np.min), ("max=", np.max), ("*=", np.prod)], ids=["min", "max", "prod"]
)
def test_p23_each_reduction_starts_from_its_own_identity(operator, reduce):
    b = -_sparse((5, 4), 1, 0.7) + 3 * _sparse((5, 4), 2, 0.5)
    for format in (it.CSR, CSC, None):
        _check(f"a[i] {operator} B[i,j]", {"B": b}, reduce(b, axis=1), {"B": format} if format else {})


def test_p24_positions_beyond_32_bits_do_not_wrap():
    # Row times width is about 2^34; only three entries are stored, in 32-bit arrays.
    extent = 1 << 17
    rows, columns = [0, extent - 2, extent - 1], [extent - 1, 0, extent - 1]
    b = it.Tensor.from_coo([rows, columns], [1.0, 2.0, 4.0], shape=(extent, extent), format=it.Format(NARROW))
    result = it.compile("A[i,j] = B[i,j] + C[i,j]", formats={"A": it.Format(NARROW)})(B=b, C=b)
    coordinates, values = result.to_coo()
    np.testing.assert_array_equal(coordinates, [rows, columns])
    np.testing.assert_array_equal(values, [2.0, 4.0, 8.0])


def test_p25_code_grows_linearly_with_the_operands_of_a_sum():
    sizes = []
    for count in (6, 12, 24):
        terms = " + ".join(f"B{n}[i,j]" for n in range(count))
        kernel = it.compile(f"A[i,j] = {terms}", formats={"A": it.CSR} | {f"B{n}": it.CSR for n in range(count)})
        sizes.append(len(kernel.ir("loop").splitlines()))
    assert sizes[2] < 3 * sizes[1] and sizes[1] < 3 * sizes[0]


def test_p26_a_result_in_the_memory_of_an_operand():
    a, B = np.arange(3.0), np.arange(9.0).reshape(3, 3)
    expected = B @ a
    assert it.compile("y[i] = B[i,j] * a[j]")(a=a, B=B, out=a) is a
    np.testing.assert_array_equal(a, expected)


def test_p27_only_stored_entries_meet_infinity():
    b, c = np.array([[0.0, 2.0], [0.0, 0.0]]), np.array([np.inf, 1.0])
    np.testing.assert_array_equal(it.einsum("ij,j->i", it.Tensor.from_numpy(b, it.CSR), c), [2.0, 0.0])


def test_p28_a_broadcast_sum_stores_every_slot():
    b, c = _sparse((4, 5), 1), _sparse((5,), 2, 1)
    result = _check("A[i,j] = B[i,j] + c[j]", {"B": b, "c": c}, b + c, {"A": it.CSR, "B": it.CSR})
    assert len(result.values) == b.size
    for statement, told in (
        ("A[i,j] = B[i,j] + c[j]", "each coordinate becomes one, not just those of B, because of c"),
        ("A[i,j] = B[i,j] * c[j]", ""),
        ("A[i,j] = B[i,j] + 1", ""),
    ):
        kernel = it.compile(statement, {"A": it.CSR, "B": it.CSR})
        line = next(line for line in kernel.explain().splitlines() if line.startswith("  level 1 of A"))
        assert line.endswith(told or "in order")


@pytest.mark.one_in(16)
@pytest.mark.parametrize(
    ("notation", "causes"),
    [
        ("b[i,j] + c[j]", "'c'"),
        ("b[i,j] - d[i,j]", "'d'"),
        ("b[i,j] + c[j] * d[i,j]", "'c' and 'd'"),
        ("b[i,j] + c[j] + d[i,j]", "'c' and 'd'"),
        ("max(b[i,j], c[j]) * 2", "'c'"),
        ("sum(k, b[i,k] * e[k,j]) + c[j]", "'c'"),
        ("b[i,j] * c[j]", None),
        ("b[i,j] + 1", None),
        ("exp(b[i,j]) * d[i,j]", "exp(b[i, j]) is 1.0 where 'b' stores nothing"),
        ("(1 + log(b[i,j])) * c[j]", "1.0 + log(b[i, j]) is -inf where 'b' stores nothing"),
        ("(b[i,j] + 2) / c[j]", "b[i, j] + 2.0 is 2.0 where 'b' stores nothing"),
        ("c[j] + exp(b[i,j]) * d[i,j]", "'c' and 'd'"),
        ("where(b[i,j] != 0, 1 + log(b[i,j]), 0) * c[j]", None),
        ("(exp(b[i,j]) - 1) * d[i,j]", None),
        ("b[i,j] + z[i] * c[j]", None),
        ("d[i,j] + c[j]", None),
        ("b[i,j] + sum(k, z[k])", "z[k], which has none of its indices"),
        ("sum(k, max(b[k,k], b[i,j] * e[j,k]))", "b[k, k], which has none of its indices"),
        ("max(b[i,j], sum(k, z[k]) * sum(l, e[l,l]))", "z[k], which has none of its indices"),
        ("b[i,j] * sum(k, z[k])", None),
        ("b[i,j] / sum(k, z[k])", None),
        ("b[i,j] + e[i,j] * sum(k, z[k])", None),
        ("b[i,j] + z[i]", None),
        ("b[i,j] / sum(k, b[i,k]) + sum(k, e[i,k] * b[k,j])", None),
    ],
)
@pytest.mark.parametrize("result", [it.CSR, it.CSC, it.COO(2), it.BCSR(2, 2)])
def test_p28_who_gets_an_entry_at_every_coordinate_is_warned(notation, causes, result, tmp_path):
    """Also by code from the disk cache, at the caller's line; not where operands say which entries there are."""
    random = np.random.default_rng(3)
    b, e, z = (np.where(random.random(shape) < 0.3, 1.5, 0) for shape in ((4, 4), (4, 4), (4,)))
    given = {"b": b, "e": e, "z": z, "c": np.arange(1.0, 5), "d": random.random((4, 4)) + 1}
    formats = {"A": result, "b": it.CSR, "e": it.CSR, "z": "compressed"}
    given = {name: value for name, value in given.items() if f"{name}[" in notation}
    formats = {name: format for name, format in formats.items() if name in given or name == "A"}
    for _compiled_then_loaded in range(2):
        it.clear_caches()
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            kernel = it.compile(f"A[i,j] = {notation}", formats, cache_dir=str(tmp_path), disk_cache=True)
            size = len(kernel(**given).values)
            kernel(**given)
        if causes is not None:
            assert size == 16
            assert [one.filename for one in found] == [__file__]
        assert [(one.category, str(one.message)) for one in found] == [
            (
                it.DenseResultWarning,
                f"every coordinate of 'A' gets an entry because {reason}a dense result takes less memory",
            )
            for reason in (() if causes is None else (_reason(causes),))
        ]


def _reason(causes):
    if " is " not in causes:
        return f"of {causes}; "
    return f"{causes}; where(b[i, j] != 0.0, ..., 0) keeps the entries, "


@pytest.mark.parametrize("workspace", ["dense", "bitmap", "hashed"])
def test_p28_a_workspace_of_stored_entries_fills_nothing(workspace):
    """What is copied into a workspace is absent from it where it was absent from the operand, unless it is an array."""
    b, c = _sparse((4, 5), 1), _sparse((4, 5), 2)
    steps = f"precompute(b[i,j], over=j, format={workspace})"
    formats = {"A": it.CSR, "b": it.CSR, "c": it.CSR}
    it.clear_caches()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = _check("A[i,j] = b[i,j] + c[i,j]", {"b": b, "c": c}, b + c, formats, schedule=it.schedule(steps))
    assert len(found) == (workspace == "dense")
    assert len(result.values) == (b.size if found else np.count_nonzero(b + c))


def _duplicates(rows: int, seed: int) -> tuple[it.Tensor, np.ndarray]:
    """A matrix that stores coordinates several times, and its values."""
    random = np.random.default_rng(seed)
    coordinates = [np.sort(random.integers(0, rows, 60)), random.integers(0, 5, 60)]
    coordinates = np.array(coordinates)[:, np.lexsort(coordinates[::-1])]
    dense = np.zeros((rows, 5))
    np.add.at(dense, tuple(coordinates), 1.0)
    format = it.Format("compressed(nonunique), singleton(nonunique)")
    tensor = it.Tensor.from_coo(list(coordinates), np.ones(60), shape=dense.shape, format=format, duplicates="keep")
    assert tensor.nnz == 60
    return tensor, dense


def test_p29_rows_that_are_stored_in_parts_are_shared(small_parts):
    """A parallel loop over entries is over rows only if each is stored once; a block may begin in the middle of one."""
    b, dense = _duplicates(7, 1)
    expected = dense.sum(1)
    _check("a[i] = B[i,j]", {"B": b}, expected, {}, num_threads=4)
    with pytest.raises(it.UserError, match="may store a coordinate of i several times"):
        it.compile("a[i] = B[i,j]", formats={"B": b.format}, schedule=it.schedule("parallelize(i)"))(B=b)
    csr = it.Tensor.from_numpy(dense, it.CSR)
    blocks = "fuse(i, j, f); split(f, f0, f1, 4, tensor=B); parallelize(f0{})"
    with pytest.raises(it.UserError, match="parallel-race"):
        it.compile("a[i] = B[i,j]", formats={"B": it.CSR}, schedule=it.schedule(blocks.format("")))(B=csr)
    for races in ("atomics", "temporary"):
        schedule = it.schedule(blocks.format(f", races={races}"))
        _check("a[i] = B[i,j]", {"B": csr}, expected, {"B": it.CSR}, schedule=schedule, num_threads=4)


@pytest.mark.parametrize("assembly", ["append", "insert"])
def test_p30_every_thread_has_a_workspace_that_it_leaves_empty(assembly, small_parts):
    b, c = _sparse((40, 30), 1, 0.2), _sparse((30, 20), 2, 0.2)
    b[::3] = 0
    formats = dict.fromkeys("ABC", it.CSR)
    schedule = it.schedule(f"reorder(i, k, j); precompute(B[i,k] * C[k,j], over=j); assemble(A, {assembly})")
    schedule = schedule.parallelize("i")
    for _ in range(3):
        _check("A[i,j] = B[i,k] * C[k,j]", {"B": b, "C": c}, b @ c, formats, schedule=schedule, num_threads=4)


def test_p33_strict_sums_keep_the_order_of_the_storage():
    random = np.random.default_rng(0)
    values = random.standard_normal(1000) * 10.0 ** random.integers(-8, 8, 1000)
    expected = 0.0
    for value in values:
        expected += value
    tensor = it.Tensor.from_numpy(values, it.Format("compressed"))
    assert it.compile("s = b[i]", strict_fp=True)(b=tensor) == expected
