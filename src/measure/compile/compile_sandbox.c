#include "measure/compile/compile_sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/compile/landlock.h"

struct CompileSandbox {
    Arena arena;
    int ruleset; // of Landlock
    struct sock_fprog filter;
};

// ---- files

static const uint64_t read_rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
static const uint64_t own_rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
                                   LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                   LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                   LANDLOCK_ACCESS_FS_MAKE_DIR;

static uint64_t all_rights(long version) {
    uint64_t rights = ((uint64_t)1 << 13) - 1; // those of the first version
    rights |= landlock_refer;
    if (version >= 3) rights |= landlock_truncate;
    if (version >= 5) rights |= landlock_ioctl;
    return rights;
}

static bool rule_add(int ruleset, const char *path, uint64_t rights, bool needed, Err *e) {
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && !needed) return true;
    if (fd < 0) return err_set(e, ERR_SANDBOX, "compile worker: %s: %s", path, strerror(errno));
    struct stat st;
    struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = fd};
    bool folder = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
    if (!folder) // what only folders have
        rule.allowed_access &= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                               LANDLOCK_ACCESS_FS_EXECUTE | landlock_truncate;
    bool ok = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    int error = errno;
    close(fd);
    return ok || err_set(e, ERR_SANDBOX, "compile worker: a rule for %s: %s", path, strerror(error));
}

static bool files_rule(CompileSandbox *s, const CompileFiles *f, Err *e) {
    long version = landlock_version();
    // The first version lets nobody move a file from folder to folder, as Triton does.
    if (version < 2)
        return err_set(e, ERR_SANDBOX,
                       "compile worker: this system has no Landlock of version 2 (%s), without which "
                       "Triton's compiler would "
                       "see all files; nothing is compiled",
                       strerror(errno));
    s->ruleset = landlock_set(all_rights(version), version);
    if (s->ruleset < 0) return err_set(e, ERR_SANDBOX, "compile worker: Landlock: %s", strerror(errno));
    uint64_t own = own_rights | landlock_refer | (version >= 3 ? landlock_truncate : 0);
    bool ok = rule_add(s->ruleset, f->own, own, true, e) &&
              rule_add(s->ruleset, "/dev/null", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE,
                       true, e) &&
              rule_add(s->ruleset, "/dev/urandom", LANDLOCK_ACCESS_FS_READ_FILE, false, e);
    for (int i = 0; ok && f->read[i]; i++) ok = rule_add(s->ruleset, f->read[i], read_rights, false, e);
    for (int i = 0; ok && f->run[i]; i++)
        ok = rule_add(s->ruleset, f->run[i], LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE, false,
                      e);
    return ok;
}

// ---- system calls

typedef enum { RULE_ANY, RULE_OPEN1, RULE_OPEN2, RULE_SELF } Rule;
static const struct {
    int number;
    Rule rule;
} table[] = {
#define SYSCALL(name, rule) {SYS_##name, RULE_##rule},
#include "measure/compile/compile_syscall.def"
#undef SYSCALL
};

// Landlock before its third version lets O_RDONLY | O_TRUNC empty any file that its user may write.
static int open_rules(scmp_filter_ctx f, int number, unsigned arg) {
    int bad = seccomp_rule_add(f, SCMP_ACT_ALLOW, number, 1, SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, O_TRUNC, 0));
    for (int mode = O_WRONLY; mode <= O_RDWR && !bad; mode++)
        bad = seccomp_rule_add(f, SCMP_ACT_ALLOW, number, 1,
                               SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, O_ACCMODE, (scmp_datum_t)mode));
    return bad;
}

static int rules_add(scmp_filter_ctx f) {
    int bad = seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    for (size_t i = 0; i < sizeof table / sizeof *table && !bad; i++) {
        switch (table[i].rule) {
        case RULE_ANY: bad = seccomp_rule_add(f, SCMP_ACT_ALLOW, table[i].number, 0); break;
        case RULE_OPEN1: bad = open_rules(f, table[i].number, 1); break;
        case RULE_OPEN2: bad = open_rules(f, table[i].number, 2); break;
        case RULE_SELF:
            bad = seccomp_rule_add(f, SCMP_ACT_ALLOW, table[i].number, 1, SCMP_CMP(0, SCMP_CMP_EQ, 0, 0));
            break;
        }
    }
    // A C library that has clone3() falls back to clone(), whose flags a filter can see.
    if (!bad) bad = seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SYS_clone3, 0);
    if (!bad) bad = seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOTTY), SYS_ioctl, 0);
    return bad;
}

static bool filter_make(CompileSandbox *s, Err *e) {
    int fd = memfd_create("filter", MFD_CLOEXEC);
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    struct stat st;
    int bad = f && fd >= 0 ? rules_add(f) : -ENOMEM;
    if (!bad) bad = seccomp_export_bpf(f, fd);
    if (f) seccomp_release(f);
    bool ok = !bad && fstat(fd, &st) == 0 && st.st_size > 0 &&
              st.st_size / (off_t)sizeof(struct sock_filter) <= BPF_MAXINSNS;
    if (ok) {
        size_t n = (size_t)st.st_size / sizeof(struct sock_filter);
        s->filter.len = (unsigned short)n;
        s->filter.filter = NEWN(&s->arena, struct sock_filter, n);
        ok = pread(fd, s->filter.filter, (size_t)st.st_size, 0) == st.st_size;
    }
    if (fd >= 0) close(fd);
    return ok || err_set(e, ERR_SANDBOX, "compile worker: the filter of system calls cannot be made");
}

// ---- the whole

bool compile_sandbox_make(const CompileFiles *files, CompileSandbox **out, Err *e) {
    CompileSandbox *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->ruleset = -1;
    if (files_rule(s, files, e) && filter_make(s, e)) return *out = s, true;
    compile_sandbox_free(s);
    return false;
}

void compile_sandbox_free(CompileSandbox *s) {
    if (!s) return;
    if (s->ruleset >= 0) close(s->ruleset);
    arena_free(&s->arena);
    free(s);
}

static bool limit(__rlimit_resource_t what, rlim_t most) {
    struct rlimit r = {most, most};
    return setrlimit(what, &r) == 0;
}

bool compile_sandbox_enter(const CompileSandbox *s) {
    enum { CPU_SECONDS = 180, OPEN_FILES = 256, FIRST = 3 };
    const rlim_t file_bytes = 256 << 20, memory = (rlim_t)6 << 30;
    if (s->ruleset != FIRST && dup2(s->ruleset, FIRST) < 0) return false;
    closefrom(FIRST + 1);
    return fcntl(FIRST, F_SETFD, FD_CLOEXEC) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           limit(RLIMIT_CORE, 0) && limit(RLIMIT_CPU, CPU_SECONDS) && limit(RLIMIT_FSIZE, file_bytes) &&
           limit(RLIMIT_AS, memory) && limit(RLIMIT_NOFILE, OPEN_FILES) &&
           syscall(SYS_landlock_restrict_self, FIRST, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &s->filter) == 0;
}
