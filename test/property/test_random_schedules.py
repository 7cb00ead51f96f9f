"""Random schedules: whatever steps are taken, the kernel gives what it gives without them, or a step is refused."""

import random
import re
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from reference.compare_with_oracle import Case
from reference.evaluate_dense import evaluate_dense
from reference.random_operands import PATTERNS, random_operand
from reference.rounding import distance, is_wrong
from reference.schedule_space import SIZES, ScheduledCase, draw_scheduled
from sampling import few_or_many

import irtensor as it
from irtensor.api.schedule import Schedule
from irtensor.frontend.expression_tree import Reduce, accesses, tensor_names, walk

pytestmark = pytest.mark.usefixtures("small_parts")
# How a step, or what comes after it, may refuse a schedule of a statement that is compiled without one.
REFUSALS = {
    "parallel-dependence",
    "parallel-nest",
    "parallel-race",
    "ambiguous-expression",
    "bad-format",
    "bad-schedule-step",
    "expression-not-found",
    "illegal-assemble",
    "illegal-merge",
    "illegal-precompute",
    "illegal-reorder",
    "illegal-reuse",
    "illegal-split",
    "illegal-unroll",
    "illegal-vectorize",
    "loop-order-cycle",
    "no-such-loops",
    "output-needs-workspace",
    # Entries that are walked alone without a schedule may be merged with it.
    "unordered-merge",
    "unsupported-workspace",
}
# What a statement without a schedule may be refused for: of those there is nothing to say.
UNSCHEDULED_REFUSALS = {
    *("loop-order-cycle", "output-needs-workspace", "unordered-merge", "unordered-search", "block-mismatch"),
    *("unsupported-operator", "unsupported-dtype", "number-too-large", "diagonal-mismatch"),
}
# What a call may be refused for, with a schedule and without.
CALL_REFUSALS = {"empty-reduction"}
# Steps after which other operands may be converted, and a result has an entry where the copy has a dense row; a result
# that is its own workspace has those of both statements.
GROWING = re.compile(r"reorder|split|divide|fuse|vectorize|merge|reuse=True")
# A temporary of a precompute that has all coordinates.
DENSE_TEMPORARY = re.compile(r"level \d+ of [^(]*\b[wv]\d*[^(]*\(dense\)")
# The metaclass of HealthCheck has no types.
ALL_CHECKS: list[Any] = list(HealthCheck)
SETTINGS = settings(max_examples=few_or_many(15, 200), suppress_health_check=ALL_CHECKS)
# An operand, and what a copy of it is stored as.
CONVERTED = re.compile(r"'(\w+)', stored [^\n]* is converted to ([^\n]*), so that")


@SETTINGS
@given(st.randoms(use_true_random=False), st.integers(0, 2**32 - 1), st.integers(0, 15))
def test_schedules_keep_the_result(choices, seed, luck):
    event(check_longest(draw_scheduled(choices), seed, thorough=luck == 7))


@pytest.mark.soak
def test_more_schedules(soak_seeds):
    for seed in soak_seeds:
        check_longest(draw_scheduled(random.Random(seed)), seed, thorough=seed % 4 == 0)


# What such schedules once got wrong.
FOUND = [
    # Two statements store into one component of a workspace in the same iteration.
    (
        "y[i] = A[i,j] * x[j]",
        {"A": it.CSR},
        "precompute(A[i,j] * x[j], over=j, workspace=w); precompute(A[i,j], workspace=v, reuse=True)",
    ),
    # The loop over blocks and the one within a block were both parallel.
    ("y[i] = A[i,j] * x[j]", {"A": it.BCSR(2, 3)}, "parallelize(i)"),
    ("A[i,j] = B[i,j]", {"A": it.BCSR(2, 3), "B": it.BCSR(2, 3)}, "parallelize(i)"),
    # What a loop inside of fused ones needs of the outer one was computed before both.
    (
        "y[i] = a[i] * b[i]",
        dict.fromkeys("yab", it.Format("compressed")),
        "divide(i, o0, n0, 2); divide(n0, o1, n1, 3); fuse(o0, o1, f); divide(f, o2, n2, 2)",
    ),
    # Only blocks of it were loops, so nothing said how large the workspace is.
    ("A[i,j] = B[i,j]", {"B": it.BCSR(2, 3)}, "precompute(B[i,j], over=(i,j), workspace=w0)"),
    ("A[i,j] = B[i,j]", {"A": it.BCSR(2, 3), "B": it.BCSR(2, 3)}, "precompute(B[i,j], over=j, workspace=w0)"),
    # An operand whose entries are counted was converted, and the rows of blocks of the copy counted.
    (
        "A[i,j] = max(B[i,j], C[i,j])",
        {"A": it.BCSR(2, 3), **dict.fromkeys("BC", it.Format("compressed, dense"))},
        "split(i, ia, ib, 100, tensor=C); split(ib, iba, ibb, 3)",
    ),
    # One of two variables is that of the result, in blocks: lists over it were refused.
    (
        "A[i,j] = B[i,j] * C[i,j] + D[i,j]",
        {"A": it.BCSR(2, 3), "B": it.Format("dense, hashed"), "C": it.DCSR, "D": it.Format("compressed, dense")},
        "precompute(B[i,j] * C[i,j], over=j, workspace=w0)",
    ),
    # How many places a partial block has was asked of a name of the block that only the loop inside binds.
    (
        "y[i] = A[i,j] * B[i,j]",
        dict.fromkeys("AB", it.Format("(i, j) -> (i : dense, j floordiv 3 : bitmap, j mod 3 : dense)")),
        "reorder(j, i)",
    ),
    # The levels of a result in blocks were asked for where a workspace got a dimension.
    (
        "y[i] = -sum(j, A[i,j] + b[i])",
        {"b": it.Format("compressed"), "y": it.Format("(i) -> (i floordiv 2 : compressed, i mod 2 : dense)")},
        "reorder(j, i)",
    ),
    # Two threads stored where one row of the result ends, and its index was replayed as if a row were one block's.
    ("A[i,j] = B[i,j]", dict.fromkeys("AB", it.CSR), "fuse(i, j, f); split(f, fa, fb, 4)"),
    # A workspace of whole blocks was filled from one that ends within the last of them.
    ("A[i,j] = B[j,i]", {"A": it.BCSR(2, 3), "B": it.BCSR(2, 3)}, "precompute(B[j,i], over=j, workspace=w0)"),
    # A workspace of blocks is stored by computed places in them, and read by way of another workspace.
    (
        "A[i,j] = sum(k, B[i,j] + min(C[i,k], D[k,j]))",
        {
            "A": it.Format("(i, j) -> (i floordiv 2 : compressed, j : compressed, i mod 2 : dense)"),
            "B": it.CSR.with_fill(1),
            "C": it.Format("bitmap, dense"),
            "D": it.DCSR.with_fill(1),
        },
        'precompute(C[i,k], over=(i,k), workspace=w0, format="bitmap, dense")',
    ),
    # An operand in blocks was asked for its levels before it was read by them.
    (
        "y[i] = sum(j, A[i,j] * x[j])",
        {"A": it.Format("(i, j) -> (i floordiv 2 : compressed, j : compressed, i mod 2 : dense)")},
        "precompute(A[i,j] * x[j], over=j, workspace=w0); reorder(j, i)",
    ),
    ("A[i,j] = B[i,j]", {"A": it.BCSR(2, 3)}, "fuse(i, j, f); parallelize(f)"),
    # A loop over blocks went inside of the loop within a block, because only that one was needed there.
    (
        "A[i,j] = B[i,k] * C[k,j] + D[i,j]",
        {"A": it.Format("compressed, bitmap"), "C": it.CSR, "D": it.DCSR},
        "split(i, ia, ib, 2); precompute(B[ib,k] * C[k,j], over=k)",
    ),
    # A number that got dimensions read as 0 where the operand that it is has no entry, rather than as its fill value.
    (
        "A[i,j,k] = max(B[i,j,k], C[i,j])",
        {
            "A": it.Format("compressed(nonunique), singleton(nonunique), singleton"),
            "B": it.Format("(i, j, k) -> (k : compressed, i : compressed, j : compressed)").with_fill(-2),
            "C": it.CSR.with_fill(-1),
        },
        "precompute(C[i,j], workspace=w0)",
    ),
    # Where an operand had no entry, loops that serve all cases stored zeros beside its factors.
    (
        "Q[i,j,k,l] = A[i,j,k,l] * B[i,j] + C[i,j,k,l]",
        {
            "A": it.CSF(4),
            "B": it.CSR,
            "C": it.COO(4),
            "Q": it.Format(
                "(i, j, k, l) -> (i : dense, l : compressed(nonunique), j : singleton(nonunique), k : singleton)"
            ),
        },
        "precompute(C[i,j,k,l], over=(j,l,k,i), producer=(p0j,p0l,p0k,p0i), workspace=w0)",
    ),
    # A result had an entry in each place of a dense row of an operand's copy in another order.
    (
        "T[i,j,k] = B[k,j,i]",
        {
            "B": it.Format("(i, j, k) -> (i : compressed(nonunique), k : singleton, j : dense)"),
            "T": it.Format("(i, j, k) -> (j : dense, i : dense, k : bitmap)"),
        },
        'precompute(B[k,j,i], over=(k,j), producer=(p0k,p0j), workspace=w0, format="bitmap, bitmap")',
    ),
    # Parts of blocks came back to the lists of a block, which had others between them, or appended a block twice.
    *(
        ("A[i,j] = B[i,j]", dict.fromkeys("AB", it.Format(f"(i, j) -> ({levels})")), f"split({name}, na, nb, 1)")
        for levels in (
            "i floordiv 2 : dense, j floordiv 3 : dense, i mod 2 : compressed, j mod 3 : compressed",
            "i floordiv 2 : dense, j floordiv 3 : bitmap, i mod 2 : dense, j mod 3 : compressed",
            "i floordiv 2 : compressed, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense",
            "i floordiv 2 : compressed, i mod 2 : compressed, j floordiv 3 : dense, j mod 3 : dense",
        )
        for name in "ij"
    ),
]


@pytest.mark.one_in(16)
@pytest.mark.parametrize(("statement", "formats", "text"), FOUND, ids=[text for _, _, text in FOUND])
def test_found_schedules(statement, formats, text):
    names = tensor_names(Case(statement, {}).statement().expression)
    operands = {name: formats.get(name) for name in names}
    case = Case(statement, operands, formats.get(statement[0]))
    assert check(ScheduledCase(case, it.schedule(text)), 0, thorough=False) == "kept"


def check_longest(drawn, seed, thorough=True):
    """Check as many of the steps as are not refused together; says what became of them."""
    outcome = check(drawn, seed, thorough)
    while outcome in REFUSALS and len(drawn.schedule.steps) > 1:
        drawn = replace(drawn, schedule=Schedule(drawn.schedule.steps[:-1]))
        outcome = check(drawn, seed, thorough)
    return outcome


def check(drawn, seed, thorough=True):
    """Compare a scheduled statement with the one that has no schedule, and with the dense oracle; says what became of
    the schedule.

    A thorough check verifies what each pass leaves, for one thread as well: ten times the work.
    """
    assert it.schedule(str(drawn.schedule)) == drawn.schedule
    message = f"{drawn}, seed {seed}"
    # The first call has these extents and sparse operands, the others anything.
    choices = random.Random(seed)
    calls = [Call(drawn.case, SIZES, ["sparse"] * 9, seed)]
    for _ in range(2):
        sizes = {name: choices.choice((0, 1, extent, extent)) for name, extent in SIZES.items()}
        calls.append(Call(drawn.case, sizes, choices.choices(list(PATTERNS), k=9), seed))
    plain = compiled(drawn, None, 1)
    refused = attempt(plain.prepare, **calls[0].operands)
    if isinstance(refused, it.UserError):
        assert refused.slug in UNSCHEDULED_REFUSALS, f"without a schedule: {refused}\n{message}"
        return f"without a schedule: {refused.slug}"
    # Iterations that meet although they were said not to are one after the other on one thread.
    counts = (1,) if may_race(drawn, calls[0]) else (1, 3) if thorough else (3,)
    outcomes = set()
    for threads in counts:
        kernel = compiled(drawn, drawn.schedule, threads, verify=thorough)
        refused = attempt(kernel.prepare, **calls[0].operands)
        if isinstance(refused, it.UserError):
            assert refused.slug in REFUSALS, f"{refused}\n{message}"
            assert refused.help and "'?'" not in str(refused), f"{refused}\n{message}"
            outcomes.add(refused.slug)
            continue
        for call in calls:
            met = drawn.meets_bounds(call.sizes)
            outcomes.add(call.compare(plain, kernel, met, seed % 3 == 0, f"{message}, {threads} threads, {call.sizes}"))
    # What iterations leave to each other is asked where they are divided among threads.
    assert len(outcomes & REFUSALS - {"parallel-dependence"}) <= 1, f"{outcomes}\n{message}"
    return min(outcomes)


class Call:
    """Operands of some extents, and what the statement makes of them."""

    def __init__(self, case, sizes, patterns, seed):
        generator = np.random.default_rng(seed)
        self.sizes = sizes
        self.operands, dense = {}, {}
        statement = case.statement()
        for access, pattern in zip(accesses(statement.expression), patterns, strict=False):
            name = access.tensor
            if name not in self.operands:
                shape = tuple(sizes[index] for index in access.indices)
                made = random_operand(shape, case.formats[name], case.pool(name), pattern, generator)
                self.operands[name], dense[name] = made
        self.reduces = any(isinstance(node, Reduce) for node in walk(statement.expression))
        self.evaluate = partial(evaluate_dense, statement, dense, None)

    def compare(self, plain, kernel, bounds_are_met, replay, message):
        """Compare what the kernel gives; says what became of its schedule."""
        if not bounds_are_met:
            refused = attempt(kernel, **self.operands)
            assert isinstance(refused, it.UserError) and refused.slug in {"bound-not-met", *CALL_REFUSALS}, message
            return refused.slug
        usual, result = attempt(plain, **self.operands), attempt(kernel, **self.operands)
        if isinstance(usual, it.UserError) or isinstance(result, it.UserError):
            assert getattr(usual, "slug", None) == getattr(result, "slug", None), f"{usual}\n{result}\n{message}"
            assert result.slug in CALL_REFUSALS, f"{result}\n{message}"
            return result.slug
        self.compare_values(result, message)
        if not isinstance(result, it.Tensor):
            return "kept"
        # Where nothing was summed, it depends on the loops whether that is an entry.
        if result.nnz > usual.nnz and not (self.reduces or has_grown(kernel, self.operands)):
            # All places of a block, or of a dense row, are stored in an operand, and in a copy of it those of others.
            copies = dict(CONVERTED.findall(kernel.explain()))
            full = {name: with_full_blocks(operand, copies.get(name)) for name, operand in self.operands.items()}
            most = plain(**full).nnz
            assert result.nnz <= most, f"{result.nnz} entries, without a schedule up to {most}\n{message}"
        if not replay:
            return "kept"
        replayed = attempt(lambda: kernel.compute(kernel.assemble(**self.operands), **self.operands))
        assert not isinstance(replayed, it.UserError), f"compute(assemble()): {replayed}\n{message}"
        self.compare_values(replayed, f"compute(assemble())\n{message}")
        return "kept"

    def compare_values(self, result, message):
        if isinstance(result, it.Tensor):
            result.check()
            result = result.to_numpy()
        result, expected = np.asarray(result), self.evaluate()
        assert (result.shape, result.dtype) == (expected.shape, expected.dtype), message
        apart = distance(result, expected)
        if is_wrong(apart, lambda rounding: self.evaluate((), rounding), expected):
            np.testing.assert_array_equal(result, expected, err_msg=message)


def has_grown(kernel, operands):
    """Whether a schedule may add entries: where a workspace has all coordinates, so has what is made of it.

    Lists have all of them too where what is precomputed is not the same number outside of the entries along its
    dimensions, as `B[i,j] - C[k]` over j. The user is warned of it.
    """
    steps = str(kernel.schedule)
    # A number that is made of another workspace does not say whether that had an entry of a block: it is one.
    numbers = [one for one in kernel.schedule.steps if one.name == "precompute" and not dict(one.options)["variables"]]
    formats = [operand.format for operand in operands.values() if isinstance(operand, it.Tensor)]
    if numbers and any(format.stores_fill and not format.is_dense for format in formats):
        return True
    if "precompute" in steps and kernel._last.warned:
        return True
    return GROWING.search(steps) or ("precompute" in steps and DENSE_TEMPORARY.search(kernel.explain()))


def with_full_blocks(operand, copied):
    """An operand in blocks, or one that is copied into another format, with something other than its fill value in each
    place that is stored there; another as it is."""
    if not isinstance(operand, it.Tensor) or not (operand.format.is_blocked or copied):
        return operand
    places = with_all_places(operand)
    if copied:
        copy = with_all_places(it.as_tensor(operand, format=it.Format(copied)))
        places = np.where(places == operand.fill_value, copy, places)
    return it.Tensor.from_numpy(places, operand.format)


def with_all_places(stored):
    """The array of a tensor with something other than its fill value in each place that is stored."""
    values = np.full_like(stored.values, stored.fill_value != 1)
    # What lies beyond the extents, in the padding of a block, is not looked at.
    return it.Tensor.from_buffers(stored.shape, stored.format, stored.levels, values, check=False).to_numpy()


def compiled(drawn, schedule, threads, **options):
    formats = {name: format for name, format in drawn.case.formats.items() if format is not None}
    if drawn.case.result is not None:
        formats[str(drawn.case.statement().target.tensor)] = drawn.case.result
    return it.compile(drawn.case.notation, formats=formats, schedule=schedule, num_threads=threads, **options)


def may_race(drawn, call):
    """Whether a schedule ignores races that would be refused."""
    if "ignore" not in str(drawn.schedule):
        return False
    strict = it.schedule(str(drawn.schedule).replace("ignore", "none"))
    return isinstance(attempt(compiled(drawn, strict, 3).prepare, **call.operands), it.UserError)


def attempt(action, **operands):
    """What an action gives, or the error that refuses it."""
    try:
        return action(**operands)
    except it.UserError as error:
        return error
