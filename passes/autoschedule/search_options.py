"""What a search for schedules may be asked for, and how large the statements are that are searched."""

from __future__ import annotations

from dataclasses import dataclass

# A product of four operands has 129 groupings into workspaces, one of five 4,201.
MOST_OPERANDS = 5
# Six loops have 720 orders.
MOST_INDICES = 6
# A product of five operands has 105 trees, with up to 67 groupings each. Sums of products, which distribute, have
# thousands of both, and a search by branch and bound looks at these many.
MOST_TREES = 120
MOST_GROUPINGS = 70
# Assignments of a program with a few workspaces. Of programs with more, a search looks at fewer in proportion.
USUAL_ASSIGNS = 4


@dataclass(frozen=True)
class SearchOptions:
    """`filled`: costs are compared for inputs that have an entry in every slice, whatever its indices are.

    `budget`: no more costs are computed.
    """

    filled: bool = False
    budget: int = 200_000
