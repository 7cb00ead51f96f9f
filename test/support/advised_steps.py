"""The steps that the help of a refused step says to take instead, as schedules that have them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import irtensor as it
from irtensor.api.schedule import Schedule, Step

_Advice = Callable[["re.Match[str]", Step, "dict[str, Any]"], Sequence[str]]


def _instead(name: str) -> _Advice:
    """The refused step with another value for an option, of which the others are for what is refused."""

    def advice(found: re.Match[str], step: Step, options: dict[str, Any]) -> Sequence[str]:
        changed = {**options, name: found[1]} | ({"races": "none"} if "races" in options and name != "races" else {})
        return [str(Step(step.name, tuple(changed.items())))]

    return advice


def _without(name: str) -> _Advice:
    def advice(found: re.Match[str], step: Step, options: dict[str, Any]) -> Sequence[str]:
        return [str(Step(step.name, tuple(item for item in step.options if item[0] != name)))]

    return advice


def _before(*steps: str) -> _Advice:
    """Other steps, in which `{0}` and so on are what was found and other words options, and then the refused one."""
    return lambda found, step, options: [one.format(*found.groups(), **options) for one in steps] + [str(step)]


def _replaced(*steps: str) -> _Advice:
    return lambda found, step, options: [one.format(*found.groups(), **options) for one in steps]


def _outside(found: re.Match[str], step: Step, options: dict[str, Any]) -> Sequence[str]:
    names = [*found[1].split(" and "), options["variable"]]
    return [f"reorder({', '.join(names)})", str(step)]


def _order(found: re.Match[str], step: Step, options: dict[str, Any]) -> Sequence[str]:
    first, second = found.groups()
    names = [name for name in options["order"] if name != first]
    place = names.index(second)
    return [f"reorder({', '.join([*names[:place], first, *names[place:]])})"]


# What takes the place of fused loops, and of all steps from them on.
BEFORE_FUSING = r"parallelize (\w+) before loops are fused"
# How help texts of steps begin or go on, and the steps that they mean.
ADVICE: list[tuple[str, _Advice]] = [
    (r"omit the step", lambda found, step, options: []),
    (r"omit tensor=", _without("tensor")),
    (r"omit reuse=", _without("reuse")),
    (r"name (\w+)(?: or \w+)?$", _instead("tensor")),
    (r"name (\w+), the loop over coordinates within", _instead("variable")),
    (r"name (\w+) before (\w+):", _order),
    (r"reorder the loops so that ([\w ]+) (?:is|are) outside", _outside),
    (r"fuse it with (\w+), the loop inside", _replaced("fuse({variable}, {0}, both)", "pos(both, new, {tensor})")),
    (r"fuse (\w+) with (\w+), which is there", _replaced("fuse({0}, {1}, {fused})")),
    (r"let coord count coordinates before", _replaced("coord({variable}, new)", "split(new, {outer}, {inner}, 4)")),
    (r"as in (unroll\(.*?\))", _replaced("{0}")),
    (r"as in (reorder\(.*?\))", _before("{0}")),
    (r"say (bound\(\w+), n\) before with an n up to 64", _before("{0}, 8)")),
    (r"parallelize (?!another |the |a )(\w+)\b(?! before)", _instead("variable")),
    (BEFORE_FUSING, lambda found, step, options: [f"parallelize({found[1]})"]),
    (r"(?<!and )say races=(temporary)", _instead("races")),
    (r"say (?:races=temporary or )?races=(atomics)", _instead("races")),
    (r"divide (\w+) before and", _replaced("divide({0}, b_new, e_new, 4)", "parallelize(b_new)")),
    (r"^vectorize (?!a )(\w+)", _instead("variable")),
    (r"say (bound\(\w+), n\) before where", _before("{0}, 8)")),
    (r"split (\w+) into blocks of up to 64", _replaced("split({0}, b_new, e_new, 64)", "unroll(e_new)")),
    (r"give a width of (.*)$", lambda found, step, options: [f"vectorize({options['variable']}, 32)"]),
    (r"or write (merge\(\w+, linear\))", _replaced("{0}")),
]


def advised(schedule: Schedule, error: it.UserError) -> Iterator[tuple[str, Schedule]]:
    """What each part of the help that is a step says, and the schedule up to the step that was refused with it."""
    number = refused_step(error)
    if number is None:
        return
    before, step = list(map(str, schedule.steps[: number - 1])), schedule.steps[number - 1]
    for pattern, advice in ADVICE:
        found = re.search(pattern, error.help or "")
        if found is not None and pattern == BEFORE_FUSING:
            before = before[: next(place for place, one in enumerate(before) if one.startswith("fuse("))]
        if found is not None:
            yield found[0], it.schedule("; ".join([*before, *advice(found, step, dict(step.options))]))


def refused_step(error: it.UserError) -> int | None:
    """The number of the step that an error is about."""
    numbers = [re.match(r"this is step (\d+):", note.message) for note in error.notes]
    return next((int(found[1]) for found in numbers if found is not None), None)
