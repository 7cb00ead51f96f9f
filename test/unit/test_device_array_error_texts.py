"""Errors of tensors and arrays on a GPU that need the memory of the host, with their whole text."""

# ruff: noqa: E501 (messages are whole lines)

from cuda_stub import run_on_card

TENSOR = "UserError: error: [operand-on-device] the tensor of shape (2, 3) is on GPU 0, and"
ARRAY = "error: [operand-on-device] an array of shape (3,) is on GPU 0, and"
NUMBER = "UserTypeError: error: [operand-on-device] an array of shape () is on GPU 0, and the host asks for its value\nhelp: copy it: .to_numpy()"
PART = 'help: to take a part, copy it: .to_numpy(), or of a sparse one .to_host(), and there select from .to_coo(); make some with i, j = irtensor.indices("i j")'
CSC = "(i, j) -> (j : dense, i : compressed)"
CSR = "(i, j) -> (i : dense, j : compressed)"
# With a matrix A and a vector X on a card, and x on the host.
USES = [
    *[(f"A.{name}()", f"{TENSOR} {name} works on the host\nhelp: copy it: .to_host().{name}(...)") for name in ("to_coo", "to_scipy", "to_pydata", "diagonal")],
    *[(f"A.{name}()", f"{TENSOR} {name} works on the host\nhelp: copy it: .to_host().{name}().to_device()") for name in ("tocsc", "tocoo")],
    ("A.to_format('coo')", f"{TENSOR} to_format works on the host\nhelp: copy it: .to_host().to_format(...).to_device()"),
    ("it.as_tensor(A, it.COO(2))", f"{TENSOR} to_format works on the host\nhelp: copy it: .to_host().to_format(...).to_device()"),
    ("A.replace_storage(A.T)", f"UserError: error: [operand-on-device] the result is stored as {CSC}, the tensor for it on GPU 0 and stored as {CSR}\nhelp: use the result itself: formats are converted on the host"),
    ("np.add(A, 1, out=A)", f"UserError: error: [operand-on-device] the result is stored as {CSR}, fill = 1.0, the tensor for it on GPU 0 and stored as {CSR}\nhelp: use the result itself: formats are converted on the host"),
    ("A.replace_storage(X)", f"UserError: error: [operand-on-device] the result is a dense array, the tensor for it on GPU 0 and stored as {CSR}\nhelp: use the result itself: formats are converted on the host"),
    ("1 in X", "UserError: error: [operand-on-device] an array of shape () is on GPU 0, and the host asks whether it is true\nhelp: copy it: .to_numpy()"),
    ("X.astype('U3')", "UserError: error: [unsupported-dtype] the result has dtype <U3\nhelp: supported are bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, complex128"),
    ("it.DeviceArray(3)", "UserTypeError: error: [bad-argument] a DeviceArray is not made by its class\nhelp: copy an array to the GPU: irtensor.cuda.to_device(x)"),
    ("A.arguments()", f"{TENSOR} the kernel runs on the CPU\nhelp: copy it: .to_host()"),
    ("np.where(A > 1, A, 0)", f"{TENSOR} an array of the host is needed\nhelp: copy it: .to_host()"),
    *[(f"np.{name}({one}, {one})", f"UserError: {text} {name} works on the host\nhelp: write (x == y).all().to_numpy()") for name in ("array_equal", "array_equiv") for one, text in (("A", TENSOR[11:]), ("X", ARRAY))],
    ("np.dot(X, X)", f"UserError: {ARRAY} an array of the host is needed\nhelp: copy it: .to_numpy()"),
    ("iter(A)", f"UserTypeError{TENSOR[9:]} the host iterates over it\nhelp: copy it: .to_numpy()"),
    ("A[0]", f"UserError: error: [unsupported-index] a tensor is indexed by index variables, and 0 is none\n{PART}"),
    ("X[:2]", f"UserError: error: [unsupported-index] a tensor is indexed by index variables, and :2 is none\n{PART}"),
    ("A.reshape(6)", "MissingNameError: error: [missing-name] a Tensor has no 'reshape'\nhelp: write coordinates, values = T.to_host().to_coo(), and Tensor.from_coo(..., shape=...) of coordinates computed from them"),
    ("bool(A)", "UserError: error: [tensor-as-condition] a tensor of shape (2, 3) has no truth value\nhelp: use .any() or .all()"),
    ("bool(it.as_tensor(X.sum()))", "UserError: error: [operand-on-device] the tensor of shape () is on GPU 0, and the host asks whether it is true\nhelp: copy it: .to_host()"),
    ("list(X)", f"UserTypeError: {ARRAY} the host iterates over it\nhelp: copy it: .to_numpy()"),
    ("np.asarray(X)", f"UserError: {ARRAY} an array of the host is needed\nhelp: copy it: .to_numpy()"),
    ("it.Tensor.from_numpy(X)", f"UserError: {ARRAY} an array of the host is needed\nhelp: copy it: .to_numpy()"),
    *[(f"{kind}(X.sum())", NUMBER) for kind in ("float", "int", "complex", "range")],
    ("len(X.sum())", "UserTypeError: error: [rank-mismatch] an array of rank 0 has no length"),
    ("X.item()", "MissingNameError: error: [missing-name] a DeviceArray has no 'item'\nhelp: write X.to_numpy().item(...)"),
    ("X.T", "MissingNameError: error: [missing-name] a DeviceArray has no 'T'\nhelp: write irtensor.as_tensor(X).T"),
    ("X.flat", "MissingNameError: error: [missing-name] a DeviceArray has no 'flat'\nhelp: write X.to_numpy().flat"),
    ("X.other", "AttributeError: 'DeviceArray' object has no attribute 'other'"),
    ("it.cuda.to_device(x + 1j).astype(float)", "UserError: error: [unsupported-dtype] cannot convert dtype complex128 to float64 without losing the imaginary part\nhelp: take the real part in the statement: real(A[i,j])"),
    ("X.__setitem__(i, A[i, j])", "UserError: error: [extent-mismatch] the result has shape (2,), the tensor assigned to (3,)"),
    ("it.cuda.to_device(np.arange(3)).__setitem__(i, X[i])", "UserError: error: [bad-cast] the expression has dtype float64, which is not converted to int64, the dtype of its result\nhelp: convert the expression with .astype('int64')"),
    ("X.replace_storage(X.reshaped((3, 1)))", "UserError: error: [extent-mismatch] the elements of DeviceArray(shape=(3, 1), dtype=float64, device=0) are not those of DeviceArray(shape=(3,), dtype=float64, device=0)"),
    ("A @ x", "UserError: error: [operand-on-host] the right operand, a ndarray of shape (3,), is in the memory of the host\nhelp: copy it: irtensor.cuda.to_device(array)"),
    ("x - X", "UserError: error: [operand-on-host] the left operand, a ndarray of shape (3,), is in the memory of the host\nhelp: copy it: irtensor.cuda.to_device(array)"),
    ("X == x", "UserError: error: [operand-on-host] the right operand, a ndarray of shape (3,), is in the memory of the host\nhelp: copy it: irtensor.cuda.to_device(array)"),
    ("np.sin(X, out=x)", f"UserError: {ARRAY} out is in the memory of the host\nhelp: omit out=, and copy the result: .to_numpy()"),
    ("A @ A.T", f"UserError: error: [cuda-conversion] the right operand would have to be converted to {CSR} before the call\nhelp: convert it on the host: .to_host().to_format('{CSR}').to_device()"),
    ("A * csr", "UserError: error: [operand-on-host] the right operand, a Tensor of shape (2, 3), is in the memory of the host\nhelp: copy it: irtensor.as_tensor(x).to_device()"),
    ("abs(it.Tensor.from_numpy(a, it.ELL).to_device())", f"UserError: error: [cuda-conversion] a result stored (i, j) -> (i : dense, j : padded) is computed as {CSR}, and converted on the host\nhelp: store the operands in the format in which it is computed: .to_host().to_format(...).to_device()"),
    *[(f"it.write('a.mtx', {one})", f"UserError: error: [operand-on-device] the tensor of shape {shape} is on a GPU, and files are written from the memory of the host\nhelp: copy it: .to_host(), or .to_numpy() of an array") for one, shape in (("A", "(2, 3)"), ("X", "(3,)"))],
    ("it.cuda.to_device(Other())", "UserError: error: [operand-on-device] the array, a Other, is on a GPU already\nhelp: use it where it is: irtensor.cuda.as_device_array(x)"),
    ("it.cuda.to_device(A)", "UserError: error: [bad-argument] the array is sparse, and a DeviceArray is dense\nhelp: copy the sparse one: irtensor.as_tensor(A).to_device()"),
    ("it.cuda.as_device_array(A)", "UserError: error: [bad-argument] the array is sparse, and a DeviceArray is dense\nhelp: A.values has the stored elements of a Tensor"),
]  # fmt: skip


def test_what_needs_the_host():
    ran = run_on_card(
        f"""
        import scipy.sparse
        i, j = it.indices("i j")
        csr = scipy.sparse.csr_array(a)

        class Other:
            __cuda_array_interface__ = X.__cuda_array_interface__

        for use in {[use for use, _ in USES]!r}:
            show(raised(lambda: eval(use)))
        """
    )
    assert ran.shown == [text for _, text in USES]
