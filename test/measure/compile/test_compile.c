// Compile workers: the real worker's text, the real Python and the real sandbox, with a package in Triton's
// place (fake_triton) that does what a kernel's name says. Real Triton compiles a few kernels where there is
// one
// ($OUROBOROS_PYTHON, else python3), and many in `make conformance`.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include "base/clock.h"
#include "measure/compile/compile.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static Arena a;
static char folder[64];

static RunKernel kernel(const char *name) {
    static const RunParam param[] = {{.name = STR_INIT("x"), .type = STR_INIT("*fp16"), .aligned = true},
                                     {.name = STR_INIT("n"), .type = STR_INIT("i32")},
                                     {.name = STR_INIT("B"),
                                      .type = STR_INIT("constexpr"),
                                      .value = {.plain = {.kind = PY_INT, .i = 64}}}};
    return (RunKernel){
        .name = str_of(name),
        .source = str_of(arena_printf(&a,
                                      "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
                                      "def %s(x, n, B: tl.constexpr):\n    pass\n",
                                      name)),
        .param = param,
        .params = 3,
        .option = {.num_warps = 4, .num_stages = 3, .num_ctas = 1, .fp_fusion = true}};
}

static Compilers *open_with(const CompileOptions *o) {
    Compilers *c;
    Err e = {0};
    if (!compilers_open(&a, o, &c, &e)) fail_msg("%s", e.msg);
    return c;
}

static Compiled ask(Compilers *c, const char *name) {
    RunKernel k = kernel(name);
    const RunKernel *list[] = {&k};
    Compiled out;
    Err e = {0};
    if (!compilers_run(&a, c, list, 1, &out, &e)) fail_msg("%s: %s", name, e.msg);
    return out;
}

static bool says(Str s, const char *part) { return memmem(s.p, s.len, part, strlen(part)) != NULL; }

static const CompileOptions usual = {.workers = 1, .timeout_ms = 20000, .target = {90}};

static void a_kernel_is_compiled(void **state) {
    (void)state;
    Compilers *c = open_with(&usual);
    assert_string_equal(compilers_versions(c) + strcspn(compilers_versions(c), ","),
                        strchr(compilers_versions(c), ','));
    assert_true(strstr(compilers_versions(c), "Triton 3.6.0, ptxas 12.8, Python 3."));
    Compiled r = ask(c, "plain");
    if (!r.ok) fail_msg("%.*s", STR_ARG(r.why));
    assert_true(str_is(r.cubin.entry, "plain") && r.cubin.shared == 64 && r.cubin.num_warps == 4);
    assert_true(r.cubin.global_scratch == 128 && r.cubin.global_scratch_align == 16 && !r.cubin.pdl);
    assert_int_equal((uintptr_t)r.cubin.image.p % 16, 0);
    // What Triton was told.
    static const char *const told[] = {"('B', 'constexpr'), ('n', 'i32'), ('x', '*fp16')",
                                       "((2,), 64)",
                                       "((0,), [['tt.divisibility', 16]])",
                                       "90",
                                       "('enable_fp_fusion', True)",
                                       "('num_warps', 4)"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (!says(r.cubin.image, told[i])) fail_msg("%s was not told", told[i]);
    CompileCounts n = compilers_counts(c);
    assert_true(n.asked == 1 && n.compiled == 1 && n.failed == 0 && n.restarts == 0);
    compilers_close(c);
}

static void a_failure_is_told(void **state) {
    (void)state;
    Compilers *c = open_with(&usual);
    Compiled r = ask(c, "fails");
    assert_false(r.ok || r.crashed || r.timed_out);
    assert_true(says(r.why, "RuntimeError: PassManager::run failed and more  [31m"));
    assert_true(ask(c, "plain").ok);
    compilers_close(c);
}

// What code that ran in the compiler could reach: nothing but its own folder and what is needed to compile.
static void the_sandbox_holds(void **state) {
    (void)state;
    char cut[] = "/tmp/ouroboros-compile-test-victim-cut";
    int fd = open(cut, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0 && write(fd, "whole", 5) == 5);
    close(fd);
    setenv("SECRET", "a token", 1);
    Compilers *c = open_with(&usual);
    unsetenv("SECRET");
    Compiled r = ask(c, "reaches");
    static const char *const how[] = {
        "read_passwd=EACCES", "read_proc=EACCES", "list_root=EACCES", "list_tmp=EACCES", "write_tmp=EACCES",
        "run_shell=EACCES",   "run_own=EPERM",    "inet=EPERM",       "unix=EPERM",      "kill_parent=EPERM",
        "new_session=EPERM",  "new_group=EPERM",  "trace=EPERM",      "make_link=EPERM", "mount=EPERM",
        "own_file=done",      "libraries=done",   "secret=none"};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++)
        if (!says(r.why, how[i])) fail_msg("expected %s in %.*s", how[i], STR_ARG(r.why));
    assert_true(says(r.why, "cut_victim=E"));
    struct stat st;
    assert_true(stat(cut, &st) == 0 && st.st_size == 5);
    assert_int_equal(access("/tmp/ouroboros-compile-test-victim", F_OK), -1);
    unlink(cut);
    compilers_close(c);
}

// Hangs, crashes and noise end a process, not us; the next kernel is compiled.
static void workers_that_fail_are_replaced(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool timed_out, crashed;
    } row[] = {{"hangs", true, false},       {"hangs_with_children", true, false},
               {"crashes", false, true},     {"dies", false, true},
               {"babbles", false, true},     {"floods", true, false},
               {"another", false, true},     {"other_code", false, true},
               {"other_warps", false, true}, {"no_cubin", false, true},
               {"short_cubin", false, true}, {"much_shared", false, true}};
    CompileOptions o = usual;
    o.timeout_ms = 3000;
    Compilers *c = open_with(&o);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Compiled r = ask(c, row[i].name);
        if (r.ok || r.timed_out != row[i].timed_out || r.crashed != row[i].crashed || !r.why.len)
            fail_msg("%s: ok %d, timed out %d, crashed %d: %.*s", row[i].name, r.ok, r.timed_out, r.crashed,
                     STR_ARG(r.why));
        r = ask(c, "plain");
        if (!r.ok) fail_msg("after %s: %.*s", row[i].name, STR_ARG(r.why));
    }
    compilers_close(c);
}

// What a kernel does to the process that compiles it is not there for the next.
static void nothing_stays_from_kernel_to_kernel(void **state) {
    (void)state;
    Compilers *c = open_with(&usual);
    assert_true(ask(c, "leaves").ok);
    Compiled r = ask(c, "finds");
    if (!r.ok) fail_msg("%.*s", STR_ARG(r.why));
    assert_int_equal(compilers_counts(c).restarts, 0);
    compilers_close(c);
}

static void several_side_by_side_and_recycled(void **state) {
    (void)state;
    enum { N = 12 };
    static const char *const name[N] = {"k0", "k1", "k2", "fails",   "k4",  "k5",
                                        "k6", "k7", "k8", "crashes", "k10", "k11"};
    CompileOptions o = usual;
    o.workers = 3;
    o.recycle = 2;
    Compilers *c = open_with(&o);
    RunKernel k[N];
    const RunKernel *list[N];
    Compiled out[N];
    Err e = {0};
    for (int i = 0; i < N; i++) k[i] = kernel(name[i]), list[i] = &k[i];
    if (!compilers_run(&a, c, list, N, out, &e)) fail_msg("%s", e.msg);
    for (int i = 0; i < N; i++) {
        bool bad = i == 3 || i == 9;
        if (out[i].ok == bad) fail_msg("%s: %.*s", name[i], STR_ARG(out[i].why));
        if (!bad) assert_true(str_is(out[i].cubin.entry, name[i])); // each has its own
    }
    assert_true(compilers_counts(c).restarts >= 4);
    compilers_close(c);
}

// What several of one round share is compiled once; a failure is everybody's, too.
static void twins_of_a_round_are_compiled_once(void **state) {
    (void)state;
    enum { N = 6 };
    static const char *const name[N] = {"k0", "fails", "k0", "k1", "fails", "k0"};
    CompileOptions o = usual;
    o.workers = 2;
    Compilers *c = open_with(&o);
    RunKernel k[N];
    const RunKernel *list[N];
    Compiled out[N];
    Err e = {0};
    for (int i = 0; i < N; i++) k[i] = kernel(name[i]), list[i] = &k[i];
    if (!compilers_run(&a, c, list, N, out, &e)) fail_msg("%s", e.msg);
    for (int i = 0; i < N; i++) {
        bool bad = strcmp(name[i], "fails") == 0;
        assert_true(out[i].ok != bad);
        if (!bad) assert_true(str_is(out[i].cubin.entry, name[i]));
        if (bad) assert_true(out[i].why.len > 0);
    }
    assert_int_equal(compilers_counts(c).asked, N);
    assert_int_equal(compilers_counts(c).compiled, 2);
    assert_int_equal(compilers_counts(c).failed, 1);
    compilers_close(c);
}

static void the_cache_is_checked(void **state) {
    (void)state;
    char hits[128];
    snprintf(hits, sizeof hits, "%s/cache", folder);
    CompileOptions o = usual;
    o.cache = hits;
    o.recheck = 3;
    Compilers *c = open_with(&o);
    assert_false(ask(c, "plain").cached);
    assert_false(ask(c, "differs").cached);
    Compiled r;
    int kept = 0;
    for (int i = 0; i < 3; i++) { // one of three hits is compiled again, and is the same
        r = ask(c, "plain");
        kept += r.cached;
        assert_true(r.ok && str_is(r.cubin.entry, "plain") && r.cubin.global_scratch == 128);
    }
    CompileCounts n = compilers_counts(c);
    assert_true(kept == 2 && n.cache_hits == 3 && n.rechecked == 1 && n.differed == 0 && n.compiled == 3);
    for (int i = 0; i < 3; i++) kept += ask(c, "differs").cached;
    n = compilers_counts(c);
    assert_true(kept == 4 && n.rechecked == 2 && n.differed == 1);
    compilers_close(c);

    // Processes that have one hit each compile again as often.
    o.recheck = 2;
    int again = 0;
    for (int i = 0; i < 16; i++) {
        c = open_with(&o);
        again += !ask(c, "plain").cached;
        compilers_close(c);
    }
    assert_true(again > 0 && again < 16); // by lot: wrong once in 32,768 runs

    // Another source, other options: other files. A file that was changed does not count.
    o.recheck = 1000;
    c = open_with(&o);
    RunKernel k = kernel("plain");
    const RunKernel *list[] = {&k};
    Err e = {0};
    k.option.num_warps = 8;
    assert_true(compilers_run(&a, c, list, 1, &r, &e) && r.ok && !r.cached && r.cubin.num_warps == 8);
    assert_true(ask(c, "plain").cached);
    DIR *d = opendir(hits);
    int files = 0;
    for (struct dirent *f; (f = readdir(d));) {
        if (!strstr(f->d_name, ".cubin")) continue;
        int fd = openat(dirfd(d), f->d_name, O_WRONLY);
        assert_true(fd >= 0 && pwrite(fd, "x", 1, 200) == 1);
        close(fd);
        files++;
    }
    closedir(d);
    assert_int_equal(files, 3);
    assert_false(ask(c, "plain").cached);
    assert_true(ask(c, "plain").cached);
    compilers_close(c);
}

static void what_is_missing_is_said(void **state) {
    (void)state;
    static const struct {
        const char *python, *path, *part;
    } row[] = {{"/nowhere/python3", NULL, "no such program"},
               {"/bin/false", NULL, "/bin/false"},
               {"/bin/echo", NULL, "/bin/echo"},
               {"python3", "/nowhere", "has no Triton"}};
    char *kept = strdup(getenv("PYTHONPATH"));
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Compilers *c;
        Err e = {0};
        CompileOptions o = usual;
        o.python = row[i].python;
        if (row[i].path) setenv("PYTHONPATH", row[i].path, 1);
        if (compilers_open(&a, &o, &c, &e)) fail_msg("%s opens", row[i].python);
        if (!strstr(e.msg, row[i].part)) fail_msg("expected '%s', got '%s'", row[i].part, e.msg);
        setenv("PYTHONPATH", kept, 1);
    }
    free(kept);
}

// No process and no folder is left.
static void nothing_is_left_behind(void **state) {
    (void)state;
    char own[128];
    snprintf(own, sizeof own, "%s/own", folder);
    CompileOptions o = usual;
    o.cache = own;
    o.timeout_ms = 1500;
    Compilers *c = open_with(&o);
    assert_true(ask(c, "hangs_with_children").timed_out);
    compilers_close(c);
    DIR *d = opendir(own);
    for (struct dirent *f; (f = readdir(d));)
        if (f->d_name[0] != '.') fail_msg("%s is left", f->d_name);
    closedir(d);
    errno = 0;
    assert_true(kill(-getpid(), 0) == 0 || errno == ESRCH); // our group is what it was
}

// ---- whatever is killed

// Kills all children of a process but the calling one.
static void kill_children(pid_t of) {
    DIR *d = opendir("/proc");
    for (struct dirent *f; d && (f = readdir(d));) {
        char path[64];
        int parent = 0, pid = atoi(f->d_name);
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        FILE *s = pid > 1 && pid != getpid() ? fopen(path, "r") : NULL;
        if (s && fscanf(s, "%*d (%*[^)]) %*s %d", &parent) == 1 && parent == of) kill(pid, SIGKILL);
        if (s) fclose(s);
    }
    if (d) closedir(d);
}

static void a_killed_worker_is_replaced(void **state) {
    (void)state;
    Compilers *c = open_with(&usual);
    kill_children(getpid()); // idle
    assert_true(ask(c, "plain").ok);
    pid_t owner = getpid(), killer = fork();
    if (killer == 0) // at work: at its first try, and at its second
        for (;;) {
            usleep(2500000);
            kill_children(owner);
        }
    Compiled r = ask(c, "hangs");
    assert_true(!r.ok && r.crashed && !r.timed_out && says(r.why, "has ended"));
    kill(killer, SIGKILL);
    assert_int_equal(waitpid(killer, NULL, 0), killer);
    assert_true(ask(c, "plain").ok);
    compilers_close(c);
}

// The owner is killed while a kernel is compiled: workers end by themselves, and what lies in their folders
// is removed by the next owner, but nothing of one that lives.
static void what_a_killed_owner_leaves_is_removed(void **state) {
    (void)state;
    char own[128];
    snprintf(own, sizeof own, "%s/killed", folder);
    CompileOptions o = usual;
    o.cache = own;
    o.timeout_ms = 1000;
    o.workers = 2;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    pid_t owner = fork();
    if (owner == 0) {
        o.timeout_ms = 2000;
        Compilers *c = open_with(&o);
        ask(c, "plain");
        ask(c, "hangs");
        _exit(0);
    }
    sleep(2);
    kill(owner, SIGKILL);
    double until = clock_seconds() + 30;
    while (waitpid(-1, NULL, WNOHANG) >= 0 && clock_seconds() < until) usleep(50000);
    assert_true(clock_seconds() < until);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    Compilers *c = open_with(&o), *other = open_with(&o);
    DIR *d = opendir(own);
    int folders = 0;
    for (struct dirent *f; (f = readdir(d));) folders += strncmp(f->d_name, "compile-", 8) == 0;
    closedir(d);
    assert_int_equal(folders, 2);
    assert_true(ask(c, "k1").ok && ask(other, "k2").ok);
    compilers_close(c);
    compilers_close(other);
}

// ---- where a worker cannot be closed in

// A system without such a call, for this process and its children.
static void take_away(int number) {
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
    if (!f || seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), number, 0) != 0 || seccomp_load(f) != 0) _exit(90);
    seccomp_release(f);
}

static void nothing_is_compiled_weaker(void **state) {
    (void)state;
    static const int without[] = {-1, SYS_landlock_create_ruleset, SYS_landlock_restrict_self, SYS_seccomp};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        pid_t pid = fork();
        int status = 0;
        if (pid == 0) {
            Compilers *c;
            Err e = {0};
            if (without[i] >= 0) take_away(without[i]);
            if (compilers_open(&a, &usual, &c, &e)) _exit(50);
            bool told = strstr(e.msg, "Landlock") || strstr(e.msg, "the sandbox cannot be entered");
            _exit(told && (e.code == ERR_SANDBOX || e.code == ERR_IO) ? 3 : 51);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        int seen = WIFEXITED(status) ? WEXITSTATUS(status) : 99;
        if (seen != (without[i] < 0 ? 50 : 3)) fail_msg("without call %d: %d", without[i], seen);
    }
}

// ---- real Triton, where it is installed

static RunKernel real_kernel(const char *name, const char *body) {
    RunKernel k = kernel(name);
    k.source = str_of(arena_printf(&a,
                                   "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
                                   "def %s(x, n, B: tl.constexpr):\n    i = tl.arange(0, B)\n%s",
                                   name, body));
    return k;
}

static void real_triton_compiles(void **state) {
    (void)state;
    static const char twice[] =
        "    v = tl.load(x + i, mask=i < n)\n    tl.store(x + i, v * 2, mask=i < n)\n",
                      wrong[] = "    tl.store(x + i, tl.nonsense(i))\n";
    char hits[128], *fake = strdup(getenv("PYTHONPATH"));
    snprintf(hits, sizeof hits, "%s/real", folder);
    CompileOptions o = {.workers = 2, .cache = hits, .recheck = 1000000, .target = {90}};
    Compilers *c;
    Err e = {0};
    unsetenv("PYTHONPATH");
    bool open = compilers_open(&a, &o, &c, &e);
    setenv("PYTHONPATH", fake, 1);
    free(fake);
    if (!open && !strstr(e.msg, "has no Triton")) fail_msg("%s", e.msg);
    if (!open) skip();
    enum { KERNELS = 5 };
    RunKernel k[KERNELS];
    for (int i = 0; i < KERNELS; i++)
        k[i] = real_kernel(arena_printf(&a, "real_%d", i), i == 4 ? wrong : twice);
    k[1].option.num_ctas = 2;
    k[2].option.cooperative = true;
    k[3].option.pdl = true;
    k[3].option.maxnreg = 32;
    const RunKernel *list[KERNELS];
    Compiled out[KERNELS], again[KERNELS];
    for (int i = 0; i < KERNELS; i++) list[i] = &k[i];
    if (!compilers_run(&a, c, list, KERNELS, out, &e)) fail_msg("%s", e.msg);
    for (int i = 0; i < KERNELS - 1; i++) {
        const Cubin *b = &out[i].cubin;
        if (!out[i].ok) fail_msg("%d: %.*s", i, STR_ARG(out[i].why));
        assert_true(str_eq(b->entry, k[i].name) && b->image.len > 1000 && b->num_warps == 4);
        assert_int_equal(b->num_ctas, i == 1 ? 2 : 1);
        assert_true(b->cooperative == (i == 2) && b->pdl == (i == 3));
    }
    assert_false(out[4].ok || out[4].crashed || out[4].timed_out);
    assert_true(says(out[4].why, "nonsense"));
    if (!compilers_run(&a, c, list, KERNELS - 1, again, &e)) fail_msg("%s", e.msg);
    for (int i = 0; i < KERNELS - 1; i++)
        assert_true(again[i].cached && str_eq(again[i].cubin.image, out[i].cubin.image));
    kill_children(getpid()); // workers with the real compiler in them
    k[0].option.num_warps = 8;
    if (!compilers_run(&a, c, list, 1, again, &e)) fail_msg("%s", e.msg);
    assert_true(again[0].ok && again[0].cubin.num_warps == 8);
    compilers_close(c);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static int setup(void **state) {
    (void)state;
    char path[4096];
    unlink("/tmp/ouroboros-compile-test-victim");
    snprintf(folder, sizeof folder, "/tmp/test_compile-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_non_null(realpath("test/measure/fake_triton", path));
    return setenv("PYTHONPATH", path, 1);
}
static int teardown(void **state) {
    (void)state;
    arena_free(&a);
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_is_compiled),
        cmocka_unit_test(a_failure_is_told),
        cmocka_unit_test(the_sandbox_holds),
        cmocka_unit_test(workers_that_fail_are_replaced),
        cmocka_unit_test(nothing_stays_from_kernel_to_kernel),
        cmocka_unit_test(several_side_by_side_and_recycled),
        cmocka_unit_test(twins_of_a_round_are_compiled_once),
        cmocka_unit_test(the_cache_is_checked),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(nothing_is_left_behind),
        cmocka_unit_test(a_killed_worker_is_replaced),
        cmocka_unit_test(what_a_killed_owner_leaves_is_removed),
        cmocka_unit_test(nothing_is_compiled_weaker),
        cmocka_unit_test(real_triton_compiles),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
