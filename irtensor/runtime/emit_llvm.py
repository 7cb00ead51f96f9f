"""Writes a module of the `llvm` dialect as LLVM IR text.

xDSL's own converter loses attributes and metadata; this one writes all that the lowerings of irtensor produce, and
refuses an operation it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.diagnostics import UserError
from irtensor.passes.wrong_stage import wrong_stage
from irtensor.runtime.llvm_text import Metadata, constant_text, type_text

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
        self.names: dict[SSAValue, str] = {}
        self.labels: dict[Block, str] = {}
        self._incoming: dict[Block, list[tuple[Block, Sequence[SSAValue]]]] = {}
        self._flags: dict[int, str] = {}

    def type(self, type: Attribute) -> str:
        # Keyed by identity: hashing an attribute costs more than writing it. The module keeps the attributes alive.
        text = self._types.get(id(type))
        if text is None:
            text = self._types[id(type)] = type_text(type)
        return text

    def typed(self, value: SSAValue) -> str:
        return f"{self.type(value.type)} {self.names[value]}"

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
        for position, block in enumerate(self.function.body.blocks):
            self.labels[block] = f"b{position}"
            for argument in block.args:
                hint = argument.name_hint
                names[argument] = f"%{hint}.{number}" if hint else f"%v{number}"
                number += 1
            for op in block.ops:
                if op.results:
                    result = op.results[0]
                    if op.name == "llvm.mlir.constant":
                        names[result] = constant_text(op.properties["value"], result.type)
                        continue
                    if op.name in _LITERALS:
                        names[result] = _LITERALS[op.name]
                        continue
                    if op.name == "llvm.mlir.addressof":
                        names[result] = f"@{op.properties['global_name'].root_reference.data}"  # pyright: ignore
                        continue
                    hint = result.name_hint
                    names[result] = f"%{hint}.{number}" if hint else f"%v{number}"
                    number += 1
            self._note_branches(block)

    def _note_branches(self, block: Block) -> None:
        last = block.last_op
        assert last is not None
        if last.name == "llvm.br":
            self._incoming.setdefault(last.successors[0], []).append((block, last.operands))
        elif last.name == "llvm.cond_br":
            _, split, _ = last.properties["operandSegmentSizes"].get_values()  # pyright: ignore
            then, otherwise = last.operands[1 : 1 + split], last.operands[1 + split :]
            for target, values in zip(last.successors, (then, otherwise), strict=True):
                self._incoming.setdefault(target, []).append((block, values))

    def lines(self) -> list[str]:
        """The lines of the body."""
        self.name_values()
        lines: list[str] = []
        first = True
        for block in self.function.body.blocks:
            lines.append(f"{self.labels[block]}:")
            if not first:
                lines.extend(self._phi(block, number) for number in range(len(block.args)))
            first = False
            for op in block.ops:
                emit = EMITTERS.get(op.name)
                if emit is None:
                    raise _no_llvm_ir(op)
                line = emit(self, op)
                if line is not None:
                    lines.append(line)
        return lines

    def _phi(self, block: Block, number: int) -> str:
        argument = block.args[number]
        edges = ", ".join(
            f"[ {self.names[values[number]]}, %{self.labels[source]} ]" for source, values in self._incoming[block]
        )
        return f"  {self.names[argument]} = phi {self.type(argument.type)} {edges}"


Emitter = Callable[[FunctionEmitter, Operation], str | None]
_LITERALS = {"llvm.mlir.undef": "undef", "llvm.mlir.zero": "zeroinitializer"}


def _binary(word: str) -> Emitter:
    def emit(state: FunctionEmitter, op: Operation) -> str:
        a, b = op.operands
        names = state.names
        flags = state.flags(op)
        if not flags and op.properties:
            flags = _integer_flags(op)
        return f"  {names[op.results[0]]} = {word} {flags}{state.type(a.type)} {names[a]}, {names[b]}"

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
        result = op.results[0]
        flag = "nneg " if "nonNeg" in op.properties else ""
        return f"  {state.names[result]} = {word} {flag}{state.typed(op.operands[0])} to {state.type(result.type)}"

    return emit


def _compare(word: str, predicates: tuple[str, ...]) -> Emitter:
    def emit(state: FunctionEmitter, op: Operation) -> str:
        a, b = op.operands
        predicate = predicates[op.properties["predicate"].value.data]  # pyright: ignore
        names = state.names
        flags = state.flags(op)
        return f"  {names[op.results[0]]} = {word} {flags}{predicate} {state.type(a.type)} {names[a]}, {names[b]}"

    return emit


def _select(state: FunctionEmitter, op: Operation) -> str:
    operands = ", ".join([state.typed(operand) for operand in op.operands])
    # Else LLVM makes branches of some, which are mispredicted: what is to be predicted is a branch from the start.
    unpredictable = f", !unpredictable !{state.metadata.node('')}"
    return f"  {state.names[op.results[0]]} = select {state.flags(op)}{operands}{unpredictable}"


def _negate(state: FunctionEmitter, op: Operation) -> str:
    return f"  {state.names[op.results[0]]} = fneg {state.flags(op)}{state.typed(op.operands[0])}"


def _alignment(op: Operation) -> str:
    alignment = op.properties.get("alignment")
    return f", align {alignment.value.data}" if isinstance(alignment, IntegerAttr) else ""


def _memory_suffix(op: Operation) -> tuple[str, str]:
    ordering = op.properties.get("ordering")
    level = ordering.value.data if isinstance(ordering, IntegerAttr) else 0
    word = " atomic" if level else ""
    return word + (" volatile" if "volatile_" in op.properties else ""), f" {_ORDERINGS[level]}" if level else ""


def _load(state: FunctionEmitter, op: Operation) -> str:
    result = op.results[0]
    word, ordering = _memory_suffix(op)
    address = state.typed(op.operands[0])
    return f"  {state.names[result]} = load{word} {state.type(result.type)}, {address}{ordering}{_alignment(op)}"


def _store(state: FunctionEmitter, op: Operation) -> str:
    value, address = op.operands
    word, ordering = _memory_suffix(op)
    return f"  store{word} {state.typed(value)}, {state.typed(address)}{ordering}{_alignment(op)}"


def _atomic(word: str) -> Emitter:
    def emit(state: FunctionEmitter, op: Operation) -> str:
        first = f"{op.properties['bin_op'].data} " if "bin_op" in op.properties else ""  # pyright: ignore
        operands = ", ".join([state.typed(operand) for operand in op.operands])
        orderings = " ".join(op.properties[name].data for name in op.properties if name.endswith("ordering"))  # pyright: ignore
        return f"  {state.names[op.results[0]]} = {word} {first}{operands} {orderings}"

    return emit


def _alloca(state: FunctionEmitter, op: Operation) -> str:
    element = state.type(op.properties["elem_type"])
    return f"  {state.names[op.results[0]]} = alloca {element}{_alignment(op)}"


def _address(state: FunctionEmitter, op: Operation) -> str:
    pointer, *dynamic = op.operands
    remaining = iter(dynamic)
    indices = [
        state.typed(next(remaining)) if index == llvm.GEP_USE_SSA_VAL else f"i32 {index}"
        for index in op.properties["rawConstantIndices"].get_values()  # pyright: ignore
    ]
    inbounds = "inbounds " if "inbounds" in op.properties else ""
    element = state.type(op.properties["elem_type"])
    name = state.names[op.results[0]]
    return f"  {name} = getelementptr {inbounds}{element}, {state.typed(pointer)}, {', '.join(indices)}"


def _call_text(state: FunctionEmitter, op: Operation, callee: str) -> str:
    arguments = ", ".join([state.typed(operand) for operand in op.operands])
    if not op.results:
        return f"  call void @{callee}({arguments})"
    result = op.results[0]
    return f"  {state.names[result]} = call {state.flags(op)}{state.type(result.type)} @{callee}({arguments})"


def _call(state: FunctionEmitter, op: Operation) -> str:
    callee = op.properties.get("callee")
    if callee is not None:
        return _call_text(state, op, callee.root_reference.data)  # pyright: ignore
    function, *operands = op.operands
    arguments = ", ".join([state.typed(operand) for operand in operands])
    result = op.results[0]
    name = state.names[result]
    return f"  {name} = call {state.type(result.type)} {state.names[function]}({arguments})"


def _intrinsic(state: FunctionEmitter, op: Operation) -> str:
    return _call_text(state, op, op.properties["intrin"].data)  # pyright: ignore


def _branch(state: FunctionEmitter, op: Operation) -> str:
    return f"  br label %{state.labels[op.successors[0]]}{_branch_metadata(state, op)}"


def _branch_if(state: FunctionEmitter, op: Operation) -> str:
    then, otherwise = op.successors
    condition = state.names[op.operands[0]]
    targets = f"label %{state.labels[then]}, label %{state.labels[otherwise]}"
    return f"  br i1 {condition}, {targets}{_branch_metadata(state, op)}"


def _branch_metadata(state: FunctionEmitter, op: Operation) -> str:
    if not op.attributes:
        return ""
    text = ""
    weights = op.attributes.get("branch_weights")
    if weights is not None:
        numbers = ", ".join(f"i32 {weight}" for weight in weights.get_values())  # pyright: ignore
        text = f', !prof !{state.metadata.node(f"""!"branch_weights", {numbers}""")}'
    hints = op.attributes.get("loop_annotation")
    return text + (state.metadata.loop(hints, state.strict) if isinstance(hints, DictionaryAttr) else "")


def _return(state: FunctionEmitter, op: Operation) -> str:
    return f"  ret {state.typed(op.operands[0])}" if op.operands else "  ret void"


def _extract_value(state: FunctionEmitter, op: Operation) -> str:
    position = ", ".join(str(number) for number in op.properties["position"].get_values())  # pyright: ignore
    return f"  {state.names[op.results[0]]} = extractvalue {state.typed(op.operands[0])}, {position}"


def _insert_value(state: FunctionEmitter, op: Operation) -> str:
    position = ", ".join(str(number) for number in op.properties["position"].get_values())  # pyright: ignore
    container, value = op.operands
    return f"  {state.names[op.results[0]]} = insertvalue {state.typed(container)}, {state.typed(value)}, {position}"


def _element(word: str) -> Emitter:
    def emit(state: FunctionEmitter, op: Operation) -> str:
        operands = ", ".join([state.typed(operand) for operand in op.operands])
        return f"  {state.names[op.results[0]]} = {word} {operands}"

    return emit


def _shuffle(state: FunctionEmitter, op: Operation) -> str:
    lanes = op.properties["mask"].get_values()  # pyright: ignore
    mask = ", ".join(f"i32 {lane}" for lane in lanes)
    a, b = op.operands
    name = state.names[op.results[0]]
    return f"  {name} = shufflevector {state.typed(a)}, {state.typed(b)}, <{len(lanes)} x i32> <{mask}>"


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
    "llvm.unreachable": lambda state, op: "  unreachable",
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
    return f"{type_text(type.output)} @{function.sym_name.data}({', '.join(texts)}){ending}"


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
        names = [emitter.names[argument] for argument in function.body.first_block.args]
        linkage = "internal " if function.linkage.linkage.data == "internal" else ""
        lines.append(f"define {linkage}{_signature(function, names)} {{")
        lines.extend(body)
        lines.append("}")
    return "\n".join([*lines, *metadata.lines, ""])
