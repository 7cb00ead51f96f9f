"""The kernels of the page about those of papers give the right values on each target, under their schedules."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import irtensor as it

sys.path.insert(0, str(Path(__file__).parents[2]))

from docs.schedule_kernels import FORMATS, KERNELS

# Of the rows, columns and third dimension of the first operand, and of others; several blocks of each kind.
EXTENTS = {1: (53,), 2: (53, 61), 3: (37, 19, 23)}
TARGETS = ({"num_threads": 1}, {"num_threads": 2}, {"target": "cuda-emulated"})


@pytest.mark.one_in(4)
@pytest.mark.parametrize("options", TARGETS)
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_of_papers(name, options):
    found = KERNELS[name]
    (_, target), *read = re.findall(r"(\w)\[([\w,]+)\]", found.statement)
    generator = np.random.default_rng(len(name))
    extents = dict(zip(read[0][1].split(","), EXTENTS[len(read[0][1].split(","))], strict=True))
    dense = {}
    for tensor, indices in read:
        shape = [extents.setdefault(index, 29) for index in indices.split(",")]
        dense[tensor] = generator.integers(1, 9, shape).astype(float)
        if tensor in found.formats:
            dense[tensor] *= generator.random(shape) < 0.4
    operands = {
        tensor: it.Tensor.from_numpy(array, FORMATS[found.formats[tensor]]) if tensor in found.formats else array
        for tensor, array in dense.items()
    }
    result = found.compile(**options)(**operands)
    result = result.to_numpy() if isinstance(result, it.Tensor) else result
    expression = ",".join(i.replace(",", "") for _, i in read)
    np.testing.assert_allclose(result, np.einsum(f"{expression}->{target.replace(',', '')}", *dense.values()))
