"""Candidates for a statement are searched for once in a process: many tests only look at what is chosen among them."""

from typing import Any

from irtensor.dialects.concrete_index.concrete_index import ComputeOp
from irtensor.passes.autoschedule.candidate_programs import candidate_programs as _search

_found: dict[tuple[Any, ...], list[Any]] = {}


def candidate_programs(compute: ComputeOp, *, budget: int, convert: bool, **options: Any) -> list[Any]:
    """As that of the compiler, which is the same for the same text; for schedule_by_size."""
    key = (str(compute), *[(value.type, value.name_hint) for value in compute.operands], budget, convert)
    if key not in _found:
        _found[key] = _search(compute, budget=budget, convert=convert, **options)
    return _found[key]
