// Tells the thread sanitizer what Swift's Mutex does where threads wait for one another. The
// standard library is not instrumented, and the slow half of the lock is in it (Swift 6.3 on Linux,
// `_MutexHandle`): without this, two closures of `withLock` of one Mutex are reported as a race.
//
// Linked into what `make sanitize` builds for the thread sanitizer, and into nothing else. Should a
// later Swift name these functions otherwise, they are not called and the false reports come back.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT_METHOD __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *handle

// Weak, since the build's own tools are linked with this too, but not with the sanitizer.
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
