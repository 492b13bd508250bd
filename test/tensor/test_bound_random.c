// Random numbers of a seed: those of Philox's published vectors, found at their places.
#include "tensor/bounds.h"

static float uniform_of(uint32_t word) {
    int32_t bits = (int32_t)word;
    return (float)(bits < 0 ? -(bits + 1) : bits) * 4.6566127342e-10F;
}

// First words of Random123's kat_vectors (philox4x32 10) whose counter and key fit a place and a seed.
static void known_numbers(void **state) {
    (void)state;
    double zero[1] = {0};
    const Bound *r = OP(RAND, INPUT(DT_I64, zero, 1), INPUT(DT_I32, zero, 1));
    assert_true(r->dtype == DT_F32 && r->rank == 1 && r->numel == 1 && !r->e);
    assert_true(r->v[0] == (double)uniform_of(0x6627e8d5));
    static const uint32_t words[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    for (int i = 0; i < 4; i++)
        assert_true(OPA(RAND, ATTRS(i), INPUT(DT_I64, zero, 1), INPUT(DT_I32, zero, 1))->v[0] ==
                    (double)uniform_of(words[i]));
    assert_true(r->v[0] > 0.79 && r->v[0] < 0.80); // 1713891541 / 2^31
}

static void each_place_has_its_own(void **state) {
    (void)state;
    double seeds[2] = {5, 6}, places[6] = {0, 1, 2, 3, 0, 0x1p40}, sum = 0;
    const Bound *r = OP(RAND, INPUT(DT_I64, seeds, 2, 1), INPUT(DT_I64, places, 6));
    assert_true(r->rank == 2 && r->shape[0] == 2 && r->shape[1] == 6);
    for (int i = 0; i < 12; i++) {
        Philox4 counter = {
            {(uint32_t)(uint64_t)places[i % 6], (uint32_t)((uint64_t)places[i % 6] >> 32), 0, 0}};
        assert_true(r->v[i] == (double)uniform_of(philox4x32(counter, (uint32_t)seeds[i / 6], 0).v[0]));
        assert_true(r->v[i] >= 0 && r->v[i] < 1);
        sum += r->v[i];
    }
    assert_true(r->v[0] == r->v[4] && r->v[0] != r->v[5] && r->v[0] != r->v[6] && sum > 2 && sum < 10);
}

static void what_it_refuses(void **state) {
    (void)state;
    double x[3] = {0, 1, 2}, far[1] = {0x1p60}, half[1] = {0.5};
    REFUSED(RAND, no_attrs, INPUT(DT_F32, half, 1), INPUT(DT_I64, x, 3));
    REFUSED(RAND, no_attrs, INPUT(DT_I64, x, 3), INPUT(DT_BOOL, x, 3));
    REFUSED(RAND, no_attrs, INPUT(DT_I64, x, 3), INPUT(DT_I64, x, 2));
    REFUSED(RAND, ATTRS(4), INPUT(DT_I64, x, 3), INPUT(DT_I64, x, 3));
    REFUSED(RAND, ATTRS(-1), INPUT(DT_I64, x, 3), INPUT(DT_I64, x, 3));
    REFUSED(RAND, no_attrs, INPUT(DT_I64, far, 1), INPUT(DT_I64, x, 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers),
        cmocka_unit_test(each_place_has_its_own),
        cmocka_unit_test(what_it_refuses),
    };
    return cmocka_run_group_tests(tests, oracle_setup, oracle_teardown);
}
