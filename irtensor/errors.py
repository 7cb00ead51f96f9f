"""The exceptions that users of irtensor catch."""

from irtensor.dialects.diagnostics import InternalError, Note, Remark, SourceLocation, UserError

__all__ = ["InternalError", "Note", "Remark", "SourceLocation", "UserError"]
