"""The names of the attributes that make an `llvm.func` a kernel of a GPU, and what threads share; see `nvvm`."""

from __future__ import annotations

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.ir import Attribute

KERNEL = "nvvm.kernel"
MAXIMAL_THREADS = "nvvm.maxntid"
MINIMAL_BLOCKS = "nvvm.minctasm"

# The address spaces of the memory of the device, and of what the threads of a block share. That is so many bytes at
# most: launches can ask for more, ours do not.
GLOBAL_SPACE, SHARED_SPACE = 1, 3
MOST_SHARED = 48 << 10


def is_read_only(attributes: Attribute) -> bool:
    """Whether attributes of an argument say that nobody changes what it points to while the function runs."""
    return isinstance(attributes, DictionaryAttr) and {"llvm.noalias", "llvm.readonly"} <= attributes.data.keys()
