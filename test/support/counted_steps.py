"""Counts the steps of a function of loops, as the interpreter does, by a Python function that is written for it.

A step that touches another cache line than the same operation did before counts as several, so that loops down the
columns of a matrix count as what they are. What a cell has is in a register, and takes no step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from reference.index_map import IndexMap
from reference.loop_memory import Growable, IndexSet
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

# Elements of a cache line, and how many further steps it takes to get another one.
LINE, MISS = 8, 4


class Steps(NamedTuple):
    """What a call took: operations, elements that were filled or copied, and cache lines."""

    operations: int
    elements: int
    lines: int

    @property
    def weighted(self) -> int:
        return self.operations + self.elements + MISS * self.lines


def count_steps(module: ModuleOp, arguments: Sequence[Any]) -> Steps:
    """Call the function of a module with arrays, growables and numbers; arrays are written in place."""
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    # Elements of lists are read and written much faster than those of arrays.
    given = [a.tolist() if isinstance(a, np.ndarray) else a for a in arguments]
    given = [_Grown() if isinstance(a, Growable) else a for a in given]
    operations, elements, lines = _Writer(function).function()(*given)
    for before, after in zip(arguments, given, strict=True):
        if isinstance(before, np.ndarray):
            before[:] = after
        elif isinstance(before, Growable):
            before.storage, before.size = np.array(after.storage, before.storage.dtype), after.size
    return Steps(operations, elements, lines)


class _Grown:
    """A growable: its memory is one list, so that what has it sees it grow."""

    def __init__(self) -> None:
        self.storage: list[Any] = []
        self.size = 0

    def reserve(self, count: int) -> None:
        self.storage.extend([0] * (count - len(self.storage)))


def _divide(a: float, b: float) -> float:
    if b:
        return a / b
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)


def _function_of(name: str) -> Callable[..., Any]:
    function = getattr(np, {"absf": "abs", "powf": "power"}.get(name, name))
    return lambda *operands: float(function(*operands))


def _before(buffer: list[Any], first: int, last: int, key: Any, equal: bool) -> int:
    """The position up to which elements are before a key, by steps of halves."""
    while first < last:
        middle = (first + last) // 2
        if buffer[middle] < key or (equal and buffer[middle] == key):
            first = middle + 1
        else:
            last = middle
    return first


_INFIX = {
    **dict.fromkeys(("addi", "addf"), "+"),
    **dict.fromkeys(("subi", "subf"), "-"),
    **dict.fromkeys(("muli", "mulf"), "*"),
    **dict.fromkeys(("divsi", "divui", "floordivsi"), "//"),
    **{"remui": "%", "remsi": "%", "andi": "&", "ori": "|", "xori": "^", "shli": "<<", "shrsi": ">>", "shrui": ">>"},
}
_ORDERINGS = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
_FLOAT_ORDERINGS = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 13: "!="}
_SAME = ("index_cast", "sitofp", "extf", "truncf", "extsi", "trunci")
_CALLS = {
    **{"extui": "int", "uitofp": "int", "negf": "-", "divf": "divide"},
    **{"minsi": "min", "maxsi": "max", "minui": "min", "maxui": "max"},
    **{"minimumf": "minimum", "maximumf": "maximum", "minnumf": "minimum", "maxnumf": "maximum"},
}
_NAMES: dict[str, Any] = {
    "minimum": lambda a, b: math.nan if a != a or b != b else min(a, b),
    "maximum": lambda a, b: math.nan if a != a or b != b else max(a, b),
    "divide": _divide,
    "before": _before,
    "IndexSet": IndexSet,
    "IndexMap": IndexMap,
    "Grown": _Grown,
}


class _Writer:
    """Writes the function: a line for each operation, one that counts for each block."""

    def __init__(self, function: FuncOp) -> None:
        self.names: dict[SSAValue, str] = {}
        self.lines: list[str] = []
        self.places = 0
        block = function.body.block
        self.parameters = [self.name(argument) for argument in block.args]
        self.block(block, 1)

    def function(self) -> Callable[..., tuple[int, int, int]]:
        last = [f"last{number}" for number in range(self.places)]
        head = [f"def kernel({', '.join(self.parameters)}):", " steps = elements = misses = 0"]
        head += [f" {' = '.join(last)} = -1"] if last else []
        text = "\n".join([*head, *self.lines, " return steps, elements, misses"])
        functions = {f"np_{name}": _function_of(name) for name in _functions_in(text)}
        made: dict[str, Any] = {**_NAMES, **functions}
        with np.errstate(all="ignore"):
            exec(text, made)

        def call(*arguments: Any) -> tuple[int, int, int]:
            with np.errstate(all="ignore"):
                return made["kernel"](*arguments)

        return call

    def name(self, value: SSAValue) -> str:
        return self.names.setdefault(value, f"v{len(self.names)}")

    def block(self, block: Block, depth: int, *, without_last: bool = False) -> None:
        operations = list(block.ops)[: -1 if without_last else None]
        counted = sum(op.name != "loop.get" for op in operations)
        self.put(depth, f"steps += {counted}")
        for op in operations:
            self.operation(op, depth)

    def put(self, depth: int, text: str) -> None:
        self.lines.append(" " * depth + text)

    def operation(self, op: Operation, depth: int) -> None:
        operands = [self.name(operand) for operand in op.operands]
        dialect, _, name = op.name.partition(".")
        if dialect == "loop":
            write = getattr(self, f"_{name}")
            text = write(op, depth, *operands)
        else:
            text = "None" if op.name == "func.return" else _scalar(op, name, *operands)
        if text is not None and op.results:
            self.put(depth, f"{self.name(op.results[0])} = {text}")

    # What touches memory.

    def line_of(self, index: str, depth: int) -> None:
        last = f"last{self.places}"
        self.places += 1
        self.put(depth, f"if {last} != {index} // {LINE}: misses += 1; {last} = {index} // {LINE}")

    def _load(self, op: Operation, depth: int, buffer: str, index: str) -> str:
        self.line_of(index, depth)
        return f"{buffer}[{index}]"

    def _store(self, op: Operation, depth: int, value: str, buffer: str, index: str) -> None:
        self.line_of(index, depth)
        self.put(depth, f"{buffer}[{index}] = {value}")

    def _fill(self, op: Operation, depth: int, value: str, buffer: str, lower: str, upper: str) -> None:
        self.put(depth, f"if {upper} > {lower}: elements += {upper} - {lower}")
        self.put(depth, f"if {upper} > {lower}: {buffer}[{lower}:{upper}] = [{value}] * ({upper} - {lower})")

    def _copy(self, op: Operation, depth: int, source: str, start: str, target: str, to: str, count: str) -> None:
        self.put(depth, f"elements += {count}")
        self.put(depth, f"{target}[{to}:{to}+{count}] = {source}[{start}:{start}+{count}]")

    def _lower_bound(self, op: Operation, depth: int, *operands: str) -> str:
        return f"before({', '.join(operands)}, False)"

    def _upper_bound(self, op: Operation, depth: int, *operands: str) -> str:
        return f"before({', '.join(operands)}, True)"

    def _prefix_sum(self, op: Operation, depth: int, buffer: str, lower: str, upper: str, start: str = "0") -> None:
        result = self.name(op.results[0]) if op.results else "unused"
        self.put(depth, f"{result} = {start}")
        self.put(depth, f"for at in range({lower}, {upper} + 1):")
        self.put(depth + 1, f"if at < {upper}: {buffer}[at], {result} = {result}, {result} + {buffer}[at]")
        self.put(depth + 1, f"else: {buffer}[at] = {result}")

    # Cells and counters.

    def _cell(self, op: Operation, depth: int, initial: str = "0") -> str:
        return f"[{initial}]"

    _counter = _cell

    def _get(self, op: Operation, depth: int, cell: str) -> str:
        return f"{cell}[0]"

    _count = _get

    def _set(self, op: Operation, depth: int, value: str, cell: str) -> None:
        self.put(depth, f"{cell}[0] = {value}")

    def _append(self, op: Operation, depth: int, entries: str, counter: str) -> None:
        self.put(depth, f"{counter}[0] += {entries}")

    def _close(self, op: Operation, depth: int, positions: str, place: str, counter: str, to: str = "") -> None:
        to = to or f"({place} + 1)"
        self.put(depth, f"{positions}[{place}:{to}] = [{counter}[0]] * ({to} - {place})")

    def _assembled(self, op: Operation, depth: int, growable: str, counter: str, width: str, first: str) -> None:
        self.put(depth, f"{growable}.size = {counter}[0] * {width} + {first}")

    # Memory that grows, and sets.

    def _scratch(self, op: Operation, depth: int) -> str:
        return "Grown()"

    def _reserve(self, op: Operation, depth: int, growable: str, count: str) -> None:
        self.put(depth, f"{growable}.reserve({count})")

    def _data(self, op: Operation, depth: int, growable: str) -> str:
        return f"{growable}.storage"

    def _capacity(self, op: Operation, depth: int, growable: str) -> str:
        return f"len({growable}.storage)"

    def _set_size(self, op: Operation, depth: int, growable: str, size: str) -> None:
        self.put(depth, f"{growable}.size = {size}")

    def _require(self, op: Operation, depth: int, condition: str) -> None:
        self.put(depth, f"assert {condition}")

    def _index_set(self, op: Operation, depth: int, extent: str, memory: str = "") -> str:
        return f"IndexSet({extent})"

    def _insert(self, op: Operation, depth: int, member: str, set: str) -> str:
        return f"{set}.insert({member})"

    def _remove(self, op: Operation, depth: int, member: str, set: str) -> str:
        return f"{set}.remove({member})"

    def _contains(self, op: Operation, depth: int, member: str, set: str) -> str:
        return f"{member} in {set}.members"

    def _members(self, op: Operation, depth: int, set: str, buffer: str) -> str:
        # To list one, by scanning words of bits.
        self.put(depth, f"elements += len({set}.members)")
        return f"{set}.list_into({buffer}, {'drain' in op.properties})"

    def _clear(self, op: Operation, depth: int, set: str) -> None:
        self.put(depth, f"{set}.members.clear()")

    def _visit(self, op: Operation, depth: int, set: str) -> None:
        self.put(depth, f"members = sorted({set}.members); {set}.members.clear()")
        self.put(depth, f"for {self.name(op.regions[0].block.args[0])} in members:")
        self.block(op.regions[0].block, depth + 1)

    # Maps, of which each look-up goes to a line of its own.

    def _index_map(self, op: Operation, depth: int, *capacity: str) -> str:
        return "IndexMap()"

    def _pair(self, op: Operation, depth: int, method: str, outer: str, coordinate: str, map: str) -> None:
        self.put(depth, "misses += 1")
        slot, present = (self.name(result) for result in op.results)
        self.put(depth, f"{slot}, {present} = {map}.{method}({outer}, {coordinate})")

    def _map_insert(self, op: Operation, depth: int, *operands: str) -> None:
        self._pair(op, depth, "insert", *operands)

    def _map_find(self, op: Operation, depth: int, *operands: str) -> None:
        self._pair(op, depth, "find", *operands)

    def _map_count(self, op: Operation, depth: int, map: str) -> str:
        return f"len({map}.slots)"

    def _map_list(self, op: Operation, depth: int, map: str, parents: str, *buffers: str) -> None:
        self.put(depth, f"elements += len({map}.slots)")
        unordered = "unordered" in op.properties
        self.put(depth, f"{map}.list_into({parents}, {', '.join(buffers)}, {unordered})")

    def _map_clear(self, op: Operation, depth: int, map: str) -> None:
        self.put(depth, f"{map}.slots.clear()")

    # Loops and branches.

    def _for(self, op: Operation, depth: int, lower: str, upper: str) -> None:
        self.put(depth, f"for {self.name(op.regions[0].block.args[0])} in range({lower}, {upper}):")
        self.block(op.regions[0].block, depth + 1)

    def _while(self, op: Operation, depth: int) -> None:
        self.put(depth, "while True:")
        self.block(op.regions[0].block, depth + 1, without_last=True)
        last = op.regions[0].block.last_op
        assert last is not None
        self.put(depth + 1, f"if not {self.name(last.operands[0])}: break")
        self.block(op.regions[1].block, depth + 1)

    def _if(self, op: Operation, depth: int, condition: str) -> None:
        self.put(depth, f"if {condition}:")
        self.block(op.regions[0].block, depth + 1)
        if op.regions[1].first_block is not None:
            self.put(depth, "else:")
            self.block(op.regions[1].block, depth + 1)

    def _reduce(self, op: Operation, depth: int, value: str, cell: str) -> None:
        block = op.regions[0].block
        for argument, given in zip(block.args, (f"{cell}[0]", value), strict=True):
            self.put(depth, f"{self.name(argument)} = {given}")
        self.block(block, depth, without_last=True)
        last = block.last_op
        assert last is not None
        self.put(depth, f"{cell}[0] = {self.name(last.operands[0])}")


def _scalar(op: Operation, name: str, *operands: str) -> str:
    """An expression of an operation of arithmetic."""
    if name in _INFIX:
        return f" {_INFIX[name]} ".join(operands)
    if name == "constant":
        return _constant(op)
    if name in ("cmpi", "cmpf"):
        predicate = op.properties["predicate"].value.data  # pyrefly: ignore[missing-attribute]
        orderings = dict(enumerate(_ORDERINGS)) if name == "cmpi" else _FLOAT_ORDERINGS
        return f"{operands[0]} {orderings[predicate]} {operands[1]}"
    if name == "select":
        return f"{operands[1]} if {operands[0]} else {operands[2]}"
    if name in _SAME:
        return operands[0]
    function = _CALLS.get(name, f"np_{name}")
    assert name in _CALLS or op.name.startswith("math."), f"steps of {op.name} are not counted"
    return f"{function}({', '.join(operands)})"


def _constant(op: Operation) -> str:
    value = op.properties["value"]
    assert isinstance(value, IntegerAttr | FloatAttr)
    number = value.value.data
    return f"float('{number}')" if isinstance(value, FloatAttr) else repr(number)


def _functions_in(text: str) -> set[str]:
    return {part.partition("(")[0] for part in text.split("np_")[1:]}
