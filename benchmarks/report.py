"""Writes what was measured: a text table, and a bar chart where matplotlib is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Row:
    """One case: our seconds, how many times faster than each peer, and the goal against the first of them."""

    name: str
    title: str
    seconds: float
    ratios: dict[str, float]
    goal: float | None
    correct: bool

    def line(self) -> str:
        speed = "  ".join(f"{peer} {ratio:5.2f}x" for peer, ratio in self.ratios.items())
        first = next(iter(self.ratios.values()))
        goal = "" if self.goal is None else f"  goal {self.goal:.1f}x {'reached' if first >= self.goal else 'missed'}"
        wrong = "" if self.correct else "  WRONG RESULT"
        return f"{self.title:<62} {1e3 * self.seconds:9.3f} ms   {speed}{goal}{wrong}"


def latency_lines(table: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Compile latency in milliseconds, one line per statement."""
    stages = list(next(iter(table.values())))
    lines = ["Compile latency, warm, ms", f"{'':<14}" + "".join(f"{stage:>19}" for stage in stages)]
    for title, times in table.items():
        lines.append(f"{title:<14}" + "".join(f"{1e3 * times[stage]:>19.1f}" for stage in stages))
    return lines


def plot(rows: Sequence[Row], target: Path) -> bool:
    """A bar per case and peer, with the goals marked; False where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure  # pyright: ignore
    except ImportError:
        return False
    peers = list(dict.fromkeys(peer for row in rows for peer in row.ratios))
    figure = Figure(figsize=(9, 1 + 0.6 * len(rows)), layout="constrained")
    axes: Any = figure.add_subplot()
    height = 0.8 / len(peers)
    for number, peer in enumerate(peers):
        places = [place for place, row in enumerate(rows) if peer in row.ratios]
        axes.barh(
            [place + number * height for place in places], [rows[place].ratios[peer] for place in places], height,
            label=f"over {peer}",
        )  # fmt: skip
    for place, row in enumerate(rows):
        if row.goal is not None:
            axes.plot([row.goal, row.goal], [place - 0.1, place + 0.7], color="black", linewidth=2)
    axes.axvline(1.0, color="grey", linewidth=1)
    axes.set_yticks([place + 0.3 for place in range(len(rows))], [row.name for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("times faster than the peer, single thread (black: goal)")
    axes.legend()
    figure.savefig(target, dpi=120)
    return True
