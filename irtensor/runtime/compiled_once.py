"""Code of the runtime itself, which is the same in all processes: from the disk cache where there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from irtensor.runtime.cpu_engine import Effort, NativeFunction


def compiled_once(
    text: str,
    entry: str,
    *,
    effort: Effort,
    imports: Mapping[str, int] = {},
    exports: Sequence[str] = (),
) -> NativeFunction:
    """The loaded code of LLVM IR that no kernel has a part in; arguments as those of compile_llvm_text."""
    from irtensor.options import current_options
    from irtensor.runtime.cpu_engine import compile_llvm_text, load_objects, target_description
    from irtensor.runtime.disk_cache import DiskCache, cache_key

    settings = current_options()
    if not settings.disk_cache:
        return compile_llvm_text(text, entry, effort=effort, imports=imports, exports=exports)
    cache = DiskCache(settings.cache_dir)
    key = cache_key(text, target_description(cache), cache)
    found = cache.load_as(key, lambda kept: load_objects(kept.objects, entry, imports=imports, exports=exports))
    if found is not None:
        return found
    native = compile_llvm_text(text, entry, effort=effort, imports=imports, exports=exports)
    cache.store(key, native.objects)
    return native
