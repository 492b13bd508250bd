#include "measure/write_fence.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// As the newest kernels have it; older headers know less of it.
typedef struct {
    uint64_t files, network, scoped;
} Ruleset;
enum { NETWORK_BIND_AND_CONNECT = 3, SCOPED_SOCKETS_AND_SIGNALS = 3, VERSION_FLAG = 1, NETWORK_SINCE = 4 };
enum { REFER_SINCE = 2, TRUNCATE_SINCE = 3, SCOPED_SINCE = 6 };

static uint64_t write_rights(long version) {
    uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                      LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                      LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                      LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                      LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
    if (version >= REFER_SINCE) rights |= (uint64_t)1 << 13;
    if (version >= TRUNCATE_SINCE) rights |= (uint64_t)1 << 14;
    return rights;
}

static bool open_to(int ruleset, const char *path, uint64_t rights) {
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) return false;
    struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = fd};
    bool ok = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(fd);
    return ok;
}

bool write_fence_enter(const char *own) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_FLAG);
    if (version < 1) return false;
    const uint64_t rights = write_rights(version);
    Ruleset r = {.files = rights};
    if (version >= NETWORK_SINCE) r.network = NETWORK_BIND_AND_CONNECT;
    if (version >= SCOPED_SINCE) r.scoped = SCOPED_SOCKETS_AND_SIGNALS;
    size_t size = version >= SCOPED_SINCE    ? sizeof r
                  : version >= NETWORK_SINCE ? 2 * sizeof(uint64_t)
                                             : sizeof(uint64_t);
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &r, size, 0);
    if (ruleset < 0) return false;
    // CUDA's driver names its threads by files of the process.
    bool ok = open_to(ruleset, own, rights) && open_to(ruleset, "/dev", rights) &&
              open_to(ruleset, "/proc/self", rights) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
              syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    close(ruleset);
    return ok;
}
