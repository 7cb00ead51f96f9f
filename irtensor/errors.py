"""The exceptions and warnings that users of irtensor catch."""

from irtensor.core.diagnostics import InternalError, Note, Remark, SourceLocation, UserError

__all__ = ["CacheWarning", "DenseResultWarning", "InternalError", "Note", "Remark", "SourceLocation", "UserError"]


class CacheWarning(UserWarning):
    """Kernels are not taken from the disk cache, because somebody else could replace them there.

    Code that is loaded from a file is run. The text names the folder, and says who may write to it. It is shown once,
    at the line that compiled the first kernel.

    >>> import warnings
    >>> warnings.simplefilter("ignore", it.CacheWarning)
    """


class DenseResultWarning(UserWarning):
    """A sparse format was asked for a result that gets an entry at every coordinate, whatever the operands store.

    The text says what makes it so, and how to keep the entries where there is a way. It is shown at the line that
    compiled the kernel, by Python's usual filters.

    >>> import warnings
    >>> warnings.simplefilter("ignore", it.DenseResultWarning)
    """
