"""The text about a product or a statement that is computed by one kernel or by several: which, and why."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from irtensor.frontend.einsum.contraction_choice import Choice
from irtensor.frontend.einsum.contraction_order import Contraction
from irtensor.frontend.einsum.contraction_steps import ProductOfTensors
from irtensor.frontend.parts.split import Split

# What the times are of.
_TIMES = "times are of one thread, with calls and a thousandth of the compilation"


def choice_text(product: ProductOfTensors, choice: Choice, steps: Sequence[Contraction], item: int) -> list[str]:
    """The kernels of an einsum with their intermediates, the expected times, and why there are not more kernels."""
    if not choice.splits:
        return _one_kernel(choice.at_once, choice.in_pairs if choice.intermediates else None, choice.refused)
    lines = [f"{len(steps)} kernels, {_time(choice.in_pairs)} expected, {_time(choice.at_once)} in one kernel"]
    labels = [operand.labels for operand in product.operands]
    names, made = [operand.name for operand in product.operands], iter(choice.intermediates)
    for number, step in enumerate(steps):
        taken = [f"{names[position]}[{', '.join(labels[position])}]" for position in step.positions]
        labels = [its for position, its in enumerate(labels) if position not in step.positions]
        names = [name for position, name in enumerate(names) if position not in step.positions]
        if number == len(steps) - 1:
            lines += [f"the result from {' and '.join(taken)}", _TIMES]
            break
        names.append(f"intermediate{number}")
        factor = next(made)
        labels.append(factor.labels)
        stored = _stored(factor.entries if factor.is_sparse else None, factor.entries, item)
        lines.append(f"{names[-1]}[{', '.join(factor.labels)}] from {' and '.join(taken)}: {stored}")
    return lines


def split_text(split: Split) -> list[str]:
    """The statements that several kernels compute, the expected times, or why there is one kernel."""
    if not split.is_other:
        return _one_kernel(split.at_once, split.otherwise, split.refused)
    if len(split.parts) == 1:
        first, *others = _one_kernel(split.chosen, None, ())
        return [first, str(split.parts[0].statement), *others]
    lines = [f"{len(split.parts)} kernels, {_time(split.chosen)} expected, {_time(split.at_once)} in one kernel"]
    for part, entries in zip(split.parts, split.entries, strict=False):
        lines.append(f"{part.statement}: {_stored(entries, part.size, split.item)}")
    return [*lines, str(split.parts[-1].statement), _TIMES]


def _one_kernel(at_once: float, in_parts: float | None, refused: Collection[str]) -> list[str]:
    if not at_once:
        return ["one kernel: no part of the statement would take less time by itself"]
    if in_parts is None:
        return [f"one kernel, {_time(at_once)} expected", *(f"not in pairs: {why}" for why in sorted(refused)), _TIMES]
    return [f"one kernel, {_time(at_once)} expected, {_time(in_parts)} in several", _TIMES]


def _stored(entries: float | None, size: float, item: int) -> str:
    if entries is None:
        return f"dense, {_bytes(size * item)}"
    return f"sparse, about {entries:.3g} entries, {_bytes(entries * (item + 8))}"


def _time(nanoseconds: float) -> str:
    if nanoseconds >= 1e9:
        return f"{nanoseconds / 1e9:.3g} s"
    return f"{nanoseconds / 1e6:.3g} ms" if nanoseconds >= 1e6 else f"{nanoseconds / 1e3:.3g} us"


def _bytes(size: float) -> str:
    return f"{size / 1e6:.3g} MB" if size >= 1e6 else f"{size / 1e3:.3g} kB"
