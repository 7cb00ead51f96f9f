"""The search for schedules finds as many programs as published, and their costs are those worked out by hand.

Sources: Ahrens 2022 (PLDI), Figure 6 and section 6; numbers beyond the figure are from an independent re-implementation
(research notes on the paper, section 6.2).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from schedule_kernels import CHAIN, INDICES, KERNELS, kernel

from irtensor.core.diagnostics import UserError
from irtensor.core.operators import OPERATORS, Operator
from irtensor.passes.autoschedule.expression_trees import statement_trees
from irtensor.passes.autoschedule.groupings import groupings
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.loop_orders import LoopOrders
from irtensor.passes.autoschedule.papers.counted_options import CountedOptions, published_search
from irtensor.passes.autoschedule.papers.counted_placement import CountedPlacement
from irtensor.passes.autoschedule.papers.counted_search import CountedSearch
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.predicates import Predicates
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Call,
    depth,
    flattened,
    map_expressions,
    path_to_store,
    reads,
    text_of,
)
from irtensor.passes.autoschedule.task_interpreter import TaskInterpreter
from irtensor.passes.autoschedule.task_sets import TaskSets
from irtensor.passes.autoschedule.task_sets import text_of as cost_text

STAGES = ("ordered_trees", "trees", "groupings", "groupings_raw", "pushed", "permuted", "min_depth")
# Kernel, with empty push; counts by stage, by depth, and of the universe.
COUNTS = [
    ("SpMV", False, (2, 1, 1, 1, 1, 2, 2), {2: 2}, 8),
    ("SpMV", True, (2, 1, 1, 1, 1, 2, 2), {2: 2}, 8),
    ("SpMV2", False, (12, 3, 7, 9, 43, 235, 5), {2: 5, 3: 230}, 144),
    ("SpMV2", True, (12, 3, 7, 9, 49, 271, 5), {2: 5, 3: 266}, 144),
    ("SpGEMM", True, (2, 1, 1, 1, 1, 6, 6), {3: 6}, 96),
    ("SpGEMM2", False, (12, 3, 7, 9, 91, 2396, 92), {3: 92, 4: 2304}, 20736),
    ("SpGEMM2", True, (12, 3, 7, 9, 97, 2540, 92), {3: 92, 4: 2448}, 20736),
    ("SpGEMMH", False, (12, 3, 7, 9, 43, 274, 274), {3: 274}, 99968),
    ("SpGEMMH", True, (12, 3, 7, 9, 49, 310, 310), {3: 310}, 102272),
    ("SpMTTKRP", False, (12, 3, 7, 9, 91, 2712, 2712), {4: 2712}, 3612672),
    ("SpMTTKRP", True, (12, 3, 7, 9, 97, 2856, 2856), {4: 2856}, 3631104),
    ("SDDMM", False, (12, 3, 7, 9, 43, 302, 302), {3: 302}, 7312),
    ("SDDMM", True, (12, 3, 7, 9, 49, 338, 338), {3: 338}, 7456),
]


@pytest.mark.parametrize(("name", "empty_push", "stages", "depths", "universe"), COUNTS)
def test_programs_after_each_stage(name, empty_push, stages, depths, universe):
    one = kernel(*KERNELS[name])
    found = CountedSearch(one, CountedOptions(empty_push=empty_push))
    assert (tuple(found.count(stage) for stage in STAGES), found.depths) == (stages, depths)
    assert found.count("universe") == universe


@pytest.mark.one_in(4)
@pytest.mark.parametrize("empty_push", [False, True])
@pytest.mark.parametrize(
    "text", [*(text for text, _ in KERNELS.values()), pytest.param(CHAIN, marks=pytest.mark.thorough)]
)
def test_programs_that_are_counted_can_be_made(text, empty_push):
    """Each is made once, and those up to a depth are the ones of that depth."""
    one = kernel(text)
    placement = CountedPlacement(
        groupings(statement_trees(one.program), one.element)[0], one.indices, one.element, empty_push=empty_push
    )
    counts, orders = placement.by_depth()
    programs = list(placement.programs(max(counts)))
    assert len({*programs}) == len(programs)
    assert Counter(map(depth, programs)) == counts
    shallow = list(placement.programs(min(counts)))
    assert Counter(shallow) == Counter(one for one in programs if depth(one) == min(counts))
    if text != CHAIN:
        assert Counter(depth(one) for program in programs for one in LoopOrders(program)) == orders


@pytest.mark.parametrize(("count", "trees", "groups"), [(2, 1, 1), (3, 3, 7), (4, 15, 129)])
def test_groupings_of_products(count, trees, groups):
    found = CountedSearch(kernel("a += " + " * ".join("BCDE"[:count])))
    assert (found.count("trees"), found.count("groupings")) == (trees, groups)
    assert CountedSearch(kernel("a = B * C * D")).count("groupings") == 4


def test_trees_of_operators_with_any_number_of_arguments():
    """Laws apply within the arguments of any operator; `where` has three arguments, which stay in their order."""
    program = kernel("a = b * c * d").program
    assert isinstance(program, Assign)
    product = program.value
    chosen_one = Call(OPERATORS["where"], (Access("p"), product, Call(OPERATORS["sqrt"], (product,))))
    chosen = Kernel(Assign(Access("a"), None, chosen_one))
    search = CountedSearch(chosen)
    assert search.count("trees") == 3 * 3
    values = [tree.value for tree in search.trees if isinstance(tree, Assign) and isinstance(tree.value, Call)]
    assert len(values) == 3 * 3
    assert all(value.operator.name == "where" and value.arguments[0] == Access("p") for value in values)


# Different costs, programs of least cost, and of how many costs they are.
EXACT, PROPAGATED = CountedOptions(propagate=False), CountedOptions()
PUBLISHED = CountedOptions(scoped=False, propagate=False, published_modes=True)
LEAST = [
    ("SpMV", PUBLISHED, (4, 4, 1)),
    ("SpMV2", PUBLISHED, (26, 28, 1)),
    ("SpGEMM", PUBLISHED, (38, 12, 1)),
    ("SpGEMM2", PUBLISHED, (2552, 292, 4)),
    ("SDDMM", PUBLISHED, (56, 452, 1)),
    ("SDDMM", replace(PUBLISHED, empty_push=False), (56, 436, 1)),
    pytest.param("SpGEMMH", PUBLISHED, (7913, 204, 1), marks=pytest.mark.exhaustive),
    pytest.param("SpGEMMH", EXACT, (3235, 292, 1), marks=pytest.mark.exhaustive),
    pytest.param("SpGEMMH", PROPAGATED, (3314, 388, 1), marks=pytest.mark.exhaustive),
    ("SpMV", EXACT, (4, 4, 1)),
    ("SpMV2", EXACT, (26, 28, 1)),
    ("SpGEMM", EXACT, (38, 12, 1)),
    ("SDDMM", EXACT, (20, 716, 1)),
    ("SDDMM", CountedOptions(empty_push=False, propagate=False), (20, 700, 1)),
    ("SpGEMM2", EXACT, (2350, 8, 2)),
    ("SpMV2", PROPAGATED, (26, 28, 1)),
    ("SpGEMM2", PROPAGATED, (2506, 8, 2)),
]


@pytest.mark.one_in(16)
@pytest.mark.parametrize(("name", "options", "expected"), LEAST)
def test_programs_of_least_cost(name, options, expected):
    found = CountedSearch(kernel(*KERNELS[name]), options).counts()
    assert (found["distinct_costs"], found["frontier"], found["classes"]) == expected


# Kernel, with empty push; programs after each restriction, different ones, costs, least programs, of how many costs.
TACO = [
    ("SpMV", False, (2, 4, 4, 4, 4, 1, 4, 1)),
    ("SpMV2", False, (5, 40, 40, 24, 20, 1, 20, 1)),
    ("SpMTTKRP", False, (216, 3264, 1632, 384, 352, 157, 20, 13)),
    ("SpMTTKRP", True, (360, 5568, 2784, 768, 544, 157, 20, 13)),
    ("SpGEMM", False, (6, 24, 16, 16, 16, 9, 4, 1)),
    ("SpGEMM2", False, (20, 320, 160, 32, 32, 28, 4, 2)),
    ("SpGEMMH", False, (50, 752, 480, 144, 144, 53, 4, 1)),
    ("SpGEMMH", True, (86, 1328, 864, 336, 240, 53, 4, 1)),
    ("SDDMM", False, (46, 172, 120, 44, 40, 6, 14, 1)),
]
AFTER_TACO = (
    "workspace_rank",
    "protocolized",
    "one_insert",
    "formattable",
    "distinct",
    "distinct_costs",
    "frontier",
    "classes",
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "empty_push", "expected"), TACO)
def test_programs_that_taco_can_run(name, empty_push, expected):
    options = CountedOptions(empty_push=empty_push, propagate=False, taco=True)
    found = CountedSearch(kernel(*KERNELS[name]), options).counts()
    assert tuple(found[stage] for stage in AFTER_TACO) == expected


# Figure 6 and the table of the preprint: programs of least depth and of least cost, those of taco.
FIGURE_6 = [
    ("SpMV", "pldi2022", (8, 4), (4, 4)),
    ("SpMV2", "pldi2022", (144, 28), (24, 24)),
    ("SpMTTKRP", "pldi2022", None, (384, 23)),
    ("SpGEMM", "pldi2022", (96, 12), (16, 4)),
    ("SpGEMM2", "pldi2022", (20736, 292), (32, 4)),
    ("SpGEMMH", "pldi2022", None, (144, 4)),
    ("SpMV2", "preprint", (144, 28), (24, 16)),
    ("SpMTTKRP", "preprint", None, (768, 23)),
    ("SpGEMM", "preprint", (96, 12), (16, 4)),
    ("SpGEMM2", "preprint", None, (32, 2)),
    ("SpGEMMH", "preprint", None, (336, 4)),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("name", "compat", "all_programs", "taco_programs"), FIGURE_6)
def test_published_counts(name, compat, all_programs, taco_programs):
    for taco, expected in ((False, all_programs), (True, taco_programs)):
        if expected is not None:
            found = CountedSearch(kernel(*KERNELS[name]), published_search(compat, taco=taco)).counts()
            assert (found["universe"], found["frontier"]) == expected


def test_least_programs_of_sparse_products():
    """Row by row and column by column with one operand located, and outer products; no inner products."""
    (programs,) = CountedSearch(kernel(*KERNELS["SpGEMM"])).least.values()
    orders = sorted(text_of(program).split(":")[0].removeprefix("forall ") for program in programs)
    assert orders == ["ikj"] * 2 + ["jki"] * 2 + ["kij"] * 4 + ["kji"] * 4
    first = sorted(text_of(program) for program in programs)[0]
    assert first == "forall ikj: A[i,j] += B[l(i),s(k)] * C[s(j),l(k)]"


# Program, dense operands, its cost without what counts as paid for (worked by hand).
COSTS = [
    ("forall ij: ((A[i,j] += w * B[s(i),s(j)]) where (forall k: w += C[i,k] * D[j,k]))", "CD", "{ijk | B_ij}"),
    ("forall i: D[i] += E[s(i)] * F[i]", "F", "{i | E_i}"),
    (
        "(forall i: A[i] += B[s(i)] * w[s(i)]) where (forall i: w[i] += C[s(i)] * D[s(i)])",
        "",
        "{i | B_i} U {i | C_i} U {i | D_i}",
    ),
    ("forall ijk: A[i,j] += B[l(j),s(k)] * C[l(i),s(k)]", "", "{ijk | B_jk} U {ijk | C_ik} U {ij}"),
    (
        "forall kij: A[i,j] += B[s(k),s(j)] * C[s(k),s(i)]",
        "",
        "{ijk | B_kj, C_ki} U {k | exists l B_kl} U {k | exists l C_kl}",
    ),
    (
        "forall ijk: A[i,j] += B[s(i),s(k)] * C[s(k),s(j)]",
        "",
        "{ijk | exists l B_ik, C_lj} U {ijk | exists l B_il, C_kj} U {i | exists k B_ik}",
    ),
    ("forall ikj: A[i,j] += B[s(i),s(k)] * C[l(k),s(j)]", "", "{ijk | B_ik, C_kj} U {ik | B_ik}"),
    ("forall ijk: A[i,j] += B[i,k] * C[k,j] * D[s(i),s(j)]", "BC", "{ijk | D_ij}"),
    ("(forall ij: A[i,j] += D[s(i),s(j)] * w[l(i),l(j)]) where (forall ijk: w[i,j] += B[i,k] * C[k,j])", "BC", "{ijk}"),
    # Sums: what one operand has is not work for what the other has.
    ("forall i: A[i] += B[s(i)] + C[s(i)]", "", "{i | B_i} U {i | C_i}"),
    ("forall ij: A[i] += B[s(i),s(j)] + C[s(i)]", "", "{ij | B_ij} U {ij | C_i}"),
]


@pytest.mark.parametrize(("text", "dense", "expected"), COSTS)
def test_costs_of_programs(text, dense, expected):
    program = parse_program(text, INDICES)
    task_sets = TaskSets(Predicates(), {})
    sparse = {str(read.tensor): 0 for read in reads(program) if read.tensor not in {*dense} and read.tensor != "w"}
    tasks = TaskInterpreter(task_sets, sparse).tasks(program)
    assert cost_text(task_sets.union(tasks)) == expected


# As compiled loops go on: none takes a step where something has no entry without which nothing is left to do.
STEPS = [
    ("forall i: A[i] += B[s(i)] * C[s(i)]", "{i | exists k B_i, C_k} U {i | exists k B_k, C_i}"),
    (
        "forall ijk: A[i,j] += B[l(i),s(k)] * C[l(j),s(k)]",
        "{ijk | exists l B_ik, C_jl} U {ijk | exists l B_il, C_jk} U {ij}",
    ),
    # What is not needed, or is there alone, ends nothing.
    ("forall i: A[i] += B[s(i)] + C[s(i)]", "{i | B_i} U {i | C_i}"),
    (
        "forall i: A[i] += B[s(i)] * (C[s(i)] + D[s(i)])",
        "{i | B_i} U {i | exists k B_k, C_i} U {i | exists k B_k, D_i}",
    ),
    ("forall i: A[i] += B[s(i)] * C[l(i)]", "{i | B_i}"),
    # By where a temporary may have entries.
    (
        "(forall ijl: A[i,j] += B[l(i),s(l)] * w[l(j),s(l)]) where (forall jl: w[j,l] += C[l(j),s(l)])",
        "{ijl | exists k B_ik, C_jl} U {ijl | exists k B_il, C_jk} U {ij} U {jl | C_jl}",
    ),
]


@pytest.mark.parametrize(("text", "expected"), STEPS)
def test_steps_of_programs(text, expected):
    program = parse_program(text, INDICES)
    names = {str(read.tensor): 0 for read in reads(program) if read.tensor != "w"}
    task_sets = TaskSets(Predicates(), {})
    assert cost_text(task_sets.union(TaskInterpreter(task_sets, names, executed=True).tasks(program))) == expected


def declared(name, element="f64", **traits):
    """An operator as a user declares it, for one element type."""
    constants: dict[str, Any] = {
        trait: lambda asked, value=traits.pop(trait): (value,) if asked == element else ()
        for trait in list(traits)
        if trait.endswith(("identity", "annihilator"))
    }
    return Operator(f"@{name}", 2, lambda a, b: a * b, element, elements=(element, element), **constants, **traits)


ZERO: dict[str, Any] = {"left_annihilator": 0, "right_annihilator": 0}
PRODUCT: dict[str, Any] = {"commutative": True, "associative": True}
DECLARED = {
    one.name: one
    for one in (
        declared("both", **PRODUCT, **ZERO),
        declared("half", "f32", **PRODUCT, **ZERO),
        declared("times", **PRODUCT),
        declared("apart", associative=True),
        declared("alone"),
        declared("last", associative=True, left_identity=0, right_identity=0),
        declared("product", **PRODUCT, **ZERO, left_identity=1, right_identity=1, distributes_over=("add", "@sum")),
        declared("sum", **PRODUCT, left_identity=0, right_identity=0),
    )
}
KNOWN = {**OPERATORS, **DECLARED}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("forall ij: a[i] += @both(B[s(i),s(j)], c[j])", "{ij | B_ij}"),
        ("forall ij: a[i] += @half(B[s(i),s(j)], c[j])", "{ij | B_ij}"),
        # What is absent is computed with.
        ("forall ij: a[i] += @times(B[s(i),s(j)], c[j])", "{ij}"),
        # The sum goes to what either has, and what is not there is left out.
        ("forall i: a[i] @last= B[s(i)]", "{i | B_i}"),
        ("forall i: a[i] @last= @both(B[s(i)], C[s(i)])", "{i | B_i} U {i | C_i}"),
    ],
)
def test_costs_of_declared_operators(text, expected):
    program = parse_program(text, INDICES, KNOWN)
    task_sets = TaskSets(Predicates(), {})
    tasks = TaskInterpreter(task_sets, {"B": 0, "C": 0, "a": 0}).tasks(program)
    assert cost_text(task_sets.union(tasks)) == expected


@pytest.mark.parametrize(("name", "trees"), [("both", 3), ("times", 3), ("apart", 2), ("alone", 1)])
def test_programs_by_the_algebra_that_is_declared(name, trees):
    """Trees by what is declared; no part is reduced by itself, as none of these distributes over the sum."""
    one = Kernel(parse_program(f"a[i] += @{name}(@{name}(B[i,j], C[j,k]), d[k])", INDICES, KNOWN), frozenset("d"))
    search = CountedSearch(one)
    assert search.count("trees") == trees
    assert all(text.count("+=") == 1 for text in map(text_of, search.programs("pushed")))
    for program in search.nests:
        assert parse_program(text_of(program), INDICES, one.operators) == program
        assert search.has(program)


def with_operators(node: Any, names: Mapping[str, str]) -> Any:
    """A statement or a value with other operators."""
    if isinstance(node, Assign):
        operator = None if node.operator is None else KNOWN[names.get(node.operator.name, node.operator.name)]
        return Assign(node.target, operator, with_operators(node.value, names))
    if isinstance(node, Call):
        arguments = tuple(with_operators(argument, names) for argument in node.arguments)
        return Call(KNOWN[names.get(node.operator.name, node.operator.name)], arguments)
    return node


@pytest.mark.one_in(8)
@pytest.mark.parametrize("names", [{"mul": "@product"}, {"mul": "@product", "add": "@sum"}])
@pytest.mark.parametrize("name", ["SpMV", "SpMV2", "SpGEMM", "SpGEMM2", "SDDMM", "SpMTTKRP"])
def test_a_copy_of_the_product_is_searched_like_it(name, names):
    """One that is declared with all that the product has, also over a sum that is declared."""
    text, dense = KERNELS[name]
    one = kernel(text, dense)
    copy = replace(one, program=with_operators(one.program, names))
    found, expected = CountedSearch(copy), CountedSearch(one)
    assert "@product" in text_of(copy.program)
    assert [found.count(stage) for stage in STAGES] == [expected.count(stage) for stage in STAGES]
    assert found.depths == expected.depths
    if name in ("SpMV", "SpMV2", "SpGEMM", "SDDMM"):
        assert found.counts() == expected.counts()


@pytest.mark.parametrize("names", [{"mul": "@product"}, {"mul": "@product", "add": "@sum"}])
def test_trees_of_a_copy_of_the_product(names):
    """b * (c + d) is b * c + b * d for it as well."""
    plain = kernel("a = b * (c + d) * e").program
    expected, found = statement_trees(plain), statement_trees(with_operators(plain, names))
    assert len(found) == len(expected)
    flat = {text_of(map_expressions(with_operators(tree, names), flattened)) for tree in expected}
    assert {text_of(map_expressions(tree, flattened)) for tree in found} == flat
    total = names.get("add", "add")
    values = [tree.value for tree in found if isinstance(tree, Assign)]
    assert any(isinstance(value, Call) and value.operator.name == total for value in values)


def test_operators_of_one_argument_distribute():
    """What is below one is reduced by itself if it distributes over the sum."""
    program = parse_program("a[i] += @alone(B[i,j], c[j])", INDICES, KNOWN)
    assert isinstance(program, Assign)
    for distributes, programs in ((("add",), 3), ((), 2)):
        outer = Operator("@outer", 1, lambda a: -a, elements=("f64",), distributes_over=distributes)
        one = Kernel(Assign(Access("a", ("i",)), OPERATORS["add"], Call(outer, (program.value,))), frozenset("c"))
        assert CountedSearch(one).count("groupings") == programs


def test_loops_keep_the_order_that_a_reduction_needs():
    program = parse_program("a[i] @last= B[i,j] * C[j,k] * d[k]", INDICES, KNOWN)
    search = CountedSearch(Kernel(program, frozenset("d"), loops=("i", "j", "k")))
    paths = [path_to_store(nest) for nest in search.nests]
    assert len(paths) > 3 and all(path.index("j") < path.index("k") for path in paths)
    texts = [text_of(nest) for nest in search.nests]
    plain = [text for text in texts if "where" not in text]
    assert sorted(plain) == [f"forall {order}: a[i] @last= B[i,j] * C[j,k] * d[k]" for order in ("ijk", "jik", "jki")]
    assert not search.has(parse_program("forall ikj: a[i] @last= B[i,j] * C[j,k] * d[k]", INDICES, KNOWN))


def test_operators_that_are_not_declared():
    for text in ("a[i] += @other(b[i], c[i])", "a[i] @other= b[i]"):
        with pytest.raises(UserError, match="@other"):
            parse_program(text, INDICES, KNOWN)
