// Which arguments become constants, which types the others have, and when two launches share their code.
#include "tile/golden.h"
#include <dirent.h>
#include <unistd.h>

static void test_golden(void **state) {
    (void)state;
    golden("check");
}

static void test_golden_ranked(void **state) {
    (void)state;
    golden("ranked");
}

// The runner sees what is wrong: a case that should fail, one that should not, one with another message.
static void test_runner(void **state) {
    (void)state;
    static const char bad[] = "@triton.jit\ndef k(x):\n    v = y\n",
                      good[] = "@triton.jit\ndef k(x):\n    v = x\n";
    const GoldenCase wrong_cases[] = {
        {STR("a"), STR("*fp32"), {0}, STR(bad), DIAG_COUNT},
        {STR("b"), STR("*fp32"), STR(""), STR(good), DIAG_COMPILE},
        {STR("c"), STR("*fp32"), STR("other words"), STR(bad), DIAG_COMPILE},
        {STR("d"), STR("*fp32"), STR("not defined"), STR(bad), DIAG_UNSUPPORTED},
    };
    int before = failures;
    quiet = true;
    for (int i = 0; i < 4; i++) run_case("runner", &wrong_cases[i]);
    quiet = false;
    assert_int_equal(failures, before + 4);
    failures = before;
}

static const char *const scale = "@triton.jit\ndef k(x, n, B: tl.constexpr):\n    o = tl.arange(0, B)\n    "
                                 "tl.store(x + o, 1.0, mask=o < n)\n";

static Code *code_of(Arena *a, CodeCache *cache, const Node *module, const char *line) {
    DiagList d = DIAGS(a);
    LaunchText l;
    Launchable out;
    assert_true(launch_text(a, &d, str_of(scale), str_of(line), &l));
    l.module = module;
    l.kernel = module_function(module, STR("k"));
    assert_true(launch_check(&l, cache, &out));
    return out.code;
}

static void test_cache(void **state) {
    (void)state;
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *module = parse_module(&a, str_of(scale), &d);
    assert_non_null(module);
    CodeCache *cache = code_cache_new(&a);
    Code *first = code_of(&a, cache, module, "*fp32 10 B=64");
    assert_ptr_equal(first, code_of(&a, cache, module, "*fp32 11 B=64"));
    assert_ptr_not_equal(first, code_of(&a, cache, module, "*fp32 1 B=64")); // 1 is a constant
    assert_ptr_not_equal(first, code_of(&a, cache, module, "*fp32 4294967296 B=64"));
    assert_ptr_not_equal(first, code_of(&a, cache, module, "*fp16 10 B=64"));
    assert_ptr_not_equal(first, code_of(&a, cache, module, "*fp32 10 B=32"));
    assert_ptr_not_equal(first, code_of(&a, NULL, module, "*fp32 10 B=64"));
    arena_free(&a);
}

// Every file of golden programs has a test that runs it.
static void test_every_golden_file_is_run(void **state) {
    (void)state;
    static const char *const by_others[] = {"fp8.py", "ranked.py"};
    DIR *dir = opendir("test/tile/golden");
    assert_non_null(dir);
    int n = 0;
    for (struct dirent *f; (f = readdir(dir));) {
        if (!str_ends(str_of(f->d_name), ".py")) continue;
        bool other = false;
        for (size_t i = 0; i < sizeof by_others / sizeof *by_others; i++)
            other |= strcmp(f->d_name, by_others[i]) == 0;
        char check[300], ops[300];
        int stem = (int)strlen(f->d_name) - 3;
        snprintf(check, sizeof check, "test/tile/check/test_%.*s.c", stem, f->d_name);
        snprintf(ops, sizeof ops, "test/tile/ops/test_%.*s.c", stem, f->d_name);
        if (!other && access(check, R_OK) != 0 && access(ops, R_OK) != 0)
            fail_msg("nobody runs %s", f->d_name);
        n++;
    }
    closedir(dir);
    assert_true(n > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_golden_ranked),
        cmocka_unit_test(test_runner),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_every_golden_file_is_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
