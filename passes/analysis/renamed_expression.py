"""An expression that names variables as they were before earlier steps cut their loops, as those that are there now."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from irtensor.core.expression_text import Application, Component, Reduction, Term
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, LetOp
from irtensor.passes.analysis.find_expression import occurrences
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.support.operations_in import operations_in


def renamed_expressions(term: Term, module: ModuleOp) -> list[Term]:
    """A term with names in place of those that no loop has any more, if an assignment computes it then.

    `A[i,j] * x[j]` is `A[i1,jp] * x[jp]` after `split(i, i0, i1, 8); pos(j, jp, A)`: what indexes a tensor says which.
    What a sum of the term binds may have any name, as a sum that is written twice has one of two.
    """
    components = list(_components(term))
    named = {name for component in components for name in component.indices}
    gone = named.difference(name_of(op.variable) for op in operations_in(module, ForallOp, LetOp)) | {*_bound(term)}
    if not gone:
        return []
    accesses = operations_in(module, AccessOp)
    read = [*dict.fromkeys(Component(name_of(one.tensor), tuple(map(name_of, one.indices))) for one in accesses)]
    found = {str(new): new for names in _renamings(components, read, {}, gone) for new in (_renamed(term, names),)}
    assigns = operations_in(module, AssignOp)
    return [new for new in found.values() if any(occurrences(new, assign) for assign in assigns)]


def _bound(term: Term) -> Iterator[str]:
    match term:
        case Application():
            for argument in term.arguments:
                yield from _bound(argument)
        case Reduction():
            yield from term.indices
            yield from _bound(term.body)
        case _:
            pass


def _components(term: Term) -> Iterator[Component]:
    match term:
        case Component():
            yield term
        case Application():
            for argument in term.arguments:
                yield from _components(argument)
        case Reduction():
            yield from _components(term.body)
        case _:
            pass


def _renamings(
    components: list[Component], read: list[Component], names: dict[str, str], gone: Collection[str]
) -> Iterator[Mapping[str, str]]:
    """New names under which each component is one that is read."""
    if not components:
        yield names
        return
    first, *rest = components
    for other in read:
        if other.tensor != first.tensor or len(other.indices) != len(first.indices):
            continue
        longer = dict(names)
        pairs = zip(first.indices, other.indices, strict=True)
        if all((longer.setdefault(own, new) if own in gone else own) == new for own, new in pairs):
            yield from _renamings(rest, read, longer, gone)


def _renamed(term: Term, names: Mapping[str, str]) -> Term:
    def of(indices: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(names.get(index, index) for index in indices)

    match term:
        case Component():
            return replace(term, indices=of(term.indices))
        case Application():
            return replace(term, arguments=tuple(_renamed(argument, names) for argument in term.arguments))
        case Reduction():
            return replace(term, indices=of(term.indices), body=_renamed(term.body, names))
        case _:
            return term
