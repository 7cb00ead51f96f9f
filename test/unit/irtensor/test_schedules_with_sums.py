"""Schedule steps name parts of a statement that hold sums."""

import numpy as np
import pytest

import irtensor as it

rng = np.random.default_rng(0)
X, Y, v = rng.integers(0, 3, (5, 4)) / 2.0, rng.integers(0, 3, (5, 6)) / 2.0, rng.integers(0, 3, 6) / 2.0
B = rng.integers(0, 3, (6, 4)) / 2.0
NESTED = "o[j] = sum(i, X[i,j] * exp(sum(k, Y[i,k] * v[k])))"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("formats", [{}, {"X": it.CSR, "Y": it.CSR}, {"X": it.CSC, "Y": it.COO, "o": "compressed"}])
@pytest.mark.parametrize(
    ("part", "over"),
    [
        ("exp(sum(k, Y[i,k] * v[k]))", "i"),
        ("exp(sum(k, v[k] * Y[i,k]))", "i"),
        ("sum(k, Y[i,k] * v[k])", "i"),
        ("sum((k), Y[i,k] * v[k])", "i"),
        ("exp(t)", "i"),
        ("X[i,j] * exp(sum(k, Y[i,k] * v[k]))", "j"),
        ("sum(i, X[i,j] * exp(sum(k, Y[i,k] * v[k])))", "j"),
    ],
)
def test_any_part_is_computed_first(part, over, formats):
    kernel = it.compile(NESTED, formats=formats, schedule=it.schedule().precompute(part, over))
    result = kernel(X=X, Y=Y, v=v)
    result = result if isinstance(result, np.ndarray) else result.to_numpy()
    np.testing.assert_allclose(result, X.T @ np.exp(Y @ v), rtol=1e-13)
    assert "concrete_index.where produce (%w)" in kernel.ir("step 1")


def test_the_loops_of_a_sum_go_with_it():
    text = it.compile(NESTED, schedule=it.schedule().precompute("exp(sum(k, Y[i,k] * v[k]))", "i")).ir("step 1")
    loops = [line.split()[1] for line in text.splitlines() if "concrete_index.forall" in line]
    assert loops == ["%i", "%k", "%j", "%i_1"]


@pytest.mark.parametrize(
    ("statement", "part", "over", "expected"),
    [
        ("C[i,j] = max(sum(k, Y[i,k] * B[k,j]), 1)", "sum(k, Y[i,k] * B[k,j])", "j", lambda: np.maximum(Y @ B, 1)),
        ("C[i,j] = X[i,j] - sum(k, Y[i,k] * B[k,j])", "sum(k, B[k,j] * Y[i,k])", "j", lambda: X - Y @ B),
        ("s[i] = max(k, Y[i,k] * v[k]) * 2", "max(k, Y[i,k] * v[k])", "i", lambda: (Y * v).max(1) * 2),
        ("s = exp(sum(i, sum(k, Y[i,k])) / 8)", "sum((k, i), Y[i,k])", (), lambda: np.exp(Y.sum() / 8)),
        ("s = exp(sum(i, sum(k, Y[i,k])) / 8)", "sum(i, sum(k, Y[i,k])) / 8", (), lambda: np.exp(Y.sum() / 8)),
        ("s[i] = clip(sum(k, Y[i,k]), 1, 2)", "clip(sum(k, Y[i,k]), 1, 2)", "i", lambda: Y.sum(1).clip(1, 2)),
        ("s[i] = sum(k, Y[i,k] * v[k]) + 1", "Y[i,k] * v[k]", "k", lambda: Y @ v + 1),
    ],
)
def test_of_other_statements(statement, part, over, expected):
    names = [name for name in ("X", "Y", "v", "B") if f"{name}[" in statement]
    kernel = it.compile(statement, schedule=it.schedule().precompute(part, over))
    np.testing.assert_allclose(kernel(**{name: globals()[name] for name in names}), expected(), rtol=1e-13)


def test_parts_of_what_a_step_has_put_into_a_workspace():
    """A part is named as the statement has it, after other steps as well."""
    steps = it.schedule().precompute("sum(k, Y[i,k] * v[k])", "i", workspace="u")
    steps = steps.precompute("exp(sum(k, Y[i,k] * v[k]))", "i", workspace="w")
    kernel = it.compile(NESTED, schedule=steps)
    np.testing.assert_allclose(kernel(X=X, Y=Y, v=v), X.T @ np.exp(Y @ v), rtol=1e-13)
    assert "%u" in kernel.ir("step 2") and "%w" in kernel.ir("step 2")


def test_what_is_not_there_is_told_with_its_sums():
    with pytest.raises(it.UserError, match=r"no assignment computes 'exp\(sum\(i, Y\[i, k\]\)\)'") as caught:
        it.compile(NESTED, schedule=it.schedule().precompute("exp(sum(i, Y[i,k]))", "k")).ir()
        it.compile(NESTED, schedule=it.schedule().precompute("exp(sum(i, Y[i,k]))", "k"))(X=X, Y=Y, v=v)
    assert "o is computed as X[i, j] * exp(sum(k, Y[i, k] * v[k]))" in str(caught.value)
    with pytest.raises(it.UserError, match="does not depend on j") as caught:
        it.compile(NESTED, schedule=it.schedule().precompute("exp(sum(k, Y[i,k] * v[k]))", "j"))(X=X, Y=Y, v=v)
    assert "it depends on i" in str(caught.value)


def test_texts_of_schedules():
    text = "precompute(exp(sum(k, Y[i,k] * v[k])), over=i)"
    kernel = it.compile(NESTED, schedule=it.schedule(text))
    np.testing.assert_allclose(kernel(X=X, Y=Y, v=v), X.T @ np.exp(Y @ v), rtol=1e-13)
    assert it.schedule(str(kernel.schedule)) == kernel.schedule
