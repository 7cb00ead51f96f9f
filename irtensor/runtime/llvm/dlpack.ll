; What other libraries call when they are done with memory that DLPack has passed to them. They may do so while an
; exception is on its way, which Python's own code must not see, and from threads without the GIL.

declare i32 @Py_IsInitialized()
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_Restore(ptr, ptr, ptr)
declare i32 @PyCapsule_IsValid(ptr, ptr)
declare ptr @PyCapsule_GetPointer(ptr, ptr)
declare void @irtensor.forget(ptr)

@plain = internal constant [9 x i8] c"dltensor\00"
@versioned = internal constant [19 x i8] c"dltensor_versioned\00"

; A description is no longer used. After the interpreter has ended, nothing has to be given back.
define void @irtensor.delete(ptr %description) nounwind {
entry:
  %kind = alloca ptr
  %value = alloca ptr
  %traceback = alloca ptr
  %runs = call i32 @Py_IsInitialized()
  %gone = icmp eq i32 %runs, 0
  br i1 %gone, label %out, label %forget
forget:
  %state = call i32 @PyGILState_Ensure()
  call void @PyErr_Fetch(ptr %kind, ptr %value, ptr %traceback)
  call void @irtensor.forget(ptr %description)
  %kind.1 = load ptr, ptr %kind
  %value.1 = load ptr, ptr %value
  %traceback.1 = load ptr, ptr %traceback
  call void @PyErr_Restore(ptr %kind.1, ptr %value.1, ptr %traceback.1)
  call void @PyGILState_Release(i32 %state)
  br label %out
out:
  ret void
}

; A capsule goes: whoever has taken what is in it has given it another name.
define void @irtensor.drop(ptr %capsule) nounwind {
entry:
  %plain = call i32 @PyCapsule_IsValid(ptr %capsule, ptr @plain)
  %is.plain = icmp ne i32 %plain, 0
  br i1 %is.plain, label %take, label %other
other:
  %versioned = call i32 @PyCapsule_IsValid(ptr %capsule, ptr @versioned)
  %is.versioned = icmp ne i32 %versioned, 0
  br i1 %is.versioned, label %take, label %out
take:
  %name = phi ptr [ @plain, %entry ], [ @versioned, %other ]
  %description = call ptr @PyCapsule_GetPointer(ptr %capsule, ptr %name)
  call void @irtensor.delete(ptr %description)
  br label %out
out:
  ret void
}
