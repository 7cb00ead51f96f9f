"""`DeviceArray`: a dense array in the memory of a card, and what kernels compute with it."""

from __future__ import annotations

from typing import Any, NoReturn

from irtensor.late_imports import load_for
from irtensor.storage.element_types import conversion_dtype
from irtensor.storage.stored_device_array import StoredDeviceArray, give_device_arrays_class
from irtensor.tensors.indexing import Indexable
from irtensor.tensors.reductions import Reductions
from irtensor.tensors.tensor_arithmetic import Arithmetic


class DeviceArray(StoredDeviceArray, Arithmetic, Reductions, Indexable):
    """A dense array in the memory of a GPU: what kernels for `target="cuda"` give, and take.

    `irtensor.cuda.to_device` copies an array of NumPy there, `to_numpy` copies it back. CuPy and PyTorch take a
    DeviceArray without a copy (`cupy.asarray`, `torch.as_tensor`, or `from_dlpack`), and
    `irtensor.cuda.as_device_array` takes theirs. `shape`, `dtype`, `ndim`, `size` and `nbytes` are as NumPy has them,
    `device` is the number of the GPU. The elements are there when the work on the array's stream has run. The memory
    goes back when nobody uses it any more.

    Operators, comparisons, NumPy's functions of elements and reductions compute on the GPU, and give DeviceArrays.
    `X[i, j]` with index variables is a lazy expression (see `indices`).

    >>> x = it.cuda.to_device(np.arange(3.0))  # doctest: +SKIP
    >>> x  # doctest: +SKIP
    DeviceArray(shape=(3,), dtype=float64, device=0)
    >>> x.to_numpy()  # doctest: +SKIP
    array([0., 1., 2.])
    """

    __slots__ = ()

    def astype(self, dtype: Any) -> DeviceArray:
        """The elements as another type, on the same GPU; the array itself if it has that type. Does not wait.

        Raises UserError [unsupported-dtype].
        """
        target = conversion_dtype(self.dtype, dtype)
        if target == self.dtype:
            return self
        load_for("cards")
        from irtensor.tensors.device_evaluation import converted

        made = converted(self, target)
        assert isinstance(made, DeviceArray)
        return made

    def __getattr__(self, name: str) -> NoReturn:
        load_for("pages")
        from irtensor.tensors.missing_names import missing_of_device_array

        raise missing_of_device_array(name)

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, device={self.device})"


give_device_arrays_class(DeviceArray)
