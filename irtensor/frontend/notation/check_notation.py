"""Checks of a statement that need no operands: one rank per tensor, and names that are either tensor or index."""

from __future__ import annotations

from irtensor.frontend.expression_tree import (
    Access,
    Expression,
    Reduce,
    Span,
    Statement,
    children,
    format_expression,
    walk,
)
from irtensor.frontend.notation.notation_errors import notation_error

# Deep enough for any sum someone writes, shallow enough for recursion over the tree everywhere.
MAX_DEPTH = 200
# A lazy expression that uses itself twice, again and again, is a short program for an endless tree.
MAX_NODES = 20_000


def check_statement(statement: Statement) -> None:
    """Raise UserError [rank-mismatch], [index-as-value] or [notation-too-deep] for a statement that cannot be used."""
    check_sizes(statement)
    nodes = [node for part in _parts(statement) for node in walk(part)]
    read = [node for node in nodes if isinstance(node, Access)]
    first: dict[str, Access] = {}
    for access in [statement.target, *read]:
        earlier = first.setdefault(access.tensor, access)
        check_same_rank(access, earlier, statement.source)
    variables = {index for access in [statement.target, *read] for index in access.plain_indices}
    variables.update(index for node in nodes if isinstance(node, Reduce) for index in node.indices)
    for access in read:
        if access.tensor in variables:
            raise notation_error(
                "index-as-value",
                f"{access.tensor} is an index variable and cannot be used as a tensor",
                statement.source,
                access.span,
                help=f"rename the tensor or the index variable {access.tensor}",
            )


def check_same_rank(access: Access, first: Access, source: str | None) -> None:
    """Raise UserError [rank-mismatch] for an access with another number of indices than the first one to its tensor."""
    if len(first.indices) != len(access.indices):
        message = f"{access.tensor} has {_count(access)} here and {_count(first)} elsewhere"
        notes = [(f"{format_expression(first)} is the first use", first.span)]
        raise notation_error("rank-mismatch", message, source, access.span, notes=notes)


def check_sizes(statement: Statement) -> None:
    """Raise UserError [notation-too-deep] for a statement that is too deep or large to be worked on."""
    for part in _parts(statement):
        check_size(part, statement.source, statement.target.span)


def _parts(statement: Statement) -> list[Expression]:
    return [statement.expression] if statement.condition is None else [statement.expression, statement.condition]


def _count(access: Access) -> str:
    count = len(access.indices)
    return f"{count} {'index' if count == 1 else 'indices'}"


def check_size(expression: Expression, source: str | None, span: Span | None) -> None:
    """Raise UserError [notation-too-deep] for an expression that is too deep or large to be worked on."""
    depth = nodes = 0
    level = [expression]
    while level:
        depth, nodes = depth + 1, nodes + len(level)
        if depth > MAX_DEPTH or nodes > MAX_NODES:
            what = f"nests deeper than {MAX_DEPTH}" if depth > MAX_DEPTH else f"has more than {MAX_NODES}"
            help = "compute it in several statements"
            raise notation_error("notation-too-deep", f"the expression {what} operators", source, span, help=help)
        level = [child for node in level for child in children(node)]
