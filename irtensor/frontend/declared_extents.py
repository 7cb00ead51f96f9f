"""Extents that the user declares, of variables and of results: `extents={"i": 100, "h": (16,)}`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irtensor.core.diagnostics import UserError
from irtensor.frontend.arguments import as_integer, is_list
from irtensor.frontend.expression_tree import Statement, accesses, free_indices
from irtensor.frontend.notation.notation_errors import notation_error

_LARGEST = (1 << 63) - 1


def declared_extents(statement: Statement, given: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    """The extents of variables, by a number for a variable or a shape for the result.

    Raises UserError [bad-argument] or [extent-mismatch].
    """
    # Slices in the text have declared some.
    found: dict[str, int] = dict(statement.extents)
    target, variables = statement.target, _variables(statement)
    for name, value in given.items():
        if is_list(value):
            if name != target.tensor:
                help = f"give a number for a variable, a shape for the result {target.tensor}"
                raise UserError("bad-argument", f"extents= has a shape for {name!r}", help=help)
            shape = [_extent(name, one) for one in value]
            if len(shape) != len(target.indices):
                message = f"extents= has {len(shape)} extents for {target.tensor}, which has {len(target.indices)}"
                raise UserError("bad-argument", f"{message} dimensions")
            declared = dict(zip(target.plain_indices, shape, strict=True))
        elif name in variables:
            declared = {name: _extent(name, value)}
        else:
            help = f"variables are {', '.join(sorted(variables)) or 'none'}; for the result give a shape, such as (16,)"
            raise UserError(
                "bad-argument", f"extents= has a number for {name!r}, which is not an index variable", help=help
            )
        for variable, extent in declared.items():
            if found.setdefault(variable, extent) != extent:
                message = f"{variable} has {extent} values by extents=, and {found[variable]} besides"
                raise UserError("extent-mismatch", message, help="declare each extent once")
    return tuple(found.items())


def extents_by_statement(
    statements: Sequence[Statement], given: Mapping[str, Any]
) -> list[tuple[tuple[str, int], ...]]:
    """The declared extents of each statement: those of its variables, and those of its result.

    Raises UserError [bad-argument] or [extent-mismatch].
    """
    results = {statement.target.tensor for statement in statements}
    variables = [_variables(statement) for statement in statements]
    known = set[str]().union(*variables)
    for name, value in given.items():
        if name in results and name in known:
            message = f"extents= has a value for {name!r}, which names a result and an index variable"
            raise UserError("bad-argument", message, help="give one of the two another name")
        if name not in (results if is_list(value) else known):
            # The error of a single statement says what there is instead.
            declared_extents(statements[-1], {name: value})
    found: list[tuple[tuple[str, int], ...]] = []
    for statement, its in zip(statements, variables, strict=True):
        names = {statement.target.tensor, *its}
        found.append(declared_extents(statement, {name: value for name, value in given.items() if name in names}))
    return found


def _variables(statement: Statement) -> set[str]:
    parts = [statement.expression, *(() if statement.condition is None else (statement.condition,))]
    bound = {index for part in parts for access in accesses(part) for index in free_indices(access)}
    return bound | {*statement.target.plain_indices} | {name for part in parts for name in free_indices(part)}


def _extent(name: str, value: Any) -> int:
    extent = as_integer(f"the extent of {name}", value)
    if not 0 <= extent <= _LARGEST:
        raise UserError("bad-argument", f"the extent of {name} is {extent}", help="give a number from 0 on")
    return extent


def check_declared(statement: Statement, extents: Mapping[str, int]) -> None:
    """Raise UserError [extent-mismatch] for an extent that differs from the declared one."""
    for name, declared in statement.extents:
        if extents.get(name, declared) != declared:
            message = f"index {name} has extent {extents[name]}, but {declared} values by extents= or a slice"
            raise notation_error("extent-mismatch", message, statement.source, statement.target.span)
