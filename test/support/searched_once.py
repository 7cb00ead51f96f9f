"""A search for programs that remembers what it found: tests of what is chosen need not search anew."""

from typing import Any

from irtensor.passes.autoschedule.candidate_programs import candidate_programs as search

_found: dict[tuple[str, int, bool], Any] = {}


def candidate_programs(compute: Any, *, budget: int, convert: bool, **options: Any) -> Any:
    """As that of irtensor.passes.autoschedule, for the text of a definition."""
    key = (str(compute), budget, convert)
    if key not in _found:
        _found[key] = search(compute, budget=budget, convert=convert, **options)
    return _found[key]
