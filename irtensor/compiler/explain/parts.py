"""What `explain()` says of a statement that several kernels compute: of each, what the compiler made of its part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from irtensor.compiler.explain.final_plan import FinalPlan
from irtensor.compiler.explain.loops import loops_of
from irtensor.compiler.explain.refusals import refusals_of
from irtensor.compiler.explain.sections import conversions, indented, scheduled, section, threads
from irtensor.compiler.kernel.dense_product import product_of
from irtensor.planning.planner import plan_for

if TYPE_CHECKING:
    from irtensor.compiler.compilation.compile_request import CompileRequest
    from irtensor.options import Options


def parts_text(parts: Sequence[CompileRequest], options: Options) -> Iterator[str]:
    """A paragraph per kernel, in the order in which they are called."""
    for number, part in enumerate(parts):
        yield from ("", f"kernel {number}: {part.statement}")
        yield from indented(line for line in _decisions(part, options) if line)


def _decisions(part: CompileRequest, options: Options) -> Iterator[str]:
    """The schedule, conversions, rules, loops and threads of one kernel, or what computes it without code."""
    product = product_of(part, options)
    if product is not None:
        # When it is computed by loops has been decided: the sizes are known.
        yield from section("without code", product.explain()[:1])
        return
    request = plan_for(part, options).request
    plan = FinalPlan.of(request, options)
    yield from scheduled(request)
    yield from conversions((), plan.remarks)
    yield from section("rules that do not apply", refusals_of(request, options, plan))
    yield from section("loops", loops_of(plan))
    yield from threads(plan, request, options)
