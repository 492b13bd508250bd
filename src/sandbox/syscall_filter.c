#include "sandbox/syscall_filter.h"
#include "base/arena.h"
#include "base/build.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef enum { RULE_ANY, RULE_REPORT } Rule;
enum { IN_EVERY = 1, IN_ASAN = BUILD_ASAN, IN_TSAN = BUILD_TSAN };

static const struct {
    int number;
    Rule rule;
    bool here;
} table[] = {
#define SYSCALL(name, rule, builds, why) {SYS_##name, RULE_##rule, IN_##builds},
#include "sandbox/syscall.def"
#undef SYSCALL
};
enum { ROWS = sizeof table / sizeof *table };
_Static_assert(ROWS <= 12, "the list of what a child may ask for stays short enough to be read");

struct Sandbox {
    Arena arena; // of this struct and the program
    struct sock_fprog program;
};

int sandbox_table_rows(void) { return ROWS; }

bool sandbox_allows(long syscall_number) {
    for (int i = 0; i < ROWS; i++)
        if (table[i].here && table[i].number == syscall_number) return true;
    return false;
}

// 0 or a negative errno, as libseccomp counts.
static int rules_add(scmp_filter_ctx filter) {
    // By default a foreign architecture (and with it the x32 entry) kills the thread only.
    int bad = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    for (int i = 0; i < ROWS && !bad; i++) {
        if (!table[i].here) continue;
        bad = table[i].rule == RULE_REPORT ? seccomp_rule_add(filter, SCMP_ACT_ALLOW, table[i].number, 1,
                                                              SCMP_CMP(0, SCMP_CMP_EQ, SANDBOX_FD, 0))
                                           : seccomp_rule_add(filter, SCMP_ACT_ALLOW, table[i].number, 0);
    }
    return bad;
}

// The filter as the kernel takes it: children load it with one system call and no memory.
static bool filter_compile(Sandbox *s, int fd, Err *e) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (!filter) return err_set(e, ERR_SANDBOX, "sandbox: no filter from libseccomp");
    int bad = rules_add(filter);
    if (!bad) bad = seccomp_export_bpf(filter, fd);
    seccomp_release(filter);
    if (bad) return err_set(e, ERR_SANDBOX, "sandbox: the filter does not compile: %s", strerror(-bad));

    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size <= 0 || st.st_size % (off_t)sizeof(struct sock_filter) ||
        st.st_size / (off_t)sizeof(struct sock_filter) > BPF_MAXINSNS)
        return err_set(e, ERR_SANDBOX, "sandbox: the filter has an odd size");
    size_t n = (size_t)st.st_size / sizeof(struct sock_filter);
    s->program.len = (unsigned short)n;
    s->program.filter = NEWN(&s->arena, struct sock_filter, n);
    if (pread(fd, s->program.filter, (size_t)st.st_size, 0) != st.st_size)
        return err_set(e, ERR_SANDBOX, "sandbox: cannot read the filter back: %s", strerror(errno));
    return true;
}

bool sandbox_prepare(Sandbox **out, Err *e) {
    Arena a = {0};
    Sandbox *s = NEW(&a, Sandbox);
    s->arena = a;
    int fd = memfd_create("filter", MFD_CLOEXEC);
    bool ok =
        fd >= 0 ? filter_compile(s, fd, e) : err_set(e, ERR_SANDBOX, "sandbox: memfd: %s", strerror(errno));
    if (fd >= 0) close(fd);
    if (ok)
        *out = s;
    else
        sandbox_free(s);
    return ok;
}

void sandbox_free(Sandbox *s) {
    if (!s) return;
    Arena a = s->arena;
    arena_free(&a);
}

static bool limit_set(__rlimit_resource_t what, rlim_t most) {
    struct rlimit r = {most, most};
    return setrlimit(what, &r) == 0;
}

bool sandbox_enter(const Sandbox *s, int keep, Err *e) {
    // A handler of our parent's (a flag for Ctrl-C, a sanitizer's crash report) has no business here: a fault
    // is a plain death, and what the signal was is told by the exit status.
    for (int sig = 1; sig < NSIG; sig++) signal(sig, SIG_DFL);
    signal(SIGPIPE, SIG_IGN); // a reader that went away is seen by write()
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return err_set(e, ERR_SANDBOX, "sandbox: no_new_privs: %s", strerror(errno));
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        return err_set(e, ERR_SANDBOX, "sandbox: dumpable: %s", strerror(errno));

    if (keep != SANDBOX_FD && dup2(keep, SANDBOX_FD) < 0)
        return err_set(e, ERR_SANDBOX, "sandbox: report pipe: %s", strerror(errno));
    for (int fd = 0; fd < SANDBOX_FD; fd++) close(fd);
    closefrom(SANDBOX_FD + 1);
    // The filter forbids what these limit; they hold should the filter ever have a hole.
    if (!limit_set(RLIMIT_CORE, 0) || !limit_set(RLIMIT_FSIZE, 0) || !limit_set(RLIMIT_NOFILE, 0) ||
        !limit_set(RLIMIT_MEMLOCK, 0) || !limit_set(RLIMIT_MSGQUEUE, 0))
        return err_set(e, ERR_SANDBOX, "sandbox: limits: %s", strerror(errno));

    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &s->program) != 0)
        return err_set(e, ERR_SANDBOX, "sandbox: the kernel does not take the filter: %s", strerror(errno));
    return true;
}

static void probe_child(const Sandbox *s, int fd) {
    Err e = {0};
    if (!sandbox_enter(s, fd, &e)) {
        // Before the descriptors are gone the cause can still be told; afterwards the silence tells it.
        (void)!write(fd, e.msg, strlen(e.msg));
        _exit(1);
    }
    (void)!write(SANDBOX_FD, "", 1);
    syscall(SYS_getppid);
    _exit(0);
}

bool sandbox_probe(const Sandbox *s, Err *e) {
    int pipe_fd[2];
    if (pipe2(pipe_fd, O_CLOEXEC) != 0) return err_set(e, ERR_SANDBOX, "sandbox: pipe: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) probe_child(s, pipe_fd[1]);
    close(pipe_fd[1]);
    char text[256];
    ssize_t got = pid < 0 ? -1 : read(pipe_fd[0], text, sizeof text - 1);
    close(pipe_fd[0]);
    if (pid < 0) return err_set(e, ERR_SANDBOX, "sandbox: fork: %s", strerror(errno));
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return err_set(e, ERR_SANDBOX, "sandbox: wait: %s", strerror(errno));

    if (got == 1 && !text[0] && WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) return true;
    if (got > 1) return err_set(e, ERR_SANDBOX, "%.*s", (int)got, text);
    if (got == 1) return err_set(e, ERR_SANDBOX, "sandbox: a forbidden system call did not end the child");
    return err_set(e, ERR_SANDBOX, "sandbox: a child cannot close itself in (status 0x%x)", (unsigned)status);
}
