"""Writes operations of the `llvm` dialect as instructions of LLVM IR."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Operation

from irtensor.dialects.llvm.llvm_loop_hints import LoopAnnotationAttr
from irtensor.dialects.support.expect import expect
from irtensor.runtime.function_emitter import Emitter, FunctionEmitter
from irtensor.runtime.llvm_text import address_space, global_name

_ICMP = tuple(flag.value for flag in llvm.ICmpPredicateFlag)
_FCMP = tuple(flag.value.removeprefix("_") for flag in llvm.FCmpPredicateFlag)
# As MLIR numbers them; there is none with number 3.
_ORDERINGS = ("", "unordered", "monotonic", "", "acquire", "release", "acq_rel", "seq_cst")


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
        predicate = predicates[expect(op.properties["predicate"], IntegerAttr).value.data]
        names = state.names
        return f"{word} {state.flags(op)}{predicate} {state.type(a.type)} {names[id(a)]}, {names[id(b)]}"

    return emit


def _select(state: FunctionEmitter, op: Operation) -> str:
    operands = ", ".join(state.typed_operands(op))
    # Else LLVM makes branches of some, which are mispredicted. Where a branch is predicted, the IR has one already.
    unpredictable = f", !unpredictable !{state.metadata.node('')}"
    return f"select {state.flags(op)}{operands}{unpredictable}"


def _negate(state: FunctionEmitter, op: Operation) -> str:
    (value,) = state.typed_operands(op)
    return f"fneg {state.flags(op)}{value}"


def _alignment(op: Operation) -> str:
    alignment = op.properties.get("alignment")
    return f", align {alignment.value.data}" if type(alignment) is IntegerAttr else ""


def _memory_suffix(op: Operation) -> tuple[str, str]:
    ordering = op.properties.get("ordering")
    level = ordering.value.data if type(ordering) is IntegerAttr else 0
    word = " atomic" if level else ""
    return word + (" volatile" if "volatile_" in op.properties else ""), f" {_ORDERINGS[level]}" if level else ""


def _load(state: FunctionEmitter, op: Operation) -> str:
    (result,) = op.results
    (address,) = state.typed_operands(op)
    word, ordering = _memory_suffix(op)
    return f"load{word} {state.type(result.type)}, {address}{ordering}{_alignment(op)}{_groups(state, op)}"


def _store(state: FunctionEmitter, op: Operation) -> str:
    value, address = state.typed_operands(op)
    word, ordering = _memory_suffix(op)
    return f"store{word} {value}, {address}{ordering}{_alignment(op)}{_groups(state, op)}"


def _groups(state: FunctionEmitter, op: Operation) -> str:
    groups = op.attributes.get("access_groups")
    return "" if groups is None else state.metadata.accesses(groups)


def _atomic(word: str) -> Emitter:
    def emit(state: FunctionEmitter, op: Operation) -> str:
        first = f"{expect(op.properties['bin_op'], StringAttr).data} " if "bin_op" in op.properties else ""
        operands = ", ".join(state.typed_operands(op))
        return f"{word} {first}{operands}{_scope(op)} {_orderings(op)}"

    return emit


def _orderings(op: Operation) -> str:
    names = ("ordering", "success_ordering", "failure_ordering")
    return " ".join(expect(op.properties[name], StringAttr).data for name in names if name in op.properties)


def _scope(op: Operation) -> str:
    """Which threads an operation is in order for, where these are not all."""
    scope = op.properties.get("syncscope")
    return f' syncscope("{scope.data}")' if isinstance(scope, StringAttr) else ""


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


def _addresses(state: FunctionEmitter, op: Operation) -> str:
    return f"getelementptr {state.type(op.properties['elem_type'])}, {', '.join(state.typed_operands(op))}"


def _call_text(state: FunctionEmitter, op: Operation, callee: str) -> str:
    arguments = ", ".join(state.typed_operands(op))
    if not op.results:
        return f"call {convention(op)}void {callee}({arguments})"
    return f"call {state.flags(op)}{convention(op)}{state.type(op.results[0].type)} {callee}({arguments})"


def convention(op: Operation) -> str:
    """How a function is called, where that is not as functions of C are."""
    convention = op.properties.get("CConv")
    if not isinstance(convention, llvm.CallingConventionAttr) or convention.cconv_name == "ccc":
        return ""
    return f"{convention.cconv_name} "


def _call(state: FunctionEmitter, op: Operation) -> str:
    callee = op.properties.get("callee")
    if callee is not None:
        return _call_text(state, op, global_name(expect(callee, SymbolRefAttr).root_reference.data))
    arguments = ", ".join(state.typed_operands(op)[1:])
    return f"call {state.type(op.results[0].type)} {state.operands(op)[0]}({arguments})"


def _intrinsic(state: FunctionEmitter, op: Operation) -> str:
    return _call_text(state, op, global_name(expect(op.properties["intrin"], StringAttr).data))


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
    return text + (state.metadata.loop(hints) if isinstance(hints, LoopAnnotationAttr) else "")


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
    "llvm.select_lanes": _element("select"),
    "llvm.fneg": _negate,
    "llvm.load": _load,
    "llvm.store": _store,
    "llvm.atomicrmw": _atomic("atomicrmw"),
    "llvm.cmpxchg": _atomic("cmpxchg"),
    "llvm.fence": lambda state, op: f"fence{_scope(op)} {_orderings(op)}",
    "llvm.alloca": _alloca,
    "llvm.getelementptr": _address,
    "llvm.addresses": _addresses,
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
for (
    _word
) in "trunc zext sext fptrunc fpext sitofp uitofp fptosi fptoui bitcast ptrtoint inttoptr addrspacecast".split():
    EMITTERS[f"llvm.{_word}"] = _cast(_word)
