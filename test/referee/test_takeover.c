// A child that was taken over: code of the attacker's runs in the sandbox, knows the protocol and every byte
// of its mappings, and tries to be accepted, to learn the seed, to stay, or to take others along.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "referee/referee.h"

static Arena arena;
static Op op;
static Str right; // a source that the real child gets accepted

static Referee *referee_with(ChildMain child) {
    Referee *r;
    Err e = {0};
    RefereeConfig config = {.jobs = 2, .no_journal = true, .child = child};
    if (!referee_open(&config, &r, &e)) fail_msg("%s", e.msg);
    return r;
}

static void judge(Referee *r, const Str *source, int n, uint64_t seed, Verdict *v) {
    Err e = {0};
    DrawFilter small = {.m = 3, .n = 17, .dtype = DT_F32};
    JudgeRequest q = {.op = &op, .level = LEVEL_QUICK, .filter = small, .seed = &seed};
    if (!referee_judge(r, &arena, &q, source, n, v, &e)) fail_msg("%s", e.msg);
}

static const DrawHeader *draw_of(const ChildJob *j) { return (const DrawHeader *)j->draw; }
static const CaseSpec *specs_of(const ChildJob *j) {
    return (const CaseSpec *)(j->draw + sizeof(DrawHeader));
}
static char word(const ChildJob *j) { return (char)j->job[sizeof(JobHeader)]; }

static CaseReport claim(const ChildJob *j, uint32_t i) {
    const CaseSpec *spec = &specs_of(j)[i];
    CaseReport r = {.case_index = (int32_t)i, .kind = REPORT_RAN, .first_unwritten = -1};
    r.dtype = spec->input[0].dtype;
    r.rank = spec->input[0].rank;
    memcpy(r.shape, spec->input[0].shape, sizeof r.shape);
    r.count.bytes_stored = spec->output_bytes;
    wire_message(&r, "");
    return r;
}

static int send_frame(const ChildJob *j, const CaseReport *r) {
    return write(j->report_fd, r, sizeof *r) == (ssize_t)sizeof *r ? 0 : 1;
}

// Frames that are right but for one random change, outputs that look like probabilities; the source is the
// seed.
static int child_forges(const ChildJob *j) {
    Rng r = rng_at((uint64_t)(uint8_t)word(j), 7);
    for (size_t i = 0; i + 4 <= j->output_bytes; i += 4) {
        float p = (float)rng_unit(&r) / 17;
        memcpy(j->output + i, &p, sizeof p);
    }
    uint32_t cases = draw_of(j)->cases;
    for (uint32_t i = 0; i <= cases; i++) {
        CaseReport f = i < cases ? claim(j, i)
                                 : (CaseReport){.case_index = -1, .kind = REPORT_DONE, .first_unwritten = -1};
        wire_message(&f, "");
        if (rng_below(&r, 3) == 0) {
            uint64_t at = rng_below(&r, sizeof f);
            uint8_t with = (uint8_t)rng_u32(&r);
            memcpy((uint8_t *)&f + at, &with, 1);
        }
        if (rng_below(&r, 12) != 0 && send_frame(j, &f)) return 1;
        if (rng_below(&r, 12) == 0 && send_frame(j, &f)) return 1;
    }
    return rng_below(&r, 8) == 0;
}

static void random_frames_are_never_believed(void **state) {
    (void)state;
    Referee *r = referee_with(child_forges);
    char text[48][2];
    Str source[48];
    for (int i = 0; i < 48; i++) {
        text[i][0] = (char)(i + 1);
        source[i] = (Str){text[i], 1};
    }
    Verdict v[48];
    judge(r, source, 48, 1, v);
    int seen[STATUS_COUNT] = {0};
    for (int i = 0; i < 48; i++) {
        if (verdict_accepted(&v[i])) fail_msg("forger %d was accepted", i);
        assert_true(strlen(v[i].feedback) <= FEEDBACK_MAX);
        for (const char *c = v[i].feedback; *c; c++) assert_true(*c >= ' ' && *c <= '~');
        seen[v[i].status]++;
    }
    // Some were believed to be reports and failed by their values, others were no protocol.
    assert_true(seen[STATUS_incorrect] > 0 && seen[STATUS_crash] > 0);
    referee_close(r);
}

// ---- what it can read ----

// The seed is split so that the test itself does not lie in memory as what is looked for.
static const uint64_t half_a = 0x1234567890abcdef, half_b = 0x0fedcba987654321;

static bool holds(const void *p, size_t n, uint64_t what) {
    const uint8_t *at = p;
    for (size_t i = 0; i + sizeof what <= n; i++)
        if (memcmp(at + i, &what, sizeof what) == 0 && at + i != (const uint8_t *)&what) return true;
    return false;
}

extern char __data_start, _end;
// Exit code 42: found. 's' looks for the seed, 'o' for something that is there: an order of programs.
__attribute__((no_sanitize("address"))) static int child_searches(const ChildJob *j) {
    volatile uint64_t a = half_a, b = half_b;
    uint64_t what = word(j) == 'o' ? specs_of(j)[0].order_seed : a ^ b;
    bool found = holds(j->draw, j->draw_bytes, what) || holds(j->job, j->job_bytes, what) ||
                 holds(j->output, j->output_bytes, what) || holds(j->arena, 1 << 20, what);
#ifndef __SANITIZE_ADDRESS__
    found |= word(j) == 's' && holds(&__data_start, (size_t)(&_end - &__data_start), what);
#endif
    return found ? 42 : 0;
}

static void the_seed_is_not_in_reach(void **state) {
    (void)state;
    Referee *r = referee_with(child_searches);
    Verdict v[2];
    Str source[2] = {STR("s"), STR("o")};
    judge(r, source, 2, half_a ^ half_b, v);
    assert_int_equal(v[0].status, STATUS_crash);
    assert_string_equal(v[0].rule, "protocol"); // it ended well and said nothing
    assert_string_equal(v[1].rule, "child");    // it ended with 42
    referee_close(r);
}

// ---- what it can leave ----

static int child_stays(const ChildJob *j) {
    switch (word(j)) {
    case 'f': syscall(SYS_fork); break;
    case 'c': syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L); break;
    case '3': syscall(SYS_clone3, 0L, 0L); break;
    case 's': syscall(SYS_setsid); break;
    case 'm': syscall(SYS_mremap, (long)j->output, 4096L, 8192L, 1L, 0L); break;
    case 'p': syscall(SYS_ptrace, 0L, 0L, 0L, 0L); break;
    case 'e': syscall(SYS_execve, "/bin/sh", 0L, 0L); break;
    case 'k': syscall(SYS_kill, (long)-1, 9L); break;
    case 'w': *(volatile uint8_t *)(uintptr_t)j->draw = 1; break; // the inputs, which others share
    case 'j': *(volatile uint8_t *)(uintptr_t)j->job = 1; break;
    default: return child_interpret(j);
    }
    return 0;
}

static void it_cannot_leave_anything_behind(void **state) {
    (void)state;
    Referee *r = referee_with(child_stays);
    static const char *const act[] = {"f", "c", "3", "s", "m", "p", "e", "k", "w", "j"};
    enum { ACTS = sizeof act / sizeof *act };
    Str source[ACTS + 2];
    for (int i = 0; i < ACTS; i++) source[i] = str_of(act[i]);
    source[ACTS] = source[ACTS + 1] = right;
    Verdict v[ACTS + 2];
    judge(r, source, ACTS + 2, 3, v);
    for (int i = 0; i < ACTS; i++)
        if (v[i].status != STATUS_crash || strcmp(v[i].rule, "child") != 0)
            fail_msg("%s: %s (%s)", act[i], status_name(v[i].status), v[i].rule);
    // The same draw, the same broker: others are judged as if nothing had been.
    assert_int_equal(v[ACTS].status, STATUS_ok);
    assert_int_equal(v[ACTS + 1].status, STATUS_ok);
    referee_close(r);
}

// ---- what it can spend ----

static int child_spends(const ChildJob *j) {
    CaseReport f = claim(j, 0);
    uint8_t *p = j->arena;
    switch (word(j)) {
    case 'm': // all its memory, then more
        for (size_t i = 0; i < j->arena_bytes; i += 4096) p[i] = 1;
        syscall(SYS_mmap, 0L, 1L << 30, 3L, 0x22L, -1L, 0L);
        syscall(SYS_brk, 1L << 40);
        return 9;
    case 'r': // reports without end
        while (!send_frame(j, &f)) {}
        return 0;
    case 'o': // beyond its outputs
        for (size_t i = 0;; i += 4096) ((volatile uint8_t *)j->output)[i] = 1;
    default: return child_interpret(j);
    }
}

static void it_cannot_starve_the_others(void **state) {
    (void)state;
    Referee *r = referee_with(child_spends);
    Str source[9];
    for (int i = 0; i < 9; i++)
        source[i] = i % 2 ? right : i % 3 == 0 ? STR("m") : i % 3 == 1 ? STR("r") : STR("o");
    Verdict v[9];
    judge(r, source, 9, 4, v);
    for (int i = 0; i < 9; i++) {
        if (i % 2 && v[i].status != STATUS_ok) fail_msg("%d: %s", i, v[i].feedback);
        if (i % 2 == 0 && verdict_accepted(&v[i])) fail_msg("spender %d was accepted", i);
    }
    referee_close(r);
}

int main(void) {
    int n;
    const Program *p = op_programs(&arena, &n);
    for (int i = 0; i < n && !right.len; i++)
        if (p[i].kind == PROGRAM_GOLD && str_is(p[i].op, "softmax")) right = p[i].source;
    if (!right.len || !op_find(&arena, STR("softmax"), &op)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_frames_are_never_believed), cmocka_unit_test(the_seed_is_not_in_reach),
        cmocka_unit_test(it_cannot_leave_anything_behind), cmocka_unit_test(it_cannot_starve_the_others)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
