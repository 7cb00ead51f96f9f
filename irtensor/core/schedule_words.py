"""What schedule steps take: those who write schedules and the passes that read them share this list."""

import re

# What `bound` may say of an extent.
BOUND_KINDS = ("exact", "multiple")
# How a loop merges several lists: entry after entry, or each list searches for the coordinate of the one ahead.
LINEAR, GALLOP = "linear", "gallop"
MERGE_STRATEGIES = (GALLOP, LINEAR)
# How stores are combined that several iterations of a parallel loop make to the same element.
RACE_STRATEGIES = ("none", "atomics", "temporary", "ignore")
# How many threads of a GPU a warp and a block have, and how many share an iteration of a parallel loop: lanes of a
# warp, or all of the block; 0 where that is not said.
WARP = 32
BLOCK = 128
TEAMS = (0, 1, 2, 4, 8, 16, 32, BLOCK)
# Words for some of these numbers: an iteration is for a thread, a warp or a block.
TEAM_WORDS = {"thread": 1, "warp": WARP, "block": BLOCK}
# What other languages write where races= and team= stand here, without capitals and signs, with what to write instead.
_INSTEAD = {
    "cputhread": "omit it: threads are those of the target",
    "cpuvector": "write vectorize(i, 8)",
    **{
        f"{where}{word}": f"write team={word}: an iteration is for a {word} of the GPU"
        for where in ("gpu", "")
        for word in TEAM_WORDS
    },
    "noraces": "write races=none",
    "ignoreraces": "write races=ignore",
    "parallelreduction": "omit it: exchanges between lanes combine their sums",
    **{word: f"write races={word}" for word in RACE_STRATEGIES},
}
# By what iterations of a parallel loop are shared out, and what there is for rows of very different lengths.
SHARED_BY = ("rows",)
NOT_SHARED_BY = (
    "team= lets several threads share a row; fuse(i, j, f); split(f, block, entry, 1000, tensor=A); "
    "parallelize(block, temporary) makes iterations of equally many entries"
)
# How positions of a result's entries are determined: in lists that grow, or counted before.
ASSEMBLY_STRATEGIES = ("append", "insert")
# The most costs that `autoschedule` computes where nobody says how many. Twice as many take twice as long, and of 21
# statements with up to five operands they found for three a program that is expected to be a tenth less work or more.
SEARCH_BUDGET = 1000


def team_for(iterations: float) -> int:
    """The size of a team that shares so many iterations of a loop: the power of 2 that has them all, at most a warp."""
    return next((team for team in (1, 2, 4, 8, 16) if team >= iterations), WARP)


def instead_of(word: str) -> str:
    """The help for a word of another scheduling language: `GPUBlock`, `gpu.block`, `gpu_block`, `IgnoreRaces`."""
    return _INSTEAD.get(re.sub(r"[^a-z]", "", word.lower()), "")
