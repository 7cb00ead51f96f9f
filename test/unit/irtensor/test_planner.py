"""The one door of planning: any planner can stand behind it, and one that fails costs no kernel."""

import re
from pathlib import Path

import numpy as np
import pytest

import irtensor as it
from irtensor.options import current_options
from irtensor.planning.plan import Plan
from irtensor.planning.planner import current_planner, plan_for, planner_of

ROOT = Path(__file__).parents[3]
CHAIN = "y[i] = A[i,j] * B[j,k] * x[k]"
FORMATS = {"A": it.CSR, "B": it.CSR}


class Broken:
    """A planner that fails as a fault in it would."""

    def __init__(self, error):
        self.error = error
        self.asked = 0

    def plan(self, request, settings, operands=None, by=None, load=None):
        self.asked += 1
        raise self.error


@pytest.fixture(autouse=True)
def no_kernels():
    it.clear_caches()
    yield
    it.clear_caches()


def operands():
    whole = {"A": (4, 5), "B": (5, 3), "x": (3,)}
    rng = np.random.default_rng(5)
    return {name: rng.integers(0, 3, shape).astype(float) for name, shape in whole.items()}


@pytest.mark.parametrize("error", [StopIteration(), KeyError("run_list"), AssertionError(), RecursionError("deep")])
def test_a_planner_that_fails_leaves_the_default_order(error):
    given, broken = operands(), Broken(error)
    with planner_of(broken):
        kernel = it.compile(CHAIN, formats=FORMATS, disk_cache=False)
        np.testing.assert_array_equal(kernel(**given), given["A"] @ given["B"] @ given["x"])
        assert broken.asked == 1
        text = kernel.explain()
        assert kernel.chosen_schedule is None
    reason = f"planning failed: {type(error).__name__}"
    assert any(
        line.startswith(reason) and line.endswith("loops have their default order") for line in text.splitlines()
    )


def test_with_a_broken_planner_every_statement_of_the_documentation_compiles():
    statements = [one for one in _statements() if _compiles(one)]
    assert len(statements) > 20
    with planner_of(Broken(StopIteration())):
        assert [one for one in statements if not _compiles(one)] == []


def _statements():
    """The statements that examples give to `compile`."""
    texts = [path.read_text() for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))]
    return sorted({one for text in texts for one in re.findall(r'compile\(\s*"([^"]+=[^"]+)"', text)})


def _compiles(statement):
    """Whether it compiles over dense operands; some examples show errors, or have operators of their own."""
    try:
        it.compile(statement, disk_cache=False).ir("llvm")
    except it.UserError:
        return False
    return True


def test_memory_that_is_used_up_is_no_fault_of_a_planner():
    with planner_of(Broken(MemoryError("none left"))), pytest.raises(MemoryError, match="none left"):
        it.compile(CHAIN, formats=FORMATS, disk_cache=False)(**operands())


def test_errors_of_the_statement_are_told_with_a_broken_planner_too():
    with planner_of(Broken(StopIteration())), pytest.raises(it.UserError, match=r"\[unknown-extent\]"):
        it.compile("y[i,l] = A[i,j]", formats={"A": it.CSR})(A=np.eye(2))


def test_a_schedule_that_was_asked_for_is_an_error_with_a_reproducer():
    with planner_of(Broken(StopIteration())):
        kernel = it.compile(CHAIN, formats=FORMATS, schedule="auto", disk_cache=False)
        with pytest.raises(it.UserError) as caught:
            kernel(**operands())
    assert caught.value.slug == "planning-failed"
    assert "the search for a schedule ended in StopIteration in 'plan' of test_planner.py" in caught.value.message
    assert "omit schedule='auto'" in str(caught.value.help) and "it.compile(" in str(caught.value.help)


class Fixed:
    """A planner with one program for everything."""

    def __init__(self, program):
        self.program = program

    def plan(self, request, settings, operands=None, by=None, load=None):
        return Plan.of(request, [self.program])


def test_another_planner_takes_effect():
    program = "(forall ijk: y[i] += A[i,j] * B[j,k] * x[k])"
    given = operands()
    with planner_of(Fixed(program)):
        kernel = it.compile(CHAIN, formats=FORMATS, disk_cache=False)
        np.testing.assert_allclose(kernel(**given), given["A"] @ given["B"] @ given["x"])
        assert str(kernel.chosen_schedule) == f'autoschedule(program="{program}")'
    assert "where" in str(it.compile(CHAIN, formats=FORMATS).chosen_schedule)


def test_planning_comes_once_and_before_lowering():
    """The plan of a kernel without programs has the loops that planning has lowered: nothing is lowered twice."""
    plans = []

    class Counting:
        def plan(self, request, settings, operands=None, by=None, load=None):
            plans.append(default.plan(request, settings, operands, by, load))
            return plans[-1]

    default = current_planner()
    with planner_of(Counting()):
        given = {"A": np.eye(3), "x": np.arange(3.0)}
        kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR}, disk_cache=False)
        np.testing.assert_array_equal(kernel(**given), given["x"])
    (plan,) = plans
    assert plan.draft is not None and plan.request.schedule is None


@pytest.mark.parametrize("options", [{"convert": False}, {"strict_fp": True}, {"schedule": it.schedule()}])
def test_nobody_is_asked_where_loops_are_given(options):
    broken = Broken(StopIteration())
    with planner_of(broken):
        given = {name: it.Tensor.from_numpy(one, FORMATS.get(name)) for name, one in operands().items()}
        it.compile(CHAIN, formats=FORMATS, disk_cache=False, **options)(**given)
    assert not broken.asked


def test_the_default_planner_is_back_after_another():
    request = it.compile(CHAIN, formats=FORMATS)._last.request()
    default = current_planner()
    with planner_of(Broken(StopIteration())):
        assert plan_for(request, current_options()).note is not None
    assert current_planner() is default
    assert plan_for(request, current_options()).note is None


@pytest.mark.parametrize("form", ["statement", "module"])
def test_a_search_whose_best_is_no_schedule_leaves_none(form):
    """The search that was asked for is no part of the plan."""
    statement = "C[i,j] = A[i,k] * B[k,j] + D[i,k] * A[k,j]"
    formats: dict[str, object] = dict.fromkeys("ABD", it.CSR)
    entries = np.random.default_rng(0).integers(0, 10, (3, 400, 400)) * (np.arange(400) % 5 == 0)
    given = {name: it.Tensor.from_numpy(one.astype(float), it.CSR) for name, one in zip("ABD", entries, strict=True)}
    a, b, d = (one.to_numpy() for one in given.values())
    kernel = it.compile(statement, formats, schedule="auto", disk_cache=False)
    if form == "module":
        text = it.compile(statement, formats).ir("index_notation")
        kernel = it.compile_module(text, schedule="auto", disk_cache=False)
    np.testing.assert_array_equal(kernel(**given), a @ b + d @ a)
    assert kernel.chosen_schedule is None
    assert any(line.endswith("without a schedule") for line in kernel.explain().splitlines())
    assert "autoschedule(budget" not in kernel.explain()
