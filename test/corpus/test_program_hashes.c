// Which programs are one, from near to far.
#include "corpus/program_hashes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define HEAD "import torch\nimport triton\nimport triton.language as tl\n\n\n"
#define KERNEL(var, block)                                                                              \
    "@triton.jit\ndef k(x_ptr, y_ptr, n, B: tl.constexpr):\n"                                           \
    "    " var " = tl.program_id(0) * B + tl.arange(0, B)\n"                                            \
    "    tl.store(y_ptr + " var ", tl.load(x_ptr + " var ", mask=" var " < n), mask=" var " < n)\n\n\n" \
    "def run(x):\n    y = torch.empty_like(x)\n"                                                        \
    "    k[(triton.cdiv(x.numel(), " block "),)](x, y, x.numel(), B=" block ")\n    return y\n"
#define UNUSED "\n\ndef inputs():\n    return [torch.ones(3)]\n"

static bool same(Sha256 a, Sha256 b) { return memcmp(&a, &b, sizeof a) == 0; }

static void from_near_to_far(void **state) {
    (void)state;
    Identity one = identity_of(STR(HEAD KERNEL("i", "1024"))),
             name = identity_of(STR(HEAD KERNEL("cols", "1024"))),
             dead = identity_of(STR(HEAD KERNEL("i", "1024") UNUSED)),
             size = identity_of(STR(HEAD KERNEL("i", "512"))),
             other = identity_of(STR(HEAD "def run(x):\n    return x\n"));
    assert_true(same(one.canonical, name.canonical));
    assert_false(same(one.canonical, dead.canonical));
    assert_true(same(one.structure, dead.structure));
    assert_false(same(one.structure, size.structure)); // literals count
    assert_true(same(one.skeleton, size.skeleton));
    assert_false(same(one.skeleton, other.skeleton));
    assert_false(same(one.structure, other.structure));
}

static void any_bytes_have_an_identity(void **state) {
    (void)state;
    Identity broken = identity_of(STR("def run(x:")), other = identity_of(STR("\xff\xfe("));
    assert_true(same(broken.canonical, broken.skeleton) && same(broken.canonical, broken.structure));
    assert_false(same(broken.canonical, other.canonical));
    static char large[SOURCE_MAX + 2];
    memset(large, 'x', sizeof large);
    assert_true(
        same(identity_of((Str){large, sizeof large}).canonical, sha256_of((Str){large, sizeof large})));
}

static void a_domain_has_a_name(void **state) {
    (void)state;
    Arena a = {0};
    Op op = {0};
    int half = 0;
    for (int i = 0; i < DT_COUNT; i++)
        if (strcmp(dtype_info[i].torch, "float16") == 0) half = i;
    assert_string_equal(domain_key(&a, &op, &(DrawFilter){.dtype = -1}), "any declared");
    op.domain.contiguous = true;
    assert_string_equal(domain_key(&a, &op, &(DrawFilter){.m = 8, .n = 16, .dtype = half}),
                        "contiguous declared float16 8x16");
    DomainAsked asked;
    DrawFilter f;
    assert_true(domain_of_key(STR("contiguous published float16 8x16"), &asked, &f));
    assert_true(asked.layout == LAYOUT_CONTIGUOUS && asked.published && f.m == 8 && f.n == 16 &&
                f.dtype == half);
    assert_true(domain_of_key(STR("any declared"), &asked, &f) && f.dtype == -1 && !f.m && !asked.published);
    assert_false(domain_of_key(STR("any"), &asked, &f));
    assert_false(domain_of_key(STR("any declared float17"), &asked, &f));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(from_near_to_far),
                                       cmocka_unit_test(any_bytes_have_an_identity),
                                       cmocka_unit_test(a_domain_has_a_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
