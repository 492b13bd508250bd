// landlock.h - Landlock as the newest kernels have it, for compile_sandbox.c and write_fence.c: older headers
// know less of it.
#pragma once
#include <linux/landlock.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint64_t landlock_refer = (uint64_t)1 << 13, // since the second version
    landlock_truncate = (uint64_t)1 << 14,                // the third
    landlock_ioctl = (uint64_t)1 << 15;                   // the fifth
enum { LANDLOCK_NETWORK = 4, LANDLOCK_SCOPED = 6 };       // versions that know of TCP; of sockets and signals

static inline long landlock_version(void) {
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}
// A set that handles these rights to files, and all of the network, sockets and signals that the version
// knows. -1: errno says why.
static inline int landlock_set(uint64_t files, long version) {
    enum { BIND_AND_CONNECT = 3, SOCKETS_AND_SIGNALS = 3 };
    struct {
        uint64_t files, network, scoped;
    } set = {files, version >= LANDLOCK_NETWORK ? BIND_AND_CONNECT : 0,
             version >= LANDLOCK_SCOPED ? SOCKETS_AND_SIGNALS : 0};
    size_t size = version >= LANDLOCK_SCOPED ? sizeof set : version >= LANDLOCK_NETWORK ? 16 : 8;
    return (int)syscall(SYS_landlock_create_ruleset, &set, size, 0);
}
