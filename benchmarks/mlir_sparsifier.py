"""MLIR's sparsifier as a peer: a statement as `linalg.generic` over sparse encodings, through mlir-opt and clang.

Used where `mlir-opt`, `mlir-translate` and `clang` of one version are on the path, with or without the version in their
names; skipped where not, and where several threads are asked for, which it does not have. Products and sums only.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import irtensor as it
from benchmarks.built_libraries import Command, built_library
from benchmarks.memrefs import descriptor, descriptors, element_name, taken

NAME = "MLIR"
VERSIONS = range(30, 16, -1)
# Its own vectors help some kernels and harm others: the faster is what it is compared with.
PIPELINES = (
    "enable-runtime-library=false",
    "enable-runtime-library=false vl=8 reassociate-fp-reductions=true enable-index-optimizations=true",
)


class Tools(NamedTuple):
    """Programs of one version of LLVM."""

    opt: str
    translate: str
    clang: str

    @property
    def version(self) -> str:
        text = subprocess.run([self.opt, "--version"], capture_output=True, text=True, check=True).stdout
        found = re.search(r"version ([\d.]+)", text)
        return found.group(1) if found else "?"


@cache
def tools() -> Tools | None:
    """The newest set of programs that is complete."""
    for suffix in ("", *(f"-{version}" for version in VERSIONS)):
        found = [shutil.which(name + suffix) for name in ("mlir-opt", "mlir-translate", "clang")]
        if all(found):
            return Tools(*map(str, found))
    return None


def calls(statement: str, order: str, levels: str = "", **operands: Any) -> dict[str, Callable[[], Any]]:
    """A call of the compiled statement by the peer's name; empty where it is skipped.

    `statement` as in `C(i,j) = A(i,k) * B(k,j)`, with `*` or `+` alone; `order` has the loops from the outermost on;
    operands are dense arrays or tensors; `levels`, as in `dense, compressed`, makes the result sparse.
    """
    if tools() is None or os.environ.get("OMP_NUM_THREADS", "1") != "1":
        return {}
    program = _Program.read(statement, order, operands, levels)
    made = [program.compile(pipeline) for pipeline in PIPELINES]
    return {NAME: min(made, key=_seconds)}


def _seconds(call: Callable[[], Any]) -> float:
    call()
    times: list[float] = []
    for _ in range(3):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return min(times)


class _Operand(NamedTuple):
    indices: str
    levels: tuple[str, ...]
    """Formats of its levels, as MLIR names them; none if it is dense."""
    buffers: tuple[Any, ...]
    """Positions and coordinates from level to level and values, or the dense array."""

    @property
    def width(self) -> int:
        """Bits of positions and coordinates."""
        return 8 * self.buffers[0].itemsize if self.buffers else 32


def _operand(indices: str, array: Any) -> _Operand:
    if isinstance(array, np.ndarray):
        return _Operand(indices, (), (array,))
    arrays = [part for level in array.levels for part in (level.positions, level.coordinates) if part is not None]
    kinds = tuple("dense" if level.positions is None else "compressed" for level in array.levels)
    return _Operand(indices, kinds, (*arrays, array.values))


@dataclass(frozen=True)
class _Program:
    """A statement with its operands, ready to be written as MLIR."""

    operator: str
    order: str
    operands: tuple[_Operand, ...]
    result: _Operand
    extents: dict[str, int]

    @classmethod
    def read(cls, statement: str, order: str, arrays: dict[str, Any], levels: str) -> _Program:
        parts = [(name, indices.replace(",", "")) for name, indices in re.findall(r"(\w+)\(([\w,]+)\)", statement)]
        (_, written), *read = parts
        extents = {
            index: extent for name, indices in read for index, extent in zip(indices, arrays[name].shape, strict=True)
        }
        kinds = tuple(level.strip() for level in levels.split(",")) if levels else ()
        result = _Operand(written, kinds, () if kinds else (np.empty([extents[index] for index in written]),))
        operator = "arith.addf" if "+" in statement else "arith.mulf"
        return cls(operator, order, tuple(_operand(indices, arrays[name]) for name, indices in read), result, extents)

    def compile(self, pipeline: str) -> Callable[[], Any]:
        """A function without arguments that computes the statement."""
        library = _build(self.text(), pipeline)
        arguments = [descriptor(buffer) for operand in self.operands for buffer in operand.buffers]
        call = library._mlir_ciface_kernel
        if not self.result.levels:
            out = self.result.buffers[0]
            returned = descriptor(out)

            def dense() -> Any:
                out.fill(0.0)
                call(ctypes.byref(returned), *map(ctypes.byref, arguments), ctypes.byref(descriptor(out)))
                return out

            return dense
        structure = descriptors(self._result_ranks())

        def sparse() -> Any:
            returned = structure()
            call(ctypes.byref(returned), *map(ctypes.byref, arguments))
            parts = [taken(getattr(returned, name)) for name, _ in structure._fields_]
            return self._assembled(parts)

        return sparse

    def _result_ranks(self) -> list[str]:
        stored = [element for level in self.result.levels if level == "compressed" for element in ("i32", "i32")]
        return [*stored, "f64"]

    def _assembled(self, parts: list[Any]) -> it.Tensor:
        shape = tuple(self.extents[index] for index in self.result.indices)
        format = f"{', '.join(self.result.levels)}, pos = i32, crd = i32"
        *stored, values = parts
        remaining = iter(stored)
        levels = [
            (next(remaining), next(remaining)) if level == "compressed" else (None, None)
            for level in self.result.levels
        ]
        return it.Tensor.from_buffers(shape, format, levels, values, check=False)

    # The text.

    def text(self) -> str:
        """The module."""
        arguments = [f"%{name} : {kind}" for name, kind in self._buffers()]
        lines = [
            f"func.func @kernel({', '.join(arguments)}) -> {self._returned()}",
            "    attributes { llvm.emit_c_interface } {",
            *(line for number, operand in enumerate(self.operands) for line in self._tensor(number, operand)),
            *self._body(),
            "}",
        ]
        return "\n".join(lines)

    def _buffers(self) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for number, operand in enumerate(self.operands):
            found += [(f"b{number}_{position}", _flat(buffer)) for position, buffer in enumerate(operand.buffers)]
        if not self.result.levels:
            found.append(("out", self._type(self.result)))
        return found

    def _type(self, operand: _Operand) -> str:
        shape = "x".join(str(self.extents[index]) for index in operand.indices)
        if not operand.levels:
            return f"tensor<{shape}xf64>"
        names = [f"d{number}" for number in range(len(operand.levels))]
        levels = ", ".join(f"{name} : {level}" for name, level in zip(names, operand.levels, strict=True))
        encoding = f"map = ({', '.join(names)}) -> ({levels}), posWidth = {operand.width}, crdWidth = {operand.width}"
        return f"tensor<{shape}xf64, #sparse_tensor.encoding<{{ {encoding} }}>>"

    def _tensor(self, number: int, operand: _Operand) -> list[str]:
        kind = self._type(operand)
        names = [f"%b{number}_{position}" for position in range(len(operand.buffers))]
        kinds = [_flat(buffer) for buffer in operand.buffers]
        if not operand.levels:
            return [f"  %t{number} = tensor.cast {names[0]} : {kinds[0]} to {kind}"]
        *stored, values = names
        return [
            f"  %t{number} = sparse_tensor.assemble ({', '.join(stored)}), {values}"
            f" : ({', '.join(kinds[:-1])}), {kinds[-1]} to {kind}"
        ]

    def _body(self) -> list[str]:
        loops = ", ".join(self.order)
        maps = [f"affine_map<({loops}) -> ({', '.join(operand.indices)})>" for operand in (*self.operands, self.result)]
        iterators = ['"parallel"' if index in self.result.indices else '"reduction"' for index in self.order]
        traits = f"{{ indexing_maps = [{', '.join(maps)}], iterator_types = [{', '.join(iterators)}] }}"
        names = ", ".join(f"%t{number}" for number in range(len(self.operands)))
        kinds = ", ".join(map(self._type, self.operands))
        result = self._type(self.result)
        start = [f"  %out = tensor.empty() : {result}"] if self.result.levels else []
        scalars = [f"%s{number}" for number in range(len(self.operands))]
        arguments = ", ".join(f"{scalar} : f64" for scalar in (*scalars, "%old"))
        combined = [f"    %v0 = {self.operator} {scalars[0]}, {scalars[1]} : f64"]
        for number, scalar in enumerate(scalars[2:], start=1):
            combined.append(f"    %v{number} = {self.operator} %v{number - 1}, {scalar} : f64")
        value = f"%v{len(scalars) - 2}"
        if '"reduction"' in iterators:
            combined.append(f"    %sum = arith.addf %old, {value} : f64")
            value = "%sum"
        return [
            *start,
            f"  %r = linalg.generic {traits} ins({names} : {kinds}) outs(%out : {result}) {{",
            f"  ^bb0({arguments}):",
            *combined,
            f"    linalg.yield {value} : f64",
            f"  }} -> {result}",
            *self._return(result),
        ]

    def _return(self, kind: str) -> list[str]:
        if not self.result.levels:
            return [f"  return %r : {kind}"]
        lines: list[str] = []
        names: list[str] = []
        for number, level in enumerate(self.result.levels):
            if level == "compressed":
                for part in ("positions", "coordinates"):
                    name = f"%{part}{number}"
                    of_level = f"%r {{ level = {number} : index }} : {kind} to memref<?xi32>"
                    names.append(name)
                    lines.append(f"  {name} = sparse_tensor.{part} {of_level}")
        names.append("%values")
        lines.append(f"  %values = sparse_tensor.values %r : {kind} to memref<?xf64>")
        kinds = self._returned().strip("()")
        return [*lines, f"  return {', '.join(names)} : {kinds}"]

    def _returned(self) -> str:
        if not self.result.levels:
            return self._type(self.result)
        return f"({', '.join(f'memref<?x{element}>' for element in self._result_ranks())})"


def _flat(buffer: Any) -> str:
    extents = "?x" * buffer.ndim
    return f"tensor<{extents}{element_name(buffer)}>"


def _build(text: str, pipeline: str) -> ctypes.CDLL:
    """Compile a module for this machine and load it."""
    programs = tools()
    assert programs is not None

    def commands(source: Path) -> list[Command]:
        lowered, native, library = map(source.with_suffix, (".mlir", ".ll", ".so"))
        return [
            [programs.opt, source, f"--sparsifier={pipeline}", "-o", lowered],
            [programs.translate, "--mlir-to-llvmir", lowered, "-o", native],
            [programs.clang, "-O3", "-march=native", "-w", "-shared", "-fPIC", native, "-o", library],
        ]

    return built_library(f"{programs}{pipeline}", text, commands)
