"""How much work a program is expected to be on random operands of some sizes, conversions and hashing included.

Programs of least asymptotic cost may be incomparable, and tasks of one set take different times: this is the model by
which one of them is preferred without a measurement. A unit is one step along a list; what else there is takes `STEPS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import expm1, prod

from irtensor.core.cached_property import cached_property
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.concrete_index.protocols import LOCATE
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.autoschedule.collect_result import scattered
from irtensor.passes.autoschedule.convert_operands import Conversion, Conversions
from irtensor.passes.autoschedule.operand_sizes import OperandSizes
from irtensor.passes.autoschedule.predicates import Atom, Conjunction
from irtensor.passes.autoschedule.read_program import Program
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.statements import (
    Access,
    Forall,
    Indices,
    Statement,
    Where,
    assigns_within_loops,
    located,
    path_to_store,
    reads,
    reads_within_loops,
    stepped,
    stored_by,
    wheres,
    wheres_within_loops,
    within_loops,
)
from irtensor.passes.autoschedule.task_sets import Query
from irtensor.passes.support.step_costs import STEPS

_Iterations = dict[frozenset[str], float]


class ExpectedWork:
    """The work of the programs of one search; all of them share cached results."""

    def __init__(self, search: Search, program: Program, conversions: Conversions, sizes: OperandSizes) -> None:
        self.search = search
        self._program = program
        self._conversions = conversions
        self.sizes = sizes
        # What indexes the modes of operands, which tells their extents.
        self._modes = search.kernel.sparse
        self._counts: dict[Query, float] = {}
        self._known: dict[Statement, float] = {}

    def of(self, statement: Statement) -> float:
        """The work of a program; of one with FREE protocols, no more tasks than those of what it becomes."""
        known = self._known.get(statement)
        if known is None:
            iterations, stores = self._iterations(statement), self._stores(statement)
            beside = (
                *_begun_loops(statement, iterations),
                *self._operands(statement, iterations),
                *self._workspaces(statement, iterations, stores),
            )
            steps = (
                sum(iterations.values())
                + STEPS.store * sum(stores.values())
                + STEPS.found * self._found(statement, stores)
            )
            known = self._known[statement] = steps + sum(beside)
        return known

    def count(self, query: Query) -> float:
        """How many tasks a query is expected to have."""
        known = self._counts.get(query)
        if known is None:
            combinations = prod(map(self._extent, query.heads))
            known = self._counts[query] = combinations * self._probability(query.condition)
        return known

    @cached_property
    def stored(self) -> float:
        """How many entries all operands have together."""
        dense, operands = self.search.kernel.dense, {*reads(self.search.kernel.program)}
        full = sum(self.slots(read.indices) for read in operands if read.indices and read.tensor in dense)
        return full + sum(map(self.entries_of, self._modes))

    def entries_of(self, operand: str) -> float:
        """How many entries an operand has that has a pattern."""
        return self._entries(operand, self._modes[operand])

    def _entries(self, operand: str, indices: Indices) -> float:
        return self.sizes.share(operand, len(indices)) * self.slots(indices)

    def slots(self, indices: Indices) -> float:
        """How many coordinates there are in the modes of some index variables."""
        return prod(map(self._extent, indices))

    def entries(self, statement: Statement, where: Where, loops: Indices) -> float:
        """How many entries a workspace is expected to have, no more than its producer stores; `loops` are around it."""
        target, around = stored_by(where.producer).target, path_to_store(where.producer, loops)
        stored = _within(self._stores(statement), around) / max(1.0, _within(self._iterations(statement), loops))
        return min(self.slots(target.indices), stored)

    def _probability(self, condition: Conjunction) -> float:
        """That a condition holds for some coordinates of the heads.

        What exists for several atoms together is one of so many tries.
        """
        found = 1.0
        left = list(condition)
        while left:
            atoms = [left.pop()]
            exists = _existential(atoms[0])
            # All that has an existential variable in common with these.
            while more := [atom for atom in left if exists & _existential(atom)]:
                left = [atom for atom in left if atom not in more]
                atoms += more
                exists = exists.union(*map(_existential, more))
            if exists and len(atoms) == 1 and (share := self._share_of_slices(*atoms)) is not None:
                found *= share
                continue
            expected = prod(self.sizes.share(atom.tensor, len(atom.arguments)) for atom in atoms)
            extents = {variable: self._extent(index) for atom in atoms for variable, index in self._indexed(atom)}
            found *= -expm1(-expected * prod(extents[variable] for variable in exists)) if exists else expected
        return found

    def _share_of_slices(self, atom: Atom) -> float | None:
        """The share of the slices of an operand that have an entry, by the modes that are given, where it is known."""
        given = {mode for mode, variable in enumerate(atom.arguments) if not isinstance(variable, int)}
        count = self.sizes.slices.get((atom.tensor, frozenset(given)))
        indices = self._modes[atom.tensor]
        return None if count is None else count / (prod(self._extent(indices[mode]) for mode in given) or 1)

    def _extent(self, index: str) -> float:
        # Loops of a plan may have names of their own.
        return self.sizes.extent(self.search.kernel.dimension(index))

    def _indexed(self, atom: Atom) -> Iterator[tuple[object, str]]:
        return zip(atom.arguments, self._modes[atom.tensor], strict=True)

    def _iterations(self, statement: Statement) -> _Iterations:
        """How many steps are expected inside of all loops over some variables, in whatever order these are."""
        return self._counted(self.search.executed(statement))

    def _stores(self, statement: Statement) -> _Iterations:
        """How often something is stored there."""
        return self._counted(self.search.stores(statement))

    def _found(self, statement: Statement, stores: _Iterations) -> float:
        """How many stores, at another position in each iteration, wait for a lookup in an operand or a row there."""
        targets = [stored_by(where.producer).target for where in wheres(statement)]
        searched = {*self._modes, *(target.tensor for target in targets if len(target.indices) == 1)}
        return sum(
            _within(stores, loops)
            for assign, loops in assigns_within_loops(statement)
            for last in loops[-1:]
            if last in assign.target.indices
            and any(last in located(read) for read in reads(assign) if read.tensor in searched)
        )

    def _counted(self, tasks: Iterable[Query]) -> _Iterations:
        queries: dict[tuple[str, ...], list[Query]] = {}
        for query in tasks:
            queries.setdefault(query.heads, []).append(query)
        union = self.search.task_sets.union
        return {frozenset(heads): sum(map(self.count, union(frozenset(own)))) for heads, own in queries.items()}

    def _operands(self, statement: Statement, iterations: _Iterations) -> Iterator[float]:
        """What it takes to convert operands, and to find what they have in hash tables."""
        for read, loops in reads_within_loops(statement):
            tensor = self._program.tensors.get(str(read.tensor))
            if tensor is None or not read.protocols:
                continue
            format, conversion = format_of(tensor.type), self._conversions.of(read, loops)
            if conversion is not None:
                entries = self._entries(str(read.tensor), read.indices)
                if conversion.outer is not None:
                    yield from self._copy(read, loops, conversion.outer, entries, iterations)
                    continue
                yield _converting(format, conversion, entries)
                format = conversion.format
            for level in format.levels:
                mode = level.expression.dimension
                if level.format.access.looks_up and read.protocols[mode] == LOCATE:
                    yield STEPS.look_up * _within(iterations, loops[: loops.index(read.indices[mode]) + 1])

    def _copy(
        self, read: Access, loops: Indices, outer: Indices, entries: float, iterations: _Iterations
    ) -> Iterator[float]:
        """What it takes to read the inner levels of an operand through workspaces, which are maps if they are wide."""
        wide = len(read.indices) - len(outer) > 1
        yield entries * (STEPS.hash if wide else STEPS.copy) + STEPS.fill * _within(iterations, outer)
        for index, protocol in zip(read.indices, read.protocols, strict=True):
            if wide and protocol == LOCATE and index not in outer:
                yield STEPS.look_up * _within(iterations, loops[: loops.index(index) + 1])

    def _workspaces(self, statement: Statement, iterations: _Iterations, stores: _Iterations) -> Iterator[float]:
        """What it takes to fill workspaces and to find what they have; that of a result that is scattered too."""
        result = stored_by(statement).target
        # Those that are maps along the modes that are not located.
        maps = {result.tensor: result} if len(scattered(statement, self._program)) > 1 else dict[str | int, Access]()
        for where, loops in wheres_within_loops(statement):
            target = stored_by(where.producer).target
            if target.indices:
                yield STEPS.fill * _within(iterations, loops)
            if slotted := located(target):
                empty = STEPS.empty_number if len(slotted) == len(target.indices) else STEPS.empty_list
                yield empty * self.slots(slotted) * _within(iterations, loops)
            if len(target.indices) > 1:
                maps[target.tensor] = target
        for assign, loops in assigns_within_loops(statement):
            if target := maps.get(assign.target.tensor):
                update = STEPS.slot if len(located(target)) == len(target.indices) else STEPS.update
                yield update * _within(stores, loops)
            for read in reads(assign):
                for index in located(read) if read.tensor in maps else ():
                    effort = STEPS.slot if index in located(maps[read.tensor]) else STEPS.find
                    yield effort * _within(iterations, loops[: loops.index(index) + 1])


def _converting(format: TensorFormat, conversion: Conversion, entries: float) -> float:
    """What it takes to convert an operand with so many entries as a whole."""
    if conversion.format.is_transposition_of(format):
        return STEPS.transpose + entries * STEPS.move
    return STEPS.convert + entries * (STEPS.hash if conversion.hashes else STEPS.sort)


def _begun_loops(statement: Statement, iterations: _Iterations) -> Iterator[float]:
    """What it takes, besides steps, to go from loop to loop: few iterations of each may take longer than many of one.

    A loop that takes no iteration, nearly always, is foreseen.
    """
    for loop, around in within_loops(statement):
        if isinstance(loop, Forall):
            taken = _within(iterations, (*around, loop.variable))
            yield STEPS.leave * min(taken, _within(iterations, around))
            if len({read for read in reads(loop.body) if loop.variable in stepped(read)}) > 1:
                yield STEPS.merge * taken


def _within(iterations: _Iterations, loops: Indices) -> float:
    """How many iterations the innermost of some loops takes."""
    return iterations.get(frozenset(loops), 1.0)


def _existential(atom: Atom) -> set[int]:
    return {variable for variable in atom.arguments if isinstance(variable, int)}
