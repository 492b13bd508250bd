// Explaining changes nothing, and is safe whatever the child says.
#include "explain/explained.h"

// Counting by line adds up, and neither the verdict nor its evidence knows that somebody looked.
static void looking_changes_nothing(void **state) {
    (void)state;
    static const char *const names[][2] = {{"softmax", "softmax"},
                                           {"softmax", "softmax_no_max"},
                                           {"softmax", "softmax_store_without_mask"},
                                           {"softmax", "softmax_ticket"},
                                           {"softmax", "softmax_autotune_one_unstable"},
                                           {"rmsnorm", "rmsnorm_partial_tail"},
                                           {"layernorm", "layernorm_part_of_row"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Bench b;
        bench_open(&b, NULL, names[i][0]);
        b.q.minimize = false;
        look(&b, program(&b.a, names[i][1]));
        uint64_t seed = SEED;
        JudgeRequest q = {
            .op = &b.op, .level = LEVEL_QUICK, .filter = {.dtype = -1}, .seed = &seed, .without_gaps = true};
        Verdict v;
        Err e = {0};
        assert_true(referee_judge(b.r, &b.a, &q, &b.q.source, 1, &v, &e));
        assert_int_equal(v.decision.status, b.x.v.decision.status);
        assert_string_equal(v.decision.feedback, b.x.v.decision.feedback);
        assert_string_equal(v.cases.worst.where, b.x.v.cases.worst.where);
        assert_int_equal(v.cases.run, b.x.v.cases.run);
        assert_memory_equal(&v.traffic.count, &b.x.v.traffic.count, sizeof v.traffic.count);
        int64_t loaded = 0, stored = 0;
        for (int k = 0; k < b.x.lines; k++) {
            loaded += b.x.line[k].loaded;
            stored += b.x.line[k].stored;
        }
        if (!b.x.v.decision.found) { // of a case that was stopped, or was run in two orders, not all is told
            assert_true(b.x.count.bytes_loaded > 0);
            assert_true(loaded == b.x.count.bytes_loaded && stored == b.x.count.bytes_stored);
        }
        bench_close(&b);
    }
}

// A child that was taken over may write anything where the counts and flags are looked for.
static uint8_t garbage;
static int babble(const ChildJob *job) {
    memset(job->output, garbage, job->output_bytes);
    const DrawHeader *h = (const DrawHeader *)job->draw;
    const CaseSpec *spec = (const CaseSpec *)(job->draw + sizeof *h);
    for (uint32_t i = 0; i <= h->cases; i++) {
        CaseReport r = {.case_index = (int32_t)i, .kind = REPORT_RAN, .count = {.launches = 1}};
        if (i < h->cases) {
            r.output[0].dtype = wire_inputs(job->draw, job->draw_bytes, &spec[i])->dtype;
            r.output[0].rank = wire_inputs(job->draw, job->draw_bytes, &spec[i])->rank;
            memcpy(r.output[0].shape, wire_inputs(job->draw, job->draw_bytes, &spec[i])->shape,
                   sizeof r.output[0].shape);
        } else {
            r.kind = REPORT_DONE;
            r.case_index = -1;
        }
        wire_message(&r, "");
        if (write(job->report_fd, &r, sizeof r) != sizeof r) return 1;
    }
    return 0;
}

static void a_lying_child_is_looked_at_safely(void **state) {
    (void)state;
    static const uint8_t bytes[] = {0, 1, 4, 0x7f, 0x80, 0xff};
    for (size_t i = 0; i < sizeof bytes; i++) {
        garbage = bytes[i];
        Bench b;
        bench_open(&b, babble, "softmax");
        look(&b, softmax(&b.a, "c < N", "c < N"));
        assert_int_not_equal(b.x.v.decision.status, STATUS_ok);
        Buf out = BUF(&b.a);
        explain_text(&out, &b.a, &b.q, &b.x, "k.py");
        explain_json(&out, &b.a, &b.q, &b.x);
        assert_in_range(out.len, 1, 1 << 20);
        bench_close(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(a_lying_child_is_looked_at_safely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
