"""Kernels without a schedule: they get one where their loops would be of a higher order than need be, and say why."""

import numpy as np
import pytest
from sampling import few_or_many

import irtensor as it
from irtensor.compiler.compilation import lower_request
from irtensor.compiler.kernel.check_bounds import BoundExtent
from irtensor.options import current_options
from irtensor.passes.autoschedule.search import Search
from irtensor.planning import planner, search_programs
from irtensor.planning.default_planner import DEFAULT_PLANNER

CSR = it.CSR
CHAIN = "y[i] = A[i,j] * B[j,k] * x[k]"
FORMATS = {"A": CSR, "B": CSR}
FOUND = "(forall ij: y[i] += A[l(i),s(j)] * w[l(j)]) where (forall jk: w[j] += B[l(j),s(k)] * x[k])"


@pytest.fixture(autouse=True)
def nothing_is_decided():
    DEFAULT_PLANNER.plans.clear()
    yield
    DEFAULT_PLANNER.plans.clear()


def operands(rng=None):
    rng = rng or np.random.default_rng(5)
    whole = {"A": (4, 5), "B": (5, 3), "x": (3,)}
    return {name: rng.integers(0, 3, shape).astype(float) for name, shape in whole.items()}


def section(text, title):
    return text.partition(f"\n\n{title}\n")[2].partition("\n\n")[0].splitlines()


def test_loops_of_a_lower_order_are_taken():
    kernel = it.compile(CHAIN, formats=FORMATS)
    given = operands()
    np.testing.assert_array_equal(kernel(**given), given["A"] @ given["B"] @ given["x"])
    text = kernel.explain()
    assert section(text, "schedule") == [f'  1. autoschedule(program="{FOUND}")']
    assert str(kernel.chosen_schedule) == f'autoschedule(program="{FOUND}")'
    assert section(text, "work, whatever the operands hold") == [
        "  {ij | A_ij} U {jk | B_jk} U {i} U {j}",
        "  no program does less: each reads every operand and goes through every dimension",
    ]
    assert "concrete_index.where produce (%w)" in kernel.ir("concrete_index")
    assert kernel.llvm_ir() == it.compile(CHAIN, formats=FORMATS).llvm_ir()


@pytest.mark.parametrize("options", [{"strict_fp": True}, {"convert": False}, {"schedule": it.schedule()}])
def test_loops_stay_where_their_order_is_not_free(options):
    kernel = it.compile(CHAIN, formats=FORMATS, **options)
    assert not section(kernel.explain(), "schedule")


@pytest.mark.parametrize("form", ["statement", "module"])
def test_no_schedule_and_one_without_steps_are_kept_apart_on_disk(form, tmp_path, monkeypatch):
    """The first gets a program, the other one has the loops of the plan: whatever another process has compiled."""
    text = it.compile(CHAIN, formats=FORMATS).ir("index_notation")
    monkeypatch.setenv("IRTENSOR_CACHE_DIR", str(tmp_path))
    kept = []
    for schedule in (it.schedule(), None):
        it.clear_caches()
        compiled = it.compile_module(text, schedule=schedule) if form == "module" else None
        kernel, given = compiled or it.compile(CHAIN, formats=FORMATS, schedule=schedule), operands()
        np.testing.assert_array_equal(kernel(**given), given["A"] @ given["B"] @ given["x"])
        kept.append({path.name for path in tmp_path.rglob("*.object")})
    assert len(kept[1]) == len(kept[0]) + 1


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("statement", "formats"),
    [
        ("y[i] = A[i,j] * x[j]", {"A": CSR}),
        ("C[i,j] = A[i,k] * B[k,j]", dict.fromkeys("ABC", CSR)),
        ("C[i,j] = A[i,j] + B[i,j] + D[i,j]", dict.fromkeys("ABCD", CSR)),
        # Another program does less in as many loops, and takes a temporary for each i and k.
        ("A[i,j] = B[i,k,l] * C[k,j] * D[l,j]", {"A": CSR, "B": it.CSF(3), "C": CSR, "D": CSR}),
        # More operands than are searched for, each of which has all variables.
        ("y[i] = A[i,j] * B[i,j] * C[i,j] * D[i,j] * E[i,j]", dict.fromkeys("ABCDE", CSR)),
        # Numbers of two types, and loops over blocks, have no order that is compared.
        ("y[i] = A[i,j] * B[j,k] * x[k]", {"A": it.BCSR(2, 2), "B": CSR}),
    ],
)
def test_other_loops_stay(statement, formats):
    assert not section(it.compile(statement, formats=formats).explain(), "schedule")


def test_whole_products_of_three():
    """Kernels of all kinds have the same loops."""
    statement = "D[i,l] = A[i,j] * B[j,k] * C[k,l]"
    formats: dict[str, object] = dict.fromkeys("ABCD", CSR)
    rng = np.random.default_rng(2)
    shapes = {"A": (6, 5), "B": (5, 7), "C": (7, 4)}
    given = {
        name: it.Tensor.from_numpy(rng.integers(0, 3, shape) * (rng.random(shape) < 0.4) * 1.0, CSR)
        for name, shape in shapes.items()
    }
    expected = given["A"].to_numpy() @ given["B"].to_numpy() @ given["C"].to_numpy()
    kernel = it.compile(statement, formats=formats)
    index = kernel.assemble(**given)
    assert "autoschedule(program=" in kernel.explain()
    np.testing.assert_array_equal(kernel.compute(index, **given).to_numpy(), expected)
    assert "autoschedule(program=" in kernel.explain()
    np.testing.assert_array_equal(kernel(**given).to_numpy(), expected)
    assert "autoschedule(program=" in kernel.explain()


def test_a_schedule_that_cannot_be_compiled_is_forgotten(monkeypatch):
    lower = lower_request.lower_module

    def refusing(module, start, end, *, choices, **options):
        if choices.scheduled and end == "llvm":
            raise it.UserError("unsupported-function", "not today")
        lower(module, start, end, choices=choices, **options)

    monkeypatch.setattr(lower_request, "lower_module", refusing)
    # A statement of its own: kernels are kept.
    kernel, given = it.compile(CHAIN.replace("y", "refused"), formats=FORMATS, disk_cache=False), operands()
    np.testing.assert_array_equal(kernel(**given), given["A"] @ given["B"] @ given["x"])
    assert not section(kernel.explain(), "schedule")


def test_functions_in_ir_get_one_too():
    kernel = it.compile(CHAIN, formats=FORMATS)
    module, given = it.compile_module(kernel.ir("index_notation")), operands()
    np.testing.assert_array_equal(module(**given), given["A"] @ given["B"] @ given["x"])
    assert FOUND in module.explain()


def test_a_program_is_taken_as_it_is_written():
    fused = "forall ijk: y[i] += A[l(i),s(j)] * B[l(j),s(k)] * x[k]"
    schedule = it.schedule().autoschedule(program=fused)
    assert it.schedule(str(schedule)) == schedule
    kernel, given = it.compile(CHAIN, formats=FORMATS, schedule=schedule), operands()
    np.testing.assert_array_equal(kernel(**given), given["A"] @ given["B"] @ given["x"])
    text = kernel.explain()
    assert section(text, "work, whatever the operands hold") == [
        "  {ijk | A_ij, B_jk} U {ij | A_ij} U {i}",
        f"  another one does less: {FOUND}",
    ]
    with pytest.raises(
        it.UserError, match=r"^<notation>:1:1: error: \[bad-schedule-step\] autoschedule: 'forall ij: y\[i\] \+= A"
    ):
        it.compile(
            CHAIN, formats=FORMATS, schedule=it.schedule().autoschedule(program="forall ij: y[i] += A[i,j] * x[j]")
        )(**given)
    with pytest.raises(it.UserError, match="program= takes a text, not 3"):
        it.schedule().autoschedule(program=3)  # pyrefly: ignore[bad-argument-type]


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        (
            "forall ijk: y[i] += A[l(i),s(j)] * B[l(j),s(k)] * x[k]",
            [
                "  {ijk | A_ij, B_jk} U {ij | A_ij} U {i}",
                "  does more: {ijk | A_ij, B_jk}, such as i = 0, j = 1, k = 2 with entries only in A (0, 1), B (1, 2)",
            ],
        ),
        (FOUND, ["  {ij | A_ij} U {jk | B_jk} U {i} U {j}", "  does what this kernel does, and no more"]),
    ],
)
def test_why_not_that_one(program, lines):
    assert section(it.compile(CHAIN, formats=FORMATS).explain(program), f"instead: {program}") == lines


def test_why_not_one_that_does_less_and_more():
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j] * D[i,j]", formats=dict.fromkeys("ABCD", CSR))
    program = "forall ikj: C[i,j] += A[l(i),s(k)] * B[l(k),s(j)] * D[s(i),s(j)]"
    first, second = section(kernel.explain(program), f"instead: {program}")[1:]
    assert first.startswith(
        "  does more: {ijk | A_ik, D_ij}, such as i = 0, j = 1, k = 2 with entries only in A (0, 2)"
    )
    assert second.startswith("  does not do what this kernel does: {ijk | A_ik, B_kj}, such as")


def test_what_is_not_compared():
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.BCSR(2, 2)})
    assert "work, whatever" not in kernel.explain()
    with pytest.raises(it.UserError, match=r"\[no-asymptotic-cost\] the asymptotic cost of this kernel is not known"):
        kernel.explain("forall ij: y[i] += A[i,j] * x[j]")
    with pytest.raises(it.UserError, match=r"\[bad-expression\] 'q' after forall is not an index variable"):
        it.compile(CHAIN, formats=FORMATS).explain("forall q: y[i] = x[i]")


def test_decisions_are_remembered(monkeypatch):
    request = it.compile(CHAIN, formats=FORMATS)._last.request()
    settings = current_options()
    chosen = planner.plan_for(request, settings)
    monkeypatch.setattr(search_programs, "Draft", lambda *arguments, **options: pytest.fail("decided before"))
    assert planner.plan_for(request, settings) == chosen._replace(draft=None, lowered=None)
    assert str(chosen.request.schedule) == f'autoschedule(program="{FOUND}")'


def test_more_operands_than_are_searched_for():
    names = "BCDEFG"
    kernel = it.compile(f"a = {' * '.join(f'{name}[i]' for name in names)}", schedule="auto")
    assert kernel(**dict.fromkeys(names, np.full(3, 2.0))) == 3 * 2.0**6
    remark = "  6 operands are read in 1 loops, more than are searched for (5 and 6), so that the loops stay"
    assert remark in kernel.explain().splitlines()


def several(text):
    """A function in IR that defines y, and in the same way z."""
    start, _, rest = text.partition("  %y = ")
    definition, _, _ = rest.partition("  func.return")
    type = "tensor<?xf64>"
    start = start.replace(f"-> {type}", f"-> ({type}, {type})")
    return f"{start}  %y = {definition}  %z = {definition}  func.return %z, %y : {type}, {type}\n}}\n}}\n"


def test_each_of_several_definitions_gets_one():
    text, given = several(it.compile(CHAIN, formats=FORMATS).ir("index_notation")), operands()
    module, expected = it.compile_module(text), given["A"] @ given["B"] @ given["x"]
    for result in module(**given):
        np.testing.assert_array_equal(result, expected)
    of_z = FOUND.replace("y[", "z[")
    explained = module.explain()
    assert section(explained, "schedule") == [
        f'  {number}. autoschedule(program="{program}")' for number, program in enumerate((FOUND, of_z), 1)
    ]
    # Beside a program, the definition is explained that it computes.
    assert "does what this kernel does, and no more" in module.explain(instead=of_z)
    with pytest.raises(it.UserError, match="does not compute this definition"):
        module.explain(instead=FOUND.replace("y[", "w["))


def test_a_program_is_for_the_definitions_that_it_computes():
    text, given = several(it.compile(CHAIN, formats=FORMATS).ir("index_notation")), operands()
    fused = "forall ijk: z[i] += A[l(i),s(j)] * B[l(j),s(k)] * x[k]"
    module = it.compile_module(text, schedule=it.schedule().autoschedule(program=fused))
    for result in module(**given):
        np.testing.assert_array_equal(result, given["A"] @ given["B"] @ given["x"])
    loops = "\n".join(section(module.explain(), "loops"))
    assert "z[i] = " not in loops.partition("y[i]")[0] and loops.count("for k") >= 2
    with pytest.raises(it.UserError, match=r"'forall ijk: w\[i\].* does not compute this definition"):
        it.compile_module(text, schedule=it.schedule().autoschedule(program=fused.replace("z[", "w[")))


def test_no_search_for_sums_that_are_too_wide(monkeypatch):
    def refuse(*_):
        raise AssertionError("a cost was computed")

    monkeypatch.setattr(Search, "cost", refuse)
    names = [f"a{number}" for number in range(6)]
    kernel = it.compile(
        "wide[i] = " + " * ".join(f"({name}[i] + 1)" for name in names),
        formats=dict.fromkeys(names, it.Format("compressed")),
    )
    given = {name: np.arange(4.0) for name in names}
    np.testing.assert_array_equal(kernel(**given), (np.arange(4.0) + 1) ** 6)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("count", [12, 24, few_or_many(30, 55)])
@pytest.mark.parametrize("schedule", [None, it.schedule()])
def test_long_chains_of_products(count, schedule):
    """As one loop inside of the other, and as one after the other where the text of that is not too long."""
    names = [f"A{number}" for number in range(count)]
    factors = [f"{name}[i{number},i{number + 1}]" for number, name in enumerate(names)]
    kernel = it.compile(f"y[i0] = {' * '.join(factors)}", dict.fromkeys(names, CSR), schedule=schedule)
    matrix = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    expected = np.linalg.matrix_power(matrix, count).sum(axis=1)
    np.testing.assert_array_equal(kernel(**dict.fromkeys(names, it.Tensor.from_numpy(matrix, CSR))), expected)
    assert ("where" in str(kernel.chosen_schedule)) == (schedule is None and count < 50)


@pytest.mark.parametrize("expression", ["max(min(B[i,j], C[j,k]), 1)", "min(max(B[i,j], min(C[j,k], 2)), C[j,k])"])
def test_operators_that_distribute_over_each_other_end(expression):
    """min over max and max over min: there are endless ways to write this down."""
    B, C = np.array([[0.0, 2.0, 5.0], [3.0, 0.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 4.0], [3.0, 0.0]])
    found = it.compile(f"A[i] = max(j, max(k, {expression}))", {"B": CSR, "C": CSR})(B=B, C=C)
    b, c = B[:, :, None], C[None]
    values = np.maximum(np.minimum(b, c), 1) if "1" in expression else np.minimum(np.maximum(b, np.minimum(c, 2)), c)
    np.testing.assert_array_equal(found, values.max(axis=(1, 2)))


def test_a_schedule_that_fails_late_leaves_nothing_behind(monkeypatch):
    """The kernel is called as the loops ask for it that it has in the end, not as those of the failed attempt do."""
    lower, read, seen = lower_request.lower_module, lower_request.read_signature, []

    def lowered(module, start, end, *, choices, **options):
        if choices.scheduled and end == "llvm":
            raise it.UserError("unsupported", "not these loops")
        lower(module, start, end, choices=choices, **options)

    def inspected(*arguments):
        seen.append(read(*arguments))
        # The first kind of loops checks an extent that is never met.
        return seen[-1]._replace(bounds=(BoundExtent("j", "exact", 17, ("dim", 0, 1)),) if len(seen) == 1 else ())

    monkeypatch.setattr(lower_request, "lower_module", lowered)
    monkeypatch.setattr(lower_request, "read_signature", inspected)
    given = operands()
    kernel = it.compile(CHAIN, formats=FORMATS, disk_cache=False, gallop=True)
    np.testing.assert_array_equal(kernel(**given), given["A"] @ given["B"] @ given["x"])
    assert len(seen) == 2 and kernel.chosen_schedule is None
    assert kernel._last.last is not None and kernel._last.last.kernel.signature.bounds == ()


@pytest.mark.parametrize(
    ("notation", "expected"),
    [
        ("y[i] = ~max(j, A[i,j])", lambda A, b: ~A.max(1)),
        ("y[i] = b[i] & ~min(j, A[i,j])", lambda A, b: b & ~A.min(1)),
        ("y[i] = max(j, A[i,j]) ^ ~max(j, A[i,j])", lambda A, b: A.max(1) ^ ~A.max(1)),
    ],
)
def test_bits_of_the_least_and_the_greatest_integer(notation, expected):
    """A workspace of a minimum or maximum begins as one of them, which costs are computed with as infinite."""
    A, b = np.array([[0, 3, -2], [0, 0, 0], [-5, 0, -7], [-5, -1, -7]]), np.array([1, 2, -3, 4])
    given = {"A": A, "b": b} if "b[i]" in notation else {"A": A}
    for schedule in (None, "auto"):
        kernel = it.compile(notation, {"A": CSR}, dtypes=dict.fromkeys(given, np.int64), schedule=schedule)
        np.testing.assert_array_equal(kernel(**given), expected(A, b))
        assert "loops" in kernel.explain()


@pytest.mark.parametrize(
    "statement", ["y[i] = (a[i] + b[i]) * (a[i] - b[i])", "C[i,j] = (A[i,j] - 1) * (A[i,j] + 1) * (A[i,j] + x[i])"]
)
def test_nothing_is_searched_where_one_access_needs_all_loops(statement, monkeypatch):
    def searched(search):
        raise AssertionError("programs are searched")

    monkeypatch.setattr(Search, "least_depth", property(searched))
    given = {"a": np.arange(3.0), "b": np.ones(3), "A": np.ones((3, 2)), "x": np.arange(3.0)}
    kernel = it.compile(statement)
    kernel(**{name: given[name] for name in kernel.operand_names})
