"""The order of the passes, in one place; each stage ends in the dialect it is named after."""

from __future__ import annotations

from collections.abc import Collection

# Stage, passes that lead to it from the stage before.
STAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("index_notation", ()),
    (
        "concrete_index",
        (
            "concretize",
            # Before splitting, while indices are those that were written.
            "warn-of-full-results",
            # Before splitting, which runs along diagonals of operands that agree.
            "match-diagonals",
            "split-diagonals",
            # Before splitting, which needs blocks of one size.
            "match-blocks",
            # Before ordering, which then treats blocks and places in them as loops like any other.
            "split-blocked-dimensions",
            # Before all that would take another order of loops than the one that protocols are said for.
            "support-protocols",
            # Before conversions, which it makes unnecessary.
            "expand-temporaries",
            # Before conversions, which keep the levels of what is converted here in an order.
            "order-tables",
            # Before ordering: contradictions that a conversion of an operand removes.
            "insert-conversions",
            # Before ordering: results that no order of the loops can append to.
            "insert-workspaces",
            # Storage orders decide before anything depends on which loop is inside which.
            "choose-loop-order",
            # After ordering: which loop runs along rows of the result.
            "accumulate-wide-unions",
            # After ordering: only now it is known which loops are innermost.
            "scalarize-reductions",
            # After it, so that what is summed over all loops stays in one variable.
            "look-up-repeated-fibers",
            # Last, because it fixes each access to the loop order.
            "concordize",
            # When all temporaries are there.
            "map-wide-workspaces",
            # When all hash tables are there.
            "leave-maps-unsorted",
            # After all that moves loops and accesses, which decide where order is needed.
            "sort-operands",
            # When all loops and temporaries are there.
            "parallelize-outermost",
        ),
    ),
    (
        "iteration_lattice",
        (
            # After all that rearranges and shows expressions.
            "annihilate-by-value",
            "lower-concrete-index-to-iteration-lattice",
        ),
    ),
    (
        "loop",
        (
            # Before what is merged is rewritten into loops, one after the other.
            "divide-merges",
            # All looplet rewrites by priority; formats enter here.
            "lower-looplets",
            "lower-iteration-lattice-to-loop",
            # Tensors become arrays first, so that equal extents and arrays are one value when code is cleaned up.
            "lower-storage",
            "simplify-loops",
            # After it, which finds what a body does not need the loop for.
            "fold-repetitions",
            # What is left of them: loops over elements.
            "note-repetitions",
            # What was read for values, in a kernel that assembles only an index.
            "remove-unread-memory",
        ),
    ),
    (
        "llvm",
        (
            # Plain loops only: before other passes change their form.
            "pack-strided-reads",
            # Before merges change their form.
            "skip-idle-loops",
            # Before anything copies the loops around a set.
            "drain-sets",
            # After it, whose copies serve all parts; sums are still in the operators that they are made of.
            "count-entries",
            "divide-appending-loops",
            "divide-parallel-loops",
            # After both, which decide whether there are threads.
            "divide-fills",
            # Parts are there; operators still are what they were.
            "lower-private",
            # After all that knows how sets are listed.
            "visit-drained-sets",
            "accumulate-unconditionally",
            # Before the passes for speed, which copy and widen scalar code: they need not know our operators.
            "lower-algebra-to-arith",
            "split-long-sums",
            # Rows of a matrix become an invariant start plus the loop's index.
            "hoist-invariants",
            "append-without-branch",
            "accumulate-in-registers",
            # After all that estimates the work of loops, or goes along their segments.
            "list-busy-turns",
            # After both, so that all lines of a strip are seen, and no turn that is passed over.
            "prefetch-gathers",
            # Only sums that are left to LLVM's own vectors.
            "mask-remainders",
            "hint-loops",
            # Last: every loop is there, and no pass has to know of it.
            "poll-interrupts",
            "lower-loop-to-llvm",
        ),
    ),
)

# They run only where they are asked for.
OPTIONAL_PASSES: tuple[str, ...] = (
    "map-wide-workspaces",
    "parallelize-outermost",
    "poll-interrupts",
    "remove-unread-memory",
)

STAGE_NAMES: tuple[str, ...] = tuple(name for name, _ in STAGES)


def passes_between(start: str, end: str, asked: Collection[str] = ()) -> tuple[str, ...]:
    """Names of the passes that lead from one stage to another, and of the optional ones only those asked for."""
    first, last = STAGE_NAMES.index(start), STAGE_NAMES.index(end)
    names = [name for _, passes in STAGES[first + 1 : last + 1] for name in passes]
    return tuple(name for name in names if name in asked or name not in OPTIONAL_PASSES)


def _text(start: str, end: str) -> str:
    return ",".join(passes_between(start, end))


NAMED_PIPELINES: dict[str, str] = {
    "index-notation-to-concrete-index": _text("index_notation", "concrete_index"),
    "index-notation-to-iteration-lattice": _text("index_notation", "iteration_lattice"),
    "index-notation-to-loop": _text("index_notation", "loop"),
    "index-notation-to-llvm": _text("index_notation", "llvm"),
    "concrete-index-to-loop": _text("concrete_index", "loop"),
    "iteration-lattice-to-loop": _text("iteration_lattice", "loop"),
    "loop-to-llvm": _text("loop", "llvm"),
}
