"""The pass `lower-loop-to-llvm`: functions of the `loop` dialect with upstream scalars, to the `llvm` dialect."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i1,
    i8,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.llvm.kernel_attributes import KERNEL
from irtensor.dialects.loop.loop import NARROW_VECTORS
from irtensor.dialects.support.create_operation import create_block
from irtensor.dialects.support.expect import expect
from irtensor.passes.llvm.support.compile_effort import effort_for
from irtensor.passes.llvm.support.function_builder import (
    EQ,
    POINTER,
    UNOPTIMIZED,
    declare,
)
from irtensor.passes.llvm.support.function_lowering import (
    FunctionLowering,
    Growable,
    argument_types,
    bind_arguments,
    check_type,
)
from irtensor.passes.llvm.support.lower_atomics import ATOMIC_HANDLERS
from irtensor.passes.llvm.support.lower_complex import COMPLEX_HANDLERS
from irtensor.passes.llvm.support.lower_control import CONTROL_HANDLERS, polls
from irtensor.passes.llvm.support.lower_lanes import LANE_HANDLERS
from irtensor.passes.llvm.support.lower_launches import LAUNCH_HANDLERS
from irtensor.passes.llvm.support.lower_maps import MAP_HANDLERS, make_map
from irtensor.passes.llvm.support.lower_memory import MEMORY_HANDLERS
from irtensor.passes.llvm.support.lower_parallel import PARALLEL_HANDLERS
from irtensor.passes.llvm.support.lower_scalars import SCALAR_HANDLERS
from irtensor.passes.llvm.support.lower_sets import SET_HANDLERS
from irtensor.passes.support.pass_base import TensorPass, our_functions
from irtensor.passes.support.wrong_stage import refuse_own_memory, wrong_stage

_UNIT = UnitAttr()
_NO_ALIAS = DictionaryAttr({"llvm.noalias": _UNIT, "llvm.nonnull": _UNIT, "llvm.noundef": _UNIT})
_DEFINED = DictionaryAttr({"llvm.noundef": _UNIT})
# Attribute of functions that take a context for threads after their other arguments.
USES_THREADS = ("irtensor-threads", "last-argument")
# That of functions marked NARROW_VECTORS.
_NARROW = ("irtensor-vectors", "narrow")


def _lower_return(state: FunctionLowering, op: Operation) -> None:
    if op.operands:
        raise wrong_stage(op, LowerLoopToLlvmPass.name, _NO_RESULTS, _STORE_RESULTS)
    state.leave()


def _lower_call(state: FunctionLowering, op: Operation) -> None:
    """Call another function of the module; its failure is the caller's failure."""
    if op.results:
        raise wrong_stage(op, LowerLoopToLlvmPass.name, _NO_RESULTS, _STORE_RESULTS)
    builder = state.builder
    operands: list[SSAValue] = []
    for operand in op.operands:
        value: Any = state.values[operand]
        if isinstance(value, Growable):
            operands.append(value.data)
        elif isinstance(value, tuple):
            operands.extend(value)
        elif value.type == i1:
            operands.append(builder.value(llvm.ZExtOp, (value,), i8))
        else:
            operands.append(value)
    callee = expect(op.properties["callee"], SymbolRefAttr).root_reference.data
    if callee in state.threaded:
        if state.is_part:
            raise wrong_stage(op, LowerLoopToLlvmPass.name, f"'{callee}' has parallel loops, and so has what calls it")
        operands.append(state.context())
    state.fail_if_failed(builder.call(callee, operands, i32))


def _lower_require(state: FunctionLowering, op: Operation) -> None:
    builder = state.builder
    unmet = builder.compare(EQ, state.values[op.operands[0]], builder.integer(0, i1))
    status = expect(op.properties["status"], IntegerAttr).value.data
    state.fail_if(unmet, builder.integer(status, i32), create_block())


HANDLERS: dict[str, Any] = {
    "loop.require": _lower_require,
    "func.return": _lower_return,
    "func.call": _lower_call,
    # Made at the top of the function.
    "loop.scratch": lambda state, op: None,
    **CONTROL_HANDLERS,
    **PARALLEL_HANDLERS,
    **LAUNCH_HANDLERS,
    **ATOMIC_HANDLERS,
    **SCALAR_HANDLERS,
    **COMPLEX_HANDLERS,
    **MEMORY_HANDLERS,
    **LANE_HANDLERS,
    **SET_HANDLERS,
    **MAP_HANDLERS,
}


_NO_RESULTS = "a function of loops has no results: what it returns in LLVM is whether memory ran out"
_STORE_RESULTS = "store results into buffers that are arguments"


class HostLowering(FunctionLowering):
    """A function that the host runs."""

    handlers = HANDLERS
    make_map = make_map

    def make_library_function(self, source: str, name: str, types: Sequence[Attribute]) -> Operation:
        return declare(name, types, i32)


def lower_function(
    source: func.FuncOp, declarations: dict[str, Operation], threaded: Collection[str] = ()
) -> Operation:
    """One `func.func` of loops as an `llvm.func` that returns a status: 0, 1 if memory ran out, or a loop.require's.

    Functions it calls are added to `declarations`; `threaded` names those of the module that use threads.
    """
    if source.body.first_block is not source.body.last_block:
        message = f"'{source.sym_name.data}' is not structured: it jumps between blocks"
        raise wrong_stage(source, LowerLoopToLlvmPass.name, message, "write it with loop.for, loop.while and loop.if")
    refuse_own_memory(source, LowerLoopToLlvmPass.name)
    block = source.body.block
    types: list[Attribute] = []
    attributes: list[Attribute] = []
    for argument in block.args:
        check_type(argument.type, source, LowerLoopToLlvmPass.name)
        lowered = argument_types(argument.type)
        types.extend(lowered)
        attributes.extend((_NO_ALIAS if type == POINTER else _DEFINED) for type in lowered)
    state = HostLowering(declarations, types, threaded)
    bind_arguments(state, block.args)
    state.lower_body(block.ops)
    notes = [("irtensor-effort", effort_for(source))]
    if state.uses_threads:
        types.append(POINTER)
        attributes.append(_DEFINED)
        notes.append(USES_THREADS)
    if NARROW_VECTORS in source.attributes:
        notes.append(_NARROW)
    extra: dict[str, Attribute] = {"arg_attrs": ArrayAttr(attributes), "no_unwind": _UNIT}
    if not state.builder.has_loops:
        extra.update(UNOPTIMIZED)
    extra["passthrough"] = ArrayAttr([ArrayAttr((StringAttr(key), StringAttr(value))) for key, value in notes])
    private = source.sym_visibility is not None and source.sym_visibility.data == "private"
    return declare(source.sym_name.data, types, i32, state.builder.finish(), exported=not private, **extra)


def _threaded(functions: list[func.FuncOp]) -> set[str]:
    """Names of the functions that use threads, be it in functions that they call."""
    threaded: set[str] = set()
    while True:
        found = {
            function.sym_name.data
            for function in functions
            if any(_uses_threads(op, threaded) for op in function.walk())
        }
        if found == threaded:
            return threaded
        threaded = found


def _uses_threads(op: Operation, threaded: Collection[str]) -> bool:
    if isinstance(op, func.CallOp):
        return op.callee.root_reference.data in threaded
    return op.name in PARALLEL_HANDLERS or op.name in LAUNCH_HANDLERS or polls(op)


class LowerLoopToLlvmPass(TensorPass):
    """Lower loops, cells, buffers and scalar arithmetic to the llvm dialect."""

    name = "lower-loop-to-llvm"
    accepts = ("loop",)
    leaves = ("llvm",)
    after = {
        "lower-algebra-to-arith": "operators of algebra have no LLVM code",
        "lower-assembly": "counters have no LLVM code",
    }

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        by_module: dict[Block, list[func.FuncOp]] = {}
        for function in our_functions(op):
            assert function.parent is not None
            if KERNEL in function.attributes:
                continue
            by_module.setdefault(function.parent, []).append(function)
        for block, sources in by_module.items():
            declarations: dict[str, Operation] = {}
            threaded = _threaded(sources) if len(sources) > 1 else ()
            for source in sources:
                lowered = lower_function(source, declarations, threaded)
                block.insert_op_before(lowered, source)
                source.detach()
            block.add_ops(declarations.values())
