// Programs that are made for chains.
#include "op/programs.h"

// A made program is the bare norm's gold with an epilogue where its mark stood, under a header of its own.
static void made_programs(void **state) {
    (void)state;
    int gold = -1, wrong = -1;
    for (int i = 0; i < count; i++) {
        if (strcmp(all[i].name, "add_layernorm_mish") == 0) gold = i;
        if (strcmp(all[i].name, "add_layernorm_mish_gate_only") == 0) wrong = i;
    }
    assert_true(gold >= 0 && wrong >= 0);
    assert_true(all[gold].kind == PROGRAM_GOLD && all[wrong].kind == PROGRAM_WRONG);
    const char *text = str_cdup(&arena, all[gold].source), *bad = str_cdup(&arena, all[wrong].source);
    assert_true(str_starts(all[gold].source, "# op: add_layernorm_mish\n# about: softplus with"));
    assert_non_null(strstr(bad, "# expect: incorrect\n"));
    assert_null(strstr(text, "# epilogue"));
    const char *y =
        strstr(text, "\n        y = (h - mean) * scale * w + b\n        s = tl.where(y > 20.0, y,");
    assert_non_null(y);
    assert_non_null(strstr(y, "\n        y = y * (2.0 * tl.sigmoid(2.0 * s) - 1.0)\n        tl.store("));
    assert_string_equal(strstr(text, "def run"), strstr(bad, "def run"));
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) assert_false(str_eq(all[i].source, all[k].source));
}

int main(void) {
    all = op_programs(&arena, &count);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_programs),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
