"""Sparse arrays where an array of numbers is expected, and those of other libraries: errors that name the way."""

from __future__ import annotations

from typing import Any

from irtensor.core.diagnostics import UserError

_STACKED = "pass each as an operand of its own, or store them as one: scipy.sparse.vstack(...), or Tensor.from_coo"


def may_be_on_device(value: Any) -> bool:
    """Whether it is of a kind of arrays that lie in the memory of a GPU, or may: only then, more is loaded."""
    return hasattr(type(value), "__cuda_array_interface__") or type(value).__module__.startswith("cupyx.")


def refuse_sparse(value: Any, subject: str) -> None:
    """Raise UserError [bad-argument] for a sparse array, or a list of them: NumPy would not see their numbers.

    `subject` says what it was given as. Nothing is imported for the question.
    """
    if isinstance(value, list | tuple):
        if (found := next((part for part in value if _way(part) is not None), None)) is not None:
            message = f"{subject} is a {type(value).__name__} of {len(value)}, among them {_described(found)}"
            raise UserError("bad-argument", message, help=_STACKED)
    elif (way := _way(value)) is not None:
        raise UserError("bad-argument", f"{subject} is {_described(value)}", help=way)


def _described(value: Any) -> str:
    library = _library(value)
    article = "an" if library == "irtensor" else "a"
    return f"{article} {'pydata/sparse' if library == 'sparse' else library} {type(value).__name__}"


def _way(value: Any) -> str | None:
    """How to make a Tensor of a sparse array; None for anything else."""
    if hasattr(value, "dtype") and (library := _library(value)) is not None:
        return _WAYS[library](value)
    return None


def _library(value: Any) -> str | None:
    library = next((base.__module__.split(".")[0] for base in type(value).__mro__ if _is_foreign(base)), None)
    return library if library in _WAYS else None


def _is_foreign(cls: type) -> bool:
    return cls.__module__.split(".")[0] in _WAYS


def _of_tensor(value: Any) -> str | None:
    if not hasattr(value, "to_format") or value.format.is_dense:
        return None
    return "it is a Tensor already: use it as it is, or .to_format(...)"


def _of_scipy(value: Any) -> str | None:
    return "use Tensor.from_scipy, or irtensor.as_tensor" if hasattr(value, "tocoo") else None


def _of_pydata(value: Any) -> str | None:
    return "use Tensor.from_pydata, or irtensor.as_tensor" if hasattr(value, "fill_value") else None


def _of_torch(value: Any) -> str | None:
    layout = str(getattr(value, "layout", "")).removeprefix("torch.")
    arrays = {
        "sparse_csr": "csr_array((T.values(), T.col_indices(), T.crow_indices())",
        "sparse_csc": "csc_array((T.values(), T.row_indices(), T.ccol_indices())",
        "sparse_bsr": "bsr_array((T.values(), T.col_indices(), T.crow_indices())",
    }
    if layout in arrays:
        return f"use Tensor.from_scipy(scipy.sparse.{arrays[layout]}, shape=T.shape))"
    if layout.startswith("sparse"):
        return "coalesce it, then use Tensor.from_coo(T.indices(), T.values(), shape=T.shape)"
    return None


def _of_jax(value: Any) -> str | None:
    match type(value).__name__:
        case "BCOO":
            return "use Tensor.from_coo(A.indices.T, A.data, shape=A.shape)"
        case "BCSR" | "CSR":
            return "use Tensor.from_scipy(scipy.sparse.csr_array((A.data, A.indices, A.indptr), shape=A.shape))"
        case "COO":
            return "use Tensor.from_coo([A.row, A.col], A.data, shape=A.shape)"
        case _:
            return None


_WAYS = {"irtensor": _of_tensor, "scipy": _of_scipy, "sparse": _of_pydata, "torch": _of_torch, "jax": _of_jax}
