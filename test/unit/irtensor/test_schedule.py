"""Schedules: building and reading them, what is refused, and that kernels follow them."""

import inspect
import pickle
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irtensor as it

GUSTAVSON = it.schedule().reorder("i", "k", "j").precompute("B[i,k] * C[k,j]", over="j")
DENSE = np.arange(6.0).reshape(2, 3)


def test_steps_add_up_and_are_not_changed():
    first = it.schedule().reorder("i", "k")
    second = first.precompute("B[i,k]", over=["i", "k"], workspace="t", format="dense, dense")
    assert str(first) == "reorder(i, k)"
    assert str(second) == 'reorder(i, k); precompute(B[i, k], over=(i, k), workspace=t, format="dense, dense")'
    assert repr(second).startswith("<schedule.reorder(i, k).precompute(")


@pytest.mark.parametrize(
    "schedule",
    [
        it.schedule(),
        GUSTAVSON,
        it.schedule().fuse("i", "j", "f").divide("f", "f0", "f1", 4, tensor="A"),
        it.schedule().fuse("i", "j", "f").split("f", "f0", "f1", 64, tensor="A").divide("k", "k0", "k1", 4, "B"),
        it.schedule()
        .split("i", "i0", "i1", 32)
        .divide("j", "j0", "j1", 4)
        .bound("i", 64, "multiple")
        .unroll("j1", 2)
        .vectorize("k", 8)
        .parallelize("i0", races="temporary")
        .assemble("A", "insert"),
        it.schedule().precompute("a(i) + 2*b(i)", over=("i",), reuse=True),
        it.schedule().precompute("2").precompute("True", workspace="t"),
        it.schedule().precompute("max(a[i], -b[i]) ** 2", over="i", workspace="t", format="accumulator"),
    ],
)
def test_text_and_pickle_give_the_same(schedule):
    for copy in (it.schedule(str(schedule)), pickle.loads(pickle.dumps(schedule))):
        assert copy == schedule
        assert hash(copy) == hash(schedule)


def test_text_may_be_spread_over_lines():
    text = """
        reorder(i, k, j)
        precompute("B[i,k]*C[k,j]", over=j);
    """
    assert it.schedule(text) == GUSTAVSON


TEXTS = [
    (
        "reoder(i, j)",
        """<schedule>:1:1: error: [bad-schedule] unknown step 'reoder'
  reoder(i, j)
  ^^^^^^
help: did you mean reorder?""",
    ),
    (
        "reorder(i, j); precompute(over=j)",
        """<schedule>:1:16: error: [bad-schedule] precompute: missing a required argument: 'expression'
  reorder(i, j); precompute(over=j)
                 ^^^^^^^^^^^^^^^^^^
help: it takes expression, over, producer, workspace, format, reuse""",
    ),
    (
        "reorder i, j",
        """<schedule>:1:1: error: [bad-schedule] expected a step with its arguments in parentheses
  reorder i, j
  ^^^^^^^^^^^^
help: write steps such as reorder(i, k, j); precompute(B[i,k] * C[k,j], over=j)""",
    ),
    (
        "precompute(B[i,j)",
        """<schedule>:1:17: error: [bad-schedule] unexpected ')'
  precompute(B[i,j)
                  ^
help: write steps such as reorder(i, k, j); precompute(B[i,k] * C[k,j], over=j)""",
    ),
    (
        "reorder(i, j",
        """<schedule>:1:1: error: [bad-schedule] missing ')'
  reorder(i, j
  ^^^^^^^^^^^^
help: write steps such as reorder(i, k, j); precompute(B[i,k] * C[k,j], over=j)""",
    ),
    (
        "reorder(i, , j)",
        """<schedule>:1:11: error: [bad-schedule] an argument is missing
  reorder(i, , j)
            ^
help: write steps such as reorder(i, k, j); precompute(B[i,k] * C[k,j], over=j)""",
    ),
    (
        "precompute(over=j, B[i,j])",
        """<schedule>:1:20: error: [bad-schedule] an argument without a name follows one with a name
  precompute(over=j, B[i,j])
                     ^^^^^^
help: write steps such as reorder(i, k, j); precompute(B[i,k] * C[k,j], over=j)""",
    ),
    (
        "reorder(i, 3)",
        """error: [bad-schedule] step 1, reorder: it takes names, not 3
help: names have letters, digits and underscores""",
    ),
]


@pytest.mark.parametrize("text, expected", TEXTS)
def test_refused_texts(text, expected):
    with pytest.raises(it.UserError) as caught:
        it.schedule(text)
    assert str(caught.value) == expected


@pytest.mark.parametrize("names, column", [("[i, k, ,]", 29), ("[i,,k]", 26), ("(,)", 24), ("[ , i]", 24)])
def test_a_name_is_missing_in_a_list(names, column):
    with pytest.raises(it.UserError, match="a name is missing") as caught:
        it.schedule(f"precompute(x[i], over={names})")
    assert (place := caught.value.location) is not None and place.column == column and caught.value.help
    with pytest.raises(it.UserError, match="step 1, precompute: over= has no name before a comma of"):
        it.schedule().precompute("x[i]", over=names[1:-1])


@pytest.mark.parametrize("names", ["[i, k]", "[i, k,]", "(i k)", '"i, k,"'])
def test_lists_of_names(names):
    assert it.schedule(f"precompute(x[i], over={names})") == it.schedule().precompute("x[i]", over=("i", "k"))


def test_a_number_of_thousands_of_digits():
    with pytest.raises(it.UserError, match="step 1, unroll: factor= is a number from 1 to 2147483647, not '999"):
        it.schedule(f"unroll(i, {'9' * 5000})")


LONGER = (
    "reorder(i, k, j); precompute(B[i,k] * C[k,j], over=j)",
    "fuse(i, k, f); split(f, f0, f1, 64, tensor=B); split(f1, f2, f3, 8, tensor=B); parallelize(f0, races=atomics)",
    "divide(j, j0, j1, 4); bound(k, 16, kind=multiple); unroll(j1, 4); vectorize(j1, 8)",
    'assemble(A, insert)\nprecompute("B[i,k]*C[k,j]", over=(j), workspace=t, format="dense")',
    "precompute(max(B[i,k], 2) ** 2 - C[k,j], over=[i, k, j], reuse=True)",
)
PIECES = (
    *(
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ";",
        "=",
        "==",
        '"',
        "'",
        "\n",
        "\0",
        "\u00e9",
        "$",
        ".",
        "\\",
        "()",
        "*",
        "**",
    ),
    *("i", "j0", "f", "0", "-1", "99999999999999999999", "1.5", "True", "None", "tensor=", "races=", "over=", "reuse="),
    *("reorder", "split(", "__class__", "B[i,k]", "//"),
)


def check_damaged(number, damaged):
    """What is not understood is refused: where it is, or in which step, and with a way out."""
    draw = random.Random(number)
    text = damaged(draw.choice(LONGER), draw, PIECES, (1, 1, 2, 3, 6))
    formats = draw.choice([{}, {"B": it.CSR, "C": it.CSR}, dict.fromkeys("ABC", it.CSR)])
    refused = refusal(text, formats)
    if refused is not None:
        story = f"{number}: {text!r}: {refused}"
        assert refused.help, story
        assert refused.location is not None or re.search(r"\bstep \d+", str(refused)), story


def refusal(text, formats):
    try:
        schedule = it.schedule(text)
        assert it.schedule(str(schedule)) == schedule
        it.compile("A[i,j] = B[i,k] * C[k,j]", formats=formats, schedule=schedule).ir("concrete_index")
    except it.UserError as error:
        return error
    return None


def test_damaged_texts(damaged):
    for number in range(300):
        check_damaged(number, damaged)


@pytest.mark.soak
def test_more_damaged_texts(soak_seeds, damaged):
    for number in soak_seeds:
        check_damaged(number, damaged)


CALLS = [
    (lambda s: s.split("i", "i0", "i0", 4), "step 1, split: i0 is given twice"),
    (lambda s: s.split("i", "i0", "i1", 0), "step 1, split: size= is a number from 1 to 2147483647, not 0"),
    (lambda s: s.divide("i", "i0", "i1", 2.0), "step 1, divide: parts= is a number from 1 to 2147483647, not 2.0"),
    (lambda s: s.split("i", "i0", "i1", 4, tensor=3), "step 1, split: tensor= takes names, not 3"),
    (lambda s: s.fuse("i", "j", "i"), "step 1, fuse: i is given twice"),
    (
        lambda s: s.parallelize("i", "locks"),
        "step 1, parallelize: races= is none or atomics or temporary or ignore, not 'locks'",
    ),
    (lambda s: s.assemble("A", "sort"), "step 1, assemble: strategy= is append or insert, not 'sort'"),
    (lambda s: s.bound("i", 4, "most"), "step 1, bound: kind= is exact or multiple, not 'most'"),
    (lambda s: s.unroll("i", True), "step 1, unroll: factor= is a number from 1 to 2147483647, not True"),
    (lambda s: s.vectorize("i j", 4), "step 1, vectorize: it takes names, not 'i j'"),
    (lambda s: s.reorder("i"), "step 1, reorder: it takes at least 2 names, got 1"),
    (lambda s: s.reorder("i", "i"), "step 1, reorder: i is given twice"),
    (lambda s: s.reorder("i", 0), "step 1, reorder: it takes names, not 0"),
    (lambda s: s.precompute(3), "step 1, precompute: the expression is a text, not int"),
    (lambda s: s.precompute("a[i]", over=3), "step 1, precompute: over= takes a name or several, not 3"),
    (lambda s: s.precompute("a[i]", workspace="a b"), "step 1, precompute: workspace= takes names, not 'a b'"),
    (lambda s: s.precompute("a[i]", reuse=1), "step 1, precompute: reuse= is True or False, not 1"),
    (lambda s: s.precompute("a[i"), "step 1, precompute: expected ']', found the end"),
    (lambda s: it.schedule(s), "a schedule is read from a text, not Schedule"),
    (
        lambda s: it.compile("y[i] = x[i]", schedule="reorder(i, j)"),  # pyrefly: ignore[bad-argument-type]
        "schedule= is made by irtensor.schedule(), not str",
    ),
]


@pytest.mark.parametrize("call, message", CALLS)
def test_refused_calls(call, message):
    with pytest.raises(it.UserError) as caught:
        call(it.schedule())
    assert caught.value.message == message
    assert caught.value.help


def test_einsum_has_one_kernel_to_schedule():
    schedule = it.schedule("reorder(i, j)")
    with pytest.raises(it.UserError, match="this einsum gives a view of its operand") as caught:
        it.einsum("ij->ji", DENSE, schedule=schedule)
    assert caught.value.slug == "bad-schedule"
    with pytest.raises(it.UserError, match="one per pair of operands"):
        it.einsum("ij,jk,kl->il", DENSE, DENSE.T, DENSE, optimize=True, schedule=schedule)


def test_loops_in_ir_have_their_order():
    text = """func.func @f(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      %a = concrete_index.access %x[%i] : tensor<?xf64>
      concrete_index.assign %a into %out[%i] : tensor<?xf64>
    }
  }
  func.return %y : tensor<?xf64>
}"""
    with pytest.raises(it.UserError) as caught:
        it.compile_module(text, schedule=it.schedule("precompute(x[i], over=i)"))
    assert caught.value.slug == "bad-schedule"


def test_errors_say_which_step():
    schedule = GUSTAVSON.precompute("B[i,j]")
    kernel = it.compile("A[i,j] = B[i,k] * C[k,j]", schedule=schedule)
    with pytest.raises(it.UserError) as caught:
        kernel(B=DENSE, C=DENSE.T)
    assert caught.value.slug == "expression-not-found"
    assert caught.value.notes[-1].message == "this is step 3: precompute(B[i, j])"


def test_kernels_differ_by_their_schedule():
    statement = "A[i,j] = B[i,k] * C[k,j]"
    plain, scheduled = it.compile(statement), it.compile(statement, schedule=GUSTAVSON)
    for kernel in (plain, scheduled):
        assert np.array_equal(kernel(B=DENSE, C=DENSE.T), DENSE @ DENSE.T)
    assert "where" not in plain.ir("choose-loop-order")
    assert "where" in scheduled.ir("choose-loop-order")
    copy = pickle.loads(pickle.dumps(scheduled))
    assert copy.schedule == GUSTAVSON
    assert copy.ir("step 2") == scheduled.ir("step 2")


def test_explain_lists_the_steps():
    text = it.compile("A[i,j] = B[i,k] * C[k,j]", formats={"A": it.CSR, "B": it.CSR, "C": it.CSR}, schedule=GUSTAVSON)
    explained = text.explain()
    assert "schedule\n  1. reorder(i, k, j)\n  2. precompute(B[i, k] * C[k, j], over=j)\n" in explained
    assert (
        "concretize, scatter-reductions, step 1, step 2, match-symmetric, expand-symmetric, warn-of-full-results"
        in explained
    )
    assert "compute the temporary w" in explained


def test_the_order_given_is_kept():
    """Dense operands only prefer an order: without a schedule k goes inside of i, and j after k."""
    kernel = it.compile("A[i,j] = B[i,k] * C[k,j]", schedule=it.schedule("reorder(j, k, i)"))
    assert np.array_equal(kernel(B=DENSE, C=DENSE.T), DENSE @ DENSE.T)
    ir = kernel.ir("choose-loop-order")
    assert ir.index("forall %j") < ir.index("forall %k") < ir.index("forall %i")


def test_an_order_that_storage_forbids_is_repaired():
    """CSR has rows outside: the loop over j cannot be outside of the one over i."""
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR}, schedule=it.schedule("reorder(j, i)"))
    matrix = it.Tensor.from_numpy(DENSE, it.CSR)
    assert np.array_equal(kernel(A=matrix, x=np.ones(3)), DENSE.sum(1))


@pytest.mark.parametrize(("schedule", "order"), [("parallelize(i)", "ikj"), ("reorder(i, j, k)", "ijk")])
def test_only_a_reorder_asks_for_inner_products(schedule, order):
    formats = {"A": it.CSR, "B": it.CSC, "C": it.CSR}
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats=formats, schedule=it.schedule(schedule))
    left, right = np.eye(3)[:, ::-1], np.arange(9.0).reshape(3, 3)
    result = kernel(A=it.Tensor.from_numpy(left, it.CSR), B=it.Tensor.from_numpy(right, it.CSC))
    assert np.array_equal(result.to_numpy(), left @ right)
    loops = re.findall(r"^ +for (\w):", kernel.explain().partition("\n\nhow")[0], flags=re.MULTILINE)
    # Where a row is put into a workspace first, the loops that follow are those of the product.
    assert "".join(dict.fromkeys(reversed(loops)))[::-1] == order


def test_modules_and_einsum_take_schedules():
    text = """func.func @f(%B: tensor<?x?xf64>, %C: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %A = index_notation.assign (%i, %j) : tensor<?x?xf64> {
    %s = index_notation.reduce add (%k) : f64 {
      %b = index_notation.access %B[%i, %k] : tensor<?x?xf64>
      %c = index_notation.access %C[%k, %j] : tensor<?x?xf64>
      %p = algebra.apply mul(%b, %c) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %A : tensor<?x?xf64>
}"""
    assert np.array_equal(it.compile_module(text, schedule=GUSTAVSON)(DENSE, DENSE.T), DENSE @ DENSE.T)
    schedule = it.schedule("reorder(i, k, j); precompute(operand0[i,k] * operand1[k,j], over=j)")
    assert np.array_equal(it.einsum("ik,kj->ij", DENSE, DENSE.T.copy(), schedule=schedule), DENSE @ DENSE.T)


def test_every_step_has_a_pass_and_a_page():
    from irtensor.api.schedule import Schedule
    from irtensor.passes import get_all_passes

    root = Path(__file__).parents[3]
    navigation = (root / "mkdocs.yml").read_text(encoding="utf-8")
    overview = (root / "docs" / "schedule" / "index.md").read_text(encoding="utf-8")
    steps = [name for name, value in vars(Schedule).items() if inspect.isfunction(value) and name[0] != "_"]
    assert "precompute" in steps
    for name in steps:
        assert name in get_all_passes()
        page = (root / "docs" / "schedule" / f"{name}.md").read_text(encoding="utf-8")
        for part in (f"schedule_step {name}", f"schedule_example {name}", f"schedule_refused {name}"):
            assert f"<!-- generated: {part} -->" in page
        assert f"schedule/{name}.md" in navigation
        assert f"({name}.md)" in overview


@pytest.mark.parametrize(
    ("text", "good", "bad"), [("bound(i, 8)", 8, 9), ("bound(i, 4, multiple); split(i, a, b, 4)", 8, 6)]
)
def test_a_bound_is_checked_by_the_kernel(text, good, bad):
    for format in ("dense", "compressed"):
        kernel = it.compile("y[i] = x[i] + x[i]", formats={"x": format}, schedule=it.schedule(text))
        np.testing.assert_array_equal(kernel(x=np.arange(float(good))), 2 * np.arange(float(good)))
        with pytest.raises(it.UserError, match="bound-not-met"):
            kernel(x=np.ones(bad))


@pytest.mark.parametrize("team", [1, 2, 4, 8, 16, 32, 128])
def test_teams_of_iterations(team: int):
    made = it.schedule().parallelize("i", team=team)
    assert it.schedule(str(made)) == made == it.schedule(f"parallelize(i, team={team})")
    for word, size in (("thread", 1), ("warp", 32), ("block", 128)):
        assert (made == it.schedule(f"parallelize(i, team={word})")) == (team == size)


TEAMS = "1, 2, 4, 8, 16, 32, 'thread', 'warp' or 'block'"


@pytest.mark.parametrize(
    ("unit", "help"),
    [
        ("GPUBlock", "write team=block: an iteration is for a block of the GPU"),
        ("GPUWarp", "write team=warp: an iteration is for a warp of the GPU"),
        ("GPUThread", "write team=thread: an iteration is for a thread of the GPU"),
        ("CPUThread", "omit it: threads are those of the target"),
        ("CPUVector", "write vectorize(i, 8)"),
        ("gpu.block", "write team=block: an iteration is for a block of the GPU"),
        ("gpu_warp", "write team=warp: an iteration is for a warp of the GPU"),
        ("thread", "write team=thread: an iteration is for a thread of the GPU"),
        ("IgnoreRaces", "write races=ignore"),
        ("Atomics", "write races=atomics"),
        ("ParallelReduction", "omit it: exchanges between lanes combine their sums"),
    ],
)
def test_units_of_taco_say_what_to_write(unit: str, help: str):
    with pytest.raises(it.UserError) as caught:
        it.schedule(f"parallelize(i, {unit})")
    assert (caught.value.slug, caught.value.help) == ("bad-schedule", help)


@pytest.mark.parametrize("team", [0, 3, 64, -1, True, 2.0, "lane", "8"])
def test_sizes_of_teams_are_known(team: Any):
    with pytest.raises(it.UserError) as caught:
        it.schedule().parallelize("i", team=team)
    assert caught.value.message == f"step 1, parallelize: team= is {TEAMS}, not {team!r}"


def test_a_unit_of_taco_as_the_team():
    with pytest.raises(it.UserError) as caught:
        it.schedule("parallelize(i, none, GPUBlock)")
    assert caught.value.help == "write team=block: an iteration is for a block of the GPU"
