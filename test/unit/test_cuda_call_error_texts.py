"""Errors of calls of kernels for `target="cuda"`, with their whole text."""

# ruff: noqa: E501 (messages are whole lines)

import pytest
from cuda_stub import run_on_card, run_with_stub

STICKY = "help: the card does nothing more for this process: start it anew"
HELP_STREAM = "help: pass a stream of CuPy or PyTorch, an object with __cuda_stream__, or the driver's number of one"
STATEMENT = "y[i] = sum(j, A[i, j] * x[j])"
CPU_HELP = "or compile for target='cpu'"
AUTO = "; or compile with schedule='auto', which may find loops that read it as it is stored"
CSC = "(i, j) -> (j : dense, i : compressed)"
# What is done with a matrix A and a vector X on a card, and a and x on the host.
CALLS = [
    (
        "compiled(SPMV)(A=a, x=X)",
        f"""UserError: error: [operand-on-host] operand A, a ndarray of shape (2, 3), is in the memory of the host
help: copy it: irtensor.cuda.to_device(array); {CPU_HELP}""",
    ),
    (
        "compiled(SPMV)(A=A.to_host(), x=X)",
        f"""UserError: error: [operand-on-host] operand A, a Tensor of shape (2, 3), is in the memory of the host
help: copy it: .to_device(); {CPU_HELP}""",
    ),
    (
        "compiled(SPMV)(A=scipy.sparse.csr_array(a), x=X)",
        f"""UserError: error: [operand-on-host] operand A, a csr_array of shape (2, 3), is in the memory of the host
help: copy it: irtensor.as_tensor(A).to_device(); {CPU_HELP}""",
    ),
    (
        "compiled(SPMV)(A=A, x=X, out=np.zeros(2))",
        f"""UserError: error: [operand-on-host] out, a ndarray of shape (2,), is in the memory of the host
help: copy it: irtensor.cuda.to_device(array); {CPU_HELP}""",
    ),
    (
        "compiled(SPMV)(A=A, x=X, out=it.cuda.to_device(np.zeros(3)))",
        """UserError: error: [bad-argument] out must be an array of shape (2,) and dtype float64, got shape (3,), float64
help: omit out= to get a new array""",
    ),
    (
        "it.compile(SPMV)(A=A, x=x)",
        """UserError: error: [operand-on-device] a tensor of shape (2, 3) is on GPU 0, and the kernel runs on the CPU
help: copy it: .to_host(), or compile for target='cuda'""",
    ),
    (
        "it.compile(SPMV)(A=a, x=X)",
        """UserError: error: [operand-on-device] an array of shape (3,) is on GPU 0, and the kernel runs on the CPU
help: copy it: .to_numpy(), or compile for target='cuda'""",
    ),
    (
        "it.einsum('ij,j->i', A, X, target='cpu')",
        """UserError: error: [operand-on-device] operand 0 is on a GPU, and target='cpu' computes on the CPU
help: copy it: .to_numpy() or .to_host(), or omit target=""",
    ),
    (
        "np.asarray(A)",
        """UserError: error: [operand-on-device] the tensor of shape (2, 3) is on GPU 0, and an array of the host is needed
help: copy it: .to_host()""",
    ),
    (
        "__import__('pickle').dumps(A)",
        """UserError: error: [operand-on-device] the tensor of shape (2, 3) is on GPU 0, and is pickled on the host only
help: copy it: .to_host()""",
    ),
    (
        "A.to_format('csc')",
        """UserError: error: [operand-on-device] the tensor of shape (2, 3) is on GPU 0, and to_format works on the host
help: copy it: .to_host().to_format(...).to_device()""",
    ),
    (
        "A.to_host().to_torch()",
        """UserError: error: [operand-on-host] the tensor of shape (2, 3) is in the memory of the host
help: copy it: .to_device()""",
    ),
    (
        "compiled(SPMV, dict(A=it.CSC))(A=A, x=X)",
        f"""UserError: error: [cuda-conversion] operand A, stored (i, j) -> (i : dense, j : compressed), would have to be converted to {CSC}
help: convert it on the host: .to_host().to_format('{CSC}').to_device(); or remove it from formats=""",
    ),
    (
        "compiled(SPMV)(A=it.cuda.to_device(a), x=X)",
        """UserError: error: [cuda-conversion] operand A, a dense array, would have to be converted to (i, j) -> (i : dense, j : compressed)
help: make a tensor of it on the host: irtensor.Tensor.from_numpy(x, '(i, j) -> (i : dense, j : compressed)').to_device(); or remove it from formats=""",
    ),
    (
        "compiled(SPMV, dtypes=dict(x='float32'))(A=A, x=X)",
        """UserError: error: [cuda-conversion] operand x has dtype float64, and the kernel reads float32
help: convert it first: .astype('float32'); or change dtypes=""",
    ),
    (
        "compiled('C[i,j] = A[i,j]', dict(A=it.CSR, C=it.CSC))(A=A)",
        f"""UserError: error: [cuda-conversion] operand A would have to be converted to {CSC} before the call
help: convert it on the host: .to_host().to_format('{CSC}').to_device(){AUTO}""",
    ),
    (
        "compiled('C[i,j] = A[i,j]', dict(A=it.CSR, C=it.ELL))(A=A)",
        """UserError: error: [cuda-conversion] a result stored (i, j) -> (i : dense, j : padded) is computed as (i, j) -> (i : dense, j : compressed), and converted on the host
help: ask for the format in which it is computed, and convert it: .to_host().to_format(...)""",
    ),
    (
        "it.einsum('ij->ij', A, order='F')",
        """UserError: error: [cuda-conversion] a result in column-major order would be a transposed view, and a DeviceArray has none
help: omit order=, or swap the labels of the result""",
    ),
    (
        "it.einsum('i->', it.cuda.to_device(np.ones(3, np.float32)), dtype=np.float16, casting='unsafe')",
        """UserError: error: [cuda-conversion] the result would be computed in float32, and converted to float16
help: omit dtype=, or convert the operands first""",
    ),
    (
        "it.einsum('ij,kj->ik', A, A, format='csr')",
        f"""UserError: error: [cuda-conversion] operand 0 would have to be converted to {CSC} before the call
help: convert it on the host: .to_host().to_format('{CSC}').to_device(){AUTO}""",
    ),
    (
        "it.einsum('i->', X, verif=1)",
        """UserTypeError: error: [bad-option] einsum: unknown option 'verif'
help: did you mean verify=?""",
    ),
    (
        "it.einsum('i,i->', X, X, dtype=np.float16, casting='unsafe')",
        """UserError: error: [cuda-conversion] operand 0 of dtype float64 would have to be converted to float32
help: convert it first, or give all operands one dtype""",
    ),
    (
        "it.compile(SPMV)(A=a, x=x, stream=5)",
        """UserError: error: [bad-argument] stream= is for kernels of a GPU, and this one is compiled for target='cpu'
help: omit stream=""",
    ),
    (
        "compiled(SPMV)(A=A, x=X, stream='first')",
        f"UserError: error: [bad-argument] stream='first' is not a stream\n{HELP_STREAM}",
    ),
    (
        "compiled(SPMV)(A=A, x=X, stream=2**64)",
        f"UserError: error: [bad-argument] stream={2**64} is not a stream\n{HELP_STREAM}",
    ),
    (
        "it.cuda.to_device(x, device='0')",
        "UserTypeError: error: [bad-argument] device= is an integer, not '0'",
    ),
    (
        "bool((A > 100).any())",
        """UserError: error: [operand-on-device] an array of shape () is on GPU 0, and the host asks whether it is true
help: copy it: .to_numpy()""",
    ),
    (
        "A - A.max()",
        """UserError: error: [operand-on-device] an array of shape () is on GPU 0, and its value decides that of elements which are not stored
help: copy it: .to_numpy()""",
    ),
    (
        "compiled('y[i] = exp(x[i])', {})(x=it.cuda.to_device(x + 1j))",
        '''UserError: <notation>:1:1: error: [unsupported-operator] function exp of complex numbers does not exist on a GPU
  y[i] = exp(x[i])
  ^
help: compute it from the real and the imaginary part of a number, or compile for target="cpu"''',
    ),
    (
        "compiled(SPMV)(A=A, x=it.cuda.to_device(x, device=1))",
        """UserError: error: [bad-argument] x is on GPU 1, and A on GPU 0
help: copy one of them to the GPU of the other""",
    ),
]


def test_calls_of_kernels():
    ran = run_on_card(
        f"""
        import scipy.sparse
        Y = it.cuda.to_device(np.zeros(2))
        for use in {[use for use, _ in CALLS]!r}:
            show(raised(lambda: eval(use)))
        """,
        devices=2,
    )
    assert ran.shown == [text for _, text in CALLS]


def test_kernel_that_fails():
    """The first call that waits says so, and so does every later one."""
    ran = run_on_card(
        """
        kernel = compiled(SPMV)
        show(raised(lambda: kernel(A=A, x=X).to_numpy()), raised(lambda: kernel(A=A, x=X)))
        """,
        fail="cuMemcpyDtoHAsync_v2#1=700",
    )
    text = f"UserError: error: [cuda-launch] CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered, while '{STATEMENT}' was running\n{STICKY}"
    assert ran.shown == [text] * 2


def test_card_that_is_too_old():
    ran = run_on_card("show(raised(lambda: compiled(SPMV)(A=A, x=X)))", CUDA_STUB_SM="60")
    (said,) = ran.shown
    assert said.startswith("UserError: error: [cuda-arch] processor sm_60 is too old: the oldest one is sm_75\nhelp: ")


def test_kernel_in_a_forked_process():
    ran = run_on_card(
        """
        import os
        kernel = compiled(SPMV)
        kernel(A=A, x=X)
        if (child := os.fork()) == 0:
            show(raised(lambda: kernel(A=A, x=X)), raised(lambda: compiled(SPMV)(A=A, x=X)))
            os._exit(0)
        os.waitpid(child, 0)
        """
    )
    assert len(ran.shown) == 2 and ran.shown[0] == ran.shown[1]
    assert ran.shown[0].startswith(
        "UserError: error: [cuda-after-fork] the GPU was used before this process was forked"
    )


@pytest.mark.parametrize(
    "code, settings, text",
    [
        ("", {"devices": 0}, "NVIDIA's driver finds no card on this machine"),
        (
            "sys.modules['cuda'] = None",
            {},
            "NVIDIA's Python bindings, by which kernels for a GPU are run, are not installed",
        ),
    ],
)
def test_calls_where_no_card_can_be_used(code, settings, text):
    """What is missing is said by each call; all that is shown of the kernel needs nothing."""
    ran = run_with_stub(
        f"""
        {code}
        kernel = it.compile("y[i] = A[i,j] * x[j]", formats=dict(A="csr"), target="cuda")
        uses = ["A=np.ones((2, 3)), x=np.ones(3)", "A=1, x=2.0"]
        show(*(raised(lambda: eval(f"kernel({{use}})")) for use in uses))
        show(raised(lambda: kernel.prepare(A=np.ones((2, 3)), x=np.ones(3))))
        show(".target sm_80" in kernel.ptx("sm_80"), "nvvm.kernel" in kernel.ir("nvvm"), kernel.explain())
        module = it.compile_module(kernel.ir(), target="cuda")
        show(raised(lambda: module(A=1, x=2.0)), raised(lambda: module.prepare(A=1, x=2.0)))
        show(module.ptx("sm_80") == kernel.ptx("sm_80"), "not measured: " in module.explain(), module.operand_names)
        show(kernel.operand_names, raised(lambda: it.einsum("i->", np.ones(3), target="cuda")))
        """,
        modules=(),
        **settings,
    )
    *calls, has_ptx, has_ir, explained = ran.shown[:6]
    *of_module, same_ptx, is_explained, module_names, names, einsum = ran.shown[6:]
    assert same_ptx and is_explained and module_names == ["A", "x"]
    assert len({*calls, *of_module, einsum}) == 1 and calls[0].startswith(f"UserError: error: [no-cuda] {text}\nhelp: ")
    assert has_ptx and has_ir and names == ["A", "x"]
    assert "target  cuda: " in explained and explained.endswith(f"time of a compilation\n  not measured: {text}")
