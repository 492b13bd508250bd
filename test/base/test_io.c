// Whole files in and out, and sealed memory.
#include "base/io.h"
#include "base/numeric/rng.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/test_io.XXXXXX";
static Arena arena;

static char *in_dir(const char *name) { return arena_printf(&arena, "%s/%s", dir, name); }

static int entries(void) {
    int n = 0;
    DIR *d = opendir(dir);
    for (struct dirent *f; (f = readdir(d));) n += f->d_name[0] != '.';
    closedir(d);
    return n;
}

static int set_up(void **state) {
    (void)state;
    strcpy(dir + sizeof dir - 7, "XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    char *cmd = arena_printf(&arena, "rm -rf %s", dir);
    int bad = system(cmd);
    arena_free(&arena);
    return bad;
}

static void test_what_is_written_is_read(void **state) {
    (void)state;
    Rng r = rng_at(1, 0);
    static const size_t size[] = {0, 1, 4095, 4096, 65536, 65537, 300000};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        size_t n = size[i];
        char *p = arena_raw(&arena, n, 1);
        for (size_t k = 0; k < n; k++) p[k] = (char)rng_u32(&r);
        Err e = {0};
        Str got;
        assert_true(io_write_atomic(in_dir("f"), (Str){p, n}, &e));
        assert_true(io_read(&arena, in_dir("f"), n, &got, &e)); // the limit itself is allowed
        assert_int_equal(got.len, n);
        assert_memory_equal(got.p, p, n);
        assert_int_equal(entries(), 1); // replaced, nothing beside it
        if (!n) continue;
        assert_false(io_read(&arena, in_dir("f"), n - 1, &got, &e));
        assert_int_equal(e.code, ERR_LIMIT);
        assert_non_null(strstr(e.msg, in_dir("f")));
    }
}

static void test_read_failures_name_the_path(void **state) {
    (void)state;
    Str got;
    Err e = {0};
    assert_false(io_read(&arena, in_dir("none"), 10, &got, &e));
    assert_int_equal(e.code, ERR_IO);
    assert_non_null(strstr(e.msg, in_dir("none")));
    Err d = {0};
    assert_false(io_read(&arena, dir, 10, &got, &d));
    assert_int_equal(d.code, ERR_IO);
}

static void test_only_regular_files_are_read_as_files(void **state) {
    (void)state;
    Str got;
    Err e = {0};
    assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
    assert_false(io_read_file(&arena, in_dir("pipe"), 10, &got, &e)); // and does not wait for a writer
    assert_int_equal(e.code, ERR_IO);
    assert_non_null(strstr(e.msg, "not a regular file"));
    assert_int_equal(unlink(in_dir("pipe")), 0);
    Err d = {0};
    assert_false(io_read_file(&arena, "/dev/null", 10, &got, &d));
    assert_int_equal(d.code, ERR_IO);
    Err f = {0};
    assert_false(io_read_file(&arena, dir, 10, &got, &f));
    assert_int_equal(f.code, ERR_IO);
    Err none = {0};
    assert_true(io_write_atomic(in_dir("f"), STR("text"), &none));
    assert_true(io_read_file(&arena, in_dir("f"), 10, &got, &none));
    assert_true(str_is(got, "text"));
}

// Runs `body` with standard input fed from `n` bytes through a pipe.
static bool read_piped(size_t n, size_t max, Str *got, Err *e) {
    int fd[2], old = dup(0);
    assert_int_equal(pipe(fd), 0);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(fd[0]);
        signal(SIGPIPE, SIG_DFL);
        for (size_t i = 0; i < n; i++) {
            char c = (char)(i * 31 >> 3);
            if (write(fd[1], &c, 1) != 1) _exit(1);
        }
        _exit(0);
    }
    close(fd[1]);
    dup2(fd[0], 0);
    close(fd[0]);
    bool ok = io_read(&arena, "-", max, got, e);
    dup2(old, 0);
    close(old);
    waitpid(pid, NULL, 0);
    return ok;
}

static void test_standard_input(void **state) {
    (void)state;
    Str got;
    Err e = {0};
    assert_true(read_piped(150000, 150000, &got, &e)); // longer than the first buffer
    assert_int_equal(got.len, 150000);
    for (size_t i = 0; i < got.len; i++)
        if (got.p[i] != (char)(i * 31 >> 3)) fail_msg("byte %zu", i);
    assert_false(read_piped(1001, 1000, &got, &e));
    assert_int_equal(e.code, ERR_LIMIT);
}

static void test_write_keeps_mode_and_links(void **state) {
    (void)state;
    Err e = {0};
    struct stat st;
    char *f = in_dir("f"), *link = in_dir("link");
    mode_t mask = umask(027);
    assert_true(io_write_atomic(f, STR("one"), &e));
    assert_int_equal(stat(f, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_int_equal(chmod(f, 0777), 0);
    assert_int_equal(symlink("f", link), 0);
    assert_true(io_write_atomic(link, STR("two"), &e));
    umask(mask);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(f, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0777);
    Str got;
    assert_true(io_read(&arena, f, 100, &got, &e));
    assert_true(str_is(got, "two"));
    assert_int_equal(entries(), 2);
}

static void test_write_failures_leave_nothing(void **state) {
    (void)state;
    Err e = {0};
    assert_false(io_write_atomic(in_dir("no/such/f"), STR("x"), &e));
    assert_int_equal(e.code, ERR_IO);
    Err d = {0};
    assert_false(io_write_atomic(dir, STR("x"), &d));
    assert_int_equal(d.code, ERR_IO);
    Err l = {0};
    char wide[PATH_MAX + 10];
    memset(wide, 'a', sizeof wide - 1);
    wide[sizeof wide - 1] = 0;
    assert_false(io_write_atomic(wide, STR("x"), &l));
    assert_int_equal(entries(), 0);
}

static void test_pipes_are_written_not_replaced(void **state) {
    (void)state;
    char *fifo = in_dir("fifo"), got[8] = {0};
    assert_int_equal(mkfifo(fifo, 0600), 0);
    int fd = open(fifo, O_RDWR | O_NONBLOCK);
    Err e = {0};
    assert_true(io_write_atomic(fifo, STR("hello"), &e));
    assert_int_equal(read(fd, got, sizeof got), 5);
    assert_string_equal(got, "hello");
    close(fd);
}

static void test_a_full_disk_is_an_error(void **state) {
    (void)state;
    int fd = open("/dev/full", O_WRONLY);
    if (fd < 0) skip();
    Err e = {0};
    assert_false(io_write_all(fd, "x", 1, &e));
    assert_int_equal(e.code, ERR_IO);
    assert_non_null(strstr(e.msg, strerror(ENOSPC)));
    close(fd);
}

static void test_make_dirs(void **state) {
    (void)state;
    Err e = {0};
    struct stat st;
    char *deep = in_dir("a/b//c/");
    assert_true(io_make_dirs(deep, &e));
    assert_true(io_make_dirs(deep, &e)); // again is fine
    assert_int_equal(stat(in_dir("a/b/c"), &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_true(io_make_dirs("/", &e) && io_make_dirs(".", &e));
    assert_true(io_write_atomic(in_dir("file"), STR(""), &e));
    assert_false(io_make_dirs(in_dir("file/x"), &e));
    assert_int_equal(e.code, ERR_IO);
    Err f = {0}, n = {0};
    assert_false(io_make_dirs(in_dir("file"), &f)); // exists, but is no folder
    assert_false(io_make_dirs("", &n));
}

// A process that was forked while a file was mapped for writing holds it a little longer.
static void test_sealing_waits(void **state) {
    (void)state;
    enum { BYTES = 4096 };
    Err e = {0};
    int fd = memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(fd, BYTES), 0);
    char *map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(map != MAP_FAILED);
    pid_t child = fork();
    if (child == 0) {
        usleep(100000);
        _exit(0); // and its copy of the mapping goes
    }
    munmap(map, BYTES);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    assert_int_equal(errno, EBUSY);
    assert_true(io_seal(fd, "file", &e));
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(write(fd, "x", 1), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(ftruncate(fd, 0), -1);
    close(fd);
    // What can never be sealed is no matter of waiting.
    fd = memfd_create("open", MFD_CLOEXEC);
    assert_false(io_seal(fd, "file", &e));
    assert_non_null(strstr(e.msg, "file: cannot be sealed: Operation not permitted"));
    close(fd);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_written_is_read),
        TEST(test_read_failures_name_the_path),
        TEST(test_only_regular_files_are_read_as_files),
        TEST(test_standard_input),
        TEST(test_write_keeps_mode_and_links),
        TEST(test_write_failures_leave_nothing),
        TEST(test_pipes_are_written_not_replaced),
        TEST(test_a_full_disk_is_an_error),
        TEST(test_make_dirs),
        cmocka_unit_test(test_sealing_waits),
    };
    return cmocka_run_group_tests_name("io", tests, NULL, NULL);
}
