"""Runs kernels for a GPU on the CPU, from the same code: so they can be tried, and tested, without a card."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Mapping

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Operation

from irtensor.dialects.kernel_attributes import MAXIMAL_THREADS
from irtensor.passes.wrong_stage import wrong_stage
from irtensor.runtime.cpu_engine import NativeFunction, compile_llvm_text
from irtensor.runtime.emit_nvvm import emit_nvvm
from irtensor.runtime.emulated_threads import EmulatedKernel, Order, Wait, emulator_functions, run_grid
from irtensor.runtime.emulator_code import emulator_code
from irtensor.runtime.llvm_text import address_space, type_text
from irtensor.runtime.thread_pool import note_failure
from irtensor.runtime.thread_pool_code import Context

# A small grid: fewer threads than iterations, so that what has to hold from one to the next is tried as well. Kernels
# that say how many threads a block has get these.
BLOCKS, THREADS = 3, 4
_UNITS = BLOCKS * THREADS
MOST_THREADS = 1024
# Functions of NVIDIA's library for devices, of which the names are those of C behind this.
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
# In which order the threads of a grid run: forward, backward, or shuffled by a random generator.
order: Order = "forward"


def context_address() -> int:
    """What host code for emulated kernels is passed about the device."""
    return ctypes.addressof(_context)


class EmulatedKernels:
    """The kernels of a module, compiled for the CPU; `imports` are the functions by which host code launches them.

    Threads that wait for others, at barriers or in shuffles, are fibers. What a block shares is overwritten with NaN,
    or large integers, before each block.
    Raises UserError [wrong-stage] where a block shares memory whose size only a launch says.
    """

    def __init__(self, kernels: ModuleOp) -> None:
        functions = {op.sym_name.data: op for op in kernels.body.block.ops if isinstance(op, llvm.FuncOp)}
        functions = {name: op for name, op in functions.items() if op.body.blocks}
        self._places = _places(functions)
        self._kernels = _grids(functions, kernels)
        runtime = emulator_functions()
        text = _LIBDEVICE.sub(r"@\1(", emit_nvvm(kernels))
        types = {name: _types(function) for name, function in functions.items()}
        code = emulator_code(text, types, _memories(kernels), runtime.declarations)
        entry, *others = "irtensor.emulate", "irtensor.poison_block"
        self.native: NativeFunction = compile_llvm_text(
            code, entry, effort="none", imports=runtime.addresses, exports=others
        )
        self._poison = self.native.address_of("irtensor.poison_block")
        self._launch = _LAUNCH(self._launched)
        launch = ctypes.cast(self._launch, ctypes.c_void_p).value
        assert launch is not None
        self.imports = {"irtensor.launch": launch, "irtensor.read": runtime.addresses["irtensor.read"]}

    def _launched(self, context: int, number: int, iterations: int, words: int) -> int:
        try:
            run_grid(self._kernels[number], self.native.address, self._poison, words, order, self._places)
        except BaseException as error:
            return note_failure(error)
        return 0


def _grids(functions: Mapping[str, llvm.FuncOp], kernels: ModuleOp) -> list[EmulatedKernel]:
    """The kernels by their numbers, with grids for them."""
    waiting = _waiting(functions)
    stack = _STACK + sum(map(_stack_bytes, kernels.walk()))
    grids: list[EmulatedKernel] = []
    for number, (name, function) in enumerate(functions.items()):
        size = function.attributes.get(MAXIMAL_THREADS)
        threads = math.prod(size.get_values()) if isinstance(size, DenseArrayBase) else THREADS
        if not 0 < threads <= MOST_THREADS:
            message = f"a block of '{name}' has {threads} threads"
            raise wrong_stage(function, "nvvm", message, f"blocks have 1 to {MOST_THREADS} threads")
        grids.append(EmulatedKernel(name, number, BLOCKS, int(threads), name in waiting, stack))
    return grids


def _waiting(functions: Mapping[str, llvm.FuncOp]) -> set[str]:
    """Functions whose threads need those of their block: they wait, share memory, or call one that does."""
    inside = {name: list(function.walk()) for name, function in functions.items()}
    found = {name for name, ops in inside.items() if any(map(_needs_block, ops))}
    while more := {name for name, ops in inside.items() if name not in found and found.intersection(map(_callee, ops))}:
        found |= more
    return found


def _needs_block(op: Operation) -> bool:
    return op.name in _WAITING or (isinstance(op, llvm.AddressOfOp) and _is_shared(op.result.type))


def _is_shared(type: Attribute) -> bool:
    return isinstance(type, llvm.LLVMPointerType) and address_space(type) == _SHARED


def _callee(op: Operation) -> str | None:
    return op.callee.root_reference.data if isinstance(op, llvm.CallOp) and op.callee is not None else None


def _places(functions: Mapping[str, llvm.FuncOp]) -> list[Wait]:
    """Where threads wait, in the order of the text."""
    places: list[Wait] = []
    for name, function in functions.items():
        numbers: Counter[str] = Counter()
        for op in function.walk():
            if op.name in _WAITING:
                numbers[name] += 1
                kind = getattr(op.properties.get("kind"), "data", "")
                places.append(Wait(f"{op.name} {kind}".rstrip(), op.name != _BARRIER, numbers[name]))
    return places


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
