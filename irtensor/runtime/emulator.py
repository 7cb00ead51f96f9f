"""Runs kernels for a GPU on the CPU, from the same code: so they can be tried, and tested, without a card."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Mapping, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Operation

from irtensor.dialects.llvm.kernel_attributes import MAXIMAL_THREADS
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.wrong_stage import wrong_stage
from irtensor.runtime.cpu_engine import compile_llvm_text
from irtensor.runtime.emit_nvvm import emit_nvvm
from irtensor.runtime.emulated_threads import EmulatedGrid, EmulatedKernel, Order, Wait, emulator_functions
from irtensor.runtime.emulator_code import emulator_code
from irtensor.runtime.llvm_text import address_space, type_text
from irtensor.runtime.native_function import NativeFunction
from irtensor.runtime.thread_pool import note_failure
from irtensor.runtime.thread_pool_code import Context

# A small grid: fewer threads than iterations, so that what has to hold from one to the next is tried as well. Kernels
# that say how many threads a block has get these.
BLOCKS, THREADS = 3, 4
_UNITS = BLOCKS * THREADS
# Functions of NVIDIA's library for devices: this prefix, then the name in C.
_LIBDEVICE = re.compile(r"@__nv_(\w+)\(")
_LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
_context = Context(None, _UNITS, 1, _UNITS, None, None)
# Operations where a thread waits for others.
_BARRIER = "nvvm.barrier0"
_WAITING = frozenset(
    (_BARRIER, "nvvm.bar.warp.sync", "nvvm.shfl.sync", "nvvm.vote.sync", "nvvm.redux.sync", "nvvm.match.sync")
)
_SHARED = 3
# A stack has so much beside what the code of kernels takes, which has at most as much for each value.
_STACK, _VALUE = 64 << 10, 64
# In which order the threads of a grid run: forward, backward, or shuffled by a random generator. Where "greedy" threads
# wait for each other, the last one that can go on does so, ahead of others that have not begun.
order: Order = "forward"


def context_address() -> int:
    """What host code for emulated kernels is passed about the device."""
    return ctypes.addressof(_context)


class EmulatedKernels:
    """The kernels of a module, compiled for the CPU; `imports` are the functions by which host code launches them.

    Threads that wait for others, at barriers or in shuffles, are fibers. What a block shares is overwritten with NaN,
    or large integers, before each block.
    Raises UserError [wrong-stage] where a block shares memory whose size only a launch says, or has more than 1024
    threads.
    """

    def __init__(self, kernels: ModuleOp) -> None:
        functions = [op for op in kernels.body.block.ops if isinstance(op, llvm.FuncOp) and op.body.blocks]
        inside = {function.sym_name.data: _operations(function) for function in functions}
        calls = _waiting_calls(inside)
        own = emulator_functions()
        text = _LIBDEVICE.sub(r"@\1(", emit_nvvm(kernels))
        types = {function.sym_name.data: _types(function) for function in functions}
        code = emulator_code(text, types, _memories(kernels), own.declarations)
        entry, *others = "irtensor.emulate", "irtensor.poison_block"
        self.native: NativeFunction = compile_llvm_text(
            code, entry, effort="none", imports=own.addresses, exports=others
        )
        grids = _grids(functions, inside)
        poison = self.native.address_of("irtensor.poison_block")
        self._grids = [EmulatedGrid(each, own, self.native.address, poison, calls) for each in grids]
        self._launch = _LAUNCH(self._launched)
        launch = ctypes.cast(self._launch, ctypes.c_void_p).value
        assert launch is not None
        given = {name: own.addresses[name] for name in ("irtensor.memset", "irtensor.read")}
        self.imports = {"irtensor.launch": launch, **given}

    def _launched(self, context: int, number: int, iterations: int, words: int) -> int:
        try:
            self._grids[number].run(words, order)
        except BaseException as error:
            return note_failure(error)
        return 0


def _operations(function: llvm.FuncOp) -> list[Operation]:
    return [op for block in function.body.blocks for op in operations_of(block)]


def _grids(functions: Sequence[llvm.FuncOp], inside: Mapping[str, Sequence[Operation]]) -> list[EmulatedKernel]:
    """The kernels by their numbers, with grids for them."""
    waiting = _waiting(inside)
    stack = _STACK + (sum(_stack_bytes(op) for ops in inside.values() for op in ops) if waiting else 0)
    kernels: list[EmulatedKernel] = []
    for number, function in enumerate(functions):
        name = function.sym_name.data
        size = function.attributes.get(MAXIMAL_THREADS)
        threads = int(math.prod(size.get_values())) if isinstance(size, DenseArrayBase) else THREADS
        kernels.append(EmulatedKernel(name, number, BLOCKS, threads, name in waiting, stack))
    return kernels


def _waiting(inside: Mapping[str, Sequence[Operation]]) -> set[str]:
    """Functions whose threads need those of their block: they wait, share memory, or call one that does."""
    found = {name for name, ops in inside.items() if any(map(_needs_block, ops))}
    more = found
    while more:
        more = {name for name in inside.keys() - found if found.intersection(map(_callee, inside[name]))}
        found |= more
    return found


def _needs_block(op: Operation) -> bool:
    return op.name in _WAITING or (op.name == "llvm.mlir.addressof" and _is_shared(op.results[0].type))


def _is_shared(type: Attribute) -> bool:
    return isinstance(type, llvm.LLVMPointerType) and address_space(type) == _SHARED


def _callee(op: Operation) -> str | None:
    return op.callee.root_reference.data if isinstance(op, llvm.CallOp) and op.callee is not None else None


def _waiting_calls(inside: Mapping[str, Sequence[Operation]]) -> list[Wait]:
    """Where threads wait, in the order of the text."""
    calls: list[Wait] = []
    for ops in inside.values():
        for number, op in enumerate((op for op in ops if op.name in _WAITING), 1):
            kind = getattr(op.properties.get("kind"), "data", "")
            calls.append(Wait(f"{op.name} {kind}".rstrip(), op.name != _BARRIER, number))
    return calls


def _memories(kernels: ModuleOp) -> dict[str, str]:
    """The types of what a block shares, by name."""
    found: dict[str, str] = {}
    for op in kernels.body.block.ops:
        if isinstance(op, llvm.GlobalOp) and op.addr_space.value.data == _SHARED:
            if op.linkage.linkage.data == "external":
                message = f"the size of '{op.sym_name.data}' is said by a launch, and the emulator says none"
                raise wrong_stage(op, "nvvm", message, "give it a size, and make it internal")
            found[op.sym_name.data] = type_text(op.global_type)
    return found


def _stack_bytes(op: Operation) -> int:
    """At most how many bytes of stack an operation takes, if that is known."""
    size = _VALUE * len(op.results)
    if isinstance(op, llvm.AllocaOp) and isinstance(op.size.owner, llvm.ConstantOp):
        count = op.size.owner.value
        if isinstance(count, IntegerAttr):
            size += count.value.data * _type_bytes(op.elem_type)
    return size


def _type_bytes(type: Attribute) -> int:
    """At most how many bytes a value of a type takes in memory."""
    if isinstance(type, llvm.LLVMArrayType):
        return type.size.data * _type_bytes(type.type)
    if isinstance(type, llvm.LLVMStructType):
        return sum(map(_type_bytes, type.types.data))
    return _VALUE


def _types(function: llvm.FuncOp) -> list[str]:
    return [type_text(type) for type in function.function_type.inputs]
