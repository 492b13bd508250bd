// Explanations: the facts of known mistakes, the smallest failures, and that looking changes no verdict.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "explain/explain.h"

enum { SEED = 7 };

static Str program(Arena *a, const char *name) {
    int n;
    const Program *p = op_programs(a, &n);
    for (int i = 0; i < n; i++)
        if ((p[i].kind == PROGRAM_WRONG || p[i].kind == PROGRAM_GOLD) && strcmp(p[i].name, name) == 0)
            return p[i].source;
    fail_msg("no program %s", name);
    return STR("");
}

typedef struct {
    Arena a;
    Referee *r;
    Op op;
    ExplainRequest q;
    Explanation x;
} Bench;

static void bench_open(Bench *b, ChildMain child, const char *op) {
    *b = (Bench){0};
    Err e = {0};
    RefereeConfig config = {.jobs = 2, .no_journal = true, .child = child};
    if (!referee_open(&config, &b->r, &e)) fail_msg("%s", e.msg);
    assert_true(op_find(&b->a, str_of(op), &b->op));
    b->q = (ExplainRequest){
        .op = &b->op, .level = LEVEL_QUICK, .filter = {.dtype = -1}, .seed = SEED, .minimize = true};
}
static void bench_close(Bench *b) {
    referee_close(b->r);
    arena_free(&b->a);
}
static void look(Bench *b, Str source) {
    Err e = {0};
    b->q.source = source;
    if (!explain(b->r, &b->a, &b->q, &b->x, &e)) fail_msg("%s", e.msg);
}

// softmax by row in one block, with the store's mask and the loads' as asked for.
static Str softmax(Arena *a, const char *load, const char *store) {
    return str_of(arena_printf(
        a,
        "import torch\n"
        "import triton\n"
        "import triton.language as tl\n"
        "@triton.jit\n"
        "def k(x, y, xs, N, B: tl.constexpr):\n"
        "    r = tl.program_id(0)\n"
        "    c = tl.arange(0, B)\n"
        "    v = tl.load(x + r * xs + c, mask=%s, other=-float('inf')).to(tl.float32)\n"
        "    e = tl.exp(v - tl.max(v, axis=0))\n"
        "    tl.store(y + r * N + c, e / tl.sum(e, axis=0), mask=%s)\n"
        "def run(x):\n"
        "    y = torch.empty_like(x)\n"
        "    k[(x.shape[0],)](x, y, x.stride(0), x.shape[1], B=triton.next_power_of_2(x.shape[1]))\n"
        "    return y\n",
        load, store));
}

static void an_accepted_kernel(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, NULL, "softmax");
    look(&b, softmax(&b.a, "c < N", "c < N"));
    const Explanation *x = &b.x;
    assert_int_equal(x->v.decision.status, STATUS_ok);
    assert_int_equal(x->case_index, -1);
    assert_null(x->case_words);
    assert_null(x->picture.pixel);
    assert_int_equal(x->minimal.runs, 0);
    assert_int_equal(x->lines, 2);
    assert_int_equal(x->line[0].line, 8);
    assert_int_equal(x->line[1].line, 10);
    assert_true(x->line[0].loaded == x->input_bytes && x->line[0].stored == 0);
    assert_true(x->line[1].stored == x->output_bytes && x->line[1].loaded == 0);
    assert_false(x->traffic_cut);
    bench_close(&b);
}

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
        JudgeRequest q = {.op = &b.op, .level = LEVEL_QUICK, .filter = {.dtype = -1}, .seed = &seed};
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

static void an_unwritten_column(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, NULL, "softmax");
    b.q.filter = (DrawFilter){.m = 6, .n = 100, .dtype = DT_F32};
    look(&b, softmax(&b.a, "c < N", "c < N - 1"));
    const Explanation *x = &b.x;
    assert_int_equal(x->v.decision.status, STATUS_uncovered_output);
    assert_true(x->any_class);
    assert_int_equal(x->picture.rows, 6);
    assert_int_equal(x->picture.columns, 100);
    assert_int_equal(x->picture.tile_columns, 128);
    assert_int_equal(x->region.of[PIXEL_UNWRITTEN], 6);
    assert_int_equal(x->region.bad, 6);
    assert_true(x->region.solid && x->region.column_first == 99 && x->region.column_last == 99);
    const Minimal *m = &x->minimal;
    assert_true(m->found && m->rows == 1 && m->row == 1 && m->out_row == 0 && m->out_column == 0);
    assert_false(m->has_values);
    bench_close(&b);
}

// Wrong from the 17th column on: one row of 17 is the least that shows it, and the element has both values.
static void a_dropped_tail_shrinks_to_its_edge(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, NULL, "softmax");
    b.q.filter = (DrawFilter){.m = 40, .n = 1000, .dtype = DT_F32};
    look(&b, softmax(&b.a, "(c < N) & (c < 16)", "c < N"));
    const Explanation *x = &b.x;
    assert_true(explain_values_matter(x->v.decision.status));
    assert_false(x->any_class);
    const Minimal *m = &x->minimal;
    assert_true(m->found && !m->same && !m->strided);
    assert_int_equal(m->rows, 1);
    assert_int_equal(m->row, 17);
    assert_in_range(m->runs, 2, SHRINK_RUNS_MAX);
    assert_int_equal(m->cls, x->cls);
    assert_int_equal(m->v.decision.status, x->v.decision.status);
    assert_true(m->has_values && m->out_row == 0);
    assert_true(isnan(m->got) || fabs(m->got - m->expected) > m->bound);
    // Again from the same seed: the same.
    Minimal before = *m;
    look(&b, b.q.source);
    assert_true(b.x.minimal.runs == before.runs && b.x.minimal.row == before.row);
    assert_memory_equal(&b.x.minimal.expected, &before.expected, sizeof before.expected);
    assert_memory_equal(&b.x.minimal.got, &before.got, sizeof before.got);
    bench_close(&b);
}

static void a_race_needs_two_programs(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, NULL, "softmax");
    look(&b, program(&b.a, "softmax_ticket"));
    assert_int_equal(b.x.v.decision.status, STATUS_nondeterministic);
    assert_true(b.x.minimal.found);
    assert_int_equal(b.x.minimal.rows, 2); // one program alone has no order
    bench_close(&b);
}

static void a_finding_keeps_its_place(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, NULL, "softmax");
    look(&b, softmax(&b.a, "c < N", "c < N + 1"));
    const Explanation *x = &b.x;
    assert_int_equal(x->v.decision.status, STATUS_oob);
    assert_non_null(x->finding.msg);
    assert_int_equal(line_col(b.q.source, x->finding.span.at).line, 10);
    assert_null(x->picture.pixel);
    assert_true(x->traffic_cut);
    // Three columns in a block of four: powers of two have no lane beyond the mask.
    assert_true(x->minimal.found && x->minimal.rows == 1 && x->minimal.row == 3);
    bench_close(&b);
}

// A child that was taken over may write anything where the counts and flags are looked for.
static uint8_t garbage;
static int babble(const ChildJob *job) {
    memset(job->output, garbage, job->output_bytes);
    const DrawHeader *h = (const DrawHeader *)job->draw;
    const CaseSpec *spec = (const CaseSpec *)(job->draw + sizeof *h);
    for (uint32_t i = 0; i <= h->cases; i++) {
        CaseReport r = {
            .case_index = (int32_t)i, .kind = REPORT_RAN, .first_unwritten = -1, .count = {.launches = 1}};
        if (i < h->cases) {
            r.dtype = spec[i].input[0].dtype;
            r.rank = spec[i].input[0].rank;
            memcpy(r.shape, spec[i].input[0].shape, sizeof r.shape);
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

static void mutants_of_an_accepted_kernel(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, NULL, "softmax");
    b.q.minimize = false;
    b.q.prove = true;
    look(&b, softmax(&b.a, "c < N", "c < N"));
    const Strength *s = &b.x.strength;
    assert_true(s->asked);
    assert_in_range(s->killed, 10, s->mutants);
    assert_int_equal(s->killed + s->survived + s->refused + s->undecided, s->mutants);
    assert_non_null(s->nearest);
    assert_true(s->margin > 1);
    look(&b, softmax(&b.a, "c < N", "c < N - 1")); // rejected: its mutants say nothing
    assert_false(b.x.strength.asked);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_accepted_kernel),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(an_unwritten_column),
        cmocka_unit_test(a_dropped_tail_shrinks_to_its_edge),
        cmocka_unit_test(a_race_needs_two_programs),
        cmocka_unit_test(a_finding_keeps_its_place),
        cmocka_unit_test(a_lying_child_is_looked_at_safely),
        cmocka_unit_test(mutants_of_an_accepted_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
