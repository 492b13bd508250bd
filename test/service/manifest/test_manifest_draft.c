// First manifests: what the host code says is taken over, all else is a gap.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/manifest/manifest_draft.h"

#define KERNEL                                                                                              \
    "import torch, triton\nimport triton.language as tl\n@triton.jit\ndef half(x):\n    return x / 2\n"     \
    "@triton.jit\ndef k(a_ptr, y_ptr, stride, N, eps, BLOCK: tl.constexpr):\n    c = tl.arange(0, BLOCK)\n" \
    "    tl.store(y_ptr + c, half(tl.load(a_ptr + c * stride)))\n"

static void expect(const char *source, const char *kernel, const char *want, int gaps) {
    Arena a = {0};
    Err e = {0};
    DraftNotes got = {0};
    json_t *o = manifest_draft(&a, &(DraftRequest){str_of(source), kernel, NULL}, &got, &e);
    if (!o) {
        if (gaps >= 0 || !strstr(e.msg, want)) fail_msg("%s: %s", source, e.msg);
        return arena_free(&a);
    }
    Buf text = BUF(&a);
    json_put(&text, o);
    if (gaps != got.gaps || !strstr(buf_cstr(&text), want))
        fail_msg("%d gaps in %s, lacks %s", got.gaps, buf_cstr(&text), want);
    arena_free(&a);
}

static void host_code_is_taken_over(void **state) {
    (void)state;
    static const char host[] =
        KERNEL "def f(x, eps):\n    M, N = x.shape\n    t = torch.zeros((M, 2), dtype=torch.float32, "
               "device=x.device)\n"
               "    y = torch.empty_like(x)\n    B = triton.next_power_of_2(N)\n    grid = lambda meta: (M, "
               "triton.cdiv(N, meta['BLOCK']))\n"
               "    k[grid](x, y, x.stride(0), N, eps, BLOCK=B, num_warps=8)\n    return y.view(M, N)\n";
    expect(host, NULL,
           "\"values\":{\"M\":\"x.shape[0]\",\"N\":\"x.shape[1]\",\"B\":\"triton.next_power_of_2(N)\"}", 1);
    expect(host, "k", "\"outputs\":{\"y\":{\"shape\":\"x.shape\",\"dtype\":\"x.dtype\"}}", 1);
    expect(host, "k", "\"scratch\":{\"t\":{\"shape\":[\"M\",\"2\"],\"dtype\":\"torch.float32\",\"fill\":0}}",
           1);
    expect(host, "k",
           "\"args\":[\"x\",\"y\",\"x.stride(0)\",\"N\",\"? eps\"],\"constexprs\":{\"BLOCK\":\"B\"}", 1);
    expect(host, "k", "\"grid\":[\"M\",\"triton.cdiv(N, META[\\\"BLOCK\\\"])\"],\"num_warps\":\"8\"", 1);
}

static void gaps_are_marked(void **state) {
    (void)state;
    expect(KERNEL, NULL, "\"outputs\":{\"y\":{\"shape\":\"? sizes", 9);
    expect(KERNEL, "k", "\"? a_ptr: a tensor's name\"", 9);
    expect(KERNEL "def f(x):\n    k[(x.sum(),)](x, x, 1, 2, 3, BLOCK=open(1))\n", "k",
           "\"BLOCK\":\"? open(1)\"", 4);
}

static void one_of_several_launches_is_told(void **state) {
    (void)state;
#define LAUNCHES "def f(x):\n    k[(1,)](x, x, 1, 2, 3, BLOCK=4)\n"
    static const struct {
        const char *source;
        DraftNotes want;
    } all[] = {{KERNEL, {.gaps = 9}},
               {KERNEL LAUNCHES, {.gaps = 2, .launches = 1, .line = 11}},
               {KERNEL LAUNCHES
                "def g(x):\n    if x:\n        k[(2,)](x, x, 1, 2, 3, BLOCK=8)\n    k[(3,)](x)\n",
                {.gaps = 2, .launches = 3, .line = 11, .other = 14}}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Arena a = {0};
        Err e = {0};
        DraftNotes got = {0};
        json_t *o = manifest_draft(&a, &(DraftRequest){str_of(all[i].source), "k", NULL}, &got, &e);
        assert_non_null(o);
        json_decref(o);
        const DraftNotes *w = &all[i].want;
        if (got.launches != w->launches || got.line != w->line || got.other != w->other)
            fail_msg("%s: %d launches, lines %d and %d", all[i].source, got.launches, got.line, got.other);
        arena_free(&a);
    }
}

static void what_is_no_kernel(void **state) {
    (void)state;
    expect(KERNEL, "kk", "no @triton.jit function of that name", -1);
    expect("x = 1\n", NULL, "no @triton.jit function", -1);
    expect(KERNEL "@triton.jit\ndef other(x):\n    pass\n", NULL, "--kernel NAME", -1);
    expect("def f(:\n", NULL, "line 1", -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_code_is_taken_over),
        cmocka_unit_test(gaps_are_marked),
        cmocka_unit_test(one_of_several_launches_is_told),
        cmocka_unit_test(what_is_no_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
