"""The operands `A=...` of a command line: files, numbers, and generated dense arrays, brought to operands."""

from __future__ import annotations

import re
from typing import Any

from irtensor.core.diagnostics import UserError, refused_file

_GENERATED = re.compile(r"(ones|zeros|random)\(\s*(\d+(?:\s*,\s*\d+)*)\s*\)")
_NAME = re.compile(r"[A-Z]+|[A-Za-z_]\w*\(\s*(\d+(?:\s*,\s*\d+)*)\s*\)")
# An extent has no more digits, and Python refuses to convert thousands.
_DIGITS = 30
_FILE_SUFFIXES = (".mtx", ".ttx", ".tns", ".rb", ".hb")
_SPARSE_SUFFIXES = (".npz", *_FILE_SUFFIXES, *(f"{suffix}.gz" for suffix in _FILE_SUFFIXES))
# The same command must give the same numbers twice.
_SEED = 0


def split_binding(text: str, option: str) -> tuple[str, str]:
    """`A=value` as a pair. Raises UserError (`bad-binding`)."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier() or not value:
        help = "write for example A=matrix.mtx, x='ones(1000)' or alpha=2.5; --format A=CSR"
        raise UserError("bad-binding", f"{option} expects NAME=VALUE, got '{text}'", help=help)
    return name, value


def format_named(text: str) -> Any:
    """A tensor format as `format=` takes it: a name (`CSR`, or `COO` of any rank), with numbers (`CSF(3)`) or settings
    (`csr, crd = i32`), or the map syntax.

    Raises UserError (`bad-format`).
    """
    from irtensor.frontend.requested_format import named_format, parse_format

    if not _NAME.fullmatch(text) or named_format(text) is not None:
        return parse_format(text)
    raise UserError(
        "bad-format",
        f"unknown format '{text[:60]}'",
        help="write CSR, CSC, DCSR, DCSC, COO, CSF, 'BCSR(2,2)', or '(i, j) -> (i : dense, j : compressed)'",
    )


def load_operand(name: str, source: str, tensor_format: Any = None) -> Any:
    """The operand called `name`: a number, `ones(n, m)`, `random(n)`, a .npy file, or what `irtensor.read` takes.

    Raises UserError (`bad-binding`, `cannot-read`, `bad-file`, `storage-too-large`, or what reading a tensor raises).
    """
    if generated := _GENERATED.fullmatch(source):
        return _generate(name, source, generated[1], _numbers(generated[2], "bad-binding", source))
    if (number := _number(source)) is not None:
        return number
    if source.endswith(".npy"):
        return _load_array(name, source)
    if source.endswith(_SPARSE_SUFFIXES):
        import irtensor

        return irtensor.read(source, format=tensor_format)
    raise UserError(
        "bad-binding",
        f"operand '{name}': cannot tell what '{source}' is",
        help="give a number, ones(n, m), zeros(n), random(n), or a file ending in "
        ".mtx, .ttx, .tns, .rb, .hb (also .gz), .npz or .npy",
    )


def store_result(result: Any, path: str) -> None:
    """Write a result: .npy for dense arrays, .mtx, .ttx, .tns and .npz for tensors.

    Raises UserError (`cannot-write`).
    """
    try:
        if path.endswith(".npy"):
            import numpy

            is_plain = isinstance(result, (numpy.ndarray, numpy.generic))
            numpy.save(path, result if is_plain else numpy.asarray(result.to_numpy()))
        else:
            import irtensor

            irtensor.write(path, result)
    # A path with a null character is a ValueError; so is a UserError, which says what to do.
    except (OSError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        raise refused_file("cannot-write", path, error) from error


def _numbers(text: str, slug: str, whole: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    if (longest := max(map(len, words))) > _DIGITS:
        message = f"'{whole[:60]}' has a number of {longest} digits"
        raise UserError(slug, message, help=f"give numbers of at most {_DIGITS} digits")
    return tuple(map(int, words))


def _number(text: str) -> int | float | complex | None:
    for source_type in (int, float, complex):
        try:
            return source_type(text)
        except ValueError:
            continue
    return None


def _load_array(name: str, path: str) -> Any:
    import numpy

    try:
        return numpy.load(path)
    except OSError as error:
        raise refused_file("cannot-read", path, error) from error
    # NumPy reads a part of the file as Python text, so that damage may show as any error.
    except Exception as error:
        message = f"operand '{name}': '{path}' is not a .npy file of numbers: {error}"
        raise UserError("bad-file", message, help="write the file with numpy.save") from error


def _generate(name: str, source: str, source_type: str, shape: tuple[int, ...]) -> Any:
    import numpy

    try:
        if source_type == "random":
            return numpy.random.default_rng(_SEED).random(shape)
        return numpy.ones(shape) if source_type == "ones" else numpy.zeros(shape)
    except (MemoryError, ValueError, OverflowError) as error:
        message = f"operand '{name}': {source} does not fit into memory"
        raise UserError("storage-too-large", message, help="give smaller extents, or a sparse file") from error
