"""What a search that counts programs may be asked for, and the settings of the published searches."""

from __future__ import annotations

from dataclasses import dataclass

from irtensor.passes.autoschedule.search_options import SearchOptions


@dataclass(frozen=True)
class CountedOptions(SearchOptions):
    """`empty_push`: see `push_loops`; `scoped` and `propagate`: see `TaskInterpreter`; `published_modes`: see there.

    `exhaustive`: the costs of all programs are compared, if they are not more than the `budget`; else the programs of
    least cost are found by `BranchAndBound`, which computes no more costs than that.

    `taco`: only programs of the `TacoSubset`, in which workspaces are `stepped`; with `repeated` they count as often as
    they were found.
    """

    empty_push: bool = True
    scoped: bool = True
    propagate: bool = True
    published_modes: bool = False
    exhaustive: bool = True
    taco: bool = False
    stepped: bool = False
    repeated: bool = False


# The searches with published counts: of the paper (PLDI 2022) and of the preprint before it.
PUBLISHED_SEARCHES = ("pldi2022", "preprint")


def published_search(name: str, *, taco: bool = False) -> CountedOptions:
    """The settings with which a published search is counted, over all programs or those that `taco` can run.

    The paper's counts are of two enumerators: the one for taco omitted workspaces inside of all loops.
    """
    preprint = name == "preprint"
    return CountedOptions(
        empty_push=preprint or not taco,
        scoped=False,
        propagate=False,
        published_modes=True,
        taco=taco,
        stepped=preprint,
        repeated=True,
    )
