"""What is said of a product of tensors that is computed by one kernel or by several: which, and why."""

from __future__ import annotations

from collections.abc import Sequence

from irtensor.frontend.contraction_choice import Choice
from irtensor.frontend.contraction_order import Contraction
from irtensor.frontend.contraction_steps import ProductOfTensors


def choice_text(product: ProductOfTensors, choice: Choice, steps: Sequence[Contraction], item: int) -> list[str]:
    """The kernels with their intermediates, the expected times, and why there are not more kernels."""
    if not choice.splits:
        if not choice.intermediates:
            why = (
                "an intermediate would have entries that operands or a sparse result have not, or take more than 256 MB"
            )
            return [f"one kernel, {_time(choice.at_once)} expected", f"no pairs: {why} and than operands and result do"]
        times = f"{_time(choice.at_once)} expected, {_time(choice.in_pairs)} in pairs"
        return [f"one kernel, {times}"]
    lines = [f"{len(steps)} kernels, {_time(choice.in_pairs)} expected, {_time(choice.at_once)} in one kernel"]
    labels = [operand.labels for operand in product.operands]
    names, made = [operand.name for operand in product.operands], iter(choice.intermediates)
    for number, step in enumerate(steps):
        taken = [f"{names[position]}[{', '.join(labels[position])}]" for position in step.positions]
        labels = [its for position, its in enumerate(labels) if position not in step.positions]
        names = [name for position, name in enumerate(names) if position not in step.positions]
        if number == len(steps) - 1:
            lines.append(f"the result from {' and '.join(taken)}")
            break
        names.append(f"intermediate{number}")
        factor = next(made)
        labels.append(factor.labels)
        stored = f"sparse, about {factor.entries:.3g} entries" if factor.is_sparse else "dense"
        size = factor.entries * (item + (8 if factor.is_sparse else 0))
        lines.append(f"{names[-1]}[{', '.join(factor.labels)}] from {' and '.join(taken)}: {stored}, {_bytes(size)}")
    return lines


def _time(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e6:.3g} ms" if nanoseconds >= 1e6 else f"{nanoseconds / 1e3:.3g} us"


def _bytes(size: float) -> str:
    return f"{size / 1e6:.3g} MB" if size >= 1e6 else f"{size / 1e3:.3g} kB"
