"""Nests of looplets of all kinds, as text of the IR beside the vectors that they stand for, and products of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Random = np.random.Generator
Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Nest:
    """A vector; arguments of a function, with their values; code that makes a nest `%$` of them."""

    vector: Array
    arguments: dict[str, tuple[str, Any]]
    code: str


_VALUES = "!loop.buffer<f64>"
_NUMBERS = "!loop.buffer<index>"
_FILL = """  %$zero = algebra.constant 0.0 : f64
  %$gap = iteration_lattice.run %$zero : f64 -> !nest
"""
_VALUE = "    %v = loop.load %$values[%p] : f64\n"
_SPIKE = """    %g = algebra.constant 0.0 : f64
    %nest = iteration_lattice.spike %g, %v : f64, f64 -> !nest
"""
_RUN = "    %nest = iteration_lattice.run %v : f64 -> !nest\n"
_AFTER_GAP = """    %begin = loop.load %$begins[%p] : index
    %g = algebra.constant 0.0 : f64
    %before = iteration_lattice.run %g : f64 -> !nest
"""


def _chunks(chunk: str, stop: str, kind: str = "stepper", name: str = "%$") -> str:
    return f"""  %$cursor = loop.cell %origin : index
  {name} = iteration_lattice.{kind} %$cursor to %$count until {stop} : !loop.cell<index> -> !nest load {{
  ^bb0(%p: index):
    %end = loop.load %$ends[%p] : index
    iteration_lattice.yield %end : index
  }} chunk {{
  ^bb0(%p: index, %after: index):
{chunk}    iteration_lattice.yield %nest : !nest
  }}
"""


def _block(base: str, name: str) -> str:
    """Elements one after the other from a position, at coordinates from %$begin or %begin on."""
    begin = "%$begin" if name.startswith("%$") else "%begin"
    return f"""  {name} = iteration_lattice.lookup !nest {{
  ^bb0(%i: index):
    %from = arith.subi %i, {begin} : index
    %at = arith.addi %from, {base} : index
    %x = loop.load %$values[%at] : f64
    iteration_lattice.yield %x : f64
  }}
"""


def _phases(ends: str, nests: str) -> str:
    types = ", ".join(["!nest"] * (nests.count(",") + 1))
    return f"  %$ = iteration_lattice.sequence until {ends} nests {nests} : {types} -> !nest\n"


def _readable(array: Array, dtype: type = np.int64) -> Array:
    """Every array that code sees has an element 0."""
    return np.asarray(array if array.size else np.zeros(1), dtype)


def _stored(n: int, random: Random) -> tuple[Array, dict[str, tuple[str, Any]], Array]:
    coordinates = np.flatnonzero(random.random(n) < 0.4)
    values = random.integers(1, 5, coordinates.size).astype(float)
    arguments = {
        "ends": (_NUMBERS, _readable(coordinates + 1)),
        "values": (_VALUES, _readable(values, float)),
        "count": ("index", coordinates.size),
        "stop": ("index", int(coordinates[-1]) + 1 if coordinates.size else 0),
    }
    vector = np.zeros(n)
    vector[coordinates] = values
    return vector, arguments, coordinates


def dense(n: int, random: Random) -> Nest:
    vector = random.integers(1, 5, n).astype(float)
    arguments = {"values": (_VALUES, _readable(vector, float)), "begin": ("index", 0)}
    return Nest(vector, arguments, _block("%origin", "%$"))


def _list_of(kind: str) -> Callable[[int, Random], Nest]:
    def make(n: int, random: Random) -> Nest:
        vector, arguments, _ = _stored(n, random)
        chunks = _chunks(_VALUE + _SPIKE, "%$stop", kind, "%$list")
        return Nest(vector, arguments, _FILL + chunks + _phases("%$stop", "%$list, %$gap"))

    return make


def bare_list(n: int, random: Random) -> Nest:
    """A list without a phase behind its last entry: what gaps have holds there."""
    vector, arguments, _ = _stored(n, random)
    return Nest(vector, arguments, _chunks(_VALUE + _SPIKE, "%$stop"))


def late_list(n: int, random: Random) -> Nest:
    """A list whose entries before a coordinate do not count."""
    vector, arguments, _ = _stored(n, random)
    begin = int(random.integers(0, n + 1))
    vector[:begin] = 0
    arguments["late"] = "index", begin
    arguments["last"] = "index", max(begin, arguments["stop"][1])
    chunks = _chunks(_VALUE + _SPIKE, "%$stop", name="%$list")
    return Nest(vector, arguments, _FILL + chunks + _phases("%$late, %$last", "%$gap, %$list, %$gap"))


def runs(n: int, random: Random) -> Nest:
    """Runs that cover all coordinates."""
    ends = np.append(np.flatnonzero(random.random(n) < 0.4), n)
    ends = np.unique(ends[ends > 0])
    values = random.integers(0, 4, ends.size).astype(float)
    vector = np.repeat(values, np.diff(ends, prepend=0))
    arguments = {
        "ends": (_NUMBERS, _readable(ends)),
        "values": (_VALUES, _readable(values, float)),
        "count": ("index", ends.size),
    }
    return Nest(vector, arguments, _chunks(_VALUE + _RUN, "%n"))


def _pieces(n: int, random: Random, touching: bool) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    end = 0
    while True:
        begin = end + int(random.integers(0 if touching or not found else 1, 4))
        end = begin + int(random.integers(1, 4))
        if end > n:
            return found
        found.append((begin, end))


def _pieces_arguments(pieces: Sequence[tuple[int, int]], values: Array) -> dict[str, tuple[str, Any]]:
    return {
        "begins": (_NUMBERS, _readable(np.array([begin for begin, _ in pieces]))),
        "ends": (_NUMBERS, _readable(np.array([end for _, end in pieces]))),
        "values": (_VALUES, _readable(values, float)),
        "count": ("index", len(pieces)),
        "stop": ("index", pieces[-1][1] if pieces else 0),
    }


def sparse_runs(n: int, random: Random) -> Nest:
    pieces = _pieces(n, random, touching=True)
    values = random.integers(1, 5, len(pieces)).astype(float)
    vector = np.zeros(n)
    for (begin, end), value in zip(pieces, values, strict=True):
        vector[begin:end] = value
    run = "    %run = iteration_lattice.run %v : f64 -> !nest\n"
    nest = "    %nest = iteration_lattice.sequence until %begin nests %before, %run : !nest, !nest -> !nest\n"
    chunks = _chunks(_VALUE + _AFTER_GAP + run + nest, "%$stop", name="%$list")
    code = _FILL + chunks + _phases("%$stop", "%$list, %$gap")
    return Nest(vector, _pieces_arguments(pieces, values), code)


def _blocks(n: int, random: Random, word: str) -> Nest:
    pieces = _pieces(n, random, touching=False)
    vector = np.zeros(n)
    for begin, end in pieces:
        vector[begin:end] = random.integers(1, 5, end - begin)
    arguments = _pieces_arguments(pieces, np.concatenate([np.zeros(0), *(vector[b:e] for b, e in pieces)]))
    offsets = np.cumsum([0, *(end - begin for begin, end in pieces)])
    arguments["offsets"] = _NUMBERS, _readable(offsets)
    block = "    %offset = loop.load %$offsets[%p] : index\n" + _block("%offset", "%block")
    nest = f"    %nest = iteration_lattice.sequence {word}until %begin nests %before, %block : !nest, !nest -> !nest\n"
    chunks = _chunks(_AFTER_GAP + block + nest, "%$stop", name="%$list")
    return Nest(vector, arguments, _FILL + chunks + _phases("%$stop", "%$list, %$gap"))


def blocks(n: int, random: Random) -> Nest:
    return _blocks(n, random, "")


def inside_blocks(n: int, random: Random) -> Nest:
    """Blocks that say that they begin inside of their chunks, so that a gap without an effect may be skipped."""
    return _blocks(n, random, "inside ")


def _one_piece(n: int, random: Random, begin: int, end: int, *, is_run: bool) -> Nest:
    vector = np.zeros(n)
    values = random.integers(1, 5, max(end - begin, 1)).astype(float)
    vector[begin:end] = values[0] if is_run else values[: end - begin]
    arguments = {"begin": ("index", begin), "end": ("index", end), "values": (_VALUES, values)}
    run = "  %$v = loop.load %$values[%origin] : f64\n  %$piece = iteration_lattice.run %$v : f64 -> !nest\n"
    piece = run if is_run else _block("%origin", "%$piece")
    return Nest(vector, arguments, _FILL + piece + _phases("%$begin, %$end", "%$gap, %$piece, %$gap"))


def band(n: int, random: Random) -> Nest:
    begin = int(random.integers(0, n + 1))
    return _one_piece(n, random, begin, int(random.integers(begin, n + 1)), is_run=False)


def interval(n: int, random: Random) -> Nest:
    begin = int(random.integers(0, n + 1))
    return _one_piece(n, random, begin, int(random.integers(begin, n + 1)), is_run=True)


def point(n: int, random: Random) -> Nest:
    """One coordinate, which the code says: its end is its begin and one."""
    begin = int(random.integers(0, n + 1))
    piece = _one_piece(n, random, begin, min(begin + 1, n), is_run=True)
    after = "  %$one = arith.constant 1 : index\n  %$after = arith.addi %$begin, %$one : index\n"
    return Nest(piece.vector, piece.arguments, after + piece.code.replace("%$begin, %$end", "%$begin, %$after"))


def ragged(n: int, random: Random) -> Nest:
    return _one_piece(n, random, 0, int(random.integers(0, n + 1)), is_run=False)


def mask(n: int, random: Random) -> Nest:
    """1 before a coordinate, or from it on."""
    end = int(random.integers(0, n + 1))
    vector = np.zeros(n)
    first = bool(random.integers(2))
    vector[slice(end) if first else slice(end, None)] = 1
    one = "  %$one = algebra.constant 1.0 : f64\n  %$all = iteration_lattice.run %$one : f64 -> !nest\n"
    code = _FILL + one + _phases("%$end", "%$all, %$gap" if first else "%$gap, %$all")
    return Nest(vector, {"end": ("index", end)}, code)


def last_entry(n: int, random: Random) -> Nest:
    """One entry, at the end of a phase."""
    end = int(random.integers(0, n + 1))
    vector = np.zeros(n)
    vector[max(end - 1, 0) : end] = 2
    code = """  %$two = algebra.constant 2.0 : f64
  %$entry = iteration_lattice.spike %$zero, %$two : f64, f64 -> !nest
"""
    return Nest(vector, {"end": ("index", end)}, _FILL + code + _phases("%$end", "%$entry, %$gap"))


def switch(n: int, random: Random) -> Nest:
    """A list, or nothing."""
    vector, arguments, _ = _stored(n, random)
    chosen = bool(random.integers(2))
    arguments["chosen"] = "i1", chosen
    chunks = _chunks(_VALUE + _SPIKE, "%$stop", name="%$list")
    some = "  %$some = iteration_lattice.sequence until %$stop nests %$list, %$gap : !nest, !nest -> !nest\n"
    choice = "  %$ = iteration_lattice.switch %$chosen, %$some, %$gap : !nest, !nest -> !nest\n"
    return Nest(vector * chosen, arguments, _FILL + chunks + some + choice)


def late_switch(n: int, random: Random) -> Nest:
    """Nothing before a coordinate, then a list or nothing."""
    late, chosen = late_list(n, random), bool(random.integers(2))
    vector, arguments, code = late.vector, late.arguments, late.code
    arguments["chosen"] = "i1", chosen
    choice = "  %$some = iteration_lattice.switch %$chosen, %$list, %$gap : !nest, !nest -> !nest\n"
    code = code.replace("  %$ = iteration_lattice.sequence", choice + "  %$ = iteration_lattice.sequence")
    return Nest(vector * chosen, arguments, code.replace("nests %$gap, %$list", "nests %$gap, %$some"))


def bitmap(n: int, random: Random) -> Nest:
    flags = random.random(n) < 0.4
    values = random.integers(1, 5, n).astype(float)
    arguments = {"values": (_VALUES, _readable(values, float)), "flags": ("!loop.buffer<i1>", _readable(flags, bool))}
    code = """  %$ = iteration_lattice.lookup !nest {
  ^bb0(%i: index):
    %flag = loop.load %$flags[%i] : i1
    %v = loop.load %$values[%i] : f64
    %some = iteration_lattice.run %v : f64 -> !nest
    %g = algebra.constant 0.0 : f64
    %none = iteration_lattice.run %g : f64 -> !nest
    %nest = iteration_lattice.switch %flag, %some, %none : !nest, !nest -> !nest
    iteration_lattice.yield %nest : !nest
  }
"""
    return Nest(values * flags, arguments, code)


KINDS: dict[str, Callable[[int, Random], Nest]] = {
    "dense": dense,
    "list": _list_of("stepper"),
    "jumper": _list_of("jumper"),
    "bare_list": bare_list,
    "late_list": late_list,
    "runs": runs,
    "sparse_runs": sparse_runs,
    "blocks": blocks,
    "inside_blocks": inside_blocks,
    "band": band,
    "interval": interval,
    "point": point,
    "ragged": ragged,
    "mask": mask,
    "last_entry": last_entry,
    "switch": switch,
    "late_switch": late_switch,
    "bitmap": bitmap,
}
# An operator of a user, of which nothing is known: it has an effect where all operands have gaps.
_OPAQUE = """algebra.operator @opaque(%a: f64, %b: f64) -> f64 {
  %two = algebra.constant 2.0 : f64
  %twice = algebra.apply mul(%two, %a) : (f64, f64) -> f64
  %rest = algebra.apply sub(%twice, %b) : (f64, f64) -> f64
  %one = algebra.constant 1.0 : f64
  %sum = algebra.apply add(%rest, %one) : (f64, f64) -> f64
  algebra.yield %sum : f64
}
"""


def _folded(first: Array, others: Sequence[Array]) -> Array:
    for other in others:
        first = 2 * first - other + 1
    return first


# What a body adds up, over two nests and over three, and its meaning.
BODIES: dict[str, tuple[Sequence[str], Callable[..., Array]]] = {
    "product": (("mul",), lambda a, *others: np.prod([a, *others], axis=0)),
    "sum": (("add",), lambda a, *others: np.sum([a, *others], axis=0)),
    "max": (("max",), lambda a, *others: np.max([a, *others], axis=0)),
    "opaque": (("@opaque",), lambda a, *others: _folded(a, others)),
    "product_and_sum": (("mul", "add"), lambda a, b, *others: a * b + sum(others)),
    "sum_and_product": (("add", "mul"), lambda a, b, *others: np.prod([a + b, *others], axis=0)),
}


def program(
    kinds: Sequence[str], body: str, n: int, random: Random, window: tuple[int, int] | None = None
) -> tuple[str, list[Any], float]:
    """IR that adds up a body over the coordinates of some nests, all or those of a window; arguments; the sum.

    The function `f` stores the sum into its last argument.
    """
    nests = [KINDS[kind](n, random) for kind in kinds]
    lo, hi = window or (0, n)
    given: list[tuple[str, str, Any]] = [("%n", "index", n), ("%lo", "index", lo), ("%hi", "index", hi)]
    code: list[str] = []
    for k, nest in enumerate(nests):
        name = f"%n{k}_"
        given += [(name + key, type, value) for key, (type, value) in nest.arguments.items()]
        code.append(nest.code.replace("%$", name))
    given.append(("%out", _VALUES, np.zeros(1)))
    names = [f"%n{k}_" for k in range(len(nests))]
    operators, meaning = BODIES[body]
    steps: list[str] = []
    value = "%x0"
    for k in range(1, len(nests)):
        operator = operators[min(k - 1, len(operators) - 1)]
        steps.append(f"    %t{k} = algebra.apply {operator}({value}, %x{k}) : (f64, f64) -> f64\n")
        value = f"%t{k}"
    payloads = ", ".join(f"%x{k}: f64" for k in range(len(nests)))
    bounds = "full %origin to %n" if window is None else "%lo to %hi"
    text = f"""!nest = !iteration_lattice.looplet<f64>
{_OPAQUE if body == "opaque" else ""}func.func @f({", ".join(f"{name}: {type}" for name, type, _ in given)}) {{
  %origin = arith.constant 0 : index
{"".join(code)}  %none = algebra.constant 0.0 : f64
  %sum = loop.cell %none : f64
  iteration_lattice.coiterate {bounds} over {", ".join(names)} : {", ".join(["!nest"] * len(nests))} {{
  ^bb0(%i: index, {payloads}):
{"".join(steps)}    iteration_lattice.update add {value} into %sum : f64, !loop.cell<f64>
  }}
  %all = loop.get %sum : f64
  loop.store %all, %out[%origin] : f64
  func.return
}}
"""
    expected = meaning(*(nest.vector[lo:hi] for nest in nests)) if len(nests) > 1 else nests[0].vector[lo:hi]
    return text, [value for _, _, value in given], float(expected.sum())
