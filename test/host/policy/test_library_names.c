// The table of operators that a ModelNew may leave to PyTorch: how much each needs, and that each is
// executed.
#include "host/policy/library_names.h"

#include "host/policy/api_names.h"
#include "host/support.h"
#include "module/module.h"
#include <stdio.h>

static void each_needs_what_its_row_says(void **state) {
    (void)state;
    assert_int_equal(library_needs(STR("F.relu")), LIBRARY_LIGHT);
    assert_int_equal(library_needs(STR("nn.MaxPool2d")), LIBRARY_LIGHT);
    assert_int_equal(library_needs(STR("+")), LIBRARY_LIGHT);
    assert_int_equal(library_needs(STR("@")), LIBRARY_ALL);
    assert_int_equal(library_needs(STR("F.conv_transpose3d")), LIBRARY_ALL);
    assert_int_equal(library_needs(STR("torch.compile")), LIBRARY_NONE);
    assert_int_equal(library_needs(STR("")), LIBRARY_NONE);
    assert_int_equal(library_method_needs(STR("mean")), LIBRARY_LIGHT);
    assert_int_equal(library_method_needs(STR("bmm")), LIBRARY_ALL);
    assert_int_equal(library_method_needs(STR("item")), LIBRARY_NONE);
    assert_int_equal(library_method_needs(STR("data_ptr")), LIBRARY_NONE);
    assert_true(library_has(LIBRARY_ALL, LIBRARY_LIGHT) && library_has(LIBRARY_LIGHT, LIBRARY_LIGHT));
    assert_false(library_has(LIBRARY_LIGHT, LIBRARY_ALL) || library_has(LIBRARY_ALL, LIBRARY_NONE));
}

static void levels_have_names(void **state) {
    (void)state;
    LibraryUse use;
    assert_true(library_use_by_name(STR("light"), &use) && use == LIBRARY_LIGHT);
    assert_true(library_use_by_name(STR("none"), &use) && use == LIBRARY_NONE);
    assert_false(library_use_by_name(STR("some"), &use));
}

static LibraryUse allowed_by(const char *facts) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    Node *module = parse_module(&a, STR("x = 1\n"), &d);
    if (facts) module->module.model = parse_module(&a, str_of(facts), &d);
    LibraryUse use = library_allowed(module);
    arena_free(&a);
    return use;
}

static void the_caller_says_how_much(void **state) {
    (void)state;
    assert_int_equal(allowed_by("names = []\nlibrary = 2\n"), LIBRARY_ALL);
    assert_int_equal(allowed_by("library = 1\n"), LIBRARY_LIGHT);
    assert_int_equal(allowed_by("library = 7\n"), LIBRARY_NONE);
    assert_int_equal(allowed_by("library = 'all'\n"), LIBRARY_NONE);
    assert_int_equal(allowed_by("names = []\n"), LIBRARY_NONE);
    assert_int_equal(allowed_by(NULL), LIBRARY_NONE);
}

// Whether the library in Python defines it: "F.pad" as F_pad, ".flip" as Tensor_flip, "nn.ReLU" as nn_ReLU.
static bool is_defined(Arena *a, const Node *library, Str name) {
    char *text = arena_printf(a, "%s%.*s", name.p[0] == '.' ? "Tensor" : "", STR_ARG(name));
    for (char *p = text; *p; p++)
        if (*p == '.') *p = '_';
    for (int i = 0; i < library->module.body.n; i++) {
        const Node *n = library->module.body.at[i];
        if (n->kind == NODE_FUNCTION && str_is(n->function.name, text)) return true;
        if (n->kind == NODE_CLASS && str_is(n->klass.name, text)) return true;
    }
    return false;
}

static bool is_executed(Arena *a, const Node *library, Str name) {
    if (name.p[0] == '.') {
        Str method = {name.p + 1, name.len - 1};
        return api_member_of_module(method, "input") || api_member_of(method, "input", false) ||
               is_defined(a, library, name);
    }
    if (!memchr(name.p, '.', name.len)) return true; // an operator
    return api_of_module(name) || api_named(name, false) || is_defined(a, library, name);
}

static void each_is_executed(void **state) {
    (void)state;
    static const char *const names[] = {
#define LIBRARY(class, names, doc) names,
#include "host/policy/library.def"
    };
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *library = module_library(&a, &d);
    int all = 0;
    assert_non_null(library);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (const char *p = names[i]; *p; all++) {
            Str name = {p, strcspn(p, " ")};
            if (!is_executed(&a, library, name)) fail_msg("nothing executes %.*s", STR_ARG(name));
            if (library_needs(name) == LIBRARY_NONE) fail_msg("%.*s is not found", STR_ARG(name));
            p += name.len + strspn(p + name.len, " ");
        }
    assert_true(all > 150);
    assert_false(is_executed(&a, library, STR("torch.fft")));
    assert_false(is_executed(&a, library, STR(".item")));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_needs_what_its_row_says),
        cmocka_unit_test(levels_have_names),
        cmocka_unit_test(the_caller_says_how_much),
        cmocka_unit_test(each_is_executed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
