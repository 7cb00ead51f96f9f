"""Loop orders of statements that read many operands against each other's order."""

import numpy as np
import pytest

import irtensor as it
from irtensor.passes.repairs import insert_conversions


@pytest.mark.one_in(8)
@pytest.mark.parametrize("term", ["A[i,j] * A[j,i]", "A[i,j] * B[j,i]"])
@pytest.mark.parametrize("count", [1, 3, 24])
def test_orders_are_tried_once_for_each_conversion(term, count, monkeypatch):
    """What several accesses ask for stays, whichever of them is converted: that is not tried for each."""
    tried = []
    original = insert_conversions.find_order
    monkeypatch.setattr(insert_conversions, "find_order", lambda *given: tried.append(given) or original(*given))
    array = np.arange(16.0).reshape(4, 4) * (np.arange(16).reshape(4, 4) % 3 == 0)
    given = {name: it.Tensor.from_numpy(array, it.CSR) for name in "AB" if name in term}
    kernel = it.compile(
        f"R[i,j] = {' + '.join([term] * count)}", dict.fromkeys([*given, "R"], it.CSR), disk_cache=False
    )
    np.testing.assert_array_equal(kernel(**given).to_numpy(), count * array * array.T)
    # Two where nothing contradicts anything; with the loops of the result in two orders.
    assert 2 <= len(tried) <= 6
