#define _GNU_SOURCE
#include "Confinement.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

void confinement_close_descriptors(void) {
  long most = sysconf(_SC_OPEN_MAX);
  if (most < 0 || most > 65536) most = 65536;
  for (int descriptor = 3; descriptor < most; descriptor++) close(descriptor);
}

/// The bytes of address space in use; 0 if unknown. The sanitizers map terabytes.
static uint64_t mapped_bytes(void) {
  unsigned long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%llu", &pages) != 1) pages = 0;
  fclose(file);
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int limit(int resource, uint64_t value) {
  struct rlimit both;
  if (getrlimit(resource, &both) != 0) return errno;
  if (both.rlim_max != RLIM_INFINITY && both.rlim_max < value) value = both.rlim_max;
  both.rlim_cur = both.rlim_max = value;
  return setrlimit(resource, &both) == 0 ? 0 : errno;
}

int confinement_limit(uint64_t bytes, uint64_t seconds) {
  uint64_t mapped = mapped_bytes();
  int status = limit(RLIMIT_CORE, 0);
  // A message of a library to a file is an error to it, not a signal that ends the process.
  signal(SIGXFSZ, SIG_IGN);
  if (status == 0) status = limit(RLIMIT_FSIZE, 0);
  if (status == 0) status = limit(RLIMIT_NOFILE, 3);
  if (status == 0) status = limit(RLIMIT_CPU, seconds);
#ifdef __linux__
  if (status == 0) status = limit(RLIMIT_AS, mapped + bytes);
#else
  (void)mapped;
  (void)bytes;
#endif
  return status;
}

#ifdef __linux__

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)
#define FAIL(code) ANSWER(SECCOMP_RET_ERRNO | (code))
#define ALLOW(call) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), ANSWER(SECCOMP_RET_ALLOW)
// The low half of an argument: both architectures are little-endian.
#define LOW(argument) LOAD(args[argument])
// Allows a call if none of the bits of an argument is set.
#define ALLOW_WITHOUT(call, argument, bits)                                        \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4), LOW(argument),           \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0), ANSWER(SECCOMP_RET_ALLOW), \
      FAIL(EPERM)
// Allows a call if all of the bits of an argument are set; `bits` is one bit.
#define ALLOW_WITH(call, argument, bits)                                           \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4), LOW(argument),           \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), ANSWER(SECCOMP_RET_ALLOW), \
      FAIL(EPERM)

#ifdef NATIVE_ARCHITECTURE

static struct sock_filter rules[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0),
    ANSWER(SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),
    // Open descriptors
    ALLOW(read),
    ALLOW(write),
    ALLOW(readv),
    ALLOW(writev),
    ALLOW(close),
    ALLOW(lseek),
    ALLOW(fstat),
#ifdef __NR_poll
    ALLOW(poll),
#endif
    ALLOW(ppoll),
    // Memory
    ALLOW(brk),
    ALLOW(munmap),
    ALLOW(mremap),
    ALLOW(madvise),
    ALLOW_WITHOUT(mmap, 2, PROT_EXEC),
    ALLOW_WITHOUT(mprotect, 2, PROT_EXEC),
    // Threads. `clone3` keeps its flags in memory, which a filter cannot read; the C library then
    // uses `clone`.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
    FAIL(ENOSYS),
    ALLOW_WITH(clone, 0, CLONE_THREAD),
    ALLOW(futex),
    ALLOW(set_robust_list),
    ALLOW(rseq),
    ALLOW(sched_yield),
    ALLOW(sched_getaffinity),
    ALLOW(membarrier),
    ALLOW(gettid),
    ALLOW(getpid),
    ALLOW(exit),
    ALLOW(exit_group),
    // Signals to itself only: without `tgkill`, `abort` ends in an illegal instruction.
    ALLOW(rt_sigaction),
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigreturn),
    ALLOW(sigaltstack),
    ALLOW(restart_syscall),
    // Clocks and randomness
    ALLOW(clock_gettime),
    ALLOW(clock_getres),
    ALLOW(clock_nanosleep),
    ALLOW(nanosleep),
    ALLOW(gettimeofday),
    ALLOW(getrandom),
    ALLOW(getrusage),
    FAIL(EPERM),
};

int confinement_filter(void) {
  struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return errno;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  long status = syscall(
      __NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  if (status > 0) return EAGAIN;  // The thread that has a filter of its own.
  return status == 0 ? 0 : errno;
}

#else
int confinement_filter(void) { return ENOSYS; }
#endif

#else
int confinement_filter(void) { return ENOSYS; }
#endif
