// The rank model: what must cost more does, on every target.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include <stdlib.h>
#include <string.h>

#include "judge/referee.h"
#include "propose/smith.h"

enum { ROWS = 16, ROW = 4096, BYTES = 2 * ROWS * ROW };
static const RankCase softmax_case = {
    .rows = ROWS, .row = ROW, .has_rows = true, .elem_bytes = 2, .row_bytes = 2 * BYTES};
static const RankShape headline = {RANK_ROWS, RANK_ROW, 2};

// A program a row; each reads it `passes` times.
static Counters reading(int passes) {
    return (Counters){.programs = ROWS,
                      .launches = 1,
                      .bytes_loaded = (int64_t)passes * BYTES,
                      .bytes_stored = BYTES,
                      .tile_bytes = passes > 1 ? 24 * 1024 : 24 * ROW,
                      .warps = 8};
}
static double cost(const Target *t, Counters c) { return rank_estimate(t, &c, &softmax_case, &headline); }

static void targets_are_sane(void **state) {
    (void)state;
    int n = 0;
    for (const Target *t; (t = target_at(n)); n++) {
        const Target *found;
        Err e = {0};
        assert_true(target_by_name(t->name, &found, &e) && found == t);
        assert_true(t->bandwidth > 1e5 && t->bandwidth < 1e7); // 0.1 to 10 TB/s, in bytes a microsecond
        assert_true(t->l2_bandwidth > t->bandwidth);
        assert_true(t->l2_bytes >= 4e6 && t->l2_bytes <= 256e6);
        assert_in_range(t->sms, 16, 256);
        assert_in_range(t->sm_threads, 1024, 2048);
        assert_in_range(t->sm_programs, 16, 32);
        assert_int_equal(t->sm_registers, 65536);
        assert_true(t->clock > 1000 && t->clock < 3000);
        assert_true(t->launch_us > 0.5 && t->launch_us < 10);
        // All SMs together take in more than DRAM gives: otherwise no kernel would be bound by memory.
        assert_true(t->sms * 64 * t->clock > t->bandwidth);
        // Never faster than the bytes at the bandwidth, and a plain kernel not far from it.
        double floor_us = 2.0 * RANK_ROWS * RANK_ROW * 2 / t->bandwidth;
        assert_true(cost(t, reading(1)) >= 0.999999 * (floor_us + t->launch_us));
        assert_true(cost(t, reading(1)) <= 1.5 * floor_us + t->launch_us);
        for (int i = 0; i < n; i++) assert_string_not_equal(target_at(i)->name, t->name);
    }
    assert_int_equal(n, 5);
    assert_null(target_at(-1));
    Err e = {0};
    const Target *none;
    assert_false(target_by_name("h201", &none, &e));
    assert_non_null(strstr(e.msg, "rtx4090"));
    assert_true(target_by_name(RANK_TARGET, &none, &e));
}

#define EACH_TARGET(t) \
    const Target *t;   \
    for (int target_index = 0; (t = target_at(target_index)); target_index++)

static void more_bytes_cost_more(void **state) {
    (void)state;
    EACH_TARGET(t) {
        double before = 0;
        for (int64_t extra = 0; extra <= 4 * BYTES; extra += BYTES / 4) {
            Counters c = reading(1), stores = c, copies = c;
            c.bytes_loaded += extra;
            stores.bytes_stored += extra;
            copies.bytes_copied += extra;
            assert_true(cost(t, c) > before);
            assert_true(cost(t, stores) == cost(t, c) && cost(t, copies) == cost(t, c));
            before = cost(t, c);
        }
    }
}

static void more_launches_cost_more(void **state) {
    (void)state;
    EACH_TARGET(t) {
        double before = 0;
        for (int k = 1; k <= 4; k++) {
            Counters c = reading(1);
            c.launches = k;
            c.programs *= k;
            assert_true(cost(t, c) > before + (k > 1 ? t->launch_us : 0));
            before = cost(t, c);
        }
    }
}

// Whole row before three passes at the headline shape; and two kernels with a workspace behind both.
static void the_usual_order(void **state) {
    (void)state;
    EACH_TARGET(t) {
        Counters split = reading(3);
        split.launches = 2;
        assert_true(cost(t, reading(1)) < cost(t, reading(2)));
        assert_true(cost(t, reading(2)) < cost(t, reading(3)));
        assert_true(cost(t, reading(3)) < cost(t, split));
    }
}

// What is read again costs less than what is read first, as long as the rows in flight fit the L2.
static void the_l2_serves_what_fits(void **state) {
    (void)state;
    EACH_TARGET(t) {
        Counters one = reading(1), three = reading(3);
        three.tile_bytes = one.tile_bytes = 24 * 1024; // as many in flight
        const RankShape narrow = {RANK_ROWS, 2048, 2}, wide = {64, 1 << 20, 2};
        double pass = 2e6 * RANK_ROWS / 1e6 * 2048 / t->bandwidth; // one reading of the tensor from DRAM
        double fits =
            rank_estimate(t, &three, &softmax_case, &narrow) - rank_estimate(t, &one, &softmax_case, &narrow);
        assert_true(fits > 0 && fits < 2 * pass);
        // The same bytes in rows so long that they push each other out.
        double pass_wide = 2.0 * 64 * (1 << 20) / t->bandwidth;
        RankShape at = wide;
        double small =
            rank_estimate(t, &three, &softmax_case, &at) - rank_estimate(t, &one, &softmax_case, &at);
        Target shrunk = *t;
        shrunk.l2_bytes = shrunk.l1_bytes = 1;
        double none = rank_estimate(&shrunk, &three, &softmax_case, &at) -
                      rank_estimate(&shrunk, &one, &softmax_case, &at);
        assert_true(none > 1.9 * pass_wide);
        assert_true(small < none);
        Target large = *t;
        large.l2_bytes = 1e12;
        assert_true(rank_estimate(&large, &three, &softmax_case, &at) <=
                    rank_estimate(t, &three, &softmax_case, &at));
    }
}

// One program more than fills the last wave costs about what a whole program does, not a share of it.
static void a_last_wave_costs_a_program(void **state) {
    (void)state;
    EACH_TARGET(t) {
        Counters c = reading(1);
        c.warps = t->sm_threads / 32; // one program an SM
        c.tile_bytes = 4096;
        RankShape full = {t->sms, 1024, 2}, more = {t->sms + 1, 1024, 2}, twice = {2 * t->sms, 1024, 2};
        double a = rank_estimate(t, &c, &softmax_case, &full), b = rank_estimate(t, &c, &softmax_case, &more),
               d = rank_estimate(t, &c, &softmax_case, &twice);
        double share = (a - t->launch_us) / t->sms;
        assert_true(b - a > 5 * share);
        assert_true(b <= d);
        // More programs at a time: fewer waves.
        Counters thin = c;
        thin.warps = 4;
        assert_true(rank_estimate(t, &thin, &softmax_case, &twice) <= d);
        // Registers limit as threads do: rows so short that only waiting counts, 200 registers a thread.
        RankCase brief = {
            .rows = 1024, .row = 64, .has_rows = true, .elem_bytes = 2, .row_bytes = 2 * 2 * 1024 * 64};
        Counters slim = {
            .programs = 1024, .launches = 1, .bytes_loaded = 2 * 1024 * 64, .bytes_stored = 2 * 1024 * 64};
        slim.warps = 4;
        slim.tile_bytes = 1024;
        Counters block = slim;
        block.warps = 32;
        RankShape waits = {32 * t->sms, 64, 2};
        assert_true(rank_estimate(t, &block, &brief, &waits) > 2 * rank_estimate(t, &slim, &brief, &waits));
        Counters fat = slim;
        fat.tile_bytes = 1480 * 4 * 128; // each word is a seventh or so of a register
        assert_true(rank_estimate(t, &fat, &brief, &waits) > 2 * rank_estimate(t, &slim, &brief, &waits));
    }
}

// ---- what host code launches

typedef struct {
    Counters count;
    RankLaunches here, there;
    int hints;
} Launched;

// A whole row of 4096 in one tile, 8 warps, one program a row or several rows a program.
static Launched whole_rows(int64_t rows, int64_t of_a_program) {
    Launched l = {.count = reading(1)};
    l.count.warps = 8;
    l.count.instructions = 40 * ROWS;
    l.count.lanes = 20 * ROWS * ROW;
    l.here = (RankLaunches){{{ROWS, 8, ROW}}, 1};
    l.there = (RankLaunches){{{rows / of_a_program, 8, ROW * (double)of_a_program}}, 1};
    return l;
}
static double cost_of(const Target *t, const Launched *l, const RankShape *to) {
    return rank_estimate_by(&rank_model, t,
                            &(RankAsk){&l->count, &softmax_case, to, &l->here, &l->there, l->hints});
}

// Cards with a memory so slow that little else matters are left out where waiting is what is asked about.
static bool is_fast(const Target *t) { return t->bandwidth > 1.5e6; }

// Eight rows a program leave most SMs idle at 512 rows; at 65,536 they cost little.
static void too_few_programs_cost(void **state) {
    (void)state;
    EACH_TARGET(t) {
        if (!is_fast(t)) continue;
        const RankShape few = {512, ROW, 2}, many = {65536, ROW, 2};
        Launched one = whole_rows(few.rows, 1), eight = whole_rows(few.rows, 8);
        assert_true(cost_of(t, &eight, &few) > 1.2 * cost_of(t, &one, &few));
        one = whole_rows(many.rows, 1), eight = whole_rows(many.rows, 8);
        assert_true(cost_of(t, &eight, &many) < 1.2 * cost_of(t, &one, &many));
    }
}

// One program an SM loads, then computes, then stores, and nothing else uses the memory meanwhile.
static void few_programs_load_and_store_together(void **state) {
    (void)state;
    RankModel without = rank_model;
    without.together = 0;
    EACH_TARGET(t) {
        const RankShape few = {t->sms, 16 * ROW, 2}, many = {65536, ROW, 2};
        const RankShape *at[] = {&few, &many};
        double share[2];
        for (int i = 0; i < 2; i++) {
            Launched l = whole_rows(at[i]->rows, 1);
            RankAsk q = {&l.count, &softmax_case, at[i], &l.here, &l.there, 0};
            share[i] = rank_estimate_by(&rank_model, t, &q) / rank_estimate_by(&without, t, &q);
        }
        assert_true(share[0] > 1.02 && share[0] < 1 + rank_model.together);
        assert_true(share[1] >= 1 && share[1] < 1.001);
    }
}

// 264 programs that walk over all rows look like one a row on a small case; what is launched tells them
// apart.
static void a_program_that_walks_waits_row_by_row(void **state) {
    (void)state;
    EACH_TARGET(t) {
        if (!is_fast(t)) continue;
        Launched row = whole_rows(RANK_ROWS, 1), walk = row;
        walk.there.at[0].programs = 264;
        assert_true(cost_of(t, &walk, &headline) > 1.03 * cost_of(t, &row, &headline));
    }
}

// Many short rows: a block each is what they cost.
static void blocks_are_dispatched_one_by_one(void **state) {
    (void)state;
    const Target *t;
    Err e = {0};
    assert_true(target_by_name("h100", &t, &e));
    const RankShape short_rows = {65536, 64, 2};
    Launched one = whole_rows(short_rows.rows, 1), packed = one;
    one.there.at[0] = (RankLaunch){65536, 4, 64};
    packed.there.at[0] = (RankLaunch){65536 / 16, 4, 64 * 16};
    assert_true(cost_of(t, &one, &short_rows) > 39); // 0.6 ns each
    assert_true(cost_of(t, &packed, &short_rows) < 0.5 * cost_of(t, &one, &short_rows));
}

// Loads that are evicted first help where the L2 holds all that a call moves, and cost where it does not: the
// more of it is read, the more.
static void functions_cost_and_hints_help_small_calls(void **state) {
    (void)state;
    const RankShape small = {.rows = 1024, .row = ROW};
    EACH_TARGET(t) {
        const RankShape *to = &headline;
        Launched plain = whole_rows(RANK_ROWS, 1), tanh = plain, hinted = plain,
                 few = whole_rows(small.rows, 1), few_hinted = few, reads = plain, reads_hinted;
        tanh.count.function_lanes = 40 * ROWS * ROW;
        hinted.hints = few_hinted.hints = RANK_EVICTED;
        reads.count.bytes_loaded *= 2;
        reads_hinted = reads;
        reads_hinted.hints = RANK_EVICTED;
        assert_true(cost_of(t, &tanh, to) > cost_of(t, &plain, to));
        assert_true(cost_of(t, &few_hinted, &small) < cost_of(t, &few, &small));
        double cost = cost_of(t, &hinted, to) / cost_of(t, &plain, to);
        assert_true(cost > 1);
        assert_true(cost_of(t, &reads_hinted, to) / cost_of(t, &reads, to) > cost);
    }
}

// Launches that do not fit together, or whose tile is not known, are scaled from the counters.
static void what_is_not_known_is_guessed(void **state) {
    (void)state;
    EACH_TARGET(t) {
        Launched l = whole_rows(RANK_ROWS, 8);
        double guess = rank_estimate(t, &l.count, &softmax_case, &headline);
        assert_true(cost_of(t, &l, &headline) != guess);
        l.there.launches = 0;
        assert_true(cost_of(t, &l, &headline) == guess);
        l = whole_rows(RANK_ROWS, 8);
        l.there.at[0].tile = 1;
        assert_true(cost_of(t, &l, &headline) == guess);
    }
}

static void hints_are_read_from_the_source(void **state) {
    (void)state;
    assert_int_equal(rank_hints(STR("tl.load(p, eviction_policy='evict_first')")), RANK_EVICTED);
    assert_int_equal(rank_hints(STR("tl.store(p, v, cache_modifier=\".cs\")")), RANK_STREAMED);
    assert_int_equal(rank_hints(STR("eviction_policy=\"evict_first\", cache_modifier='.cs'")),
                     RANK_EVICTED | RANK_STREAMED);
    assert_int_equal(rank_hints(STR("eviction_policy='evict_last', cache_modifier='.cg'")), 0);
    assert_int_equal(rank_hints((Str){0}), 0);
}

// Reads and writes scale with the shape and the dtype, and weights are not multiplied by rows.
static void shapes_scale(void **state) {
    (void)state;
    EACH_TARGET(t) {
        Counters c = reading(1);
        RankShape base = {8192, 4096, 2}, rows = {16384, 4096, 2}, f32 = {8192, 4096, 4};
        double a = rank_estimate(t, &c, &softmax_case, &base) - t->launch_us;
        double b = rank_estimate(t, &c, &softmax_case, &rows) - t->launch_us;
        double d = rank_estimate(t, &c, &softmax_case, &f32) - t->launch_us;
        assert_true(b > 1.8 * a && b < 2.2 * a);
        assert_true(d > 1.8 * a && d < 2.2 * a);
        RankCase weights = softmax_case;
        weights.shared_bytes = 2 * ROW;
        c.bytes_loaded += BYTES; // each row reads the weights
        double w = rank_estimate(t, &c, &weights, &base) - t->launch_us;
        assert_true(w > a && w < a + 1.1 * 2 * 8192 * 4096 / t->l2_bandwidth + 2);
        // An op without rows, and one that was never measured.
        RankCase flat = {.rows = 1, .row = ROW, .elem_bytes = 2, .row_bytes = 2 * 2 * ROW};
        assert_true(rank_estimate(t, &c, &flat, &base) == rank_estimate(t, &c, &flat, &rows));
        assert_true(rank_estimate(t, &c, &(RankCase){0}, &base) == 0);
    }
}

// ---- kernels that are really there ----

static const Proposal *schedule_of(const Proposal *p, int n, const char *starts) {
    for (int i = 0; i < n; i++)
        if (strncmp(p[i].schedule, starts, strlen(starts)) == 0) return &p[i];
    fail_msg("no kernel: %s", starts);
    return NULL;
}

// The grammar smith's softmax in each schedule, as the referee counted it.
static void schedules_in_their_order(void **state) {
    (void)state;
    enum { PROPOSALS = 64, KINDS = 4 };
    static const char *const kind[KINDS] = {"whole row", "online, 2 passes", "looped, 3 passes", "split row"};
    Arena a = {0};
    Err e = {0};
    Referee *r;
    Op op;
    Smith *smith;
    RefereeConfig config = {.jobs = 2, .no_journal = true};
    if (!referee_open(&config, &r, &e)) fail_msg("%s", e.msg);
    assert_true(op_find(&a, STR("softmax"), &op));
    assert_true(smith_open(&a, "grammar", NULL, &smith, &e));
    Proposal *p = NEWN(&a, Proposal, PROPOSALS);
    int n;
    SmithRequest ask = {.seed = 1, .count = PROPOSALS};
    assert_true(smith_propose(smith, &a, &op, &ask, p, &n, &e));
    Str source[KINDS];
    for (int i = 0; i < KINDS; i++) source[i] = schedule_of(p, n, kind[i])->source;
    uint64_t seed = 1;
    JudgeRequest q = {.op = &op, .level = LEVEL_QUICK, .filter = {.dtype = DT_F16}, .seed = &seed};
    Verdict v[KINDS];
    if (!referee_judge(r, &a, &q, source, KINDS, v, &e)) fail_msg("%s", e.msg);
    for (int i = 0; i < KINDS; i++) {
        assert_int_equal(v[i].decision.status, STATUS_ok);
        assert_true(v[i].traffic.count.warps > 0 && v[i].traffic.count.tile_bytes > 0);
    }
    EACH_TARGET(t) {
        double us[KINDS];
        for (int i = 0; i < KINDS; i++)
            us[i] = rank_estimate(t, &v[i].traffic.count, &v[i].traffic.facts, &headline);
        for (int i = 1; i < KINDS; i++) assert_true(us[0] < us[i]);
        assert_true(us[1] < us[2]);
    }
    referee_close(r);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_are_sane),
        cmocka_unit_test(more_bytes_cost_more),
        cmocka_unit_test(more_launches_cost_more),
        cmocka_unit_test(the_usual_order),
        cmocka_unit_test(the_l2_serves_what_fits),
        cmocka_unit_test(a_last_wave_costs_a_program),
        cmocka_unit_test(too_few_programs_cost),
        cmocka_unit_test(few_programs_load_and_store_together),
        cmocka_unit_test(a_program_that_walks_waits_row_by_row),
        cmocka_unit_test(blocks_are_dispatched_one_by_one),
        cmocka_unit_test(functions_cost_and_hints_help_small_calls),
        cmocka_unit_test(what_is_not_known_is_guessed),
        cmocka_unit_test(hints_are_read_from_the_source),
        cmocka_unit_test(shapes_scale),
        cmocka_unit_test(schedules_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
