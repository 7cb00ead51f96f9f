"""The ratios as a picture: a bar per kernel, a mark per peer, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.report import REFERENCES, Row, other_peers

FASTER, SLOWER, INK, PALE = "#2a9d6f", "#d1603d", "#22272e", "#d8dee4"
TITLE = "How many times faster irtensor is, one thread unless said"
# Color and shape, so that the marks can be told apart in print as well.
MARKS = (("#1f5fbf", "D"), ("#8a4fbf", "s"), ("#d99a00", "^"), ("#0b8a9e", "v"), ("#b03a73", "o"))


def plot(rows: Sequence[Row], note: str, target: Path, title: str = TITLE) -> bool:
    """Draw the rows; False where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(10.5, 2.0 + 0.34 * len(rows)), layout="constrained")
    axes: Any = figure.add_subplot()
    for position, row in enumerate(rows):
        _draw(axes, position, row)
    for position in (position for position in range(1, len(rows)) if rows[position].group != rows[position - 1].group):
        axes.axhline(position - 0.5, color=PALE, linewidth=1.2, zorder=1)
    axes.axvline(1.0, color=INK, linewidth=1.2, zorder=3)
    _draw_marks(axes, rows)
    _dress(axes, rows)
    figure.suptitle(f"{title}\n{note}", color=INK, fontsize=11)
    figure.legend(loc="outside lower center", ncols=8, frameon=False, handletextpad=0.3, columnspacing=1.1, fontsize=9)
    figure.savefig(target, dpi=110)
    return True


def _draw(axes: Any, position: int, row: Row) -> None:
    """The bar from 1 to the ratio over the fastest peer, its number in the right margin, and the goal."""
    ratio = row.ratios[row.best]
    color = FASTER if ratio >= 1.0 else SLOWER
    axes.barh(position, ratio - 1.0, left=1.0, height=0.62, color=color, alpha=0.8, zorder=2)
    axes.annotate(
        f"{ratio:.2f}×", (1.075, position), xycoords=("axes fraction", "data"),
        ha="right", va="center", fontsize=9, color=color, fontweight="bold",
    )  # fmt: skip
    if row.goal is not None and row.goal != 1.0:
        axes.plot([row.goal, row.goal], [position - 0.4, position + 0.4], color=INK, linewidth=2.2, zorder=4)


def _draw_marks(axes: Any, rows: Sequence[Row]) -> None:
    """A mark per row and peer, and the legend's entries."""
    axes.barh([0], [0], color=FASTER, alpha=0.8, label="bar: the fastest")
    peers = [REFERENCES, *((peer,) for peer in other_peers(rows))]
    for (color, shape), names in zip(MARKS, peers, strict=False):
        found = [
            (position, min(row.ratios[name] for name in names if name in row.ratios))
            for position, row in enumerate(rows)
            if any(name in row.ratios for name in names)
        ]
        if found:
            positions, ratios = zip(*found, strict=True)
            label = "SciPy or NumPy" if names is REFERENCES else names[0]
            axes.scatter(ratios, positions, color=color, marker=shape, s=40, zorder=5, label=label, edgecolor="white")
    if any(row.goal is not None for row in rows):
        axes.plot([], [], color=INK, linewidth=2.2, label="goal over SciPy, NumPy")


def _dress(axes: Any, rows: Sequence[Row]) -> None:
    """Axes, labels and grid."""
    ratios = [ratio for row in rows for ratio in (*row.ratios.values(), row.goal or 1.0)]
    low, high = min([0.5, *ratios]) / 1.2, max([2.0, *ratios]) * 1.2
    axes.set_xscale("log", base=2)
    axes.set_xlim(low, high)
    ticks = [Fraction(2) ** power for power in range(-8, 12) if low < 2.0**power < high]
    axes.set_xticks([float(tick) for tick in ticks], [f"{tick}×" for tick in ticks])
    axes.set_yticks(range(len(rows)), [row.title for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(axis="both", which="both", length=0, colors=INK)
    axes.grid(axis="x", color=PALE, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)
