// Informs the thread sanitizer of two places where threads synchronize in Swift's libraries, which
// are not instrumented (Swift 6.3 on Linux). Without this they are reported as races:
//
// - two closures of `withLock` of one Mutex, whose slow path is in a library (`_MutexHandle`);
// - a write before a continuation is resumed, and a read by a task that had not yet begun to wait
//   for it. If the task already waits, the runtime informs the sanitizer.
//
// Linked only into the thread sanitizer builds of `make sanitize`. If a later Swift renames these
// functions, they are not called and the false reports return.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT_METHOD __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *handle

// Weak, because the build's own tools are linked with this file, but not with the sanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

SWIFT_METHOD void lockSlow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT_METHOD void unlockSlow(SELF) __asm__(UNLOCK_SLOW);

SWIFT_METHOD void lockSlow(uint32_t thread, SELF) {
  SWIFT_METHOD void (*next)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK_SLOW);
  next(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT_METHOD void unlockSlow(SELF) {
  SWIFT_METHOD void (*next)(SELF) = dlsym(RTLD_NEXT, UNLOCK_SLOW);
  if (__tsan_release) __tsan_release(handle);
  next(handle);
}

__attribute__((weak, swiftcall)) void *swift_task_getCurrent(void);

__attribute__((swiftasynccall)) void swift_continuation_await(void *context) {
  __attribute__((swiftasynccall)) void (*next)(void *) =
      dlsym(RTLD_NEXT, "swift_continuation_await");
  if (__tsan_acquire) __tsan_acquire(swift_task_getCurrent());
  __attribute__((musttail)) return next(context);
}

__attribute__((swiftcall)) void swift_continuation_resume(void *task) {
  __attribute__((swiftcall)) void (*next)(void *) = dlsym(RTLD_NEXT, "swift_continuation_resume");
  if (__tsan_release) __tsan_release(task);
  next(task);
}

__attribute__((swiftcall)) void swift_continuation_throwingResume(void *task) {
  __attribute__((swiftcall)) void (*next)(void *) =
      dlsym(RTLD_NEXT, "swift_continuation_throwingResume");
  if (__tsan_release) __tsan_release(task);
  next(task);
}

__attribute__((swiftcall)) void swift_continuation_throwingResumeWithError(
    void *task, void *error) {
  __attribute__((swiftcall)) void (*next)(void *, void *) =
      dlsym(RTLD_NEXT, "swift_continuation_throwingResumeWithError");
  if (__tsan_release) __tsan_release(task);
  next(task, error);
}
