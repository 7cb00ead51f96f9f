"""A dry run says of a loop's body what a copy of it leaves: `probe` and `Copier` interpret it, each by itself."""

from __future__ import annotations

from itertools import cycle, product

import pytest
from whole_statements import Case, prepared
from xdsl.ir import Block, SSAValue

from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import accesses
from irtensor.passes.iteration_lattice import lower_lookup
from irtensor.passes.iteration_lattice.support import coiteration
from irtensor.passes.iteration_lattice.support.known_values import known_value
from irtensor.passes.iteration_lattice.support.probe import probe
from irtensor.passes.iteration_lattice.support.specialize import Copier
from irtensor.passes.support.emit import Emitter

STATEMENTS = (
    "y[i] = a[i] * b[i] * c[i]",
    "y[i] = a[i] + b[i] * c[i]",
    "y[i] = max(a[i], b[i]) * c[i]",
    "y[i] = where(a[i] > 0, b[i], c[i])",
    "y[i] = where(stored(a[i]), b[i], 1) - c[i]",
    "y[i] = A[i,j] * b[j] + c[i]",
    "y[i] = min(j, A[i,j] + b[j])",
    "C[i,j] = (A[i,j] + B[i,j]) * D[i,j]",
    "C[i,j] = A[i,k] * B[k,j]",
)
# Operands have formats of a pair in turn.
FORMATS = {
    1: ("compressed", "bitmap", "compressed, fill = inf"),
    2: ("dense, compressed", "bitmap, bitmap", "compressed, compressed"),
}


class _Checked(Copier):
    """Compares what each copy leaves with what a dry run says before."""

    found: list[bool] = []
    is_inside = False

    def statements(self, block: Block, emit: Emitter) -> bool:
        if _Checked.is_inside:
            return super().statements(block, emit)
        copies: dict[SSAValue, SSAValue] = {argument: self.value(argument) for argument in block.args}
        payloads = {a: known for a, copy in copies.items() if (known := known_value(copy)) is not None}
        sources = self.folding.sources
        nests = {a: sources[copy] for a, copy in copies.items() if copy in sources and a not in payloads}
        said = probe(block, payloads, nests).effect
        _Checked.is_inside = True
        try:
            left = super().statements(block, emit)
        finally:
            _Checked.is_inside = False
        assert said == left
        self.found.append(left)
        return left


@pytest.mark.one_in(4)
@pytest.mark.parametrize("text", STATEMENTS)
@pytest.mark.parametrize("numbers", [*product(range(3), repeat=2)], ids=str)
def test_a_dry_run_says_what_a_copy_leaves(text, numbers, monkeypatch):
    assert check(text, numbers, monkeypatch)


def test_some_copies_leave_nothing(monkeypatch):
    assert {*check("y[i] = max(a[i], b[i]) * c[i]", (0, 1), monkeypatch)} == {True, False}


def check(text: str, numbers: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """What each copy left, as a dry run has said."""
    for module in (coiteration, lower_lookup):
        monkeypatch.setattr(module, "Copier", _Checked)
    monkeypatch.setattr(_Checked, "found", [])
    case = Case.of(text, "dense")
    reads = {access.tensor: len(access.indices) for access in accesses(case.statement.expression)}
    pairs = zip(reads.items(), cycle(numbers))
    formats = {name: TensorFormat.parse(FORMATS[rank][number]) for (name, rank), number in pairs}
    prepared(case.statement, formats, case.arrays(), "loop")
    return _Checked.found
