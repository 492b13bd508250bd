// Adapters beside a base: each part at its place, and none that does not fit.
#include "model/lora.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/golden.h"

static void parts_are_found_by_layer_and_role(void **state) {
    (void)state;
    Golden g = golden_open(GOLDEN[0], 1);
    const Checkpoint *base = g.checkpoint;
    const Adapter *ad = g.adapter;
    Arena a = {0};
    Err e = {0};
    assert_true(ad->count > 0);
    const LoraPart **part = NEWN(&a, const LoraPart *, (size_t)base->config.layers *ROLE_COUNT);
    part[0] = &ad->part[0]; // is cleared
    if (!lora_index(ad, base, part, &e)) fail_msg("%s", e.msg);
    int found = 0;
    for (int i = 0; i < base->config.layers * ROLE_COUNT; i++) {
        if (!part[i]) continue;
        found++;
        assert_int_equal(part[i]->layer * ROLE_COUNT + (int)part[i]->role, i);
        Weight in = lora_inner(part[i]), out = lora_outer(part[i]);
        assert_true(in.rows == part[i]->rank && in.cols == part[i]->in &&
                    in.data == (const void *)part[i]->a);
        assert_true(out.rows == part[i]->out && out.cols == part[i]->rank &&
                    out.data == (const void *)part[i]->b);
    }
    assert_int_equal(found, ad->count);
    // One that fits nowhere.
    for (int wrong = 0; wrong < 5; wrong++) {
        LoraPart p = ad->part[0];
        Adapter other = {.path = "other", .part = &p, .count = 1};
        if (wrong == 0) p.layer = base->config.layers;
        if (wrong == 1) p.layer = -1;
        if (wrong == 2) p.rank = 0;
        if (wrong == 3) p.in++;
        if (wrong == 4) p.role = ROLE_HEAD;
        Err why = {0};
        assert_false(lora_index(&other, base, part, &why));
        assert_int_equal(why.code, ERR_INPUT);
        assert_non_null(strstr(why.msg, "adapter other: part 0"));
    }
    arena_free(&a);
    golden_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_found_by_layer_and_role)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
