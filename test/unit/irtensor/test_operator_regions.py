"""Operators with regions, cases and traits of single arguments, and `stored` in statements."""

import numpy as np
import pytest

import irtensor as it

VECTOR, CSR = it.Format("compressed"), it.CSR
MASK = it.operator("mask", lambda a, m: a, region=lambda a, m: a & ~m)
TARGETS = ["cpu", "cuda-emulated"]


def matrix(seed, shape, zeros=False):
    """A CSR matrix of whole numbers, its dense meaning and where it has entries."""
    numbers = np.random.default_rng(seed)
    places, values = numbers.random(shape) < 0.4, numbers.integers(1 - zeros, 4, shape).astype(float)
    coordinates = np.nonzero(places)
    tensor = it.Tensor.from_coo(np.array(coordinates), values[coordinates], shape=shape, format=CSR)
    return tensor, np.where(places, values, 0.0), places


def vector(*entries, size=6):
    places, values = zip(*entries, strict=True) if entries else ((), ())
    return it.Tensor.from_coo([places], np.array(values, float), shape=(size,), format=VECTOR)


def pairs(result):
    (places,), values = result.to_coo()
    return list(zip(places.tolist(), values.tolist(), strict=True))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("schedule", [None, "auto"])
@pytest.mark.parametrize(
    "statement, region, inside, value",
    [
        ("C[i,j] = @f(sum(k, A[i,k] * B[k,j]), M[i,j])", "a and not b", lambda s, m: s & ~m, lambda s, m: s),
        ("C[i,j] = @f(sum(k, A[i,k] * B[k,j]), M[i,j])", "a and b", lambda s, m: s & m, lambda s, m: s),
        ("C[i,j] = @f(sum(k, A[i,k] * B[k,j]), M[i,j])", "b", lambda s, m: m, lambda s, m: s),
    ],
)
def test_masked_products(statement, region, inside, value, schedule, target):
    A, a, at_a = matrix(0, (6, 7))
    B, b, at_b = matrix(1, (7, 5))
    M, m, at_m = matrix(2, (6, 5), zeros=True)
    operator = it.operator("f", lambda a, b: a, region=region)
    settings = {} if schedule is None else {"schedule": schedule}
    kernel = it.compile(statement, formats={"C": CSR}, operators=[operator], target=target, **settings)
    result = kernel(A=A, B=B, M=M)
    product, reached = a @ b, (at_a.astype(int) @ at_b) > 0
    where = inside(reached, at_m)
    np.testing.assert_array_equal(result.to_numpy(), np.where(where, value(product, m), 0))
    assert result.nnz <= where.sum()


@pytest.mark.parametrize("target", TARGETS)
def test_a_region_inside_of_a_sum(target):
    A, a, at_a = matrix(0, (6, 7), zeros=True)
    M, _, at_m = matrix(1, (6, 7), zeros=True)
    x = np.arange(7.0)
    kernel = it.compile("y[i] = @mask(A[i,j], M[i,j]) * x[j]", operators=[MASK], target=target)
    np.testing.assert_array_equal(kernel(A=A, M=M, x=x), np.where(at_m, 0, a) @ x)
    kernel = it.compile("n[i] = sum(j, where(stored(A[i,j]) & ~stored(M[i,j]), 1, 0))", target=target)
    np.testing.assert_array_equal(kernel(A=A, M=M), (at_a & ~at_m).sum(1))


def test_what_is_computed_is_stored_as_the_algebra_says():
    a, b = vector((1, 2.0), (2, 0.0), (4, 1.0)), vector((2, 3.0), (3, 5.0), (4, 0.0))
    for expression, places in (
        ("A[i] * B[i]", [2, 4]),
        ("A[i] + B[i]", [1, 2, 3, 4]),
        ("A[i] + 1", [1, 2, 4]),
        ("where(A[i] > 0, B[i], 0)", [2, 4]),
        ("first(A[i], B[i])", [1, 2, 4]),
        ("A[i] - x[i]", [0, 1, 2, 3, 4, 5]),
        ("2 + 3", [0, 1, 2, 3, 4, 5]),
    ):
        kernel = it.compile(f"c[i] = where(stored({expression}), 1, 0) + 0 * first(A[i], B[i])")
        operands = {"A": a, "B": b} | ({"x": np.ones(6)} if "x" in expression else {})
        assert np.nonzero(kernel(**operands))[0].tolist() == places, expression


def test_entries_have_values_that_are_the_fill():
    """The body gives 0 in the region, as a number: it is stored, and takes part as what is stored does."""
    zero = it.operator("zero", lambda a, b: 0.0, region=lambda a, b: a | b)
    a, b = vector((1, 2.0)), vector((1, 3.0), (4, 5.0))
    kernel = it.compile("C[i] = @zero(A[i], B[i])", formats={"C": VECTOR}, operators=[zero])
    assert pairs(kernel(A=a, B=b)) == [(1, 0.0), (4, 0.0)]
    kernel = it.compile("C[i] = 2 * @zero(A[i], B[i])", formats={"C": VECTOR}, operators=[zero])
    assert pairs(kernel(A=a, B=b)) == [(1, 0.0), (4, 0.0)]
    kernel = it.compile("y[i] = @zero(A[i], B[i]) * x[i]", operators=[zero])
    found = kernel(A=a, B=b, x=np.full(6, np.inf))
    np.testing.assert_array_equal(found, [0, np.nan, 0, 0, np.nan, 0])


def test_where_nothing_is_stored():
    missing = it.operator("missing", lambda a: a + 3, region=lambda a: ~a, fill=7)
    kernel = it.compile("C[i] = @missing(A[i])", formats={"C": VECTOR}, operators=[missing])
    result = kernel(A=vector((1, 2.0), (3, 0.0)))
    assert result.format.fill == 3
    assert pairs(result) == [(1, 7.0), (3, 7.0)]
    same = it.compile("C[i] = @missing(A[i])", formats={"C": it.Format("compressed, fill = 7")}, operators=[missing])
    with pytest.warns(it.DenseResultWarning):
        result = same(A=vector((1, 2.0), (3, 0.0)))
    assert pairs(result) == [(place, 3.0) for place in (0, 2, 4, 5)]


def test_fill_values_of_operands():
    """What is outside of the region reads as operands do there; of another dtype, it is 0."""
    far = it.Tensor.from_coo([[0, 2]], [1.0, 5.0], shape=(4,), format=it.Format("compressed, fill = inf"))
    near = it.Tensor.from_coo([[2, 3]], [1.0, 5.0], shape=(4,), format=it.Format("compressed, fill = inf"))
    formats = {"A": far.format, "B": near.format}
    kernel = it.compile("y[i] = @mask(A[i], B[i])", formats=formats, operators=[MASK])
    np.testing.assert_array_equal(kernel(A=far, B=near), [1, np.inf, np.inf, np.inf])
    less = it.operator("less", lambda a, b: a <= b, region="a and b")
    kernel = it.compile("y[i] = @less(A[i], B[i])", formats=formats, operators=[less])
    np.testing.assert_array_equal(kernel(A=far, B=near), [False, False, False, False])


def test_cases():
    cases = {0: lambda a, b: a, frozenset([1]): lambda a, b: -b, (): lambda a, b: a + 9}
    signed = it.operator("signed", lambda a, b: a * b, region=True, cases=cases)
    a, b = vector((1, 2.0), (2, 4.0)), vector((2, 3.0), (3, 5.0))
    kernel = it.compile("y[i] = @signed(A[i], B[i])", operators=[signed])
    np.testing.assert_array_equal(kernel(A=a, B=b), [9, 2, 12, -5, 9, 9])
    found = it.operator("found", lambda a, b: a * b, cases={0: lambda a, b: a})
    kernel = it.compile("C[i] = @found(A[i], B[i])", formats={"C": VECTOR}, operators=[found])
    assert pairs(kernel(A=a, B=b)) == [(1, 2.0), (2, 12.0)]


def test_a_case_may_have_another_dtype():
    half = it.operator("half", lambda a, b: a + b, cases={0: lambda a, b: a / 2})
    kernel = it.compile("y[i] = @half(A[i], B[i])", operators=[half])
    a = it.Tensor.from_coo([[0, 1]], [3, 5], shape=(3,), format=VECTOR)
    b = it.Tensor.from_coo([[1, 2]], [1, 2], shape=(3,), format=VECTOR)
    result = kernel(A=a, B=b)
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, [1.5, 6, 2])


def test_a_region_without_one_is_found_from_the_body():
    """A body stores what the same expression stores."""
    size = 2_000_000
    a = it.Tensor.from_coo([[5, 70, 1_999_999]], [1.0, 2.0, 3.0], shape=(size,), format=VECTOR)
    choose = it.operator("choose", lambda x, y: it.functions.where(x != 0, x * y, 0))
    asks = it.operator("asks", lambda x, y: it.functions.where(it.functions.stored(x), x * y, 0))
    for operator in (choose, asks):
        kernel = it.compile(f"C[i] = @{operator.name}(A[i], x[i])", formats={"C": VECTOR}, operators=[operator])
        assert kernel(A=a, x=np.ones(size)).nnz == 3


def test_what_is_asked_for_is_no_part_by_itself():
    """Computed before, a sum that loops would compute again is dense, and would be stored everywhere."""
    size = 300
    A, _, at_a = matrix(0, (size, 3))
    M, m, at_m = matrix(1, (size, size))
    keep = it.operator("keep", lambda a, b: b, region="a and b")
    for expression in ("@keep(sum(k, A[j,k] * x[k]), M[i,j])", "where(stored(sum(k, A[j,k] * x[k])), M[i,j], 0)"):
        operators = [keep] if "@" in expression else []
        kernel = it.compile(f"C[i,j] = {expression}", formats={"C": CSR}, operators=operators)
        result = kernel(A=A, M=M, x=np.ones(3))
        np.testing.assert_array_equal(result.to_numpy(), np.where(at_a.any(1), m, 0))
        assert not operators or result.nnz == (at_m & at_a.any(1)).sum()
        assert "\nkernels\n" not in kernel.explain()
    plain = it.compile("C[i,j] = where(sum(k, A[j,k] * x[k]) > 0, M[i,j], 0)", formats={"C": CSR})
    plain(A=A, M=M, x=np.ones(3))
    assert "\nkernels\n" in plain.explain()


def test_traits_of_single_arguments():
    """Of three arguments, the second annihilates; beside 0 and 1, the first is the result."""
    body = lambda a, b, c: a * b + c * b  # noqa: E731
    scaled = it.operator("scaled", body, annihilator={1: 0})
    a, b = vector((1, 2.0), (2, 4.0)), vector((2, 3.0), (3, 5.0))
    kernel = it.compile("C[i] = @scaled(A[i], B[i], x[i])", formats={"C": VECTOR}, operators=[scaled])
    assert pairs(kernel(A=a, B=b, x=np.full(6, 2.0))) == [(2, 18.0), (3, 10.0)]
    assert it.operator("f", body, annihilator=0).annihilators == {0: 0, 1: 0, 2: 0}
    left = it.operator("left", lambda a, b, c: it.functions.cbrt(a), identity={1: 0, 2: 0})
    kernel = it.compile("y[i] = @left(x[i], A[i], B[i])", operators=[left])
    np.testing.assert_array_equal(kernel(A=vector(), B=vector(), x=np.full(6, 8.0)), np.full(6, 8.0))
    assert not it.operator("sub", lambda a, b: a - b, identity={1: 0}, associative=True).reduces


def test_operators_of_other_regions_differ():
    one, other = (it.operator("f", lambda a, b: a, region=region) for region in ("a & ~b", "a | b"))
    assert one != other and one == it.operator("f", lambda a, b: a, region=lambda a, b: a & ~b)
    assert hash(one) != hash(it.operator("f", lambda a, b: a, region="a & ~b", fill=1))


def test_schedules_leave_regions_as_they_are():
    A, a, at_a = matrix(0, (6, 7), zeros=True)
    M, _, at_m = matrix(1, (6, 7), zeros=True)
    for steps in (
        it.schedule().precompute("A[i,j]", over="j"),
        it.schedule().parallelize("i"),
        it.schedule().split("i", "i0", "i1", 2),
    ):
        kernel = it.compile("C[i,j] = @mask(A[i,j], M[i,j])", formats={"C": CSR}, operators=[MASK], schedule=steps)
        result = kernel(A=A, M=M)
        np.testing.assert_array_equal(result.to_numpy(), np.where(at_m, 0, a))
        assert result.nnz == (at_a & ~at_m).sum()


def test_values_of_an_index_that_exists():
    a, b = vector((1, 2.0), (2, 4.0)), vector((2, 3.0), (3, 5.0))
    kernel = it.compile("C[i] = @mask(A[i], B[i])", formats={"A": VECTOR, "B": VECTOR, "C": VECTOR}, operators=[MASK])
    index = kernel.assemble(A=a, B=b)
    assert pairs(kernel.compute(index, A=vector((1, 7.0), (2, 4.0)), B=b)) == [(1, 7.0)]


def test_points_follow_from_the_region():
    formats = {"A": VECTOR, "B": VECTOR, "C": VECTOR}
    for region, points in (("a ^ b", "{A}   {B}"), ("a & ~b", "{A}"), ("a & b", "{A, B}"), ("b", "{B, A}\n   {B}")):
        operator = it.operator("f", lambda a, b: a + b, region=region)
        kernel = it.compile("C[i] = @f(A[i], B[i])", formats=formats, operators=[operator])
        text = kernel.explain().partition("has an entry\n")[2].partition("\n  coordinates")[0]
        assert text.strip() == points, region


@pytest.mark.parametrize("target", TARGETS)
def test_a_list_beside_a_bitmap_that_takes_away(target):
    """The loop that appends stands in a branch, with what it is made ready by."""
    operator = it.operator("f", lambda a, b, c: a, region="c and not b", fill=0)
    a, b = np.random.default_rng(0).integers(0, 2, (2, 300)).astype(float)
    formats = {"A": "padded", "B": "bitmap", "C": "compressed"}
    kernel = it.compile("C[i] = @f(A[i], B[i], D[i])", formats, operators=[operator], target=target)
    result = kernel(A=it.Tensor.from_numpy(a, "padded"), B=it.Tensor.from_numpy(b, "bitmap"), D=np.ones(300))
    np.testing.assert_array_equal(result.to_numpy(), np.where(b == 0, a, 0))


@pytest.mark.parametrize("schedule", ["auto", it.schedule().parallelize("i")])
def test_nothing_is_stored_outside_of_the_region_whatever_the_program(schedule):
    nowhere = it.operator("nowhere", lambda a: a + 1, region=False)
    diagonals = it.Tensor.from_numpy(np.eye(4), "(i, j) -> (j - i : dense, i : range, j : offset)")
    for dtypes in ({}, {"C": "complex128"}):
        kernel = it.compile(
            "C[i,j] = @nowhere(A[i,j])", {"C": "dense, bitmap"}, dtypes, operators=[nowhere], schedule=schedule
        )
        assert kernel(A=diagonals).nnz == 0


@pytest.mark.parametrize("region", ["not b", "a and not b", "a ^ b"])
def test_a_workspace_for_the_whole_result_records_what_the_region_has(region):
    """Of dense factors the rows come first, of the result the columns: all of it is collected before."""
    numbers = np.random.default_rng(1)
    P, Q = numbers.integers(1, 4, (2, 6, 6)).astype(float)
    M, _, at_m = matrix(1, (6, 6), zeros=True)
    operator = it.operator("f", lambda a, b: a, region=region, fill=0)
    kernel = it.compile("C[i,j] = @f(sum(k, P[i,k] * Q[k,j]), M[i,j])", {"C": it.CSC}, operators=[operator])
    result = kernel(P=P, Q=Q, M=M)
    np.testing.assert_array_equal(result.to_numpy(), np.where(at_m, 0, P @ Q))
    assert result.nnz == (~at_m).sum()


@pytest.mark.parametrize("region, inside", [("b", lambda s, m: m), ("b and not a", lambda s, m: m & ~s)])
@pytest.mark.parametrize("target", TARGETS)
def test_a_region_has_an_entry_where_a_sum_has_none(region, inside, target):
    A, a, at_a = matrix(3, (6, 7))
    B, b, at_b = matrix(4, (7, 5))
    M, _, at_m = matrix(5, (6, 5), zeros=True)
    operator = it.operator("f", lambda a, b: a, region=region)
    kernel = it.compile("C[i,j] = @f(sum(k, A[i,k] * B[k,j]), M[i,j])", {"C": CSR}, operators=[operator], target=target)
    result = kernel(A=A, B=B, M=M)
    where = inside((at_a.astype(int) @ at_b) > 0, at_m)
    np.testing.assert_array_equal(result.to_numpy(), np.where(where, a @ b, 0))
    assert result.nnz == where.sum()


# By whether A and B are stored (in neither, in A, in B, in both): where a choice is an entry that is x, and not 0.
CHOICES = {
    "where(stored(A[i]) & stored(B[i]), 0, x[i])": [1, 1, 1, 0],
    "where(stored(A[i]) | stored(B[i]), 0, x[i])": [1, 0, 0, 0],
    "where(stored(A[i]) ^ stored(B[i]), x[i], 0)": [0, 1, 1, 0],
    "where(stored(A[i]) & ~stored(B[i]), 0, x[i])": [1, 0, 1, 1],
    "@unless(A[i], B[i], x[i])": [1, 1, 1, 0],
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("rest", ["", " + z[i]"])
@pytest.mark.parametrize("result", ["compressed", "dense"])
@pytest.mark.parametrize("levels", ["compressed", "bitmap", "hashed"])
@pytest.mark.parametrize("chosen", CHOICES)
def test_a_factor_that_is_absent_by_what_is_stored_annihilates(chosen, levels, result, rest):
    """Whatever the other factor is, in loops for each case and in one for all."""
    unless = it.operator("unless", lambda a, b, x: x, region=lambda a, b, x: ~(a & b) & x)
    arrays = {"A": np.array([0.0, 1, 0, 1]), "B": np.array([0.0, 0, 1, 1])}
    there = np.array(CHOICES[chosen], bool)
    operands = {name: it.Tensor.from_numpy(array, levels) for name, array in arrays.items()}
    operands |= {"x": np.full(4, 3.0), "y": np.array([np.inf, -np.inf, np.inf, np.inf])}
    expected = np.where(there, operands["y"], 0)
    if rest:
        operands["z"] = vector((1, 5.0), (3, 7.0), size=4)
        expected = expected + np.array([0, 5, 0, 7])
    kernel = it.compile(f"o[i] = {chosen} * y[i]{rest}", {"o": result}, operators=[unless], disk_cache=False)
    found = kernel(**operands)
    np.testing.assert_array_equal(found if result == "dense" else found.to_numpy(), expected)
    if result != "dense":
        stored = there | [False, bool(rest), False, bool(rest)]
        np.testing.assert_array_equal(found.to_coo()[0][0], np.nonzero(stored)[0])


@pytest.mark.parametrize("result", ["compressed", "dense"])
@pytest.mark.parametrize("levels", ["compressed", "bitmap", "dense"])
def test_dense_operands_are_stored_everywhere(levels, result):
    """Then 0 is chosen as a number that the statement has, with which all factors are computed."""
    kernel = it.compile("o[i] = where(stored(x[i]), 0, x[i]) * y[i]", {"o": result})
    y = np.array([np.inf, 1.0])
    found = kernel(x=np.ones(2), y=it.Tensor.from_numpy(y, levels) if levels != "dense" else y)
    np.testing.assert_array_equal(found if result == "dense" else found.to_numpy(), [np.nan, 0])


@pytest.mark.parametrize("chosen", ["where(~stored(x[i]), x[i], 0)", "where(stored(x[i]), 0, x[i])"])
def test_a_number_that_is_chosen_everywhere_adds_no_entries(chosen):
    operands = {"x": np.ones(6), "A": vector((1, 2.0), (4, 0.0))}
    found = it.compile(f"C[i] = {chosen} + A[i]", {"C": VECTOR})(**operands)
    assert pairs(found) == [(1, 2.0), (4, 0.0)]
    asked = it.compile(f"c[i] = stored({chosen} + A[i])")(**operands)
    assert np.nonzero(asked)[0].tolist() == [1, 4]
    assert it.compile(f"c[i] = stored({chosen})")(x=operands["x"]).all()
