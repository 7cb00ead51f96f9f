"""What the contracts of passes say of a pipeline: wrong orders, which lowers a dialect, which has to be allowed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from xdsl.passes import ModulePass

from irtensor.core.diagnostics import SourceLocation, UserError
from irtensor.passes import get_all_passes
from irtensor.passes.pipelines import STAGES, stages_to
from irtensor.passes.support.pass_base import Permission, TensorPass


class Constraint(NamedTuple):
    """Of two passes one has to run first, and why."""

    earlier: str
    later: str
    reason: str


def constraints(passes: Iterable[type[ModulePass]]) -> Iterator[Constraint]:
    """What these passes say about their order, each about itself; passes of other projects say nothing."""
    for pass_type in passes:
        if issubclass(pass_type, TensorPass):
            yield from (Constraint(other, pass_type.name, reason) for other, reason in pass_type.after.items())
            yield from (Constraint(pass_type.name, other, reason) for other, reason in pass_type.before.items())


def check_order(
    passes: Sequence[type[ModulePass]], locate: Callable[[int], SourceLocation | None] = lambda position: None
) -> None:
    """Raise UserError [pass-order] if a pass runs too late: after those that need it, or when what it rewrites is gone.

    A pass may run alone and any number of times. Two passes are in the wrong order only if every run of the one that
    should be first comes after every run of the other. `locate` says where the text asks for a pass, by its position.
    """
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for position, pass_type in enumerate(passes):
        first.setdefault(pass_type.name, position)
        last[pass_type.name] = position
    for earlier, later, reason in constraints(passes[position] for position in first.values()):
        if earlier in first and later in first and last[later] < first[earlier]:
            message = f"'{earlier}' has to run before '{later}', not after it: {reason}"
            raise _too_late(earlier, later, message, locate(first[earlier]))
    _check_dialects(passes, locate)


def _too_late(late: str, other: str, message: str, location: SourceLocation | None) -> UserError:
    return UserError("pass-order", message, location=location, help=f"move '{late}' before '{other}'")


def _check_dialects(passes: Sequence[type[ModulePass]], locate: Callable[[int], SourceLocation | None]) -> None:
    # Dialects and operations that are gone, and the pass that has lowered them.
    gone: dict[str, str] = {}
    for position, pass_type in enumerate(passes):
        if not issubclass(pass_type, TensorPass):
            continue
        # A pass that has done its work may run again: it finds nothing to do.
        lowered_by = [gone.get(part) or gone.get(part.partition(".")[0], pass_type.name) for part in pass_type.accepts]
        if lowered_by and pass_type.name not in lowered_by:
            other = lowered_by[-1]
            message = (
                f"'{pass_type.name}' rewrites {' and '.join(pass_type.accepts)}, but '{other}' leaves none of that"
            )
            raise _too_late(pass_type.name, other, message, locate(position))
        made = {part for part in pass_type.leaves if part not in pass_type.accepts}
        gone = {part: name for part, name in gone.items() if not {part, part.partition(".")[0]} & made}
        gone.update(dict.fromkeys(pass_type.removes(), pass_type.name))


@cache
def lowered_by(dialect: str) -> tuple[str, ...]:
    """The passes of the pipelines after which the operations of a dialect are gone, or some of them, in their order."""
    removed = {
        pass_type.name: {part.partition(".")[0] for part in pass_type.removes()} for pass_type in _of_pipelines()
    }
    return tuple(name for name, dialects in removed.items() if dialect in dialects)


@cache
def passes_that_need(permission: Permission, end: str) -> tuple[str, ...]:
    """The passes that lead to a stage and are omitted where this is not allowed, in their order.

    Those of another target's pipeline are not loaded.
    """
    return tuple(pass_type.name for pass_type in _of_pipelines(stages_to(end)) if pass_type.needs == permission)


def _of_pipelines(stages: Collection[str] | None = None) -> Iterator[type[TensorPass]]:
    """The classes of the passes of these stages, or of all."""
    loaded = get_all_passes()
    names = [name for stage in STAGES if stages is None or stage.name in stages for name in stage.passes]
    for pass_type in (loaded[name]() for name in dict.fromkeys(names)):
        if issubclass(pass_type, TensorPass):
            yield pass_type
