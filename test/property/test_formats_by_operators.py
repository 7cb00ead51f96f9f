"""Formats x operators x loop orders to rank 3: every statement compiles to the oracle's values or is refused for cause.

The cases are those of reference.case_space. By default a sample runs in which every list of levels occurs;
`-m exhaustive` runs every pair of storages under every operator.
"""

import random
from functools import cache
from itertools import islice

import pytest
from reference import case_space
from reference.case_space import BINARY, INF, INTEGER, NAN, OPERANDS, RESULTS, Turns, build, every_case, pairs
from reference.compare_with_oracle import compare_with_oracle
from reference.loop_orders import refusal
from sampling import few_or_many

from irtensor.core.operators import OPERATORS, fold_to_value
from irtensor.errors import UserError
from irtensor.frontend.expression_tree import Access, Apply, Reduce

pytestmark = pytest.mark.usefixtures("small_parts")


@cache
def sample(loops):
    return case_space.sample(loops, least=few_or_many({1: 10, 2: 9, 3: 11}[loops], 1))


def is_sparse(format):
    """Whether a format has lists: what is looked up needs no order."""
    return format is not None and not all(level.format.access.inserts for level in format.levels)


def has_unordered(case):
    formats = [format for format in case.formats.values() if format is not None]
    return any(not level.format.ordered for format in formats for level in format.levels)


def has_diagonals(case):
    return any(format is not None and format.has_diagonals for format in case.formats.values())


def has_tables(case):
    """Whether entries without order can be looked up, so that they need not be visited."""
    formats = [format for format in case.formats.values() if format is not None]
    return any(level.format.pattern.unordered for format in formats for level in format.levels)


def check(cases, verified=1):
    """Every fourth kernel runs on three threads, in parts as small as they come; the compiler checks its own work on
    every so many cases."""
    failures = []
    number = 0
    for number, case in enumerate(cases, 1):
        try:
            failures += check_case(case, num_threads=1 if number % 4 else 3, verify=number % verified == 0)
        except Exception as error:
            failures.append(f"{case}: {type(error).__name__}: {error}")
    assert not failures, f"{len(failures)} of {number} failed, the first ones:\n" + "\n\n".join(failures[:3])


def check_case(case, **options):
    expected = refusal(case.statement(), case.formats)
    needs_order = rank_1_needs_order(case) if all_are_vectors(case) else None
    refused = refused_with(case, convert=False, **options)
    if refused and (refused.location is None or refused.help is None):
        return [f"{case}: refused without a place or a way out: {refused}"]
    if refused and (refused.slug in expected or (refused.slug == "diagonal-mismatch" and has_diagonals(case))):
        # What the operands' orders prevent is possible with copies of them in other orders.
        expected, refused = set(), refused_with(case, convert=True, **options)
    if refused and not expected and is_unordered(refused) and has_unordered(case) and needs_order is not False:
        # So is what the operands' lack of order prevents.
        needs_order, refused = None, refused_with(case, convert=True, **options)
    if refused:
        return [f"{case}: refused, expected {expected or 'a kernel'}: {refused}"]
    if expected:
        return [f"{case}: compiled, expected {expected}"]
    return [f"{case}: compiled, expected [unordered-merge]"] if needs_order else []


def refused_with(case, convert, **options):
    """The error with which a case is refused; None if it has the oracle's values."""
    try:
        compare_with_oracle(case, convert=convert, **options)
    except UserError as error:
        return error
    return None


def is_unordered(error):
    return error.slug in ("unordered-merge", "unordered-search")


def all_are_vectors(case):
    return "j" not in case.notation and "k" not in case.notation


def rank_1_needs_order(case):
    """Whether unordered entries have to be refused; None if there are none.

    They are visited as stored: alone, with no work in the gaps, and not to append them.
    """
    sparse = {name: format for name, format in case.formats.items() if is_sparse(format)}
    if not has_unordered(case) or has_tables(case):
        return None
    if any(l.format.properties.has_flags for f in (*sparse.values(), case.result) if f is not None for l in f.levels):
        # Flags are looked up and set in any order, so it depends on what they are looked up for.
        return None
    if len(sparse) > 1 or is_sparse(case.result):
        return True
    (name,) = sparse
    expression = case.statement().expression
    operation = expression.body if isinstance(expression, Reduce) else expression
    assert isinstance(operation, Apply)
    element = "i64" if operation.operator in INTEGER else "f64"
    fill = (int if element == "i64" else float)(sparse[name].fill or 0)
    arguments = [
        fill if isinstance(argument, Access) and argument.tensor == name else None for argument in operation.arguments
    ]
    known = fold_to_value(OPERATORS[operation.operator], arguments, (element, element))
    if known is None:
        return True
    if isinstance(expression, Reduce):
        return known != OPERATORS[expression.operator].identity(element)
    # A table's fill value is inferred: it is what there is in the gaps.
    return known != 0 and (case.result is None or case.result.is_dense)


@pytest.mark.parametrize("loops", OPERANDS)
def test_sample_is_complete(loops):
    """Every list of level formats occurs, and many as the result's with each operator: almost all with --thorough."""
    cases = [case for cases in sample(loops).values() for case in cases]
    lists = {tuple(l.format for l in f.levels) for case in cases for f in case.formats.values() if f is not None}
    assert lists == {levels for rank in range(1, loops + 1) for levels in OPERANDS[rank]}
    results = {levels for rank in range(1, loops + 1) for levels in RESULTS[rank]}
    met = {
        (operator, () if case.result is None else tuple(level.format for level in case.result.levels))
        for operator, cases_of_operator in sample(loops).items()
        for case in cases_of_operator
    }
    assert {levels for _, levels in met} == results
    # With --thorough, the others are not among the candidates that the sample is taken from.
    assert len(met) > few_or_many(0.2, 0.8) * len(results) * len(BINARY)
    assert sum(not refusal(case.statement(), case.formats) for case in cases) > len(cases) / 2


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("loops", OPERANDS)
def test_sample(loops, name):
    check(sample(loops)[name], verified=16)


# Beside a fill value that annihilates, what is not a number counts as a missing entry: such pairs are left out.
SPECIAL_FILLS = ((NAN, NAN), (NAN, 1), (1, NAN), (-INF, 1), (1, -INF))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", [name for name in BINARY if name not in INTEGER])
def test_fill_values_beyond_numbers(name):
    draw = random.Random(name)
    cases = []
    every = pairs(1)
    for pair in draw.sample(every, few_or_many(len(every) // 16, len(every))):
        fills, target, result, reduction, swapped = map(draw.randrange, (5, 2, 4, 4, 2))
        turns = Turns(fills, target, result, reduction, swapped=swapped)
        cases.append(build(pair, name, turns, SPECIAL_FILLS))
    check(cases, verified=few_or_many(8, 1))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("loops", OPERANDS)
def test_every_case(loops, name):
    check(every_case(loops, name), verified=16)


# Of so many parts of the cases of an operator one is a piece of a soak.
PIECES = {1: 4, 2: 40, 3: 100}


@pytest.mark.soak
def test_random_pieces(soak_seeds):
    for seed in soak_seeds:
        draw = random.Random(seed)
        loops, name = draw.choice((1, 2, 2, 3, 3, 3, 3)), draw.choice(BINARY)
        check(islice(every_case(loops, name), draw.randrange(PIECES[loops]), None, PIECES[loops]))
