// What a launch lacks, gives twice or gives in vain, and what decorators give.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lang/ast.h"
#include "service/manifest/manifest_fit.h"

#define BODY  "def k(x, y, n, BLOCK: tl.constexpr, EVEN: tl.constexpr = 0):\n    pass\n"
#define PLAIN "@triton.jit\n" BODY
#define TUNED                                                                                      \
    "def make():\n    return [triton.Config({'BLOCK': b}) for b in (64, 128)]\nCONFIGS = make()\n" \
    "@triton.autotune(configs=CONFIGS, key=['n'])\n@triton.jit\n" BODY
#define HEURISTICS "@triton.heuristics({'BLOCK': lambda args: 64})\n@triton.jit\n" BODY
#define UNREADABLE \
    "@triton.autotune(configs=[triton.Config(c) for c in table], key=['n'])\n@triton.jit\n" BODY

// want: "" where it fits, else "KEY: " and part of what is wrong
static void expect(const char *source, const char *launch, bool plain, const char *want) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    Node *module = parse_module(&a, str_of(source), &d);
    json_t *o = json_loads(launch, 0, NULL);
    assert_non_null(module);
    assert_non_null(o);
    const char *key = "";
    const char *why =
        manifest_fit(&a, &(ManifestFit){module, module_function(module, STR("k")), plain, o}, &key);
    const char *got = why ? arena_printf(&a, "%s: %s", key, why) : "";
    if (!*want != !*got || !strstr(got, want)) fail_msg("%s: \"%s\", not \"%s\"", launch, got, want);
    json_decref(o);
    arena_free(&a);
}

static void each_parameter_is_given_once(void **state) {
    (void)state;
    expect(PLAIN, "{\"args\":[\"x\",\"y\",3],\"constexprs\":{\"BLOCK\":64}}", false, "");
    expect(PLAIN, "{\"args\":[\"x\",\"y\",3,64]}", false, "");
    expect(PLAIN, "{\"args\":[\"x\",\"y\"],\"constexprs\":{\"n\":3,\"BLOCK\":64,\"EVEN\":1}}", false, "");
    expect(PLAIN, "{\"args\":[\"x\",\"y\",3]}", false, "constexprs: BLOCK is missing");
    expect(PLAIN, "{\"args\":[\"x\",\"y\"],\"constexprs\":{\"BLOCK\":64}}", false,
           "args: parameter 2 of the kernel, n,");
    expect(PLAIN, "{\"args\":[\"x\",\"y\",3,64,0,7]}", false, "args: 6 arguments, and k has 5 parameters");
    expect(PLAIN, "{\"args\":[\"x\",\"y\",3,64],\"constexprs\":{\"BLOCK\":64}}", false,
           "constexprs.BLOCK: \"args\" gives it");
    expect(PLAIN, "{\"args\":[\"x\",\"y\",3],\"constexprs\":{\"BLOK\":64}}", false,
           "constexprs.BLOK: k has no parameter");
}

static void decorators_give_some(void **state) {
    (void)state;
    static const char left_out[] = "{\"args\":[\"x\",\"y\",3]}",
                      given[] = "{\"args\":[\"x\",\"y\",3],\"constexprs\":{\"BLOCK\":64}}";
    expect(TUNED, left_out, false, "");
    expect(TUNED, left_out, true, "constexprs: BLOCK is missing");
    expect(TUNED, given, false, "constexprs.BLOCK: the kernel's configs choose it");
    expect(TUNED, given, true, "");
    expect(TUNED, "{\"args\":[\"x\",\"y\",3,64]}", false, "args: place 3 is BLOCK");
    expect(TUNED, "{\"args\":[\"x\",\"y\"]}", false, "args: parameter 2");
    expect(HEURISTICS, left_out, false, "");
    expect(HEURISTICS, given, false, "");
    expect(UNREADABLE, left_out, false, "");
    expect(UNREADABLE, given, false, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_parameter_is_given_once),
                                       cmocka_unit_test(decorators_give_some)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
