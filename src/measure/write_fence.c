#include "measure/write_fence.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/compile/landlock.h"

// Before the third version anybody may cut off files that its user may write.
enum { VERSION_NEEDED = 3 };
static const uint64_t all_writes = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                   LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                   LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                   LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                   LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

static bool open_to(int ruleset, const char *path, uint64_t rights) {
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) return false;
    struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = fd};
    bool ok = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(fd);
    return ok;
}

bool write_fence_enter(const char *own) {
    long version = landlock_version();
    if (version < VERSION_NEEDED) return false;
    const uint64_t rights = all_writes | landlock_refer | landlock_truncate;
    int ruleset = landlock_set(rights, version);
    if (ruleset < 0) return false;
    // CUDA's driver names its threads by files of the process.
    bool ok = open_to(ruleset, own, rights) && open_to(ruleset, "/dev", rights) &&
              open_to(ruleset, "/proc/self", rights) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
              syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    close(ruleset);
    return ok;
}
