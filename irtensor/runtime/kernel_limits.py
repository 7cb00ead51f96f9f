"""What kernels may ask of a GPU: threads of a block, parameters, and memory that a block shares."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, ModuleOp, SymbolRefAttr
from xdsl.ir import Attribute, Operation

from irtensor.dialects.llvm.kernel_attributes import KERNEL, MAXIMAL_THREADS, MINIMAL_BLOCKS, MOST_SHARED, SHARED_SPACE
from irtensor.dialects.loop.loop_units import MOST_THREADS
from irtensor.errors import UserError
from irtensor.passes.nvvm.support.value_size import size_of
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.wrong_stage import wrong_stage

# Of PTX before version 8.1, in bytes.
_MOST_PARAMETERS = 4352
_MOST_DIMENSIONS = 3
_MOST_BLOCKS = 1 << 31
_PTX_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_$]*|[_$][A-Za-z0-9_$]+")
_KNOWN = (KERNEL, MAXIMAL_THREADS, MINIMAL_BLOCKS)


def check_kernels(module: ModuleOp) -> None:
    """Raise UserError [wrong-stage] at a function that asks for more than each GPU has, or has no name in PTX."""
    functions = [op for op in module.body.block.ops if isinstance(op, llvm.FuncOp) and op.body.blocks]
    _check_names(module)
    for function in functions:
        _check_attributes(function)
        if KERNEL in function.attributes:
            _check_parameters(function)
    _check_shared(module, functions)


def _check_names(module: ModuleOp) -> None:
    for op in module.body.block.ops:
        if not isinstance(op, llvm.FuncOp | llvm.GlobalOp):
            continue
        name = op.sym_name.data
        # LLVM gives other names to what nobody outside of the module uses, but for quotes and spaces.
        is_own = op.linkage.linkage.data in ("internal", "private") or not op.body.blocks
        if not _PTX_NAME.fullmatch(name.replace(".", "_") if is_own else name):
            help = "give it a name of letters, digits, '_' and '$' that begins with no digit"
            raise wrong_stage(op, "nvvm", f"'{name}' is not a valid PTX name", help)


def _check_attributes(function: llvm.FuncOp) -> None:
    for name, value in function.attributes.items():
        if name.startswith("nvvm.") and name not in _KNOWN:
            help = f"remove it: PTX is written for {MAXIMAL_THREADS} and {MINIMAL_BLOCKS}"
            raise wrong_stage(function, "nvvm", f"no PTX is written for the attribute '{name}' = {value}", help)
    threads, blocks = (function.attributes.get(name) for name in (MAXIMAL_THREADS, MINIMAL_BLOCKS))
    if threads is not None:
        _check_threads(function, threads)
    if blocks is not None and not (isinstance(blocks, IntegerAttr) and 0 < blocks.value.data < _MOST_BLOCKS):
        message = f"'{function.sym_name.data}' has {MINIMAL_BLOCKS} = {blocks}, which is not a number of blocks"
        raise wrong_stage(function, "nvvm", message, f"write a number of 1 or more, such as {MINIMAL_BLOCKS} = 2 : i32")


def _check_threads(function: llvm.FuncOp, threads: Attribute) -> None:
    name = function.sym_name.data
    numbers: tuple[int, ...] = ()
    if isinstance(threads, DenseArrayBase) and isinstance(threads.elt_type, IntegerType):
        numbers = tuple(map(int, threads.get_values()))
    if not 0 < len(numbers) <= _MOST_DIMENSIONS:
        expected = f"an array of 1 to {_MOST_DIMENSIONS} numbers"
        message = f"'{name}' has {MAXIMAL_THREADS} = {threads}, which is not {expected}"
        raise wrong_stage(function, "nvvm", message, f"write {MAXIMAL_THREADS} = array<i32: 128>")
    count = math.prod(numbers)
    if min(numbers) < 1 or count > MOST_THREADS:
        text = " x ".join(map(str, numbers))
        message = f"a block of '{name}' has {text} threads"
        raise wrong_stage(function, "nvvm", message, f"blocks have 1 to {MOST_THREADS} threads")


def _check_parameters(function: llvm.FuncOp) -> None:
    size = 0
    for type in function.function_type.inputs.data:
        own = size_of(type)
        size += -size % min(own, 8) + own
    if size > _MOST_PARAMETERS:
        count = len(function.function_type.inputs)
        message = f"the {count} parameters of '{function.sym_name.data}' have {size} bytes"
        message += f", and a kernel takes at most {_MOST_PARAMETERS}"
        raise wrong_stage(function, "nvvm", message, "pass fewer, or the address of memory that has them")


# Memory that a block shares.


def _check_shared(module: ModuleOp, functions: list[llvm.FuncOp]) -> None:
    memories = [op for op in module.body.block.ops if isinstance(op, llvm.GlobalOp)]
    shared = {one.sym_name.data: one for one in memories if one.addr_space.value.data == SHARED_SPACE}
    if not shared:
        return
    uses = {function.sym_name.data: list(_symbols(function)) for function in functions}
    for function in functions:
        reached = _reached(function.sym_name.data, uses)
        used = [one for name, one in shared.items() if name in reached]
        sizes = [size_of(one.global_type) for one in used]
        if sum(sizes) <= MOST_SHARED:
            continue
        if len(used) == 1:
            raise _too_much(used[0], f"'{used[0].sym_name.data}' has {sizes[0]} bytes")
        parts = [f"'{one.sym_name.data}' of {size}" for one, size in zip(used, sizes, strict=True)]
        text = f"{', '.join(parts[:-1])} and {parts[-1]} bytes"
        raise _too_much(function, f"'{function.sym_name.data}' uses {text}, {sum(sizes)} together")


def _too_much(op: Operation, what: str) -> UserError:
    help = "share fewer elements, or use the same memory again"
    return wrong_stage(op, "nvvm", f"{what}, and a block shares at most {MOST_SHARED}", help)


def _symbols(function: llvm.FuncOp) -> Iterator[str]:
    """Names of globals and functions that a function uses itself."""
    for block in function.body.blocks:
        for op in operations_of(block):
            name = op.properties.get("global_name") or op.properties.get("callee")
            if name is not None and isinstance(name, SymbolRefAttr):
                yield name.root_reference.data


def _reached(name: str, uses: dict[str, list[str]]) -> set[str]:
    """What a function uses, itself or by what it calls."""
    found = {name}
    waiting = [name]
    while waiting:
        new = [one for one in uses.get(waiting.pop(), ()) if one not in found]
        found.update(new)
        waiting += new
    return found
