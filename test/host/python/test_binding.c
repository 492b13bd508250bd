// Whose weights are whose: by name, by order, by shapes that only one has; all or none.
#include "host/support.h"

#include "host/python/binding.h"

static Arena arena;
static int arena_teardown(void **state) {
    (void)state;
    arena_free(&arena);
    arena = (Arena){0};
    return 0;
}

#define SLOT(n, ...)                                                                            \
    {                                                                                           \
        STR_INIT(n), (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), { __VA_ARGS__ } \
    }
static const ModuleSlot model[] = {SLOT("conv.weight", 8, 4, 3, 3), SLOT("conv.bias", 8), SLOT("scale", 8),
                                   SLOT("fc.weight", 5, 8)};

static ModuleBinding bound_to(const ModuleSlot *other, int n) {
    return module_bind(&arena, (ModuleSlots){model, 4}, (ModuleSlots){other, n});
}

static void by_name_whatever_the_order(void **state) {
    (void)state;
    const ModuleSlot other[] = {model[3], model[2], model[1], model[0]};
    ModuleBinding b = bound_to(other, 4);
    assert_int_equal(b.how, BIND_NAME);
    for (int i = 0; i < 4; i++) assert_int_equal(b.of[i], 3 - i);
}

// Two of one shape under other names: only their order tells them apart.
static void by_order(void **state) {
    (void)state;
    const ModuleSlot other[] = {SLOT("weight", 8, 4, 3, 3), SLOT("b1", 8), SLOT("b2", 8), SLOT("w", 5, 8)};
    ModuleBinding b = bound_to(other, 4);
    assert_int_equal(b.how, BIND_ORDER);
    for (int i = 0; i < 4; i++) assert_int_equal(b.of[i], i);
    // A name of Model's with another shape is no name of Model's.
    const ModuleSlot shifted[] = {SLOT("weight", 8, 4, 3, 3), SLOT("fc.weight", 8), SLOT("b", 8),
                                  SLOT("w", 5, 8)};
    assert_int_equal(bound_to(shifted, 4).how, BIND_ORDER);
}

static void by_shape(void **state) {
    (void)state;
    static const ModuleSlot three[] = {SLOT("a", 2), SLOT("b", 3), SLOT("c", 4, 5)},
                            other[] = {SLOT("x", 4, 5), SLOT("y", 2), SLOT("z", 3)};
    ModuleBinding b = module_bind(&arena, (ModuleSlots){three, 3}, (ModuleSlots){other, 3});
    assert_int_equal(b.how, BIND_SHAPE);
    assert_true(b.of[0] == 2 && b.of[1] == 0 && b.of[2] == 1);
}

static void all_or_none(void **state) {
    (void)state;
    const ModuleSlot twice[] = {SLOT("w", 5, 8), SLOT("b1", 8), SLOT("b2", 8), SLOT("k", 8, 4, 3, 3)};
    ModuleBinding b = bound_to(twice, 4); // which of the two is the bias nobody knows
    assert_true(b.how == BIND_NONE && b.wrong == 0);
    const ModuleSlot transposed[] = {model[0], model[1], model[2], SLOT("fc.weight", 8, 5)};
    b = bound_to(transposed, 4);
    assert_true(b.how == BIND_NONE && b.wrong == 3);
    b = bound_to(model + 1, 3); // fewer: by names alone
    assert_true(b.how == BIND_NAME && b.of[0] == 1 && b.of[2] == 3);
    const ModuleSlot renamed[] = {model[0], SLOT("b", 8)};
    b = bound_to(renamed, 2);
    assert_true(b.how == BIND_NONE && b.wrong == -1);
    const ModuleSlot more[] = {model[0], model[1], model[2], model[3], SLOT("own", 2)};
    b = bound_to(more, 5);
    assert_true(b.how == BIND_NONE && b.wrong == 4);
    const ModuleSlot same_name[] = {model[0], model[1], model[1], model[3]};
    b = bound_to(same_name, 4); // one of Model's would be given twice: the order decides
    assert_int_equal(b.how, BIND_ORDER);
    b = module_bind(&arena, (ModuleSlots){0}, (ModuleSlots){0});
    assert_int_equal(b.how, BIND_NAME);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(by_name_whatever_the_order, arena_teardown),
        cmocka_unit_test_teardown(by_order, arena_teardown),
        cmocka_unit_test_teardown(by_shape, arena_teardown),
        cmocka_unit_test_teardown(all_or_none, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
