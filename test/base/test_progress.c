// The progress line, which only a terminal sees.
#include "base/progress.h"
#include "base/str.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

// What a short progress writes to `fd` as standard error.
static size_t progress_output(int fd, int from, char *out, size_t room) {
    int old = dup(2);
    dup2(fd, 2);
    Progress p;
    progress_start(&p, "judging", 3);
    progress_step(&p, 3, "case 3");
    progress_end(&p);
    dup2(old, 2);
    close(old);
    // A terminal hands on what it was given when it likes: up to a mark, in as many pieces.
    size_t n = 0;
    assert_int_equal(write(fd, "|", 1), 1);
    for (ssize_t got; n < room - 1 && (n == 0 || out[n - 1] != '|'); n += (size_t)got) {
        got = read(from, out + n, room - 1 - n);
        assert_true(got > 0);
    }
    out[--n] = 0;
    return n;
}

static void test_progress_is_for_terminals(void **state) {
    (void)state;
    char out[512];
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    assert_int_equal(progress_output(fd[1], fd[0], out, sizeof out), 0);
    close(fd[0]);
    close(fd[1]);
    int pty = posix_openpt(O_RDWR | O_NOCTTY);
    if (pty < 0 || grantpt(pty) != 0 || unlockpt(pty) != 0) skip();
    int tty = open(ptsname(pty), O_RDWR | O_NOCTTY);
    assert_true(tty >= 0);
    assert_true(progress_output(tty, pty, out, sizeof out) > 0);
    assert_non_null(strstr(out, "judging 3/3  case 3"));
    assert_true(str_ends(str_of(out), "\r\033[K"));
    close(tty);
    close(pty);
}

static char text[40];
static const char *rate(size_t done, size_t total, double seconds) {
    progress_rate(text, sizeof text, done, total, seconds);
    return text;
}

static void test_rate_and_eta(void **state) {
    (void)state;
    assert_string_equal(rate(0, 100, 5), "");    // nothing is known
    assert_string_equal(rate(50, 100, 0.5), ""); // nor in the first second
    assert_string_equal(rate(50, 100, 5), "  10/s  ETA 0:05");
    assert_string_equal(rate(1, 3, 2), "  0.5/s  ETA 0:04");
    assert_string_equal(rate(100, 100, 5), "  20/s"); // done: nothing to wait for
    assert_string_equal(rate(1, 11, 600), "  0.1/min  ETA 1:40:00");
    assert_string_equal(rate(5000000, 10000000, 10), "  500k/s  ETA 0:10");
}

static void test_long_waits_fit(void **state) {
    (void)state;
    assert_string_equal(rate(1, SIZE_MAX, 1e9), "  0.0/min"); // an ETA in ages is none
    char small[8];
    progress_rate(small, sizeof small, 50, 100, 5);
    assert_string_equal(small, "  10/s "); // cut, not beyond
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_progress_is_for_terminals),
        cmocka_unit_test(test_rate_and_eta),
        cmocka_unit_test(test_long_waits_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
