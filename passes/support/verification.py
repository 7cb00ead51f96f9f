"""The errors of a module, located at its operations."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from irtensor.core.diagnostics import UserError
from irtensor.dialects.support.located_parser import one_line
from irtensor.passes.verify_dominance import check_dominance

# More errors than this tell a reader nothing new.
_ERROR_LIMIT = 20


def verification_errors(module: ModuleOp) -> list[UserError]:
    """Everything that is wrong with a module, each error located at its operation; empty if it is valid."""
    try:
        module.verify()
        check_dominance(module)
    except UserError as error:
        if error.location is not None:
            return [error]
        return _locate_failures(module)
    except VerifyException:
        return _locate_failures(module)
    except Exception:
        # An operation may be so broken that xDSL cannot even print it in the message about another one.
        if errors := _locate_failures(module):
            return errors
        raise
    return []


def _locate_failures(module: ModuleOp) -> list[UserError]:
    errors: list[UserError] = []
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except (VerifyException, UserError) as error:
            errors.append(_at(op, error))
            if len(errors) == _ERROR_LIMIT:
                break
        except Exception:
            # If this comes of no other error, verifying the whole module has failed with it.
            continue
    if errors:
        return errors
    # What remains are faults of blocks: the innermost operation that fails as a whole is the one around the block.
    for op in module.walk(region_first=True):
        try:
            op.verify()
        except VerifyException as error:
            return [_at(op, error)]
        except Exception:
            continue
    return []


def _at(op: Operation, error: VerifyException | UserError) -> UserError:
    if isinstance(error, UserError):
        return UserError(error.slug, error.message, op=op, notes=error.notes, help=error.help)
    text = one_line(error)
    return UserError("verify", text if op.name in text else f"'{op.name}' op {text}", op=op)
