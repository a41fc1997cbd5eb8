#pragma once

// Takes away from the calling process what it does not need to decode a picture. For a process
// that reads untrusted bytes and answers on descriptors that are open already.

#include <stdint.h>

/// Closes all descriptors but 0, 1 and 2.
void confinement_close_descriptors(void);

/// Limits the process for the rest of its time: no files written, no core dump, no further
/// descriptors, `seconds` of CPU time, and `bytes` of address space beyond what it has mapped.
/// Returns 0, or an errno.
int confinement_limit(uint64_t bytes, uint64_t seconds);

/// On Linux: permits only system calls that compute, allocate memory, start threads, and read and
/// write open descriptors, for all threads. There are no sockets, files, programs, signals to other
/// processes, or executable memory. Every other call fails with EPERM. Returns 0, or an errno;
/// ENOSYS on other systems.
int confinement_filter(void);
