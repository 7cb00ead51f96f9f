"""The kernels for which schedules are searched in tests (Ahrens 2022, Figure 6), and other statements like them."""

from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.parse_program import parse_program

# Index variables of the statements here.
INDICES = "ijklm"

# Statement, dense operands.
KERNELS = {
    "SpMV": ("a[i] += B[i,j] * c[j]", "c"),
    "SpMV2": ("a[i] += B[i,j] * C[j,k] * d[k]", "d"),
    "SpGEMM": ("A[i,j] += B[i,k] * C[j,k]", ""),
    "SpGEMM2": ("A[i,j] += B[i,k] * C[k,l] * D[j,l]", ""),
    "SpGEMMH": ("A[i,j] += B[i,k] * C[j,k] * D[j,k]", ""),
    "SpMTTKRP": ("A[i,j] += B[i,k,l] * C[j,k] * D[j,l]", ""),
    "SDDMM": ("A[i,j] += B[i,k] * C[k,j] * D[i,j]", "BC"),
}
CHAIN = "A[i,m] += B[i,j] * C[j,k] * D[k,l] * E[l,m]"


def kernel(text: str, dense: str = "") -> Kernel:
    """A statement as a kernel; each letter of `dense` is a tensor that has an entry everywhere."""
    return Kernel(parse_program(text, INDICES), frozenset(dense))
