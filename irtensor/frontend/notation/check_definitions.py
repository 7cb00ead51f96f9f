"""Checks of statements that follow one another: each name is defined before it is read, and in one way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from irtensor.core.diagnostics import UserError
from irtensor.frontend.arguments import is_list
from irtensor.frontend.expression_tree import (
    Access,
    Statement,
    accesses,
    format_expression,
    ordered_union,
)
from irtensor.frontend.notation.check_notation import check_same_rank
from irtensor.frontend.notation.notation_errors import notation_error


def reads(statement: Statement) -> list[Access]:
    """The accesses to tensors that a statement reads."""
    condition = [] if statement.condition is None else list(accesses(statement.condition))
    return [*accesses(statement.expression), *condition]


def check_definitions(statements: Sequence[Statement]) -> None:
    """Raise UserError [assigned-twice], [read-before-definition] or [rank-mismatch]."""
    defined: dict[str, Statement] = {}
    first: dict[str, Access] = {}
    read: dict[str, Access] = {}
    for statement in statements:
        name, its = statement.target.tensor, reads(statement)
        for access in [*its, statement.target]:
            check_same_rank(access, first.setdefault(access.tensor, access), statement.source)
        if name not in defined and name in read:
            _refuse_read(read[name], statement)
        if name in defined:
            _check_again(statement, defined[name])
        if name not in defined or statement.operator is not None:
            defined[name] = statement
        for access in its:
            read.setdefault(access.tensor, access)


def _refuse_read(access: Access, statement: Statement) -> None:
    name = access.tensor
    message = f"{name} is read before the statement that defines it"
    notes = [(f"{name} is defined here", statement.target.span)]
    help = f"put the definition of {name} first; where an operand is meant, give the two different names"
    source = statement.source
    raise notation_error("read-before-definition", message, source, access.span, notes=notes, help=help)


def _check_again(statement: Statement, earlier: Statement) -> None:
    """A name that is assigned again: one operator may add to it several times."""
    if statement.operator is not None and earlier.operator in (None, statement.operator):
        return
    name = statement.target.tensor
    operators = [_assignment(one) for one in (earlier, statement)]
    message = f"{name} is assigned with '{operators[0]}' and again with '{operators[1]}'"
    notes = [("it was assigned here", earlier.target.span)]
    help = f"give the two different names, or combine all values with one operator, such as {name} += ..."
    raise notation_error("assigned-twice", message, statement.source, statement.target.span, notes=notes, help=help)


def _assignment(statement: Statement) -> str:
    """The assignment of a statement as it is written, `min=`."""
    text = str(statement)[len(format_expression(statement.target)) :].lstrip()
    return text[: text.index("=") + 1]


def returned_names(statements: Sequence[Statement], asked: Iterable[str] | None) -> tuple[str, ...]:
    """The results of statements, in order of appearance: what no later statement reads, and what was asked for.

    Raises UserError [bad-argument].
    """
    defined = ordered_union(statement.target.tensor for statement in statements)
    read = {access.tensor for statement in statements for access in reads(statement) if _is_other(access, statement)}
    chosen = {name for name in defined if name not in read}
    if asked is not None:
        if isinstance(asked, str):
            asked = (asked,)
        if not is_list(asked):
            message = f"results= lists names, as in results=('T', 'y'); got {type(asked).__name__}"
            raise UserError("bad-argument", message)
        for name in asked:
            if name not in defined:
                message = f"results= has {name!r}, which no statement defines"
                raise UserError("bad-argument", message, help=f"they define {', '.join(defined)}")
            chosen.add(name)
    return tuple([name for name in defined if name in chosen])


def _is_other(access: Access, statement: Statement) -> bool:
    return access.tensor != statement.target.tensor
