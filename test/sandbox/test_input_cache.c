// The fork server's own copies of inputs: what they hold, which of them goes, and what a child keeps of them.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "sandbox/input_cache.h"
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 3000000 };

static int file_of(uint8_t first) {
    int fd = memfd_create("draw", MFD_CLOEXEC);
    assert_true(fd >= 0 && ftruncate(fd, BYTES) == 0);
    uint8_t *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(p != MAP_FAILED);
    for (int i = 0; i < BYTES; i++) p[i] = (uint8_t)(first + i % 251);
    munmap(p, BYTES);
    return fd;
}

static bool holds(const uint8_t *p, uint8_t first) {
    for (int i = 0; i < BYTES; i++)
        if (p[i] != (uint8_t)(first + i % 251)) return false;
    return true;
}

static void keeps_the_two_used_last(void **state) {
    (void)state;
    InputCache k = {0};
    int one = file_of(1), two = file_of(2), three = file_of(3);
    const uint8_t *a = input_cache_get(&k, 11, one, BYTES), *b = input_cache_get(&k, 12, two, BYTES);
    assert_non_null(a);
    assert_non_null(b);
    assert_true(holds(a, 1) && holds(b, 2));
    // Without a look at the file, which is why a key must have one content.
    assert_ptr_equal(input_cache_get(&k, 11, -1, BYTES), a);
    const uint8_t *c = input_cache_get(&k, 13, three, BYTES);
    assert_non_null(c);
    assert_true(holds(c, 3) && holds(a, 1));
    assert_ptr_equal(input_cache_get(&k, 11, -1, BYTES), a);
    assert_null(input_cache_get(&k, 12, -1, BYTES)); // it had to go, and there is no file
    input_cache_forget(&k, NULL);
    close(one), close(two), close(three);
}

static void refuses_what_it_cannot_keep(void **state) {
    (void)state;
    InputCache k = {0};
    int fd = file_of(1);
    assert_null(input_cache_get(&k, 0, fd, BYTES)); // used once
    assert_null(input_cache_get(&k, 1, fd, 0));
    assert_null(input_cache_get(&k, 2, fd, BYTES + 1)); // the file is shorter
    assert_null(input_cache_get(&k, 3, fd, (size_t)1 << 40));
    assert_non_null(input_cache_get(&k, 4, fd, BYTES));
    assert_null(input_cache_get(&k, 4, fd, (size_t)60 << 20)); // not what the key stands for
    assert_null(input_cache_get(&k, 4, fd, BYTES - 1)); // a smaller draw under a key that is not its own
    input_cache_forget(&k, NULL);
    close(fd);
}

// How a child ends that does this to a copy.
static int ending(InputCache *k, const uint8_t *own, const uint8_t *p, bool write_it) {
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL);
        input_cache_forget(k, own);
        if (!holds(own, 1)) _exit(9);
        if (write_it) *(volatile uint8_t *)(uintptr_t)p = 1;
        _exit(*(const volatile uint8_t *)p);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void a_child_reads_its_own_and_nothing_else(void **state) {
    (void)state;
    InputCache k = {0};
    int one = file_of(1), two = file_of(2);
    const uint8_t *a = input_cache_get(&k, 1, one, BYTES), *b = input_cache_get(&k, 2, two, BYTES);
    int read_own = ending(&k, a, a, false);
    assert_true(WIFEXITED(read_own) && WEXITSTATUS(read_own) == 1);
    int wrote = ending(&k, a, a, true), other = ending(&k, a, b, false);
    assert_true(WIFSIGNALED(wrote) && WTERMSIG(wrote) == SIGSEGV);
    assert_true(WIFSIGNALED(other) && WTERMSIG(other) == SIGSEGV);
    assert_true(holds(a, 1) && holds(b, 2));
    input_cache_forget(&k, NULL);
    close(one), close(two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_two_used_last),
        cmocka_unit_test(refuses_what_it_cannot_keep),
        cmocka_unit_test(a_child_reads_its_own_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
