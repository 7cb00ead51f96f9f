"""Schedules by measurement: the fastest one is taken, on operands or on samples like them, and kept on disk."""

import pickle
from itertools import count
from typing import Any

import numpy as np
import pytest
from searched_once import no_choices

import irtensor as it
from irtensor.compiler.kernel import specialiser
from irtensor.core.diagnostics import UserError
from irtensor.planning import measure_programs
from irtensor.planning.default_planner import DEFAULT_PLANNER
from irtensor.planning.uniform_samples import uniform_samples
from irtensor.tools import irtensor_run

__all__ = ["no_choices"]  # a fixture
CSR = it.CSR
PRODUCT = "C[i,j] = A[i,k] * B[k,j]"
FORMATS: dict[str, object] = dict.fromkeys("ABC", CSR)
PROGRAMS = [
    "forall kij: C[i,j] += A[l(i),s(k)] * B[l(k),s(j)]",
    "forall jki: C[i,j] += A[l(i),s(k)] * B[l(k),s(j)]",
    "forall ijk: C[i,j] += A[l(i),s(k)] * B[l(k),s(j)]",
]


pytestmark = pytest.mark.usefixtures("no_choices")


@pytest.fixture
def clock(monkeypatch):
    """Time that is told: by `seconds` of the number of a kernel, in the order in which kernels run first; `runs` has
    the number of each run, with the sizes of its operands."""

    monkeypatch.setattr(measure_programs, "_programs", lambda candidates, sizes, settings: PROGRAMS)

    class Clock:
        seconds = staticmethod(lambda number: 1.0)
        runs: list[Any] = []

    numbers = {}

    def run(kernel, operands):
        number = numbers.setdefault(id(kernel), len(numbers))
        kernel(operands)
        Clock.runs.append(
            (number, sum(operand.size if isinstance(operand, np.ndarray) else operand.nnz for operand in operands))
        )
        return Clock.seconds(number)

    monkeypatch.setattr(measure_programs, "_seconds", run)
    return Clock


def factors(extent=60, share=0.1, seed=3):
    rng = np.random.default_rng(seed)
    arrays = [rng.integers(1, 4, (extent, extent)) * (rng.random((extent, extent)) < share) for _ in range(2)]
    return [array.astype(float) for array in arrays]


def measured(kernel):
    """The lines of times in what the kernel says of itself; to say all, it would be compiled again."""
    title, *lines = kernel._last.rated() or [""]
    assert not lines or title.startswith("measured on ")
    return lines


def schedule_of(kernel):
    return kernel.explain().partition("\n\nschedule\n")[2].partition("\n\n")[0].strip()


def test_programs_are_searched():
    """Those of least cost, which differ in what they compute first, and no schedule."""
    kernel = it.compile("E[i,j] = A[i,k] * B[k,l] * C[l,j]", dict.fromkeys("ABCE", CSR), tune="operands")
    given = [*factors(), np.eye(60)]
    np.testing.assert_array_equal(kernel(*given).to_numpy(), given[0] @ given[1])
    assert len(measured(kernel)) > 3
    assert sum("where" in line for line in measured(kernel)) > 1


@pytest.mark.parametrize("tune", ["operands", "samples"])
def test_a_kernel_that_is_tuned_computes_the_same(tune, clock):
    clock.seconds = lambda number: 5.0 - number % 4
    kernel = it.compile(PRODUCT, FORMATS, tune=tune)
    for seed in (1, 2):
        given = factors(seed=seed)
        np.testing.assert_array_equal(kernel(*given).to_numpy(), given[0] @ given[1])
    np.testing.assert_array_equal(kernel.assemble(*given).to_numpy(), np.zeros((60, 60)))
    index = kernel.assemble(*given)
    np.testing.assert_array_equal(kernel.compute(index, *given).to_numpy(), given[0] @ given[1])
    assert measured(kernel) and not measured(it.compile(PRODUCT, FORMATS))


CANDIDATES = 4


def test_the_candidates_of_a_product(clock):
    kernel = it.compile(PRODUCT, FORMATS, tune="operands")
    kernel(*factors())
    programs = {line.split("ms")[1].strip() for line in measured(kernel)}
    assert len(programs) == len(measured(kernel)) == CANDIDATES and "without a schedule" in programs


@pytest.mark.one_in(2)
@pytest.mark.parametrize("fastest", range(CANDIDATES))
def test_each_candidate_is_taken_where_it_is_the_fastest(fastest, clock):
    given = factors()
    clock.seconds = lambda number: 1.0 if number % CANDIDATES == fastest else 2.0
    kernel = it.compile(PRODUCT, FORMATS, tune="operands")
    np.testing.assert_array_equal(kernel(*given).to_numpy(), given[0] @ given[1])
    lines = measured(kernel)
    assert [line.split()[0] for line in lines] == ["1000.000", *["2000.000"] * (CANDIDATES - 1)]
    program = lines[0].split("ms")[1].strip()
    assert (program == "without a schedule") == (fastest == 0)
    if fastest:
        assert schedule_of(kernel) == f'1. autoschedule(program="{program}")'


def test_of_those_that_are_as_fast_the_preferred_one_is_taken(clock):
    clock.seconds = lambda number: 1.0 - 0.004 * number
    kernel = it.compile(PRODUCT, FORMATS, tune="operands")
    kernel(*factors())
    assert measured(kernel)[0].endswith("without a schedule")


def test_what_takes_much_longer_on_few_data_does_not_run_on_many(clock):
    clock.seconds = lambda number: 100.0 if number else 1.0
    kernel = it.compile(PRODUCT, FORMATS, tune="operands")
    given = factors(600, 0.05)
    kernel(*given)
    many = sum(map(np.count_nonzero, given))
    assert {number for number, size in clock.runs if size == many} == {0}
    assert {number for number, size in clock.runs if size < many / 3} > {0, 1, 2}
    lines = measured(kernel)
    assert lines[0].endswith("without a schedule")
    assert len(lines) > 3 and all(line.split()[:2] == ["dropped", "forall"] for line in lines[1:])


def test_samples_are_small_whatever_operands_are(clock):
    kernel = it.compile(PRODUCT, FORMATS, tune="samples")
    clock.seconds = lambda number: 100.0 if number else 1.0
    kernel(*factors(1200, 0.3))
    assert max(size for _, size in clock.runs) < 2 * 1.1 * (1 << 17) < 2 * 1200**2 * 0.3


def test_measurements_are_kept_for_operands_of_a_magnitude(clock):
    def runs():
        found = len(clock.runs)
        clock.runs.clear()
        return found

    kernel = it.compile(PRODUCT, FORMATS, tune="operands")
    kernel(*factors(60))
    assert runs()
    kernel(*factors(61, seed=8))
    assert not runs()
    kernel(*factors(130))
    assert runs()
    # Another kernel, and another process, know them as well; each way to measure has its own.
    it.compile(PRODUCT, FORMATS, tune="operands")(*factors(60))
    DEFAULT_PLANNER.choices.clear()
    it.compile(PRODUCT, FORMATS, tune="operands")(*factors(130))
    assert not runs()
    it.compile(PRODUCT, FORMATS, tune="samples")(*factors(60))
    assert runs()
    DEFAULT_PLANNER.choices.clear()
    it.compile(PRODUCT, FORMATS, tune="operands", disk_cache=False)(*factors(60))
    assert runs()


def test_what_is_known_from_disk_is_shown():
    kernels = []
    for _ in range(2):
        DEFAULT_PLANNER.choices.clear()
        kernels.append(it.compile(PRODUCT, FORMATS, tune="operands"))
        kernels[-1](*factors())
    assert measured(kernels[0]) == measured(kernels[1])
    shown = kernels[1].explain().partition("\n\nmeasured on ")[2].partition("\n\n")[0]
    assert shown.splitlines()[1:] == measured(kernels[1])


def test_candidates_that_cannot_be_compiled_or_run_are_left_out(monkeypatch, clock):
    given = factors()
    numbers = count()
    load, seconds = specialiser.loaded, measure_programs._seconds
    failing = []

    def loaded(request, settings):
        number = next(numbers)
        if number == 1:
            raise UserError("unsupported", "not this one")
        kernel = load(request, settings)
        if number == 2:
            failing.append(kernel.native)
        return kernel

    def run(kernel, operands):
        if kernel.native in failing:
            raise MemoryError
        return seconds(kernel, operands)

    monkeypatch.setattr(specialiser, "loaded", loaded)
    monkeypatch.setattr(measure_programs, "_seconds", run)
    kernel = it.compile(PRODUCT, FORMATS, tune="operands")
    np.testing.assert_array_equal(kernel(*given).to_numpy(), given[0] @ given[1])
    assert next(numbers) == 4 and failing
    assert sorted(measured(kernel)) == sorted(
        [
            f"    1000.000 ms  {PROGRAMS[2]}",
            "    1000.000 ms  without a schedule",
            f"        dropped  {PROGRAMS[1]}",
        ]
    )


def test_what_fails_without_a_schedule_is_an_error():
    kernel = it.compile("s = min(j, A[i,j] + x[i])", {"A": CSR}, tune="operands", convert=False)
    with pytest.raises(UserError) as told:
        kernel(np.zeros((0, 0)), np.zeros(0))
    assert told.value.slug


@pytest.mark.parametrize(
    ("notation", "formats", "options"),
    [
        # The order of sums is not the compiler's choice.
        (PRODUCT, FORMATS, {"strict_fp": True}),
        # More operands than are searched for.
        ("y[i] = a[i] * b[i] * c[i] * d[i] * e[i] * f[i]", {}, {}),
        # Numbers of two types.
        ("y[i] = real(a[i]) * b[i]", {}, {"dtypes": {"a": complex}}),
    ],
)
def test_without_candidates_nothing_else_is_measured(notation, formats, options):
    kernel = it.compile(notation, formats, tune="operands", **options)
    shape = (3, 3) if formats else 3
    kernel(*[np.ones(shape) for _ in kernel.operand_names])
    assert [line.split("ms")[1].strip() for line in measured(kernel)] == ["without a schedule"]


def test_operands_are_not_converted_for_it_where_that_is_forbidden():
    kernel = it.compile("C[i,j] = A[k,i] * B[k,j]", {"A": CSR, "B": CSR, "C": CSR}, tune="operands", convert=False)
    given = [it.Tensor.from_numpy(array, CSR) for array in factors()[:2]]
    kernel(*given)
    assert "is converted" not in kernel.explain()
    np.testing.assert_array_equal(kernel(*given).to_numpy(), given[0].to_numpy().T @ given[1].to_numpy())


def test_tuned_kernels_are_pickled():
    kernel = pickle.loads(pickle.dumps(it.compile(PRODUCT, FORMATS, tune="samples")))
    assert kernel.tune == "samples"


def test_einsum(clock):
    given = [it.Tensor.from_numpy(array, CSR) for array in factors()]
    for _ in range(2):
        result = it.einsum("ik,kj->ij", *given, tune="operands", format=CSR)
        np.testing.assert_array_equal(result.to_numpy(), given[0].to_numpy() @ given[1].to_numpy())
    first = len(clock.runs)
    assert first == 2
    other = [it.Tensor.from_numpy(array, CSR) for array in factors(130)]
    it.einsum("ik,kj->ij", *other, tune="operands", format=CSR)
    assert len(clock.runs) > first


def test_irtensor_run(capsys):
    product = ["a[i] = B[i,j] * C[j,k] * d[k]", "B=ones(2, 3)", "C=ones(3, 2)", "d=ones(2)"]
    assert irtensor_run.main([*product, "--tune", "operands"]) == 0
    assert capsys.readouterr().out == "[6. 6.]\n"
    assert irtensor_run.main([*product, "--tune", "operands", "--explain"]) == 0
    assert "measured on the operands of a call\n" in capsys.readouterr().out


STORED = {
    "CSR": CSR,
    "DCSR": it.DCSR,
    "CSC": it.CSC,
    "COO": it.COO(2),
    "BCSR": it.BCSR(2, 3),
    "DIA": it.DIA,
    "ELL": it.ELL,
    "hashed": it.Format("dense, hashed"),
    "bitmap": it.Format("dense, bitmap"),
    "fill": it.Format("dense, compressed").with_fill(7.0),
}


@pytest.mark.parametrize("stored", STORED)
def test_samples_are_like_operands(stored):
    rng = np.random.default_rng(2)
    array = np.where(rng.random((400, 300)) < 0.2, 1.0, STORED[stored].fill or 0.0)
    given: list[Any] = [it.Tensor.from_numpy(array, STORED[stored]), np.ones(300, np.float32), np.array(2)]
    whole = uniform_samples(given)
    assert [one.shape for one in whole] == [one.shape for one in given]
    sample, vector, number = uniform_samples(given, 1 << 12)
    sample.check()
    assert sample.format == given[0].format and sample.dtype == given[0].dtype
    assert type(vector) is np.ndarray and vector.dtype == np.float32 and number.dtype == given[2].dtype
    assert sample.shape[1] == vector.shape[0] < 300 and number.shape == ()
    assert sample.nnz <= 1.5 * (1 << 12)
    entries = np.count_nonzero(sample.to_numpy() != sample.fill_value)
    density = given[0].nnz / array.size
    assert entries == pytest.approx(density * np.prod(sample.shape), rel=0.15)


def test_samples_of_huge_shapes():
    given = it.Tensor.from_coo([[1, 2**40], [5, 2**41]], [1.0, 2.0], shape=(2**41, 2**42))
    sample = uniform_samples([given])[0]
    assert sample.shape == given.shape and sample.nnz == 2


@pytest.mark.parametrize("tune", ["fast", True, ["operands"]])
def test_what_is_no_way_to_tune(tune):
    for refused in (lambda: it.compile(PRODUCT, FORMATS, tune=tune), lambda: it.einsum("i->", np.ones(2), tune=tune)):
        with pytest.raises((UserError, TypeError)):
            refused()


def test_a_schedule_is_given_or_found():
    with pytest.raises(UserError, match="tune= chooses a schedule by measurement, but schedule= gives one"):
        it.compile(PRODUCT, FORMATS, tune="operands", schedule=it.schedule().reorder("i", "j"))
    assert it.compile(PRODUCT, FORMATS, tune="operands", schedule="auto").tune == "operands"


def test_einsum_refuses_the_same():
    rows = it.Tensor.from_numpy(np.eye(3), CSR)
    columns = it.Tensor.from_numpy(np.eye(3), it.CSC)
    texts = []
    for tune in (None, "operands"):
        with pytest.raises(UserError) as told:
            it.einsum("ij,ij->ij", rows, columns, format=CSR, convert=False, tune=tune)
        texts.append(str(told.value))
    assert texts[0] == texts[1]
