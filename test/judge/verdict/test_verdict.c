// A verdict's names and its JSON: the contract of the command line, key by key.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "judge/verdict/traffic.h"
#include "judge/verdict/verdict.h"

static void statuses_have_names_and_classes(void **state) {
    (void)state;
    int count[3] = {0};
    for (Status s = 0; s < STATUS_COUNT; s++) {
        Status back = STATUS_COUNT;
        assert_true(status_by_name(str_of(status_name(s)), &back));
        assert_int_equal(back, s);
        assert_true(*status_doc(s));
        count[status_class(s)]++;
        Verdict v = {.decision = {.status = s}};
        assert_int_equal(verdict_accepted(&v), status_class(s) == CLASS_ACCEPTED);
    }
    assert_int_equal(count[CLASS_ACCEPTED], 1);
    assert_int_equal(count[CLASS_UNDECIDED], 3);
    Status s = STATUS_race;
    assert_false(status_by_name(STR("OK"), &s));
    assert_false(status_by_name(STR(""), &s));
    assert_int_equal(s, STATUS_race); // as it was
}

static void levels_have_names(void **state) {
    (void)state;
    Level l = LEVEL_FULL;
    assert_true(level_by_name(STR("quick"), &l) && l == LEVEL_QUICK);
    assert_true(level_by_name(STR("full"), &l) && l == LEVEL_FULL);
    assert_false(level_by_name(STR("fast"), &l));
    for (Level k = 0; k < LEVEL_COUNT; k++) {
        assert_true(level_by_name(str_of(level_name(k)), &l));
        assert_int_equal(l, k);
    }
}

static void only_an_answer_that_was_none_refuses(void **state) {
    (void)state;
    for (Status s = 0; s < STATUS_COUNT; s++) {
        Verdict v = {.decision = {.status = s}};
        assert_int_equal(verdict_refuses(&v),
                         s == STATUS_host_error || s == STATUS_compile_fail || s == STATUS_timeout);
    }
}

static Verdict sample(Status s) {
    return (Verdict){
        .op = STR("softmax"),
        .source_sha256 = "abc",
        .judged = {.level = LEVEL_FULL, .seed = 42, .replay = true, .elapsed_ms = 12.5},
        .decision = {.status = s, .rule = "all", .feedback = "a \"sentence\""},
        .cases = {.run = 7,
                  .passed = 6,
                  .worst = {.where = "float16 17x1000 bell", .error_ulp = 1.5, .bound_ulp = 3, .use = 0.5}},
        .traffic = {.count = {.bytes_loaded = 150, .bytes_stored = 50, .launches = 2}, .bytes_ideal = 100}};
}

static bool lacks(const json_t *o, const char *key) { return json_object_get(o, key) == NULL; }

static void the_object_is_the_contract(void **state) {
    (void)state;
    static const char *const keys[] = {
        "op",    "source_sha256", "accepted", "status", "rule",  "feedback",   "cases_run", "cases_passed",
        "worst", "traffic",       "seed",     "replay", "level", "elapsed_ms", "version",   "domain"};
    Verdict v = sample(STATUS_incorrect);
    json_t *o = verdict_object(&v), *member;
    assert_non_null(o);
    size_t at = 0;
    const char *key;
    json_object_foreach(o, key, member) {
        assert_true(at < sizeof keys / sizeof *keys);
        assert_string_equal(key, keys[at++]);
    }
    assert_int_equal(at, sizeof keys / sizeof *keys); // a rejected one has no evidence
    assert_string_equal(json_string_value(json_object_get(o, "status")), "incorrect");
    assert_true(json_is_false(json_object_get(o, "accepted")));
    assert_int_equal(json_integer_value(json_object_get(o, "seed")), 42);
    assert_string_equal(json_string_value(json_object_get(o, "feedback")), "a \"sentence\"");
    const json_t *worst = json_object_get(o, "worst"), *traffic = json_object_get(o, "traffic");
    assert_true(json_real_value(json_object_get(worst, "error_ulp")) == 1.5);
    assert_true(json_real_value(json_object_get(worst, "share_of_bound")) == 0.5);
    assert_true(json_real_value(json_object_get(traffic, "ratio")) == 2.0);
    assert_int_equal(json_integer_value(json_object_get(traffic, "ideal_bytes")), 100);
    json_decref(o);
}

static void an_accepted_one_has_evidence(void **state) {
    (void)state;
    static const MutationScore score = {
        .mutants = 10, .killed = 8, .survived = 1, .equivalent = 1, .version = "1", .margin = 2};
    Verdict v = sample(STATUS_ok);
    json_t *o = verdict_object(&v);
    assert_true(json_is_true(json_object_get(o, "accepted")));
    assert_true(json_is_null(json_object_get(o, "row_bits")) && json_is_null(json_object_get(o, "giant")));
    assert_true(json_is_null(json_object_get(o, "op_strength")));
    assert_int_equal(json_array_size(json_object_get(o, "unexecuted")), 0);
    assert_true(lacks(o, "every_size") && lacks(o, "old_names") && lacks(o, "include_sha256"));
    json_decref(o);

    v.evidence.row_bits = ROW_BITS_SAME;
    v.evidence.metamorphic_bits = ROW_BITS_DIFFER;
    v.evidence.large = (LargeTensors){.asked = true, .safe = 5, .fails = 9, .at = {3, 4}, .why = "too far"};
    v.evidence.proved = &score;
    v.evidence.coverage.line[0] = 12, v.evidence.coverage.lines = 1, v.evidence.coverage.more_sizes = true;
    v.evidence.tried[0] = 50, v.evidence.tries = 1;
    v.evidence.untested[0] = 70000, v.evidence.untesteds = 1;
    v.evidence.every_size = 64;
    v.allowed.old_names = true;
    snprintf(v.allowed.include_sha256, sizeof v.allowed.include_sha256, "def");
    o = verdict_object(&v);
    assert_string_equal(json_string_value(json_object_get(o, "row_bits")), "same");
    assert_string_equal(json_string_value(json_object_get(o, "invariant_bits")), "differ");
    const json_t *large = json_object_get(o, "giant"), *strength = json_object_get(o, "op_strength");
    assert_int_equal(json_integer_value(json_object_get(large, "safe_elements")), 5);
    assert_int_equal(json_integer_value(json_object_get(large, "fails_at")), 9);
    assert_int_equal(json_integer_value(json_object_get(large, "line")), 3);
    assert_int_equal(json_integer_value(json_object_get(strength, "killed")), 8);
    assert_true(json_real_value(json_object_get(strength, "smallest_margin")) == 2);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(o, "unexecuted"), 0)), 12);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(o, "sizes_tried"), 0)), 50);
    const json_t *rest = json_object_get(o, "sizes_untested");
    assert_int_equal(json_array_size(rest), 2);
    assert_string_equal(json_string_value(json_array_get(rest, 1)), "more");
    assert_int_equal(json_integer_value(json_object_get(o, "every_size")), 64);
    assert_true(json_is_true(json_object_get(o, "old_names")));
    assert_string_equal(json_string_value(json_object_get(o, "include_sha256")), "def");
    json_decref(o);
}

static void what_is_no_number_is_null(void **state) {
    (void)state;
    Verdict v = sample(STATUS_nan_class);
    v.cases.worst.error_ulp = INFINITY;
    v.cases.worst.use = NAN;
    json_t *o = verdict_object(&v);
    const json_t *worst = json_object_get(o, "worst");
    assert_true(json_is_null(json_object_get(worst, "error_ulp")));
    assert_true(json_is_null(json_object_get(worst, "share_of_bound")));
    assert_true(json_is_real(json_object_get(worst, "bound_ulp")));
    json_decref(o);
}

static void one_line_with_the_callers_member_first(void **state) {
    (void)state;
    Arena a = {0};
    Buf plain = BUF(&a), first = BUF(&a);
    Verdict v = sample(STATUS_ok);
    json_t *id = json_string("a\nb");
    verdict_json(&plain, &v, NULL, NULL);
    verdict_json(&first, &v, "id", id);
    assert_null(strchr(buf_cstr(&plain), '\n'));
    assert_null(strchr(buf_cstr(&first), '\n'));
    assert_int_equal(strncmp(buf_cstr(&plain), "{\"op\":", 6), 0);
    assert_int_equal(strncmp(buf_cstr(&first), "{\"id\":\"a\\nb\",\"op\":", 18), 0);
    json_decref(id); // ours again: it was borrowed
    arena_free(&a);
}

static const char *large_words(Arena *a, LargeTensors g) {
    Buf b = BUF(a);
    large_tensors_words(&b, &g);
    return buf_cstr(&b);
}

static void evidence_in_words(void **state) {
    (void)state;
    Arena a = {0};
    assert_string_equal(large_words(&a, (LargeTensors){.safe = 5}),
                        "addresses are right up to 5 elements (a few programs of each launch)");
    assert_string_equal(
        large_words(&a, (LargeTensors){.safe = 5, .fails = 9, .at = {3, 4}, .why = "w"}),
        "addresses are right up to 5 elements, but at 9 elements, line 3:4: w. That is no rejection: the "
        "definition asks for no tensors that large (giant = True)");
    assert_string_equal(
        large_words(&a, (LargeTensors){.fails = 9, .why = "w"}),
        "addresses are wrong at 9 elements: w. That is no rejection: the definition asks for no tensors "
        "that large (giant = True)");
    assert_string_equal(large_words(&a, (LargeTensors){.why = "no room"}),
                        "addresses beyond 2^31 elements could not be tried: no room");
    Buf b = BUF(&a);
    proved_words(&b, &(MutationScore){.killed = 8, .survived = 2, .margin = 1.5, .version = "7"});
    assert_non_null(strstr(buf_cstr(&b), "reject 8 of 10 small mistakes"));
    assert_non_null(strstr(buf_cstr(&b), "1.5 times the allowed error"));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_have_names_and_classes),
        cmocka_unit_test(levels_have_names),
        cmocka_unit_test(only_an_answer_that_was_none_refuses),
        cmocka_unit_test(the_object_is_the_contract),
        cmocka_unit_test(an_accepted_one_has_evidence),
        cmocka_unit_test(what_is_no_number_is_null),
        cmocka_unit_test(one_line_with_the_callers_member_first),
        cmocka_unit_test(evidence_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
