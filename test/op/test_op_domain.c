// Domains: what a definition declares, what a caller asks for, and that the op's hash follows.
#include "op/defined.h"

#define S                                                                                                   \
    "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (1e-4, 64), \"shift\": 100, \"large\": True}," \
    " \"s\": {\"shape\": (1,), \"range\": (0.5, 4), \"signs\": \"both\"}}\n"
#define TWO "def reference(x, s):\n    return x * s\n"

static bool in_domain(Op *op, LayoutAsked layout, bool published) {
    Err e = {0};
    bool ok = op_in_domain(op, &(DomainAsked){.layout = layout, .published = published}, &e);
    if (!ok) assert_non_null(strstr(e.msg, "declares no published domain"));
    return ok;
}

static bool same_hash(const Op *a, const Op *b) { return memcmp(&a->hash, &b->hash, sizeof a->hash) == 0; }

static void layouts(void **state) {
    (void)state;
    Op op, own, narrow, wide;
    accepts(DOC X BODY, &op);
    assert_false(op.domain.contiguous);
    assert_string_equal(op_layout(&op), "any");
    accepts(DOC X "layout = \"any\"\n" BODY, &own);
    assert_false(own.domain.contiguous);
    accepts(DOC X "layout = \"contiguous\"\n" BODY, &own);
    assert_true(own.domain.contiguous);
    assert_string_equal(op_layout(&own), "contiguous");

    narrow = wide = op;
    assert_true(in_domain(&narrow, LAYOUT_CONTIGUOUS, false));
    assert_true(narrow.domain.contiguous && !same_hash(&narrow, &op));
    assert_true(in_domain(&wide, LAYOUT_ANY, false) && in_domain(&wide, LAYOUT_DECLARED, false));
    assert_true(!wide.domain.contiguous && same_hash(&wide, &op)); // what it is already changes nothing
    wide = own;
    assert_true(in_domain(&wide, LAYOUT_CONTIGUOUS, false) && same_hash(&wide, &own));
    assert_true(in_domain(&wide, LAYOUT_ANY, false) && !same_hash(&wide, &own));
    assert_false(in_domain(&op, LAYOUT_DECLARED, true));

    refuses(DOC X "layout = \"dense\"\n" BODY, "layout must be \"any\" or \"contiguous\"", "\"dense\"");
    refuses(DOC X "layout = 1\n" BODY, "", "1");
    refuses(DOC X "layout = \"any\"\nlayout = \"any\"\n" BODY, "layout is assigned twice", NULL);
}

static void published_values(void **state) {
    (void)state;
    Op op, narrow, both;
    accepts(
        DOC S
        "published = {\"s\": {\"signs\": \"positive\", \"range\": (1, 2)}, \"x\": {\"large\": False}}\n" TWO,
        &op);
    assert_true(op.has_published && op.input[1].both_signs && op.input[0].large && !op.domain.published);
    narrow = both = op;
    assert_true(in_domain(&narrow, LAYOUT_DECLARED, true));
    assert_true(narrow.domain.published && !same_hash(&narrow, &op));
    const OpInput *x = &narrow.input[0], *s = &narrow.input[1];
    assert_true(!s->both_signs && s->range_lo == 1 && s->range_hi == 2);
    assert_true(!x->large && x->scale_lo == 1e-4 && x->scale_hi == 64 && x->shift == 100);
    assert_true(in_domain(&both, LAYOUT_CONTIGUOUS, true));
    assert_true(!same_hash(&both, &narrow) && both.domain.contiguous && both.domain.published);
    Buf said = BUF(&arena);
    op_domain(&said, &op);
    assert_non_null(
        strstr(buf_cstr(&said), "in the published domain (--domain published), s: values from 1 to 2\n"));
    op_domain(&said, &both);
    assert_non_null(strstr(buf_cstr(&said), "inputs are contiguous"));
    assert_non_null(strstr(buf_cstr(&said), "values of the published domain only"));
}

static void what_is_not_narrower_is_refused(void **state) {
    (void)state;
    static const char within[] = "must lie within the declared one";
    refuses(DOC S "published = {\"s\": {\"range\": (0.25, 2)}}\n" TWO, within, "{\"range\"");
    refuses(DOC S "published = {\"s\": {\"range\": (1, 5)}}\n" TWO, within, NULL);
    refuses(DOC S "published = {\"x\": {\"scale\": (1e-5, 1)}}\n" TWO, within, NULL);
    refuses(DOC S "published = {\"x\": {\"scale\": (1, 65)}}\n" TWO, within, NULL);
    refuses(DOC S "published = {\"x\": {\"shift\": 101}}\n" TWO, within, NULL);
    refuses(DOC S "published = {\"x\": {\"neg_inf\": True}}\n" TWO, within, NULL);
    refuses(DOC S "published = {\"x\": {\"range\": (0, 1)}}\n" TWO, "declared with a range", "\"range\"");
    refuses(DOC S "published = {\"s\": {\"scale\": (1, 2)}}\n" TWO, "declared without a range", "\"scale\"");
    refuses(DOC S "published = {\"y\": {\"scale\": (1, 2)}}\n" TWO, "must name inputs", "\"y\"");
    refuses(DOC S "published = {\"x\": {\"shape\": (\"M\",)}}\n" TWO, "changes values", "\"shape\"");
    refuses(DOC S "published = {\"x\": {\"dtype\": \"float16\"}}\n" TWO, "changes values", "\"dtype\"");
    refuses(DOC S "published = {}\n" TWO, "published is empty", "{}");
    refuses(DOC S "published = {\"x\": 1}\n" TWO, "", "1");
    refuses(DOC S "published = 1\n" TWO, "", "1");
    refuses(DOC
            "inputs = {\"x\": {\"shape\": (\"M\", \"N\")}, \"s\": {\"shape\": (\"M\",), \"dtype\": \"int64\","
            " \"range\": (0, \"N\")}}\npublished = {\"s\": {\"range\": (0, 3)}}\n" TWO,
            "", "\"range\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(layouts), cmocka_unit_test(published_values),
                                       cmocka_unit_test(what_is_not_narrower_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
