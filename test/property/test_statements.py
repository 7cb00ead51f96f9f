"""Statements that once gave wrong values or may: duplicates, unordered levels, three operands, conversions, dtypes."""

import random
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from reference.compare_with_oracle import Case, compare_with_oracle
from reference.loop_orders import refusal

import irtensor
from irtensor.core.tensor_format import TensorFormat
from irtensor.errors import UserError
from irtensor.tensors.tensor import Tensor

INF = float("inf")
FORMATS = {
    "c": "compressed",
    "d": "dense",
    "twice": "compressed(nonunique)",
    "mixed": "compressed(nonordered)",
    "csr": "dense, compressed",
    "csc": "(i, j) -> (j : dense, i : compressed)",
    "dcsr": "compressed, compressed",
    "cd": "(i, j) -> (j : compressed, i : dense)",
    "coo": "compressed(nonunique), singleton",
    "coo twice": "compressed(nonunique), singleton(nonunique)",
    "mixed csr": "dense, compressed(nonordered)",
}


def form(name, fill=0):
    return None if name is None else TensorFormat.parse(FORMATS[name]).with_fill(fill)


@pytest.mark.parametrize(
    "notation, format",
    [
        ("s = sum(i, sqrt(sum(j, abs(A[i,j]))))", "coo"),
        ("C[j,k] = A[i,j] * A[i,k]", "coo"),
        ("y[i] = sum(j, A[i,j]) * sum(j, A[i,j] * A[i,j])", "coo"),
        ("s = sum(i, sum(j, A[i,j]) * sum(j, A[i,j]))", "coo"),
        ("s = sum(i, max(j, A[i,j] * A[i,j]))", "coo"),
        ("y[i] = A[i,j] * A[i,j]", "coo twice"),
        ("y[i] = A[i,j]", "coo twice"),
        ("y[i] max= A[i,j]", "coo twice"),
        ("C[i,j] = sqrt(abs(A[i,j]))", "coo twice"),
    ],
)
def test_shared_coordinates_are_one_coordinate(notation, format):
    compare_with_oracle(Case(notation, {"A": form(format)}))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("notation", ["y[i] = {}", "s = sum(i, {})", "s = max(i, {})"])
@pytest.mark.parametrize("term", ["A[i] + B[i]", "A[i] * B[i]", "min(A[i], B[i])", "A[i] * A[i] * B[i]"])
@pytest.mark.parametrize("other", [None, "c", "twice"])
def test_duplicates_add_up(notation, term, other):
    compare_with_oracle(Case(notation.format(term), {"A": form("twice"), "B": form(other)}))


@pytest.mark.parametrize("result", ["csr", "dcsr"])
def test_unordered_entries_are_not_appended(result):
    with pytest.raises(UserError) as caught:
        compare_with_oracle(Case("C[i,j] = A[i,j] * 2", {"A": form("mixed csr")}, form(result)))
    assert caught.value.slug == "unordered-merge"
    compare_with_oracle(Case("C[i,j] = A[i,j] * 2", {"A": form("mixed csr")}))
    compare_with_oracle(Case("C[i,j] = A[i,j] * 2", {"A": form("mixed csr")}, form(result)), convert=True)


def test_conversions_that_sort_are_explained():
    matrix = irtensor.Tensor.from_coo([[0, 1], [1, 0]], [2.0, 3.0], shape=(2, 2), format=form("mixed csr"))
    kernel = irtensor.compile("C[i,j] = A[i,j] * 2", formats={"C": irtensor.CSR})
    np.testing.assert_array_equal(kernel(A=matrix).to_numpy(), [[0, 4], [6, 0]])
    assert "it is combined with others, or appended to, in order of coordinate" in kernel.explain()
    kernel = irtensor.compile("y[i] = A[i,j]")
    kernel(A=matrix)
    assert "is converted" not in kernel.explain()


@pytest.mark.parametrize("result", [None, "c"])
@pytest.mark.parametrize(
    "notation, fills",
    [("second(A[i], B[i])", (0, 0)), ("second(A[i], B[i])", (1, 2)), ("max(A[i], B[i])", (0, INF))],
)
def test_operand_that_ends_first(notation, fills, result):
    formats = {"A": form("c", fills[0]), "B": form("c", fills[1])}
    compare_with_oracle(Case(f"y[i] = {notation}", formats, form(result)))


def test_dense_level_below_an_appended_one():
    compare_with_oracle(Case("C[i,j] = A[i,j] * x[j]", {"A": form(None), "x": form("c")}, form("cd")))


NAN = float("nan")


@pytest.mark.parametrize("result", [None, "c"])
@pytest.mark.parametrize(
    "term, fills, at_gaps",
    [
        ("where(A[i] > 0, 0 * B[i], 0.0)", {"A": 0, "B": INF}, {"A": NAN}),
        ("where(C[i] > 0, A[i] / B[i], 0.0)", {"A": 0, "B": 0, "C": 0}, {"AC": INF, "ABC": 1.5}),
        ("where(C[i] > 0, A[i] * B[i], 0.0)", {"A": 0, "B": INF, "C": 0}, {"AC": INF, "ABC": 6.0}),
    ],
)
def test_missing_entry_computes_more_than_a_stored_one(term, fills, at_gaps, result):
    """A number and a stored value meet an infinite fill value as IEEE 754 says; an absent 0 makes a product absent."""
    names = sorted(fills)
    subsets = ["".join(chosen) for count in range(4) for chosen in combinations(names, count)] * 2
    operands = {}
    for name, value in zip(names, (3.0, 2.0, 1.0), strict=False):
        here = [i for i, present in enumerate(subsets) if name in present]
        values = np.full(len(here), value)
        operands[name] = Tensor.from_coo([here], values, shape=(len(subsets),), format=form("c", fills[name]))
    formats = {"y": FORMATS["c"]} if result else None
    computed = irtensor.compile(f"y[i] = {term}", formats=formats)(**operands)
    if result:
        computed.check()
        computed = computed.to_numpy()
    np.testing.assert_array_equal(computed, [at_gaps.get(present, 0.0) for present in subsets])


THREE = [f"y[i] = {text}" for text in ("({} o {}) p {}", "{} o ({} p {})")]


@pytest.mark.one_in(18)
@pytest.mark.parametrize("shape", THREE)
@pytest.mark.parametrize("pair", list(product("+*-", repeat=2)), ids="".join)
def test_three_operands(shape, pair):
    text = shape.format("A[i]", "B[i]", "C[i]").replace(" o ", f" {pair[0]} ").replace(" p ", f" {pair[1]} ")
    combinations = list(product([None, "c", "twice"], repeat=3))
    for kinds in random.Random(text).sample(combinations, 12):
        formats: dict[str, TensorFormat | None] = dict(zip("ABC", map(form, kinds), strict=True))
        for result in (None, "c"):
            compare_with_oracle(Case(text, formats, form(result)))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["{} + {}", "{} * {}", "min({}, {})"])
def test_four_operands(name):
    inner = name.format("A[i]", "B[i]"), name.format("C[i]", "D[i]")
    for left, right in permutations(["({}) * ({})", "({}) + ({})"]):
        for text in (left.format(*inner), f"({right.format(*inner)}) - A[i]"):
            compare_with_oracle(Case(f"y[i] = {text}", dict.fromkeys("ABCD", form("c")), form("c")))


CONVERTED = ("C[i,j] = A[i,j] o B[i,j]", "C[i,j] = A[i,j] o B[j,i]", "s = sum(i, j, A[i,j] o B[j,i])")


@pytest.mark.one_in(16)
@pytest.mark.parametrize("notation", [*CONVERTED, "C[i,j] = A[j,i] o A[i,j]"])
@pytest.mark.parametrize("operator", "+*-")
def test_contradicting_orders_are_converted(notation, operator):
    """What only contradicting storage orders of operands prevent compiles once they may be converted."""
    names = ("A", "B") if "B" in notation else ("A",)
    tried = 0
    for kinds in product(["csr", "csc", "dcsr", "coo", "cd"], repeat=len(names)):
        case = Case(notation.replace("o", operator), dict(zip(names, map(form, kinds), strict=True)))
        if refusal(case.statement(), case.formats):
            compare_with_oracle(case, convert=True)
            tried += 1
    assert tried


POOLS = {
    "bool": np.array([True, False]),
    "int8": np.array([-128, -3, 1, 100, 127], np.int8),
    "int32": np.array([-(2**31), -7, 1, 5, 2**31 - 1], np.int32),
    "int64": np.array([-(2**63), -7, 1, 5, 2**62]),
    "float32": np.array([-2.5, 0.5, 3.0], np.float32),
    "complex128": np.array([1 + 2j, -3j, 2.0]),
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("left, right", [(a, b) for a in POOLS for b in POOLS])
@pytest.mark.parametrize("term", ["A[i,j] * B[i,j]", "A[i,j] + B[i,j]"])
def test_dtypes(left, right, term):
    pools = {"A": POOLS[left], "B": POOLS[right]}
    formats = {"A": form("csr"), "B": form("dcsr")}
    compare_with_oracle(Case(f"C[i,j] = {term}", formats, form("csr"), pools))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("reduction, identity", [("max", -INF), ("min", INF), ("prod", 1.0), ("sum", 0.0)])
@pytest.mark.parametrize("term", ["A[i,k]", "A[i,k] * B[i]"])
@pytest.mark.parametrize("a", ["csr", "dcsr", "coo"])
def test_no_elements_reduce_to_the_identity(reduction, identity, term, a):
    """A sparse result that reads as another value where nothing is stored is refused, never wrong."""
    statement = f"y[i] = {reduction}(k, {term})"
    operands = {"A": np.zeros((3, 0)), "B": np.ones(3)}
    given = {name: operands[name] for name in "AB" if f"{name}[" in term}
    formats = {"A": form(a), "B": form("c")}

    def run(result):
        chosen = {name: formats[name] for name in given} | {"y": result}
        return irtensor.compile(statement, formats=chosen, disk_cache=False)(**given)

    np.testing.assert_array_equal(run("dense"), [identity] * 3)
    np.testing.assert_array_equal(run(form("c", identity)).to_numpy(), [identity] * 3)
    if identity == 0:
        np.testing.assert_array_equal(run("compressed").to_numpy(), [0, 0, 0])
    else:
        with pytest.raises(UserError, match="empty-reduction"):
            run("compressed")


def test_no_elements_do_not_matter_to_an_empty_result():
    kernel = irtensor.compile("y[i] = max(k, A[i,k])", formats={"A": irtensor.CSR, "y": "compressed"})
    assert kernel(A=np.zeros((0, 0))).shape == (0,)
    np.testing.assert_array_equal(kernel(A=np.eye(2)).to_numpy(), [1, 1])


@pytest.mark.parametrize("result", [None, TensorFormat.parse("dense, compressed")])
def test_what_no_entry_changes_is_not_computed(result):
    """A condition has no imaginary part: of three accesses that are searched, none leads to anything."""
    format = TensorFormat.parse("dense, dense, compressed, compressed")
    pool = np.array([1 + 2j, -3j, 2], np.complex64)
    for added in ("", " + D[i,j]"):
        notation = f"C[i,j] = imag(Q[i,j,i,i] == (Q[i,i,i,i] + Q[i,i,j,i])){added}"
        formats = {"Q": format, **({"D": None} if added else {})}
        for threads in (1, 3):
            compare_with_oracle(Case(notation, formats, result, {"Q": pool}), convert=True, num_threads=threads)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("fill", [None, 3])
@pytest.mark.parametrize("result", ["dense, bitmap", "dense, compressed", "bitmap, bitmap", "hashed, hashed"])
@pytest.mark.parametrize(
    "order", ["(i, j) -> (i : dense, j : compressed)", "(i, j) -> (j : compressed, i : compressed)"]
)
def test_least_value_where_a_result_reads_as_another(order, result, fill):
    """The least of nothing but infinities is stored where no entry says something else: it used to be left out."""
    formats = {"A": TensorFormat.parse(f"{order}, fill = inf"), "B": None}
    result = TensorFormat.parse(result).with_fill(fill)
    case = Case("C[k,j] = min(i, first(A[j,k], B[k,i,j]))", formats, result, dict.fromkeys("AB", np.array([-1.0, 2])))
    compare_with_oracle(case, convert=True)


@pytest.mark.parametrize("result", ["compressed", "hashed", "bitmap"])
@pytest.mark.parametrize(
    "statement", ["C[i] = second(x[i], B[i])", "C[i] = first(B[i], x[i])", "C[i] = where(K[i], x[i], B[i])"]
)
def test_what_is_not_used_says_nothing_about_the_fill_value(statement, result):
    """Nothing depends on a dense operand where B has no entry, so there is none in the result."""
    fill = form("c", 2)
    operands: dict[str, Any] = {
        "x": np.ones(6),
        "B": Tensor.from_coo([[1, 3]], [5.0, 6.0], shape=(6,), format=fill),
        "K": Tensor.from_coo([[4]], [True], shape=(6,), format=form("c")),
    }
    operands = {name: operand for name, operand in operands.items() if f"{name}[" in statement}
    formats = {name: operand.format for name, operand in operands.items() if name != "x"}
    made = irtensor.compile(statement, formats={**formats, "C": result}, disk_cache=False)(**operands)
    assert made.fill_value == 2 and made.nnz == 2 + ("K" in operands)
    np.testing.assert_array_equal(made.to_numpy(), [2, 5, 2, 6, 1 if "K" in operands else 2, 2])
