"""LLVM IR of functions that kernels call and that are the same for all of them: compiled once, not with every kernel.

The lowerings declare them (passes/llvm/support/support_functions.py); cpu_engine links them.
"""

from __future__ import annotations

# What kernels may refer to.
SUPPORT_FUNCTIONS = (
    "irtensor.grow",
    "irtensor.reserve",
    "irtensor.make_zeroed",
    "irtensor.run_iterations",
    "irtensor.poll",
)


def support_code() -> str:
    """The functions for this platform."""
    # Not needed to link what the disk cache has.
    from irtensor.runtime.interruption_code import interruption_code, poll_code
    from irtensor.runtime.thread_pool_code import Context

    text = _TEXT.replace("$context.run$", str(Context.run.offset)) + RESERVE_CODE
    return text + interruption_code() + poll_code()


# Room for so much only if there is less, wherever the data of growables is.
RESERVE_CODE = """
define i32 @irtensor.reserve(ptr %slot, i64 %needed, i64 %size) nounwind {
entry:
  %capacity.at = getelementptr i64, ptr %slot, i64 1
  %capacity = load i64, ptr %capacity.at
  %short = icmp sgt i64 %needed, %capacity
  br i1 %short, label %grow, label %enough
grow:
  %status = call i32 @irtensor.grow(ptr %slot, i64 %needed, i64 %size)
  ret i32 %status
enough:
  ret i32 0
}
"""

_TEXT = """
declare ptr @realloc(ptr, i64)
declare ptr @calloc(i64, i64)
declare void @free(ptr)
declare i64 @llvm.smax.i64(i64, i64)

; Room for `needed` elements of `size` bytes in a growable {data, capacity, size}: twice the capacity, or what is needed
; if that is more. On failure, status 1, the slot stays as it is.
define i32 @irtensor.grow(ptr %slot, i64 %needed, i64 %size) nounwind {
entry:
  %capacity.at = getelementptr i64, ptr %slot, i64 1
  %capacity = load i64, ptr %capacity.at
  %doubled = shl i64 %capacity, 1
  %larger = call i64 @llvm.smax.i64(i64 %needed, i64 %doubled)
  %wanted = call i64 @llvm.smax.i64(i64 %larger, i64 64)
  %limit = sdiv i64 4611686018427387904, %size
  %impossible = icmp sgt i64 %wanted, %limit
  br i1 %impossible, label %fail, label %resize
resize:
  %length = mul i64 %wanted, %size
  %old = load ptr, ptr %slot
  %data = call ptr @realloc(ptr %old, i64 %length)
  %missing = icmp eq ptr %data, null
  br i1 %missing, label %fail, label %moved
moved:
  store ptr %data, ptr %slot
  store i64 %wanted, ptr %capacity.at
  ret i32 0
fail:
  ret i32 1
}

; Room for `needed` elements that are all zero: memory that the system hands out is, so nothing is written here.
define i32 @irtensor.make_zeroed(ptr %slot, i64 %needed, i64 %size) nounwind {
entry:
  %data = call ptr @calloc(i64 %needed, i64 %size)
  %missing = icmp eq ptr %data, null
  br i1 %missing, label %fail, label %made
made:
  %old = load ptr, ptr %slot
  call void @free(ptr %old)
  store ptr %data, ptr %slot
  %capacity.at = getelementptr i64, ptr %slot, i64 1
  store i64 %needed, ptr %capacity.at
  ret i32 0
fail:
  ret i32 1
}

; The iterations of a parallel loop: one is a call, several are for the pool of the context.
define i32 @irtensor.run_iterations(ptr %context, ptr %body, ptr %captured, i64 %begin, i64 %end) nounwind {
entry:
  %iterations = sub i64 %end, %begin
  %many = icmp sgt i64 %iterations, 1
  br i1 %many, label %shared, label %few
few:
  %one = icmp eq i64 %iterations, 1
  br i1 %one, label %alone, label %none
none:
  ret i32 0
alone:
  %own = call i32 %body(ptr %captured, i64 %begin, ptr %context)
  ret i32 %own
shared:
  %run.at = getelementptr i8, ptr %context, i64 $context.run$
  %run = load ptr, ptr %run.at
  %status = call i32 %run(ptr %context, ptr %body, ptr %captured, i64 %begin, i64 %end)
  ret i32 %status
}
"""
