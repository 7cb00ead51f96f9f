"""Where the parts stand that a statement has several times."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from irtensor.core.cached_property import cached_property
from irtensor.frontend.expression_tree import Access, Expression, Literal, Reduce, Statement
from irtensor.frontend.parts.equal_parts import Form, form_of, repeated_parts
from irtensor.frontend.parts.product_tree import parts_below, tree_of

if TYPE_CHECKING:
    from irtensor.frontend.parts.part_context import PartContext

# The parts below another one, and their contexts, if that stands in a context.
Below = Callable[[Expression, "PartContext"], Sequence[tuple[Expression, "PartContext"]]]
# The indices of loops: a name for those of one sum, and one for those of all sums beside it.
_Scope = Mapping[str, tuple[Hashable, Hashable]]


class Occurrence:
    """A part where it stands, which is found out where it is asked for: most parts are not shared.

    For each of the `free` indices, `at` says which loop it is of, and `beside` is the same for loops that stand beside
    each other. `is_factor_of_chain` says that a sum that is summed again is a product of more than two factors with it.
    """

    def __init__(self, part: Expression, context: Callable[[], PartContext]) -> None:
        self.part = part
        self._context = context
        self.free: tuple[str, ...] = ()
        self.at: tuple[Hashable, ...] = ()
        self.beside: tuple[Hashable, ...] = ()
        self.is_factor_of_chain = False

    @cached_property
    def context(self) -> PartContext:
        return self._context()


class FindParts:
    """Finds occurrences by shape, each once where one kernel computes it once: equal ones at equal indices."""

    def __init__(self, form: Callable[[Expression], Form], repeated: Collection[Expression], below: Below) -> None:
        self.found: dict[Hashable, list[Occurrence]] = {}
        self._form = form
        self._repeated = repeated
        self._below = below
        self._seen = set[Hashable]()
        self._numbers = count()

    def look_through(self, expression: Expression, indices: Sequence[str], context: Callable[[], PartContext]) -> None:
        """Find the occurrences in an expression that is all of a statement, which computes it at these indices."""
        self._visit(Occurrence(expression, context), {name: (name, name) for name in indices}, None)

    def _visit(self, one: Occurrence, scope: _Scope, around: Hashable) -> None:
        """Find the occurrences in a part; `around` is the sum around it."""
        part = one.part
        if part in self._repeated:
            shape, one.free = self._form(part)
            one.at, one.beside = (tuple([scope[name][number] for name in one.free]) for number in (0, 1))
            if (shape, one.at) in self._seen:
                return
            self._seen.add((shape, one.at))
            if one.free:
                self.found.setdefault(shape, []).append(one)
        is_chain = False
        if isinstance(part, Reduce):
            number = next(self._numbers)
            own = {name: ((number, name), (around, position)) for position, name in enumerate(part.indices)}
            scope, around = {**scope, **own}, number
            tree = tree_of(part)
            is_chain = tree is not None and tree.is_chain
        for number, child in enumerate(parts_below(part)):
            if not isinstance(child, (Access, Literal)):
                inner = Occurrence(child, lambda number=number: self._below(part, one.context)[number][1])
                inner.is_factor_of_chain = is_chain and isinstance(child, Reduce)
                self._visit(inner, scope, around)


def has_equal_parts(statement: Statement) -> bool:
    """Whether a statement computes equal parts at different indices."""
    repeated = repeated_parts([statement.expression])

    def nowhere(*_: object) -> Any:
        raise AssertionError("no part is asked where it stands")

    finder = FindParts(form_of, repeated, nowhere)
    if repeated:
        finder.look_through(statement.expression, statement.target.plain_indices, nowhere)
    return any([len(occurrences) > 1 for occurrences in finder.found.values()])
