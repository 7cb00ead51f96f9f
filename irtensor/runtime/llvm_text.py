"""Types, constants and metadata in the syntax of LLVM IR."""

from __future__ import annotations

import re
import struct
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute

from irtensor.dialects.llvm.llvm_loop_hints import (
    PARALLEL_ACCESSES,
    AccessGroupAttr,
    LoopAnnotationAttr,
    LoopInterleaveAttr,
    LoopUnrollAttr,
    LoopVectorizeAttr,
)
from irtensor.runtime.vector_functions import MASKED_REST, MASKED_VECTORS, NO_VECTORS

_PLAIN_NAME = re.compile(r"[-A-Za-z$._][-A-Za-z0-9$._]*")
# Bytes that stand for themselves in quotes.
_UNQUOTED = frozenset(range(0x20, 0x7F)) - {*b'"\\'}
_FLOAT_NAMES = {"f16": "half", "bf16": "bfloat", "f32": "float", "f64": "double"}


def global_name(name: str) -> str:
    """The name of a function or a global behind its `@`, in quotes where LLVM wants them."""
    if _PLAIN_NAME.fullmatch(name):
        return f"@{name}"
    text = "".join(chr(byte) if byte in _UNQUOTED else f"\\{byte:02X}" for byte in name.encode())
    return f'@"{text}"'


def type_text(type: Attribute) -> str:
    """An LLVM type in the syntax of LLVM IR."""
    if isinstance(type, IntegerType):
        return f"i{type.width.data}"
    if isinstance(type, llvm.LLVMPointerType):
        space = address_space(type)
        return f"ptr addrspace({space})" if space else "ptr"
    if isinstance(type, VectorType):
        return f"<{type.shape.data[0].data} x {type_text(type.element_type)}>"
    if isinstance(type, llvm.LLVMStructType):
        return "{ " + ", ".join(type_text(field) for field in type.types.data) + " }"
    if isinstance(type, llvm.LLVMArrayType):
        return f"[{type.size.data} x {type_text(type.type)}]"
    if isinstance(type, llvm.LLVMVoidType):
        return "void"
    return _FLOAT_NAMES[str(type)]


def address_space(type: llvm.LLVMPointerType) -> int:
    """The number of the address space that pointers of a type point into."""
    return type.addr_space.data if isinstance(type.addr_space, IntAttr) else 0


def _float_text(value: float, type: Attribute) -> str:
    """Floats are written by their bits, so every value, NaN included, arrives as it is."""
    if str(type) == "f32":
        value = struct.unpack("f", struct.pack("f", value))[0] if abs(value) < 3.5e38 else value
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def constant_text(value: Attribute, type: Attribute) -> str:
    """A constant of a type in the syntax of LLVM IR."""
    if isinstance(value, DenseIntOrFPElementsAttr):
        assert isinstance(type, VectorType)
        element, text = type.element_type, type_text(type.element_type)
        scalars = [_scalar_text(number, element) for number in value.get_values()]
        if value.is_splat() and scalars[0] == "0":
            return "zeroinitializer"
        if value.is_splat():
            scalars = scalars[:1] * type.shape.data[0].data
        return "<" + ", ".join(f"{text} {scalar}" for scalar in scalars) + ">"
    assert isinstance(value, FloatAttr | IntegerAttr)
    return _scalar_text(value.value.data, type)


def _scalar_text(value: Any, type: Attribute) -> str:
    if isinstance(type, IntegerType):
        return ("true" if value else "false") if type.width.data == 1 else str(int(value))
    return _float_text(float(value), type)


class Metadata:
    """Numbered metadata nodes of a module."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._nodes: dict[str, int] = {}
        self._groups: dict[AccessGroupAttr, int] = {}

    def node(self, text: str) -> int:
        number = self._nodes.get(text)
        if number is None:
            number = self._nodes[text] = self._add(f"!{{{text}}}")
        return number

    def _add(self, text: str) -> int:
        self.lines.append(f"!{len(self.lines)} = {text}")
        return len(self.lines) - 1

    def begin_function(self) -> None:
        """Groups of accesses are a function's own."""
        self._groups.clear()

    def accesses(self, groups: Attribute) -> str:
        """The reference to the groups that a load or store is in."""
        assert isinstance(groups, ArrayAttr)
        (number,) = [self._group(group) for group in groups.data if isinstance(group, AccessGroupAttr)]
        return f", !llvm.access.group !{number}"

    def _group(self, group: AccessGroupAttr) -> int:
        number = self._groups.get(group)
        if number is None:
            number = self._groups[group] = self._add("distinct !{}")
        return number

    def loop(self, hints: LoopAnnotationAttr) -> str:
        """The reference to a new loop node, or nothing if no hint applies."""
        facts = [self.node(fact) for fact in _loop_facts(hints)]
        group = hints.parts.data.get(PARALLEL_ACCESSES)
        if isinstance(group, AccessGroupAttr):
            facts.append(self.node(f'!"llvm.loop.parallel_accesses", !{self._group(group)}'))
        if not facts:
            return ""
        # The first part of the node is the node itself.
        parts = ", ".join(f"!{part}" for part in (len(self.lines), *facts))
        number = self._add(f"distinct !{{{parts}}}")
        return f", !llvm.loop !{number}"


def _loop_facts(hints: LoopAnnotationAttr) -> list[str]:
    """Hints about a loop as its metadata."""
    facts: list[str] = []
    for part in hints.parts.data.values():
        if isinstance(part, LoopVectorizeAttr):
            facts += _vector_facts(part)
        elif isinstance(part, LoopInterleaveAttr):
            count = part.number("count")
            if count is not None:
                facts.append(f'!"llvm.loop.interleave.count", i32 {count}')
        elif isinstance(part, LoopUnrollAttr):
            if part.number("disable"):
                facts.append('!"llvm.loop.unroll.disable"')
            elif (count := part.number("count")) is not None:
                facts.append(f'!"llvm.loop.unroll.count", i32 {count}')
    return facts


def _vector_facts(hints: LoopVectorizeAttr) -> list[str]:
    if hints.number("disable"):
        return [NO_VECTORS]
    facts: list[str] = []
    width = hints.number("width")
    if width is not None:
        facts.append(f'!"llvm.loop.vectorize.width", i32 {width}')
    if hints.number("predicateEnable"):
        facts.append(MASKED_REST if width is None else MASKED_VECTORS)
    return facts
