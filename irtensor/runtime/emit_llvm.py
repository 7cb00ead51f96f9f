"""Writes a module of the `llvm` dialect as LLVM IR text.

xDSL's own converter loses attributes and metadata; this one writes all that the lowerings of irtensor produce, and
refuses an operation it does not know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.diagnostics import UserError
from irtensor.passes.operations_in import operations_of
from irtensor.passes.wrong_stage import wrong_stage
from irtensor.runtime.llvm_text import Metadata, address_space, constant_text, type_text

_ICMP = tuple(flag.value for flag in llvm.ICmpPredicateFlag)
_FCMP = tuple(flag.value.removeprefix("_") for flag in llvm.FCmpPredicateFlag)
# As MLIR numbers them; there is none with number 3.
_ORDERINGS = ("", "unordered", "monotonic", "", "acquire", "release", "acq_rel", "seq_cst")
_ARGUMENT_ATTRIBUTES = {
    "llvm.noalias": "noalias",
    "llvm.nonnull": "nonnull",
    "llvm.noundef": "noundef",
    "llvm.readonly": "readonly",
    "llvm.nocapture": "captures(none)",
}
_FUNCTION_ATTRIBUTES = {"no_inline": "noinline", "optimize_none": "optnone", "no_unwind": "nounwind"}


class FunctionEmitter:
    """Writes one function; every value has its text before any line is written."""

    def __init__(self, function: llvm.FuncOp, metadata: Metadata, types: dict[int, str], strict: bool) -> None:
        self.function = function
        self.metadata = metadata
        self.strict = strict
        self._types = types
        # By identity, as types and flags: the hash of a value is a function in Python.
        self.names: dict[int, str] = {}
        self.labels: dict[Block, str] = {}
        self._incoming: dict[Block, list[tuple[Block, list[str]]]] = {}
        self._flags: dict[int, str] = {}
        self._numbers: dict[int, tuple[int, ...]] = {}
        self._blocks = [(block, operations_of(block)) for block in function.body.blocks]

    def type(self, type: Attribute) -> str:
        # Keyed by identity: hashing an attribute costs more than writing it. The module keeps the attributes alive.
        text = self._types.get(id(type))
        if text is None:
            text = self._types[id(type)] = type_text(type)
        return text

    def operands(self, op: Operation) -> list[str]:
        """The texts of the operands of an operation."""
        names = self.names
        # `operands` is a view, which calls three functions in Python for each use of it.
        return [names[id(operand)] for operand in op._operands]  # pyright: ignore[reportPrivateUsage]

    def typed_operands(self, op: Operation) -> list[str]:
        """The texts of the operands of an operation, each behind its type."""
        names, type = self.names, self.type
        return [f"{type(operand.type)} {names[id(operand)]}" for operand in op._operands]  # pyright: ignore[reportPrivateUsage]

    def numbers(self, array: Any) -> tuple[int, ...]:
        """The elements of a dense array; many operations share one, and unpacking it takes a dozen calls."""
        found = self._numbers.get(id(array))
        if found is None:
            found = self._numbers[id(array)] = array.get_values()
        return found

    def flags(self, op: Operation) -> str:
        """Fast-math flags of an operation, with a space behind."""
        if self.strict:
            return ""
        attribute = op.properties.get("fastmathFlags")
        if attribute is None:
            return ""
        text = self._flags.get(id(attribute))
        if text is None:
            words = sorted(flag.value for flag in attribute.data)  # pyright: ignore
            text = "fast " if len(words) == 7 else "".join(f"{word} " for word in words)
            self._flags[id(attribute)] = text
        return text

    def name_values(self) -> None:
        names = self.names
        number = 0
        for position, (block, operations) in enumerate(self._blocks):
            self.labels[block] = f"b{position}"
            for argument in block.args:
                hint = argument.name_hint
                names[id(argument)] = f"%{hint}.{number}" if hint else f"%v{number}"
                number += 1
            for op in operations:
                for result in op.results:
                    text = _literal(op, result)
                    if text is None:
                        hint = result.name_hint
                        text = f"%{hint}.{number}" if hint else f"%v{number}"
                        number += 1
                    names[id(result)] = text
        # Blocks may stand before those that dominate them.
        for block, operations in self._blocks:
            self._note_branches(block, operations[-1])

    def _note_branches(self, block: Block, last: Operation) -> None:
        if last.name == "llvm.br":
            self._incoming.setdefault(last.successors[0], []).append((block, self.operands(last)))
        elif last.name == "llvm.cond_br":
            _, split, _ = self.numbers(last.properties["operandSegmentSizes"])
            _, *values = self.operands(last)
            for target, values in zip(last.successors, (values[:split], values[split:]), strict=True):
                self._incoming.setdefault(target, []).append((block, values))

    def lines(self) -> list[str]:
        """The lines of the body."""
        self.name_values()
        names = self.names
        lines: list[str] = []
        for position, (block, operations) in enumerate(self._blocks):
            lines.append(f"{self.labels[block]}:")
            if position:
                lines.extend(self._phi(block, number) for number in range(len(block.args)))
            for op in operations:
                emit = EMITTERS.get(op.name)
                if emit is None:
                    raise _no_llvm_ir(op)
                line = emit(self, op)
                if line is not None:
                    for result in op.results:
                        line = f"{names[id(result)]} = {line}"
                    lines.append(f"  {line}")
        return lines

    def _phi(self, block: Block, number: int) -> str:
        argument = block.args[number]
        edges = ", ".join([f"[ {values[number]}, %{self.labels[source]} ]" for source, values in self._incoming[block]])
        return f"  {self.names[id(argument)]} = phi {self.type(argument.type)} {edges}"


def _literal(op: Operation, result: SSAValue) -> str | None:
    """The text of a value that is no instruction of its own."""
    match op.name:
        case "llvm.mlir.constant":
            return constant_text(op.properties["value"], result.type)
        case "llvm.mlir.undef":
            return "undef"
        case "llvm.mlir.zero":
            return "zeroinitializer"
        case "llvm.mlir.addressof":
            return f"@{op.properties['global_name'].root_reference.data}"  # pyright: ignore
        case _:
            return None


# Writes what stands behind the name of the result, if there is one; None for what is written where it is used.
Emitter = Callable[[FunctionEmitter, Operation], str | None]


def _binary(word: str) -> Emitter:
    def emit(state: FunctionEmitter, op: Operation) -> str:
        a, b = state.operands(op)
        flags = state.flags(op)
        if not flags and op.properties:
            flags = _integer_flags(op)
        (result,) = op.results
        return f"{word} {flags}{state.type(result.type)} {a}, {b}"

    return emit


def _integer_flags(op: Operation) -> str:
    overflow = op.properties.get("overflowFlags")
    text = ""
    if isinstance(overflow, IntegerAttr):
        text = ("", "nsw ", "nuw ", "nuw nsw ")[overflow.value.data]
    if "isExact" in op.properties:
        text += "exact "
    return text + ("disjoint " if "isDisjoint" in op.properties else "")


def _cast(word: str) -> Emitter:
    def emit(state: FunctionEmitter, op: Operation) -> str:
        (result,) = op.results
        (value,) = state.typed_operands(op)
        flag = "nneg " if "nonNeg" in op.properties else ""
        return f"{word} {flag}{value} to {state.type(result.type)}"

    return emit


def _compare(word: str, predicates: tuple[str, ...]) -> Emitter:
    def emit(state: FunctionEmitter, op: Operation) -> str:
        a, b = op.operands
        predicate = predicates[op.properties["predicate"].value.data]  # pyright: ignore
        names = state.names
        return f"{word} {state.flags(op)}{predicate} {state.type(a.type)} {names[id(a)]}, {names[id(b)]}"

    return emit


def _select(state: FunctionEmitter, op: Operation) -> str:
    operands = ", ".join(state.typed_operands(op))
    # Else LLVM makes branches of some, which are mispredicted: what is to be predicted is a branch from the start.
    unpredictable = f", !unpredictable !{state.metadata.node('')}"
    return f"select {state.flags(op)}{operands}{unpredictable}"


def _negate(state: FunctionEmitter, op: Operation) -> str:
    (value,) = state.typed_operands(op)
    return f"fneg {state.flags(op)}{value}"


def _alignment(op: Operation) -> str:
    alignment = op.properties.get("alignment")
    return f", align {alignment.value.data}" if isinstance(alignment, IntegerAttr) else ""


def _memory_suffix(op: Operation) -> tuple[str, str]:
    ordering = op.properties.get("ordering")
    level = ordering.value.data if isinstance(ordering, IntegerAttr) else 0
    word = " atomic" if level else ""
    return word + (" volatile" if "volatile_" in op.properties else ""), f" {_ORDERINGS[level]}" if level else ""


def _load(state: FunctionEmitter, op: Operation) -> str:
    (result,) = op.results
    (address,) = state.typed_operands(op)
    word, ordering = _memory_suffix(op)
    return f"load{word} {state.type(result.type)}, {address}{ordering}{_alignment(op)}"


def _store(state: FunctionEmitter, op: Operation) -> str:
    value, address = state.typed_operands(op)
    word, ordering = _memory_suffix(op)
    return f"store{word} {value}, {address}{ordering}{_alignment(op)}"


def _atomic(word: str) -> Emitter:
    def emit(state: FunctionEmitter, op: Operation) -> str:
        first = f"{op.properties['bin_op'].data} " if "bin_op" in op.properties else ""  # pyright: ignore
        operands = ", ".join(state.typed_operands(op))
        orderings = " ".join(op.properties[name].data for name in op.properties if name.endswith("ordering"))  # pyright: ignore
        return f"{word} {first}{operands} {orderings}"

    return emit


def _alloca(state: FunctionEmitter, op: Operation) -> str:
    element = state.type(op.properties["elem_type"])
    count = "".join([f", {size}" for size in state.typed_operands(op) if not size.endswith(" 1")])
    (result,) = op.results
    space = address_space(result.type) if isinstance(result.type, llvm.LLVMPointerType) else 0
    return f"alloca {element}{count}{_alignment(op)}{f', addrspace({space})' if space else ''}"


def _address(state: FunctionEmitter, op: Operation) -> str:
    pointer, *dynamic = state.typed_operands(op)
    remaining = iter(dynamic)
    indices = [
        next(remaining) if index == llvm.GEP_USE_SSA_VAL else f"i32 {index}"
        for index in state.numbers(op.properties["rawConstantIndices"])
    ]
    inbounds = "inbounds " if "inbounds" in op.properties else ""
    element = state.type(op.properties["elem_type"])
    return f"getelementptr {inbounds}{element}, {pointer}, {', '.join(indices)}"


def _call_text(state: FunctionEmitter, op: Operation, callee: str) -> str:
    arguments = ", ".join(state.typed_operands(op))
    if not op.results:
        return f"call {_convention(op)}void @{callee}({arguments})"
    return f"call {state.flags(op)}{_convention(op)}{state.type(op.results[0].type)} @{callee}({arguments})"


def _convention(op: Operation) -> str:
    """How a function is called, where that is not as functions of C are."""
    convention = op.properties.get("CConv")
    if not isinstance(convention, llvm.CallingConventionAttr) or convention.cconv_name == "ccc":
        return ""
    return f"{convention.cconv_name} "


def _call(state: FunctionEmitter, op: Operation) -> str:
    callee = op.properties.get("callee")
    if callee is not None:
        return _call_text(state, op, callee.root_reference.data)  # pyright: ignore
    arguments = ", ".join(state.typed_operands(op)[1:])
    return f"call {state.type(op.results[0].type)} {state.operands(op)[0]}({arguments})"


def _intrinsic(state: FunctionEmitter, op: Operation) -> str:
    return _call_text(state, op, op.properties["intrin"].data)  # pyright: ignore


def _branch(state: FunctionEmitter, op: Operation) -> str:
    return f"br label %{state.labels[op.successors[0]]}{_branch_metadata(state, op)}"


def _branch_if(state: FunctionEmitter, op: Operation) -> str:
    then, otherwise = op.successors
    condition = state.operands(op)[0]
    targets = f"label %{state.labels[then]}, label %{state.labels[otherwise]}"
    return f"br i1 {condition}, {targets}{_branch_metadata(state, op)}"


def _branch_metadata(state: FunctionEmitter, op: Operation) -> str:
    if not op.attributes:
        return ""
    text = ""
    weights = op.attributes.get("branch_weights")
    if weights is not None:
        numbers = ", ".join(f"i32 {weight}" for weight in state.numbers(weights))
        text = f', !prof !{state.metadata.node(f"""!"branch_weights", {numbers}""")}'
    hints = op.attributes.get("loop_annotation")
    return text + (state.metadata.loop(hints, state.strict) if isinstance(hints, DictionaryAttr) else "")


def _return(state: FunctionEmitter, op: Operation) -> str:
    return f"ret {', '.join(state.typed_operands(op)) or 'void'}"


def _extract_value(state: FunctionEmitter, op: Operation) -> str:
    position = ", ".join(map(str, state.numbers(op.properties["position"])))
    (container,) = state.typed_operands(op)
    return f"extractvalue {container}, {position}"


def _insert_value(state: FunctionEmitter, op: Operation) -> str:
    position = ", ".join(map(str, state.numbers(op.properties["position"])))
    container, value = state.typed_operands(op)
    return f"insertvalue {container}, {value}, {position}"


def _element(word: str) -> Emitter:
    def emit(state: FunctionEmitter, op: Operation) -> str:
        return f"{word} {', '.join(state.typed_operands(op))}"

    return emit


def _shuffle(state: FunctionEmitter, op: Operation) -> str:
    lanes = state.numbers(op.properties["mask"])
    mask = ", ".join(f"i32 {lane}" for lane in lanes)
    a, b = state.typed_operands(op)
    return f"shufflevector {a}, {b}, <{len(lanes)} x i32> <{mask}>"


EMITTERS: dict[str, Emitter] = {
    "llvm.mlir.constant": lambda state, op: None,
    "llvm.mlir.addressof": lambda state, op: None,
    "llvm.mlir.undef": lambda state, op: None,
    "llvm.mlir.zero": lambda state, op: None,
    "llvm.icmp": _compare("icmp", _ICMP),
    "llvm.fcmp": _compare("fcmp", _FCMP),
    "llvm.select": _select,
    "llvm.fneg": _negate,
    "llvm.load": _load,
    "llvm.store": _store,
    "llvm.atomicrmw": _atomic("atomicrmw"),
    "llvm.cmpxchg": _atomic("cmpxchg"),
    "llvm.alloca": _alloca,
    "llvm.getelementptr": _address,
    "llvm.call": _call,
    "llvm.call_intrinsic": _intrinsic,
    "llvm.br": _branch,
    "llvm.cond_br": _branch_if,
    "llvm.return": _return,
    "llvm.extractvalue": _extract_value,
    "llvm.insertvalue": _insert_value,
    "llvm.freeze": _element("freeze"),
    "llvm.extractelement": _element("extractelement"),
    "llvm.insertelement": _element("insertelement"),
    "llvm.shufflevector": _shuffle,
    "llvm.unreachable": lambda state, op: "unreachable",
}
for _word in "add sub mul udiv sdiv urem srem and or xor shl lshr ashr fadd fsub fmul fdiv frem".split():
    EMITTERS[f"llvm.{_word}"] = _binary(_word)
for _word in "trunc zext sext fptrunc fpext sitofp uitofp fptosi fptoui bitcast ptrtoint inttoptr".split():
    EMITTERS[f"llvm.{_word}"] = _cast(_word)


def _signature(function: llvm.FuncOp, names: list[str] | None) -> str:
    type = function.function_type
    attributes = function.properties.get("arg_attrs")
    texts: list[str] = []
    for number, argument in enumerate(type.inputs.data):
        words = [type_text(argument)]
        if attributes is not None:
            words += [_ARGUMENT_ATTRIBUTES[key] for key in attributes.data[number].data]  # pyright: ignore
        if names is not None:
            words.append(names[number])
        texts.append(" ".join(words))
    ending = "".join(f" {word}" for name, word in _FUNCTION_ATTRIBUTES.items() if name in function.properties)
    for pair in function.properties.get("passthrough", ()):  # pyright: ignore
        name, value = (text.data for text in pair)  # pyright: ignore
        ending += f' "{name}"="{value}"'
    return f"{_convention(function)}{type_text(type.output)} @{function.sym_name.data}({', '.join(texts)}){ending}"


def _no_llvm_ir(op: Operation) -> UserError:
    """Only a module of the user's own has such operations, beside what is lowered."""
    where = " beside functions" if isinstance(op.parent_op(), ModuleOp) else ""
    return wrong_stage(op, "llvm", f"no LLVM IR is written for '{op.name}'{where}", "remove it from the module")


def emit_llvm(module: ModuleOp, strict: bool = False) -> str:
    """LLVM IR text of a module of `llvm.func`s; `strict` leaves out fast-math flags and hints that reorder floats.

    Raises UserError [wrong-stage] for an operation that is not of the `llvm` dialect, or that nothing is lowered to.
    """
    metadata = Metadata()
    types: dict[int, str] = {}
    lines: list[str] = []
    for function in module.body.block.ops:
        if not isinstance(function, llvm.FuncOp):
            raise _no_llvm_ir(function)
        if function.body.first_block is None:
            lines.append(f"declare {_signature(function, None)}")
            continue
        emitter = FunctionEmitter(function, metadata, types, strict)
        body = emitter.lines()
        names = [emitter.names[id(argument)] for argument in function.body.first_block.args]
        linkage = "internal " if function.linkage.linkage.data == "internal" else ""
        lines.append(f"define {linkage}{_signature(function, names)} {{")
        lines.extend(body)
        lines.append("}")
    return "\n".join([*lines, *metadata.lines, ""])
