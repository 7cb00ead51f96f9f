; How code that runs for long finds out whether it shall go on. Signals are looked for by the thread that called a
; kernel, if it is the main one, which handles them, and a few times per second only: that takes the GIL. The number
; of the clock is that of the platform: `interruption_code` defines @clock.

; What a call passes to a kernel about threads: the function `run`, or what starts the pool before it; the most parts
; that work is divided into; iterations that a part has at least; threads; the pool; null for the thread that called
; the kernel, or else where it says that the job has failed.
%context = type { ptr, i64, i64, i64, ptr, ptr }

; The state of a pool: a mutex, the condition that there is work, the condition that it is done, each with room to
; spare; whether a kernel uses the pool; its job; how many jobs there have been; threads that took part in the job;
; those that still do; threads that there are; what a signal handler raised (type, value, traceback); the thread that
; runs handlers.
%pool = type { [128 x i8], [128 x i8], [128 x i8], i64, ptr, i64, i64, i64, i64, [3 x ptr], i64 }

declare i32 @clock_gettime(i32, ptr)
declare i64 @pthread_self()
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare i32 @PyErr_CheckSignals()
declare void @PyErr_Fetch(ptr, ptr, ptr)

define internal i64 @now() nounwind {
  %time = alloca [2 x i64]
  %clock = load i32, ptr @clock
  %ignored = call i32 @clock_gettime(i32 %clock, ptr %time)
  %nanoseconds.at = getelementptr i64, ptr %time, i64 1
  %seconds = load i64, ptr %time
  %nanoseconds = load i64, ptr %nanoseconds.at
  %scaled = mul i64 %seconds, 1000000000
  %sum = add i64 %scaled, %nanoseconds
  ret i64 %sum
}

; Whether it is time to look for signals, 50 ms after that was done last.
define internal i1 @is_due(i64 %time, i64 %last) nounwind {
  %passed = sub i64 %time, %last
  %due = icmp sgt i64 %passed, 50000000
  ret i1 %due
}

; Runs the interpreter's signal handlers, if this is its main thread; keeps what they raise for after the kernel in the
; pool, as type, value, traceback.
define internal i32 @interrupted(ptr %pool) nounwind {
  %main.at = getelementptr %pool, ptr %pool, i32 0, i32 10
  %main = load i64, ptr %main.at
  %self = call i64 @pthread_self()
  %handles = icmp eq i64 %self, %main
  br i1 %handles, label %look, label %other
other:
  ret i32 0
look:
  %type.at = getelementptr %pool, ptr %pool, i32 0, i32 9
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
  %status = phi i32 [ 0, %look ], [ -1, %keep ]
  call void @PyGILState_Release(i32 %gil)
  ret i32 %status
}
