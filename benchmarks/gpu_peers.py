"""CuPy and PyTorch on a GPU: the same computation by each of their algorithms; used where they are installed.

A variant is a function that prepares objects outside of the timing, such as operands and descriptors, and returns the
call. Its name begins with that of its library.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp

Variants = dict[str, Callable[[], Callable[[], Any]]]
# Name in reports and module.
LIBRARIES = {"CuPy": "cupy", "PyTorch": "torch"}


@cache
def library(name: str) -> Any:
    """A peer's module; None where it is not installed, does not load, or has no GPU."""
    return _loaded(name)[0]


def absent() -> dict[str, str]:
    """Why peers are skipped, by their names."""
    return {name: why for name in LIBRARIES if (why := _loaded(name)[1])}


def versions() -> dict[str, str]:
    """The version of each peer that takes part, and of its cuSPARSE where it can be asked."""
    found = {name: str(loaded.__version__) for name in LIBRARIES if (loaded := library(name)) is not None}
    if "CuPy" in found:
        found["cuSPARSE of CuPy"] = str(import_module("cupyx.cusparse").getVersion())
    if "PyTorch" in found:
        found["CUDA of PyTorch"] = str(library("PyTorch").version.cuda)
    return found


@cache
def _loaded(name: str) -> tuple[Any, str]:
    """The module, and why there is none."""
    try:
        loaded = import_module(LIBRARIES[name])
        # Sparse tensors of PyTorch announce with every process that they are new.
        warnings.filterwarnings("ignore", category=UserWarning, message="Sparse")
        count = loaded.cuda.runtime.getDeviceCount() if name == "CuPy" else loaded.cuda.device_count()
    except ModuleNotFoundError as error:
        return None, "not installed" if error.name == LIBRARIES[name] else f"does not load: {error}"
    except Exception as error:
        return None, f"does not load: {error}"
    return (loaded, "") if count else (None, "finds no GPU")


def release_memory() -> None:
    """Let the peers give back what they keep of the GPU's memory, so that others have it."""
    if (cupy := library("CuPy")) is not None:
        cupy.get_default_memory_pool().free_all_blocks()
    if (torch := library("PyTorch")) is not None:
        torch.cuda.empty_cache()


def on_host(result: Any) -> Any:
    """Any library's result as an array of NumPy or SciPy."""
    kind = type(result).__module__.partition(".")[0]
    if kind == "irtensor":
        return _plain(result.to_host().to_scipy() if hasattr(result, "to_host") else result.to_numpy())
    if kind in ("cupy", "cupyx"):
        return _plain(result.get())
    if kind == "torch":
        return _torch_on_host(result.cpu())
    return result


def _plain(array: Any) -> Any:
    """Whatever is sparse as CSR."""
    return array if isinstance(array, np.ndarray) else sp.csr_array(array)


def _torch_on_host(result: Any) -> Any:
    torch = import_module("torch")
    if result.layout is torch.strided:
        return result.numpy()
    shape = tuple(result.shape)
    if result.layout is torch.sparse_csr:
        parts = (result.values(), result.col_indices(), result.crow_indices())
        return sp.csr_array(tuple(part.numpy() for part in parts), shape=shape)
    merged = result.coalesce()
    return sp.csr_array(sp.coo_array((merged.values().numpy(), tuple(merged.indices().numpy())), shape=shape))


def variants(kernel: str, *operands: Any) -> Variants:
    """What the peers that are there have for a kernel, by the name of the function that lists it for each of them.

    `product_with_dense(a, b)`: `a @ b`; `sampled_product(a, c, d)`: `a * (c @ d.T)`; `addition(a, b)`;
    `element_product(a, b)`; `sparse_product(a, b)`; `mttkrp(coordinates, values, shape, c, d)`.
    """
    modules = {"CuPy": "benchmarks.gpu_cupy", "PyTorch": "benchmarks.gpu_torch"}
    made: Variants = {}
    for name, module in modules.items():
        if library(name) is not None:
            made |= getattr(import_module(module), kernel)(*operands)
    return made


def fibers(coordinates: Any, values: Any, shape: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """The fibers (i, j, :) of a tensor as rows of a CSR array, their j, and an array that adds them up over equal i."""
    i, j, k = (np.asarray(coordinate, np.int64) for coordinate in coordinates)
    names, fiber = np.unique(i * shape[1] + j, return_inverse=True)
    rows, middle = np.divmod(names, shape[1])
    entries = sp.csr_array((values, (fiber.astype(np.int32), k.astype(np.int32))), shape=(len(names), shape[2]))
    ones = np.ones(len(names), values.dtype)
    numbers = np.arange(len(names), dtype=np.int32)
    return entries, middle, sp.csr_array((ones, (rows.astype(np.int32), numbers)), shape=(shape[0], len(names)))
