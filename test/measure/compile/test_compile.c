// Compile workers: the real worker's text, the real Python and the real sandbox, with a package in Triton's
// place (fake_triton) that does what a kernel's name says. Real Triton compiles in `make conformance`.
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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
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
    assert_true(ask(c, "plain").cached);
    Compiled r = ask(c, "plain");
    assert_true(r.ok && r.cached && str_is(r.cubin.entry, "plain") && r.cubin.global_scratch == 128);
    assert_false(ask(c, "plain").cached); // the third hit is compiled again, and is the same
    CompileCounts n = compilers_counts(c);
    assert_true(n.cache_hits == 3 && n.rechecked == 1 && n.differed == 0 && n.compiled == 3);
    assert_true(ask(c, "differs").cached && ask(c, "differs").cached);
    assert_false(ask(c, "differs").cached);
    assert_int_equal(compilers_counts(c).differed, 1);
    compilers_close(c);

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
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
