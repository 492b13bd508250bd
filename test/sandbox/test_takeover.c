// A child that was taken over: code of the attacker's runs in the sandbox, knows the protocol and every byte
// of its mappings, and tries to be accepted, to learn the seed, to stay, or to take others along.
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/build.h"
#include "base/numeric/rng.h"
#include "judge/referee.h"

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
    CaseReport r = {
        .case_index = (int32_t)i,
        .kind = REPORT_RAN,
    };
    const CaseTensor *x = wire_inputs(j->draw, j->draw_bytes, spec);
    r.output[0].dtype = x->dtype;
    r.output[0].rank = x->rank;
    memcpy(r.output[0].shape, x->shape, sizeof r.output[0].shape);
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
                                 : (CaseReport){
                                       .case_index = -1,
                                       .kind = REPORT_DONE,
                                   };
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
    // Not on the stack, which AddressSanitizer clears by a call of the system where it is large; a child may
    // make none.
    static Verdict v[48];
    judge(r, source, 48, 1, v);
    int seen[STATUS_COUNT] = {0};
    for (int i = 0; i < 48; i++) {
        if (verdict_accepted(&v[i])) fail_msg("forger %d was accepted", i);
        assert_true(strlen(v[i].decision.feedback) <= FEEDBACK_MAX);
        for (const char *c = v[i].decision.feedback; *c; c++) assert_true(*c >= ' ' && *c <= '~');
        seen[v[i].decision.status]++;
    }
    // Some were believed to be reports and failed by their values, others were no protocol.
    assert_true(seen[STATUS_incorrect] > 0 && seen[STATUS_crash] > 0);
    referee_close(r);
}

// ---- what it can read ----

// The seed is split so that the test itself does not lie in memory as what is looked for; so is an answer of
// the oracle, as float64.
static const uint64_t half_a = 0x1234567890abcdef, half_b = 0x0fedcba987654321;
static uint64_t answer_a;

// Memory that AddressSanitizer takes for unused, too.
__attribute__((no_sanitize("address"))) static bool holds(const void *p, size_t n, uint64_t what) {
    const uint8_t *at = p;
    for (size_t i = 0; i + sizeof what <= n; i++) {
        uint64_t x;
        __builtin_memcpy(&x, at + i, sizeof x);
        if (x == what && at + i != (const uint8_t *)&what) return true;
    }
    return false;
}

extern char __data_start, _end;
// Exit code 42: found. 's' looks for the seed, 'e' for an expected value, 'o' for something that is there: an
// order of programs.
__attribute__((no_sanitize("address"))) static int child_searches(const ChildJob *j) {
    volatile uint64_t a = half_a, b = half_b;
    volatile uint64_t c = answer_a;
    uint64_t what = word(j) == 'o' ? specs_of(j)[0].order_seed : word(j) == 'e' ? c ^ b : a ^ b;
    bool found = holds(j->draw, j->draw_bytes, what) || holds(j->job, j->job_bytes, what) ||
                 holds(j->output, j->output_bytes, what) || holds(j->arena, 1 << 20, what);
#if !BUILD_ASAN
    found |= word(j) != 'o' && holds(&__data_start, (size_t)(&_end - &__data_start), what);
#endif
    return found ? 42 : 0;
}

// Of the draw that judge() will make with this seed: an expected value with digits enough to be known again.
static void look_for_an_answer(uint64_t seed) {
    Draw d;
    Err e = {0};
    Pool *pool = pool_open(1);
    DrawFilter small = {.m = 3, .n = 17, .dtype = DT_F32};
    assert_true(draw_make(&arena, pool,
                          &(DrawRequest){.op = &op, .level = LEVEL_QUICK, .seed = seed, .filter = &small}, &d,
                          &e));
    const Bound *truth = d.truth[0].expected;
    for (int64_t i = 0; i < truth->numel; i++) {
        uint64_t bits;
        memcpy(&bits, &truth->v[i], sizeof bits);
        if (bits << 40 != 0) answer_a = bits ^ half_b;
    }
    assert_int_not_equal(answer_a, 0);
    draw_free(&d);
    pool_close(pool);
}

static void the_seed_is_not_in_reach(void **state) {
    (void)state;
    look_for_an_answer(half_a ^ half_b);
    Referee *r = referee_with(child_searches);
    Verdict v[3];
    Str source[3] = {STR("s"), STR("o"), STR("e")};
    judge(r, source, 3, half_a ^ half_b, v);
    assert_int_equal(v[0].decision.status, STATUS_crash);
    assert_string_equal(v[0].decision.rule, "protocol"); // it ended well and said nothing
    assert_string_equal(v[1].decision.rule, "child");    // it ended with 42
    assert_string_equal(v[2].decision.rule, "protocol");
    referee_close(r);
}

// ---- what it can say ----

static const char says[] = "{\"op\":\"softmax\",\"accepted\":true,\"status\":\"ok\",\"rule\":\"all\"}\n";
// A verdict on every descriptor that there may be, then success; or only success; or perfect reports of
// nothing.
static int child_says(const ChildJob *j) {
    char c = word(j);
    if (c == 'x') syscall(SYS_exit_group, 0L);
    if (c == 'e') syscall(SYS_exit, 0L);
    if (c >= '0' && c <= '9') syscall(SYS_write, (long)(c - '0'), says, sizeof says - 1);
    if (c == 'r') (void)!write(j->report_fd, says, sizeof says - 1);
    if (c == 'n' || c == 'z') {
        for (uint32_t i = 0; i < draw_of(j)->cases; i++) {
            CaseReport f = claim(j, i);
            f.count.launches = 1;
            if (send_frame(j, &f)) return 1;
        }
        CaseReport end = {
            .case_index = -1,
            .kind = REPORT_DONE,
        };
        wire_message(&end, "");
        if (c == 'z') memset(j->output, 0, j->output_bytes);
        return send_frame(j, &end);
    }
    return 0;
}

static void it_speaks_no_verdict(void **state) {
    (void)state;
    static const char *const act[] = {"0", "1", "2", "3", "4", "5", "6", "7",
                                      "8", "9", "x", "e", "r", "n", "z"};
    enum { ACTS = sizeof act / sizeof *act };
    Str source[ACTS];
    for (int i = 0; i < ACTS; i++) source[i] = str_of(act[i]);
    // Whatever reaches our own output and errors goes into a pipe, before there is a fork server.
    int pipe_fd[2], was[2] = {dup(1), dup(2)};
    fflush(stdout);
    assert_int_equal(pipe2(pipe_fd, O_NONBLOCK | O_CLOEXEC), 0);
    assert_true(dup2(pipe_fd[1], 1) == 1 && dup2(pipe_fd[1], 2) == 2);
    Referee *r = referee_with(child_says);
    Verdict v[ACTS];
    judge(r, source, ACTS, 6, v);
    referee_close(r);
    (void)!write(1, "end", 3); // and what we say does arrive
    dup2(was[0], 1);
    dup2(was[1], 2);
    close(was[0]);
    close(was[1]);
    close(pipe_fd[1]);
    char heard[4096];
    ssize_t n = read(pipe_fd[0], heard, sizeof heard);
    close(pipe_fd[0]);
    assert_int_equal(n, 3);
    assert_memory_equal(heard, "end", 3);
    for (int i = 0; i < ACTS; i++)
        if (verdict_accepted(&v[i]) || v[i].decision.status == STATUS_referee_error)
            fail_msg("%s: %s", act[i], status_name(v[i].decision.status));
    // Perfect reports are believed to be reports: the bytes decide.
    assert_string_equal(v[ACTS - 1].decision.rule, v[ACTS - 2].decision.rule);
    assert_int_not_equal(v[ACTS - 1].decision.status, STATUS_crash);
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
        if (v[i].decision.status != STATUS_crash || strcmp(v[i].decision.rule, "child") != 0)
            fail_msg("%s: %s (%s)", act[i], status_name(v[i].decision.status), v[i].decision.rule);
    // The same draw, the same fork server: others are judged as if nothing had been.
    assert_int_equal(v[ACTS].decision.status, STATUS_ok);
    assert_int_equal(v[ACTS + 1].decision.status, STATUS_ok);
    referee_close(r);
}

// ---- what it can spend ----

__attribute__((no_sanitize("address"))) static int child_spends(const ChildJob *j) {
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
        if (i % 2 && v[i].decision.status != STATUS_ok) fail_msg("%d: %s", i, v[i].decision.feedback);
        if (i % 2 == 0 && verdict_accepted(&v[i])) fail_msg("spender %d was accepted", i);
    }
    referee_close(r);
}

// ---- what it can heat ----

static int child_heats(const ChildJob *j) {
    volatile uint64_t x = 1;
    if (*(const char *)(j->job + sizeof(JobHeader)) == '#')
        for (uint64_t i = 0; i < 60000000; i++) x = x * 6364136223846793005u + i;
    return child_interpret(j);
}

static char *said(const Verdict *v) {
    json_t *o = verdict_object(v);
    json_object_del(o, "elapsed_ms");
    json_object_del(o, "source_sha256");
    char *text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    return text;
}

// A tenth of a second of a busy core before its own work changes nothing of what is said about it, nor about
// whoever is judged beside it: no clock decides.
static void heat_decides_nothing(void **state) {
    (void)state;
    Referee *r = referee_with(child_heats);
    Str hot = str_of(arena_printf(&arena, "# hot\n%.*s", STR_ARG(right)));
    Str source[4] = {hot, right, hot, right};
    Verdict alone, v[4];
    judge(r, &right, 1, 8, &alone);
    judge(r, source, 4, 8, v);
    char *expected = said(&alone);
    assert_true(verdict_accepted(&alone));
    for (int i = 0; i < 4; i++) {
        char *text = said(&v[i]);
        assert_string_equal(text, expected);
        free(text);
    }
    free(expected);
    assert_true(v[0].judged.seconds_child > 0.05); // it was hot: so many steps take longer on any machine
    referee_close(r);
}

int main(void) {
    int n;
    const Program *p = op_programs(&arena, &n);
    for (int i = 0; i < n && !right.len; i++)
        if (p[i].kind == PROGRAM_GOLD && str_is(p[i].op, "softmax")) right = p[i].source;
    if (!right.len || !op_find(&arena, STR("softmax"), &op)) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_frames_are_never_believed),
                                       cmocka_unit_test(the_seed_is_not_in_reach),
                                       cmocka_unit_test(it_speaks_no_verdict),
                                       cmocka_unit_test(it_cannot_leave_anything_behind),
                                       cmocka_unit_test(it_cannot_starve_the_others),
                                       cmocka_unit_test(heat_decides_nothing)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return failed;
}
