// Sealed files: others read what this process has written, cannot change it, and find nothing of what was
// there before.
#include "base/sealed.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { BYTES = 300000, PAGE = 4096 };

static Sealed taken(size_t bytes, int value) {
    Sealed s;
    Err e = {0};
    assert_true(sealed_take(bytes, "test", &s, &e));
    memset(s.map, value, bytes);
    assert_true(sealed_close(&s, "test", &e));
    return s;
}

static void test_others_only_read(void **state) {
    (void)state;
    Sealed s = taken(BYTES, 7);
    assert_int_equal(write(s.fd, "x", 1), -1);
    assert_int_equal(errno, EPERM);
    assert_true(mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s.fd, 0) == MAP_FAILED);
    assert_int_equal(ftruncate(s.fd, 0), -1);
    assert_int_equal(ftruncate(s.fd, (off_t)BYTES * 4), -1);
    assert_int_equal(fcntl(s.fd, F_ADD_SEALS, F_SEAL_WRITE), -1); // and no seals more
    const uint8_t *p = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, s.fd, 0);
    assert_true(p != MAP_FAILED);
    assert_memory_equal(p, s.map, BYTES);
    munmap((void *)(uintptr_t)p, BYTES);
    sealed_give(&s);
    assert_int_equal(s.fd, -1);
    sealed_give(&s); // nothing to give
}

// Whether a process that is forked now has a page there.
static bool forks_get(const uint8_t *p) {
    pid_t pid = fork();
    if (pid == 0) {
        unsigned char in;
        _exit(mincore((void *)(uintptr_t)p, PAGE, &in) == 0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

// One that was forked while files are written, used or idle would have a way to write to them.
static void test_forks_get_none(void **state) {
    (void)state;
    Sealed s;
    Err e = {0};
    assert_true(sealed_take(BYTES, "test", &s, &e));
    uint8_t *map = s.map, *other = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(other != MAP_FAILED);
    assert_true(forks_get(other));
    assert_false(forks_get(map));
    assert_true(sealed_close(&s, "test", &e));
    if (s.map != map) skip(); // a system without that seal: private, and read only
    assert_false(forks_get(map));
    sealed_give(&s);
    assert_false(forks_get(map));
    munmap(other, PAGE);
}

static bool all_zero(const uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (p[i]) return false;
    return true;
}

static void test_the_next_finds_zeros(void **state) {
    (void)state;
    Sealed s = taken(BYTES, 7);
    ino_t was;
    struct stat st;
    assert_int_equal(fstat(s.fd, &st), 0);
    was = st.st_ino;
    sealed_give(&s);
    const size_t sizes[] = {BYTES / 2, BYTES - PAGE - 1, BYTES};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Err e = {0};
        assert_true(sealed_take(sizes[i], "test", &s, &e));
        assert_int_equal(fstat(s.fd, &st), 0);
        if (st.st_ino != was) skip(); // a system without that seal makes a file each time
        size_t pages = (sizes[i] + PAGE - 1) / PAGE * PAGE;
        assert_true(all_zero(s.map, pages));
        memset(s.map, 9, sizes[i]);
        assert_true(sealed_close(&s, "test", &e));
        assert_int_equal(s.map[sizes[i] - 1], 9);
        sealed_give(&s);
    }
}

static int open_files(void) {
    int n = 0;
    for (int fd = 0; fd < 256; fd++) n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void test_little_is_kept(void **state) {
    (void)state;
    enum { MANY = 40 };
    int before = open_files();
    Sealed s[MANY];
    for (int i = 0; i < MANY; i++) s[i] = taken(BYTES, i);
    for (int i = 0; i < MANY; i++) assert_int_equal(s[i].map[BYTES - 1], i); // each has its own
    for (int i = 0; i < MANY; i++) sealed_give(&s[i]);
    assert_true(open_files() <= before + 32);
    sealed_give_back();
    assert_true(open_files() <= before);
    // One that is far too large serves nobody: its pages would stay for a few bytes.
    s[0] = taken((size_t)64 << 20, 1);
    const void *file = s[0].file;
    sealed_give(&s[0]);
    s[0] = taken(PAGE, 1);
    assert_true(s[0].file != file);
    sealed_give(&s[0]);
    sealed_give_back();
}

// One that is too large to wait does not send away those that do.
static void test_small_ones_stay_beside_a_large_one(void **state) {
    (void)state;
    Sealed small = taken(BYTES, 1), large = taken((size_t)200 << 20, 2);
    struct stat st;
    assert_int_equal(fstat(small.fd, &st), 0);
    ino_t was = st.st_ino;
    sealed_give(&small);
    sealed_give(&large);
    small = taken(BYTES, 3);
    assert_int_equal(fstat(small.fd, &st), 0);
    if (st.st_ino != was) {
        sealed_give(&small);
        Sealed again = taken(BYTES, 4); // a system without that seal makes a file each time
        struct stat other;
        assert_int_equal(fstat(again.fd, &other), 0);
        assert_true(other.st_ino != st.st_ino);
        sealed_give(&again);
        skip();
    }
    sealed_give(&small);
    sealed_give_back();
}

// Of two that were given back, the one that was out when somebody did not end is not kept.
static void test_doubted_ones_go(void **state) {
    (void)state;
    int before = open_files();
    Sealed s = taken(BYTES, 1), t = taken(BYTES, 2);
    if (!(fcntl(s.fd, F_GET_SEALS) & F_SEAL_FUTURE_WRITE)) skip();
    sealed_give(&s);
    assert_int_equal(open_files(), before + 2);
    sealed_doubt();
    sealed_give(&t);
    assert_int_equal(open_files(), before + 1);
    s = taken(BYTES, 3); // the other, which serves on
    assert_int_equal(open_files(), before + 1);
    sealed_give(&s);
    assert_int_equal(open_files(), before + 1);
    sealed_give_back();
    assert_int_equal(open_files(), before);
}

// Neither one that would serve: it is far too large.
static void test_idle_ones_give_way(void **state) {
    (void)state;
    Sealed s = taken((size_t)64 << 20, 1);
    int last = s.fd;
    sealed_give(&s);
    struct rlimit had, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &had), 0);
    few = had;
    few.rlim_cur = (rlim_t)last + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    int fill[256], fills = 0;
    while (fills < 256 && (fill[fills] = dup(0)) >= 0) fills++;
    Err e = {0};
    bool ok = sealed_take(PAGE, "test", &s, &e);
    Sealed none;
    bool more = sealed_take(PAGE, "test", &none, &e);
    while (fills) close(fill[--fills]);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &had), 0);
    assert_true(ok);
    assert_false(more);
    assert_non_null(strstr(e.msg, "test: cannot map"));
    sealed_give(&s);
    sealed_give_back();
}

static void test_too_large_is_an_error(void **state) {
    (void)state;
    Sealed s;
    Err e = {0};
    assert_false(sealed_take(SIZE_MAX - 5, "inputs", &s, &e));
    assert_int_equal(s.fd, -1);
    assert_non_null(strstr(e.msg, "inputs: "));
    e = (Err){0};
    assert_false(sealed_take((size_t)1 << 62, "inputs", &s, &e));
    assert_non_null(strstr(e.msg, "inputs: cannot map"));
    sealed_give(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_others_only_read),
        cmocka_unit_test(test_forks_get_none),
        cmocka_unit_test(test_the_next_finds_zeros),
        cmocka_unit_test(test_little_is_kept),
        cmocka_unit_test(test_small_ones_stay_beside_a_large_one),
        cmocka_unit_test(test_doubted_ones_go),
        cmocka_unit_test(test_idle_ones_give_way),
        cmocka_unit_test(test_too_large_is_an_error),
    };
    return cmocka_run_group_tests_name("sealed", tests, NULL, NULL);
}
