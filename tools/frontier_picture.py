"""Draws the costs of a search in the order of containment: the least ones below, above them those that contain them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irtensor.core.diagnostics import UserError, refused_file
from irtensor.passes.autoschedule.papers.cost_diagram import CostDiagram, cost_diagram
from irtensor.passes.autoschedule.statements import text_of
from irtensor.passes.autoschedule.task_sets import text_of as cost_text

if TYPE_CHECKING:
    from irtensor.passes.autoschedule.papers.counted_search import CountedSearch
    from irtensor.passes.autoschedule.task_sets import Cost

ENDINGS = (".png", ".svg", ".pdf")
# How many costs are drawn, if no more than these are least.
MOST = 40

LEAST, INK, GREY, WHITE = "#2a9d6f", "#22272e", "#8a949e", "#ffffff"
# All lengths are in inches.
_WIDTH, _MARGIN, _ROW, _LINE = 10.5, 0.35, 1.0, 0.17
_BOX_WIDTH, _BOX_HEIGHT, _LABEL = 0.48, 0.36, 0.2
# As many boxes stand beside each other; where a row has more, they stand in several lines.
_ABREAST = 18
# Letters of the key in one line, beside its number.
_LETTERS = 128


class FrontierPicture:
    """A picture in a file, whose name says which kind it is.

    Raises UserError [unknown-file-format] if it does not, and [missing-library] without matplotlib: before a search.
    """

    def __init__(self, path: str) -> None:
        if Path(path).suffix.lower() not in ENDINGS:
            message = f"'{path}' is not the name of a known kind of picture"
            raise UserError("unknown-file-format", message, help=f"known are {', '.join(ENDINGS)}")
        try:
            import matplotlib.figure  # pyright: ignore
            import matplotlib.patches  # pyright: ignore
        except ImportError as error:
            message = "a picture is drawn with matplotlib, which is not installed"
            raise UserError("missing-library", message, help="install it: pip install matplotlib") from error
        self._path = path
        self._library: Any = matplotlib

    def draw(self, search: CountedSearch, statement: str) -> None:
        """Draw what a search has found. Raises UserError [cannot-write]."""
        diagram = cost_diagram(search.task_sets, search.costs, MOST)
        heading, key = list(caption(search, diagram)), list(key_lines(search, diagram))
        positions, tall = _positions(diagram)
        key_height = len(key) * _LINE + 2 * _MARGIN
        height = key_height + tall + (len(heading) + 2) * _LINE + _MARGIN
        figure = self._library.figure.Figure(figsize=(_WIDTH, height), facecolor=WHITE)
        axes: Any = figure.add_axes((0, 0, 1, 1), xlim=(0, _WIDTH), ylim=(0, height))
        axes.set_axis_off()
        top = height - _MARGIN
        _write(axes, top, statement, size=12, weight="bold")
        for number, line in enumerate(heading):
            _write(axes, top - 0.28 - number * _LINE, line, size=9)
        self._draw_costs(axes, diagram, {cost: (x, y + key_height) for cost, (x, y) in positions.items()})
        for number, (label, line, least) in enumerate(key):
            style: dict[str, Any] = {"size": 7.5, "color": LEAST if least else INK, "family": "monospace"}
            y = key_height - _MARGIN - number * _LINE
            _write(axes, y, label, x=_MARGIN + _LABEL, ha="right", **style)
            _write(axes, y, line, x=_MARGIN + 1.5 * _LABEL, **style)
        self._save(figure)

    def _draw_costs(self, axes: Any, diagram: CostDiagram, positions: Mapping[Cost, tuple[float, float]]) -> None:
        for low, high in diagram.lines:
            (x, y), (end_x, end_y) = positions[low], positions[high]
            ends = y + _BOX_HEIGHT / 2, end_y - _BOX_HEIGHT / 2
            axes.plot([x, end_x], ends, color=GREY, linewidth=0.9, zorder=1)
        for number, cost in enumerate(diagram.costs, 1):
            x, y = positions[cost]
            least = cost in diagram.rows[0]
            corner = x - _BOX_WIDTH / 2, y - _BOX_HEIGHT / 2
            box = self._library.patches.FancyBboxPatch(
                corner, _BOX_WIDTH, _BOX_HEIGHT, boxstyle="round,pad=0,rounding_size=0.08", zorder=2,
                facecolor=LEAST if least else WHITE, edgecolor=LEAST if least else INK, linewidth=1.0,
            )  # fmt: skip
            axes.add_patch(box)
            ink = {"color": WHITE if least else INK, "ha": "center", "va": "center", "zorder": 3}
            axes.text(x, y + 0.07, str(number), fontsize=9, fontweight="bold", **ink)
            axes.text(x, y - 0.09, f"×{diagram.programs[cost]:,}", fontsize=7, **ink)

    def _save(self, figure: Any) -> None:
        # Text stays text, and the same picture is the same file.
        settings = {"svg.fonttype": "none", "svg.hashsalt": "irtensor"}
        dates = {".svg": "Date", ".pdf": "CreationDate"}
        ending = Path(self._path).suffix.lower()
        try:
            with self._library.rc_context(settings):
                metadata = {dates[ending]: None} if ending in dates else None
                figure.savefig(self._path, dpi=110, metadata=metadata)
        # A path with a null character is a ValueError.
        except (OSError, ValueError) as error:
            raise refused_file("cannot-write", self._path, error) from error


def caption(search: CountedSearch, diagram: CostDiagram) -> Iterator[str]:
    """What the picture shows, and what it does not."""
    yield "A box is a cost and, after ×, how many programs have it; least costs are green."
    yield "A line leads up to a cost that contains the one below it: to programs that do more."
    if not search.exhaustive:
        yield "Found by branch and bound: only the least costs are known."
        if not search.complete:
            yield "The budget ended the search: others may cost less."
    if diagram.left_out:
        drawn = len(diagram.costs)
        yield f"The lowest {drawn} of {drawn + diagram.left_out:,} costs are drawn; {diagram.left_out:,} are omitted."


def key_lines(search: CountedSearch, diagram: CostDiagram) -> Iterator[tuple[str, str, bool]]:
    """The number and the tasks of each cost, and whether it is a least one; those of the others are cut to a line."""
    for number, cost in enumerate(diagram.costs, 1):
        program = search.program_of(cost)
        first, *more = _broken(cost_text(search.tasks(program)))
        if cost in diagram.rows[0]:
            yield str(number), first, True
            yield from (("", line, True) for line in more)
            yield from (("", line, False) for line in textwrap.wrap(text_of(program), _LETTERS))
        else:
            yield str(number), f"{first}{' ...' if more else ''}", False


def _broken(tasks: str) -> list[str]:
    """A cost in lines that end between its sets: each set is on one line."""
    lines = [""]
    for part in tasks.split(" U "):
        if lines[-1] and len(lines[-1]) + len(part) > _LETTERS:
            lines[-1] += "U"
            lines.append("")
        lines[-1] += f"U {part} " if lines[-1] else f"{part} "
    return [line.rstrip() for line in lines]


def _positions(diagram: CostDiagram) -> tuple[dict[Cost, tuple[float, float]], float]:
    """Where the boxes have their middles, and how high all of that is."""
    found: dict[Cost, tuple[float, float]] = {}
    bottom = _BOX_HEIGHT
    for row in diagram.rows:
        lines = -(-len(row) // _ABREAST)
        for position, cost in enumerate(row):
            x = _MARGIN + (_WIDTH - 2 * _MARGIN) * (position + 0.5) / len(row)
            found[cost] = (x, bottom + position % lines * 1.4 * _BOX_HEIGHT)
        bottom += _ROW + (lines - 1) * 1.4 * _BOX_HEIGHT
    return found, bottom - _ROW + _BOX_HEIGHT


def _write(axes: Any, y: float, text: str, *, x: float = _MARGIN, color: str = INK, **style: Any) -> None:
    axes.text(x, y, text, color=color, va="top", parse_math=False, **style)
