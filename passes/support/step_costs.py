"""The costs of operations, in steps along a list and in iterations of inner loops. Programs, and the division of loops,
are chosen by them.

The numbers depend on the processor and on the code that is made. `python -m benchmarks.step_costs` measures each of
them again, and shows it beside the number here; a cost that is added here needs a measurement there, which a test asks
for. Only the ratios of costs decide the choice. So when one is changed, the others are measured too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def _cost(number: Any, meaning: str) -> Any:
    return field(default=number, metadata={"meaning": meaning})


@dataclass(frozen=True)
class StepCosts:
    """Costs in steps along a list, beside the steps themselves.

    Measured where a step takes some 2 to 4 ns, on the kernels of Ahrens 2022, section 8, at densities up to 0.01.
    """

    leave: float = _cost(2.0, "a loop that is left after at least one iteration, which a processor does not foresee")
    merge: float = _cost(1.0, "a step of several lists together, where it is not foreseen which one goes on")
    store: float = _cost(1.0, "a step that stores into a row or a number")
    found: float = _cost(
        2.0, "a step that stores to another position each time, and waits for a lookup in an operand or a row"
    )
    look_up: float = _cost(2.0, "a lookup in a hash table of an operand")
    update: float = _cost(20.0, "an update of a temporary with several dimensions, in hash tables")
    find: float = _cost(3.0, "a lookup in such a temporary")
    slot: float = _cost(
        1.0, "an update or a lookup of a temporary that has a slot for each coordinate of several dimensions"
    )
    empty_list: float = _cost(0.2, "a slot of a temporary that is emptied, with a list below")
    empty_number: float = _cost(0.1, "a slot of a temporary that is emptied, with a number")
    convert: float = _cost(40_000.0, "a conversion of an operand, before its entries")
    sort: float = _cost(14.0, "an entry that is put into another order of levels")
    transpose: float = _cost(8_000.0, "a conversion of CSR to CSC, or back, before its entries")
    move: float = _cost(2.0, "an entry of such a matrix")
    hash: float = _cost(20.0, "an entry that is put into a hash table by a conversion")
    copy: float = _cost(3.0, "an entry of an operand that is copied into a temporary")
    fill: float = _cost(10.0, "a temporary that is filled anew, beside what it holds")
    search: float = _cost(1e9, "a search for programs, with the compilation of what it finds")


@dataclass(frozen=True)
class IterationCosts:
    """Costs in iterations of an inner loop over entries, of about a nanosecond: threads divide loops by these."""

    outer: int = _cost(2, "an iteration of the divided loop by itself")
    lanes: int = _cost(4, "so many iterations along an extent take as long as one over entries")
    fills: int = _cost(4, "so many filled elements take as long as one iteration")


STEPS = StepCosts()
ITERATIONS = IterationCosts()
