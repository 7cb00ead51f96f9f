"""Parts that one other part reads element by element: they are computed where they are read, without a tensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from irtensor.frontend.expression_tree import Access, Apply, Expression, Reduce, accesses, replaced
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.parts.kernel_steps import Part
from irtensor.frontend.parts.product_tree import has_sum


def with_joined_parts(parts: Sequence[Part], described: Mapping[str, OperandDescription]) -> list[Part]:
    """The same program, in which no part without a sum is read once at each element; the last part is the result.

    Choices about equal parts, and about matrices, may leave such parts behind: each makes sense beside the others that
    read it, until these share something larger.
    """
    found = list(parts)
    for part in parts[:-1]:
        name = part.statement.target.tensor
        readers = [
            (one, access) for one in found for access in accesses(one.statement.expression) if access.tensor == name
        ]
        if len(readers) == 1 and _may_join(part, *readers[0], described):
            (reader, access) = readers[0]
            names = dict(zip(part.statement.target.plain_indices, access.plain_indices, strict=True))
            read = {*accesses(part.statement.expression)}
            here: dict[Expression, Expression] = {
                one: replace(one, indices=tuple([names[index] for index in one.plain_indices])) for one in read
            }
            own = replaced(part.statement.expression, here)
            statement = replace(reader.statement, expression=replaced(reader.statement.expression, {access: own}))
            found[found.index(reader)] = reader._replace(statement=statement)
            found.remove(part)
    return found


def _may_join(part: Part, reader: Part, access: Access, described: Mapping[str, OperandDescription]) -> bool:
    """Whether a part reads another one once at each of its elements, and all that both compute is dense."""
    expression, target = part.statement.expression, reader.statement.target
    is_dense = all([described[one.tensor].format is None for one in accesses(expression)])
    is_dense = is_dense and part.format is None and reader.format is None
    is_by_element = sorted(access.plain_indices) == sorted(target.plain_indices) == sorted({*target.plain_indices})
    return is_dense and is_by_element and not has_sum(expression) and _is_outside(reader.statement.expression, access)


def _is_outside(expression: Expression, access: Access) -> bool:
    """Whether a read stands in no sum."""
    if isinstance(expression, Reduce):
        return False
    return expression == access or (
        isinstance(expression, Apply) and any([_is_outside(one, access) for one in expression.arguments])
    )
