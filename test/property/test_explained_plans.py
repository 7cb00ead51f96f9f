"""explain() speaks of every level of every tensor, whatever the formats: where it is bound, and how it is written."""

import random
import re
from dataclasses import replace

import pytest
from reference.pattern_space import PATTERNS, draw

import irtensor as it
from irtensor.compiler.explain.final_plan import FinalPlan
from irtensor.compiler.explain.loops import loops_of
from irtensor.compiler.explain.result import result_levels
from irtensor.compiler.explain.threads import loops_on_threads
from irtensor.dialects.storage.storage import format_of
from irtensor.options import current_options
from irtensor.passes.analysis.iteration_graph import name_of

OPTIONS = current_options(num_threads=3)


def explained(kernel, kind):
    """The plan of a kernel that was not called, and the levels that are spoken of in its loops, by tensor."""
    plan = FinalPlan.of(replace(kernel._last.request(), purpose=kind), OPTIONS)
    found: dict[str, set[int]] = {}
    for line in loops_of(plan):
        for level, names in re.findall(r"level (\d+) of ([\w, ]+) \(", line):
            for name in names.split(", "):
                found.setdefault(name, set()).add(int(level))
    return plan, found


@pytest.mark.one_in(12)
@pytest.mark.parametrize("kind", ["fused", "assemble", "compute"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_level_is_spoken_of(pattern, kind):
    for seed in range(2):
        case = draw(pattern, random.Random(f"{pattern} {seed}"))
        result = case.notation[0]
        formats = {name: format for name, format in {**case.formats, result: case.result}.items() if format is not None}
        plan, found = explained(it.compile(case.notation, formats=formats), kind)
        for argument in plan.function.body.block.args:
            levels = format_of(argument.type).levels
            assert found[name_of(argument)] == set(range(len(levels))), f"{case}\n{found}"
        written = [re.match(r"level (\d+) of (\w+) ", line) for line in result_levels(plan)]
        numbers = [int(match[1]) for match in written if match is not None]
        assert numbers == sorted(found[result])
        assert list(loops_on_threads(plan, OPTIONS))
