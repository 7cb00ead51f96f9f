"""The search for the programs of least asymptotic cost that compute a statement (Ahrens 2022, section 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from irtensor.dialects.operators import Scalar
from irtensor.passes.autoschedule.expression_trees import count_ordered, expression_trees
from irtensor.passes.autoschedule.groupings import groupings
from irtensor.passes.autoschedule.name_workspaces import index_workspaces, name_workspaces
from irtensor.passes.autoschedule.predicates import Predicates
from irtensor.passes.autoschedule.protocols import count_choices, protocol_choices
from irtensor.passes.autoschedule.published_modes import with_published_modes
from irtensor.passes.autoschedule.push_loops import count_by_depth, loop_orders, push_loops
from irtensor.passes.autoschedule.statements import Access, Expression, Statement, accessed, depth, reads
from irtensor.passes.autoschedule.task_interpreter import TaskInterpreter
from irtensor.passes.autoschedule.task_sets import Cost, Query, TaskSets, frontier


@dataclass(frozen=True)
class Kernel:
    """The statement `target op= value` in which every index variable has a loop.

    `dense` names the operands without a pattern; `fills` says what the others are where nothing is stored, 0 unless
    another value is given; `dimensions` which index variables run over the same coordinates.
    """

    target: Access
    operator: str | None
    value: Expression
    dense: frozenset[str] = frozenset()
    fills: Mapping[str, Scalar] = field(default_factory=dict[str, Scalar])
    dimensions: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def indices(self) -> frozenset[str]:
        return accessed(self.target) | accessed(self.value)

    def dimension(self, index: str) -> str:
        return self.dimensions.get(index, index)

    @property
    def sparse(self) -> dict[str, tuple[str, ...]]:
        """The operands that have a pattern, with the index variables of their modes."""
        return {str(read.tensor): read.indices for read in reads(self.value) if read.tensor not in self.dense}


@dataclass(frozen=True)
class SearchOptions:
    """`empty_push`: see `push_loops`; `scoped` and `propagate`: see `TaskInterpreter`; `published_modes`: see there.

    The published counts are those without `scoped` and `propagate` and with `published_modes`.
    """

    empty_push: bool = True
    scoped: bool = True
    propagate: bool = True
    published_modes: bool = False


@dataclass
class Search:
    """How many programs each stage of a search leaves, and the programs of least cost, which may be incomparable.

    `counts` has, in the order of the stages: trees whose arguments are in any order, and in one; groupings, and with
    duplicates; programs with loops pushed into them, with their loops in all orders, those of least depth, with all
    protocols; different costs, programs of least cost, and of how many costs these are.
    """

    counts: dict[str, int]
    depths: dict[int, int]
    least: dict[Cost, list[Statement]]


def search(kernel: Kernel, options: SearchOptions = SearchOptions()) -> Search:
    """All programs of least cost, with the number of programs after each stage."""
    nests, counts, depths = loop_nests(kernel, options)
    counts["universe"] = sum(count_choices(nest, kernel.dense) for nest in nests)
    task_sets = TaskSets(Predicates(), {index: kernel.dimension(index) for index in kernel.indices})
    classes: dict[Cost, list[Statement]] = {}
    for program, cost in costs(kernel, options, nests, task_sets):
        classes.setdefault(cost, []).append(program)
    least = {cost: classes[cost] for cost in frontier(task_sets, classes)}
    counts["distinct_costs"] = len(classes)
    counts["frontier"] = sum(map(len, least.values()))
    counts["classes"] = len(least)
    return Search(counts, depths, least)


def loop_nests(
    kernel: Kernel, options: SearchOptions = SearchOptions()
) -> tuple[list[Statement], dict[str, int], dict[int, int]]:
    """The programs of least depth, and how many there are after each stage before and at each depth."""
    trees = expression_trees(kernel.value)
    groups, raw = groupings(kernel.target, kernel.operator, trees)
    pushed = [
        program for group in groups for program in push_loops(group, kernel.indices, empty_push=options.empty_push)
    ]
    pushed = list(dict.fromkeys(pushed))
    # Depth does not depend on the order of loops, of which there may be very many.
    depths = [depth(program) for program in pushed]
    by_depth = count_by_depth(pushed, depths)
    shallow = [program for program, found in zip(pushed, depths, strict=True) if found == min(depths)]
    ordered = dict.fromkeys(index_workspaces(nest) for program in shallow for nest in loop_orders(program))
    names = {str(read.tensor) for read in reads(kernel.value)} | {str(kernel.target.tensor)}
    counts = {
        "ordered_trees": sum(map(count_ordered, trees)),
        "trees": len(trees),
        "groupings": len(groups),
        "groupings_raw": raw,
        "pushed": len(pushed),
        "permuted": sum(by_depth.values()),
        "min_depth": len(ordered),
    }
    return [name_workspaces(nest, names) for nest in ordered], counts, dict(by_depth)


def costs(
    kernel: Kernel, options: SearchOptions, nests: list[Statement], task_sets: TaskSets
) -> Iterator[tuple[Statement, Cost]]:
    """Every way to read the operands in some loop nests, with its cost.

    To read the inputs once and to go through the dimensions once costs nothing, and no input is empty (section 6.2).
    """
    fills = {name: kernel.fills.get(name, 0) for name in kernel.sparse}
    interpreter = TaskInterpreter(task_sets, fills, scoped=options.scoped, propagate=options.propagate)
    dimensions = sorted({kernel.dimension(index) for index in kernel.indices})
    known: dict[frozenset[Query], Cost] = {}
    for nest in map(with_published_modes, nests) if options.published_modes else nests:
        for program in protocol_choices(nest, kernel.dense):
            tasks = interpreter.tasks(program)
            cost = known.get(tasks)
            if cost is None:
                simplified = task_sets.union(tasks)
                cost = known[tasks] = task_sets.with_assumptions(simplified, kernel.sparse, dimensions)
            yield program, cost
