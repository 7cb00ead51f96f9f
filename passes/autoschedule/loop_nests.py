"""The loop nests of least depth that compute a statement (Ahrens 2022, sections 7.1 to 7.5)."""

from __future__ import annotations

from irtensor.passes.autoschedule.expression_trees import count_ordered, expression_trees
from irtensor.passes.autoschedule.groupings import groupings
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.name_workspaces import index_workspaces, name_workspaces
from irtensor.passes.autoschedule.push_loops import count_by_depth, loop_orders, push_loops
from irtensor.passes.autoschedule.statements import Statement, depth


def loop_nests(kernel: Kernel, *, empty_push: bool = True) -> tuple[list[Statement], dict[str, int], dict[int, int]]:
    """The programs of least depth, and how many there are after each stage before and at each depth."""
    trees = expression_trees(kernel.value)
    groups, raw = groupings(kernel.target, kernel.operator, trees)
    pushed = [program for group in groups for program in push_loops(group, kernel.indices, empty_push=empty_push)]
    pushed = list(dict.fromkeys(pushed))
    # Depth does not depend on the order of loops, of which there may be very many.
    depths = [depth(program) for program in pushed]
    by_depth = count_by_depth(pushed, depths)
    shallow = [program for program, found in zip(pushed, depths, strict=True) if found == min(depths)]
    ordered = dict.fromkeys(index_workspaces(nest) for program in shallow for nest in loop_orders(program))
    counts = {
        "ordered_trees": sum(map(count_ordered, trees)),
        "trees": len(trees),
        "groupings": len(groups),
        "groupings_raw": raw,
        "pushed": len(pushed),
        "permuted": sum(by_depth.values()),
        "min_depth": len(ordered),
    }
    return [name_workspaces(nest, kernel.operands) for nest in ordered], counts, dict(by_depth)
