"""Schedules of least asymptotic cost give the right values, each that a search finds."""

import random
import re
from math import ceil
from typing import Any

import numpy as np
import pytest

import irtensor as it
from irtensor.api.schedule import Schedule, Step
from irtensor.passes.autoschedule.fit_workspaces import fit_workspaces
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.operand_sizes import OperandSizes
from irtensor.passes.autoschedule.papers.counted_options import CountedOptions
from irtensor.passes.autoschedule.papers.counted_search import CountedSearch
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.statements import located, reads, stepped, stored_by, text_of, wheres
from irtensor.passes.schedule import autoschedule

# Statement, the same as an einsum, sparse tensors, programs of least cost that are tried (all, if there are fewer).
KERNELS = {
    "SpMV": ("a[i] = B[i,j] * c[j]", "ij,j->i", "B", 4),
    "SpMV2": ("a[i] = B[i,j] * C[j,k] * d[k]", "ij,jk,k->i", "BC", 12),
    "SpGEMM": ("A[i,j] = B[i,k] * C[k,j]", "ik,kj->ij", "ABC", 12),
    "SpGEMM2": ("A[i,j] = B[i,k] * C[k,l] * D[j,l]", "ik,kl,jl->ij", "ABCD", 8),
    "SpGEMMH": ("A[i,j] = B[i,k] * C[j,k] * D[j,k]", "ik,jk,jk->ij", "ABCD", 10),
    "SpMTTKRP": ("A[i,j] = B[i,k,l] * C[j,k] * D[j,l]", "ikl,jk,jl->ij", "ABCD", 10),
    "SDDMM": ("A[i,j] = B[i,k] * C[k,j] * D[i,j]", "ik,kj,ij->ij", "AD", 10),
}
SIZES = {"i": 5, "j": 6, "k": 7, "l": 4}


def auto(budget):
    return Schedule((Step("autoschedule", (("budget", budget),)),))


# Of operands with two and three dimensions, of the result, and how many of the programs are tried.
FORMATS = {
    "CSR": (it.CSR, it.CSF(3), it.CSR, 1),
    "DCSR": (it.DCSR, it.CSF(3), it.DCSR, 0.2),
    "COO": (it.COO(2), it.COO(3), it.CSR, 0.2),
}


def operands_of(name, stored, rng):
    """Arrays of small whole numbers, so that sums are exact in any order, and the formats of all that is sparse."""
    text, spec, sparse, _ = KERNELS[name]
    inputs, output = spec.split("->")
    names = [factor.split("[")[0].strip() for factor in text.split("=")[1].split("*")]
    ranks = dict(zip([text[0], *names], map(len, [output, *inputs.split(",")]), strict=True))
    pairs, triples, result, _ = FORMATS[stored]
    formats = {one: pairs if rank == 2 else triples for one, rank in ranks.items() if one in sparse}
    formats |= {"A": result} if "A" in sparse else {}
    arrays = {}
    for one, indices in zip(names, inputs.split(","), strict=True):
        shape = [SIZES[index] for index in indices]
        arrays[one] = rng.integers(1, 5, shape) * (rng.random(shape) < (0.4 if one in sparse else 1)).astype(float)
    expected = np.einsum(spec, *(arrays[one] for one in names))
    given = {one: it.Tensor.from_numpy(a, formats[one]) if one in formats else a for one, a in arrays.items()}
    return text, formats, given, expected


def values(result):
    return result if isinstance(result, np.ndarray) else result.to_numpy()


@pytest.mark.one_in(16)
@pytest.mark.parametrize("stored", FORMATS)
@pytest.mark.parametrize("name", KERNELS)
def test_all_programs_of_least_cost_give_the_same(name, stored, monkeypatch):
    """The chosen one, and others, whatever has to be converted or collected for them."""
    text, formats, operands, expected = operands_of(name, stored, np.random.default_rng(11))
    search, found = autoschedule.preferred_programs, []

    def searched(*arguments):
        found[:] = search(*arguments)
        return found

    monkeypatch.setattr(autoschedule, "preferred_programs", searched)
    np.testing.assert_array_equal(values(it.compile(text, formats=formats, schedule=auto(2000))(**operands)), expected)
    count = min(ceil(KERNELS[name][3] * FORMATS[stored][3]), len(found))
    members = random.Random(f"{name} {stored}").sample(found, count)
    for number, member in enumerate(members):
        monkeypatch.setattr(autoschedule, "preferred_programs", lambda search, preference, member=member: [member])
        # Kernels are cached by their schedule.
        kernel = it.compile(text, formats=formats, schedule=auto(1 + number))
        np.testing.assert_array_equal(values(kernel(**operands)), expected, err_msg=text_of(member))
    model: Any = AsManyPlacesAsPossible()
    placed = [one for one in (fit_workspaces(member, model) for member in found) if places(one)]
    for program in placed[:4]:
        schedule = it.schedule().autoschedule(program=text_of(program))
        kernel = it.compile(text, formats=formats, schedule=schedule)
        np.testing.assert_array_equal(values(kernel(**operands)), expected, err_msg=text_of(program))
    assert placed or name not in ("SpGEMMH", "SpMTTKRP")


class AsManyPlacesAsPossible:
    """In place of what tells how much work a program is."""

    sizes, stored = OperandSizes({"i": 1.0}), 0.0

    def places(self, modes):
        return 0.0

    def of(self, program):
        return -places(program)


def places(program):
    """How many modes of workspaces have a place for each coordinate."""
    return sum(len(located(stored_by(where.producer).target)) for where in wheres(program))


def steps(program):
    """How many modes of workspaces are stepped through."""
    names = {stored_by(where.producer).target.tensor for where in wheres(program)}
    return sum(len(stepped(read)) for read in reads(program) if read.tensor in names)


# How many programs of least cost there are at least.
FRONTIERS = {"SpMV": 4, "SpMV2": 28, "SpGEMM": 12, "SpGEMM2": 8, "SpGEMMH": 388, "SpMTTKRP": 870, "SDDMM": 700}


# A complete search for SpMTTKRP with an entry in every slice computes more than 100,000 costs.
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "filled"),
    [(name, filled) for name in KERNELS for filled in (False, True) if (name, filled) != ("SpMTTKRP", True)],
)
def test_every_program_of_every_frontier_gives_the_same(name, filled):
    """All programs of least cost that the complete search finds, as users may write them down."""
    text, formats, operands, expected = operands_of(name, "CSR", np.random.default_rng(7))
    definition = parse_program(text.replace(" = ", " += "), SIZES)
    dense = frozenset(str(read.tensor) for read in reads(definition)).difference(formats)
    search = CountedSearch(Kernel(definition, dense), CountedOptions(budget=100_000, exhaustive=False, filled=filled))
    members = [program for programs in search.least.values() for program in programs]
    assert search.complete and len(members) >= FRONTIERS[name]
    wrong = []
    for member in members:
        schedule = it.schedule().autoschedule(program=text_of(member))
        try:
            found = values(it.compile(text, formats=formats, schedule=schedule, disk_cache=False)(**operands))
            wrong += [] if np.array_equal(found, expected) else [text_of(member)]
        except it.UserError as refused:
            wrong.append(f"{text_of(member)}: {refused}")
    assert not wrong, f"{len(wrong)} of {len(members)}: {wrong[:3]}"


STATEMENTS = [
    ("a[i] = B[i,j] * x[j] + c[i]", {"B": "ij", "x": "j", "c": "i"}, {"B": it.CSR}),
    ("A[i,j] = D[i,j] * sum(k, B[i,k] * C[k,j])", {"D": "ij", "B": "ik", "C": "kj"}, {"D": it.CSR, "A": it.CSR}),
    ("a[i] = sum(j, B[i,j] * x[j]) * sum(j, C[i,j] * x[j])", {"B": "ij", "C": "ij", "x": "j"}, {"B": it.CSR}),
    (
        "A[i,l] = sum(k, sum(j, B[i,j] * C[j,k]) * D[k,l])",
        {"B": "ij", "C": "jk", "D": "kl"},
        {"B": it.CSR, "C": it.CSR, "D": it.CSR, "A": it.CSR},
    ),
    ("a = x[i] * sum(j, -(B[i,j] * sum(k, C[j,k])))", {"B": "ij", "C": "jk", "x": "i"}, {"B": it.CSR, "C": it.CSR}),
    ("a[i] max= B[i,j] * x[j]", {"B": "ij", "x": "j"}, {"B": it.CSC}),
    ("A[i,j] = B[i,j] + 2 * C[i,j] - D[j]", {"B": "ij", "C": "ij", "D": "j"}, {"B": it.CSR, "C": it.CSC}),
    ("a = B[i,j] * C[j,i]", {"B": "ij", "C": "ji"}, {"B": it.CSR, "C": it.CSR}),
    ("A[i,j] = B[i,j] * (C[i,j] + D[i,j])", {"B": "ij", "C": "ij", "D": "ij"}, {"A": it.CSR, "B": it.CSR}),
    (
        "a[i] = B[i,j] * C[j,k] * D[k,l] * x[l]",
        {"B": "ij", "C": "jk", "D": "kl", "x": "l"},
        {"B": it.CSR, "C": it.CSR, "D": it.CSR},
    ),
    ("A[i,k] = B[i,j] * C[j,k] * x[j]", {"B": "ij", "C": "jk", "x": "j"}, {"B": it.DCSR, "C": it.DCSR, "A": it.DCSR}),
    # Protocols that other passes have to keep: of blocks, of what they put in order, of one operand that is read twice.
    ("a[i] max= B[i,j] * C[j,i]", {"B": "ij", "C": "ji"}, {"B": it.BCSR(2, 2), "C": it.CSR}),
    (
        "a[i] = B[i,j,k] * C[j,k]",
        {"B": "ijk", "C": "jk"},
        {"B": it.Format("dense, dense, compressed"), "C": it.BCSR(2, 2)},
    ),
    (
        "A[i,j] = B[i,j] * (C[i,j] + D[j,i])",
        {"B": "ij", "C": "ij", "D": "ji"},
        {
            "A": it.CSR,
            "B": it.Format("dense, bitmap"),
            "C": it.Format("hashed, hashed"),
            "D": it.Format("dense, hashed"),
        },
    ),
    ("a = B[i,j] * B[j,i]", {"B": "ii"}, {"B": it.Format("hashed, hashed")}),
]


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    "statement", STATEMENTS, ids=[f"{text} {number}" for number, (text, _, _) in enumerate(STATEMENTS)]
)
def test_statements_of_all_kinds(statement):
    text, indices, formats = statement
    rng = np.random.default_rng(3)
    arrays = {
        name: rng.integers(1, 5, [SIZES[index] for index in its]) * (rng.random([SIZES[index] for index in its]) < 0.5)
        for name, its in indices.items()
    }
    given = {
        name: it.Tensor.from_numpy(array.astype(float), formats[name]) if name in formats else array.astype(float)
        for name, array in arrays.items()
    }
    expected = it.compile(text)(**{name: array.astype(float) for name, array in arrays.items()})
    result = it.compile(text, formats=formats, schedule="auto")(**given)
    np.testing.assert_array_equal(values(np.asarray(result) if np.isscalar(result) else result), expected)


def test_operands_are_left_as_they_are_stored_if_asked():
    """Products of three are in the frontier with one operand by columns, the others by rows."""
    rng = np.random.default_rng(5)
    arrays = {name: rng.integers(1, 5, (6, 6)) * (rng.random((6, 6)) < 0.4).astype(float) for name in "BCD"}
    formats: dict[str, object] = dict.fromkeys("ABCD", it.DCSR)
    given = {name: it.Tensor.from_numpy(array, it.DCSR) for name, array in arrays.items()}
    kernel = it.compile("A[i,j] = B[i,k] * C[k,l] * D[l,j]", formats=formats, schedule="auto", convert=False)
    np.testing.assert_array_equal(kernel(**given).to_numpy(), arrays["B"] @ arrays["C"] @ arrays["D"])
    assert "operands would have to be converted, so that the loops stay" in kernel.explain()
    assert "is converted to" not in kernel.explain()
    # A vector times a matrix by rows needs no conversion.
    kernel = it.compile("y[j] = x[i] * B[i,j] * z[j]", formats={"B": it.CSR}, schedule="auto", convert=False)
    x, z = np.arange(6.0), np.ones(6)
    np.testing.assert_array_equal(kernel(x=x, B=given["B"].to_format(it.CSR), z=z), x @ arrays["B"])
    assert "so that the loops stay" not in kernel.explain()


def test_every_door_takes_auto():
    matrix, vector = np.arange(12.0).reshape(3, 4), np.arange(4.0)
    np.testing.assert_array_equal(it.einsum("ij,j->i", matrix, vector, schedule="auto"), matrix @ vector)
    kernel = it.compile("y[i] = A[i,j] * B[j,k] * x[k]", formats={"A": it.CSR, "B": it.CSR}, schedule="auto")
    square = it.Tensor.from_numpy(np.eye(4), it.CSR)
    np.testing.assert_array_equal(kernel(A=it.Tensor.from_numpy(matrix, it.CSR), B=square, x=vector), matrix @ vector)
    assert "w[j] += B[j, k] * x[k]" in kernel.explain() or "t += B[j, k] * x[k]" in kernel.explain()
    module = it.compile_module(kernel.ir("index_notation"), schedule="auto")
    np.testing.assert_array_equal(module(A=it.Tensor.from_numpy(matrix, it.CSR), B=square, x=vector), matrix @ vector)
    with pytest.raises(it.UserError, match=r"made by irtensor.schedule\(\), not str"):
        it.compile("y[i] = x[i]", schedule="fast")  # pyrefly: ignore[bad-argument-type]


def test_the_sum_of_squares_is_not_the_square_of_the_sum():
    """A part that is there twice is computed once, but not reduced by itself: each program is right that reads one
    workspace twice."""
    text, rng = "a[i] = B[i,k] * c[k] * B[i,k] * c[k]", np.random.default_rng(4)
    B, c = rng.integers(0, 4, (4, 5)).astype(float), rng.integers(1, 4, 5).astype(float)
    program = parse_program("a[i] += B[i,k] * c[k] * B[i,k] * c[k]", frozenset("ik"))
    programs = [text_of(one) for one in CountedSearch(Kernel(program, frozenset("abBc"))).programs("pushed")]
    twice = [one for one in programs if re.search(r"(\bw(\[[ik,]+\])?) \* \1", one)]
    assert len(twice) > 2
    for one in twice:
        kernel = it.compile(text, schedule=it.schedule().autoschedule(program=one))
        np.testing.assert_array_equal(kernel(B=B, c=c), ((B * c) ** 2).sum(axis=1), err_msg=one)
    wrong = "forall i: ((a[i] += w * w) where (forall k: w += B[i,k] * c[k]))"
    with pytest.raises(it.UserError, match="does not compute this definition"):
        it.compile(text, schedule=it.schedule().autoschedule(program=wrong))(B=B, c=c)


@pytest.mark.parametrize("modes", ["jkl", "klj", "ljk"])
def test_modes_of_a_workspace_are_in_any_order(modes):
    """As one writes them; how the workspace is stored is for the loops to say."""
    rng = np.random.default_rng(5)
    B, C, D = (rng.integers(0, 3, shape).astype(float) for shape in ((3, 4, 5), (6, 4), (6, 5)))
    read = ",".join(f"{'s' if mode == 'j' else 'l'}({mode})" for mode in modes)
    program = (
        f"(forall iklj: A[i,j] += B[l(i),s(k),s(l)] * w[{read}])"
        f" where (forall jkl: w[{','.join(modes)}] = C[l(j),s(k)] * D[l(j),s(l)])"
    )
    formats = {"A": it.CSR, "B": it.CSF(3), "C": it.CSR, "D": it.CSR}
    schedule = it.schedule().autoschedule(program=program)
    kernel = it.compile("A[i,j] = B[i,k,l] * C[j,k] * D[j,l]", formats, schedule=schedule)
    np.testing.assert_array_equal(kernel(B=B, C=C, D=D).to_numpy(), np.einsum("ikl,jk,jl->ij", B, C, D))
