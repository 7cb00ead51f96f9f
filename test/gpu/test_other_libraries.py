"""On a card: arrays of CuPy and PyTorch in and out, and their streams, where they are installed."""

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it

RANDOM = np.random.default_rng(3)
MATRIX = RANDOM.integers(1, 9, (40, 40)) * (RANDOM.random((40, 40)) < 0.2) * 1.0
VECTOR = np.arange(40.0)
# PyTorch announces that its sparse tensors are new.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_sparse_arrays_of_cupy(format):
    cupy, sparse = pytest.importorskip("cupy"), pytest.importorskip("cupyx.scipy.sparse")
    matrix = sparse.csr_matrix(sp.csr_matrix(MATRIX)).asformat(format)
    found = it.einsum("ij,j->i", matrix, cupy.asarray(VECTOR))
    np.testing.assert_allclose(cupy.asarray(found).get(), MATRIX @ VECTOR)
    product = it.einsum("ij,ij->ij", matrix, matrix, format=format).to_cupy()
    assert product.format == format
    np.testing.assert_allclose(product.toarray().get(), MATRIX * MATRIX)


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr"])
def test_sparse_tensors_of_pytorch(layout):
    torch = pytest.importorskip("torch")
    dense = torch.from_numpy(MATRIX).cuda()
    matrix = getattr(dense, f"to_sparse_{layout}")(*([(2, 2)] if layout == "bsr" else []))
    found = it.einsum("ij,j->i", matrix.coalesce() if layout == "coo" else matrix, torch.from_numpy(VECTOR).cuda())
    np.testing.assert_allclose(torch.as_tensor(found, device="cuda").cpu().numpy(), MATRIX @ VECTOR)


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_results_for_pytorch(format):
    pytest.importorskip("torch")
    matrix = it.Tensor.from_numpy(MATRIX, format).to_device()
    product = it.einsum("ij,ij->ij", matrix, matrix, format=format).to_torch()
    np.testing.assert_allclose(product.to_dense().cpu().numpy(), MATRIX * MATRIX)


def test_stream_of_cupy():
    cupy = pytest.importorskip("cupy")
    matrix = it.Tensor.from_numpy(MATRIX, "csr").to_device()
    with cupy.cuda.Stream(non_blocking=True) as stream:
        found = it.einsum("ij,j->i", matrix, cupy.asarray(VECTOR) + 1)
        assert found.memory.stream == stream.ptr
        np.testing.assert_allclose(cupy.asarray(found).get(), MATRIX @ (VECTOR + 1))


def test_stream_of_pytorch():
    torch = pytest.importorskip("torch")
    matrix, stream = it.Tensor.from_numpy(MATRIX, "csr").to_device(), torch.cuda.Stream()
    with torch.cuda.stream(stream):
        found = it.einsum("ij,j->i", matrix, torch.from_numpy(VECTOR).cuda() + 1)
        assert found.memory.stream == stream.cuda_stream
        np.testing.assert_allclose(torch.as_tensor(found, device="cuda").cpu().numpy(), MATRIX @ (VECTOR + 1))
