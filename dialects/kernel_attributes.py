"""The names of the attributes that make an `llvm.func` a kernel of a GPU; see the dialect `nvvm`."""

KERNEL = "nvvm.kernel"
MAXIMAL_THREADS = "nvvm.maxntid"
MINIMAL_BLOCKS = "nvvm.minctasm"
