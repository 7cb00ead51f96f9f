"""What a schedule was chosen among, as text."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from irtensor.api.schedule import TUNED_ON, UNASKED
from irtensor.planning.plan import Rated, Rating

_SMALL = "a schedule is searched for on operands for which the loops are expected to take longer than a search"


def ratings_text(ratings: Sequence[Rating], by: str) -> list[str]:
    """What a schedule was chosen among, for people; nothing before the first call."""
    if not ratings:
        return [_SMALL] if by == UNASKED else []
    if by in TUNED_ON:
        title = f"measured on {TUNED_ON[by]}"
    else:
        title = "steps that are expected for operands with as many entries as those of the call, anywhere"
    lines = [title]
    for tensor, rated in ratings:
        lines += [f"  {tensor}"] if rated and len(ratings) > 1 else []
        lines += [f"  {_amount(one, by)}  {one.program or 'without a schedule'}" for one in rated]
    return lines


def _amount(one: Rated, by: str) -> str:
    if by not in TUNED_ON:
        return f"{one.amount:10.3g}"
    return f"{1e3 * one.amount:10.3f} ms" if one.amount < inf else f"{'dropped':>13}"
