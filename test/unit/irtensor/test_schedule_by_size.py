"""`schedule="auto"`: of the programs of least cost, the one that is expected to be the least work on the operands."""

import pickle

import numpy as np
import pytest

import irtensor as it
from irtensor.compiler import tune_schedule
from irtensor.passes.autoschedule import candidate_programs

CSR, CSF = it.CSR, it.Format("dense, compressed, compressed")
MTTKRP = "A[i,j] = B[i,k,l] * C[j,k] * D[j,l]"
FORMATS = {"A": CSR, "B": CSF, "C": CSR, "D": CSR}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Nothing is known, in the process or on disk."""
    monkeypatch.setenv("IRTENSOR_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tune_schedule, "_known", {})
    monkeypatch.setattr(tune_schedule, "_candidates", {})
    return tmp_path


@pytest.fixture
def searches(monkeypatch):
    """How often programs were searched for, one entry each."""
    found, search = [], candidate_programs.candidate_programs

    def counted(*arguments, **options):
        found.append(1)
        return search(*arguments, **options)

    monkeypatch.setattr(candidate_programs, "candidate_programs", counted)
    return found


def operands(extent, share, seed=1):
    rng = np.random.default_rng(seed)

    def random(rank, format):
        array = rng.integers(1, 4, (extent,) * rank) * (rng.random((extent,) * rank) < share)
        return it.Tensor.from_numpy(array.astype(float), format)

    return {"B": random(3, CSF), "C": random(2, CSR), "D": random(2, CSR)}


def check(kernel, given):
    expected = np.einsum("ikl,jk,jl->ij", *(one.to_numpy() for one in given.values()), optimize=True)
    np.testing.assert_array_equal(kernel(**given).to_numpy(), expected)


def expected_steps(kernel):
    """The programs by the steps that are expected, the one that is taken first."""
    text = kernel.explain().partition("steps that are expected for operands with")[2]
    return [tuple(line.split(maxsplit=1)) for line in text.partition("\n\n")[0].splitlines()[1:]]


def test_it_depends_on_the_share_of_entries(searches):
    """All of the largest operand is gone along as it is stored, or it is put in another order to skip most of it."""
    kernel = it.compile(MTTKRP, FORMATS, schedule="auto")
    sparse, dense = operands(48, 0.01), operands(240, 0.05)
    taken = []
    for given in (sparse, dense, sparse):
        check(kernel, given)
        steps = expected_steps(kernel)
        # Differences of less than a fifth do not count.
        counts = [float(count) for count, _ in steps]
        assert counts[0] <= 1.2 * min(counts)
        assert f'autoschedule(program="{steps[0][1]}")' in kernel.explain()
        taken.append(steps[0][1])
    assert taken[0] == taken[2] != taken[1]
    assert taken[0].startswith("forall ik") and not taken[1].startswith("forall ik")
    # All sizes choose among the programs of one search.
    assert len(searches) == 1


def test_what_was_found_is_kept_on_disk(searches, monkeypatch):
    given = operands(20, 0.1)
    kernel = it.compile(MTTKRP, FORMATS, schedule="auto")
    check(kernel, given)
    for known in (tune_schedule._known, tune_schedule._candidates):
        known.clear()
    again = it.compile(MTTKRP, FORMATS, schedule="auto")
    check(again, given)
    assert expected_steps(again) == expected_steps(kernel) and len(searches) == 1


def test_before_a_call_it_is_for_operands_of_no_special_size():
    kernel = it.compile(MTTKRP, FORMATS, schedule="auto")
    assert "1. autoschedule(budget=2000)" in kernel.explain() and expected_steps(kernel) == []


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


def test_strict_sums_and_pickles_and_einsum():
    given = operands(12, 0.2)
    check(it.compile(MTTKRP, FORMATS, schedule="auto", strict_fp=True), given)
    check(pickle.loads(pickle.dumps(it.compile(MTTKRP, FORMATS, schedule="auto"))), given)
    result = it.einsum("ikl,jk,jl->ij", *given.values(), format=CSR, schedule="auto")
    expected = np.einsum("ikl,jk,jl->ij", *(one.to_numpy() for one in given.values()))
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
