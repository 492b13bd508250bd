// What host code launches at a shape: from a recorded run, and from a program.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "judge/judge.h"
#include "rank/launches.h"

static RunParam constant(const char *name, int64_t n) {
    return (RunParam){.name = str_of(name),
                      .type = STR("constexpr"),
                      .value = {.kind = CONST_PLAIN, .plain = {.kind = PY_INT, .i = n}}};
}

static void a_recorded_run_is_read(void **state) {
    (void)state;
    const RunParam param[] = {{.name = STR("x"), .type = STR("*fp16")},
                              {.name = STR("N"), .type = STR("i32")},
                              constant("ROWS", 4),
                              constant("BLOCK", 1024),
                              constant("stride", 1)};
    RunKernel kernel = {.param = param, .params = 5, .option = {.num_warps = 8}};
    const RunLaunch choice = {.grid = {300, 2, 1}};
    RunStep step[RANK_LAUNCHES_MAX + 2] = {{.kind = STEP_LAUNCH, .choice = &choice, .choices = 1},
                                           {.kind = STEP_FILL},
                                           {.kind = STEP_LAUNCH, .choice = &choice, .choices = 1}};
    RecordedRun run = {.kernel = &kernel, .kernels = 1, .step = step, .steps = 3};
    RankLaunches l;
    assert_true(launches_of_run(&run, &l));
    assert_int_equal(l.launches, 2);
    assert_int_equal(l.at[0].programs, 600);
    assert_int_equal(l.at[1].warps, 8);
    assert_true(l.at[0].tile == 4096);
    run.setups = 2; // what runs once is not of the call
    assert_true(launches_of_run(&run, &l));
    assert_int_equal(l.launches, 1);
    run.setups = 3;
    assert_false(launches_of_run(&run, &l));
    run.setups = 0;
    run.steps = RANK_LAUNCHES_MAX + 2;
    for (int i = 0; i < run.steps; i++) step[i] = step[0];
    assert_false(launches_of_run(&run, &l));
    assert_int_equal(l.launches, 0);
}

static const char *const rows_of_four =
    "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"
    "def k(x, y, s, t, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):\n"
    "    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]\n"
    "    c = tl.arange(0, BLOCK)[None, :]\n    m = (r < M) & (c < N)\n"
    "    v = tl.load(x + r * s + c, mask=m, other=0.0).to(tl.float32)\n"
    "    tl.store(y + r * t + c, tl.maximum(v, 0.0), mask=m)\n\n\n"
    "def run(x):\n    M, N = x.shape\n    y = torch.empty_like(x)\n"
    "    k[(triton.cdiv(M, 4),)](x, y, x.stride(0), y.stride(0), M, N, ROWS=4, "
    "BLOCK=triton.next_power_of_2(N), "
    "num_warps=4)\n    return y\n";

static void launches_follow_the_shape(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Referee *r;
    Op op;
    DiagList d = DIAGS(&a);
    RankLaunches l;
    RefereeConfig config = {.jobs = 1, .no_journal = true};
    if (!referee_open(&config, &r, &e)) fail_msg("%s", e.msg);
    assert_true(op_define(&a, STR("relu_rows"),
                          STR("\"\"\"Positive parts.\"\"\"\ninputs = {\"x\": {\"shape\": (\"M\", "
                              "\"N\")}}\n\n\ndef reference(x):\n"
                              "    return torch.relu(x)\n"),
                          true, &op, &d));
    LaunchesAsk ask = {&op, str_of(rows_of_four), referee_extras(r), DT_F16, 132};
    assert_true(launches_at(r->fork_servers, &ask, 30, 1000, &l, &e));
    assert_int_equal(l.launches, 1);
    assert_int_equal(l.at[0].programs, 8);
    assert_int_equal(l.at[0].warps, 4);
    assert_true(l.at[0].tile == 4 * 1024);
    assert_true(launches_at(r->fork_servers, &ask, 65536, 4096, &l, &e));
    assert_int_equal(l.at[0].programs, 16384);
    assert_true(l.at[0].tile == 4 * 4096);
    // A size beside rows and their length is not known, and a program that stops has no launches.
    assert_true(op_define(&a, STR("rows_of_k"),
                          STR("\"\"\"Times a sum.\"\"\"\ninputs = {\"x\": {\"shape\": (\"M\", \"N\")}, "
                              "\"w\": {\"shape\": (\"K\",)}}\n\n\n"
                              "def reference(x, w):\n    return torch.relu(x) * w.sum()\n"),
                          true, &op, &d));
    assert_true(launches_at(r->fork_servers, &ask, 30, 1000, &l, &e));
    assert_int_equal(l.launches, 0);
    referee_close(r);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recorded_run_is_read),
        cmocka_unit_test(launches_follow_the_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
