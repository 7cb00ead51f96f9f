"""The names of the attributes that make an `llvm.func` a kernel of a GPU, and what threads share; see `nvvm`."""

KERNEL = "nvvm.kernel"
MAXIMAL_THREADS = "nvvm.maxntid"
MINIMAL_BLOCKS = "nvvm.minctasm"

# The address space of memory that the threads of a block share, and its bytes: launches can ask for more, ours do not.
SHARED_SPACE = 3
MOST_SHARED = 48 << 10
