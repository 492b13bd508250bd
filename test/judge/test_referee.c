// The judge as a whole, with children that are not what they should be: no acceptance without the right bytes
// in every output, whatever the child says.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "judge/referee.h"

static char state_dir[64];

static Str first_program(Arena *a, ProgramKind kind, const char *op) {
    int n;
    const Program *p = op_programs(a, &n);
    for (int i = 0; i < n; i++)
        if (p[i].kind == kind && (!op || str_is(p[i].op, op))) return p[i].source;
    fail_msg("no program");
    return STR("");
}

static Verdict judge_with(ChildMain child, ProgramKind kind, uint64_t seed) {
    Arena a = {0};
    Err e = {0};
    Referee *r;
    RefereeConfig config = {.jobs = 2, .no_journal = true, .child = child};
    if (!referee_open(&config, &r, &e)) fail_msg("%s", e.msg);
    Op op;
    assert_true(op_find(&a, STR("softmax"), &op));
    Str source = first_program(&a, kind, "softmax");
    JudgeRequest q = {.op = &op, .level = LEVEL_QUICK, .filter = {.dtype = -1}, .seed = &seed};
    Verdict v;
    if (!referee_judge(r, &a, &q, &source, 1, &v, &e)) fail_msg("%s", e.msg);
    v.decision.feedback = "";
    v.decision.rule = "";
    v.op = STR("");
    referee_close(r);
    arena_free(&a);
    return v;
}

static void honest_child_accepts_a_gold(void **state) {
    (void)state;
    assert_int_equal(judge_with(NULL, PROGRAM_GOLD, 11).decision.status, STATUS_ok);
}
static void honest_child_rejects_a_wrong_kernel(void **state) {
    (void)state;
    Verdict v = judge_with(NULL, PROGRAM_WRONG, 11);
    assert_int_not_equal(v.decision.status, STATUS_ok);
}

// Claims that every case ran and was written, with frames that pass every check, without running anything.
static void claim_all(const ChildJob *job, uint8_t fill) {
    const DrawHeader *h = (const DrawHeader *)job->draw;
    const CaseSpec *spec = (const CaseSpec *)(job->draw + sizeof *h);
    memset(job->output, fill, job->output_bytes);
    for (uint32_t i = 0; i <= h->cases; i++) {
        CaseReport r = {
            .case_index = (int32_t)i,
            .kind = REPORT_RAN,
        };
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
        if (write(job->report_fd, &r, sizeof r) != (ssize_t)sizeof r) return;
    }
}
static int child_zeros(const ChildJob *job) { return claim_all(job, 0), 0; }
static int child_chosen(const ChildJob *job) { return claim_all(job, 0x3c), 0; }
static int child_nothing(const ChildJob *job) { return (void)job, 0; }
static int child_done_only(const ChildJob *job) {
    CaseReport r = {
        .case_index = -1,
        .kind = REPORT_DONE,
    };
    wire_message(&r, "ok");
    return write(job->report_fd, &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1;
}
static int child_garbage(const ChildJob *job) {
    char junk[4096];
    memset(junk, 0xa5, sizeof junk);
    return write(job->report_fd, junk, sizeof junk) > 0 ? 0 : 1;
}
static int child_half(const ChildJob *job) {
    claim_all(job, 0);
    return write(job->report_fd, "half", 4) == 4 ? 0 : 1;
}
static int child_exit_code(const ChildJob *job) { return claim_all(job, 0), 7; }
static int child_dies(const ChildJob *job) {
    (void)job;
    __builtin_trap();
}
// Inputs echoed as outputs: right shape, right dtype, plausible values.
static int child_echo(const ChildJob *job) {
    const DrawHeader *h = (const DrawHeader *)job->draw;
    const CaseSpec *spec = (const CaseSpec *)(job->draw + sizeof *h);
    for (uint32_t i = 0; i < h->cases; i++) {
        const CaseTensor *t = wire_inputs(job->draw, job->draw_bytes, &spec[i]);
        int64_t n = t->bytes < spec[i].output_bytes ? t->bytes : spec[i].output_bytes;
        memcpy(job->output + spec[i].output_at, job->draw + t->at, (size_t)n);
    }
    claim_all(job, 0); // overwrites: then echo again
    for (uint32_t i = 0; i < h->cases; i++) {
        const CaseTensor *t = wire_inputs(job->draw, job->draw_bytes, &spec[i]);
        int64_t n = t->bytes < spec[i].output_bytes ? t->bytes : spec[i].output_bytes;
        memcpy(job->output + spec[i].output_at, job->draw + t->at, (size_t)n);
    }
    return 0;
}

static void lying_children_get_no_acceptance(void **state) {
    (void)state;
    static const struct {
        const char *name;
        ChildMain main;
        Status expect;
    } liars[] = {
        {"zeros", child_zeros, STATUS_incorrect},     {"chosen bytes", child_chosen, STATUS_incorrect},
        {"echo", child_echo, STATUS_nan_class},       {"nothing", child_nothing, STATUS_crash},
        {"only done", child_done_only, STATUS_crash}, {"garbage", child_garbage, STATUS_crash},
        {"half a frame", child_half, STATUS_crash},   {"exit code", child_exit_code, STATUS_crash},
        {"death", child_dies, STATUS_crash},
    };
    for (size_t i = 0; i < sizeof liars / sizeof *liars; i++) {
        Verdict v = judge_with(liars[i].main, PROGRAM_GOLD, 5);
        if (verdict_accepted(&v)) fail_msg("a child that answers with %s was accepted", liars[i].name);
        if (v.decision.status != liars[i].expect)
            fail_msg("%s: %s", liars[i].name, status_name(v.decision.status));
    }
}

static void same_seed_same_verdict(void **state) {
    (void)state;
    Verdict a = judge_with(NULL, PROGRAM_GOLD, 42), b = judge_with(NULL, PROGRAM_GOLD, 42),
            c = judge_with(NULL, PROGRAM_GOLD, 43);
    assert_true(a.cases.worst.error_ulp == b.cases.worst.error_ulp && a.cases.worst.use == b.cases.worst.use);
    assert_string_equal(a.cases.worst.where, b.cases.worst.where);
    assert_memory_equal(&a.traffic.count, &b.traffic.count, sizeof a.traffic.count);
    assert_true(a.cases.worst.use != c.cases.worst.use); // another seed, other inputs
}

// ---- the journal's order: sources first, then the draw, then verdicts

typedef struct {
    int sources, verdicts;
    bool source_after_verdict_of_its_batch;
} Seen;
static bool look(void *arg, Str json) {
    Seen *s = arg;
    json_t *o = json_loadb(json.p, json.len, 0, NULL);
    const char *record = json_string_value(json_object_get(o, "record"));
    assert_non_null(record);
    if (strcmp(record, "source") == 0) {
        s->sources++;
        s->source_after_verdict_of_its_batch |= s->verdicts > 0;
    } else {
        s->verdicts++;
        assert_true(json_integer_value(json_object_get(o, "seed")) >= 0);
    }
    json_decref(o);
    return true;
}

static void a_batch_shares_one_draw_made_after_all_hashes(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Referee *r;
    RefereeConfig config = {.jobs = 2, .state = state_dir};
    if (!referee_open(&config, &r, &e)) fail_msg("%s", e.msg);
    Op op;
    assert_true(op_find(&a, STR("softmax"), &op));
    Str source[3] = {first_program(&a, PROGRAM_GOLD, "softmax"), first_program(&a, PROGRAM_WRONG, "softmax"),
                     STR("x = (")};
    JudgeRequest q = {.op = &op, .level = LEVEL_QUICK, .filter = {.dtype = -1}};
    Verdict v[3], later;
    assert_true(referee_judge(r, &a, &q, source, 3, v, &e));
    assert_int_equal(v[0].decision.status, STATUS_ok);
    assert_int_not_equal(v[1].decision.status, STATUS_ok);
    assert_int_equal(v[2].decision.status, STATUS_parse_reject);
    assert_true(v[0].judged.seed == v[1].judged.seed && v[1].judged.seed == v[2].judged.seed);
    Seen seen = {0};
    int damaged = 0;
    assert_true(journal_scan(state_dir, look, &seen, &damaged, &e));
    assert_int_equal(seen.sources, 3);
    assert_int_equal(seen.verdicts, 3);
    assert_false(seen.source_after_verdict_of_its_batch);
    assert_int_equal(damaged, 0);
    // A source that arrives after the draw never shares it.
    assert_true(referee_judge(r, &a, &q, source, 1, &later, &e));
    assert_true(later.judged.seed != v[0].judged.seed);
    referee_close(r);
    arena_free(&a);
}

static int make_state(void **state) {
    (void)state;
    snprintf(state_dir, sizeof state_dir, "/tmp/ouroboros-test-XXXXXX");
    return mkdtemp(state_dir) ? 0 : -1;
}
static int drop_state(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", state_dir);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_child_accepts_a_gold),
        cmocka_unit_test(honest_child_rejects_a_wrong_kernel),
        cmocka_unit_test(lying_children_get_no_acceptance),
        cmocka_unit_test(same_seed_same_verdict),
        cmocka_unit_test(a_batch_shares_one_draw_made_after_all_hashes),
    };
    return cmocka_run_group_tests(tests, make_state, drop_state);
}
