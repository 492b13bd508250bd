// Calls of rows of api.def: arguments are bound to the row's signature by Python's rules, defaults filled in.
#include "host/python/api.h"
#include "host/world.h"

static void test_signatures(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "assert torch.empty(2, 3).shape == torch.empty((2, 3)).shape == torch.empty(size=(2, 3)).shape",
        "assert x.transpose(0, 1).shape == x.transpose(dim0=0, dim1=1).shape == (8, 4)",
        "assert x.flatten().shape == x.flatten(0).shape == x.flatten(start_dim=0, end_dim=-1).shape == (32,)",
        "assert torch.transpose(x, 0, 1).shape == torch.transpose(input=x, dim0=0, dim1=1).shape",
        "assert sorted([2, 1], reverse=True) == [2, 1] and max(1, 2, 3) == 3",
    };
    EXPECT_OK(bodies);
}

static void test_wrong_arguments(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_HOST, "unexpected keyword argument", "y = x.transpose(0, 1, dim=2)"},
        {DIAG_HOST, "missing", "y = x.transpose(0)"},
        {DIAG_HOST, "argument", "y = x.transpose(0, 1, 2)"},
        {DIAG_HOST, "multiple values", "y = x.transpose(0, 1, dim0=1)"},
        {DIAG_HOST, "missing", "y = len()"},
        {DIAG_HOST, "argument", "y = len([1], [2])"},
    };
    EXPECT_FAILURES(cases);
}

static bool has(Value v, const char *member, bool candidate) {
    return api_member(str_of(member), v, candidate) != NULL;
}

// A member belongs to a kind of value and to a privilege.
static void test_members(void **state) {
    (void)state;
    Value text = value_str(STR("a")), number = value_int(1), flag = value_bool(true);
    assert_true(has(text, "upper", true) && !has(number, "upper", true));
    assert_true(has(number, "bit_length", true) && !has(text, "bit_length", true));
    assert_false(has(flag, "upper", true));
    assert_false(has(text, "nowhere", true));
    for (int i = 0; i < api_count; i++)
        assert_true(api_rows[i].names && *api_rows[i].names && *api_rows[i].doc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_wrong_arguments),
        cmocka_unit_test(test_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
