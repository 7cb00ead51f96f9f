"""The kernel of several statements: each reads operands, and what those before it have computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from irtensor.compiler.kernel.given_operands import operands_by_name
from irtensor.compiler.kernel.joined_kernels import JoinedKernels
from irtensor.compiler.kernel.notation_kernel import NotationKernel
from irtensor.compiler.kernel.operand_binding import check_named
from irtensor.compiler.kernel.twin import twin
from irtensor.core.diagnostics import UserError
from irtensor.frontend.expression_tree import Statement, accesses
from irtensor.frontend.notation.check_definitions import reads
from irtensor.frontend.notation.joinable import Group, groups_of
from irtensor.frontend.notation.notation_errors import notation_error

if TYPE_CHECKING:
    from irtensor.compiler.kernel.operand_binding import OperandBinding
    from irtensor.core.tensor_format import TensorFormat


class KernelSequence(NotationKernel):
    """A callable for several statements; made by `irtensor.compile`.

    `operand_names` lists what they read and do not define, in order of appearance, `result_names` what a call returns:
    one result as it is, several as a tuple. `kernels` are those of the statements.

    >>> kernel = it.compile("T[i,k] = A[i,j] * B[j,k];  s = T[i,i];  n[i] = T[i,k]")
    >>> kernel.operand_names, kernel.result_names
    (('A', 'B'), ('s', 'n'))
    >>> kernel(A=np.eye(2), B=np.ones((2, 2)))
    (2.0, array([2., 2.]))
    """

    def __init__(self, kernels: Sequence[NotationKernel], result_names: Sequence[str]) -> None:
        self.kernels = tuple(kernels)
        self.result_names = tuple(result_names)
        defined: set[str] = set()
        names: dict[str, None] = {}
        # Results that start from an operand of their name, if it is given.
        self._may_be_given: set[str] = set()
        for kernel in self.kernels:
            names |= dict.fromkeys(name for name in kernel.operand_names if name not in defined)
            if kernel.written.operator is not None and kernel.result_name not in defined:
                self._may_be_given.add(kernel.result_name)
            defined.add(kernel.result_name)
        self.operand_names = tuple(names)
        statements = [kernel.plain.statement for kernel in self.kernels]
        # In the order in which they run.
        self._groups = groups_of(statements, [_may_join(kernel) for kernel in self.kernels])
        self._joined = self._joined_kernels()
        self._finished = self._find_finished()

    def _joined_kernels(self) -> list[JoinedKernels | None]:
        """For each group of several statements, what may compute it with one kernel."""
        several = [group.numbers if len(group.numbers) > 1 else () for group in self._groups]
        return [JoinedKernels([self.kernels[n] for n in numbers]) if numbers else None for numbers in several]

    def _find_finished(self) -> list[list[str]]:
        """For each group, what no later one reads, and no caller gets."""
        needed = set(self.result_names)
        finished: list[list[str]] = []
        for group in reversed(self._groups):
            kernels = [self.kernels[n] for n in group.numbers]
            used = {name for kernel in kernels for name in (*kernel.operand_names, kernel.result_name)}
            finished.append([name for name in used if name not in needed])
            needed |= used
        return finished[::-1]

    def again(self, environment: tuple[str | None, ...]) -> KernelSequence:
        """An equal kernel, which shares what this one has compiled; see NotationKernel.again."""
        other = twin(self)
        other.kernels = tuple([kernel.again(environment) for kernel in self.kernels])
        other._joined = [
            None if joined is None else joined.again([other.kernels[n] for n in group.numbers], environment)
            for group, joined in zip(self._groups, self._joined, strict=True)
        ]
        return other

    def __reduce__(self) -> tuple[Any, ...]:
        return KernelSequence, (self.kernels, self.result_names)

    def __repr__(self) -> str:
        return f"<kernel {'; '.join(str(kernel.written) for kernel in self.kernels)}>"

    def __call__(self, /, *operands: Any, out: Any = None, stream: Any = None, **named: Any) -> Any:
        """The results for these operands; see NotationKernel. `out` is for a single result. Raises UserError."""
        if stream is not None and "stream" in self.operand_names:
            named["stream"], stream = stream, None
        if out is not None and "out" in self.operand_names:
            named["out"], out = out, None
        if out is not None and len(self.result_names) > 1:
            message = f"out= is for one result, and the statements have {len(self.result_names)}"
            raise UserError("bad-argument", message, help=f"they are {', '.join(self.result_names)}; omit out=")
        values = self._results_among(self._given(operands, named), out, stream)
        if len(self.result_names) == 1:
            return values[self.result_names[0]]
        return tuple([values[name] for name in self.result_names])

    def _results_among(self, values: dict[str, Any], out: Any = None, stream: Any = None) -> dict[str, Any]:
        """The results among `values`, which has the operands."""
        last = {kernel.result_name: kernel for kernel in self.kernels}
        for group, joined, finished in zip(self._groups, self._joined, self._finished, strict=True):
            kernels = [self.kernels[n] for n in group.numbers]
            results = joined.results(values) if joined is not None and out is None else None
            if results is not None:
                values.update(zip([kernel.result_name for kernel in kernels], results, strict=True))
            else:
                for kernel in kernels:
                    name, given = kernel.result_name, {} if stream is None else {"stream": stream}
                    if out is not None and name in self.result_names and last[name] is kernel:
                        given["out"] = out
                    values[name] = kernel(**_operands_of(kernel, values), **given)
            for name in finished:
                values.pop(name, None)
        return values

    def _given(self, operands: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """Operands by name. Raises UserError."""
        names = self.operand_names
        given = operands_by_name(operands, named, names, "the statements have")
        for name in given:
            if name not in names and name not in self._may_be_given:
                message = f"the statements read no operand {name}"
                raise UserError("unknown-operand", message, help=f"their operands are {', '.join(names)}")
        for name in names:
            if name not in given:
                raise self._missing(name)
        return given

    def _missing(self, name: str) -> UserError:
        uses = ((kernel.written, access) for kernel in self.kernels for access in reads(kernel.written))
        found = ((written.source, access.span) for written, access in uses if access.tensor == name)
        source, span = next(found, (None, None))
        help = f"give each by name: {', '.join(f'{name}=...' for name in self.operand_names)}"
        return notation_error("missing-operand", f"no operand is given for {name}", source, span, help=help)

    def prepare(self, /, *operands: Any, **named: Any) -> KernelSequence:
        """Compile for these operands; returns the kernel itself.

        Statements that others read run, as their results say what the others are compiled for.
        """
        values = self._given(operands, named)
        names = [kernel.result_name for kernel in self.kernels]
        needed = {name for kernel in self.kernels for name in kernel.operand_names}
        # Those that several statements combine into as well.
        needed |= {name for name in names if names.count(name) > 1}
        for group, joined in zip(self._groups, self._joined, strict=True):
            kernels = [self.kernels[n] for n in group.numbers]
            if joined is not None and joined.prepare(values) and not needed & {one.result_name for one in kernels}:
                continue
            for kernel in kernels:
                its = _operands_of(kernel, values)
                if kernel.result_name in needed:
                    values[kernel.result_name] = kernel(**its)
                else:
                    kernel.prepare(**its)
        return self

    def bindings_for(self, named: Mapping[str, Any]) -> list[OperandBinding]:
        """How operands of these names are read: by the first statement that reads each."""
        values, found = self._given((), dict(named)), dict[str, OperandBinding]()
        for kernel in self.kernels:
            for binding in kernel.plain.bindings:
                if binding.name in values:
                    found.setdefault(binding.name, binding)
        return list(found.values())

    @property
    def read_formats(self) -> dict[str, TensorFormat]:
        """How the code of the last call reads sparse operands, by name: that of the first statement with each."""
        found: dict[str, TensorFormat] = {}
        for kernel in self.kernels:
            found = {**kernel.read_formats, **found}
        return {name: format for name, format in found.items() if name in self.operand_names}

    @property
    def chosen_schedule(self) -> NoReturn:
        """Raises UserError: each statement has its own."""
        message = "each statement has a schedule of its own"
        raise UserError("several-statements", message, help="ask its kernel: kernel.kernels[0].chosen_schedule")

    def assemble(self, /, *operands: Any, **named: Any) -> NoReturn:
        """Raises UserError: the index of one result is assembled by the kernel of one statement."""
        raise _of_one_statement("assemble")

    def compute(self, index: Any, /, *operands: Any, **named: Any) -> NoReturn:
        """Raises UserError: see `assemble`."""
        raise _of_one_statement("compute")

    def explain(self, instead: str | None = None) -> str:
        """What the compiler does with each statement and why; statements of one traversal are explained together."""
        if instead is not None:
            message = "another program is compared with that of one statement"
            raise UserError("several-statements", message, help="ask its kernel: kernel.kernels[0].explain(...)")

        def text(group: Group, shown: NotationKernel | JoinedKernels) -> str:
            is_first = isinstance(shown, JoinedKernels) or shown is self.kernels[group.numbers[0]]
            why = "" if group.reason is None or not is_first else f"not in one traversal: {group.reason}\n"
            return why + shown.explain()

        return self._each(text)

    def ir(self, stage: str = "index_notation") -> str:
        """The IR of each statement after a stage, or after a pass; see NotationKernel."""
        return self._each(lambda _, shown: shown.ir(stage))

    def llvm_ir(self, optimized: bool = False) -> str:
        """The LLVM IR of each statement, as generated, or as LLVM optimises it for this processor."""
        return self._each(lambda _, shown: shown.llvm_ir(optimized))

    def assembly(self) -> str:
        """The machine code of each statement as assembly text."""
        return self._each(lambda _, shown: shown.assembly())

    def ptx(self, arch: str = "sm_90") -> str:
        """The kernels of a GPU for each statement, as PTX; see NotationKernel."""
        return self._each(lambda _, shown: shown.ptx(arch))

    def _each(self, text: Callable[[Group, NotationKernel | JoinedKernels], str]) -> str:
        """A text for each statement, or for those that one kernel computes, below a line that says which."""
        parts: list[str] = []
        count = len(self.kernels)
        for group, joined in zip(self._groups, self._joined, strict=True):
            if joined is not None and joined.is_joined:
                numbers = [str(n + 1) for n in group.numbers]
                which = f"statements {', '.join(numbers[:-1])} and {numbers[-1]}"
                title = "; ".join([str(kernel.written) for kernel in joined.kernels])
                parts.append(f"// {which} of {count}: {title}\n{text(group, joined).rstrip()}\n")
                continue
            for n in group.numbers:
                kernel = self.kernels[n]
                parts.append(f"// statement {n + 1} of {count}: {kernel.written}\n{text(group, kernel).rstrip()}\n")
        return "\n".join(parts)


def _may_join(kernel: NotationKernel) -> bool:
    """Whether a kernel for several statements has nothing to obey or to check for this one."""
    is_plain = kernel.schedule is None and kernel.tune is None and kernel.convert and not kernel.operators
    variant = kernel.plain
    indices = [index for access in accesses(variant.statement.expression) for index in access.indices]
    has_extents = not variant.extents.names and not variant.statement.coordinates
    return is_plain and has_extents and not kernel.is_on_device and all([isinstance(index, str) for index in indices])


def _of_one_statement(method: str) -> UserError:
    message = f"{method}() is for kernels of one statement, and this one has several"
    return UserError("several-statements", message, help=f"ask its kernel: kernel.kernels[-1].{method}(...)")


def _operands_of(kernel: NotationKernel, values: Mapping[str, Any]) -> dict[str, Any]:
    its = {name: values[name] for name in kernel.operand_names}
    if kernel.written.operator is not None and kernel.result_name in values:
        its[kernel.result_name] = values[kernel.result_name]
    return its


def sequence_of(
    statements: Sequence[Statement],
    formats: Mapping[str, Any],
    dtypes: Mapping[str, Any],
    results: Sequence[str],
    kernel_of: Callable[[Statement, Mapping[str, Any], Mapping[str, Any]], NotationKernel],
) -> KernelSequence:
    """The kernel of several statements, with formats and dtypes by the names of tensors. Raises UserError."""
    ranks = {one.tensor: len(one.indices) for its in statements for one in (*reads(its), its.target)}
    check_named(formats, ranks, "formats")
    check_named(dtypes, ranks, "dtypes")
    kernels: list[NotationKernel] = []
    for its in statements:
        names = {its.target.tensor, *(one.tensor for one in reads(its))}
        parts = [{name: one for name, one in given.items() if name in names} for given in (formats, dtypes)]
        kernels.append(kernel_of(its, *parts))
    return KernelSequence(kernels, results)
