"""The names that values of a function have in LLVM IR, and the lines of its body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.dialects.support.expect import expect
from irtensor.passes.support.constant_range import check_fits
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.wrong_stage import wrong_stage
from irtensor.runtime.llvm_text import Metadata, constant_text, global_name, type_text


class FunctionEmitter:
    """Writes one function; every value has its text before any line is written."""

    def __init__(
        self,
        function: llvm.FuncOp,
        metadata: Metadata,
        types: dict[int, str],
        emitters: Mapping[str, Emitter],
    ) -> None:
        self.function = function
        self.metadata = metadata
        self._emitters = emitters
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
        return [names[id(operand)] for operand in op._operands]

    def typed_operands(self, op: Operation) -> list[str]:
        """The texts of the operands of an operation, each behind its type."""
        names, type = self.names, self.type
        return [f"{type(operand.type)} {names[id(operand)]}" for operand in op._operands]

    def numbers(self, array: Any) -> tuple[int, ...]:
        """The elements of a dense array; many operations share one, and unpacking it takes a dozen calls."""
        found = self._numbers.get(id(array))
        if found is None:
            found = self._numbers[id(array)] = array.get_values()
        return found

    def flags(self, op: Operation) -> str:
        """Fast-math flags of an operation, with a space behind."""
        attribute = op.properties.get("fastmathFlags")
        if attribute is None:
            return ""
        text = self._flags.get(id(attribute))
        if text is None:
            words = sorted(flag.value for flag in expect(attribute, llvm.FastMathAttr).data)
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
        names, emitters = self.names, self._emitters
        lines: list[str] = []
        for position, (block, operations) in enumerate(self._blocks):
            lines.append(f"{self.labels[block]}:")
            if position:
                lines.extend(self._phi(block, number) for number in range(len(block.args)))
            for op in operations:
                emit = emitters.get(op.name)
                if emit is None:
                    raise no_llvm_ir(op)
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


# Writes the text behind the name of the result, if there is one; None for a value that is written where it is used.
Emitter = Callable[[FunctionEmitter, Operation], str | None]


def _literal(op: Operation, result: SSAValue) -> str | None:
    """The text of a constant, an undefined value or an address; None for the result of an instruction."""
    match op.name:
        case "llvm.mlir.constant":
            value = op.properties["value"]
            if (
                isinstance(value, IntegerAttr)
                and value.type is not result.type
                and isinstance(result.type, IntegerType)
            ):
                check_fits(op, value, result.type.width.data)
            return constant_text(value, result.type)
        case "llvm.mlir.undef":
            return "undef"
        case "llvm.mlir.zero":
            return "zeroinitializer"
        case "llvm.mlir.addressof":
            return global_name(expect(op.properties["global_name"], SymbolRefAttr).root_reference.data)
        case _:
            return None


def no_llvm_ir(op: Operation, subject: str | None = None, help: str | None = None) -> UserError:
    """Only a module of the user's own has such operations, beside those that are lowered."""
    where = " beside functions" if subject is None and isinstance(op.parent_op(), ModuleOp) else ""
    message = f"no LLVM IR is written for {subject or repr(op.name)}{where}"
    if help is None and op.name.startswith("llvm."):
        help = "remove it from the module"
    return wrong_stage(op, "llvm", message, help)
