// The checker against golden programs: test/tile/golden/*.py. Each file holds cases
//     # case: name
//     # launch: arguments, as launch.h reads them
//     # ok | # error: part of the first message | # unsupported: part of it | # warning: part of it
//     source
// What a case accepts states its types by tl.static_assert().
#include "base/io.h"
#include "tile/launch.h"
#include <dirent.h>
#include <stdio.h>

typedef struct {
    Str name, launch, want, source;
    DiagKind kind; // DIAG_COUNT: ok
} Case;

static Str line_at(Str text, size_t at) {
    const char *nl = memchr(text.p + at, '\n', text.len - at);
    return (Str){text.p + at, nl ? (size_t)(nl - text.p - (ptrdiff_t)at) : text.len - at};
}
static bool after(Str line, const char *prefix, Str *rest) {
    if (!str_starts(line, prefix)) return false;
    size_t n = strlen(prefix);
    *rest = (Str){line.p + n, line.len - n};
    return true;
}

// Reads the case that begins at *at.
static bool next_case(Str text, size_t *at, Case *c) {
    Str rest, line;
    while (*at < text.len && !after(line = line_at(text, *at), "# case: ", &rest)) *at += line.len + 1;
    if (*at >= text.len) return false;
    *c = (Case){.name = rest, .kind = DIAG_HOST};
    *at += line.len + 1;
    size_t start = *at;
    for (; *at < text.len; *at += line.len + 1) {
        line = line_at(text, *at);
        if (after(line, "# case: ", &rest)) break;
        if (after(line, "# launch:", &rest))
            c->launch = rest;
        else if (str_is(line, "# ok"))
            c->kind = DIAG_COUNT;
        else if (after(line, "# error: ", &c->want))
            c->kind = DIAG_COMPILE;
        else if (after(line, "# unsupported: ", &c->want))
            c->kind = DIAG_UNSUPPORTED;
        else if (after(line, "# warning: ", &c->want))
            c->kind = DIAG_WARNING;
    }
    if (*at > text.len) *at = text.len;
    c->source = (Str){text.p + start, *at - start};
    return true;
}

static bool contains(const char *text, Str part) {
    return memmem(text, strlen(text), part.p, part.len) != NULL;
}

static int failures, cases;
static bool quiet; // while a failure is what is tested
static void wrong(const char *file, const Case *c, const char *what) {
    if (!quiet) print_error("%s: case %.*s: %s\n", file, STR_ARG(c->name), what);
    failures++;
}

static void run_case(const char *file, const Case *c) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    LaunchText l;
    Launchable out;
    cases++;
    bool ok = launch_text(&a, &d, c->source, c->launch, &l) && launch_check(&l, NULL, &out);
    const Diag *first = diag_first(&d);
    const char *msg = first ? first->msg : "no message";
    if (c->kind == DIAG_COUNT) {
        if (!ok) wrong(file, c, msg);
    } else if (c->kind == DIAG_WARNING) {
        if (!ok || !d.count || d.at[0].kind != DIAG_WARNING || !contains(d.at[0].msg, c->want))
            wrong(file, c, d.count ? d.at[0].msg : msg);
    } else if (ok || !first) {
        wrong(file, c, "accepted");
    } else if (first->kind != c->kind || !contains(first->msg, c->want)) {
        wrong(file, c, arena_printf(&a, "%s: %s", diag_name(first->kind), msg));
    }
    arena_free(&a);
}

static int is_python(const struct dirent *e) { return str_ends(str_of(e->d_name), ".py"); }

static void test_golden(void **state) {
    (void)state;
    const char *dir = "test/tile/golden";
    struct dirent **list;
    int n = scandir(dir, &list, is_python, alphasort);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        Arena a = {0};
        Err e = {0};
        Str text;
        char path[512];
        snprintf(path, sizeof path, "%s/%s", dir, list[i]->d_name);
        if (!io_read(&a, path, 1 << 20, &text, &e)) fail_msg("%s", e.msg);
        Case c;
        for (size_t at = 0; next_case(text, &at, &c);) run_case(path, &c);
        arena_free(&a);
        free(list[i]);
    }
    free(list);
    assert_true(cases > 100);
    assert_int_equal(failures, 0);
}

// The runner sees what is wrong: a case that should fail, one that should not, one with another message.
static void test_runner(void **state) {
    (void)state;
    static const char bad[] = "@triton.jit\ndef k(x):\n    v = y\n",
                      good[] = "@triton.jit\ndef k(x):\n    v = x\n";
    const Case wrong_cases[] = {
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

// ---- code ----

static int count_insns(const char *source, const char *line, InsnOp op, bool in_loop) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    LaunchText l;
    Launchable out;
    assert_true(launch_text(&a, &d, str_of(source), str_of(line), &l) && launch_check(&l, NULL, &out));
    int n = 0;
    bool loop = false;
    for (int i = 0; i < out.code->insns; i++) {
        InsnOp at = out.code->insn[i].op;
        if (at == INSN_LOOPTEST) loop = true;
        if (at == INSN_JUMP) loop = false;
        n += at == op && (loop || !in_loop);
    }
    arena_free(&a);
    return n;
}

// An accumulator is updated in place, unless its old value is still wanted; constants are made before the
// loop.
static void test_code(void **state) {
    (void)state;
    static const char sum[] = "@triton.jit\ndef k(x, n):\n    a = 0.0\n    for i in range(n):\n"
                              "        a += tl.load(x + i, mask=i < n, other=0.0)\n    tl.store(x, a)\n";
    static const char old[] = "@triton.jit\ndef k(x, n):\n    a = 0.0\n    for i in range(n):\n"
                              "        b = a\n        a = a + tl.load(x + i)\n        tl.store(x, b)\n";
    assert_int_equal(count_insns(sum, "*fp32 10", INSN_COPY, true), 0);
    assert_int_equal(count_insns(old, "*fp32 10", INSN_COPY, true), 1);
    assert_int_equal(count_insns(sum, "*fp32 10", INSN_CAST, true), 0);
    assert_int_equal(count_insns(sum, "*fp16 10", INSN_CAST, true), 1); // of the loaded value, not of `other`
    assert_int_equal(count_insns(sum, "*fp32 10", INSN_CONST, true), 0);
}

// ---- cache, reference, hostile sources ----

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

static void test_reference(void **state) {
    (void)state;
    Arena a = {0};
    Buf b = BUF(&a);
    language_reference(&b);
    assert_non_null(strstr(buf_cstr(&b), "tl.load(pointer, mask=None"));
    assert_non_null(strstr(buf_cstr(&b), "libdevice.tanh(arg0)"));
    assert_non_null(strstr(buf_cstr(&b), "tl.bfloat16"));
    assert_null(strstr(buf_cstr(&b), "tl.tanh"));
    arena_free(&a);
}

static void refused(const char *source, const char *line, const char *part) {
    Case c = {.name = STR("hostile"),
              .launch = str_of(line),
              .want = str_of(part),
              .kind = DIAG_COMPILE,
              .source = str_of(source)};
    int before = failures;
    run_case("hostile", &c);
    assert_int_equal(failures, before);
}

static void test_hostile(void **state) {
    (void)state;
    refused("@triton.jit\ndef k():\n    for i in tl.static_range(1000000000):\n        pass\n", "",
            "too large");
    refused("@triton.jit\ndef k(x):\n    for i in tl.static_range(10**9):\n        tl.store(x, i)\n", "*fp32",
            "too large");
    refused("@triton.jit\ndef k():\n    for i in tl.static_range(10000):\n        for j in "
            "tl.static_range(10000):\n            a: tl.constexpr = 1\n",
            "", "already defined");
    refused("@triton.jit\ndef k():\n    x = 10 ** 10 ** 10\n", "", "Overflow");
    refused("@triton.jit\ndef f(x):\n    return f(x)\n@triton.jit\ndef k(x):\n    f(x)\n", "*fp32",
            "calls itself");
    refused("@triton.jit\ndef g(x):\n    f(x)\n@triton.jit\ndef f(x):\n    g(x)\n@triton.jit\ndef k(x):\n    "
            "f(x)\n",
            "*fp32", "calls itself");
    refused("A = tl.constexpr(A)\n@triton.jit\ndef k():\n    x = A\n", "", "recursion");
    refused("@triton.jit\ndef f(a=f()):\n    return 1\n@triton.jit\ndef k():\n    f()\n", "", "recursion");

    Arena a = {0};
    Buf b = BUF(&a);
    buf_puts(&b, "@triton.jit\ndef k(x):\n    y = 1");
    for (int i = 0; i < 500; i++) buf_puts(&b, " + 1");
    buf_puts(&b, "\n");
    refused(buf_cstr(&b), "*fp32", "recursion");

    // Helpers that double the work at each level.
    b.len = 0;
    buf_puts(&b, "@triton.jit\ndef f0(x):\n    tl.store(x, 1.0)\n");
    for (int i = 1; i < 28; i++)
        buf_printf(&b, "@triton.jit\ndef f%d(x):\n    f%d(x)\n    f%d(x)\n", i, i - 1, i - 1);
    buf_puts(&b, "@triton.jit\ndef k(x):\n    f27(x)\n");
    refused(buf_cstr(&b), "*fp32", "too large");

    b.len = 0;
    buf_puts(&b, "@triton.jit\ndef k(x):\n    t = (1, 2)\n    t = t + t\n");
    for (int i = 0; i < 40; i++) buf_puts(&b, "    t = t + t\n");
    refused(buf_cstr(&b), "*fp32", "tuple");
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden),    cmocka_unit_test(test_runner),
                                       cmocka_unit_test(test_code),      cmocka_unit_test(test_cache),
                                       cmocka_unit_test(test_reference), cmocka_unit_test(test_hostile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
