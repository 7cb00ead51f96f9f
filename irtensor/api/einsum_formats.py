"""`einsum` with operands in the fastest formats. Copies in these formats are kept beside the operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from irtensor.api.einsum_request import CHOICES, check_options
from irtensor.api.schedule import check_format_tuning
from irtensor.compiler.kernel.format_choice import FormatChoice
from irtensor.compiler.kernel.format_trial import Question
from irtensor.frontend.arguments import as_flag
from irtensor.frontend.einsum.einsum_parser import Subscripts, parse_subscripts
from irtensor.frontend.format_rules import FormatRules
from irtensor.memory_cache import MemoryCache
from irtensor.options import current_options, environment_of_code

# By all arguments that decide what `einsum` computes.
_choices: MemoryCache[Any, FormatChoice] = MemoryCache()


def einsum_in_formats(
    einsum: Callable[..., Any],
    subscripts: str | Subscripts,
    given: Sequence[Any],
    arrays: Sequence[Any],
    out: np.ndarray | None,
    choices: tuple[Any, ...],
    options: dict[str, Any],
) -> Any:
    """What `einsum` gives for `arrays`, which were made of the `given` operands; see there."""
    named = dict(zip(CHOICES, choices, strict=True)) | {"tune": None}
    text = subscripts if isinstance(subscripts, str) else _text_of(subscripts)

    def computed(operands: Sequence[Any], out: np.ndarray | None = None) -> Any:
        return einsum(text, *operands, out=out, **named, **options)

    choice = _choice_for(text, choices, named, options)
    if choice is None:
        return computed(arrays, out)

    def ask() -> Question:
        names = [f"operand {number}" for number in range(len(arrays))]
        return Question(names, given, _rules(named, options, len(arrays)), run_for)

    def run_for(operands: Sequence[Any]) -> Callable[[], object]:
        return lambda: computed(operands)

    found, checks = choice.replaced(arrays, ask)
    result = computed(found, out)
    return computed(arrays, out) if checks and any([check.finds(result) for check in checks]) else result


def _choice_for(
    text: str, choices: tuple[Any, ...], named: Mapping[str, Any], options: dict[str, Any]
) -> FormatChoice | None:
    """The choice for such calls. None without a sum of one operand, and where arguments are wrong, which is said
    elsewhere."""
    key = (text, *choices, tuple(options.items()) if options else None, environment_of_code())
    try:
        known = _choices[key]
    except TypeError:
        return None
    if known is None:
        check_options(options)
        check_format_tuning(named["schedule"], as_flag("convert=", named["convert"]), current_options(**options).target)
        if _moves_only(parse_subscripts(text)):
            return None
        known = _choices[key] = FormatChoice()
    return known


def _moves_only(subscripts: Subscripts) -> bool:
    """Whether the result has the elements of an operand: it may be a view, of the operand and of no copy."""
    labels = subscripts.inputs[0]
    kept = subscripts.output if subscripts.output is not None else [one for one in labels if labels.count(one) == 1]
    return len(subscripts.inputs) == 1 and {*labels} <= {*kept}


def _rules(named: Mapping[str, Any], options: dict[str, Any], count: int) -> FormatRules:
    stays = None
    if named["format"] is not None:
        stays = "the result would have an entry for each 0 that is stored"
    elif named["semiring"] is not None:
        stays = "operators of a semiring could tell a 0 that is stored from one that is not"
    exact, ordered = as_flag("exact=", named["exact"]), current_options(**options).keeps_order
    return FormatRules(stays, exact, ordered, [None] * count, [()] * count, [count < 3] * count, False)


def _text_of(subscripts: Subscripts) -> str:
    """Subscripts as they are written for operands one after the other."""
    inputs = ",".join(["".join(labels) for labels in subscripts.inputs])
    return inputs if subscripts.output is None else f"{inputs}->{''.join(subscripts.output)}"
