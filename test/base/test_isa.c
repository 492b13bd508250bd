// The instruction set that vector loops use: the machine's best, which the environment lowers and never
// raises.
#include "base/isa.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// It is chosen once a process: asked in one of its own.
static IsaLevel chosen_with(const char *wish) {
    pid_t child = fork();
    if (child == 0) {
        if (wish)
            setenv("OUROBOROS_ISA", wish, 1);
        else
            unsetenv("OUROBOROS_ISA");
        IsaLevel first = isa_level();
        setenv("OUROBOROS_ISA", "base", 1); // too late
        _exit(isa_level() == first ? (int)first : 99);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) < ISA_COUNT);
    return (IsaLevel)WEXITSTATUS(status);
}

static void the_environment_lowers_it(void **state) {
    (void)state;
    IsaLevel best = chosen_with(NULL);
    assert_int_equal(chosen_with("base"), ISA_BASE);
    assert_int_equal(chosen_with("avx2"), best < ISA_AVX2 ? best : ISA_AVX2);
    assert_int_equal(chosen_with("avx512"), best);
    assert_int_equal(chosen_with("nonsense"), best);
    assert_int_equal(chosen_with(""), best);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_environment_lowers_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
