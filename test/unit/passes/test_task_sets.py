"""Sets of tasks, against formulas whose containment is known and against what they are on drawn tensors."""

import random
import re
from itertools import combinations, permutations, product

import pytest

from irtensor.passes.autoschedule.predicates import FALSE, TRUE, Atom, Predicates
from irtensor.passes.autoschedule.task_sets import Query, TaskSets, example_of, frontier, text_of

# Every variable is in the same dimension, as in square kernels.
SQUARE = dict.fromkeys("ijklmn", "n")
OWN = {}


def predicate_of(text, predicates):
    """Reads a formula such as `exists kl (A_ik and B_l) or true`."""
    tokens = re.findall(r"[A-Z]\w*|\w+|[()]", text)

    def alternatives():
        found = conjunction()
        while tokens[:1] == ["or"]:
            tokens.pop(0)
            found = predicates.disjoin(found, conjunction())
        return found

    def conjunction():
        found = part()
        while tokens[:1] == ["and"]:
            tokens.pop(0)
            found = predicates.conjoin(found, part())
        return found

    def part():
        token = tokens.pop(0)
        if token == "exists":
            variables = tokens.pop(0)
            return predicates.exists(part(), variables)
        if token == "(":
            found = alternatives()
            assert tokens.pop(0) == ")"
            return found
        if token in ("true", "false"):
            return TRUE if token == "true" else FALSE
        tensor, _, arguments = token.partition("_")
        return predicates.atom(tensor, arguments)

    found = alternatives()
    assert not tokens
    return found


def cost_of(text, sets):
    """Reads a cost such as `{ij | A_ij} U {()}`; `nothing` has no tasks."""
    queries = re.findall(r"\{([^|}]*)(?:\|([^}]*))?\}", text)
    costs = [
        sets.tasks(heads.strip().strip("()"), predicate_of(condition or "true", sets.predicates))
        for heads, condition in queries
    ]
    return sets.union(*costs)


def sets_with(dimensions):
    return TaskSets(Predicates(), dimensions)


@pytest.mark.parametrize(
    "smaller, sign, larger, dimensions",
    [
        ("nothing", "<=", "nothing", SQUARE),
        ("nothing", "<=", "{()}", SQUARE),
        ("{()}", "!<=", "nothing", SQUARE),
        ("{i | false}", "==", "nothing", SQUARE),
        ("{i | false}", "<", "{i | true}", SQUARE),
        ("{() | exists i (A_i and B_i)}", "<", "{() | exists i A_i}", SQUARE),
        ("{i | A_i}", "==", "{j | A_j}", SQUARE),
        ("{i | A_i}", "!<=", "{j | A_j}", OWN),
        ("{i | A_i and B_i}", "<", "{i | B_i}", SQUARE),
        ("{i | A_i}", "!<=", "{i | B_i}", SQUARE),
        ("{ij | A_ij}", "<", "{ij | exists k A_ik}", SQUARE),
        ("{ij | A_ij}", "!<=", "{i | A_ij}", SQUARE),
        ("{i | A_ij}", "<=", "{ij | A_ij}", SQUARE),
        ("{i | exists j A_ij}", "<", "{ij | A_ij}", SQUARE),
        ("{ij | A_ij}", "==", "{ji | A_ij}", OWN),
        ("{kl | A_kk}", "!<=", "{ji | A_ij}", OWN),
        ("{kl | A_kk}", "!<=", "{ji | A_ij}", SQUARE),
        ("{() | exists i (A_i and B_i)}", "<", "{() | exists ij (A_i and B_j)}", SQUARE),
        ("{i | A_i and B_i}", "<", "{i | exists j (A_i and B_j)}", SQUARE),
        ("{ijkl | A_ijkl and B_ijkl}", "!<=", "{ijkl | A_iiii and B_iiii}", SQUARE),
        ("{ijk | A_ij}", "==", "{ijk | (A_ij and true) or false} U nothing", SQUARE),
        # The running example of section 6.1: the two entries are found through different variables.
        ("{ij | exists kl (B_ik and C_lj)}", "<", "{ijk | B_ik or C_kj}", OWN),
        # Heads of one dimension stand for each other: only one of the two ways fits.
        ("{ij | A_ij}", "==", "{ij | A_ji}", SQUARE),
        ("{ij | A_ij}", "!<=", "{ij | A_ji}", OWN),
        ("{kl | A_kl and B_l}", "<", "{ij | A_ji}", {**SQUARE, "m": "m"}),
        # Both heads are at all places, but only the second way of choosing fits.
        ("{ij | A_ik and B_kj and A_jl and B_mi}", "<", "{ij | A_jk and B_ki}", SQUARE),
        ("{ij | A_ik and B_kj and A_jl and B_mi}", "!<=", "{ij | A_jk and B_ki}", OWN),
        # As many heads, of other dimensions.
        ("{ij}", "!<=", "{ik}", OWN),
        ("{ij}", "==", "{ik}", SQUARE),
        ("{ij}", "!<=", "{i} U {j}", SQUARE),
        ("{i} U {j}", "<=", "{ij}", OWN),
    ],
)
def test_containment(smaller, sign, larger, dimensions):
    """`<=` is containment, `!<=` none; `<` and `==` say whether it holds conversely as well."""
    sets = sets_with(dimensions)
    one, other = cost_of(smaller, sets), cost_of(larger, sets)
    assert sets.contains(other, one) == (sign != "!<=")
    assert (sets.missing(other, one) is None) == (sign != "!<=")
    if sign in ("==", "<"):
        assert sets.contains(one, other) == (sign == "==")


INNER = "{i | exists k B_ik} U {ijk | exists l (B_il and C_kj)} U {ijk | exists l (B_ik and C_lj)}"
ROWS_STEP = "{ijk | B_ik and C_kj} U {ik | B_ik} U {ik | exists lj (B_il and C_kj)}"
ROWS_LOCATE = "{ijk | B_ik and C_kj} U {ik | B_ik}"
OUTER = "{ijk | B_ik and C_kj} U {k | exists i B_ik} U {k | exists j C_kj}"


@pytest.mark.parametrize(
    "one, other, alone, assuming",
    [
        (INNER, ROWS_STEP, (False, False), (False, True)),
        (INNER, ROWS_LOCATE, (False, False), (False, True)),
        (INNER, OUTER, (False, False), (False, True)),
        (ROWS_STEP, ROWS_LOCATE, (False, True), (False, True)),
        (ROWS_STEP, OUTER, (False, False), (False, True)),
        (ROWS_LOCATE, OUTER, (False, False), (True, True)),
    ],
)
def test_matrix_products(one, other, alone, assuming):
    """Ways to multiply two sparse matrices: what all of them spend decides which are as good as another."""
    sets = sets_with(OWN)
    costs = [cost_of(text, sets) for text in (one, other)]
    assert (sets.contains(costs[1], costs[0]), sets.contains(costs[0], costs[1])) == alone
    inputs = {"B": "ik", "C": "kj"}
    costs = [sets.with_assumptions(cost, sets.assumptions(inputs, "ijk")) for cost in costs]
    assert (sets.contains(costs[1], costs[0]), sets.contains(costs[0], costs[1])) == assuming


def test_assumptions():
    sets = sets_with({"i0": "rows", "i": "rows", "j": "columns"})
    cost = sets.tasks(["i0"], sets.predicates.atom("B", ["i0"]))
    assumptions = sets.assumptions({"A": ["i", "j"], "B": ["i"]}, ["rows", "columns", "other"])
    assumed = sets.with_assumptions(cost, assumptions)
    # A pass over the rows holds the entries of B; it has the first variable of the dimension.
    assert text_of(assumed) == (
        "{i,j | exists k A_i,j, B_k} U {i | exists k,l,m A_k,l, B_m} U "
        "{j | exists k,l,m A_k,l, B_m} U {other | exists k,l,m A_k,l, B_m}"
    )
    assert sets.with_assumptions(assumed, assumptions) == assumed
    # Without them, what is asked for the entries of B stays.
    assert text_of(sets.with_assumptions(cost, sets.assumptions({}, []))) == "{i0 | B_i0}"


@pytest.mark.parametrize(
    "given, text",
    [
        (
            "{i | B_ik} U {ijk | A_k} U {ij | B_il and C_lj}",
            "{ijk | A_k} U {ij | exists k B_ik, C_kj} U {i | exists k B_ik}",
        ),
        ("{i | A_ij and B_m}", "{i | exists kl A_ik, B_l}"),
        ("{k | A_ij and B_k}", "{k | exists lm A_lm, B_k}"),
        ("{jk | A_jk} U {ij | B_ij}", "{ij | B_ij} U {jk | A_jk}"),
        ("{() | B_i}", "{() | exists k B_k}"),
        ("{()}", "{()}"),
        ("nothing", "{}"),
    ],
)
def test_text(given, text):
    assert text_of(cost_of(given, sets_with(OWN))) == text


def test_text_of_long_names():
    sets = sets_with(OWN)
    condition = sets.predicates.conjoin(sets.predicates.atom("B", ["i0", "j"]), sets.predicates.atom("w", []))
    assert text_of(sets.tasks(["j", "i0"], condition)) == "{i0,j | B_i0,j, w}"
    assert text_of(sets.tasks(["j"], condition)) == "{j | exists k B_kj, w}"


def test_example():
    query = Query(("i", "j"), (Atom("A", ("i", 0)), Atom("A", ("j", 0)), Atom("B", (0, 1)), Atom("w", ())))
    assert example_of(query) == {"A": [(0, 2), (1, 2)], "B": [(2, 3)], "w": [()]}


# Tensors with the dimension of each mode, and variables with theirs.
MODES = {"A": "IJ", "B": "JI", "C": "II", "D": "J"}
TYPED = {"g": "I", "h": "I", "i": "I", "j": "J", "k": "J"}


def draw_atoms(draw, most):
    drawn = []
    for _ in range(draw.randrange(most + 1)):
        tensor = draw.choice(list(MODES))
        drawn.append((tensor, [draw.choice([v for v, its in TYPED.items() if its == mode]) for mode in MODES[tensor]]))
    return drawn


def draw_queries(draw, most_atoms=3):
    """Queries as they are before anything is simplified: heads, and atoms whose other variables are existential."""
    return [
        (sorted(draw.sample(list(TYPED), draw.randrange(4))), draw_atoms(draw, most_atoms))
        for _ in range(draw.randrange(1, 4))
    ]


def weakened(queries, draw):
    """Queries of which most are contained in each of these."""
    return [(heads, draw.sample(atoms, max(0, len(atoms) - draw.randrange(2)))) for heads, atoms in queries]


def conjunction(predicates, atoms):
    found = TRUE
    for tensor, arguments in atoms:
        found = predicates.conjoin(found, predicates.atom(tensor, arguments))
    return found


def cost_of_queries(queries, sets):
    return sets.union(*[sets.tasks(heads, conjunction(sets.predicates, atoms)) for heads, atoms in queries])


def draw_pattern(draw, sizes):
    density = draw.choice([0.2, 0.5, 0.8])
    return {
        tensor: {at for at in product(*[range(sizes[mode]) for mode in modes]) if draw.random() < density}
        for tensor, modes in MODES.items()
    }


def dimension_of(variable):
    """The dimension of a variable; the name of one that has no type begins with it."""
    return TYPED.get(variable, variable[0])


def tasks_of(queries, pattern, sizes):
    """The tasks, each as its coordinates with their dimensions in order, and the tasks of parts of the heads."""
    found = set()
    for heads, atoms in queries:
        names = sorted({*heads, *(v for _, arguments in atoms for v in arguments)})
        for values in product(*[range(sizes[dimension_of(name)]) for name in names]):
            at = dict(zip(names, values, strict=True))
            if all(tuple(at[v] for v in arguments) in pattern.get(tensor, ()) for tensor, arguments in atoms):
                found.add(tuple(sorted((TYPED[head], at[head]) for head in heads)))
    return {part for task in found for count in range(len(task) + 1) for part in combinations(task, count)}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(6))
def test_containment_is_that_of_tasks(seed):
    """What is contained is so on every drawn pattern; what is not is shown by its example."""
    draw = random.Random(seed)
    sets = sets_with(TYPED)
    answers = {True: 0, False: 0}
    for _ in range(60):
        smaller = draw_queries(draw)
        larger = draw.choice([draw_queries(draw, 2), weakened(smaller, draw)])
        one, other = cost_of_queries(smaller, sets), cost_of_queries(larger, sets)
        contained = sets.contains(other, one)
        answers[contained] += 1
        missing = sets.missing(other, one)
        assert contained == (missing is None)
        assert contained == all(any(sets.contains_query(b, a) for b in other) for a in one)
        if missing is None:
            for _ in range(4):
                sizes = {"I": draw.randrange(2, 4), "J": draw.randrange(2, 4)}
                pattern = draw_pattern(draw, sizes)
                assert tasks_of(smaller, pattern, sizes) <= tasks_of(larger, pattern, sizes)
            continue
        pattern = {tensor: set(entries) for tensor, entries in example_of(missing).items()}
        variables = {*missing.heads, *(v for atom in missing.condition for v in atom.arguments)}
        sizes = dict.fromkeys("IJ", max(1, len(variables)))
        task = tuple(sorted((TYPED[head], number) for number, head in enumerate(missing.heads)))
        assert task in tasks_of(smaller, pattern, sizes)
        assert task not in tasks_of(larger, pattern, sizes)
    assert min(answers.values()) >= 10


@pytest.mark.parametrize("seed", range(4))
def test_simplifying_keeps_the_tasks(seed):
    draw = random.Random(seed)
    sets = sets_with(TYPED)
    for _ in range(40):
        first, second = draw_queries(draw), draw_queries(draw)
        one, other = cost_of_queries(first, sets), cost_of_queries(second, sets)
        both = sets.union(one, other)
        assert both == sets.union(other, one) == sets.union(both) == sets.union(both, one) == sets.union(both, both)
        assert both <= one | other
        assert not any(sets.contains_query(a, b) for a, b in permutations(both, 2))
        sizes = {"I": 2, "J": 3}
        pattern = draw_pattern(draw, sizes)
        left = [(query.heads, readable(query.condition)) for query in both]
        assert tasks_of(left, pattern, sizes) == tasks_of(first + second, pattern, sizes)


def readable(condition):
    """The atoms with existential variables that have names and dimensions, which follow from where they are."""
    names = {}
    for tensor, arguments in condition:
        for mode, variable in zip(MODES[tensor], arguments, strict=True):
            if isinstance(variable, int):
                names[variable] = f"{mode}{variable}"
    return [(tensor, [names.get(v, v) for v in arguments]) for tensor, arguments in condition]


@pytest.mark.parametrize("seed", range(4))
def test_frontier(seed):
    """The costs that no other strictly beats, in the order given, each once."""
    draw = random.Random(seed)
    sets = sets_with(TYPED)
    costs = [cost_of_queries(draw_queries(draw, 2), sets) for _ in range(25)]
    costs += draw.sample(costs, 5)

    def beats(one, other):
        return sets.contains(other, one) and not sets.contains(one, other)

    least = [cost for cost in dict.fromkeys(costs) if not any(beats(other, cost) for other in costs)]
    assert frontier(sets, costs) == least
    for _ in range(10):
        draw.shuffle(costs)
        found = frontier(sets, iter(costs))
        assert set(found) == set(least)
        assert found == [cost for cost in dict.fromkeys(costs) if cost in found]


def test_equal_costs_stay():
    sets = sets_with(SQUARE)
    one, other, worse = (cost_of(text, sets) for text in ("{i | A_i}", "{j | A_j}", "{k}"))
    assert frontier(sets, [one, worse, other, one]) == [one, other]
    assert frontier(sets, [worse]) == [worse] and frontier(sets, []) == []


def substituted(atoms, names):
    return {Atom(tensor, tuple(names.get(v, v) for v in arguments)) for tensor, arguments in atoms}


def becomes(source, target):
    """Whether the atoms of `source` are atoms of `target` with other existential variables, by trying all."""
    numbers = sorted({v for atom in source for v in atom.arguments if isinstance(v, int)})
    images = sorted({v for atom in target for v in atom.arguments}, key=str)
    choices = product(images, repeat=len(numbers))
    return any(substituted(source, dict(zip(numbers, choice, strict=True))) <= set(target) for choice in choices)


@pytest.mark.parametrize("seed", range(60))
def test_cores(seed):
    """The core is equivalent and least, and does not depend on names and order."""
    draw = random.Random(seed)
    variables = [*"ij"[: draw.randrange(3)], *range(draw.randrange(1, 5))]
    tensors = {"A": 2, "B": 2, "C": 1}
    drawn = [draw.choice(list(tensors)) for _ in range(draw.randrange(1, 8))]
    atoms = [Atom(tensor, tuple(draw.choices(variables, k=tensors[tensor]))) for tensor in drawn]
    core = Predicates().core(atoms)
    assert becomes(core, atoms) and becomes(atoms, core)
    assert not any(becomes(core, set(core) - {atom}) for atom in core)
    numbers = {v for atom in core for v in atom.arguments if isinstance(v, int)}
    assert numbers == set(range(len(numbers)))
    assert Predicates().core(core) == core
    check_names(atoms, core, draw)


def check_names(atoms, core, draw):
    numbers = sorted({v for atom in atoms for v in atom.arguments if isinstance(v, int)})
    for _ in range(20):
        names = dict(zip(numbers, draw.sample(range(20), len(numbers)), strict=True))
        others = list(substituted(atoms, names))
        draw.shuffle(others)
        assert Predicates().core(others) == core


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "pairs",
    [
        [(n, (n + 1) % 5) for n in range(5)],
        list(permutations(range(3), 2)),
        list(permutations(range(4), 2)),
        # Every variable has one atom before and one after it, but they are not alike.
        [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2)],
        # Two ways through the same tensor that only a look at the whole tells apart.
        [*[(n, (n + 1) % 7) for n in range(7)], (0, 2), (3, 5)],
        [("i", 0), (0, 1), (1, 2), (2, 0), (2, "i")],
    ],
)
def test_symmetric_cores(pairs):
    """Existential variables that occur alike get the same names in every order all the same."""
    atoms = [Atom("A", pair) for pair in pairs]
    predicates = Predicates()
    core = predicates.core(atoms)
    assert len(core) == len(atoms)
    check_names(atoms, core, random.Random(0))
    (bound,) = predicates.exists(frozenset({core}), "i")
    assert bound == predicates.core(Atom("A", tuple(9 if v == "i" else v for v in pair)) for pair in pairs)


def holds(predicate, pattern, at, sizes):
    """Whether a predicate holds at values of its free variables, by trying all values of the existential ones."""
    for atoms in predicate:
        atoms = readable(atoms)
        names = sorted({v for _, arguments in atoms for v in arguments} - set(at))
        for values in product(*[range(sizes[dimension_of(name)]) for name in names]):
            every = {**at, **dict(zip(names, values, strict=True))}
            if all(tuple(every[v] for v in arguments) in pattern[tensor] for tensor, arguments in atoms):
                return True
    return False


@pytest.mark.parametrize("seed", range(4))
def test_predicates_mean_what_they_say(seed):
    draw = random.Random(seed)
    predicates = Predicates()

    def drawn():
        found = FALSE
        for _ in range(draw.randrange(1, 4)):
            found = predicates.disjoin(found, conjunction(predicates, draw_atoms(draw, 3)))
        return predicates.exists(found, draw.sample(list(TYPED), 2))

    for _ in range(30):
        p, q, sizes = drawn(), drawn(), {"I": 2, "J": 3}
        pattern = draw_pattern(draw, sizes)
        both, either, hidden = predicates.conjoin(p, q), predicates.disjoin(p, q), predicates.exists(p, "hj")
        names = {"g": "h", "h": "g", "i": "g", "j": "k"}
        renamed = predicates.rename(p, names)
        assert both == predicates.conjoin(q, p) and either == predicates.disjoin(q, p)
        assert predicates.conjoin(p, either) == p == predicates.disjoin(p, both)
        assert predicates.exists(hidden, "hj") == hidden
        for values in product(*[range(sizes[its]) for its in TYPED.values()]):
            at = dict(zip(TYPED, values, strict=True))
            one, other = holds(p, pattern, at, sizes), holds(q, pattern, at, sizes)
            assert holds(both, pattern, at, sizes) == (one and other)
            assert holds(either, pattern, at, sizes) == (one or other)
            somewhere = product(range(sizes["I"]), range(sizes["J"]))
            assert holds(hidden, pattern, at, sizes) == any(
                holds(p, pattern, {**at, "h": h, "j": j}, sizes) for h, j in somewhere
            )
            moved = {name: at[names.get(name, name)] for name in TYPED}
            assert holds(renamed, pattern, at, sizes) == holds(p, pattern, moved, sizes)


def test_renaming_may_make_one_of_two():
    predicates = Predicates()
    both = predicates.conjoin(predicates.atom("A", "ij"), predicates.atom("A", "kj"))
    assert predicates.rename(both, {"k": "i"}) == predicates.atom("A", "ij")
    assert predicates.rename(predicates.atom("A", "ij"), {"i": "j", "j": "i"}) == predicates.atom("A", "ji")
