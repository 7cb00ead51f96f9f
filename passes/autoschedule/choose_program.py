"""The last choice among programs of least asymptotic cost: what asks for the least besides."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from math import log2
from operator import le
from typing import Any

from xdsl.ir import SSAValue

from irtensor.dialects.storage.storage import format_of
from irtensor.passes.autoschedule.collect_result import scattered
from irtensor.passes.autoschedule.convert_operands import Conversions, copied_modes, filling_effort
from irtensor.passes.autoschedule.expected_work import ExpectedWork
from irtensor.passes.autoschedule.operand_sizes import OperandSizes
from irtensor.passes.autoschedule.read_program import Program
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.statements import (
    Access,
    Indices,
    Statement,
    accesses_within_loops,
    stepped,
    stored_by,
    text_of,
    wheres_within_loops,
    wide_modes,
)
from irtensor.passes.autoschedule.temporary_sizes import large_modes, unbounded_modes

Programs = list[Statement]

# The last searches and what each of them found. Values are equal if they are the same object, mostly, so that to go
# through all of them takes no time.
_found: deque[tuple[Any, list[Programs]]] = deque(maxlen=32)


def preferred_programs(search: Search, preference: Preference) -> Programs:
    """One or two programs of each least cost, preferred ones first."""
    return preferred_of(least_programs(search, preference), preference)


def preferred_of(classes: Iterable[Programs], preference: Preference) -> Programs:
    """The preferred program of each class and the one with the least to convert, preferred ones first."""
    orders = (preference, preference.as_stored)
    found = dict.fromkeys(min(programs, key=order) for programs in classes for order in orders)
    return sorted(found, key=preference)


def least_programs(search: Search, preference: Preference) -> list[Programs]:
    """The programs of each least cost, if operands decide which one is better: see `_trade_offs`.

    The costs are those with an entry in every slice of every operand and those without, with half of the budget each
    that is left by the search for programs that convert nothing, which has half of all: these are few, each of them is
    a class of its own, and mostly the fastest is among them.
    The last choice is cached: one kernel is lowered several times while it is compiled and explained.
    """
    key = (search.kernel, search.options, preference.considered)
    for known, classes in _found:
        if known == key:
            return classes
    stored, costed = _converting_nothing(search, preference)
    budget = max(1, (search.budget - costed) // 2)
    found = list[Programs]()
    for filled in (True, False):
        by_cost = search.bounded(preference, alternatives=False, filled=filled, budget=budget).found
        found += [_trade_offs(programs, preference) for programs in by_cost.values()]
        if filled:
            found += [[one] for one in stored if not search.is_beaten(one, by_cost, filled)]
    _found.append((key, found))
    return found


def _trade_offs(programs: Programs, preference: Preference) -> Programs:
    """Of programs of one cost the preferred one among those that ask for the same besides, if none asks for less: to
    convert one operand or another, or for a temporary instead."""
    asked: dict[tuple[int, ...], Programs] = {}
    for program in programs:
        asked.setdefault(preference.asked_besides(program), []).append(program)
    least = [one for one in asked if not any(other != one and all(map(le, other, one)) for other in asked)]
    orders = (preference, preference.as_stored)
    chosen = [min(programs, key=order) for order in orders] + [min(asked[one], key=preference) for one in least]
    return list(dict.fromkeys(chosen))


def _converting_nothing(search: Search, preference: Preference) -> tuple[Programs, int]:
    """Of the programs that read all operands as they are stored, the preferred one of each least cost, and how many
    costs were computed."""
    kernel, tensors = search.kernel, preference.program.tensors
    formats = {name: format_of(tensors[name].type) for name in kernel.sparse}
    bounded = search.with_formats(formats).bounded(
        preference,
        admits=lambda nest: not preference.conversions.effort(nest),
        alternatives=False,
        filled=True,
        budget=search.budget // 2,
    )
    return [min(programs, key=preference) for programs in bounded.found.values()], bounded.costed


class Preference:
    """The order in which programs of one search are preferred, as a key: less is better.

    First the programs with the smallest temporaries: one with a single mode is at most as large as a dimension, one
    that only has entries where an operand has some is at most as large as that, and so is a copy of an operand or of
    the result; where `sizes` are known, so are those that are expected to take no more memory than the operands. Then
    the least expected work on operands of these sizes, where differences of less than a fifth do not count. Then those
    with the least to convert and to fill, the least scattering into the result, the least workspaces, and the better
    loop order.
    """

    def __init__(self, search: Search, program: Program, sizes: OperandSizes = OperandSizes()) -> None:
        self.search, self.program = search, program
        self.conversions = Conversions(program)
        self._keys: dict[Statement, tuple[Any, ...]] = {}
        self.work = ExpectedWork(search, program, self.conversions, sizes)
        # All that it depends on, besides the kernel.
        self.considered = sizes, {name: tensor.type for name, tensor in program.tensors.items()}

    def __call__(self, one: Statement) -> tuple[Any, ...]:
        known = self._keys.get(one)
        if known is None:
            known = self._keys[one] = self._key(one)
        return known

    def as_stored(self, one: Statement) -> tuple[Any, ...]:
        """A key by which those are preferred that convert the least, of those with the smallest temporaries."""
        return (self._large_modes(one), self.conversions.effort(one), *self(one))

    def asked_besides(self, one: Statement) -> tuple[int, ...]:
        """The needs of a program besides its tasks, whose amount depends on sizes: temporaries, modes of the result
        into which it scatters, and conversions of each operand."""
        besides = (unbounded_modes(one, self.search), wide_modes(one), len(scattered(one, self.program)))
        return (*besides, *self.conversions.efforts(one).values())

    def _large_modes(self, one: Statement) -> int:
        """How many modes the temporaries have that may take more memory than the operands, by the known sizes."""
        return large_modes(one, self.work) if self.work.sizes.known else unbounded_modes(one, self.search)

    def _key(self, one: Statement) -> tuple[Any, ...]:
        pairs = [(len(stored_by(where.producer).target.indices), loops) for where, loops in wheres_within_loops(one)]
        modes = [rank for rank, _ in pairs]
        rest = scattered(one, self.program)
        fillings = [len(loops) for rank, loops in pairs if rank]
        if rest:
            fillings.append(len(stored_by(one).target.indices) - len(rest))
        effort = self.conversions.effort(one) + sum(map(filling_effort, fillings))
        work, factors = round(_STEPS * log2(1 + self.work.of(one))), constant_factors(one, self.program)
        return (self._large_modes(one), work, effort, len(rest), sum(modes), len(modes), *factors, text_of(one))


# How many steps there are to twice the work.
_STEPS = 4


def constant_factors(one: Statement, program: Program) -> tuple[int, int]:
    """Less for loops that iterate over lists early, so that each list is read seldom, and for those whose innermost one
    iterates over the last level of its operands and its result."""
    listed = strided = 0
    for access, loops in accesses_within_loops(one):
        listed += sum(map(loops.index, stepped(access)))
        tensor = program.tensors.get(str(access.tensor))
        order = access.indices if tensor is None else _stored(access, tensor)
        strided += bool(loops and loops[-1] in order and loops[-1] != order[-1])
    return listed, strided


def _stored(access: Access, tensor: SSAValue) -> Indices:
    """The indices of an access in the order of the levels of its tensor."""
    return tuple([access.indices[level.expression.dimension] for level in format_of(tensor.type).levels])


def extra_memory(one: Statement, program: Program) -> int:
    """How many modes the workspaces of a program have that are as large as products of dimensions."""
    beside = (len(scattered(one, program)), *copied_modes(one, program))
    return wide_modes(one) + sum(count for count in beside if count > 1)
