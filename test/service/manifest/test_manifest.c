// Manifests: what is written from good ones, and what is said about bad ones.
#include "service/manifests.h"

// What stands behind the file, and passes the screen of candidates.
#define HEAD "def run(x, w):\n    import math, torch, triton\n    import triton.language as tl\n"
static void writes(const char *json, const char *run) {
    Str text;
    Err e = {0};
    if (!apply(json, kernels, true, &text, &e)) fail_msg("%s: %s", json, e.msg);
    size_t n = strlen(run), at = sizeof kernels; // one more newline
    static const char left_out[] = "\n# Left out, since no launched kernel reaches it: ";
    bool told = text.len == at + n || str_starts((Str){text.p + at + n, text.len - at - n}, left_out);
    if (text.len < at + n || memcmp(text.p + at, run, n) != 0 || !told)
        fail_msg("%s: %.*s", json, STR_ARG(text));
    DiagList d = DIAGS(&arena);
    const Node *module = parse_module(&arena, text, &d);
    if (!module || !host_screen(module, &d)) fail_msg("%s: %s", json, diag_first(&d)->msg);
}

static void a_run_is_written(void **state) {
    (void)state;
    writes("{" RUN "," OUT "}", HEAD "    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)\n"
                                     "    first[((1),)]()\n"
                                     "    return out\n");
    writes("{\"values\":{\"M\":\"x.shape[0]\",\"N\":\"M*2 # twice\",\"e\":1e-6},"
           "\"outputs\":{\"o\":{\"shape\":[\"M\",3],\"dtype\":\"torch.float32\",\"fill\":0}},"
           "\"scratch\":{\"t\":{\"shape\":[\"o.numel()\"],\"dtype\":\"tl.int32\",\"fill\":-1}},"
           "\"launches\":["
           "{\"kernel\":\"first\",\"args\":[\"x.contiguous().view(M, -1)\",\"o\",null,true,-2,\"'max'\"],"
           "\"constexprs\":{\"BLOCK\":\"triton.next_power_of_2(max(N, 2))\",\"w2\":\"w\"},"
           "\"grid\":[\"triton.cdiv(N, META['BLOCK'])\",2],\"num_warps\":\"8 if N > 4 else 4\"},"
           "{\"kernel\":\"second\",\"args\":[\"t\",\"o\"],\"grid\":[\"M\"],\"num_stages\":2}]}",
           HEAD
           "    M = (x.shape[0])\n"
           "    N = (M * 2)\n"
           "    e = (9.9999999999999995e-07)\n"
           "    o = torch.zeros((M, (3),), dtype=torch.float32, device=x.device)\n"
           "    t = torch.full((o.numel(),), (-1), dtype=tl.int32, device=x.device)\n"
           "    first[lambda META: (triton.cdiv(N, META[\"BLOCK\"]), (2),)](x.contiguous().view(M, -1), o, "
           "None, "
           "True, (-2), (\"max\"), BLOCK=triton.next_power_of_2(max(N, 2)), w2=w, num_warps=(8 if N > 4 else "
           "4))\n"
           "    second[(M,)](t, o, num_stages=(2))\n"
           "    return o\n");
}

static void a_tensor_starts_as_a_copy(void **state) {
    (void)state;
    Str text;
    Err e = {0};
    const char *json = "{" RUN ",\"outputs\":{\"o\":{\"copy\":\"x\"}},\"scratch\":{\"t\":{\"copy\":\"o\"}}}";
    if (!apply(json, kernels, true, &text, &e)) fail_msg("%s", e.msg);
    const char *copied =
        memmem(text.p, text.len, "manifest_copy[(triton.cdiv(o.numel(), 1024),)](o.contiguous(), t,", 64);
    assert_non_null(copied);
    DiagList d = DIAGS(&arena);
    const Node *module = parse_module(&arena, text, &d);
    if (!module || !host_screen(module, &d)) fail_msg("%s", diag_first(&d)->msg);
    refused("{" RUN ",\"outputs\":{\"o\":{\"copy\":\"y\"}}}", "outputs.o.copy", "input");
    refused("{" RUN ",\"outputs\":{\"o\":{\"copy\":3}}}", "outputs.o.copy", "input");
    refused("{" RUN ",\"outputs\":{\"o\":{\"copy\":\"x\",\"fill\":0}}}", "outputs.o", "stands alone");
}

static void what_is_none_is_refused_with_its_key(void **state) {
    (void)state;
    refused("", "m.json:1", "not a JSON object");
    refused("[]", "m.json", "object");
    refused("{" RUN "," OUT ",\"grid\":[2]}", "m.json:1", "duplicate");
    refused("{" RUN "," OUT ",\"outputs\":{}}", "m.json:1", "duplicate");
    refused("{" RUN "," OUT ",\"numwarps\":4}", "\"numwarps\"", "there are:");
    refused("{" RUN "," OUT ",\"a\\u001b[2Jb\":4}", "there are:", "no such key");
    refused("{" RUN "}", "outputs", "missing");
    refused("{" RUN ",\"outputs\":{}}", "outputs", "exactly one");
    refused("{" RUN
            ",\"outputs\":{\"a\":{\"shape\":[1],\"dtype\":\"x.dtype\"},\"b\":{\"shape\":[1],\"dtype\":\"x."
            "dtype\"}}}",
            "outputs", "scratch");
    refused("{" RUN ",\"outputs\":{\"a\":{\"shape\":[1]}}}", "outputs.a", "dtype");
    refused("{" RUN ",\"outputs\":{\"a\":{\"dtype\":\"x.dtype\"}}}", "outputs.a", "shape");
    refused("{" RUN ",\"outputs\":{\"a\":{\"shape\":[1],\"dtype\":3}}}", "outputs.a.dtype", "text");
    refused("{" RUN ",\"outputs\":{\"a\":{\"shape\":[[1]],\"dtype\":\"x.dtype\"}}}", "outputs.a.shape[0]",
            "text");
    refused("{" RUN ",\"outputs\":{\"a\":{\"shape\":[1],\"dtype\":\"x.dtype\",\"fill\":\"0\"}}}",
            "outputs.a.fill", "number");
    refused("{" RUN ",\"outputs\":{\"a\":{\"shape\":[1],\"dtype\":\"x.dtype\",\"zero\":true}}}",
            "outputs.a.zero", "there are: shape dtype fill copy");
    refused("{" RUN ",\"outputs\":{\"a b\":{\"shape\":[1],\"dtype\":\"x.dtype\"}}}", "outputs.a b", "plain");
    refused("{" RUN ",\"outputs\":{\"x\":{\"shape\":[1],\"dtype\":\"x.dtype\"}}}", "outputs.x", "already");
    refused("{" RUN ",\"outputs\":{\"torch\":{\"shape\":[1],\"dtype\":\"x.dtype\"}}}", "outputs.torch",
            "already");
    refused("{" RUN ",\"outputs\":{\"first\":{\"shape\":[1],\"dtype\":\"x.dtype\"}}}", "outputs.first",
            "already");
    refused("{" RUN ",\"outputs\":{\"class\":{\"shape\":[1],\"dtype\":\"x.dtype\"}}}", "outputs.class",
            "plain");
    refused("{\"grid\":[1]," OUT "}", "kernel", "name");
    refused("{\"kernel\":\"third\",\"grid\":[1]," OUT "}", "kernel", "first, second");
    refused("{\"kernel\":\"helper\",\"grid\":[1]," OUT "}", "kernel", "helper");
    refused("{\"kernel\":\"first[(9,)](x)\\nfirst\",\"grid\":[1]," OUT "}", "kernel", "plain name");
    refused("{\"kernel\":\"first\"," OUT "}", "grid", "one to three");
    refused("{\"kernel\":\"first\",\"grid\":[]," OUT "}", "grid", "one to three");
    refused("{\"kernel\":\"first\",\"grid\":[1,1,1,1]," OUT "}", "grid", "3");
    refused("{" RUN "," OUT ",\"launches\":[]}", "kernel", "no such key");
    refused("{" OUT ",\"launches\":[]}", "launches", "1 to 16");
    refused("{" OUT ",\"launches\":[{" RUN "},3]}", "launches[1]", "object");
    refused("{" OUT ",\"launches\":[{" RUN ",\"num_warp\":1}]}", "launches[0].num_warp", "there are");
    refused("{" RUN "," OUT ",\"args\":{\"x\":1}}", "args", "list");
    refused("{" RUN "," OUT ",\"constexprs\":[1]}", "constexprs", "object");
    refused("{" RUN "," OUT ",\"constexprs\":{\"num_warps\":4}}", "constexprs.num_warps", "beside");
    refused("{" RUN "," OUT ",\"num_stages\":0}", "num_stages", "from 1 on");
    refused("{" RUN "," OUT ",\"num_warps\":3}", "num_warps", "power of two");
    refused("{" RUN "," OUT ",\"num_warps\":0}", "num_warps", "power of two");
    refused("{" RUN "," OUT ",\"constexprs\":{\"B=1, C\":4}}", "constexprs.B=1, C", "parameter");
    refused("{" RUN "," OUT ",\"values\":{\"out\":1}}", "outputs.out", "already");
    refused("{" RUN "," OUT ",\"values\":{\"N\":\"M\",\"M\":1}}", "values.N", "known at this place");
}

static Str source_of(const char *source) {
    Str text;
    Err e = {0};
    if (!apply("{" RUN "," OUT "}", source, false, &text, &e)) fail_msg("%s", e.msg);
    return text;
}

// Places stay; host code goes, unless it changes what stays.
static void the_file_keeps_its_places(void **state) {
    (void)state;
    Str text = source_of(kernels);
    for (size_t i = 0; i + 1 < sizeof kernels; i++)
        if (text.p[i] != kernels[i] && text.p[i] != ' ') fail_msg("changed at %zu", i);
    assert_null(memmem(text.p, text.len, "import os", 9));
    assert_null(memmem(text.p, text.len, "class Model", 11));
    assert_null(memmem(text.p, text.len, "cache =", 7));
    assert_null(memmem(text.p, text.len, "def second", 10)); // a kernel that is not launched
    assert_non_null(memmem(text.p, text.len,
                           "# Left out, since no launched kernel reaches it: Model, cache, second, helper\n",
                           77));
    assert_non_null(memmem(text.p, text.len, "import torch; import triton", 27));
    assert_non_null(memmem(text.p, text.len, "SIZE = 64", 9));
    static const char *const rebinds[] = {"first = wrap(first)\n",
                                          "import other as tl\n",
                                          "tl = make()\n",
                                          "from other import *\n",
                                          "for first in (1,): pass\n",
                                          "with open(1) as first: pass\n",
                                          "try: first = 1\nexcept E: pass\n",
                                          "try: pass\nexcept E as first: pass\n",
                                          "(first := 1)\n"};
    for (size_t i = 0; i < sizeof rebinds / sizeof *rebinds; i++) {
        text = source_of(arena_printf(&arena, "%s%s", kernels, rebinds[i]));
        assert_non_null(memmem(text.p, text.len, rebinds[i], strlen(rebinds[i])));
        DiagList d = DIAGS(&arena);
        const Node *module = parse_module(&arena, text, &d);
        if (module && host_screen(module, &d)) fail_msg("accepted: %s", rebinds[i]);
    }
    // A class may stand in a file; one that takes a constant's name stays, and the kernel meets it.
    text = source_of(arena_printf(&arena, "%sclass SIZE: pass\n", kernels));
    assert_non_null(memmem(text.p, text.len, "class SIZE", 10));
    static const char fallback[] = "try:\n    import other\nexcept ImportError:\n    other = None\n";
    text = source_of(arena_printf(&arena, "%s%s", kernels, fallback));
    assert_null(memmem(text.p, text.len, "try", 3));
    // Imports are cut down to what is reached, helpers and their constants stay, and lines keep their
    // numbers.
    static const char reached[] = "from a import (\n    b,\n    c,\n)\nK = 3\nL = 4\n@triton.jit\ndef "
                                  "b2(x):\n    return x + K\n@c\n@triton.jit\n"
                                  "def first(x):\n    L = b2(x)\n    d = L\n";
    text = source_of(reached);
    assert_true(str_starts(text, "from a import c"));
    assert_null(memmem(text.p, text.len, "    b,", 6));
    assert_null(memmem(text.p, text.len, "L = 4", 5)); // a variable of the kernel's own has that name
    assert_non_null(memmem(text.p, text.len, "K = 3\n", 6));
    assert_int_equal(
        line_col(text, (uint32_t)((const char *)memmem(text.p, text.len, "def first", 9) - text.p)).line, 12);
    // A function of a kernel's name stays, too: launching it is the TypeError that it would be.
    text = source_of(arena_printf(&arena, "%sdef first(): pass\n", kernels));
    assert_non_null(memmem(text.p, text.len, "def first(): pass", 17));
    // What does not parse is the judge's business, and so is a missing kernel if the caller says so.
    text = source_of("def broken(:\n");
    assert_true(str_starts(text, "def broken(:\n\ndef run(x, w):\n"));
    source_of("");
}

static Str applied(const char *json, const char *source) {
    Str text;
    Err e = {0};
    if (!apply(json, source, true, &text, &e)) fail_msg("%s: %s", json, e.msg);
    return text;
}
static bool has(Str text, const char *part) { return memmem(text.p, text.len, part, strlen(part)); }
static void passes_the_screen(Str text) {
    DiagList d = DIAGS(&arena);
    const Node *module = parse_module(&arena, text, &d);
    if (!module || !host_screen(module, &d)) fail_msg("%s\n%.*s", diag_first(&d)->msg, STR_ARG(text));
}
static int line_of(Str text, const char *part) {
    return line_col(text, (uint32_t)((const char *)memmem(text.p, text.len, part, strlen(part)) - text.p))
        .line;
}

// "decorators": "jit" leaves out what chooses constants, on the same lines, and says so.
static void what_chooses_constants_is_left_out(void **state) {
    (void)state;
    static const char tuned[] =
        "import triton\nfrom elsewhere import configs, entry\nimport triton.language as tl\n"
        "@entry()\n@triton.autotune(configs=configs(\n    3), key=[])\n"
        "@triton.jit(do_not_specialize=['n'])\ndef first(x, n):\n    pass\n";
    Str text = applied("{" RUN "," OUT ",\"decorators\":\"jit\"}", tuned);
    passes_the_screen(text);
    assert_false(has(text, "configs") || has(text, "@entry") || has(text, "autotune("));
    assert_true(has(text, "@triton.jit(do_not_specialize=['n'])\ndef first"));
    assert_true(has(text, "# Of the decorators of first only jit is left"));
    assert_int_equal(line_of(text, "def first"), 8);
    text = applied("{" RUN "," OUT "}", tuned); // and only then
    assert_true(has(text, "@entry()\n@triton.autotune(configs=configs(\n    3), key=[])\n@triton.jit"));
    assert_false(has(text, "# Of the decorators"));
    static const char called[] = "import triton\ndef first(x):\n    pass\nfirst = triton.jit(first)\n"
                                 "first = triton.heuristics({'B': lambda a: 1})(first)\n";
    text = applied("{" RUN "," OUT ",\"decorators\":\"jit\"}", called);
    passes_the_screen(text);
    assert_true(has(text, "@triton.jit\ndef first") && !has(text, "heuristics(") &&
                !has(text, "= triton.jit"));
    Err e = {0};
    assert_false(apply("{" RUN "," OUT "}", called, true, &text, &e));
    assert_non_null(strstr(e.msg, "\"decorators\": \"jit\""));
    refused("{" RUN "," OUT ",\"decorators\":\"none\"}", "decorators", "\"jit\" belongs here");
    // Nothing but wrappers by their own name goes: a function that is called is judged.
    static const char not_made[] = "import triton\ndef first(x):\n    pass\nother = triton.jit(first)\n";
    assert_false(apply("{" RUN "," OUT ",\"decorators\":\"jit\"}", not_made, true, &text, &e));
}

static void imports_by_meaning(void **state) {
    (void)state;
    static const char source[] =
        "import triton\nimport triton.language as tl\nfrom .utils import (\n    tanh,\n"
        "    other,\n    cast,\n)\n@triton.jit\ndef first(x):\n    cast(tanh(x), tl.int32)\n";
    Str text = applied("{" RUN "," OUT ",\"imports\":{\"tanh\":\"triton.language.extra.libdevice.tanh\","
                       "\"cast\":\"triton.language.cast\"}}",
                       source);
    passes_the_screen(text);
    assert_true(has(
        text, "from triton.language.extra.libdevice import tanh as tanh; from triton.language import cast as "
              "cast"));
    assert_false(has(text, ".utils"));
    assert_true(has(text, "# tanh is triton.language.extra.libdevice.tanh here: the manifest says so."));
    assert_int_equal(line_of(text, "def first"), 9);
    text =
        applied("{" RUN "," OUT ",\"imports\":{\"tanh\":\"triton.language.extra.libdevice.tanh\"}}", source);
    assert_true(has(text, "from .utils import cast; from triton"));
    refused("{" RUN "," OUT ",\"imports\":[]}", "imports", "object");
    refused("{" RUN "," OUT ",\"imports\":{\"os\":\"os.path\"}}", "imports.os", "of triton or torch");
    refused("{" RUN "," OUT ",\"imports\":{\"os\":\"triton\"}}", "imports.os", "of triton or torch");
    refused("{" RUN "," OUT ",\"imports\":{\"os\":\"triton.a; import os\"}}", "imports.os",
            "of triton or torch");
    refused("{" RUN "," OUT ",\"imports\":{\"os\":\"triton..a\"}}", "imports.os", "of triton or torch");
    refused("{" RUN "," OUT ",\"imports\":{\"SIZE\":\"triton.language.cast\"}}", "imports.SIZE",
            "imports no such name");
}

int main(void) {
    DiagList d = DIAGS(&arena);
    static const char definition[] =
        "\"\"\"A product.\"\"\"\n"
        "inputs = {\"x\": {\"shape\": (\"M\", \"N\")}, \"w\": {\"shape\": (\"N\",)}}\n"
        "def reference(x, w):\n"
        "    return (x.float() * w.float()).to(x.dtype)\n";
    if (!op_define(&arena, STR("product"), STR(definition), true, &op, &d)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_written),
        cmocka_unit_test(a_tensor_starts_as_a_copy),
        cmocka_unit_test(what_is_none_is_refused_with_its_key),
        cmocka_unit_test(the_file_keeps_its_places),
        cmocka_unit_test(what_chooses_constants_is_left_out),
        cmocka_unit_test(imports_by_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
