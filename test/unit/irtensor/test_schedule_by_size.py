"""Of the programs of least cost and the loops without a schedule, what is expected to be the least work on operands:
for `schedule="auto"`, and by default for large ones."""

import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from dense_mttkrp import dense_mttkrp
from searched_once import no_choices

import irtensor as it
from irtensor.options import current_options
from irtensor.passes.autoschedule.operand_sizes import OperandSizes
from irtensor.passes.support.step_costs import STEPS
from irtensor.planning import call_sizes, search_programs
from irtensor.planning import candidates as candidates_module
from irtensor.planning.candidates import sizes_of
from irtensor.planning.default_planner import DEFAULT_PLANNER

__all__ = ["no_choices"]  # a fixture
CSR, CSF = it.CSR, it.Format("dense, compressed, compressed")
MTTKRP = "A[i,j] = B[i,k,l] * C[j,k] * D[j,l]"
FORMATS = {"A": CSR, "B": CSF, "C": CSR, "D": CSR}
NONE = "without a schedule"


pytestmark = pytest.mark.usefixtures("no_choices")


@pytest.fixture
def searches(monkeypatch):
    """How often programs were searched for, one entry each."""
    found, search = [], candidates_module.candidate_programs

    def counted(*arguments, **options):
        found.append(1)
        return search(*arguments, **options)

    monkeypatch.setattr(candidates_module, "candidate_programs", counted)
    return found


def operands(extent, share, columns=None, others=None, seed=1):
    """The first has this share of entries, and so have the others if nothing else is said."""
    rng = np.random.default_rng(seed)

    def random(format, share, *shape):
        array = rng.integers(1, 4, shape) * (rng.random(shape) < share)
        return it.Tensor.from_numpy(array.astype(float), format)

    factor = CSR, others or share, columns or extent, extent
    return {"B": random(CSF, share, extent, extent, extent), "C": random(*factor), "D": random(*factor)}


def check(kernel, given):
    expected = dense_mttkrp(*(one.to_numpy() for one in given.values()))
    np.testing.assert_array_equal(kernel(**given).to_numpy(), expected)


def expected_steps(kernel):
    """The programs by the steps that are expected, the one that is taken first."""
    title, *lines = [*kernel._last.rated(), ""]
    is_by_size = title.startswith("steps that are expected for operands with")
    return [tuple(line.split(maxsplit=1)) for line in lines if line] if is_by_size else []


def test_it_depends_on_the_sizes_of_operands(searches):
    """The products of C and D are stored, and merged with the rows of B, or found at a place for each pair; of long
    lists, of which that takes much memory, each pair is merged once, and B put in another order for that."""
    kernel = it.compile(MTTKRP, FORMATS, schedule="auto")
    short, long = operands(48, 0.004), operands(40, 0.5, columns=20_000, others=0.01)
    taken = []
    for given in (short, long, short):
        check(kernel, given)
        (first, program), *others = expected_steps(kernel)
        least = min(float(count) for count, other in others if other != NONE)
        if program == NONE:
            # Twice the work of a program is not worth it.
            assert float(first) <= 2.01 * least and kernel.chosen_schedule is None
        else:
            # Differences of less than a fifth do not count.
            assert float(first) <= 1.2 * least
            assert str(kernel.chosen_schedule) == f'autoschedule(program="{program}")' in kernel.explain()
        taken.append(program)
    assert taken[0] == taken[2] and "w[i(j),l(k),i(l)] +=" in taken[0] and "w[i(j),l(k),l(l)] +=" in taken[1]
    (candidates,) = DEFAULT_PLANNER.candidates(kernel._last.request(), current_options())
    long = OperandSizes({"i": 40.0, "j": 1e6, "k": 40.0, "l": 40.0}, {"B": 0.5, "C": 0.01, "D": 0.01})
    assert ": A[i,j] += B[s(i),l(k),l(l)] * " in str(candidates.ranked(long)[0].program)
    # All sizes choose among the programs of one search.
    assert len(searches) == 1


def test_programs_that_convert_nothing_are_taken_for_what_they_save():
    """What converts operands has to save half of the steps, and others just some."""
    request, settings = it.compile(MTTKRP, FORMATS)._last.request(), current_options()
    (candidates,) = DEFAULT_PLANNER.candidates(request, settings)
    for extent in (64.0, 256.0, 1024.0):
        sizes = OperandSizes(dict.fromkeys("ijkl", extent), dict.fromkeys("BCD", 0.01))
        first, plan = candidates.ranked(sizes)[0], candidates.work_of_plan(sizes)
        assert first.program is not None and first.program.startswith("(forall iklj: ") and first.amount < plan
    assert plan > 2 * first.amount
    request = it.compile("A[i,j] = B[i,k] * C[j,k]", dict.fromkeys("ABC", CSR))._last.request()
    (candidates,) = DEFAULT_PLANNER.candidates(request, settings)
    sizes = OperandSizes(dict.fromkeys("ijk", 8192.0), dict.fromkeys("BC", 0.002))
    (first, other, *_), plan = candidates.ranked(sizes), candidates.work_of_plan(sizes)
    assert first == (plan, None) and plan / 2 < other.amount < plan and "C[s(j),l(k)]" in str(other.program)


def test_what_was_found_is_kept_on_disk(searches, monkeypatch):
    given = operands(20, 0.1)
    kernel = it.compile(MTTKRP, FORMATS, schedule="auto")
    check(kernel, given)
    for known in (DEFAULT_PLANNER.choices, DEFAULT_PLANNER.searched):
        known.clear()
    again = it.compile(MTTKRP, FORMATS, schedule="auto")
    check(again, given)
    assert expected_steps(again) == expected_steps(kernel) and len(searches) == 1


def test_before_a_call_it_is_for_operands_of_no_special_size():
    kernel = it.compile(MTTKRP, FORMATS, schedule="auto")
    assert "1. autoschedule(budget=1000)" in kernel.explain() and expected_steps(kernel) == []


@pytest.mark.parametrize(
    ("notation", "formats", "options"),
    [
        ("y[i] = a[i] * b[i] * c[i] * d[i] * e[i] * f[i]", {}, {}),
        ("y[i] = real(a[i]) * b[i]", {}, {"dtypes": {"a": complex}}),
    ],
)
def test_where_nothing_is_searched_the_loops_stay(notation, formats, options):
    kernel = it.compile(notation, formats, schedule="auto", **options)
    ones = [np.ones(3) for _ in kernel.operand_names]
    kernel(*ones)
    plain = it.compile(notation, formats, **options)
    plain(*ones)
    loops = [one.explain().partition("\n\nloops\n")[2].partition("\n\n")[0] for one in (kernel, plain)]
    assert loops[0] == loops[1]


def test_other_kinds_have_the_same_schedule():
    given = operands(12, 0.2)
    kernel = it.compile(MTTKRP, FORMATS, schedule="auto")
    index = kernel.assemble(**given)
    np.testing.assert_array_equal(kernel.compute(index, **given).to_numpy(), kernel(**given).to_numpy())


def test_strict_sums():
    check(it.compile(MTTKRP, FORMATS, schedule="auto", strict_fp=True), operands(12, 0.2))


def test_pickles():
    check(pickle.loads(pickle.dumps(it.compile(MTTKRP, FORMATS, schedule="auto"))), operands(12, 0.2))


def test_einsum():
    given = list(operands(12, 0.2).values())[1:]
    result = it.einsum("ik,jk->ij", *given, format=CSR, schedule="auto")
    expected = np.einsum("ik,jk->ij", *(one.to_numpy() for one in given))
    np.testing.assert_array_equal(result.to_numpy(), expected)


def test_empty_operands_and_extents():
    kernel = it.compile(MTTKRP, FORMATS, schedule="auto")
    check(kernel, operands(5, 0.0))
    empty = {
        "B": it.Tensor.from_numpy(np.zeros((0, 4, 3)), CSF),
        "C": it.Tensor.from_numpy(np.zeros((2, 4)), CSR),
        "D": it.Tensor.from_numpy(np.zeros((2, 3)), CSR),
    }
    assert kernel(**empty).shape == (0, 2)


@pytest.fixture
def large(monkeypatch):
    """Operands are large sooner than they are, so that tests need not wait for them."""
    monkeypatch.setattr(call_sizes, "STEPS", replace(STEPS, search=1e6))


def test_by_default_it_is_so_for_large_operands(large, searches):
    kernel = it.compile(MTTKRP, FORMATS)
    check(kernel, operands(24, 0.05))
    assert expected_steps(kernel) == [] and kernel.chosen_schedule is None and not searches
    given = operands(40, 0.5, columns=20_000, others=0.01)
    check(kernel, given)
    (first, program), *_, (last, plan) = expected_steps(kernel)
    assert plan == NONE and float(last) > 2 * float(first) and len(searches) == 1
    assert str(kernel.chosen_schedule) == f'autoschedule(program="{program}")'
    index = kernel.assemble(**given)
    check(lambda **given: kernel.compute(index, **given), given)
    assert str(kernel.chosen_schedule) == f'autoschedule(program="{program}")'
    check(kernel, operands(24, 0.05))
    assert kernel.chosen_schedule is None
    # The same for einsum, whose operands have names of their own.
    result = it.einsum("ikl,jk,jl->ij", *given.values(), format=CSR)
    np.testing.assert_array_equal(result.to_numpy(), kernel(**given).to_numpy())
    assert len(searches) == 2


@pytest.mark.one_in(2)
@pytest.mark.parametrize("schedule", [None, "auto"])
def test_functions_in_ir_have_it_as_well(large, searches, schedule):
    kernel = it.compile(MTTKRP, FORMATS, schedule=schedule)
    module = it.compile_module(it.compile(MTTKRP, FORMATS).ir(), schedule=schedule)
    short, long = operands(24, 0.05), operands(40, 0.5, columns=20_000, others=0.01)
    for given in (short, long):
        check(module, given)
        check(kernel, given)
        assert module.chosen_schedule == kernel.chosen_schedule
        assert expected_steps(module) == expected_steps(kernel)
        assert module.llvm_ir() == kernel.llvm_ir()
    assert module.prepare(**long).chosen_schedule is not None and len(searches) == 2
    check(pickle.loads(pickle.dumps(module)), long)
    assert len(searches) == 2


def test_functions_in_ir_whose_loops_are_their_authors(large, searches):
    module = it.compile_module(it.compile(MTTKRP, FORMATS).ir("concretize"))
    check(module, operands(40, 0.5, columns=20_000, others=0.01))
    assert expected_steps(module) == [] and module.chosen_schedule is None and not searches


def test_functions_in_ir_with_names_of_their_own(large):
    """Arguments without names, and a variable that each of two sums has for itself."""
    type, vector = "tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>", "tensor<?xf64>"
    read = "index_notation.access %{}[%i, %j] : " + type
    total = "index_notation.reduce add (%j) : f64 {{ %b = {} index_notation.yield %b : f64 }}"
    module = it.compile_module(
        f"func.func @f(%0: {type}, %1: {type}) -> {vector} {{ %y = index_notation.assign (%i) : {vector} {{"
        f"%p = {total.format(read.format(0))} %q = {total.format(read.format(1))}"
        "%r = algebra.apply mul(%p, %q) : (f64, f64) -> f64 index_notation.yield %r : f64 }"
        f" func.return %y : {vector} }}",
        schedule="auto",
    )
    given = operands(20, 0.1, columns=40)
    B, C = given["C"], given["D"]
    expected = B.to_numpy().sum(1) * C.to_numpy().sum(1)
    np.testing.assert_array_equal(module(B, C), expected)
    (extents,) = module._last.request.extents([B, C])
    assert extents is not None and extents.keys() == {"i", "j", "j_1"}


def test_what_is_known_from_the_disk_needs_no_compiler():
    """A process that only calls what another one has chosen and compiled starts as fast as for other kernels."""
    code = (
        "import sys; import irtensor as it; from irtensor.planning import call_sizes; from dataclasses import replace;"
        "call_sizes.STEPS = replace(call_sizes.STEPS, search=10.0);"
        "E = it.Tensor.from_coo(([0, 1], [0, 0]), [2.0, 3.0], shape=(9, 9), format=it.CSR);"
        "k = it.compile('C[i,j] = A[i,k] * B[j,k]', dict.fromkeys('ABC', it.CSR));"
        "print(k(E, E).nnz, 'xdsl' in sys.modules)"
    )
    outputs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True) for _ in range(2)]
    assert [one.stdout for one in outputs] == ["4 True\n", "4 False\n"], outputs


def test_large_operands_that_have_nothing_to_gain(large, searches):
    kernel = it.compile("a = A[i,j] * B[j,k] * C[k,i]", dict.fromkeys("ABC", CSR))
    given = {name: random_csr(1000, 0.03, seed) for seed, name in enumerate("ABC")}
    a, b, c = (one.to_numpy() for one in given.values())
    assert kernel(**given) == np.sum(a @ b * c.T)
    (first, program), *others = expected_steps(kernel)
    assert program == NONE and float(first) <= 2.01 * min(float(count) for count, _ in others)
    assert kernel.chosen_schedule is None and len(searches) == 1


def test_programs_of_nearly_the_same_work_do_not_replace_the_plan(large, searches):
    """The model does not tell columns of a dense matrix from rows, and the plan goes along rows."""
    kernel = it.compile("R[i,j] min= A[i,k] + B[k,j]")
    r, a, b = (np.random.default_rng(seed).integers(0, 99, (120, 120)) * 1.0 for seed in range(3))
    np.testing.assert_array_equal(kernel(R=r, A=a, B=b), np.minimum(r, (a[:, :, None] + b).min(1)))
    (steps, program), (others, _) = (
        line.split(maxsplit=1) for line in kernel.explain().partition("steps that are expected")[2].split("\n")[1:3]
    )
    assert program == NONE and float(others) <= float(steps) < 1.1 * float(others)
    assert len(searches) == 1


def test_temporaries_may_be_small_by_the_sizes_of_operands(large):
    """The plan has none with several modes, and the products of two operands may be more than all entries."""
    kernel, given = it.compile(MTTKRP, FORMATS), operands(160, 0.05)
    check(kernel, given)
    (first, program), *_, (last, plan) = expected_steps(kernel)
    assert plan == NONE and "w[i(j),l(k),l(l)] += C[l(j),s(k)] * D[l(j),s(l)]" in program
    assert 2 * float(first) < float(last)


@pytest.mark.parametrize(("rows", "converted"), [((10, 1000), {"A"}), ((1000, 10), {"B"})])
def test_of_two_operands_the_smaller_one_is_converted(large, rows, converted):
    """Where that is much work: entries are sorted, as rows without entries are not listed."""
    kernel = it.compile("C[i,j] = A[i,k] * B[j,k]", {"A": it.DCSR, "B": it.DCSR, "C": CSR})
    rng = np.random.default_rng(3)
    arrays = [(rng.random((count, 20_000)) < 0.01) * 1.0 for count in rows]
    given = {name: it.Tensor.from_numpy(array, it.DCSR) for name, array in zip("AB", arrays, strict=True)}
    np.testing.assert_array_equal(kernel(**given).to_numpy(), arrays[0] @ arrays[1].T)
    assert {name for name, format in kernel.read_formats.items() if format != it.DCSR} == converted


@pytest.mark.one_in(4)
@pytest.mark.parametrize("options", [{"strict_fp": True}, {"convert": False}, {"schedule": it.schedule()}])
def test_loops_that_are_not_free_are_not_searched_for(large, searches, options):
    formats = FORMATS | {"C": it.CSC, "D": it.CSC}
    kernel, given = it.compile(MTTKRP, formats, **options), operands(40, 0.5, columns=20_000, others=0.01)
    check(kernel, given | {name: given[name].to_format(it.CSC) for name in "CD"})
    assert expected_steps(kernel) == [] and not searches


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("notation", "formats", "by_size"),
    [
        ("y[i] = A[i,j] * x[j]", {"A": CSR}, False),
        ("C[i,j] = A[i,k] * B[k,j]", dict.fromkeys("ABC", CSR), False),
        # One of the two is converted.
        ("C[i,j] = A[i,k] * B[j,k]", dict.fromkeys("ABC", CSR), True),
        ("D[i,j] = A[i,j] + B[i,j] + C[i,j]", dict.fromkeys("ABCD", CSR), False),
        ("y[i] = A[i,j] * B[j,k] * x[k]", dict.fromkeys("AB", CSR), False),
        # Rows of two operands are merged, of which one could be looked up in the other.
        ("D[i,j] = A[i,j] * B[i,k] * C[j,k]", dict.fromkeys("ABCD", CSR), True),
        (MTTKRP, FORMATS, True),
        ("a = A[i,j] * A[j,k] * A[k,i]", {"A": CSR}, True),
        ("y[i] = A[i,j] * B[j,k] * C[k,l] * D[l,m] * x[m]", dict.fromkeys("ABCD", CSR), False),
        ("y[i] = A[i,j] * B[i,k] * C[k,j] * D[i,l] * E[l,j]", dict.fromkeys("ABCDE", CSR), True),
    ],
)
def test_kernels_that_depend_on_sizes(notation, formats, by_size):
    """Those of which it is not known that no program does less."""
    kernel = it.compile(notation, formats).prepare(
        **{
            name: np.ones((2,) * rank)
            for name, rank in zip(it.compile(notation).operand_names, it.compile(notation)._plain.ranks, strict=True)
        }
    )
    assert kernel._last.last is not None and kernel._last.last.kernel.signature.by_size == by_size
    if not by_size:
        assert "no program does less" in kernel.explain()


def test_programs_that_cannot_be_compiled_are_passed_over(large, monkeypatch):
    lower, refused = search_programs.lowered_if_accepted, []

    def lowered(request, settings):
        if len(refused) < 3:
            refused.append(request.schedule)
            return None
        return lower(request, settings)

    monkeypatch.setattr(search_programs, "lowered_if_accepted", lowered)
    kernel, given = it.compile(MTTKRP, FORMATS), operands(40, 0.5, columns=20_000, others=0.01)
    check(kernel, given)
    assert len(refused) == 3 and kernel.chosen_schedule not in refused


def test_no_plan_is_much_more_work_than_a_program():
    """Whatever the sizes: with longer rows it pays to put the largest operand in another order."""
    request, settings = it.compile(MTTKRP, FORMATS)._last.request(), current_options()
    (candidates,) = DEFAULT_PLANNER.candidates(request, settings)
    taken = []
    for power in range(1, 9):
        sizes = OperandSizes({"i": 1e3, "j": 10.0**power, "k": 1e3, "l": 1e3}, {"B": 0.01, "C": 0.001, "D": 0.001})
        rated, plan = candidates.instead_of_plan(sizes), candidates.work_of_plan(sizes)
        if plan < 1e9:
            assert rated == ()
        else:
            assert (plan, None) in rated and rated[0].amount <= 2 * min(one.amount for one in rated)
            taken.append(rated[0].program)
    # More and more work, and at least four orders of magnitude of it by a program.
    assert taken[-4:] == [taken[-1]] * 4 and taken[-1] is not None


MASKED = "A[i,j] = B[i,k] * C[j,k] * D[j,k]"
INTERSECTED = (
    "(forall ikj: A[i,j] += B[l(i),s(k)] * w[s(j),l(k)]) where (forall jk: w[{},{}] += C[l(j),s(k)] * D[l(j),s(k)])"
)


def random_csr(extent, share, seed):
    rng = np.random.default_rng(seed)
    return it.Tensor.from_numpy((rng.random((extent, extent)) < share) * 1.0, CSR)


def test_workspaces_have_places_where_those_are_few():
    """Nothing is converted: what two of the operands have in common is stored by the loops that read the third."""
    kernel = it.compile(MASKED, dict.fromkeys("ABCD", CSR), schedule="auto")
    given = {name: random_csr(400, 0.05, seed) for seed, name in enumerate("BCD")}
    b, c, d = (one.to_numpy() for one in given.values())
    np.testing.assert_array_equal(kernel(**given).to_numpy(), b @ (c * d).T)
    assert expected_steps(kernel)[0][1] == INTERSECTED.format("i(j)", "l(k)")
    assert "w is better traversed in the order it is stored, (i, j) -> (i : dense, j : map)" in kernel.explain()
    # Of operands without entries nothing is looked up.
    empty = {name: random_csr(400, 0.0, 1) for name in "BCD"}
    np.testing.assert_array_equal(kernel(**empty).to_numpy(), 0)
    assert all("l(k)] +=" not in program for _, program in expected_steps(kernel))


def test_programs_that_convert_nothing_are_among_the_candidates(searches):
    kernel = it.compile(MTTKRP, FORMATS, schedule="auto")
    check(kernel, operands(20, 0.1))
    programs = [program for _, program in expected_steps(kernel)]
    assert any(program.startswith("(forall iklj: A[i,j] += B[l(i),s(k),s(l)] * w[") for program in programs)
    # With any of them, what is computed is the same.
    for program in programs:
        schedule = None if program == NONE else it.schedule().autoschedule(program=program)
        check(it.compile(MTTKRP, FORMATS, schedule=schedule), operands(20, 0.1))


def test_slices_with_entries_are_known_from_the_lists_of_levels():
    """What is stored in few long rows has fewer slices than entries that are anywhere."""
    rng = np.random.default_rng(2)
    array = np.zeros((30, 20, 40))
    array[rng.integers(0, 30, 12), rng.integers(0, 20, 12)] = 1.0
    slices = np.count_nonzero(array.any(axis=2))
    rows = np.count_nonzero(array.any(axis=(1, 2)))
    entries = float(np.count_nonzero(array))
    everything = {frozenset({0}): rows, frozenset({0, 1}): slices, frozenset({0, 1, 2}): entries}

    def known(format):
        return call_sizes.slices_of(it.Tensor.from_numpy(array, format))

    assert known(it.CSF(3)) == everything
    assert known(CSF) == {modes: count for modes, count in everything.items() if len(modes) > 1}
    assert known("(i, j, k) -> (k : compressed, j : compressed, i : compressed)")[frozenset({2})] == 40
    # Rows that are listed once per entry, and levels that list none.
    assert known(it.COO(3)) == {}
    assert known(it.Format("dense, bitmap, compressed")) == {}
    assert call_sizes.slices_of(it.Tensor.from_numpy(array[0], it.BCSR(2, 2))) == {}
    kernel = it.compile(MTTKRP, FORMATS)
    request = kernel._last.request()
    given = {"B": it.Tensor.from_numpy(array, CSF), "C": it.Tensor.from_numpy(np.eye(5, 20), CSR)}
    given["D"] = it.Tensor.from_numpy(np.eye(5, 40), CSR)
    (sizes,) = sizes_of(request, list(given.values()))
    assert sizes is not None and sizes.slices["B", frozenset({0, 1})] == slices
    # Where they are known they are counted, else as many as entries anywhere would be in.
    (candidates,) = DEFAULT_PLANNER.candidates(request, current_options())
    assert candidates.work_of_plan(sizes) != candidates.work_of_plan(replace(sizes, slices={}))
