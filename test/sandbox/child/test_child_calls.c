// Several calls of one program: which programs are asked for them, what they find, and what the parent gets.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "sandbox/fork_server.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

// One case of 2 x 8; its values, others, its values five times in a row, and rows of 4.
enum { M = 2, N = 8, CALLS = 4, REPEATS = 5, ROOM = 64, OTHER_N = 4 };
static ForkServer *fork_server;

typedef struct {
    DrawHeader header;
    CaseSpec spec[1];
    CallSpec call[CALLS];
    CaseTensor input[1 + CALLS];
    float data[2][M * N];
} Draw;

static void tensor_set(CaseTensor *t, int data, int64_t n) {
    *t = (CaseTensor){.dtype = DT_F32, .rank = 2, .shape = {M, n}, .stride = {n, 1}, .bytes = M * n * 4};
    t->at = (int64_t)offsetof(Draw, data) + data * (int64_t)sizeof(float[M * N]);
}

static void draw_init(Draw *d) {
    *d = (Draw){.header = {.magic = WIRE_MAGIC, .cases = 1, .calls = CALLS}};
    for (int i = 0; i < M * N; i++) d->data[0][i] = (float)i, d->data[1][i] = (float)(100 + i);
    d->spec[0] = (CaseSpec){.inputs = 1,
                            .outputs = 1,
                            .output = {{0, M * N * 4, -1}},
                            .output_bytes = M * N * 4,
                            .steps = 1 << 24};
    d->spec[0].inputs_at = (int64_t)offsetof(Draw, input);
    tensor_set(&d->input[0], 0, N);
    static const int flags[CALLS] = {CALL_BUILDS, CALL_RENEWS, CALL_RENEWS, CALL_OTHER};
    for (int i = 0; i < CALLS; i++) {
        CallSpec *c = &d->call[i];
        *c =
            (CallSpec){.spec = d->spec[0], .flags = flags[i], .same_as = -1, .repeats = i == 2 ? REPEATS : 1};
        if (i == 2) c->turns = 1;
        c->spec.inputs_at += (1 + i) * (int64_t)sizeof(CaseTensor);
        tensor_set(&d->input[1 + i], i == 1, i == 3 ? OTHER_N : N);
        if (i == 3) c->spec.output_bytes = c->spec.output[0].bytes = M * OTHER_N * 4;
        c->spec.output_at = (1 + 2 * i) * ROOM;
        c->kept_at = (2 + 2 * i) * ROOM;
    }
}

typedef struct {
    Arena arena;
    ChildResult r;
    const float *out[CALLS], *kept[CALLS];
    const CaseReport *call[CALLS], *last; // NULL: not made
} Run;

static Run run_draw(const Draw *d, const char *source) {
    int fd = memfd_create("draw", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(write(fd, d, sizeof *d), sizeof *d);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW), 0);
    ForkJob job = {.draw_fd = fd,
                   .draw_bytes = sizeof *d,
                   .source = str_of(source),
                   .output_bytes = (1 + 2 * CALLS) * ROOM,
                   .arena_bytes = 64 << 20,
                   .wall_seconds = 30,
                   .max_reports = CALLS + 2};
    Run run = {0};
    Err e = {0};
    const char *why;
    if (!fork_server_run(fork_server, &run.arena, &job, &run.r, &e)) fail_msg("%s", e.msg);
    close(fd);
    assert_int_equal(run.r.end, CHILD_EXITED);
    if (run.r.code) return run;
    if (wire_check(run.r.report, run.r.reports, 1, job.source.len, &why) == WIRE_BROKEN) fail_msg("%s", why);
    run.last = &run.r.report[run.r.reports - 1];
    for (int i = 0; i < run.r.reports - 1; i++)
        if (run.r.report[i].kind == REPORT_CALL) run.call[run.r.report[i].call - 1] = &run.r.report[i];
    for (int i = 0; i < CALLS; i++) {
        run.out[i] = (const float *)(const void *)(run.r.output + d->call[i].spec.output_at);
        run.kept[i] = (const float *)(const void *)(run.r.output + d->call[i].kept_at);
    }
    return run;
}

static Run run_source(const char *source) {
    Draw d;
    draw_init(&d);
    return run_draw(&d, source);
}

static void run_free(Run *run) {
    child_result_free(fork_server, &run->r);
    arena_free(&run->arena);
}

#define HEAD                                                                             \
    "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\n" \
    "@triton.jit\ndef k(x, out, n, B: tl.constexpr):\n    i = tl.arange(0, B)\n"         \
    "    tl.store(out + i, tl.load(x + i, mask=i < n) + 1.0, mask=i < n)\n"              \
    "def plus(x, out):\n    k[(1,)](x, out, x.numel(), B=16)\n    return out\n"
#define RUN HEAD "def run(x):\n    return plus(x, torch.empty_like(x))\n"
#define MODEL(init, forward) \
    HEAD "class ModelNew(nn.Module):\n    def __init__(self" init "    def forward(self, x):\n" forward

static void assert_all(const float *got, float least, int n) {
    for (int i = 0; i < n; i++)
        if (got[i] != least + (float)i) fail_msg("element %d: %g", i, (double)got[i]);
}

// Nothing was left behind: no call but those of the cases could come out another way.
static void who_keeps_nothing_is_not_asked(void **state) {
    (void)state;
    static const char *const source[] = {
        RUN, MODEL("):\n        self.f = 1.0\n", "        return plus(x, torch.empty_like(x))\n"),
        MODEL("):\n        self.l = [1, 2]\n        self.d = {1: 2}\n",
              "        y = self.l + [len(self.d)]\n        return plus(x, torch.empty_like(x))\n")};
    for (size_t i = 0; i < sizeof source / sizeof *source; i++) {
        Run run = run_source(source[i]);
        assert_int_equal(run.r.code, 0);
        if (run.r.reports != 2 || run.last->kind != REPORT_DONE || run.last->keeps)
            fail_msg("%d reports: %s", run.r.reports, source[i]);
        run_free(&run);
    }
}

static void what_a_program_keeps_is_found(void **state) {
    (void)state;
    static const char *const source[] = {
        MODEL("):\n        self.n = 0\n",
              "        self.n = self.n + 1\n        return plus(x, torch.empty_like(x))\n"),
        MODEL("):\n        self.l = []\n",
              "        self.l.append(x)\n        return plus(x, torch.empty_like(x))\n"),
        MODEL("):\n        self.d = {}\n",
              "        d = self.d\n        d[x.shape[1]] = 1\n        return plus(x, torch.empty_like(x))\n"),
        MODEL("):\n        self.t = torch.zeros(16, device='cuda')\n",
              "        plus(x, self.t)\n        return plus(x, torch.empty_like(x))\n"),
        MODEL("):\n        self.x = None\n",
              "        self.x = torch.empty_like(x)\n        return plus(x, torch.empty_like(x))\n")};
    for (size_t i = 0; i < sizeof source / sizeof *source; i++) {
        Run run = run_source(source[i]);
        if (run.last->kind != REPORT_DONE || !run.last->keeps)
            fail_msg("%s: %s", run.last->message, source[i]);
        assert_int_equal(run.r.reports, CALLS + 2);
        static const int nth[CALLS] = {1, 2, 2 + REPEATS, 3 + REPEATS};
        for (int k = 0; k < CALLS; k++) {
            assert_non_null(run.call[k]);
            assert_int_equal(run.call[k]->nth, nth[k]);
            int n = k == 3 ? M * OTHER_N : M * N;
            assert_all(run.out[k], k == 1 ? 101 : 1, n);
            assert_all(run.kept[k], k == 1 ? 101 : 1, n);
        }
        run_free(&run);
    }
}

// A call that is made many times goes on while what the program keeps has something new to show, and ends
// there.
static void calls_go_on_to_a_far_condition(void **state) {
    (void)state;
    enum { FAR = 4000 };
#define COUNTER(change, wrong)                                                    \
    MODEL("):\n        self.n = 0\n        self.l = []\n        self.b = None\n", \
          change "        y = plus(x, "                                           \
                 "torch.empty_like(x))\n" wrong "        return y\n")
#define AGAIN    "            y = plus(y, torch.empty_like(x))\n"
#define MORE_ONE "        self.n = self.n + 1\n"
    static const struct {
        const char *source;
        int nth;
        bool wrong, to_news;
    } all[] = {
        {COUNTER(MORE_ONE, "        if self.n > 3000:\n" AGAIN), 3001, true, false},
        {COUNTER(MORE_ONE, "        if self.n == 1500:\n" AGAIN), 1500, true, false}, // in that one alone
        {COUNTER(MORE_ONE, "        for i in range(self.n // 1200):\n" AGAIN), 1200, true, false},
        {COUNTER("        self.l.append(1)\n", "        if len(self.l) > 2000:\n" AGAIN), 2001, true, false},
        {COUNTER(MORE_ONE, "        if self.n == 4:\n" AGAIN), 4, true, true},
        {COUNTER(MORE_ONE, "        if self.n == 4:\n            print('four')\n"), 4, false, true},
        // Too far; nothing to wait for; a buffer that is kept while others are forgotten.
        {COUNTER(MORE_ONE, "        if self.n > 9000:\n" AGAIN), 2 + FAR, false, false},
        {COUNTER(MORE_ONE, "        if self.n == 4:\n            print('four')\n"), 2 + REPEATS, false,
         false},
        {COUNTER(MORE_ONE "        if self.n == 900:\n            self.b = torch.empty_like(x)\n",
                 "        if self.n > 1800:\n            y = plus(x, self.b)\n"),
         900, false, false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Draw d;
        draw_init(&d);
        d.call[2].far = FAR;
        if (all[i].to_news) d.call[2].flags |= CALL_TO_NEWS;
        Run run = run_draw(&d, all[i].source);
        if (!run.call[2] || run.call[2]->nth != all[i].nth)
            fail_msg("call %d, %s: %s", run.call[2] ? run.call[2]->nth : 0, run.last->message, all[i].source);
        assert_all(run.out[2], all[i].wrong ? 2 : 1, M * N);
        run_free(&run);
    }
}

// Values take turns in calls that are made many times, so that an answer of the call before is a wrong one.
// That call is the last; its values are those that call_values() names, and so are those in what it changes
// in place.
static void old_answers_among_many_calls_show(void **state) {
    (void)state;
    Draw d;
    draw_init(&d);
    d.call[2].repeats = 300; // what is kept is never free again
    d.call[2].turns = 2;
    while (call_values(&d.call[2], 200) == call_values(&d.call[2], 199)) d.call[2].turn_seed++;
    float least = call_values(&d.call[2], 200) == 1 ? 101 : 1, before = 102 - least;
    static const char old[] = COUNTER(MORE_ONE, "        if self.n == 200:\n            return self.b\n"
                                                "        self.b = y\n"),
                      right[] = COUNTER(MORE_ONE, "        if self.n == 200:\n            print('now')\n");
    Run run = run_draw(&d, old);
    assert_int_equal(run.call[2] ? run.call[2]->nth : 0, 200);
    assert_all(run.out[2], before, M * N);
    run_free(&run);
    d.call[2].repeats = 200 - 2;
    run = run_draw(&d, right);
    assert_int_equal(run.call[2] ? run.call[2]->nth : 0, 200);
    assert_all(run.out[2], least, M * N);
    run_free(&run);
}

// A counter that kernels see, on the device or as a number: many calls of a second sequence. Scratch
// that such calls fill alike needs none.
static void what_changes_is_called_far(void **state) {
    (void)state;
    enum { FAR = 4000, EQUAL = 30 };
#define DEVICE                                                                                  \
    "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\n"        \
    "@triton.jit\ndef k(x, out, c, f, n, B: tl.constexpr):\n    i = tl.arange(0, B)\n"          \
    "    t = tl.load(c)\n    tl.debug_barrier()\n    tl.store(c, %s)\n"                         \
    "    y = tl.load(x + i, mask=i < n) + 1.0 + (%s).to(tl.float32)\n"                          \
    "    tl.store(out + i, y, mask=i < n)\n"                                                    \
    "class ModelNew(nn.Module):\n    def __init__(self):\n        self.n = 0\n"                 \
    "        self.c = torch.zeros(1, dtype=torch.int32, device='cuda')\n"                       \
    "    def forward(self, x):\n        self.n = self.n + 1\n        y = torch.empty_like(x)\n" \
    "        k[(1,)](x, y, self.c, %s, x.numel(), B=16)\n        return y\n"
    static const struct {
        const char *store, *wrong, *number;
        int nth; // of the last call; 0: the sequence is left out
    } all[] = {
        {"t + 1", "t // 3000", "1.0", 3001},       {"t + 1", "t == 3000", "1.0", 3001},
        {"t", "f > 1500.5", "self.n * 0.5", 3002}, {"t + 1", "t // 3000 * 0", "1.0", 1 + FAR},
        {"t * 0 + 7", "t // 3000", "1.0", 0},      {"1 - t", "t // 3000", "1.0", 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Draw d;
        char source[2048];
        draw_init(&d);
        static const int flags[CALLS] = {CALL_BUILDS, CALL_RENEWS, CALL_BUILDS | CALL_FAR,
                                         CALL_RENEWS | CALL_FAR};
        for (int k = 0; k < CALLS; k++) {
            d.call[k].flags = flags[k];
            d.call[k].turns = k % 2;
            d.call[k].turn_of = k - 1;
            d.call[k].repeats = k == 1 ? EQUAL : k == 3 ? REPEATS : 1;
            d.call[k].far = k == 3 ? FAR : 0;
            tensor_set(&d.input[1 + k], 0, N);
            d.call[k].spec.output_bytes = d.call[k].spec.output[0].bytes = M * N * 4;
        }
        snprintf(source, sizeof source, DEVICE, all[i].store, all[i].wrong, all[i].number);
        Run run = run_draw(&d, source);
        if (run.last->kind != REPORT_DONE || !run.last->keeps) fail_msg("%s: %s", run.last->message, source);
        if ((run.call[3] ? run.call[3]->nth : 0) != all[i].nth)
            fail_msg("call %d: %s", run.call[3] ? run.call[3]->nth : 0, source);
        run_free(&run);
    }
}

// Two calls of one sequence are made many times, each as often as it says.
static void each_has_its_own_number(void **state) {
    (void)state;
    Draw d;
    draw_init(&d);
    static const int flags[CALLS] = {CALL_BUILDS, CALL_RENEWS, CALL_RENEWS, CALL_RENEWS},
                     repeats[CALLS] = {1, 5, 1, 4};
    for (int k = 0; k < CALLS; k++) {
        d.call[k].flags = flags[k];
        d.call[k].repeats = repeats[k];
        d.call[k].turns = repeats[k] > 1;
        d.call[k].turn_of = k - (repeats[k] > 1);
        tensor_set(&d.input[1 + k], k >= 2, N);
        d.call[k].spec.output_bytes = d.call[k].spec.output[0].bytes = M * N * 4;
    }
    Run run = run_draw(&d, COUNTER(MORE_ONE, "        if self.n > 9000:\n" AGAIN));
    assert_int_equal(run.call[1] ? run.call[1]->nth : 0, 6);
    assert_int_equal(run.call[3] ? run.call[3]->nth : 0, 11);
    assert_all(run.out[3], 101, M * N);
    run_free(&run);
}

static void kept_answers_and_shared_ones_show(void **state) {
    (void)state;
    Run run =
        run_source(MODEL("):\n        self.y = None\n",
                         "        if self.y is None:\n            self.y = plus(x, torch.empty_like(x))\n"
                         "        return self.y\n"));
    assert_non_null(run.call[1]);
    assert_all(run.out[1], 1, M * N);                     // and not 101
    assert_int_equal(run.call[3]->output[0].shape[1], N); // and not OTHER_N
    run_free(&run);
    run = run_source(MODEL("):\n        self.y = None\n",
                           "        if self.y is None or self.y.shape != x.shape:\n            self.y = "
                           "torch.empty_like(x)\n        return plus(x, self.y)\n"));
    assert_all(run.out[1], 101, M * N);
    assert_all(run.kept[1], 1, M * N); // the call after it has written there
    assert_all(run.kept[0], 1, M * N);
    run_free(&run);
    // The same object, filled with new values: whoever goes by identity is wrong.
    run =
        run_source(MODEL("):\n        self.x = None\n        self.y = None\n",
                         "        if self.x is None or x is not self.x:\n            self.x = x\n            "
                         "self.y = plus(x, torch.empty_like(x))\n        return self.y\n"));
    assert_all(run.out[1], 1, M * N);
    assert_all(run.out[3], 1, M * OTHER_N);
    run_free(&run);
}

static void calls_that_cannot_be_are_left_out(void **state) {
    (void)state;
    Run run =
        run_source(MODEL(", n):\n        self.n = n\n        self.c = 0\n",
                         "        self.c = self.c + 1\n        assert x.shape[1] == self.n\n        return "
                         "plus(x, torch.empty_like(x))\n"));
    assert_int_equal(run.last->kind, REPORT_DONE);
    assert_true(run.call[2] && !run.call[3]);
    run_free(&run);
}

static void a_call_may_fail(void **state) {
    (void)state;
    Run run = run_source(MODEL("):\n        self.c = 0\n",
                               "        self.c = self.c + 1\n        assert self.c < 4\n        return "
                               "plus(x, torch.empty_like(x))\n"));
    assert_int_equal(run.last->kind, REPORT_FINDING);
    assert_int_equal(run.last->finding, DIAG_HOST);
    assert_int_equal(run.last->call, 3);
    assert_int_equal(run.last->nth, 4);
    run_free(&run);
    // Too much for several calls, not for one: that is not the program's fault.
    run = run_source(MODEL("):\n        self.k = []\n",
                           "        self.k.append(torch.empty(1 << 20, device='cuda'))\n        return "
                           "plus(x, torch.empty_like(x))\n"));
    assert_int_equal(run.last->kind, REPORT_FINDING);
    assert_int_equal(run.last->finding, DIAG_UNSUPPORTED);
    assert_true(run.last->nth > 1);
    run_free(&run);
}

static void specs_are_checked(void **state) {
    (void)state;
    static const char keeps[] =
        MODEL("):\n        self.n = 0\n",
              "        self.n = self.n + 1\n        return plus(x, torch.empty_like(x))\n");
    for (int i = 0; i < 15; i++) {
        Draw d;
        draw_init(&d);
        switch (i) {
        case 1: d.call[0].flags = 0; break;
        case 2: d.call[1].case_index = 1; break;
        case 3: d.call[1].same_as = 1; break;
        case 4: d.call[1].repeats = 0; break;
        case 5: d.call[1].kept_at = 1 << 20; break;
        case 6: d.call[1].spec.inputs = WIRE_INPUTS_MAX + 1; break;
        case 7: d.header.calls = WIRE_CALLS_MAX + 1; break;
        case 8: d.call[1].spec.inputs_at = sizeof d; break;
        case 9: d.spec[0].inputs_at = -8; break;
        case 10: d.spec[0].inputs_at += 4; break;
        case 11: d.call[2].turns = 0; break;
        case 12: d.call[2].turns = 3; break; // itself among them
        case 13: d.call[2].turn_of = -1; break;
        case 14: d.call[1].turns = 1; break;
        default: break;
        }
        Run run = run_draw(&d, keeps);
        assert_int_equal(run.r.code != 0, i > 0);
        run_free(&run);
    }
}

static int set_up(void **state) {
    (void)state;
    Err e = {0};
    if (!fork_server_open(child_interpret, &fork_server, &e)) fail_msg("%s", e.msg);
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    fork_server_close(fork_server);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_keeps_nothing_is_not_asked),
        cmocka_unit_test(what_a_program_keeps_is_found),
        cmocka_unit_test(calls_go_on_to_a_far_condition),
        cmocka_unit_test(old_answers_among_many_calls_show),
        cmocka_unit_test(what_changes_is_called_far),
        cmocka_unit_test(each_has_its_own_number),
        cmocka_unit_test(kept_answers_and_shared_ones_show),
        cmocka_unit_test(calls_that_cannot_be_are_left_out),
        cmocka_unit_test(a_call_may_fail),
        cmocka_unit_test(specs_are_checked),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
