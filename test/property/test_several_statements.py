"""Several statements in one text, against NumPy: what later ones read, results in formats, threads, one traversal."""

import random

import numpy as np
import pytest
from sampling import few_or_many

import irtensor as it

MATRICES = (None, "csr", "csc", "coo", "dense, bitmap", "dcsr")
RESULTS = (None, None, "csr", "dense, bitmap")
REDUCTIONS = {"sum": np.sum, "max": np.max, "min": np.min}


class Program:
    """Statements drawn one after the other, with what they compute."""

    def __init__(self, seed):
        self.draw, numbers = random.Random(seed), np.random.default_rng(seed)
        rows, columns = self.draw.randint(1, 5), self.draw.randint(1, 4)
        shapes = {"A": (rows, columns), "B": (rows, columns), "x": (columns,), "b": (rows,)}
        self.values, self.formats, self.lines, self.names = {}, {}, [], []
        for name, shape in shapes.items():
            kept = numbers.random(shape) < (0.6 if len(shape) == 2 else 1)
            self.values[name] = numbers.integers(-3, 4, shape) * kept * 1.0
        self.operands = {name: value for name, value in self.values.items()}
        for name in "AB":
            format = self.draw.choice(MATRICES)
            if format is not None:
                self.operands[name] = it.Tensor.from_numpy(self.values[name], format)
        self.kinds = {"A": "ij", "B": "ij", "x": "j", "b": "i"}
        for number in range(self.draw.randint(2, 4)):
            self.add(f"r{number}")

    def term(self, variables, names=()):
        """An access, and its values at all coordinates of the variables."""
        names = names or [name for name, kind in self.kinds.items() if set(kind) <= set(variables)]
        name = self.draw.choice(names)
        kind, value = self.kinds[name], self.values[name]
        if len(kind) < len(variables):
            value = value[None, :] if kind == "j" else value[:, None] if kind == "i" else value
        return (f"{name}[{','.join(kind)}]" if kind else name), value

    def expression(self, variables):
        # All variables have an extent.
        names = [name for name, kind in self.kinds.items() if set(kind) == set(variables)]
        text, value = self.term(variables, names)
        for _ in range(self.draw.randint(0, 2)):
            other, its = self.term(variables)
            operator = self.draw.choice("*+-")
            text = f"({text} {operator} {other})"
            value = value * its if operator == "*" else value + its if operator == "+" else value - its
        return text, value

    def add(self, name):
        kind = self.draw.choice(["ij", "i", "j", ""])
        variables = self.draw.choice(["ij"] if kind in ("ij", "i", "j") else ["ij", "i", "j"])
        text, value = self.expression(variables)
        if self.draw.random() < 0.2:
            self.lines.append(f"let e{name} = {text}")
            text = f"e{name}"
        shape = [self.values["A"].shape["ij".index(one)] for one in variables]
        value = np.broadcast_to(value, shape)
        for variable in [one for one in variables if one not in kind]:
            reduction = self.draw.choice([*REDUCTIONS])
            axis = variables.index(variable)
            variables = variables.replace(variable, "")
            text, value = f"{reduction}({variable}, {text})", REDUCTIONS[reduction](value, axis=axis)
        if kind == "ij":
            self.formats[name] = self.draw.choice(RESULTS)
        target = f"{name}[{','.join(kind)}]" if kind else name
        self.lines.append(f"{target} = {text}")
        self.values[name], self.kinds[name] = value, kind
        self.names.append(name)


@pytest.mark.parametrize("seed", range(few_or_many(30, 4000)))
def test_random_programs(seed):
    program = Program(seed)
    text = "; ".join(program.lines)
    formats = {name: format for name, format in program.formats.items() if format is not None}
    kernel = it.compile(text, formats, results=program.names, num_threads=program.draw.choice([1, 2]))
    operands = {name: program.operands[name] for name in kernel.operand_names}
    assert kernel.result_names == tuple(program.names)
    for _ in range(2):
        results = kernel(**operands)
        for name, result in zip(program.names, results, strict=True):
            if isinstance(result, it.Tensor):
                result.check()
                assert name in formats
                result = result.to_numpy()
            np.testing.assert_array_equal(result, program.values[name], err_msg=f"{name} of {text}")
