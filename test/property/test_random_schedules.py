"""Random schedules: whatever steps are taken, the kernel gives what it gives without them, or a step is refused."""

import re
from itertools import product

import hypothesis
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

import irtensor as it
from irtensor.dialects.expression_text import Application, parse_expression
from irtensor.dialects.schedule_words import RACE_STRATEGIES

pytestmark = pytest.mark.usefixtures("hardly_any_effort", "small_parts")
SIZES = {"i": 6, "j": 5, "k": 7, "l": 4}
# What may be said of these sizes; the call refuses what is not true.
BOUNDS = [(1, "multiple"), (2, "multiple"), (3, "multiple"), (5, "exact"), (6, "exact")]
STATEMENTS = (
    "y[i] = A[i,j] * x[j]",
    "y[i] = A[i,j] * x[j] * z[i]",
    "y[i] = A[i,j] * B[i,j]",
    "y[i] = A[i,j] * x[j] - b[i]",
    "y[i] = b[i] + sum(j, A[i,j] * x[j])",
    "y[i] max= A[i,j] + x[j]",
    "s = A[i,j] * B[i,j]",
    "a[i] = b[i] + c[i]",
    "A[i,j] = B[i,j]",
    "A[i,j] = B[j,i]",
    "A[i,j] = b[i] * c[j]",
    "A[i,j] = B[i,j] + C[i,j]",
    "A[i,j] = max(B[i,j], C[i,j])",
    "A[i,j] = B[i,j] * C[i,j] + D[i,j]",
    "A[i,j] = B[i,k] * C[k,j]",
    "A[i,j] = (B[i,k] + D[i,k]) * C[k,j]",
    "A[i,j] = B[i,j] * (C[i,k] * D[k,j])",
    "A[i,j] = B[i,j,k] * c[k]",
    "A[i,j] = B[i,k,l] * C[l,j] * D[k,j]",
    "A[i,j] = B[i,k] * C[j,k]",
    "A[j,i] = B[i,j] + C[i,j]",
    "y[j] = A[i,j]",
    "y[j] max= A[i,j] * x[i]",
    "y[i] = A[i,j,k] * x[j] * z[k]",
    "T[i,j,k] = B[i,j,k] + C[i,j,k]",
    "T[i,j,k] = B[i,j,l] * C[k,l]",
    "T[i,j,k] = B[i,l] * C[l,j,k]",
    "y[i] = A[i,j] * B[j,k] * C[k,l] * x[l]",
    "s = A[i,j,k,l] * B[i,j,k,l]",
    "Q[i,j,k,l] = A[i,j,k,l] * B[i,j] + C[i,j,k,l]",
)
FORMATS = {
    0: (None,),
    1: (
        None,
        None,
        it.Format("compressed"),
        it.Format("compressed"),
        it.Format("(i) -> (i floordiv 2 : compressed, i mod 2 : dense)"),
    ),
    2: (
        None,
        it.CSR,
        it.CSR,
        it.CSC,
        it.DCSR,
        it.DCSC,
        it.COO(2),
        it.BCSR(2, 3),
        it.BCSR(2, 2),
        it.BCSC(3, 2),
        it.Format("(i, j) -> (i floordiv 2 : compressed, j : compressed, i mod 2 : dense)"),
        it.Format("(i, j) -> (i floordiv 2 : dense, j floordiv 3 : dense, i mod 2 : compressed, j mod 3 : compressed)"),
        it.Format("(i, j) -> (i : dense, j floordiv 3 : bitmap, j mod 3 : dense)"),
        it.Format("compressed, dense"),
        it.Format("dense, bitmap"),
        it.Format("dense, hashed"),
    ),
    3: (None, it.CSF(3), it.COO(3), it.Format("dense, dense, compressed"), it.Format("compressed, dense, compressed")),
    4: (None, it.CSF(4), it.COO(4), it.Format("dense, compressed, dense, compressed")),
}
WORKSPACES = {
    1: (None, None, "dense", "bitmap", "hashed"),
    2: (
        None,
        None,
        "dense, dense",
        "dense, bitmap",
        "bitmap, bitmap",
        "bitmap, hashed",
        "hashed, hashed",
        "(i, j) -> (j : dense, i : dense)",
    ),
    3: (None, *map(", ".join, product(("dense", "bitmap", "hashed"), repeat=3))),
}
KINDS = (
    "reorder",
    "split",
    "divide",
    "fuse",
    "bound",
    "parallelize",
    "unroll",
    "vectorize",
    "assemble",
    "precompute",
    "precompute",
)
# How a step, or what comes after it, may refuse a schedule.
REFUSALS = {
    "parallel-dependence",
    "parallel-nest",
    "parallel-race",
    "ambiguous-expression",
    "bad-format",
    "bad-schedule-step",
    "blocked-range",
    "expression-not-found",
    "illegal-assemble",
    "illegal-precompute",
    "illegal-reorder",
    "illegal-reuse",
    "illegal-split",
    "illegal-vectorize",
    "loop-order-cycle",
    "no-such-loops",
    "output-needs-workspace",
    "unsupported-workspace",
}
# How it may be refused to compute a result for an index that was assembled: a schedule's parallel loop counts entries.
REPLAY_REFUSALS = {"parallel-dependence"}


def parts(text):
    """The expressions of which a right-hand side consists."""
    found, waiting = [], [parse_expression(text)]
    while waiting:
        term = waiting.pop()
        found.append(str(term))
        waiting += term.arguments if isinstance(term, Application) else ()
    return found


class Steps:
    """Draws steps that mention what is there after the ones before; legal or not."""

    def __init__(self, draw, statement):
        self.draw = draw
        self.result, right = statement[0], statement.partition("= ")[2]
        self.schedule = it.schedule()
        self.parts = parts(re.sub(r"sum\(\w, (.*)\)$", r"\1", right))
        self.names = sorted({name for part in self.parts for name in re.findall(r"\b[ijkl]\b", part)})
        self.sparse = sorted({name for part in self.parts for name in re.findall(r"\b(\w)\[", part)})
        # Names under which loops are fused, and the loops that counted blocks of them.
        self.fused, self.blocks = [], []
        # What was said of extents, and whether it is true.
        self.bounds_are_met = True

    def reorder(self):
        if len(self.names) > 1:
            order = self.draw(st.permutations([*self.names, *self.blocks]))[
                : self.draw(st.integers(2, len(self.names)))
            ]
            self.schedule = self.schedule.reorder(*order)

    def split(self):
        self.cut(
            lambda *names: self.schedule.split(*names, self.draw(st.sampled_from((1, 2, 3, 4, 100))), self.entries())
        )

    def divide(self):
        self.cut(lambda *names: self.schedule.divide(*names, self.draw(st.sampled_from((1, 2, 5))), self.entries()))

    def entries(self):
        """An operand whose entries are counted, or none."""
        return self.draw(st.sampled_from([None, None, *self.sparse]))

    def cut(self, step):
        name = self.draw(st.sampled_from([*self.names, *self.fused, *self.fused]))
        outer, inner = f"{name}a", f"{name}b"
        self.schedule = step(name, outer, inner)
        if name in self.fused:
            self.fused = [inner if other == name else other for other in self.fused]
            self.blocks.append(outer)
            return
        self.parts = [re.sub(rf"\b{name}\b", inner, part) for part in self.parts]
        self.names = [*(other for other in self.names if other != name), outer, inner]

    def fuse(self):
        if len(self.names) > 1:
            outer, inner = self.draw(st.permutations([*self.names, *self.fused]))[:2]
            fused = f"f{len(self.schedule.steps)}"
            self.schedule = self.schedule.fuse(outer, inner, fused)
            self.fused = [*(name for name in self.fused if name not in (outer, inner)), fused]
            if self.draw(st.booleans()):
                self.draw(st.sampled_from([self.split, self.divide]))()

    def bound(self):
        name = self.draw(st.sampled_from(self.names))
        # How many blocks there are is not known here.
        extent, kind = self.draw(st.sampled_from(BOUNDS if name in SIZES else BOUNDS[:1]))
        if name in SIZES:
            self.bounds_are_met &= SIZES[name] == extent if kind == "exact" else SIZES[name] % extent == 0
        self.schedule = self.schedule.bound(name, extent, kind)

    def parallelize(self):
        races = self.draw(st.sampled_from(RACE_STRATEGIES))
        self.schedule = self.schedule.parallelize(self.draw(st.sampled_from([*self.names, *self.blocks])), races)

    def assemble(self):
        self.schedule = self.schedule.assemble(self.result, self.draw(st.sampled_from(("insert", "append"))))

    def unroll(self):
        self.schedule = self.schedule.unroll(
            self.draw(st.sampled_from(self.names)), self.draw(st.sampled_from((1, 2, 4, 7)))
        )

    def vectorize(self):
        self.schedule = self.schedule.vectorize(
            self.draw(st.sampled_from(self.names)), self.draw(st.sampled_from((1, 2, 4, 8)))
        )

    def precompute(self):
        part = self.draw(st.sampled_from(self.parts))
        used = [name for name in self.names if re.search(rf"\b{name}\b", part)]
        over = self.draw(st.permutations(used))[: self.draw(st.integers(0, len(used)))]
        workspace, reuse = f"w{len(self.schedule.steps)}", self.draw(st.integers(0, 5)) == 0
        format = self.draw(st.sampled_from(WORKSPACES.get(len(over), (None,))))
        self.schedule = self.schedule.precompute(part, over, workspace=workspace, format=format, reuse=reuse)
        if not reuse:
            read = f"{workspace}[{', '.join(over)}]" if over else workspace
            self.parts = [other.replace(part, read) for other in self.parts]


@st.composite
def scheduled_statements(draw):
    statement = draw(st.sampled_from(STATEMENTS))
    ranks = {name: indices.count(",") + 1 for name, indices in re.findall(r"(\w)\[([\w,]+)\]", statement)}
    formats = {name: draw(st.sampled_from(FORMATS[rank])) for name, rank in ranks.items()}
    steps = Steps(draw, statement)
    for kind in draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=6)):
        getattr(steps, kind)()
    chosen = {name: format for name, format in formats.items() if format is not None}
    return statement, chosen, steps.schedule, steps.bounds_are_met


SETTINGS = settings(max_examples=60, suppress_health_check=list(HealthCheck))


def check_thoroughly(case, seed):
    event(check(case, seed))


@SETTINGS
@given(scheduled_statements(), st.integers(0, 2**32 - 1), st.integers(0, 15))
def test_schedules_keep_the_result(case, seed, luck):
    event(check(case, seed, thorough=luck == 7))


@pytest.mark.soak
def test_more_schedules(soak_seeds):
    for number in soak_seeds:
        # What fails is printed as it was drawn: making it smaller takes longer than drawing the next hundred.
        draw = settings(SETTINGS, max_examples=20, database=None, derandomize=False, phases=[Phase.generate])
        hypothesis.seed(number)(draw(given(scheduled_statements(), st.integers(0, 2**32 - 1))(check_thoroughly)))()


# What such schedules once got wrong.
FOUND = [
    # Two statements store into one component of a workspace in the same turn.
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
    # A workspace of whole blocks was filled from one that ends within the last of them.
    ("A[i,j] = B[j,i]", {"A": it.BCSR(2, 3), "B": it.BCSR(2, 3)}, "precompute(B[j,i], over=j, workspace=w0)"),
]


@pytest.mark.parametrize(("statement", "formats", "text"), FOUND, ids=[text for _, _, text in FOUND])
def test_found_schedules(statement, formats, text):
    assert check((statement, formats, it.schedule(text), True), 0, thorough=False) == "kept"


def check(case, seed, thorough=True):
    """Compare a scheduled statement with the one that has no schedule; says what became of the schedule.

    A thorough check verifies what each pass leaves, for one thread as well, and computes for an assembled index: ten
    times the work.
    """
    statement, formats, schedule, bounds_are_met = case
    assert it.schedule(str(schedule)) == schedule
    random = np.random.default_rng(seed)
    dense = {}
    for name, indices in re.findall(r"(\w)\[([\w,]+)\]", statement.partition("= ")[2]):
        shape = [SIZES[index] for index in indices.split(",")]
        dense[name] = np.where(random.random(shape) < 0.4, random.integers(1, 9, shape), 0).astype(float)
    operands = {
        name: it.Tensor.from_numpy(array, formats[name]) if name in formats else array for name, array in dense.items()
    }
    expected = it.compile(statement)(**dense)
    # Turns that meet although they were said not to are one after the other on one thread.
    counts = (1,) if may_race(statement, formats, schedule, operands) else (1, 3) if thorough else (3,)
    outcomes = set()
    for threads in counts:
        kernel = it.compile(statement, formats=formats, schedule=schedule, num_threads=threads, verify=thorough)
        texts = {name: str(format) for name, format in formats.items()}
        message = f"{statement}\n{texts}\n{schedule}\n{threads} threads, seed {seed}"
        outcomes.add(run(kernel, operands, expected, bounds_are_met, message, thorough))
    # What turns leave to each other is asked where they are divided among threads.
    assert len(outcomes - {"parallel-dependence"}) <= 1, f"{outcomes}\n{message}"
    return min(outcomes)


def run(kernel, operands, expected, bounds_are_met, message, replay):
    """Compare what one kernel gives; says what became of its schedule."""
    refused = attempt(kernel.prepare, **operands)
    if isinstance(refused, it.UserError):
        assert refused.slug in REFUSALS, f"{refused}\n{message}"
        assert refused.help
        return refused.slug
    if not bounds_are_met:
        with pytest.raises(it.UserError, match="bound-not-met"):
            kernel(**operands)
        return "bound-not-met"
    result = kernel(**operands)
    compare(result, expected, message)
    if replay and isinstance(result, it.Tensor):
        replayed = attempt(lambda: kernel.compute(kernel.assemble(**operands), **operands))
        if isinstance(replayed, it.UserError):
            assert replayed.slug in REPLAY_REFUSALS, f"compute(assemble()): {replayed}\n{message}"
            return f"kept, but not for an index: {replayed.slug}"
        compare(replayed, expected, f"compute(assemble())\n{message}")
    return "kept"


def compare(result, expected, message):
    if isinstance(result, it.Tensor):
        result.check()
        result = result.to_numpy()
    np.testing.assert_array_equal(result, expected, err_msg=message)


def may_race(statement, formats, schedule, operands):
    """Whether a schedule ignores races that would be refused."""
    if "ignore" not in str(schedule):
        return False
    strict = it.schedule(str(schedule).replace("ignore", "none"))
    kernel = it.compile(statement, formats=formats, schedule=strict, num_threads=3)
    return isinstance(attempt(kernel.prepare, **operands), it.UserError)


def attempt(action, **operands):
    """What an action gives, or the error that refuses it."""
    try:
        return action(**operands)
    except it.UserError as error:
        return error
