// Many rows out of few: what lies in the mapping, which ops have no such case, and how a case of windows is
// filled.
#include "cases/repeated.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>

#include <cmocka.h>

static const uint8_t *mapped(const Repeated *r) {
    const uint8_t *p = mmap(NULL, r->bytes, PROT_READ, MAP_PRIVATE, r->fd, 0);
    assert_true(p != MAP_FAILED);
    return p;
}

static RepeatedMade made(Arena *a, const Op *op, RepeatedRequest q, Repeated *r) {
    Err e = {0};
    q.op = op;
    q.seed = 7;
    q.steps = 1000;
    RepeatedMade m = repeated_make(a, &q, r, &e);
    if (m == REPEATED_FAILED) fail_msg("%s", e.msg);
    return m;
}

// All rows, or the block's alone, of which a child makes the others.
static void rows_are_copies(bool block_only) {
    Arena a = {0};
    Op op;
    Repeated r;
    assert_true(op_find(&a, STR("cross_entropy"), &op)); // of rows, and of one number for each row
    RepeatedRequest q = {.dtype = DT_F16, .slices = 1000, .length = 9, .block_only = block_only};
    assert_int_equal(made(&a, &op, q, &r), REPEATED_MADE);
    int64_t rows = r.block.truth[0].slices;
    assert_int_equal(r.slices, 1000);
    assert_true(rows >= 61 && rows <= 97 && r.block.truth[0].expected->numel == rows);
    assert_int_equal(r.output_bytes, 2000);
    const uint8_t *map = mapped(&r);
    const CaseSpec *s = (const CaseSpec *)(map + sizeof(DrawHeader));
    const CaseTensor *input = wire_inputs(map, r.bytes, s);
    assert_int_equal(input[0].shape[0], 1000);
    assert_int_equal(input[1].shape[0], 1000);
    assert_int_equal(s->steps, 1000);
    assert_int_equal(s->again, 0);
    for (int i = 0; i < 2; i++) {
        const CaseTensor *t = &input[i], *b = &r.block.spec[0].input[i];
        int64_t row = t->bytes / 1000, there = block_only ? rows : 1000;
        assert_int_equal(t->held, block_only ? rows * row : 0);
        for (int64_t k = 0; k < there; k++)
            assert_memory_equal(map + t->at + k * row, r.block.mapping + b->at + k % rows * row, (size_t)row);
    }
    assert_int_equal(r.bytes < 1000 * 9 * 2, block_only); // what all of them take
    size_t all = (size_t)(input[0].bytes + input[1].bytes), repeated = memory_repeated(input, 2);
    assert_true(block_only ? repeated >= all : repeated == 0);
    munmap((void *)(uintptr_t)map, r.bytes);
    repeated_free(&r);
    arena_free(&a);
}

static void rows_are_copies_of_a_block(void **state) {
    (void)state;
    rows_are_copies(false);
    rows_are_copies(true);
}

static void windows_hold_the_blocks_rows(void **state) {
    (void)state;
    Arena a = {0};
    Op op;
    Repeated r;
    assert_true(op_find(&a, STR("rmsnorm"), &op));
    RepeatedRequest q = {.dtype = DT_BF16, .slices = 5000, .length = 33, .windows = true};
    assert_int_equal(made(&a, &op, q, &r), REPEATED_MADE);
    assert_int_equal(r.output_bytes, WINDOWS * WINDOW_ROWS * 33 * 2);
    const uint8_t *map = mapped(&r);
    const CaseTensor *t = &r.spec->input[0], *b = &r.block.spec[0].input[0];
    int filled = 0;
    for (int64_t k = 0; k < 5000; k++) {
        bool within = false, zero = true;
        for (int w = 0; w < WINDOWS; w++)
            within |= k >= spec_window_at(5000, w) && k < spec_window_at(5000, w) + WINDOW_ROWS;
        for (int i = 0; i < 66; i++) zero &= map[t->at + k * 66 + i] == 0;
        if (within)
            assert_memory_equal(map + t->at + k * 66, r.block.mapping + b->at + k % b->shape[0] * 66, 66);
        else
            assert_true(zero);
        filled += within;
    }
    assert_int_equal(filled, WINDOWS * WINDOW_ROWS);
    assert_memory_equal(map + r.spec->input[1].at, r.block.mapping + r.block.spec[0].input[1].at, 66); // w
    munmap((void *)(uintptr_t)map, r.bytes);
    repeated_free(&r);
    arena_free(&a);
}

static bool fits(const char *definition, RepeatedRequest q) {
    Arena a = {0};
    DiagList diags = DIAGS(&a);
    Op op;
    Repeated r;
    if (!op_define(&a, STR("mine"), str_of(definition), true, &op, &diags))
        fail_msg("%s", diag_first(&diags)->msg);
    bool ok = made(&a, &op, q, &r) == REPEATED_MADE;
    if (ok) repeated_free(&r);
    arena_free(&a);
    return ok;
}

#define MINE(dims, body)                                                      \
    "\"\"\"Mine.\"\"\"\ninputs = {\"x\": {\"shape\": (\"M\", \"N\")}}\n" dims \
    "def reference(x):\n    return (" body ").to(x.dtype)\n"

static void not_every_op_has_such_a_case(void **state) {
    (void)state;
    const RepeatedRequest many = {.dtype = DT_F32, .slices = 300, .length = 5},
                          few = {.dtype = DT_F32, .slices = 3, .length = 5},
                          odd = {.dtype = DT_F32, .slices = 300, .length = 5, .strided = true};
    assert_true(fits(MINE("", "x.float() + 1"), many));
    assert_true(fits(MINE("", "x.float() + 1"), few));
    assert_false(fits(MINE("", "x.float() + 1"), odd));
    // Rows that depend on others; fewer than are wanted.
    assert_false(fits(MINE("", "torch.cumsum(x.float(), dim=0)"), many));
    assert_false(fits(MINE("", "x.float() - x.float().mean(0, keepdim=True)"), many));
    assert_false(fits(MINE("", "x.float().sum(0)"), many));
    assert_true(fits(MINE("", "torch.cumsum(x.float(), dim=0)"), few));
    assert_false(fits(MINE("dims = {\"M\": {\"max\": 200}}\n", "x.float() + 1"), many));
    assert_false(fits(MINE("dims = {\"N\": {\"max\": 4}}\n", "x.float() + 1"), many));
}

// In very long rows one index of the first ordinary ones is the last of its range.
static void an_index_is_the_last(void **state) {
    (void)state;
    Arena a = {0};
    Op op;
    Err e = {0};
    assert_true(op_find(&a, STR("cross_entropy"), &op));
    for (uint64_t seed = 1; seed < 5; seed++) {
        Repeated r;
        RepeatedRequest q = {.op = &op,
                             .seed = seed,
                             .dtype = DT_F32,
                             .slices = 5,
                             .length = 300,
                             .extremes = 200,
                             .steps = 1};
        assert_int_equal(repeated_make(&a, &q, &r, &e), REPEATED_MADE);
        const CaseTensor *t = &r.block.spec[0].input[1];
        int64_t at = (t->offset + EXTREME_LINES * t->stride[0]) * dtype_bytes((DType)t->dtype);
        assert_true(dtype_load((DType)t->dtype, r.block.mapping + t->at + at) == 299);
        repeated_free(&r);
    }
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_is_the_last),
        cmocka_unit_test(rows_are_copies_of_a_block),
        cmocka_unit_test(windows_hold_the_blocks_rows),
        cmocka_unit_test(not_every_op_has_such_a_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
