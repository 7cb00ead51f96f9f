"""Sparse arrays of CuPy and PyTorch, which stand-ins with their attributes are here: in and out without copies."""

from __future__ import annotations

from cuda_stub import Ran, run_on_card

# Classes with the names of modules, and the attributes, that the libraries have.
LIBRARIES = '''
import types

class FakeArray:
    """An array of either library: what it says of itself."""
    def __init__(self, array):
        given = array if hasattr(array, "__cuda_array_interface__") else it.cuda.to_device(np.ascontiguousarray(array))
        self.kept = given
        self.__dict__.update(shape=tuple(given.__cuda_array_interface__["shape"]))

    @property
    def __cuda_array_interface__(self):
        return {**self.kept.__cuda_array_interface__, "stream": None}

    def address(self):
        return self.__cuda_array_interface__["data"][0]

    def numpy(self):
        return it.cuda.as_device_array(self).to_numpy()

def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made

class CupySparse:
    def __init__(self, arrays, shape):
        data, index = arrays[0], arrays[1:]
        self.data, self.shape = data, shape
        if self.format == "coo":
            self.row, self.col = index[0]
        else:
            self.indices, self.indptr = index
        self.has_canonical_format = True
    def tocoo(self): pass

sparse = module("cupyx.scipy.sparse")
for name in ("csr", "csc", "coo"):
    made = type(name + "_matrix", (CupySparse,), {"format": name, "__module__": "cupyx.scipy.sparse._" + name})
    setattr(sparse, name + "_matrix", made)
module("cupyx"), module("cupyx.scipy")
cupy = module("cupy", asarray=FakeArray)

class Tensor:
    """A sparse tensor of PyTorch."""
    is_cuda = True
    def __init__(self, layout, parts, shape, coalesced=True):
        self.layout, self.parts, self.shape, self.coalesced = "torch." + layout, parts, shape, coalesced
    @property
    def __cuda_array_interface__(self):
        raise AttributeError("Can't get __cuda_array_interface__ on sparse type")
    def crow_indices(self): return self.parts[0]
    def col_indices(self): return self.parts[1]
    def ccol_indices(self): return self.parts[0]
    def row_indices(self): return self.parts[1]
    def indices(self): return self.parts[0]
    def values(self): return self.parts[-1]
    def is_coalesced(self): return self.coalesced

Tensor.__module__ = "torch"

def layout(name):
    return lambda *parts, **named: Tensor(name, parts[:-1], parts[-1])
torch = module("torch", Tensor=Tensor, as_tensor=lambda array, device: FakeArray(array), stack=list,
               sparse_coo_tensor=lambda i, v, s, is_coalesced: Tensor("sparse_coo", (i, v), s),
               **{name + "_tensor": layout(name) for name in ("sparse_csr", "sparse_csc", "sparse_bsr")},
               cuda=types.SimpleNamespace(current_stream=lambda device: 5))

d = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 3.0, 0.0, 4.0]])
v = it.cuda.to_device(np.arange(4.0))
kernel = lambda A: compiled(SPMV, {})(A=A, x=v).to_numpy().tolist()
expected = (d @ np.arange(4.0)).tolist()
'''


def run(code: str) -> Ran:
    return run_on_card(LIBRARIES + code)


def test_arrays_of_cupy():
    """They are read where they are, checked once, and what is exported has the same memory."""
    ran = run(
        """
from irtensor.interop.device_operands import as_device_operand

for format in ("csr", "csc", "coo", "csr, pos = i32, crd = i32"):
    T = it.Tensor.from_numpy(d, format).to_device()
    array = T.to_cupy()
    show([array.format, array.data.address() == T.values.memory.address, array.shape, kernel(array) == expected])
    one, other = as_device_operand(array, "A"), as_device_operand(array, "A")
    show(one is other, one.format == T.format)
    array.has_canonical_format = False
    show(raised(lambda: as_device_operand(array, "operand A")))
show(it.einsum("ij,j->i", T.to_cupy(), v).to_numpy().tolist() == expected)
show(raised(lambda: it.einsum("ij,j->i", np.asarray(d), T.to_cupy())))
array = T.to_cupy()
made = it.as_tensor(array)
show(made is it.as_tensor(array), repr(it.as_tensor(v)), repr(it.as_tensor(FakeArray(d))))
it.clear_caches()
show(made is it.as_tensor(array))
"""
    )
    rows = [ran.shown[place : place + 4] for place in range(0, 16, 4)]
    for name, row in zip(("csr", "csc", "coo", "csr"), rows, strict=True):
        help = "call .sum_duplicates()" + ("" if name == "coo" else ", which sorts them as well")
        said = f"operand A, a {name}_matrix of shape (2, 4), may store an element several times\nhelp: {help}"
        assert row == [[name, True, [2, 4], True], True, True, f"UserError: error: [cuda-conversion] {said}"]
    assert ran.shown[16] is True
    assert "[operand-on-host] operand 0, a ndarray of shape (2, 4)" in ran.shown[17]
    dense = "Tensor(shape=(4,), dtype=float64, nnz=4, format='(i) -> (i : dense)', device=0)"
    matrix = "Tensor(shape=(2, 4), dtype=float64, nnz=8, format='(i, j) -> (i : dense, j : dense)', device=0)"
    assert ran.shown[18:] == [True, dense, matrix, False]


def test_tensors_of_pytorch():
    ran = run(
        """
for format in ("csr", "csc", "coo", it.BCSR(2, 2)):
    T = it.Tensor.from_numpy(d, format).to_device()
    tensor = T.to_torch()
    shared = tensor.values().address() == T.values.memory.address
    show([tensor.layout.split("_")[1], shared, tensor.values().shape, kernel(tensor) == expected])
    show(raised(lambda: it.compile(SPMV)(A=tensor, x=np.arange(4.0))))
    tensor.coalesced = False
    show(raised(lambda: kernel(tensor)))
"""
    )
    rows = [ran.shown[place : place + 3] for place in range(0, 12, 3)]
    for layout, row in zip(("csr", "csc", "coo", "bsr"), rows, strict=True):
        assert row[0] == [layout, True, [2, 2, 2] if layout == "bsr" else [4], True]
        assert "[operand-on-device]" in row[1]
        assert ("may store an element several times\nhelp: call .coalesce()" in row[2]) is (layout == "coo")


def test_what_the_libraries_have_no_layout_for():
    ran = run(
        """
for format in ("dcsr", "csr, fill = 1", "csr, crd = i16"):
    T = it.Tensor.from_numpy(d, format).to_device()
    show(raised(T.to_cupy), raised(T.to_torch))
show(raised(it.Tensor.from_numpy(d, "csr").to_cupy))
"""
    )
    assert ran.shown[0] == (
        "UserError: error: [cuda-conversion] CuPy has no layout for a tensor of shape (2, 4) stored "
        "(i, j) -> (i : compressed, j : compressed)\nhelp: its layouts are csr, csc, coo"
    )
    assert "[cuda-conversion] PyTorch has no layout" in ran.shown[1]
    assert "[fill-mismatch] CuPy has no fill value, but the tensor's is 1.0" in ran.shown[2]
    assert ran.shown[4] == (
        "UserError: error: [cuda-conversion] CuPy has indices of 32 and 64 bits, and the tensor is stored "
        "(i, j) -> (i : dense, j : compressed), crd = i16\n"
        "help: convert it on the host: .to_host().to_format('(i, j) -> (i : dense, j : compressed)').to_device()"
    )
    assert "PyTorch has indices of 32 and 64 bits" in ran.shown[5]
    assert ran.shown[6].startswith("UserError: error: [operand-on-host] the tensor of shape (2, 4) is in the memory")
