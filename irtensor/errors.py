"""The exceptions and warnings that users of irtensor catch."""

from irtensor.dialects.diagnostics import InternalError, Note, Remark, SourceLocation, UserError

__all__ = ["DenseResultWarning", "InternalError", "Note", "Remark", "SourceLocation", "UserError"]


class DenseResultWarning(UserWarning):
    """A sparse format was asked for a result that gets an entry at every coordinate, whatever the operands store."""
