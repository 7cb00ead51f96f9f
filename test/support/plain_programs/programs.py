"""Programs of users: their source, which stands alone, and what is expected of them."""

from dataclasses import dataclass, field, replace

import numpy as np

from .expressions import Access, Apply, Expression, Writer, accesses
from .meaning import Elements, Expected, Meaning, expected
from .operands import Operand, array_text
from .scalars import UFUNCS, identity
from .statements import Statement
from .storage import stores_everything

SEMIRINGS = {"MIN_PLUS": ("min", "+"), "MAX_PLUS": ("max", "+"), "OR_AND": ("|", "&")}


@dataclass(frozen=True)
class Program:
    door: str  # compile, lazy, operators or einsum
    statement: Statement
    operands: dict[str, Operand]
    extents: dict[str, int]
    result_format: str | None = None
    formats: dict[str, str] = field(default_factory=dict)
    dtypes: dict[str, str] = field(default_factory=dict)
    schedule: tuple[str, ...] = ()  # calls of the methods of a schedule; or "auto" alone
    threads: int = 1
    way: str = "call"  # or assemble, out, matmul
    semiring: str | None = None
    options: tuple[str, ...] = ()

    def source(self) -> str:
        """Code that leaves `result`, and NumPy's elements of it in `found`."""
        lines = [operand.source(name) for name, operand in self.operands.items()]
        lines += {"compile": self._compile, "lazy": self._lazy, "operators": self._operators, "einsum": self._einsum}[
            self.door
        ]()
        return "\n".join([*IMPORTS, *lines, *FOUND])

    def _compile(self) -> list[str]:
        formats = dict(self.formats)
        if self.result_format is not None:
            formats["R"] = self.result_format
        more = [f"formats={formats}"] if formats else []
        more += [f"dtypes={self.dtypes}"] if self.dtypes else []
        more += [*self._schedule(), *self.options, f"num_threads={self.threads}"]
        call = ", ".join(f"{name}={name}" for name in self.operands)
        lines = [f"k = it.compile({self.notation()!r}, {', '.join(more)})"]
        if self.way == "assemble":
            return [*lines, f"index = k.assemble({call})", f"result = k.compute(index, {call})"]
        if self.way == "out":
            made = expected_values(self).values
            lines.append(f"out = np.full({made.shape}, {made.dtype.name!r} == 'bool' or 7, {made.dtype.name!r})")
            return [*lines, f"result = k({call}, out=out)", "assert result is out"]
        return [*lines, f"result = k({call})"]

    def notation(self) -> str:
        writer = Writer("notation")
        left = writer.access("R", self.statement.left)
        return f"{left} {self.statement.operator}= {writer.text(self.statement.right)}"

    def _schedule(self) -> list[str]:
        if not self.schedule:
            return []
        if self.schedule == ("auto",):
            return ['schedule="auto"']
        return [f"schedule=it.schedule(){''.join('.' + step for step in self.schedule)}"]

    def _lazy(self) -> list[str]:
        writer = Writer("lazy")
        lines = [
            "f = it.functions",
            f"{', '.join(self.extents)}, = it.indices({' '.join(self.extents)!r} + ' unused')[:-1]",
        ]
        lines += [f"{name} = it.as_tensor({name})" for name in self.operands]
        lines.append(f"R = it.tensor_variable('R', {len(self.statement.left)})")
        lines.append(f"{writer.access('R', self.statement.left)} = {writer.text(self.statement.right)}")
        return [
            *lines,
            f"result = R.evaluate({'' if self.result_format is None else f'format={self.result_format!r}'})",
        ]

    def _operators(self) -> list[str]:
        lines = [f"{name} = it.as_tensor({name})" for name in self.operands]
        return [*lines, f"result = {Writer('operators', UFUNCS).text(self.statement.right)}"]

    def _einsum(self) -> list[str]:
        found = accesses(self.statement.right)
        if self.way == "matmul":
            one, other = (f"it.as_tensor({access.name})" for access in found)
            return [f"result = {one} @ {other}"]
        subscripts = ",".join("".join(access.indices) for access in found) + "->" + "".join(self.statement.left)
        arguments = [repr(subscripts), *(access.name for access in found), *self._schedule(), *self.options]
        if self.result_format is not None:
            arguments.append(f"format={self.result_format!r}")
        if self.semiring is not None:
            arguments.append(f"semiring=it.{self.semiring}")
        lines = []
        if self.way == "out":
            made = expected_values(self).values
            lines.append(f"out = np.zeros({made.shape}, {made.dtype.name!r})")
            arguments.append("out=out")
        return [*lines, f"result = it.einsum({', '.join(arguments)}, num_threads={self.threads})"]

    def stand_alone(self, absent_rule: bool = False) -> str:
        """The source with a check of what it finds."""
        right = expected_values(self, absent_rule)
        rough = right.values.dtype.name in ("float32", "complex64") or self.rough()
        tolerance = (1e-4 if rough else 1e-9) * max(1.0, right.largest)
        return "\n".join(
            [
                self.source(),
                f"expected = {array_text(right.values)}",
                "assert found.shape == expected.shape, (found.shape, expected.shape)",
                "assert found.dtype == expected.dtype, (found.dtype, expected.dtype)",
                "if isinstance(result, it.Tensor):",
                "    result.check()",
                f"np.testing.assert_allclose(found, expected, rtol={1e-4 if rough else 1e-9}, atol={tolerance:.3g})",
                "",
            ]
        )

    def rough(self) -> bool:
        narrow = any(operand.values.dtype == np.float32 for operand in self.operands.values())
        return narrow or "float32" in self.dtypes.values()


IMPORTS = ["import numpy as np", "import scipy.sparse as sp", "", "import irtensor as it", ""]
FOUND = ["found = result.to_numpy() if isinstance(result, it.Tensor) else np.asarray(result)"]


def expected_values(program: Program, absent_rule: bool = False) -> Expected:
    statement, operands = program.statement, program.operands
    elements = {name: operand.elements() for name, operand in operands.items() if name != "R"}
    for name in program.dtypes.keys() & elements.keys():
        elements[name] = replace(elements[name], values=elements[name].values.astype(program.dtypes[name]))
    operator, right = statement.operator or "+", statement.right
    for name in program.formats.keys() & elements.keys():
        # An array that is converted to a sparse format has entries where it is not zero.
        if operands[name].is_dense and not stores_everything(program.formats[name]):
            elements[name] = replace(elements[name], absent=elements[name].values == 0)
    if program.door == "einsum":
        elements, operator, right = _einsum(program, elements)
    meaning = Meaning(elements, program.extents, absent_rule)
    old = operands["R"].values if "R" in operands else None
    found = expected(meaning, operator, statement.left, right, old)
    return replace(found, values=found.values.astype(program.dtypes.get("R", found.values.dtype)))


def _einsum(program: Program, elements: dict[str, Elements]) -> tuple[dict[str, Elements], str, Expression]:
    """NumPy's meaning: all in the type of the operands together, where booleans are or and and."""
    dtype = np.result_type(*(operand.values.dtype for operand in program.operands.values()))
    elements = {name: replace(found, values=found.values.astype(dtype)) for name, found in elements.items()}
    reduction, product = ("|", "&") if dtype.kind == "b" else ("+", "*")
    if program.semiring is not None:
        reduction, product = SEMIRINGS[program.semiring]
        for name, operand in program.operands.items():
            if not operand.is_dense:
                values = np.where(operand.stored, elements[name].values, identity(reduction, dtype))
                elements[name] = Elements(values, ~operand.stored)
    found = accesses(program.statement.right)
    right: Expression = found[0]
    for access in found[1:]:
        right = Apply(product, (right, access))
    return elements, reduction, right


def statement_of(left: tuple[str, ...], factors: list[Access]) -> Statement:
    """What einsum computes, as a statement."""
    right: Expression = factors[0]
    for factor in factors[1:]:
        right = Apply("*", (right, factor))
    return Statement(left, "", right)
