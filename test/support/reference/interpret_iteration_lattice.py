"""Runs `iteration_lattice` at every stage of its rewriting: a nest is evaluated at one coordinate after the other.

Independent of the rewrites: an unfurled level is looked up in the storage by scanning it, and no loop is shortened.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from reference.entries_below import entries_below, first_position
from reference.fibers import Fiber, ReadFiber, child, positions_at
from reference.index_map import IndexMap
from reference.interpret_loop import Interpreter, run_function
from reference.interpret_scalars import combine, evaluate_scalar
from reference.loop_memory import IndexSet
from reference.merged_levels import made_by_splits, merge_array, shape_before, split_array
from reference.workspace import Workspace
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp
from irtensor.dialects.algebra.scalar_types import constant_value
from irtensor.dialects.iteration_lattice import iteration_lattice as lattice
from irtensor.dialects.iteration_lattice.looplets import JumperOp, LoopletType, StepperOp, YieldOp
from irtensor.dialects.loop.loop_growables import DataOp
from irtensor.dialects.loop.loop_memory import LoadOp
from irtensor.dialects.loop.loop_types import CellType
from irtensor.dialects.storage import storage
from irtensor.tensors.tensor import Tensor

_BEYOND = (1 << 63) - 1


@dataclass
class _Result:
    """Components written so far, by their coordinates in level order."""

    op: storage.ResultOp
    initial: Any
    values: dict[tuple[int, ...], Any] = field(default_factory=dict)
    last: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def place(self, path: tuple[int, ...]) -> None:
        """Check that levels which are appended to are visited in the order of their coordinates."""
        levels = storage.format_of(self.op.result.type).levels
        number = len(path) - 1
        level = levels[number].format
        if level.access.inserts or not level.ordered:
            return
        before = self.last.get(number)
        in_order = before is None or before < path or (before == path and not level.unique)
        assert in_order, f"{path} is appended after {before}"
        self.last[number] = path


@dataclass(frozen=True)
class _Slot:
    result: _Result | Workspace
    path: tuple[int, ...] = ()


_INITIAL = object()


def interpret_iteration_lattice(
    module: ModuleOp, operands: Sequence[Tensor | np.ndarray], shape: Sequence[int], absent: Any = _INITIAL
) -> Any:
    """Call the module's first function; `shape` is that of its one result, which is given as a dense array.

    `absent` stands for components that were not written, by default what the result was initialised with.
    """
    function = next(op for op in module.body.block.ops if isinstance(op, FuncOp))
    interpreter = _Interpreter(module)
    for argument, operand in zip(function.body.block.args, operands, strict=True):
        interpreter.values[argument] = operand if isinstance(operand, Tensor) else Tensor.from_numpy(operand)
    interpreter.shape = tuple(shape)
    for op in function.body.block.ops:
        if isinstance(op, ReturnOp):
            return interpreter.dense(op.arguments[0], absent)
        interpreter.run(op)
    raise AssertionError("a function ends in func.return")


def interpret_function(module: ModuleOp, name: str, arguments: Sequence[Any]) -> None:
    """Call a function of looplets and loops, whose arguments are those that `interpret_loop` takes."""
    run_function(_Interpreter(module), module, name, arguments)


class _Interpreter(Interpreter):
    shape: tuple[int, ...]

    def dense(self, value: SSAValue, absent: Any) -> np.ndarray:
        made, splits = made_by_splits(value)
        result = self.values[made]
        format = storage.format_of(made.type)
        shape = shape_before(splits, self.shape)
        array = np.full(shape, result.initial if absent is _INITIAL else absent, object)
        for path, element in result.values.items():
            array[tuple(path[format.dimension_order.index(d)] for d in range(format.rank))] = element
        return split_array(array, splits, self.shape)

    def run(self, op: Operation) -> None:
        if isinstance(op, storage.SplitLevelOp) or (op.results and isinstance(op.results[0].type, LoopletType)):
            return  # evaluated where it is used
        handler = getattr(self, f"_{op.name.replace('.', '_')}", None)
        if handler is not None:
            handler(op)
        elif isinstance(op, ConstantOp | ApplyOp | CastOp):
            self.values[op.results[0]] = evaluate_scalar(op, {v: _plain(self.values[v]) for v in op.operands})
        else:
            with np.errstate(all="ignore"):
                super().run(op)

    def call(self, region: Region, arguments: Sequence[Any]) -> list[Any]:
        """Run a region; gives the values, or the nests themselves, that it yields."""
        typed = [np.int64(value) if type(value) is int else value for value in arguments]
        self.values.update(zip(region.block.args, typed, strict=True))
        for op in region.block.ops:
            if isinstance(op, YieldOp):
                return [v if isinstance(v.type, LoopletType) else self.values[v] for v in op.values]
            self.run(op)
        return []

    # Storage.

    def _storage_result(self, op: storage.ResultOp) -> None:
        initial = storage.fill_of(op.result.type) if op.initial is None else constant_value(op.initial)
        self.values[op.result] = _Result(op, initial)

    def _storage_merge_levels(self, op: storage.MergeLevelsOp) -> None:
        array = merge_array(self.values[op.tensor].to_numpy(), op)
        self.values[op.result] = Tensor.from_numpy(array, storage.format_of(op.result.type))

    def _storage_root(self, op: storage.RootOp) -> None:
        tensor = self.values[op.tensor]
        root = _Slot(tensor) if isinstance(tensor, _Result) else Fiber(op.result.type, tensor, 0, 1)
        self.values[op.result] = root

    def _storage_fiber(self, op: storage.FiberOp) -> None:
        begin, end = int(self.values[op.begin]), int(self.values[op.end])
        path = tuple(int(self.values[one]) for one in op.path)
        self.values[op.result] = Fiber(op.result.type, self.values[op.tensor], begin, end, path)

    def _storage_fill_fiber(self, op: storage.FillFiberOp) -> None:
        self.values[op.result] = Fiber(op.result.type, None)

    def _storage_optional_fiber(self, op: storage.OptionalFiberOp) -> None:
        fiber = self.values[op.fiber]
        self.values[op.result] = fiber if self.values[op.present] else replace(fiber, tensor=None)

    def _storage_dim(self, op: storage.DimOp) -> None:
        tensor = self.values[op.tensor]
        if isinstance(tensor, Workspace):
            shape = tensor.extents
        else:
            shape = self.shape if isinstance(tensor, _Result) else tensor.shape
        self.values[op.result] = np.int64(shape[op.dimension.value.data])

    def _storage_array(self, op: storage.ArrayOp) -> None:
        tensor, level = self.values[op.tensor], op.level.value.data
        if isinstance(tensor, Workspace):
            read = {"positions": tensor.parts, "coordinates": tensor.listed, "flags": tensor.flags}[op.array.data]
            self.values[op.result] = read(level)
        else:
            self.values[op.result] = _readable(getattr(tensor.levels[level], op.array.data))

    def _storage_growable(self, op: storage.GrowableOp) -> None:
        """Only what a workspace has listed is reached in this way before results are assembled."""
        assert op.array.data == "slots", f"{op.array.data} do not grow here"
        count = len(self.values[op.tensor].prefixes(op.level.value.data))
        self.values[op.result] = np.arange(count + 1, dtype=np.int64)

    def _loop_data(self, op: DataOp) -> None:
        self.values[op.buffer] = self.values[op.growable]

    def _storage_values(self, op: storage.ValuesOp) -> None:
        tensor = self.values[op.tensor]
        self.values[op.result] = tensor.elements() if isinstance(tensor, Workspace) else _readable(tensor.values)

    def _storage_workspace(self, op: storage.WorkspaceOp) -> None:
        self.values[op.result] = Workspace(op, tuple(int(self.values[extent]) for extent in op.extents))

    def _storage_initialize(self, op: storage.InitializeOp) -> None:
        workspace = self.values[op.tensor]
        workspace.values.clear()
        self.values[op.fiber] = _Slot(workspace)

    def _storage_finalize(self, op: storage.FinalizeOp) -> None:
        self.values[op.fiber] = ReadFiber(op.fiber.type, self.values[op.tensor], ())

    def _storage_stored(self, op: storage.StoredOp) -> None:
        self.values[op.result] = np.int64(self.values[op.tensor].stored(op.level.value.data))

    def _storage_index_set(self, op: storage.IndexSetOp) -> None:
        workspace, level = self.values[op.tensor], op.level.value.data
        members = IndexSet(workspace.size(level))
        members.members.update(map(int, workspace.listed(level)[:-1]))
        self.values[op.result] = members

    def _storage_index_map(self, op: storage.IndexMapOp) -> None:
        map = IndexMap()
        map.slots = self.values[op.tensor].pairs(op.level.value.data)
        self.values[op.result] = map

    # Entries.

    def _iteration_lattice_entry(self, op: lattice.EntryOp) -> None:
        entries, number = entries_below(self.values[op.fiber], len(op.past)), int(self.values[op.number])
        past = [int(self.values[value]) for value in op.past]
        found = entries[number] if number < len(entries) else past
        ends = [int(self.values[end]) for end in op.between]
        assert not ends or number >= len(entries) or ends[0] <= found[0] <= ends[1], f"{found} is not between {ends}"
        self.values.update(zip(op.coordinates, map(np.int64, found), strict=True))

    def _iteration_lattice_entry_count(self, op: lattice.EntryCountOp) -> None:
        entries = entries_below(self.values[op.fiber], op.levels.value.data)
        before = tuple(int(self.values[one]) for one in op.before)
        counted = [entry for entry in entries if tuple(entry) < before] if before else entries
        self.values[op.result] = np.int64(len(counted))

    def _iteration_lattice_entry_number(self, op: lattice.EntryNumberOp) -> None:
        position, fiber = self._position(op.found), self.values[op.fiber]
        if position is None:
            self.values[op.result] = self.values[op.past]
            return
        first = first_position(fiber, op.levels.value.data)
        self.values[op.result] = np.int64(position - first - int(self.values[op.first]))

    def _position(self, found: SSAValue) -> int | None:
        """Where an element was read that a loop has found; None if nothing is stored there."""
        if isinstance(found.owner, Block):
            binder = found.owner.parent_op()
            assert isinstance(binder, lattice.CoiterateOp) and isinstance(found, BlockArgument)
            unfurl = binder.nests[found.index - 1].owner
            assert isinstance(unfurl, lattice.UnfurlOp)
            fiber = self.values[unfurl.fiber]
            if fiber.tensor is None:
                return None
            coordinate = int(self.values[found.owner.args[0]])
            positions = positions_at(fiber, fiber.tensor, fiber.type.level.data, coordinate)
            return positions[0] if positions else None
        return int(self.values[found.owner.index]) if isinstance(found.owner, LoadOp) else None

    # Statements.

    def _iteration_lattice_place(self, op: lattice.PlaceOp) -> None:
        slot, first = self.values[op.fiber], int(self.values[op.coordinate])
        until = first + 1 if op.until is None else int(self.values[op.until])
        assert first < until, f"the range from {first} to {until} is empty"
        for coordinate in range(first, until):
            path = (*slot.path, coordinate)
            slot.result.place(path)
            self.call(op.body, [_Slot(slot.result, path)])

    def _iteration_lattice_update(self, op: lattice.UpdateOp) -> None:
        target, value = self.values[op.target], _plain(self.values[op.value])
        slot: _Slot | None = None if isinstance(op.target.type, CellType) else target
        if slot is not None and isinstance(slot.result, _Result) and slot.result.op.kernel_purpose == "assemble":
            slot.result.values[slot.path] = slot.result.initial
            return
        old = target[0] if slot is None else slot.result.values.get(slot.path, slot.result.initial)
        new = value if op.operator is None else combine(op.operator, _plain(old), value, op.value.type, op)
        if slot is None:
            target[0] = new
        else:
            slot.result.values[slot.path] = new

    def _iteration_lattice_if(self, op: lattice.IfOp) -> None:
        self.run_block(op.then.block if self.values[op.condition] else op.otherwise.block)

    def _iteration_lattice_point(self, op: lattice.PointOp) -> None:
        running, end = self.values[op.running], self.values[op.end]
        if running[0] < end:
            self.call(op.body, [running[0], end])
        running[0] = max(running[0], end)

    def _iteration_lattice_walk(self, op: lattice.WalkOp) -> None:
        for position in range(int(self.values[op.begin]), int(self.values[op.end])):
            self.call(op.body, [np.int64(position)])

    def _iteration_lattice_coiterate(self, op: lattice.CoiterateOp) -> None:
        lo, hi = int(self.values[op.lo]), int(self.values[op.hi])
        assert op.unit is None or hi == lo + 1
        for coordinate in range(lo, hi):
            payloads = [self.denote(nest, coordinate, lo, hi) for nest in op.nests]
            self.call(op.body, [np.int64(coordinate), *payloads])

    def _iteration_lattice_merge(self, op: lattice.MergeOp) -> None:
        cells, stops = [self.values[cursor] for cursor in op.cursors], [int(self.values[end]) for end in op.ends]
        sentinel, nonunique = ({n.data for n in numbers.data} for numbers in (op.sentinel, op.nonunique))
        hi, running = int(self.values[op.hi]), int(self.values[op.lo])
        everyone = range(len(cells))
        while True:
            left = [cell[0] < stop for cell, stop in zip(cells, stops, strict=True)]
            bounding = [left[k] for k in everyone if k not in sentinel]
            if not (running < hi if op.cut is not None else all(bounding) if bounding else any(left)):
                return
            positions = [int(cells[k][0]) if left[k] or k not in sentinel else 0 for k in everyone]
            loaded = self.call(op.load, positions)
            ends = [int(loaded[k]) if left[k] or k not in sentinel else _BEYOND for k in everyone]
            gallop, limits = op.strategy.data == "gallop", [hi] if op.cut is not None else []
            end: int = max(ends) if gallop else min([*ends, *limits])
            aligned = [chunk_end == end for chunk_end in ends]
            after = [self._after(op, k, positions, stops[k], ends[k]) if aligned[k] else positions[k] for k in everyone]
            shown = [after[k] if k in nonunique else positions[k] + 1 for k in everyone]
            self._iteration(op, aligned, [running, end, *positions, *shown])
            for k in everyone:
                if aligned[k]:
                    cells[k][0] = np.int64(after[k])
                elif gallop:
                    while cells[k][0] < stops[k] and self._end(op, k, positions, int(cells[k][0])) < end:
                        cells[k][0] += 1
            running = end

    def _iteration(self, op: lattice.MergeOp, aligned: Sequence[bool], arguments: list[Any]) -> None:
        matching = [number for number, case in enumerate(op.case_sets()) if all(aligned[k] for k in case)]
        if matching:
            body = op.bodies[0 if op.selects else matching[0]]
            self.call(body, [*arguments, *(map(np.bool_, aligned) if op.selects else [])])

    def _end(self, op: lattice.MergeOp, k: int, positions: Sequence[int], position: int) -> int:
        return int(self.call(op.load, [*positions[:k], position, *positions[k + 1 :]])[k])

    def _after(self, op: lattice.MergeOp, k: int, positions: Sequence[int], stop: int, end: int) -> int:
        after = positions[k] + 1
        if k in {number.data for number in op.nonunique.data}:
            while after < stop and self._end(op, k, positions, after) == end:
                after += 1
        return after

    # What a nest denotes.

    def denote(self, nest: SSAValue, coordinate: int, lo: int, hi: int) -> Any:
        """The payload of a nest over [lo, hi) at one coordinate."""
        op = nest.owner
        match op:
            case lattice.UnfurlOp():
                return child(self.values[op.fiber], coordinate)
            case lattice.ThunkOp():
                fiber = self.values[op.fiber]
                if fiber.tensor is None:
                    return child(fiber, coordinate)
                return self.denote(self.call(op.body, [fiber.begin, fiber.end, *fiber.path])[0], coordinate, lo, hi)
            case lattice.RunOp():
                return self.values[op.payload]
            case lattice.LookupOp():
                (found,) = self.call(op.body, [np.int64(coordinate)])
                if isinstance(found, SSAValue):
                    return self.denote(found, coordinate, coordinate, coordinate + 1)
                return found
            case lattice.SpikeOp():
                return self.values[op.tail if coordinate == hi - 1 else op.gap]
            case lattice.SwitchOp():
                chosen = op.positive if self.values[op.condition] else op.negative
                return self.denote(chosen, coordinate, lo, hi)
            case lattice.SequenceOp():
                return self._phase(op, coordinate, lo, hi)
            case _:
                assert isinstance(op, StepperOp | JumperOp), f"'{op}' makes no looplet"
                return self._chunk(op, coordinate, lo)

    def _phase(self, op: lattice.SequenceOp, coordinate: int, lo: int, hi: int) -> Any:
        ends = [int(self.values[end]) for end in op.ends]
        for inner, end in zip(op.nests, [*ends, hi], strict=True):
            if coordinate < end:
                return self.denote(inner, coordinate, lo, min(end, hi) if inner is op.nests[-1] else end)
            lo = max(lo, end)
        raise AssertionError("a sequence covers its range")

    def _chunk(self, op: StepperOp | JumperOp, coordinate: int, lo: int) -> Any:
        first, stop = int(self.values[op.cursor][0]), int(self.values[op.end])
        if coordinate >= int(self.values[op.stop]) and op.nonordered is None:
            return _gap(op)
        ends = [int(self.call(op.load, [np.int64(p)])[0]) for p in range(first, stop)]
        if op.nonordered is not None:
            number = (
                ends.index(coordinate + 1)
                if coordinate + 1 in ends
                else next(n for n, end in enumerate(ends) if end > coordinate + 1 or n + 1 == len(ends))
            )
        else:
            number = next(n for n, end in enumerate(ends) if end > coordinate)
        after = number + 1
        while op.nonunique is not None and after < len(ends) and ends[after] == ends[number]:
            after += 1
        (nest,) = self.call(op.chunk, [np.int64(first + number), np.int64(first + after)])
        return self.denote(nest, coordinate, lo, ends[number] if ends[number] > coordinate else coordinate + 2)


def _gap(op: StepperOp | JumperOp) -> Any:
    """What holds behind the last chunk: the payload of gaps, or NaN, which shows if it matters, where none is known."""
    payload = op.result.type.payload
    if isinstance(payload, storage.FiberType):
        return Fiber(payload, None)
    end = op.chunk.block.last_op
    assert isinstance(end, YieldOp)
    nest = end.values[0].owner
    if isinstance(nest, lattice.LookupOp) and isinstance(last := nest.body.block.last_op, YieldOp):
        nest = last.values[0].owner
    if isinstance(nest, lattice.SwitchOp) and isinstance(rest := nest.negative.owner, lattice.RunOp):
        gap = rest.payload.owner
    else:
        gap = nest.gap.owner if isinstance(nest, lattice.SpikeOp) else None
    return gap.scalar if isinstance(gap, ConstantOp) else math.nan


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _readable(array: Any) -> Any:
    """Every array that generated code sees has an element 0."""
    return array if array.size else np.zeros(1, array.dtype)
