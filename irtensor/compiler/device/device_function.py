"""Functions of the `loop` dialect that run on a GPU, for work that no statement says."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING

from irtensor.late_imports import load_for, lock
from irtensor.options import current_options
from irtensor.runtime.cpu_engine import load_objects, target_description
from irtensor.runtime.cuda_device import Device
from irtensor.runtime.cuda_launch import host_imports
from irtensor.runtime.device_code import DeviceCode
from irtensor.runtime.disk_cache import CachedObject, DiskCache, cache_key
from irtensor.runtime.launch_code import KernelShape
from irtensor.runtime.native_function import NativeFunction

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


class DeviceFunction:
    """A function of IR in the stage `spread`, compiled when it is first called.

    It takes machine words: numbers, and addresses of memory of the GPU. `title` is what errors call it.
    """

    def __init__(self, text: str, name: str, title: str) -> None:
        self.text = text
        self.name = name
        self.title = title
        self._code: tuple[NativeFunction, DeviceCode] | None = None

    def __call__(self, device: Device, arguments: Sequence[int], stream: int) -> int:
        """The status of the function, which may have left work on the stream. Raises UserError."""
        native, code = self._loaded()
        types = [ctypes.c_void_p] * (len(arguments) + 1)
        return code.on(device).run(native.as_ctypes(*types), list(arguments), stream)

    def _loaded(self) -> tuple[NativeFunction, DeviceCode]:
        if self._code is None:
            with lock:
                self._code = self._from_disk()
        return self._code

    def _from_disk(self) -> tuple[NativeFunction, DeviceCode]:
        settings = current_options()
        if not settings.disk_cache or settings.verify:
            return self._compile(settings.verify)
        cache = DiskCache(settings.cache_dir)
        key = cache_key(f"{self.name} for a GPU: {self.text}", target_description(cache), cache)

        def read(found: CachedObject) -> tuple[NativeFunction, DeviceCode]:
            native = load_objects(found.objects[:-1], self.name, imports=host_imports())
            shapes = {kernel: KernelShape(*shape) for kernel, shape in found.metadata.items()}
            return native, DeviceCode(found.objects[-1].decode(), shapes, self.title)

        made = cache.load_as(key, read)
        if made is None:
            made = self._compile(verify=False)
            native, code = made
            cache.store(key, (*native.objects, code.text.encode()), dict(code.shapes))
        return made

    def lowered(self, verify: bool) -> ModuleOp:
        """Its IR in the stage `nvvm`."""
        load_for("gpus")
        load_for("modules")
        from irtensor.compiler.compilation.lower_module import lower_module
        from irtensor.compiler.compilation.module_request import parsing_context
        from irtensor.dialects.support.located_parser import parse_module

        module = parse_module(parsing_context(), self.text, self.title)
        lower_module(module, "spread", "nvvm", verify=verify)
        return module

    def _compile(self, verify: bool) -> tuple[NativeFunction, DeviceCode]:
        load_for("gpus")
        module = self.lowered(verify)
        from irtensor.runtime.cpu_engine import compile_llvm_text
        from irtensor.runtime.emit_llvm import emit_llvm, kernels_of
        from irtensor.runtime.emit_nvvm import emit_nvvm
        from irtensor.runtime.kernel_shapes import kernel_shapes

        kernels = kernels_of(module)
        native = compile_llvm_text(emit_llvm(module), self.name, imports=host_imports())
        return native, DeviceCode(emit_nvvm(kernels), kernel_shapes(kernels), self.title)
