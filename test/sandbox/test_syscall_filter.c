// The sandbox from the inside: every system call number outside the table ends the child, the table's own
// work.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "sandbox/syscall_filter.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SURVIVED = 7, CANNOT_ENTER = 8, NUMBER_END = 600 };
static const long x32 = 0x40000000;
static Sandbox *box;
static int null_fd;

typedef void (*Act)(long argument);

// Wait status of a child that enters the sandbox, acts, and survives.
static int inside(Act act, long argument, int keep) {
    pid_t pid = fork();
    if (pid == 0) {
        Err e = {0};
        if (!sandbox_enter(box, keep, &e)) _exit(CANNOT_ENTER);
        act(argument);
        _exit(SURVIVED);
    }
    assert_true(pid > 0);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static bool killed_by(int status, int sig) { return WIFSIGNALED(status) && WTERMSIG(status) == sig; }
static bool survived(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == SURVIVED; }

static void act_call(long number) { syscall(number, 0L, 0L, 0L, 0L, 0L, 0L); }
static void act_nothing(long unused) { (void)unused; }

// The kernel's own trampolines for probes (uretprobe, uprobe). Recent kernels do not show them to any filter,
// on purpose; called from anywhere else they refuse by themselves. That they do is tested below.
static bool unfiltered(long nr) { return nr == 335 || nr == 336; }

// Number of calls that were not denied although the table does not have them.
static int not_denied(long from, long to, long step) {
    int holes = 0;
    for (long nr = from; nr < to; nr += step) {
        if (unfiltered(nr)) continue;
        // write is in the table, but not to descriptor 0.
        bool denied = killed_by(inside(act_call, nr, null_fd), SIGSYS);
        bool expected = !sandbox_allows(nr) || nr == SYS_write;
        if (denied == expected) continue;
        fprintf(stderr, "system call %#lx: %s\n", nr, denied ? "denied" : "not denied");
        holes++;
    }
    return holes;
}

static void every_number_outside_the_table_is_denied(void **state) {
    (void)state;
    assert_int_equal(not_denied(0, NUMBER_END, 1), 0);
}

static void act_refused(long number) {
    errno = 0;
    if (syscall(number, 0L, 0L, 0L, 0L, 0L, 0L) != -1 || (errno != ENXIO && errno != ENOSYS)) _exit(0);
}

static void what_the_kernel_does_not_filter_refuses_by_itself(void **state) {
    (void)state;
    for (long nr = 0; nr < NUMBER_END; nr++) {
        if (!unfiltered(nr)) continue;
        int status = inside(act_refused, nr, null_fd);
        assert_true(killed_by(status, SIGSYS) || killed_by(status, SIGILL) || survived(status));
    }
}

static void the_x32_entry_is_denied(void **state) {
    (void)state;
    // Those of the table first of all: the filter must not take them for their namesakes.
    assert_true(killed_by(inside(act_call, x32 | SYS_exit_group, null_fd), SIGSYS));
    assert_true(killed_by(inside(act_call, x32 | SYS_write, null_fd), SIGSYS));
    assert_int_equal(not_denied(x32, x32 + NUMBER_END, 1), 0);
}

static void odd_numbers_are_denied(void **state) {
    (void)state;
    static const long odd[] = {-1,         -2,       0x7fffffff, 0x80000000, 0xffffffff,
                               0x3fffffff, 1L << 32, 0x80000001, 4096};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        assert_int_equal(not_denied(odd[i], odd[i] + 1, 1), 0);
}

#if defined(__x86_64__)
static void act_i386(long number) {
    long result;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "0"(number), "b"(0L), "c"(0L), "d"(0L)
                     : "memory", "r8", "r9", "r10", "r11");
    (void)result;
}
static void act_vsyscall(long address) {
    long (*entry)(void *) = (long (*)(void *))(intptr_t)address;
    entry(NULL);
}
#endif

static void other_ways_into_the_kernel_are_denied(void **state) {
    (void)state;
#if defined(__x86_64__)
    // The 32-bit entry: SIGSYS from the filter, or a fault where the kernel has no such entry. 1 and 252 are
    // exits.
    static const long number[] = {1, 4, 20, 252, 11, 90};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        int status = inside(act_i386, number[i], null_fd);
        assert_true(killed_by(status, SIGSYS) || killed_by(status, SIGSEGV));
    }
    int status = inside(act_vsyscall, (long)0xffffffffff600000, null_fd);
    assert_true(killed_by(status, SIGSYS) || killed_by(status, SIGSEGV));
#endif
}

static void the_table_is_short_and_its_calls_are_not_killed(void **state) {
    (void)state;
    assert_in_range(sandbox_table_rows(), 1, 12);
    assert_true(sandbox_allows(SYS_write));
    assert_true(sandbox_allows(SYS_exit_group));
    static const int never[] = {SYS_read,   SYS_open,   SYS_openat, SYS_mremap, SYS_mprotect,
                                SYS_brk,    SYS_kill,   SYS_execve, SYS_clone,  SYS_fork,
                                SYS_socket, SYS_ptrace, SYS_dup2,   SYS_prctl};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) assert_false(sandbox_allows(never[i]));
    assert_true(survived(inside(act_nothing, 0, null_fd))); // exit_group
}

static void act_write(long fd) { syscall(SYS_write, fd, "x", 1L); }

static void write_reaches_the_report_pipe_and_nothing_else(void **state) {
    (void)state;
    int end[2];
    assert_int_equal(pipe2(end, O_CLOEXEC), 0);
    assert_true(survived(inside(act_write, SANDBOX_FD, end[1])));
    char got = 0;
    assert_int_equal(read(end[0], &got, 1), 1);
    assert_int_equal(got, 'x');
    static const long other[] = {0, 1, 2, 4, 5, -1, 0x100000003, -0x100000000 + 3};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_true(killed_by(inside(act_write, other[i], end[1]), SIGSYS));
    close(end[1]);
    assert_int_equal(read(end[0], &got, 1), 0); // none of them arrived
    close(end[0]);
}

static void act_spin(long unused) {
    (void)unused;
    for (volatile int i = 0;; i++) {}
}

static bool status_says(pid_t pid, const char *line) {
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n < 0) return false;
    text[n] = 0;
    return strstr(text, line) != NULL;
}

static void a_closed_child_has_no_descriptors_and_no_privileges(void **state) {
    (void)state;
    int other[2], report[2];
    assert_int_equal(pipe(other), 0); // not even close-on-exec
    assert_int_equal(pipe(report), 0);
    int high = fcntl(other[1], F_DUPFD, 700);
    pid_t pid = fork();
    if (pid == 0) {
        Err e = {0};
        if (!sandbox_enter(box, report[1], &e)) _exit(CANNOT_ENTER);
        syscall(SYS_write, (long)SANDBOX_FD, "r", 1L);
        act_spin(0);
    }
    close(other[1]);
    if (high >= 0) close(high);
    close(report[1]);
    char c = 0;
    assert_int_equal(read(report[0], &c, 1), 1);
    assert_int_equal(c, 'r');
    // It lives, and yet nobody holds the other pipe.
    assert_int_equal(read(other[0], &c, 1), 0);
    assert_true(status_says(pid, "NoNewPrivs:\t1"));
    assert_true(status_says(pid, "Seccomp:\t2"));
    assert_false(status_says(getpid(), "Seccomp:\t2"));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(other[0]);
    close(report[0]);
}

static void act_fault(long address) { *(volatile char *)(intptr_t)address = 1; }
static void on_fault(int sig) {
    (void)sig;
    _exit(SURVIVED);
}

static void a_fault_is_a_plain_death(void **state) {
    (void)state;
    void (*before)(int) = signal(SIGSEGV, on_fault);
    int status = inside(act_fault, 8, null_fd);
    signal(SIGSEGV, before);
    assert_true(killed_by(status, SIGSEGV));
}

static void act_memory(long bytes) {
    char *volatile p = malloc((size_t)bytes);
    if (p) p[0] = 1;
    free(p);
}

static void more_memory_is_denied(void **state) {
    (void)state;
    if (sandbox_allows(SYS_mmap)) skip(); // a sanitizer's build: see syscall.def
    assert_true(killed_by(inside(act_memory, 256 << 20, null_fd), SIGSYS));
}

static void the_same_call_survives_without_the_sandbox(void **state) {
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        act_call(SYS_getppid);
        _exit(SURVIVED);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(survived(status));
}

static void the_probe_passes(void **state) {
    (void)state;
    Err e = {0};
    if (!sandbox_probe(box, &e)) fail_msg("%s", e.msg);
}

// Everything a second time for a user without privileges (the filter needs no_new_privs there).
static void it_works_without_privileges(void **state) {
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        if (getuid() == 0 &&
            (setgroups(0, NULL) || setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
            _exit(2);
        if (getuid() == 0 || setuid(0) == 0) _exit(3);
        Err e = {0};
        Sandbox *mine;
        if (!sandbox_prepare(&mine, &e) || !sandbox_probe(mine, &e)) _exit(4);
        box = mine;
        int holes = not_denied(0, 460, 11) + not_denied(x32, x32 + 460, 37);
        _exit(holes ? 5 : survived(inside(act_nothing, 0, null_fd)) ? 0 : 6);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
    Err e = {0};
    if (!sandbox_prepare(&box, &e)) return fprintf(stderr, "%s\n", e.msg), 1;
    null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_call_survives_without_the_sandbox),
        cmocka_unit_test(the_probe_passes),
        cmocka_unit_test(the_table_is_short_and_its_calls_are_not_killed),
        cmocka_unit_test(every_number_outside_the_table_is_denied),
        cmocka_unit_test(what_the_kernel_does_not_filter_refuses_by_itself),
        cmocka_unit_test(the_x32_entry_is_denied),
        cmocka_unit_test(odd_numbers_are_denied),
        cmocka_unit_test(other_ways_into_the_kernel_are_denied),
        cmocka_unit_test(write_reaches_the_report_pipe_and_nothing_else),
        cmocka_unit_test(a_closed_child_has_no_descriptors_and_no_privileges),
        cmocka_unit_test(a_fault_is_a_plain_death),
        cmocka_unit_test(more_memory_is_denied),
        cmocka_unit_test(it_works_without_privileges),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    close(null_fd);
    sandbox_free(box);
    return failed;
}
