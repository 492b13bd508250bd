// The sentences that a model reads: what, where in its own source, on which input; at most FEEDBACK_MAX
// characters, and nothing of a hidden case but that it was one.
#include "judge/made_up.h"

static int hidden_of(const MadeUp *w, bool hidden) {
    for (int i = 0; i < w->d.cases; i++)
        if (w->d.truth[i].hidden == hidden && w->d.truth[i].expected->numel > 40) return i;
    fail_msg("no such case");
    return -1;
}

// As an ordinary case and as a hidden one, of which neither the size nor the place may be told.
static MadeUp world;
static int open_world(void **state) {
    (void)state;
    made_up_open(&world, "softmax", DT_F16, 3);
    return 0;
}
static int close_world(void **state) {
    (void)state;
    made_up_close(&world);
    return 0;
}
static bool says(const char *text, const char *part) {
    assert_true(strlen(text) <= FEEDBACK_MAX);
    return strstr(text, part) != NULL;
}
static const char *size_words(int index) {
    Buf b = BUF(&world.a);
    truth_name(&b, &world.d, index);
    return buf_cstr(&b);
}

static void a_finding_has_its_place_and_what_next(void **state) {
    (void)state;
    Str source = STR("first\nsecond\n");
    int at = hidden_of(&world, false);
    CaseReport r = {.case_index = at, .kind = REPORT_FINDING, .finding = DIAG_OOB, .at = 8, .len = 2};
    wire_message(&r, "store outside of y.");
    const char *s = feedback_finding(&world.a, &world.d, source, &r);
    assert_true(says(s, "line 2:3: store outside of y, on input "));
    assert_true(says(s, size_words(at)));
    assert_true(says(s, "Guard that access"));
    // Outside of the source there is no place.
    r.at = (uint32_t)source.len + 1;
    s = feedback_finding(&world.a, &world.d, source, &r);
    assert_false(says(s, "line "));
    Span place;
    assert_false(finding_place(source, &r, &place));
    r.at = (uint32_t)source.len, r.len = 0; // its very end is one
    assert_true(finding_place(source, &r, &place));
    // In the source itself: no input. A question stays one.
    r.case_index = -1;
    wire_message(&r, "did you mean `x`?");
    s = feedback_finding(&world.a, &world.d, source, &r);
    assert_true(says(s, "did you mean `x`? "));
    assert_false(says(s, "on input"));
}

static void every_kind_says_what_next(void **state) {
    (void)state;
    for (DiagKind k = DIAG_SYNTAX; k < DIAG_COUNT; k++) {
        if (k == DIAG_WARNING) continue;
        CaseReport r = {.case_index = -1, .kind = REPORT_FINDING, .finding = (int32_t)k};
        wire_message(&r, "X");
        const char *s = feedback_finding(&world.a, &world.d, STR("source"), &r);
        assert_true(says(s, "line 1:1: X. "));
        assert_true(strlen(s) > strlen("line 1:1: X. ") + 10);
    }
}

static void unwritten_elements_are_counted(void **state) {
    (void)state;
    int at = hidden_of(&world, false);
    const Bound *b = world.d.truth[at].expected;
    int64_t n = b->shape[b->rank - 1];
    CaseReport r = {.case_index = at, .output[0].unwritten = 5, .output[0].first_unwritten = n + 2};
    const char *s = feedback_unwritten(&world.a, &world.d, &r, 0);
    assert_true(says(s, arena_printf(&world.a, "left 5 of %lld output elements", (long long)b->numel)));
    assert_true(says(s, "the first is row 1, column 2"));
    world.d.truth[at].hidden = true;
    s = feedback_unwritten(&world.a, &world.d, &r, 0);
    assert_true(says(s, "on an input of secret size") && !says(s, "row 1") && !says(s, size_words(at)));
    world.d.truth[at].hidden = false;
}

static void shapes_and_types_are_named(void **state) {
    (void)state;
    int at = hidden_of(&world, false);
    const Bound *b = world.d.truth[at].expected;
    CaseReport r = {.case_index = at, .output[0] = {.dtype = DT_F32, .rank = b->rank}};
    memcpy(r.output[0].shape, b->shape, sizeof b->shape);
    assert_true(says(feedback_shape(&world.a, &world.d, &r, 0), "dtype float32, expected float16"));
    r.output[0] = (ReportOutput){.dtype = DT_F32, .rank = 3, .shape = {2, 3, 4}};
    assert_true(says(feedback_shape(&world.a, &world.d, &r, 0), "shape [2, 3, 4], expected ["));
    r.output[0].rank = 0;
    assert_true(says(feedback_shape(&world.a, &world.d, &r, 0), "shape [], expected ["));
}

static void numbers_tell_their_place_and_decade(void **state) {
    (void)state;
    int at = hidden_of(&world, false);
    const Bound *b = world.d.truth[at].expected;
    int64_t n = b->shape[b->rank - 1];
    Comparison c = {.worst = MATCH_INCORRECT, .wrong = 3, .total = b->numel, .worst_at = n + 1};
    const char *s = feedback_numeric(&world.a, &world.d, at, &c, "a warning.");
    assert_true(says(s, "Values are wrong in 3 of "));
    assert_true(says(s, " at row 1, column 1, where the right answer is "));
    assert_true(says(s, class_words(truth_class(&world.d, at, 0, n + 1))));
    assert_true(says(s, "This is not rounding"));
    assert_true(says(s, " Note that a warning.") && !says(s, ".."));
    c.worst = MATCH_INACCURATE;
    s = feedback_numeric(&world.a, &world.d, at, &c, "");
    assert_true(says(s, "more rounding than an honest float32") && !says(s, "Note that"));
    c.worst = MATCH_NAN, c.nans = 2;
    assert_true(says(feedback_numeric(&world.a, &world.d, at, &c, ""), "NaN or infinity does not match"));
    assert_true(says(feedback_numeric(&world.a, &world.d, at, &c, ""), " in 2 of "));
    world.d.truth[at].hidden = true;
    s = feedback_numeric(&world.a, &world.d, at, &c, "");
    assert_true(says(s, "on an input of secret size (") && !says(s, " at row") && !says(s, size_words(at)));
    assert_false(says(s, "the right answer is"));
    world.d.truth[at].hidden = false;
}

static void orders_and_rows(void **state) {
    (void)state;
    int at = hidden_of(&world, false);
    const Bound *b = world.d.truth[at].expected;
    int64_t n = b->shape[b->rank - 1];
    assert_true(
        says(feedback_orders(&world.a, &world.d, at, 0, n + 3), "two orders differ at row 1, column 3"));
    assert_false(says(feedback_orders(&world.a, &world.d, at, 0, -1), "two orders differ"));
    assert_true(says(feedback_rows(&world.a, &world.d, at, 0, 4), "Row 4 of the result on input "));
    assert_true(says(feedback_child(&world.a, "it died"), "No verdict on the values: it died."));
    assert_true(world.d.dependences > 0);
    const Dependence *dep = &world.d.dependence[0];
    const char *s = feedback_unread(&world.a, &world.d, dep, 0, 0);
    assert_true(says(s, "What was stored at output row 0, column 0 comes from no load of row "));
    assert_true(says(s, " of x"));
}

static void acceptance_says_how_close_it_was(void **state) {
    (void)state;
    CaseResults c = {.passed = 7, .run = 7, .worst = {.use = 0.25}};
    const char *s = feedback_ok(&world.a, &world.d, &c, "");
    assert_true(says(s, "Accepted: 7 of 7 cases passed (quick)"));
    assert_true(says(s, "largest error 25 % of the allowed error."));
    assert_false(says(s, "Note that"));
    assert_true(
        says(feedback_ok(&world.a, &world.d, &c, "something is slow."), " Note that something is slow."));
}

static void no_sentence_is_too_long(void **state) {
    (void)state;
    char longest[WIRE_MESSAGE_MAX + 200];
    memset(longest, 'w', sizeof longest);
    longest[sizeof longest - 1] = 0;
    int at = hidden_of(&world, false);
    Comparison c = {.worst = MATCH_INCORRECT, .wrong = 3, .total = 5, .worst_at = 1};
    const char *s = feedback_numeric(&world.a, &world.d, at, &c, longest);
    assert_int_equal(strlen(s), FEEDBACK_MAX);
    assert_string_equal(s + FEEDBACK_MAX - 3, "...");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finding_has_its_place_and_what_next), cmocka_unit_test(every_kind_says_what_next),
        cmocka_unit_test(unwritten_elements_are_counted),        cmocka_unit_test(shapes_and_types_are_named),
        cmocka_unit_test(numbers_tell_their_place_and_decade),   cmocka_unit_test(orders_and_rows),
        cmocka_unit_test(acceptance_says_how_close_it_was),      cmocka_unit_test(no_sentence_is_too_long),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
