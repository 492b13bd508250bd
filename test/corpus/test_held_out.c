// What is held out, and that nothing else is.
#include "corpus/held_out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static int dtype_named(const char *name) {
    for (int i = 0; i < DT_COUNT; i++)
        if (strcmp(dtype_info[i].torch, name) == 0) return i;
    return -1;
}

// With an optional dtype that the program is judged on alone.
static const char *held(const HeldOutList *list, const char *op, const char *dtype, const char *schedule) {
    Arena a = {0};
    Op found;
    assert_true(op_find(&a, str_of(op), &found));
    DrawFilter f = {.dtype = dtype ? dtype_named(dtype) : -1};
    const HeldOut *h = held_out_by(list, &found, &f, str_of(schedule));
    arena_free(&a);
    return h ? h->text.p : NULL;
}

static void the_built_in_list(void **state) {
    (void)state;
    Arena a = {0};
    HeldOutList list;
    Err e = {0};
    if (!held_out_read(&a, NULL, &list, &e)) fail_msg("%s", e.msg);
    int of[3] = {0};
    for (int i = 0; i < list.n; i++) of[list.at[i].kind]++;
    assert_true(of[HELD_EPILOGUE] == 2 && of[HELD_SCHEDULE] == 1 && of[HELD_CHAIN] >= 8);
    assert_non_null(held(&list, "rmsnorm_mish", NULL, ""));
    assert_non_null(held(&list, "add_layernorm_relu_mish", NULL, ""));
    assert_non_null(held(&list, "softmax", NULL, "split row, 2 kernels, block 512"));
    assert_null(held(&list, "softmax", NULL, "looped, 3 passes, block 512"));
    assert_non_null(held(&list, "add_rmsnorm_silu", NULL, ""));
    assert_non_null(held(&list, "add_rmsnorm_silu_short", NULL, "")); // a variant is the op
    assert_null(held(&list, "rmsnorm_silu", NULL, ""));
    assert_null(held(&list, "add_layernorm_silu", NULL, ""));
    assert_non_null(held(&list, "add_layernorm", NULL, ""));
    assert_null(held(&list, "layernorm", NULL, ""));
    // Held out in one dtype: right in all of them shows it, right in another one does not.
    assert_non_null(held(&list, "layernorm_elu", NULL, ""));
    assert_non_null(held(&list, "layernorm_elu", "float16", ""));
    assert_null(held(&list, "layernorm_elu", "bfloat16", ""));
    arena_free(&a);
}

static void a_list_of_ones_own(void **state) {
    (void)state;
    static const char *const bad[] = {"epilogue nothing",
                                      "chain rmsnorm add",
                                      "chain softmax - - *",
                                      "chain rmsnorm maybe silu *",
                                      "chain rmsnorm - silu float8",
                                      "schedule",
                                      "something else",
                                      "chain rmsnorm - silu * more"};
    char path[] = "/tmp/held-out-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i <= sizeof bad / sizeof *bad; i++) {
        FILE *f = fopen(path, "w");
        fprintf(f, "# a comment\n\nepilogue silu\n%s\n", i ? bad[i - 1] : "schedule flat");
        fclose(f);
        Arena a = {0};
        HeldOutList list;
        Err e = {0};
        bool ok = held_out_read(&a, path, &list, &e);
        if (ok != (i == 0)) fail_msg("%s", i ? bad[i - 1] : e.msg);
        if (i) assert_non_null(strstr(e.msg, ":4: "));
        if (!i) assert_int_equal(list.n, 2);
        arena_free(&a);
    }
    close(fd);
    unlink(path);
}

static void structures_stay_together(void **state) {
    (void)state;
    int validation = 0;
    for (int i = 0; i < 2000; i++) {
        StoredProgram p = {.skeleton = sha256_of((Str){(const char *)&i, sizeof i})}, q = p;
        q.op = STR("another");
        q.canonical = p.skeleton;
        assert_true(split_of(&p, 0.1) == split_of(&q, 0.1));
        validation += split_of(&p, 0.1) == SPLIT_VALIDATION;
        assert_true(split_of(&p, 0) == SPLIT_TRAIN);
    }
    assert_in_range(validation, 140, 260);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_built_in_list),
                                       cmocka_unit_test(a_list_of_ones_own),
                                       cmocka_unit_test(structures_stay_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
