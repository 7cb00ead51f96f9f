"""What a search for schedules may be asked for, and the settings of the published searches."""

from __future__ import annotations

from dataclasses import dataclass

# A product of four operands has 129 groupings into workspaces, one of five 4,201.
MOST_OPERANDS = 5
# Six loops have 720 orders.
MOST_INDICES = 6
# A product of five operands has 105 trees, with up to 67 groupings each. Sums of products, which distribute, have
# thousands of both, and a search by branch and bound looks at these many.
MOST_TREES = 120
MOST_GROUPINGS = 70
# Assignments of a program with a few workspaces. Of programs with more, a search looks at fewer in proportion.
USUAL_ASSIGNS = 4


@dataclass(frozen=True)
class SearchOptions:
    """`empty_push`: see `push_loops`; `scoped` and `propagate`: see `TaskInterpreter`; `published_modes`: see there.

    `filled`: costs are compared for inputs that have an entry in every slice, whatever its indices are.

    `exhaustive`: the costs of all programs are compared, if they are not more than the `budget`; else the programs of
    least cost are found by `BranchAndBound`, which computes no more costs than that.

    `taco`: only programs of the `TacoSubset`, in which workspaces are `stepped`; with `repeated` they count as often as
    they were found.
    """

    empty_push: bool = True
    scoped: bool = True
    propagate: bool = True
    published_modes: bool = False
    filled: bool = False
    exhaustive: bool = True
    budget: int = 200_000
    taco: bool = False
    stepped: bool = False
    repeated: bool = False


# The searches of which counts are published: of the paper (PLDI 2022) and of the preprint before it.
PUBLISHED_SEARCHES = ("pldi2022", "preprint")


def published_search(name: str, *, taco: bool = False) -> SearchOptions:
    """The settings with which a published search is counted, over all programs or those that `taco` can run.

    The paper's counts are of two enumerators: the one for taco left workspaces inside of all loops out.
    """
    preprint = name == "preprint"
    return SearchOptions(
        empty_push=preprint or not taco,
        scoped=False,
        propagate=False,
        published_modes=True,
        taco=taco,
        stepped=preprint,
        repeated=True,
    )
