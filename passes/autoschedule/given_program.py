"""A program that a user has written down for a definition."""

from __future__ import annotations

from irtensor.dialects.diagnostics import UserError
from irtensor.passes.autoschedule.collect_result import store_in_place
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.statements import Access, Statement, map_accesses, map_expressions


def given_program(text: str, search: Search) -> Statement:
    """A program for the statement that is searched, by its text. Raises UserError [bad-expression],
    [bad-schedule-step].

    What it copies from a workspace into the result is stored in the result: `collect_result` says what has to be
    collected first.
    """
    kernel = search.kernel
    parsed = store_in_place(parse_program(text, kernel.indices, kernel.operators))
    given = map_expressions(parsed, lambda value: map_accesses(value, lambda read: _plain(read, kernel)))
    if not search.has(given):
        message = f"autoschedule: '{text}' does not compute this definition"
        help = "write a program as irtensor-autoschedule shows them for the statement"
        raise UserError("bad-schedule-step", message, help=help)
    return given


def _plain(read: Access, kernel: Kernel) -> Access:
    """A read without protocols if it is of what is dense, which is located anyway."""
    return read._replace(protocols=()) if read.tensor in kernel.dense else read
