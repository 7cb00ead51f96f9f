"""LLVM IR by which code that runs for long finds out whether it shall go on: Ctrl-C, and failures of other threads.

Signals are looked for by the thread that called a kernel, if it is the main one, which handles them, and only a few
times per second: that takes the GIL. Other threads may still run kernels when the interpreter, and the GIL, are gone.
"""

from __future__ import annotations

import ctypes
import sys
import time
from typing import Any

from irtensor.core.argument_layout import INTERRUPTED

# Functions of the interpreter that the code calls, with the GIL held.
_INTERPRETER_FUNCTIONS = ("PyGILState_Ensure", "PyGILState_Release", "PyErr_CheckSignals", "PyErr_Fetch")

_NANOSECONDS_BETWEEN_LOOKS = 50_000_000
# Iterations between two polls that take no longer than this may as well be more.
_NANOSECONDS_BETWEEN_POLLS = 1_000_000

# A clock that goes by milliseconds, where there is one: it takes a fifth of the time to read.
_COARSE_CLOCKS = {"linux": 6, "darwin": 5}
_CLOCK = _COARSE_CLOCKS.get(sys.platform, getattr(time, "CLOCK_MONOTONIC", 1))


def interpreter_functions() -> dict[str, int]:
    """Their addresses, for code to be linked with."""
    return {name: _address_of(getattr(ctypes.pythonapi, name)) for name in _INTERPRETER_FUNCTIONS}


def _address_of(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


def interruption_code() -> str:
    """The functions `now`, `is_due` and `interrupted` of a module, and what they declare."""
    # Loaded with what kernels call.
    from irtensor.runtime.thread_pool_code import Pool

    text = _TEXT.replace("$clock$", str(_CLOCK)).replace("$interrupted$", str(INTERRUPTED))
    for field in ("raised", "main"):
        text = text.replace(f"${field}$", str(getattr(Pool, field).offset))
    return text.replace("$period$", str(_NANOSECONDS_BETWEEN_LOOKS))


def poll_code() -> str:
    """The function `irtensor.poll` of a module that has those above."""
    # Loaded with what kernels call.
    from irtensor.runtime.thread_pool_code import Context

    text = _POLL.replace("$short$", str(_NANOSECONDS_BETWEEN_POLLS))
    for field in ("pool", "job_status"):
        text = text.replace(f"$context.{field}$", str(getattr(Context, field).offset))
    return text


_TEXT = """
declare i32 @clock_gettime(i32, ptr)
declare i64 @pthread_self()
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare i32 @PyErr_CheckSignals()
declare void @PyErr_Fetch(ptr, ptr, ptr)

define internal i64 @now() nounwind {
  %time = alloca [2 x i64]
  %ignored = call i32 @clock_gettime(i32 $clock$, ptr %time)
  %nanoseconds.at = getelementptr i64, ptr %time, i64 1
  %seconds = load i64, ptr %time
  %nanoseconds = load i64, ptr %nanoseconds.at
  %scaled = mul i64 %seconds, 1000000000
  %sum = add i64 %scaled, %nanoseconds
  ret i64 %sum
}

; Whether it is time to look for signals, by when that was done last.
define internal i1 @is_due(i64 %time, i64 %last) nounwind {
  %passed = sub i64 %time, %last
  %due = icmp sgt i64 %passed, $period$
  ret i1 %due
}

; Runs the interpreter's signal handlers, if this is its main thread; keeps what they raise for after the kernel in the
; pool, as type, value, traceback.
define internal i32 @interrupted(ptr %pool) nounwind {
  %main.at = getelementptr i8, ptr %pool, i64 $main$
  %main = load i64, ptr %main.at
  %self = call i64 @pthread_self()
  %handles = icmp eq i64 %self, %main
  br i1 %handles, label %look, label %other
other:
  ret i32 0
look:
  %type.at = getelementptr i8, ptr %pool, i64 $raised$
  %gil = call i32 @PyGILState_Ensure()
  %raised = call i32 @PyErr_CheckSignals()
  %quiet = icmp eq i32 %raised, 0
  br i1 %quiet, label %out, label %keep
keep:
  %value.at = getelementptr i8, ptr %type.at, i64 8
  %traceback.at = getelementptr i8, ptr %type.at, i64 16
  call void @PyErr_Fetch(ptr %type.at, ptr %value.at, ptr %traceback.at)
  br label %out
out:
  %status = phi i32 [ 0, %look ], [ $interrupted$, %keep ]
  call void @PyGILState_Release(i32 %gil)
  ret i32 %status
}
"""

_POLL = """
declare i64 @llvm.smin.i64(i64, i64)

; After how many iterations of a loop, `most` at most, this is to be called again; 0 if there shall be no more. `pace`
; is the loop's {iterations, context, most, time of the last call, time of the last look for signals}; iterations are 0
; before the first call. They may take nanoseconds or most of a second, which this finds out: one at first, many
; times more while they take no time that the clock would notice, fewer if they turn out to take long.
define preserve_mostcc i64 @irtensor.poll(ptr %pace) nounwind {
entry:
  %context.at = getelementptr i64, ptr %pace, i64 1
  %most.at = getelementptr i64, ptr %pace, i64 2
  %called.at = getelementptr i64, ptr %pace, i64 3
  %looked.at = getelementptr i64, ptr %pace, i64 4
  %context = load ptr, ptr %context.at
  %most = load i64, ptr %most.at
  %iterations = load i64, ptr %pace
  %called = load i64, ptr %called.at
  %looked = load i64, ptr %looked.at
  %time = call i64 @now()
  store i64 %time, ptr %called.at
  %is.first = icmp eq i64 %iterations, 0
  br i1 %is.first, label %begin, label %measure
begin:
  store i64 %time, ptr %looked.at
  store i64 1, ptr %pace
  ret i64 1
measure:
  %passed = sub i64 %time, %called
  %short = icmp slt i64 %passed, $short$
  %more = shl i64 %iterations, 6
  %bounded = call i64 @llvm.smin.i64(i64 %more, i64 %most)
  %long = call i1 @is_due(i64 %time, i64 %called)
  %shrunk = lshr i64 %iterations, 3
  %fewer = call i64 @llvm.smax.i64(i64 %shrunk, i64 1)
  %kept = select i1 %long, i64 %fewer, i64 %iterations
  %next = select i1 %short, i64 %bounded, i64 %kept
  store i64 %next, ptr %pace
  %status.at.at = getelementptr i8, ptr %context, i64 $context.job_status$
  %status.at = load ptr, ptr %status.at.at
  %is.caller = icmp eq ptr %status.at, null
  br i1 %is.caller, label %own, label %other
other:
  %failure = load atomic i32, ptr %status.at monotonic, align 4
  %fine = icmp eq i32 %failure, 0
  %goes.on = select i1 %fine, i64 %next, i64 0
  ret i64 %goes.on
own:
  %due = call i1 @is_due(i64 %time, i64 %looked)
  br i1 %due, label %look, label %go
look:
  store i64 %time, ptr %looked.at
  %pool.at = getelementptr i8, ptr %context, i64 $context.pool$
  %pool = load ptr, ptr %pool.at
  %interrupted = call i32 @interrupted(ptr %pool)
  %quiet = icmp eq i32 %interrupted, 0
  br i1 %quiet, label %go, label %stop
go:
  ret i64 %next
stop:
  ret i64 0
}
"""
