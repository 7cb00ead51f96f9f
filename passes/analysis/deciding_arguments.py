"""Which arguments of an application have to be there for what it gives to be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from irtensor.core.operators import Scalar, same_value


def deciding_arguments(
    operator: str, arguments: Sequence[SSAValue], absent: Callable[[SSAValue], Sequence[Scalar]]
) -> list[Sequence[SSAValue]]:
    """Groups of the arguments: an entry of each group has to be there for the result to be; that of no group is.

    `absent` gives what a value may be where it depends on no entry. A choice is absent with its condition and the
    branch that this chooses, and where both branches are, if they are equal.
    """
    if operator in ("first", "second"):
        return [arguments[:1] if operator == "first" else arguments[1:]]
    if operator != "where":
        return [arguments]
    condition, yes, no = map(absent, arguments)
    chosen = {bool(value) for value in condition}
    groups: list[Sequence[SSAValue]] = [[arguments[0], *(arguments[1 if choice else 2] for choice in chosen)]]
    if len(yes) == len(no) == 1 and same_value(yes[0], no[0]):
        groups.append(arguments[1:])
    return groups
