"""How much work programs are expected to be: tasks counted on random operands, and what is to be done beside them."""

from itertools import product
from math import prod

import numpy as np
import pytest
from work_models import CSR, DCSR, EXTENTS, PRODUCT, SHARES, SIZES, work

from irtensor.passes.autoschedule.convert_operands import Conversions
from irtensor.passes.autoschedule.expected_work import ExpectedWork
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.operand_sizes import OperandSizes
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.predicates import Atom
from irtensor.passes.autoschedule.read_program import Program
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.task_sets import Query


def of(program, **arguments):
    return work(**arguments).of(parse_program(program, EXTENTS))


QUERIES = [
    ("ij", []),
    ("ik", [("B", "ik")]),
    ("ijk", [("B", "ik"), ("C", "kj")]),
    # A row of B that is not empty; one for each column of C that is not empty.
    ("i", [("B", ("i", 0))]),
    ("ij", [("B", ("i", 0)), ("C", (1, "j"))]),
    # A row and a column that have an entry in common.
    ("ij", [("B", ("i", 0)), ("C", (0, "j"))]),
    ("ij", [("B", ("i", 0)), ("C", (0, "j")), ("D", ("i", "j"))]),
    ("", [("B", (0, 1)), ("C", (1, 2))]),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("heads", "atoms"), QUERIES)
def test_tasks_are_counted_as_on_random_operands(heads, atoms):
    model = work("A[i,j] += B[i,k] * C[k,j] * D[i,j]", B=DCSR, C=DCSR, D=DCSR)
    modes = {"B": "ik", "C": "kj", "D": "ij"}
    query = Query(tuple(heads), tuple(Atom(tensor, tuple(arguments)) for tensor, arguments in atoms))
    rng = np.random.default_rng(5)
    counts = []
    for _ in range(300):
        patterns = {
            name: rng.random([int(EXTENTS[index]) for index in its]) < SHARES[name] for name, its in modes.items()
        }
        extents = {
            variable: patterns[tensor].shape[mode]
            for tensor, arguments in atoms
            for mode, variable in enumerate(arguments)
        }
        extents |= {head: int(EXTENTS[head]) for head in heads}
        inner = [variable for variable in extents if variable not in [*heads]]
        count = 0
        for place in product(*(range(extents[head]) for head in heads)):
            known = dict(zip(heads, place, strict=True))
            count += any(
                all(
                    patterns[tensor][tuple({**known, **dict(zip(inner, rest, strict=True))}[one] for one in arguments)]
                    for tensor, arguments in atoms
                )
                for rest in product(*(range(extents[one]) for one in inner))
            )
        counts.append(count)
    # What exists is counted as independent tries, which is close.
    assert model.count(query) == pytest.approx(np.mean(counts), rel=0.15)


def test_conversions_lookups_and_scattering_count_beside_tasks():
    rows = of("forall ikj: A[i,j] += B[l(i),s(k)] * C[l(k),s(j)]", B=CSR, C=CSR)
    assert rows < of("forall ikj: A[i,j] += B[s(i),s(k)] * C[l(k),s(j)]", B=CSR, C=CSR)
    looked_up = of("forall ijk: A[i,j] += B[l(i),s(k)] * C[l(k),l(j)]", B=CSR, C="hashed, hashed")
    assert of("forall ijk: A[i,j] += B[l(i),s(k)] * C[l(k),l(j)]", B=CSR, C="dense, dense") < looked_up
    # Into a result that is appended to, by one row at a time or anywhere.
    inside = "forall ikj: A[i,j] += B[l(i),s(k)] * C[l(k),s(j)]"
    outside = "forall kij: A[i,j] += B[s(i),l(k)] * C[l(k),s(j)]"
    columns = "(i, j) -> (j : dense, i : compressed)"
    assert of(outside, A=CSR, B=columns, C=CSR) > 2 * of(outside, B=columns, C=CSR)
    assert of(inside, A=CSR, B=CSR, C=CSR) < 2 * rows


def test_loops_of_few_iterations_and_merged_lists_count_more_than_long_ones():
    """As many steps in all: of rows with one entry each, and of one row with all of them; and of one list or two."""
    program, extents = "forall ik: A[i] += B[l(i),s(k)]", (1000.0, 10.0)
    short, long = (
        work("A[i] += B[i,k]", OperandSizes({"i": i, "k": k}, {"B": 0.1}), B=CSR).of(parse_program(program, EXTENTS))
        for i, k in (extents, extents[::-1])
    )
    # A row to step into, a row to leave, and where it is stored.
    assert short == pytest.approx(1000 + 1000 + 2 * 1000 + 1000, rel=0.01)
    assert long == pytest.approx(10 + 1000 + 2 * 10 + 1000, rel=0.01)
    statement = "A[i,j] += B[i,k] * C[j,k]"
    merged, looked_up = (
        of(f"forall ijk: A[i,j] += B[l(i),s(k)] * C[l(j),{protocol}(k)]", text=statement, B=CSR, C=format)
        for protocol, format in (("s", CSR), ("l", "dense, dense"))
    )
    lists = 7 * 8 * 9 * (0.3 + 0.2 - 0.3 * 0.2)
    assert merged - looked_up > lists


def test_a_store_that_waits_for_what_is_located_counts_more():
    """Of a mask that is located in the innermost loop, or a row of it that was put into a temporary."""
    product, masked = "A[i,j] += B[i,k] * C[k,j]", "A[i,j] += B[i,k] * C[k,j] * D[i,j]"
    programs = {
        product: "forall ikj: A[i,j] += B[l(i),s(k)] * C[l(k),s(j)]",
        masked: "forall ikj: A[i,j] += B[l(i),s(k)] * C[l(k),s(j)] * D[l(i),l(j)]",
    }
    sizes = OperandSizes(dict.fromkeys("ijk", 100.0), SHARES)
    formats = {"B": CSR, "C": CSR, "D": "dense, dense"}
    free, inner = (work(text, sizes, **formats).of(parse_program(one, EXTENTS)) for text, one in programs.items())
    pairs = 100**3 * SHARES["B"] * SHARES["C"]
    assert inner - free == pytest.approx((3 * SHARES["D"] - 1) * pairs)
    row = (
        "forall i: ((forall kj: A[i,j] += B[l(i),s(k)] * C[l(k),s(j)] * w[l(j)]) where (forall j: w[j] = D[l(i),s(j)]))"
    )
    assert inner < work(masked, sizes, **formats).of(parse_program(row, EXTENTS)) < 1.2 * inner
    # A sum is not stored before all of it is there.
    text, format = "A[i] += B[i,k] * C[i,k]", "dense, dense"
    model = work(text, sizes, B=CSR, C=format)
    found = model.of(parse_program("forall ik: A[i] += B[l(i),s(k)] * C[l(i),l(k)]", EXTENTS))
    both, steps = 100**2 * SHARES["B"] * SHARES["C"], 100**2 * SHARES["B"]
    assert found == pytest.approx(100 + 2 * 100 + steps + both, rel=0.01)


def test_a_merge_with_nothing_takes_no_step():
    """Compiled loops leave it at once, where most rows are empty that are merged with full ones."""
    extents = {"i": 1000.0, "k": 1000.0}
    works = []
    for share in (1e-9, 1e-4, 1e-2):
        sizes = OperandSizes(extents, {"B": 0.1, "C": share})
        model = work("A[i] += B[i,k] * C[i,k]", sizes, B=CSR, C=CSR)
        works.append(model.of(parse_program("forall ik: A[i] += B[l(i),s(k)] * C[l(i),s(k)]", EXTENTS)))
    # For each row, a step, and what it takes to leave the merge; for one row in ten, or for all, 100 entries of B.
    assert works == pytest.approx([1000, 3000 + 2 * 100 * 95, 3000 + 2 * 110 * 1000], rel=0.05)


def test_a_transposed_matrix_takes_less_than_one_that_is_sorted():
    program = "forall jki: A[i,j] += B[s(i),l(k)] * C[s(k),l(j)]"
    columns = "(i, j) -> (j : dense, i : compressed)"
    stored = of(program, B=columns, C=columns)
    assert of(program, B=CSR, C=columns) == pytest.approx(stored + 8000 + 2 * 0.3 * 7 * 9)
    assert of(program, B=DCSR, C=columns) > of(program, B=CSR, C=columns) + 30_000


def test_temporaries_with_several_modes_count_more_than_rows():
    chain = "A[i,j] += B[i,k] * C[k,l] * D[l,j]"
    stored = {"text": chain, "B": CSR, "C": CSR, "D": CSR, "A": CSR}
    row = of(
        "forall i: ((forall lj: A[i,j] += w[s(l)] * D[l(l),s(j)]) where "
        "(forall kl: w[l] += B[l(i),s(k)] * C[l(k),s(l)]))",
        **stored,
    )
    whole = of(
        "(forall ilj: A[i,j] += w[s(i),s(l)] * D[l(l),s(j)]) where (forall ikl: w[i,l] += B[l(i),s(k)] * C[l(k),s(l)])",
        **stored,
    )
    assert row < whole


def test_sizes_that_nothing_is_known_of():
    sizes = OperandSizes({"i": 100.0}, {"B": 0.5})
    assert (sizes.extent("i"), sizes.share("B", 2)) == (100.0, 0.5)
    # Ten entries in a row.
    assert sizes.extent("j") * sizes.share("C", 2) == pytest.approx(10)
    entries = [sizes.share("C", rank) * sizes.extent("j") ** rank for rank in (1, 2, 3)]
    assert entries == sorted(entries) and all(sizes.share("C", rank) < 1 for rank in (1, 2, 3))
    assert prod(entries) > 0


def test_slices_that_are_known_are_counted():
    """Rows with entries that are fewer than they would be if entries were anywhere."""
    sizes = OperandSizes(EXTENTS, SHARES, {("B", frozenset({0})): 2.0})
    expected = work(sizes=sizes, B=CSR, C=CSR)
    assert expected.count(Query(("i",), (Atom("B", ("i", 0)),))) == pytest.approx(2.0)
    assert expected.count(Query(("i", "j"), (Atom("B", ("i", 0)), Atom("C", (1, "j"))))) < 2.0 * EXTENTS["j"]
    # What is known of rows says nothing of columns, or of rows that have an entry in common with others.
    for query in (Query(("k",), (Atom("B", (0, "k")),)), Query(("i", "j"), (Atom("B", ("i", 0)), Atom("C", (0, "j"))))):
        assert expected.count(query) == work(B=CSR, C=CSR).count(query)


def test_loops_with_names_of_their_own_have_the_extents_of_their_dimensions():
    statement = parse_program(PRODUCT, EXTENTS)
    kernel = Kernel(statement, frozenset("A"), dimensions={"k'": "k", "k": "k"})
    expected = ExpectedWork(Search(kernel), Program(statement, {}, {}), Conversions(Program(statement, {}, {})), SIZES)
    assert expected.count(Query(("k'",), ())) == EXTENTS["k"]
