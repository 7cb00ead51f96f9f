"""Kernels with operators that users declare give the right values under schedules of least asymptotic cost."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import irtensor as it
from irtensor.api.expression import functions
from irtensor.passes.autoschedule.statements import text_of
from irtensor.passes.schedule import autoschedule

INFINITE = float("inf")
# The operators, and what they compute on numbers.
OPERATORS = {
    "both": (it.operator("both", lambda a, b: a * b, annihilator=0, commutative=True, associative=True), np.multiply),
    "times": (it.operator("times", lambda a, b: a * b, commutative=True, associative=True), np.multiply),
    # Parts of their arguments are reduced by themselves.
    "product": (
        it.operator(
            "product",
            lambda a, b: a * b,
            identity=1,
            annihilator=0,
            commutative=True,
            associative=True,
            distributes_over=("add", "@sub"),
        ),
        np.multiply,
    ),
    "scaled": (it.operator("scaled", lambda a, b: a * b, distributes_over=("+",)), np.multiply),
    "opposite": (it.operator("opposite", lambda a: -a, distributes_over=("+",)), np.negative),
    "later": (
        it.operator(
            "later",
            lambda a, b: a + b,
            annihilator=INFINITE,
            commutative=True,
            associative=True,
            distributes_over="@least",
        ),
        np.add,
    ),
    "raised": (it.operator("raised", lambda a, b: a * b + 1), lambda a, b: a * b + 1),
    "without": (it.operator("without", lambda a, b: a - 2 * b), lambda a, b: a - 2 * b),
    "left": (it.operator("left", lambda a, b: a, associative=True), lambda a, b: a),
    "plus": (it.operator("plus", lambda a, b: a + b, annihilator=INFINITE, commutative=True), np.add),
    # The name of a built-in one, which has another algebra.
    "sub": (it.operator("sub", lambda a, b: a + b, identity=0, commutative=True, associative=True), np.add),
    "either": (
        it.operator("either", lambda a, b: a + b - a * b, identity=0, commutative=True, associative=True),
        lambda a, b: a + b - a * b,
    ),
    "last": (
        it.operator("last", lambda a, b: functions.where(b == 0, a, b), identity=0, associative=True),
        lambda a, b: a if b == 0 else b,
    ),
    "least": (
        it.operator(
            "least",
            lambda a, b: functions.where(a < b, a, b),
            identity=INFINITE,
            commutative=True,
            associative=True,
            idempotent=True,
        ),
        min,
    ),
}
SIZES = {"i": 4, "j": 5, "k": 3}
MATRICES, VECTOR = {"A": "ij", "B": "jk"}, {"x": "k"}
# Reduction with what it begins as, index variables of the result, operands, value; and the value that is not stored.
KERNELS = {
    **{
        f"sum of {name}": (("+", np.add, 0), "i", "ij", {"A": "ij", "x": "j"}, f"@{name}(A[i,j], x[j])", 0)
        for name in ("both", "times", "raised", "without", "left", "sub")
    },
    **{
        f"sum of nested {name}": (
            ("+", np.add, 0),
            "i",
            "ijk",
            {**MATRICES, **VECTOR},
            f"@{name}(@{name}(A[i,j], B[j,k]), x[k])",
            0,
        )
        for name in ("both", "times", "without", "left")
    },
    **{
        f"sum of distributing {number}": (("+", np.add, 0), "i", "ijk", {**MATRICES, **VECTOR}, value, 0)
        for number, value in enumerate(
            (
                "@product(@product(A[i,j], B[j,k]), x[k])",
                "@scaled(@scaled(A[i,j], B[j,k]), x[k])",
                "@opposite(A[i,j] * @opposite(B[j,k] * x[k]))",
                "@product(A[i,j], @scaled(B[j,k], @opposite(x[k])))",
                "@product(A[i,j], B[j,k] + x[k])",
                "@raised(A[i,j], @product(B[j,k], x[k]))",
            )
        )
    },
    "matrices by product": (("+", np.add, 0), "ik", "ijk", MATRICES, "@product(A[i,j], B[j,k])", 0),
    "product, sub": (("@sub", np.add, 0), "i", "ijk", {**MATRICES, **VECTOR}, "@product(A[i,j], B[j,k]) * x[k]", 0),
    "later, least": (
        ("@least", min, INFINITE),
        "i",
        "ijk",
        {**MATRICES, **VECTOR},
        "@later(@later(A[i,j], B[j,k]), x[k])",
        INFINITE,
    ),
    "matrices by both": (("+", np.add, 0), "ik", "ijk", MATRICES, "@both(A[i,j], B[j,k])", 0),
    "plus, least": (("@least", min, INFINITE), "ik", "ijk", MATRICES, "@plus(A[i,j], B[j,k])", INFINITE),
    "plus, min": (
        ("min", min, INFINITE),
        "i",
        "ijk",
        {**MATRICES, **VECTOR},
        "@plus(@plus(A[i,j], B[j,k]), x[k])",
        INFINITE,
    ),
    "products, either": (("@either", OPERATORS["either"][1], 0), "i", "ij", {"A": "ij", "x": "j"}, "A[i,j] * x[j]", 0),
    "products, last": (
        ("@last", OPERATORS["last"][1], 0),
        "i",
        "ijk",
        {**MATRICES, **VECTOR},
        "A[i,j] * B[j,k] * x[k]",
        0,
    ),
    # The matrix is not stored in the order in which values are combined.
    "products, last of columns": (
        ("@last", OPERATORS["last"][1], 0),
        "",
        "kj",
        {"B": "jk", "x": "k"},
        "x[k] * B[j,k]",
        0,
    ),
    "both, sub": (("@sub", np.add, 0), "ik", "ijk", MATRICES, "@both(A[i,j], B[j,k])", 0),
}
FORMATS = {"CSR": it.CSR, "DCSR": it.DCSR, "COO": it.COO(2), "CSC": it.CSC}


def statement(name):
    """The statement, what it computes from arrays, and its declared operators."""
    (sign, combine, initial), target, loops, operands, value, _ = KERNELS[name]
    text = f"y[{','.join(target)}] {sign}= {value}" if target else f"y {sign}= {value}"
    scope = {one: function for one, (_, function) in OPERATORS.items()}

    def expected(arrays):
        """Every value, combined in the order of the loops."""
        result = np.full([SIZES[index] for index in target], float(initial))
        for chosen in product(*(range(SIZES[index]) for index in loops)):
            at = dict(zip(loops, chosen, strict=True))
            read = {one: arrays[one][tuple(at[index] for index in its)] for one, its in operands.items()}
            place = tuple(at[index] for index in target)
            result[place] = combine(result[place], eval(_python(value), {**scope, **read}))
        return result

    return text, expected, [declared for declared, _ in OPERATORS.values() if f"@{declared.name}" in text]


def _python(value):
    return value.replace("@", "").replace("[i,j]", "").replace("[j,k]", "").replace("[k]", "").replace("[j]", "")


def operands_of(name, stored, rng):
    """Arrays of small whole numbers, so that results are exact in any order, as tensors, and the formats."""
    *_, operands, _, fill = KERNELS[name]
    arrays, given, formats = {}, {}, {}
    for one, indices in operands.items():
        shape = [SIZES[index] for index in indices]
        values = rng.integers(-1, 3, shape).astype(float)
        arrays[one] = given[one] = values
        if len(indices) == 2:
            arrays[one] = np.where(rng.random(shape) < 0.5, values, fill)
            formats[one] = replace(FORMATS[stored], fill=fill) if fill else FORMATS[stored]
            given[one] = it.Tensor.from_numpy(arrays[one], formats[one])
    return arrays, given, formats


def run(text, given, **settings):
    result = it.compile(text, **settings)(**given)
    return np.asarray(result) if isinstance(result, np.ndarray) or np.isscalar(result) else result.to_numpy()


@pytest.mark.one_in(48)
@pytest.mark.parametrize("stored", FORMATS)
@pytest.mark.parametrize("name", KERNELS)
def test_declared_operators(name, stored, monkeypatch):
    """Without a schedule, by the chosen one, and by each other program of least cost: a dozen if there are more."""
    text, expected, operators = statement(name)
    arrays, given, formats = operands_of(name, stored, np.random.default_rng(7))
    wanted, settings = expected(arrays), {"formats": formats, "operators": operators}
    try:
        unscheduled = run(text, given, **settings)
    except it.UserError as error:
        # Without a schedule, no operand is converted so that loops can keep their order.
        if error.slug != "illegal-reorder" or "@last" not in text:
            raise
    else:
        np.testing.assert_array_equal(unscheduled, wanted, err_msg="no schedule")
    search, found = autoschedule.preferred_programs, []

    def searched(*arguments):
        found[:] = search(*arguments)
        return found

    monkeypatch.setattr(autoschedule, "preferred_programs", searched)
    # Kernels are cached by their schedule, so that each search here has another budget.
    auto = it.schedule("autoschedule(budget=1999)")
    np.testing.assert_array_equal(run(text, given, **settings, schedule=auto), wanted, err_msg="auto")
    assert found
    for member in found[:12]:
        # The text of a program is read as that program, declared operators among it.
        given_program = it.schedule().autoschedule(program=text_of(member))
        np.testing.assert_array_equal(
            run(text, given, **settings, schedule=given_program), wanted, err_msg=text_of(member)
        )


@pytest.mark.one_in(4)
@pytest.mark.parametrize("result", [it.CSR, it.DCSR])
@pytest.mark.parametrize("name", ["matrices by both", "matrices by product", "plus, least", "both, sub"])
def test_sparse_results_of_declared_operators(name, result):
    text, expected, operators = statement(name)
    fill = KERNELS[name][-1]
    arrays, given, formats = operands_of(name, "CSR", np.random.default_rng(9))
    formats["y"] = replace(result, fill=fill) if fill else result
    for schedule in (None, "auto"):
        found = run(text, given, formats=formats, operators=operators, schedule=schedule)
        np.testing.assert_array_equal(found, expected(arrays), err_msg=str(schedule))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("sum of distributing 0", "w[j] += @product(B[l(j),s(k)], x[k])"),
        ("sum of distributing 1", "w[k] += @scaled(A[l(i),s(j)], B[l(j),s(k)])"),
        ("sum of distributing 2", "w[j] += B[l(j),s(k)] * x[k]"),
        ("later, least", "w[j] @least= @later(B[l(j),s(k)], x[k])"),
    ],
)
def test_parts_of_arguments_are_reduced_by_themselves(name, part):
    text, _, operators = statement(name)
    _, given, formats = operands_of(name, "CSR", np.random.default_rng(1))
    kernel = it.compile(text, formats=formats, operators=operators, schedule="auto")
    kernel(**given)
    assert part in kernel.explain()


def test_a_schedule_without_one():
    """It computes a part first that would be computed anew for every row."""
    both = OPERATORS["both"][0]
    rng = np.random.default_rng(3)
    A, B = (rng.integers(0, 2, (6, 6)).astype(float) for _ in "AB")
    x = np.arange(6.0)
    kernel = it.compile(
        "y[i] += A[i,j] * sum(k, @both(B[j,k], x[k]))", formats={"A": it.CSR, "B": it.CSR}, operators=[both]
    )
    given = {name: it.Tensor.from_numpy(array, it.CSR) for name, array in (("A", A), ("B", B))}
    np.testing.assert_array_equal(kernel(**given, x=x), A @ (B @ x))
    # A version of the kernel has these loops, so that they are not proposed.
    text = kernel.explain()
    assert "sum(k, @both(B[j, k], x[k])) is computed for all j first" in text
    assert "another one does less" not in text


def test_what_does_not_annihilate_is_computed_everywhere():
    """The work that explain() shows: the stored pairs where an annihilator or the body decides the others, or all."""
    formats = {"A": it.CSR}
    farther = it.operator("farther", lambda a, b: (a - b) ** 2)
    for operator, work in (
        (farther, "{ij}"),
        (OPERATORS["times"][0], "{ij | A_ij}"),
        (OPERATORS["both"][0], "{ij | A_ij}"),
    ):
        kernel = it.compile(f"y[i] += @{operator.name}(A[i,j], x[j])", formats=formats, operators=[operator])
        assert f"\n  {work}" in kernel.explain()


def test_another_order_is_another_value():
    """Loops that an operator reduces over stay in their order if it is not commutative."""
    last = OPERATORS["last"][0]
    text, formats = "y[i] @last= A[i,j] * B[j,k] * x[k]", {"A": it.CSR, "B": it.CSR}
    for order, refused in (("ijk", False), ("jik", False), ("ikj", True), ("kij", True)):
        program = f"forall {order}: y[i] @last= A[i,j] * B[j,k] * x[k]"
        schedule = it.schedule().autoschedule(program=program)
        kernel = it.compile(text, formats=formats, operators=[last], schedule=schedule)
        if refused:
            with pytest.raises(it.UserError, match="does not compute this definition"):
                kernel.explain()
        else:
            kernel.explain()


def test_the_name_of_a_built_in_operator():
    """What is declared decides, not what the name says of another one: 0 - x is -x, @sub(0, x) is x."""
    x, stored = np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 3.0])
    format = it.Format("compressed")
    kernel = it.compile("y[i] = @sub(A[i], x[i])", formats={"A": format}, operators=[OPERATORS["sub"][0]])
    np.testing.assert_array_equal(kernel(A=it.Tensor.from_numpy(stored, format), x=x), stored + x)


@pytest.mark.parametrize(("reduction", "of_none"), [("min", np.inf), ("max", -np.inf)])
def test_nothing_is_reduced_first_where_that_differs_for_no_values(reduction, of_none):
    """The least of a number and of the least of no numbers is that number, but there is nothing to be reduced."""
    text = f"y[i] {reduction}= {reduction}({reduction}(B[i], C[k]), E[l])"
    operands = {"B": np.ones(2), "C": np.zeros(0), "E": np.ones(3)}
    for schedule in (None, "auto"):
        np.testing.assert_array_equal(it.compile(text, schedule=schedule)(**operands), np.full(2, of_none))
    for part in ("C[k]", f"{reduction}(B[i], C[k])"):
        schedule = it.schedule().precompute(part, over=())
        with pytest.raises(it.UserError, match=f"does not distribute over '{reduction}' of no values"):
            it.compile(text, schedule=schedule)(**operands)
