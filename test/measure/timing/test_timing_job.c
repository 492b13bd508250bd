#include "measure/timing/timing_job.h"

#include "../../gpu/vm_gpu.h"
#include "../hostile.h"

static Arena a;
static Err e;

static TimingJob made(TimingContender *contender) {
    TimingJob job = {.seed = 42,
                     .rounds = 9,
                     .checked = 2,
                     .target_us = 250.5,
                     .seconds = 3,
                     .l2_times = 4,
                     .rows = 8,
                     .output = {4 * 8 * 16},
                     .outputs = 1,
                     .inputs = 1,
                     .contender = contender,
                     .contenders = 1};
    job.input[0] = (TimingInput){64, 4 * 8 * 16, 4 * 16};
    contender[0] = (TimingContender){STR("k"), true, copy_run(&a, "k", 8, 16)};
    return job;
}

static void test_a_job_crosses_whole(void **state) {
    (void)state;
    TimingContender contender[1];
    TimingJob job = made(contender), again;
    Buf text = BUF(&a);
    timing_job_write(&text, &job);
    if (!timing_job_read(&a, buf_str(&text), 64 + 512, &again, &e)) fail_msg("%s", e.msg);
    assert_int_equal(again.rounds, 9);
    assert_int_equal(again.checked, 2);
    assert_true(again.target_us > 250 && again.target_us < 251);
    assert_int_equal(again.input[0].at, 64);
    assert_int_equal(again.input[0].row_bytes, 64);
    assert_true(str_is(again.contender[0].name, "k"));
    assert_true(again.contender[0].compared);
    assert_int_equal(again.contender[0].run.steps, 1);
    // The seed decides: equal texts are equal jobs.
    Buf other = BUF(&a);
    job.seed = 44;
    timing_job_write(&other, &job);
    assert_false(str_eq(buf_str(&text), buf_str(&other)));
}

static void test_a_job_beyond_its_mapping_is_refused(void **state) {
    (void)state;
    TimingContender contender[1];
    TimingJob job = made(contender), again;
    Buf text = BUF(&a);
    timing_job_write(&text, &job);
    assert_false(timing_job_read(&a, buf_str(&text), 64 + 511, &again, &e));
    assert_non_null(strstr(e.msg, "input 0 is not what its mapping holds"));
    e = (Err){0};
    job.rows = 9; // not as many rows as its bytes make
    Buf rows = BUF(&a);
    timing_job_write(&rows, &job);
    assert_false(timing_job_read(&a, buf_str(&rows), 64 + 512, &again, &e));
    e = (Err){0};
    assert_false(timing_job_read(&a, STR("{\"rounds\":65}"), 0, &again, &e));
    assert_non_null(strstr(e.msg, "\"rounds\" is 65"));
    e = (Err){0};
    assert_false(timing_job_read(&a, STR("[]"), 0, &again, &e));
    e = (Err){0};
}

// An answer that takes an input's place: as large as it, and no other takes it; whose answers are handed back
// has them there.
static void test_places_of_answers_are_checked(void **state) {
    (void)state;
    TimingContender contender[1];
    TimingJob job = made(contender), again;
    job.in_place[0] = 1;
    contender[0].run.output[0] = (TimedView){0, 0};
    Buf text = BUF(&a);
    timing_job_write(&text, &job);
    if (!timing_job_read(&a, buf_str(&text), 64 + 512, &again, &e)) fail_msg("%s", e.msg);
    assert_true(again.in_place[0] == 1 && timing_changes(&again, 0) && timing_restores(&again));
    contender[0].run.output[0].buffer = 1;
    Buf elsewhere = BUF(&a);
    timing_job_write(&elsewhere, &job);
    assert_false(timing_job_read(&a, buf_str(&elsewhere), 64 + 512, &again, &e));
    assert_non_null(strstr(e.msg, "contender k: answer 0 is not the input that is changed in place"));
    e = (Err){0};
    contender[0].compared = false; // as streaming is
    Buf yardstick = BUF(&a);
    timing_job_write(&yardstick, &job);
    assert_true(timing_job_read(&a, buf_str(&yardstick), 64 + 512, &again, &e));
    static const char *const bad[] = {"[2]", "[-1]", "[1,1]", "[]", "[1.5]", "[true]", "1", "[0,0]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *at = strstr(buf_cstr(&yardstick), "\"in_place\":[1]"), *from = buf_cstr(&yardstick);
        const char *changed = arena_printf(&a, "%.*s\"in_place\":%s%s", (int)(at - from), from, bad[i],
                                           at + strlen("\"in_place\":[1]"));
        if (timing_job_read(&a, str_of(changed), 64 + 512, &again, &e)) fail_msg("taken: %s", bad[i]);
        e = (Err){0};
    }
    job.outputs = 2;
    job.output[1] = 4 * 8 * 16;
    job.in_place[1] = 1; // twice
    contender[0].run.outputs = 2;
    Buf twice = BUF(&a);
    timing_job_write(&twice, &job);
    assert_false(timing_job_read(&a, buf_str(&twice), 64 + 512, &again, &e));
    assert_non_null(strstr(e.msg, "output 1 is none of its inputs"));
    e = (Err){0};
    job.in_place[0] = 0;
    job.output[1] /= 2; // another size
    Buf small = BUF(&a);
    timing_job_write(&small, &job);
    assert_false(timing_job_read(&a, buf_str(&small), 64 + 512, &again, &e));
    e = (Err){0};
}

static void test_answers_do_not_overlap(void **state) {
    (void)state;
    TimingJob job = {.output = {5000, 100}, .outputs = 1, .checked = 2};
    assert_int_equal(timing_answer_at(&job, 0, 0), 0);
    assert_int_equal(timing_answer_at(&job, 0, 1), 8192);
    assert_int_equal(timing_answer_at(&job, 1, 0), 16384);
}

static void test_a_result_crosses_whole(void **state) {
    (void)state;
    TimedContender c = {.name = STR("k"),
                        .end = TIMED_FAULT,
                        .why = "it \"broke\"",
                        .cold = {1.5, 2.25},
                        .colds = 2,
                        .hot = {0.5},
                        .hots = 1,
                        .checked_us = 3,
                        .calls_of_window = 60,
                        .windows = 3,
                        .registers = 32};
    TimingResult r = {.device = "a GPU",
                      .driver = 13000,
                      .processors = 132,
                      .sets = 15,
                      .rounds = 7,
                      .cold = true,
                      .floor_us = 0.78,
                      .sm_mhz = {1980},
                      .clocks = 1,
                      .watts = {310, 345.5},
                      .powers = 2,
                      .seconds = 0.25,
                      .contender = &c,
                      .contenders = 1,
                      .l2_bytes = 52428800},
                 again;
    Buf text = BUF(&a);
    timing_result_write(&text, &r);
    if (!timing_result_read(&a, buf_str(&text), &again, &e)) fail_msg("%s", e.msg);
    assert_string_equal(again.device, "a GPU");
    assert_int_equal(again.sets, 15);
    assert_true(again.cold);
    assert_true(again.floor_us > 0.779 && again.floor_us < 0.781);
    assert_int_equal(again.powers, 2);
    assert_true(again.watts[1] == 345.5);
    const TimedContender *b = &again.contender[0];
    assert_int_equal(b->end, TIMED_FAULT);
    assert_string_equal(b->why, "it \"broke\"");
    assert_int_equal(b->colds, 2);
    assert_true(b->cold[1] == 2.25);
    assert_int_equal(b->calls, 0);
    assert_int_equal(b->calls_of_window, 60);
    assert_int_equal(b->windows, 3);
    assert_false(timing_result_read(&a, STR("{\"contenders\":[{\"cold\":[-1]}]}"), &again, &e));
    assert_non_null(strstr(e.msg, "times belong here"));
    e = (Err){0};
}

static bool read_result(void *arg, Str text) {
    (void)arg;
    TimingResult r;
    ArenaMark m = arena_mark(&a);
    e = (Err){0};
    bool taken = timing_result_read(&a, text, &r, &e);
    if (taken) assert_true(strlen(r.device) < sizeof r.device && r.clocks <= TIMING_ROUNDS_MAX);
    for (int i = 0; taken && i < r.contenders; i++) {
        const TimedContender *c = &r.contender[i];
        assert_true(c->end < TIMED_ENDS && c->colds <= TIMING_ROUNDS_MAX &&
                    (c->end != TIMED_WELL || c->colds));
        assert_true(memchr(c->why, 0, sizeof c->why) != NULL);
        for (int k = 0; k < c->colds; k++) assert_true(c->cold[k] >= 0);
    }
    arena_reset(&a, m);
    return taken;
}
static bool read_job(void *arg, Str text) {
    (void)arg;
    TimingJob j;
    ArenaMark m = arena_mark(&a);
    e = (Err){0};
    bool taken = timing_job_read(&a, text, 64 + 512, &j, &e);
    if (taken) {
        assert_true(j.rounds >= 1 && j.rounds <= TIMING_ROUNDS_MAX && j.contenders >= 1 && j.outputs >= 1);
        for (int i = 0; i < j.inputs; i++)
            assert_true(j.input[i].at >= 0 && j.input[i].bytes >= 0 &&
                        j.input[i].at + j.input[i].bytes <= 64 + 512);
    }
    arena_reset(&a, m);
    return taken;
}

static void test_hostile_texts(void **state) {
    (void)state;
    Hostile job = {.read = read_job}, result = {.read = read_result};
    const TimingContender contender[1] = {{STR("k"), true, copy_run(&a, "k", 8, 16)}};
    TimingJob j = {.seed = 4,
                   .rounds = 7,
                   .checked = 1,
                   .target_us = 500,
                   .seconds = 10,
                   .l2_times = 5,
                   .rows = 8,
                   .output = {512},
                   .outputs = 1,
                   .inputs = 1,
                   .input = {{64, 512, 64}},
                   .contender = (TimingContender *)(uintptr_t)contender,
                   .contenders = 1};
    Buf text = BUF(&a);
    timing_job_write(&text, &j);
    hostile_json(&job, buf_str(&text));
    assert_true(job.tried > 1000 && job.taken < job.tried);
    TimedContender c = {.name = STR("k"), .cold = {1.5, 2}, .colds = 2, .hot = {1}, .hots = 1, .why = "no"};
    TimingResult r = {
        .device = "a GPU", .sets = 3, .sm_mhz = {1980}, .clocks = 1, .contender = &c, .contenders = 1};
    Buf other = BUF(&a);
    timing_result_write(&other, &r);
    hostile_json(&result, buf_str(&other));
    assert_true(result.tried > 1000 && result.taken < result.tried);
    // Ended well, and no times: taken before, and then all its answers passed for wrong ones.
    c.colds = 0;
    Buf none = BUF(&a);
    timing_result_write(&none, &r);
    assert_false(read_result(NULL, buf_str(&none)));
    assert_non_null(strstr(e.msg, "ended well has no times"));
    c.end = TIMED_UNTRIED;
    Buf untried = BUF(&a);
    timing_result_write(&untried, &r);
    assert_true(read_result(NULL, buf_str(&untried)));
    e = (Err){0};
}

static int end(void **state) {
    (void)state;
    arena_free(&a);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_a_job_crosses_whole, end),
        cmocka_unit_test_teardown(test_a_job_beyond_its_mapping_is_refused, end),
        cmocka_unit_test_teardown(test_places_of_answers_are_checked, end),
        cmocka_unit_test_teardown(test_answers_do_not_overlap, end),
        cmocka_unit_test_teardown(test_a_result_crosses_whole, end),
        cmocka_unit_test_teardown(test_hostile_texts, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
