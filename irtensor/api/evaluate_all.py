"""`evaluate_all`: several tensor variables at once, with what they need, in as few traversals as there may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from irtensor.api.expression import TensorVariable
from irtensor.compiler.kernel.kernel_sequence import KernelSequence, sequence_of
from irtensor.compiler.kernel.notation_kernel import NotationKernel
from irtensor.core.diagnostics import UserError
from irtensor.frontend.arguments import as_flag, as_mapping, is_list
from irtensor.frontend.einsum.einsum_parser import operand_name
from irtensor.frontend.expression_tree import Statement
from irtensor.frontend.lazy_expression import with_names
from irtensor.memory_cache import MemoryCache
from irtensor.options import environment_of_code

_kernels: MemoryCache[Any, KernelSequence] = MemoryCache(entry_bytes=8192)


def evaluate_all(
    variables: Mapping[str, TensorVariable] | Sequence[TensorVariable],
    operands: Mapping[str, Any] | None = None,
    *,
    formats: Mapping[str, Any] | None = None,
    exact: bool = False,
) -> Any:
    """The values of several tensor variables: a dictionary with the keys of a mapping, a tuple for a list.

    Definitions along the same operand are computed in one traversal, as those of one text are: see docs/notation.md.
    A tensor variable that another one's definition reads is computed once, if it has a definition. Others get their
    data from `operands`, by name. `formats` are those of results, by the names of variables; without one a result is
    a NumPy array or scalar. `exact` is that of `irtensor.compile`. Raises UserError [undefined-variable],
    [missing-operand], [name-conflict] and those of a kernel.

    >>> i, j = it.indices("i j")
    >>> A = it.as_tensor(np.array([[1.0, 5.0], [4.0, 2.0]]))
    >>> low, high = it.tensor_variable("low", 1), it.tensor_variable("high", 1)
    >>> low[i], high[i] = it.functions.min(j, A[i, j]), it.functions.max(j, A[i, j])
    >>> it.evaluate_all([low, high])
    (array([1., 2.]), array([5., 4.]))
    """
    asked = _variables(variables)
    program = _Program(as_mapping("operands", operands), as_flag("exact=", exact))
    for variable in asked.values():
        program.add(variable)
    values = program.computed([one.variable_name for one in asked.values()], dict(as_mapping("formats", formats)))
    if isinstance(variables, Mapping):
        return {key: values[one.variable_name] for key, one in asked.items()}
    return tuple([values[one.variable_name] for one in asked.values()])


def _variables(given: Any) -> dict[Any, TensorVariable]:
    """The variables by keys. Raises UserError [bad-argument]."""
    if isinstance(given, Mapping):
        found = dict(given)
    elif is_list(given):
        found = dict(enumerate(given))
    else:
        message = f"evaluate_all takes tensor variables, in a list or by name; got {type(given).__name__}"
        raise UserError("bad-argument", message, help="write evaluate_all([y, z])")
    for one in found.values():
        if not isinstance(one, TensorVariable):
            message = f"evaluate_all takes tensor variables; got {type(one).__name__}"
            help = 'define one: y = irtensor.tensor_variable("y", 1); y[i] = ...'
            raise UserError("bad-argument", message, help=help)
    return found


class _Program:
    """Definitions in an order in which each reads those before, and the data that they read."""

    def __init__(self, given: Mapping[str, Any], exact: bool) -> None:
        self.given = given
        self.exact = exact
        self.variables: dict[str, TensorVariable] = {}
        self.statements: list[Statement] = []
        self.data: dict[str, Any] = {}
        self.operators: dict[str, Any] = {}
        self._names: dict[int, str] = {}
        self._open: list[str] = []

    def add(self, variable: TensorVariable) -> None:
        """Add the definition of a variable, behind those that it reads. Raises UserError."""
        name = variable.variable_name
        if self.variables.setdefault(name, variable) is not variable:
            message = f"two different tensor variables are called {name}"
            raise UserError("name-conflict", message, help="give each variable a name of its own")
        if any(statement.target.tensor == name for statement in self.statements):
            return
        if variable.definition is None:
            message = f"{name} has no definition"
            raise UserError("undefined-variable", message, help=f"assign to it first: {name}[i, j] = ...")
        if name in self._open:
            message = f"{name} is defined by itself, through {', '.join(self._open[self._open.index(name) :])}"
            help = f"give data for one of them: evaluate_all(..., operands={{{name!r}: array}})"
            raise UserError("undefined-variable", message, help=help)
        self._open.append(name)
        names = {label: self._name_for(label, operand) for label, operand in variable.operands.items()}
        self._open.pop()
        expression = with_names(variable.definition.expression, names)
        self.statements.append(replace(variable.definition, expression=expression, exact=self.exact))

    def _name_for(self, label: str, operand: Any) -> str:
        """The name that an operand has in all statements."""
        if label.startswith("@"):
            self.operators[label] = operand
            return label
        if isinstance(operand, TensorVariable):
            name = operand.variable_name
            if name in self.given:
                self.data[name] = self.given[name]
            elif operand.definition is None:
                message = f"tensor variable {name} has no data"
                help = f"give it by name: evaluate_all(..., operands={{{name!r}: array}})"
                raise UserError("missing-operand", message, help=help)
            else:
                self.add(operand)
            return name
        known = self._names.get(id(operand))
        if known is None:
            taken = {*self.data, *self.variables, *self.given}
            fresh = (one for one in map(operand_name, range(len(taken) + 1)) if one not in taken)
            known = self._names[id(operand)] = label if label not in taken else next(fresh)
            self.data[known] = operand
        return known

    def computed(self, names: Sequence[str], formats: dict[str, Any]) -> dict[str, Any]:
        """The values of these variables."""
        kernel = self._kernel(list(dict.fromkeys(names)), formats)
        results = kernel(**{name: self.data[name] for name in kernel.operand_names})
        if len(kernel.result_names) == 1:
            results = (results,)
        return dict(zip(kernel.result_names, results, strict=True))

    def _kernel(self, names: list[str], formats: dict[str, Any]) -> KernelSequence:
        is_on_device = any([getattr(operand, "is_on_device", False) for operand in self.data.values()])
        options = {"target": "cuda"} if is_on_device else {}
        operators = tuple(self.operators.values())
        key = (*self.statements, None, *names, *formats.items(), operators, is_on_device, environment_of_code())
        try:
            known = _kernels[key]
        except TypeError:
            # What has no hash is not remembered.
            key = known = None
        if known is not None:
            return known

        def kernel_of(statement: Statement, formats: Mapping[str, Any], dtypes: Mapping[str, Any]) -> NotationKernel:
            return NotationKernel(statement, formats, dtypes, operators, True, options)

        kernel = sequence_of(self.statements, formats, {}, names, kernel_of)
        if key is not None:
            _kernels[key] = kernel
        return kernel
