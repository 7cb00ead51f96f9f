"""Writes a module of the `llvm` dialect as LLVM IR text.

xDSL's own converter loses attributes and metadata; this one writes all that the lowerings of irtensor produce, and
refuses an operation it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from irtensor.core.diagnostics import UserError
from irtensor.dialects.support.expect import expect
from irtensor.passes.pipelines import pipeline_from
from irtensor.runtime.function_emitter import Emitter, FunctionEmitter, no_llvm_ir
from irtensor.runtime.llvm_instructions import EMITTERS, convention
from irtensor.runtime.llvm_text import Metadata, global_name, type_text

_ARGUMENT_ATTRIBUTES = {
    "llvm.noalias": "noalias",
    "llvm.nonnull": "nonnull",
    "llvm.noundef": "noundef",
    "llvm.readonly": "readonly",
    "llvm.nocapture": "captures(none)",
}
_FUNCTION_ATTRIBUTES = {"no_inline": "noinline", "optimize_none": "optnone", "no_unwind": "nounwind"}


class Dialect(NamedTuple):
    """How operations and functions are written, beside those that are the same for all processors."""

    emitters: Mapping[str, Emitter] = EMITTERS
    # What stands before the type of a function, and behind its arguments.
    convention: Callable[[llvm.FuncOp], str] = convention
    attributes: Callable[[llvm.FuncOp], str] = lambda function: ""
    # What the text is made for: named pipelines lead to it.
    end: str = "llvm"


_OF_ALL = Dialect()


def _signature(function: llvm.FuncOp, names: list[str] | None, dialect: Dialect) -> str:
    type = function.function_type
    if type.is_variadic:
        raise no_llvm_ir(function, "a function of any number of arguments")
    attributes = function.arg_attrs
    texts: list[str] = []
    for number, argument in enumerate(type.inputs.data):
        words = [type_text(argument)]
        if attributes is not None:
            words += [_argument_word(function, *pair) for pair in attributes.data[number].data.items()]
        if names is not None:
            words.append(names[number])
        texts.append(" ".join(words))
    ending = "".join(f" {word}" for name, word in _FUNCTION_ATTRIBUTES.items() if name in function.properties)
    for pair in function.passthrough or ():
        name, value = (expect(text, StringAttr).data for text in expect(pair, ArrayAttr))
        ending += f' "{name}"="{value}"'
    start = f"{dialect.convention(function)}{type_text(type.output)} {_name_of(function)}"
    return f"{start}({', '.join(texts)}){ending}{dialect.attributes(function)}"


def _name_of(op: llvm.FuncOp | llvm.GlobalOp) -> str:
    name = op.sym_name.data
    if not name or "\0" in name:
        message = f"{name!r} is not a valid LLVM name: names have at least one character, and none is zero"
        raise UserError("bad-name", message, op=op, help="give it another name")
    return global_name(name)


def _argument_word(function: llvm.FuncOp, name: str, value: Attribute) -> str:
    if name in _ARGUMENT_ATTRIBUTES:
        return _ARGUMENT_ATTRIBUTES[name]
    if name == "llvm.align" and isinstance(value, IntegerAttr):
        return f"align {value.value.data}"
    raise no_llvm_ir(function, f"the attribute '{name}' of an argument")


def kernels_of(module: ModuleOp, otherwise: ModuleOp | None = None) -> ModuleOp:
    """The module of the kernels that functions of a module launch; `otherwise`, or an empty one, if it has none."""
    nothing = ModuleOp([]) if otherwise is None else otherwise
    return next((op for op in module.body.block.ops if isinstance(op, ModuleOp)), nothing)


def _global(op: llvm.GlobalOp) -> str:
    """Memory that has a name. Its contents at the start are not known."""
    linkage = op.linkage.linkage.data
    if op.value is not None or op.body.blocks:
        raise no_llvm_ir(op, "the value that a global has at the start")
    if linkage not in ("internal", "private", "external"):
        raise no_llvm_ir(op, f"a global that is '{linkage}'")
    number = op.addr_space.value.data
    space = f"addrspace({number}) " if number else ""
    # An external global has its value elsewhere, and only such a one may do without.
    value = "" if linkage == "external" else " undef"
    alignment = "" if op.alignment is None else f", align {op.alignment.value.data}"
    mutability = "global" if op.constant is None else "constant"
    return f"{_name_of(op)} = {linkage} {space}{mutability} {type_text(op.global_type)}{value}{alignment}"


def emit_llvm(module: ModuleOp, dialect: Dialect = _OF_ALL) -> str:
    """LLVM IR text of a module of `llvm.func`s.

    Raises UserError [wrong-stage] for an operation that is not of the `llvm` dialect, or that nothing is lowered to.
    """
    metadata = Metadata()
    types: dict[int, str] = {}
    lines: list[str] = []
    for op in module.body.block.ops:
        if isinstance(op, ModuleOp) and op.sym_name is not None:
            # Kernels, which are for another machine.
            continue
        if isinstance(op, llvm.GlobalOp):
            lines.append(_global(op))
        elif not isinstance(op, llvm.FuncOp):
            pipeline = pipeline_from({inner.name.partition(".")[0] for inner in module.walk()}, dialect.end)
            raise no_llvm_ir(op, help=None if pipeline is None else f"lower it first: --{pipeline}")
        elif op.body.first_block is None:
            lines.append(f"declare {_signature(op, None, dialect)}")
        else:
            metadata.begin_function()
            emitter = FunctionEmitter(op, metadata, types, dialect.emitters)
            body = emitter.lines()
            names = [emitter.names[id(argument)] for argument in op.body.first_block.args]
            linkage = "internal " if op.linkage.linkage.data == "internal" else ""
            lines += [f"define {linkage}{_signature(op, names, dialect)} {{", *body, "}"]
    return "\n".join([*lines, *metadata.lines, ""])
