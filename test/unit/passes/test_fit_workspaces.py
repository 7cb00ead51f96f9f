"""Workspaces with a place for each coordinate of their outer modes, and those that are stepped through instead of being
located: chosen by sizes, or written in a program."""

import numpy as np
import pytest
from work_models import CSR, work

import irtensor as it
from irtensor.dialects.concrete_index.protocols import INSERT, LOCATE
from irtensor.passes.autoschedule.fit_workspaces import fit_workspaces
from irtensor.passes.autoschedule.operand_sizes import OperandSizes
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.statements import located, reads, stepped, stored_by, text_of, wheres

STATEMENT = "A[i,j] += B[i,k,l] * C[j,k] * D[j,l]"
FORMATS = {"A": CSR, "B": "dense, compressed, compressed", "C": CSR, "D": CSR}
NEST = (
    "(forall iklj: A[i,j] += B[l(i),s(k),s(l)] * w[l(k),l(l),s(j)]) where "
    "(forall jkl: w[{}] += C[l(j),s(k)] * D[l(j),s(l)])"
)
INSERTED, LOCATED = NEST.format("k,l,j"), NEST.format("l(k),l(l),i(j)")


def sizes(extent: float, share: float, of_b: float | None = None) -> OperandSizes:
    return OperandSizes(dict.fromkeys("ijkl", extent), {"B": of_b or share, "C": share, "D": share})


def fitted(program, sizes, statement=STATEMENT, formats=FORMATS):
    return fit_workspaces(parse_program(program, "ijkl"), work(statement, sizes, **formats))


def places(program):
    return [located(stored_by(where.producer).target) for where in wheres(program)]


def steps(program):
    """How each workspace is stepped through."""
    names = [stored_by(where.producer).target.tensor for where in wheres(program)]
    return [next(stepped(read) for read in reads(program) if read.tensor == name) for name in names]


def test_outer_modes_are_located_where_there_are_more_reads_than_places():
    assert places(fitted(INSERTED, sizes(1e3, 0.01))) == [("k", "l")]
    assert fitted(INSERTED, sizes(1e3, 0.01)) == parse_program(LOCATED, "ijkl")
    # There are as many places as entries of B or more, and B is the largest operand: not even one for each k.
    assert places(fitted(INSERTED, sizes(1e3, 1e-4, of_b=1e-8))) == [()]
    # Nothing is known: it would be work whatever the operands hold.
    assert places(fitted(INSERTED, OperandSizes())) == [()]


def test_places_take_no_more_memory_than_the_operands():
    masked, formats = "A[i,j] += B[i,k] * C[j,k] * D[j,k]", dict.fromkeys("ABCD", CSR)
    program = (
        "(forall ikj: A[i,j] += B[l(i),s(k)] * w[l(k),s(j)]) where (forall jk: w[k,j] += C[l(j),s(k)] * D[l(j),s(k)])"
    )
    # To look up as often takes longer than to empty ten million places, but fewer entries are stored.
    for count, expected in ((9e6, ()), (1.1e7, ("k",))):
        given = OperandSizes({"i": 10.0, "j": 10.0, "k": 1e7}, {"B": count / 1e8, "C": 1e-3, "D": 1e-3})
        assert places(fitted(program, given, masked, formats)) == [expected]
    # Some megabytes are no reason to take longer.
    given = OperandSizes({"i": 10.0, "j": 10.0, "k": 1e6}, {"B": 0.09, "C": 1e-3, "D": 1e-3})
    assert places(fitted(program, given, masked, formats)) == [("k",)]


def test_what_is_gone_along_is_not_located():
    program = (
        "(forall ilj: A[i,j] += w[s(i),s(l)] * D[l(l),s(j)]) where (forall ikl: w[i,l] += B[l(i),s(k)] * C[l(k),s(l)])"
    )
    chain = "A[i,j] += B[i,k] * C[k,l] * D[l,j]"
    formats: dict[str, str] = dict.fromkeys("ABCD", CSR)
    assert places(fitted(program, sizes(1e3, 0.1), chain, formats)) == [()]
    located = program.replace("w[s(i),s(l)]", "w[l(i),s(l)]")
    assert places(fitted(located, sizes(1e3, 0.1), chain, formats)) == [("i",)]


def test_what_is_nearly_empty_is_stepped_through():
    """A merge with no entries ends at once, and a lookup has to be made for each entry of the other operand."""
    for share, of_b, located_modes, stepped_modes in (
        (2**-12, 2**-12, ("k",), ("l", "j")),
        # Too few entries are in B to pay for places, and hardly any in what is merged with it.
        (2**-16, 2**-16, (), ("k", "j")),
        # Most slices have entries.
        (2**-10, 2**-10, ("k", "l"), ("j",)),
        (2**-8, 2**-8, ("k", "l"), ("j",)),
        # Long lists in what would be stepped through, for few entries each of which is located.
        (0.1, 2**-12, ("k", "l"), ("j",)),
    ):
        found = fitted(INSERTED, sizes(1024.0, share, of_b))
        assert (places(found), steps(found)) == ([located_modes], [stepped_modes]), (share, of_b)
    assert steps(fitted(INSERTED, OperandSizes())) == [("j",)]


def test_to_step_has_to_save_half():
    """It may take any number of times as long on operands that do not have their entries anywhere."""
    ways = [("k,l,j", "l(k),l(l)"), ("l(k),i(l),i(j)", "l(k),l(l)"), ("l(k),l(l),i(j)", "l(k),l(l)")]
    stepping = [("k,l,j", "s(k),s(l)"), ("k,l,j", "s(k),l(l)"), ("l(k),i(l),i(j)", "l(k),s(l)")]
    taken = set()
    for share in (2.0**-power for power in range(6, 18)):
        model = work(STATEMENT, sizes(1024.0, share), **FORMATS)
        works = [
            [model.of(parse_program(NEST.replace("l(k),l(l)", read).format(stored), "ijkl")) for stored, read in some]
            for some in (ways, stepping)
        ]
        least, less = map(min, works)
        found = fitted(INSERTED, sizes(1024.0, share))
        assert model.of(found) == (less if 2 * less < least else least)
        taken.add(steps(found)[0])
    assert len(taken) == 3


MASKED = "A[i,j] += D[i,j] * B[i,k] * C[k,j]"
MASKED_NEST = (
    "(forall ij: A[i,j] += D[l(i),s(j)] * w[l(i),l(j)]) where (forall ikj: w[{}] += B[l(i),s(k)] * C[l(k),s(j)])"
)


def test_what_is_located_in_all_modes_may_be_an_array():
    """Which takes half of the memory that places for lists do."""
    formats: dict[str, str] = dict.fromkeys("ABCD", CSR)
    for extent, share, expected in (
        (1e3, 0.1, ("i", "j")),
        (1e4, 0.6, ("i", "j")),
        (1e4, 0.3, ("i",)),
        (1e3, 1e-5, ("i",)),
    ):
        given = OperandSizes(dict.fromkeys("ijk", extent), {"B": 1e-3, "C": 1e-3, "D": share})
        assert places(fitted(MASKED_NEST.format("i,j"), given, MASKED, formats)) == [expected], (extent, share)


@pytest.mark.parametrize("marks", ["i,j", "l(i),i(j)", "l(i),l(j)"])
@pytest.mark.parametrize("extents", [(7, 8, 6), (0, 8, 6), (7, 0, 6), (7, 8, 0), (1, 1, 1)])
def test_workspaces_that_are_located_in_all_modes_compute_the_same(marks, extents):
    rng, (i, j, k) = np.random.default_rng(8), extents
    shapes = {"B": (i, k), "C": (k, j), "D": (i, j)}
    for fill, statement, expected in (
        (0.0, MASKED, lambda B, C, D: D * (B @ C)),
        (
            float("inf"),
            "A[i,j] min= D[i,j] + B[i,k] + C[k,j]",
            lambda B, C, D: D + np.min(B[:, :, None] + C, 1, initial=np.inf),
        ),
    ):
        given = {
            name: np.where(rng.random(its) < 0.4, rng.integers(1, 9, its) * 1.0, fill) for name, its in shapes.items()
        }
        format = it.Format(f"dense, compressed, fill = {fill}")
        stored = {name: it.Tensor.from_numpy(one, format) for name, one in given.items()}
        program = MASKED_NEST.format(marks)
        if fill:
            program = program.replace("*", "+").replace("A[i,j] +=", "A[i,j] min=").replace("] += B", "] min= B")
        schedule = it.schedule().autoschedule(program=program)
        kernel = it.compile(statement.replace("+=", "="), dict.fromkeys("ABCD", format), schedule=schedule)
        np.testing.assert_array_equal(kernel(**stored).to_numpy(), expected(**given))


def test_an_array_is_emptied_whatever_operands_hold():
    formats: dict[str, str] = dict.fromkeys("ABCD", CSR)
    model = work(MASKED, sizes(100.0, 0.1), **formats)
    listed, array = (parse_program(MASKED_NEST.format(marks), "ijk") for marks in ("l(i),i(j)", "l(i),l(j)"))
    beside = model.search.tasks(array) - model.search.tasks(listed)
    assert [(query.heads, query.condition) for query in beside] == [(("i", "j"), ())]
    schedule = it.schedule().autoschedule(program=text_of(array))
    kernel = it.compile(MASKED.replace("+=", "="), formats, schedule=schedule)
    assert "{ijk | B_ik, C_kj} U {ij} U {ik | B_ik}" in kernel.explain()
    # Not a step of a loop.
    assert model.search.executed(array) == model.search.executed(listed)


def test_programs_say_what_is_located():
    parsed = parse_program(LOCATED, "ijkl")
    assert text_of(parsed) == NEST.format("l(k),l(l),i(j)")
    assert stored_by(next(wheres(parsed)).producer).target.protocols == (LOCATE, LOCATE, INSERT)
    # What is appended and what is inserted follows from the loops, where nothing is located.
    assert parse_program(NEST.format("a(k),i(l),i(j)"), "ijkl") == parse_program(INSERTED, "ijkl")
    assert parse_program(NEST.format("l(k),l(l),a(j)"), "ijkl") == parsed


def test_emptying_places_is_a_task():
    model = work(STATEMENT, sizes(100.0, 0.1), **FORMATS)
    search: Search = model.search
    inserted, placed = (parse_program(text, "ijkl") for text in (INSERTED, LOCATED))
    beside = search.tasks(placed) - search.tasks(inserted)
    assert [(query.heads, query.condition) for query in beside] == [(("k", "l"), ())]
    assert search.stores(placed) == search.stores(inserted)


def operands(seed=3, extents=(7, 8, 9, 6)):
    rng = np.random.default_rng(seed)
    i, j, k, l = extents
    shapes = {"B": (i, k, l), "C": (j, k), "D": (j, l)}
    return {name: rng.integers(1, 5, shape) * (rng.random(shape) < 0.4) * 1.0 for name, shape in shapes.items()}


def kernel(program, statement=STATEMENT.replace("+=", "=")):
    return it.compile(statement, formats=FORMATS, schedule=it.schedule().autoschedule(program=program))


@pytest.mark.parametrize("marks", ["l(k),l(l),i(j)", "l(k),i(l),i(j)", "i(k),i(l),i(j)", "k,l,j"])
@pytest.mark.parametrize("extents", [(7, 8, 9, 6), (0, 8, 9, 6), (7, 0, 9, 6), (7, 8, 0, 6), (1, 1, 1, 1)])
def test_programs_with_located_workspaces_compute_the_same(marks, extents):
    given = operands(extents=extents)
    stored = {name: it.Tensor.from_numpy(one, FORMATS[name]) for name, one in given.items()}
    result = kernel(NEST.format(marks))(**stored)
    np.testing.assert_array_equal(result.to_numpy(), np.einsum("ikl,jk,jl->ij", *given.values()))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("stored", "read"),
    [
        ("l(k),i(l),i(j)", "l(k),s(l),s(j)"),
        ("i(k),i(l),i(j)", "l(k),s(l),s(j)"),
        ("i(k),i(l),i(j)", "s(k),s(l),s(j)"),
        ("i(k),i(l),i(j)", "s(k),l(l),s(j)"),
    ],
)
@pytest.mark.parametrize("extents", [(7, 8, 9, 6), (0, 8, 9, 6), (7, 0, 9, 6), (7, 8, 0, 6), (1, 1, 1, 1)])
def test_programs_that_step_through_workspaces_compute_the_same(stored, read, extents):
    given = operands(extents=extents)
    tensors = {name: it.Tensor.from_numpy(one, FORMATS[name]) for name, one in given.items()}
    result = kernel(NEST.replace("l(k),l(l),s(j)", read).format(stored))(**tensors)
    np.testing.assert_array_equal(result.to_numpy(), np.einsum("ikl,jk,jl->ij", *given.values()))


def test_levels_of_workspaces_are_as_the_program_says():
    for marks, levels in (
        ("l(k),l(l),i(j)", "(i : dense, j : dense, k : map)"),
        ("l(k),i(l),i(j)", "(i : dense, j : map, k : map)"),
        ("k,l,j", "(i : map, j : map, k : map)"),
    ):
        assert levels in kernel(NEST.format(marks)).explain()
    assert "U {kl} U" in kernel(LOCATED).explain()
    assert "U {kl} U" not in kernel(INSERTED).explain()


@pytest.mark.parametrize(
    ("program", "message", "help"),
    [
        (
            NEST.format("i(k),l(l),i(j)"),
            "autoschedule: workspace w is located along l, and inserted into along k, which is outside of l",
            "let it be inserted into there: w[i(j),i(k),i(l)]",
        ),
        (
            NEST.format("l(k),l(l),l(j)"),
            "autoschedule: workspace w is located along j where it is written, and stepped through where it is read",
            "let it be inserted into there: w[i(j),l(k),l(l)]",
        ),
    ],
)
def test_what_cannot_be_located(program, message, help):
    with pytest.raises(it.UserError) as error:
        kernel(program)(**{n: it.Tensor.from_numpy(one, FORMATS[n]) for n, one in operands().items()})
    assert error.value.slug == "bad-schedule-step" and error.value.message == message
    assert error.value.help == help


def test_marks_of_the_result_are_those_of_its_format():
    program = "forall iklj: A[l(i),l(j)] += B[l(i),s(k),s(l)] * C[s(j),l(k)] * D[l(j),l(l)]"
    given = operands()
    stored = {name: it.Tensor.from_numpy(one, FORMATS[name]) for name, one in given.items()}
    np.testing.assert_array_equal(kernel(program)(**stored).to_numpy(), np.einsum("ikl,jk,jl->ij", *given.values()))


def test_a_workspace_of_another_algebra():
    """What is not stored in a workspace with places reads as what the operands' fill gives, and not as 0."""
    inf, rng = float("inf"), np.random.default_rng(5)
    given = {name: np.where(rng.random((6, 6)) < 0.4, rng.integers(1, 9, (6, 6)) * 1.0, inf) for name in "BCD"}
    format = it.Format("dense, compressed, fill = inf")
    stored = {name: it.Tensor.from_numpy(one, format) for name, one in given.items()}
    program = (
        "(forall ikj: A[i,j] min= B[l(i),s(k)] + w[l(k),s(j)]) where "
        "(forall kjl: w[l(k),i(j)] min= C[l(k),s(l)] + D[l(j),s(l)])"
    )
    schedule = it.schedule().autoschedule(program=program)
    kernel = it.compile("A[i,j] min= B[i,k] + C[k,l] + D[j,l]", dict.fromkeys("ABCD", format), schedule=schedule)
    b, c, d = given.values()
    expected = np.min(b[:, None, :, None] + c[None, None] + d[None, :, None], axis=(2, 3))
    np.testing.assert_array_equal(kernel(**stored).to_numpy(), expected)
