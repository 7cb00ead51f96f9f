"""Parts that `precompute` finds by the names of the statement, and workspaces of teams."""

from typing import Any

import numpy as np
import pytest

import irtensor as it


@pytest.mark.parametrize("name", ["late", "@late"])
def test_a_declared_operator_is_named_as_in_the_statement(name: str):
    late = it.operator("late", lambda a, b: a * b + a)
    steps = it.schedule(f"precompute({name}(x[j], y[j]), over=j, workspace=w)")
    kernel = it.compile("z[i] = A[i,j] * late(x[j], y[j])", operators=[late], schedule=steps)
    A, x, y = np.arange(6.0).reshape(2, 3), np.arange(3.0), np.ones(3)
    np.testing.assert_allclose(kernel(A=A, x=x, y=y), A @ (x * y + x))


@pytest.mark.parametrize("name", ["l", "m"])
def test_a_shared_sum_has_either_name(name: str):
    steps = it.schedule(f"precompute(2 * max({name}, D[i,{name}]), workspace=w)")
    kernel = it.compile("y[i] = 2 * max(l, D[i,l]) * sum(l, D[i,l] - max(m, D[i,m]))", schedule=steps)
    D = np.arange(6.0).reshape(2, 3)
    most = D.max(1)
    np.testing.assert_allclose(kernel(D=D), 2 * most * (D - most[:, None]).sum(1))


def test_a_team_has_no_workspace():
    text, part = "Y[i,f] = A[i,j] * B[j,f]", "precompute(A[i,j] * B[j,f], over=f, workspace=w)"
    A, B = it.Tensor.from_numpy(np.eye(5), it.CSR), np.arange(20.0).reshape(5, 4)

    def kernel(team: str, target: str) -> Any:
        steps = it.schedule(f"{part}; parallelize(i{team})")
        return it.compile(text, {"A": it.CSR}, schedule=steps, target=target)

    with pytest.raises(it.UserError) as caught:
        kernel(", team=block", "cuda-emulated").prepare(A=A, B=B)
    assert caught.value.slug == "unsupported-workspace"
    assert caught.value.message.startswith("the loop over i cannot be for teams of 128 threads: 'w' is filled")
    assert "omit team=" in str(caught.value.help) and "step 2: parallelize" in str(caught.value)
    for team, target in (("", "cuda-emulated"), (", team=thread", "cuda-emulated"), (", team=block", "cpu")):
        np.testing.assert_array_equal(kernel(team, target)(A=A, B=B), B)
