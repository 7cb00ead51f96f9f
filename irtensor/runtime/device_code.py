"""Kernels of a statement as LLVM IR, and as PTX and loaded kernels for each card that runs them."""

from __future__ import annotations

from collections.abc import Mapping

from irtensor.late_imports import load_for, lock
from irtensor.options import current_options
from irtensor.runtime.cuda_device import Device
from irtensor.runtime.cuda_launch import LoadedKernels
from irtensor.runtime.disk_cache import DiskCache, cache_key
from irtensor.runtime.launch_code import KernelShape
from irtensor.runtime.nvptx_targets import Processor, processor_of


class DeviceCode:
    """The kernels of a statement: their LLVM IR, and how each is launched, by name in the order of their numbers.

    `what` is what errors call them. PTX is made for a card when it first runs them, and kept on disk by the text and
    the processor.
    """

    def __init__(self, text: str, shapes: Mapping[str, KernelShape], what: str) -> None:
        self.text = text
        self.shapes = shapes
        self.what = what
        self._loaded: dict[int, LoadedKernels] = {}

    def on(self, device: Device) -> LoadedKernels:
        """The kernels, loaded on a card. Raises UserError."""
        loaded = self._loaded.get(device.number)
        if loaded is None:
            with lock:
                loaded = self._loaded.get(device.number)
                if loaded is None:
                    ptx = self._ptx(processor_of(*device.compute_capability))
                    loaded = self._loaded[device.number] = LoadedKernels(device, ptx, self.shapes, self.what)
        return loaded

    def _ptx(self, processor: Processor) -> str:
        settings = current_options()
        cache = DiskCache(settings.cache_dir if settings.disk_cache and not settings.verify else None)
        key = cache_key(self.text, f"{_compiler()} {processor.name}", cache)
        ptx = cache.load_as(key, lambda found: found.objects[0].decode())
        if ptx is None:
            load_for("gpus")
            from irtensor.runtime.emit_ptx import ptx_of_text

            ptx = ptx_of_text(self.text, processor)
            cache.store(key, (ptx.encode(),))
        return ptx


def _compiler() -> str:
    import llvmlite

    return f"llvmlite {llvmlite.__version__}"
