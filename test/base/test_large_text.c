// The code moves once; what runs goes on, and the environment can forbid it.
#include "base/large_text.h"
#include "base/str.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// What /proc/self/maps says about the place of this function: '/' a file, 'a' anonymous, '?' nothing.
static char behind_code(void) {
    FILE *f = fopen("/proc/self/maps", "re");
    uintptr_t here = (uintptr_t)&behind_code, from, to;
    char line[512], what = '?';
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from <= here && here < to)
            what = strchr(line, '/') ? '/' : 'a';
    fclose(f);
    return what;
}

// In a child, so that the other tests find the code where it was: 'm' moved, 's' stayed, anything else is
// neither.
static char in_child(const char *wish) {
    pid_t pid = fork();
    if (pid == 0) {
        if (wish) setenv("OUROBOROS_TEXT", wish, 1);
        char before = behind_code();
        bool moved = large_text();
        int length = snprintf(NULL, 0, "%d", 12345); // through the table of libraries, too
        if (length != 5) _exit('l');
        if (moved) _exit(behind_code() == 'a' ? 'm' : '?');
        _exit(behind_code() == before ? 's' : '?');
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return (char)WEXITSTATUS(status);
}

// Only sanitizers and valgrind may stand in the way.
#ifdef NDEBUG
enum { WANTED = 'm' };
#else
enum { WANTED = 's' };
#endif

static void test_moves(void **state) {
    (void)state;
    char plain = in_child(NULL), odd = in_child("elsewhere");
    assert_int_equal(behind_code(), '/');
    assert_true(plain == 'm' || plain == WANTED);
    assert_int_equal(odd, plain);
}

static void test_stays(void **state) {
    (void)state;
    assert_int_equal(in_child("file"), 's');
}

// What lies behind the code is taken by then.
static void test_twice(void **state) {
    (void)state;
    bool moved = large_text();
    assert_int_equal(behind_code(), moved ? 'a' : '/');
    assert_true(!moved || in_child(NULL) == 's');
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moves), cmocka_unit_test(test_stays),
                                       cmocka_unit_test(test_twice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
