"""The order of all passes. Each says itself what it runs after and before, and why (`pass_base`)."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import NamedTuple


class Stage(NamedTuple):
    """A state of the IR: its name, what holds in it, and the passes that lead to it from the stage before.

    The stages up to `loop`, and the last, are named after the dialect that they end in.
    """

    name: str
    meaning: str
    passes: tuple[str, ...]
    before: str | None = None
    """The stage before, where it is not the one above."""


STAGES: tuple[Stage, ...] = (
    Stage("index_notation", "The computation, without loops.", ()),
    Stage(
        "concrete_index",
        "Loops over index variables, in an order in which every operand can be read and every result written.",
        (
            "expand-regions",
            "narrow-sums",
            "separate-terms",
            "share-equal-sums",
            "concretize",
            "scatter-reductions",
            "match-symmetric",
            "expand-symmetric",
            "warn-of-full-results",
            "match-diagonals",
            "split-diagonals",
            "match-blocks",
            "split-blocked-dimensions",
            "support-protocols",
            "expand-temporaries",
            "order-tables",
            "insert-conversions",
            "insert-workspaces",
            "choose-loop-order",
            "conditions-to-ranges",
            "hoist-coordinates",
            "shift-accesses",
            "hoist-producers",
            "accumulate-wide-unions",
            "scalarize-reductions",
            "accumulate-into-results",
            "look-up-repeated-fibers",
            "tighten-ranges",
            "concordize",
            "ask-workspaces",
            "map-wide-workspaces",
            "leave-maps-unsorted",
            "sort-operands",
            "parallelize-outermost",
        ),
    ),
    Stage(
        "iteration_lattice",
        "Loops over the levels of storage formats, whose form is still to be unfolded.",
        (
            "regroup-factors",
            "tabulate-sums",
            "tabulate-functions",
            "merge-dense-dimensions",
            "annihilate-by-value",
            "fuse-definitions",
            "lower-concrete-index-to-iteration-lattice",
        ),
    ),
    Stage(
        "loop",
        "Loops over arrays, cleaned up; those for threads are marked.",
        (
            "divide-merges",
            "lower-looplets",
            "walk-equal-lists",
            "lower-iteration-lattice-to-loop",
            "lower-storage",
            "simplify-loops",
            "remove-unread-memory",
            "join-gaps",
            "fold-repetitions",
            "note-repetitions",
        ),
    ),
    Stage(
        "optimized",
        "The same with less work and fewer cache lines, whatever the target.",
        (
            "count-by-positions",
            "fuse-equal-loops",
            "keep-functions",
            "split-off-functions",
            "pack-strided-reads",
            "skip-idle-loops",
            "skip-unread-sums",
            "skip-annihilated-loops",
            "drain-sets",
            "remove-overwritten-fills",
        ),
    ),
    Stage(
        "parallel",
        "Marked loops are divided into parts for the threads of a CPU.",
        (
            "count-entries",
            "divide-appending-loops",
            "divide-parallel-loops",
            "divide-fills",
            "lower-private",
        ),
    ),
    Stage(
        "arith",
        "Operators are upstream arithmetic, which is all that later passes know of scalar code.",
        (
            "exit-early",
            "join-alike-branches",
            "empty-sets-by-entries",
            "visit-drained-sets",
            "accumulate-unconditionally",
            "lower-prefix-sums",
            "lower-algebra-to-arith",
        ),
    ),
    Stage(
        "cpu",
        "Loops have the form in which a CPU runs them fast, and ask whether they are interrupted.",
        (
            "split-long-sums",
            "hoist-invariants",
            "batch-functions",
            "sum-each-iteration",
            "batch-sums",
            "append-without-branch",
            "lower-assembly",
            "unroll-and-jam",
            "separate-full-blocks",
            "sum-blocks-in-registers",
            "choose-sums",
            "separate-common-range",
            "tile-for-registers",
            "accumulate-in-registers",
            "keep-repeated-elements",
            "list-busy-iterations",
            "skip-empty-strips",
            "multiply-powers",
            "allow-vector-functions",
            "prefetch-gathers",
            "prefetch-rows",
            "sum-in-masked-lanes",
            "sum-pieces-in-lanes",
            "sum-in-lanes",
            "mask-remainders",
            "carry-elements",
            "load-invariants",
            "hint-loops",
            "poll-interrupts",
        ),
    ),
    Stage("llvm", "The llvm dialect.", ("lower-loop-to-llvm",)),
    Stage(
        "spread",
        "Marked loops are divided among the units of a GPU, or into parts for its threads.",
        (
            "skip-idle-loops",
            "skip-unread-sums",
            "drain-sets",
            "sink-sets",
            "count-all-entries",
            "count-entries",
            "append-at-once",
            "remove-overwritten-fills",
            "spread-loops",
            "spread-prefix-sums",
            "divide-parallel-loops",
            "lower-private",
        ),
        before="loop",
    ),
    Stage(
        "device",
        "What touches memory is kernels for a GPU, which code of the host launches.",
        (
            "visit-drained-sets",
            "accumulate-unconditionally",
            "lower-prefix-sums",
            "lower-algebra-to-arith",
            "lower-assembly",
            "bound-maps",
            "place-memory",
            "fold-fills",
            "outline-launches",
        ),
    ),
    Stage(
        "nvvm",
        "The llvm dialect for the host, and with nvvm for the kernels.",
        ("place-barriers", "lower-loop-to-nvvm", "lower-loop-to-llvm"),
    ),
)

# The pass after which a schedule's steps run: the loops are there, and nothing is decided about them.
SCHEDULED_AFTER = "scatter-reductions"

# The last stage of each target.
TARGETS: dict[str, str] = {"cpu": "llvm", "cuda": "nvvm", "cuda-emulated": "nvvm"}

# They run only where they are asked for: by a setting of a kernel, or by name in a named pipeline of irtensor-opt.
OPTIONAL_PASSES: tuple[str, ...] = (
    "map-wide-workspaces",
    "parallelize-outermost",
    "poll-interrupts",
)
# They run in all pipelines that lead to kernels for a GPU, which has no use for loops that are not parallel.
_ALWAYS_FOR_GPUS = ("parallelize-outermost",)

# The pipelines that have a name, as the stages that they lead from and to.
_NAMED: tuple[tuple[str, str], ...] = (
    ("index_notation", "concrete_index"),
    ("index_notation", "iteration_lattice"),
    ("index_notation", "loop"),
    ("index_notation", "llvm"),
    ("concrete_index", "loop"),
    ("iteration_lattice", "loop"),
    ("loop", "llvm"),
    ("loop", "optimized"),
    ("loop", "parallel"),
    ("loop", "arith"),
    ("loop", "cpu"),
    ("optimized", "parallel"),
    ("parallel", "arith"),
    ("arith", "cpu"),
    ("arith", "llvm"),
    ("cpu", "llvm"),
    ("index_notation", "spread"),
    ("index_notation", "device"),
    ("index_notation", "nvvm"),
    ("loop", "nvvm"),
    ("loop", "spread"),
    ("spread", "device"),
    ("spread", "nvvm"),
    ("device", "nvvm"),
)


def stages_to(end: str) -> tuple[str, ...]:
    """The names of the stages that lead to one, which is the last of them."""
    by_name = {stage.name: number for number, stage in enumerate(STAGES)}
    found = [end]
    while (number := by_name[found[-1]]) > 0:
        found.append(STAGES[number].before or STAGES[number - 1].name)
    return tuple(reversed(found))


def passes_between(start: str, end: str, asked: Collection[str] = ()) -> tuple[str, ...]:
    """Names of the passes that lead from one stage to another, and of the optional ones only those asked for."""
    return _passes_between(start, end, frozenset(asked))


# Each compilation asks for the same ones.
@cache
def _passes_between(start: str, end: str, asked: frozenset[str]) -> tuple[str, ...]:
    stages = stages_to(end)
    passes = {stage.name: stage.passes for stage in STAGES}
    names = [name for stage in stages[stages.index(start) + 1 :] for name in passes[stage]]
    optional = optional_among(names)
    return tuple(name for name in names if name in asked or name not in optional)


def stage_of(module: str) -> str | None:
    """The stage within which a pass runs that no pipeline runs, by the folder that it is in; None: in any."""
    folder, dot, _ = module.partition(".")
    # Steps of schedules rearrange loops over index variables.
    return None if not dot else "concrete_index" if folder == "schedule" else folder


def optional_among(names: Collection[str]) -> tuple[str, ...]:
    """The passes of a pipeline that run only where they are asked for."""
    always = _ALWAYS_FOR_GPUS if "spread-loops" in names else ()
    return tuple(name for name in names if name in OPTIONAL_PASSES and name not in always)


# What irtensor-opt prints at the end of pipelines that lead to a stage, by another name of the stage.
_PRINTED = {"nvvm": "ptx"}


def _named_pipelines() -> dict[str, str]:
    found: dict[str, str] = {}
    for start, end in _NAMED:
        for name in (end, *([_PRINTED[end]] if end in _PRINTED else [])):
            passes = passes_between(start, end, OPTIONAL_PASSES)
            found[f"{start}-to-{name}".replace("_", "-")] = ",".join(passes)
    return found


# All passes of each, the optional ones as well.
NAMED_PIPELINES: dict[str, str] = _named_pipelines()


def pipeline_from(dialects: Collection[str], end: str) -> str | None:
    """The named pipeline that leads from the earliest stage whose dialect is among these, or None."""
    for stage in STAGES:
        name = f"{stage.name}-to-{end}".replace("_", "-")
        if stage.name in dialects and name in NAMED_PIPELINES:
            return name
    return None


def printed_as(pipeline: str) -> str | None:
    """What irtensor-opt prints at the end of a named pipeline where nothing else is asked for, if that is not IR."""
    end = pipeline.rpartition("-to-")[2]
    return end if end in _PRINTED.values() and pipeline in NAMED_PIPELINES else None
