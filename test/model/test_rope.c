// Rotary positions: frequencies by their formula, slowed down as llama3 says, divided by what a file carries.
#include "model/rope.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { DIM = 64, HALF = DIM / 2 };

static void close_to(float got, double want) {
    if (!(fabs((double)got - want) <= 1e-6 * fabs(want))) fail_msg("%g, not %g", (double)got, want);
}

static void frequencies_fall(void **state) {
    (void)state;
    Checkpoint c = {.config = {.head_dim = DIM, .rope_theta = 10000}};
    float f[HALF];
    rope_frequencies(&c, f);
    assert_true(f[0] == 1);
    for (int i = 0; i < HALF; i++) close_to(f[i], pow(10000, -2.0 * i / DIM));
    float divisor[HALF];
    for (int i = 0; i < HALF; i++) divisor[i] = (float)(1 + i);
    c.rope_divisor = divisor;
    rope_frequencies(&c, f);
    for (int i = 0; i < HALF; i++) close_to(f[i], pow(10000, -2.0 * i / DIM) / (1 + i));
}

// Short waves stay, long ones are slowed down by the factor, those between lie between.
static void llama3_slows_long_waves(void **state) {
    (void)state;
    Checkpoint plain = {.config = {.head_dim = DIM, .rope_theta = 500000}}, c = plain;
    c.config.llama3_rope = true;
    c.config.rope_factor = 8, c.config.rope_low = 1, c.config.rope_high = 4, c.config.rope_original = 8192;
    float f[HALF], g[HALF];
    rope_frequencies(&plain, f);
    rope_frequencies(&c, g);
    int kept = 0, slowed = 0, between = 0;
    for (int i = 0; i < HALF; i++) {
        double wave = 2 * 3.14159265358979 / (double)f[i];
        if (wave < 8192 / 4.0)
            close_to(g[i], (double)f[i]), kept++;
        else if (wave > 8192)
            close_to(g[i], (double)f[i] / 8), slowed++;
        else
            assert_true(g[i] < f[i] && g[i] > f[i] / 8), between++;
    }
    assert_true(kept > 5 && slowed > 5 && between > 0);
}

static void angles_turn(void **state) {
    (void)state;
    const float f[2] = {1, 0.25f};
    float c[2], s[2];
    rope_angles(f, 2, 0, c, s);
    assert_true(c[0] == 1 && c[1] == 1 && s[0] == 0 && s[1] == 0);
    rope_angles(f, 2, 3, c, s);
    close_to(c[0], cos(3)), close_to(s[0], sin(3));
    close_to(c[1], cos(0.75)), close_to(s[1], sin(0.75));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies_fall),
        cmocka_unit_test(llama3_slows_long_waves),
        cmocka_unit_test(angles_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
