// The times of a kernel from its source to its status, with the tests' GPU (test/gpu/libcuda.c) and a
// stand-in for Triton that hands kernels on as text (test/gpu/standin). Everything between is what runs on a
// real GPU.
#include "measure/cell.h"

#include "../gpu/vm_gpu.h"
#include "base/clock.h"
#include "base/io.h"
#include "measure/cell_shared.h"
#include "op/op.h"

static const char head[] = "import torch\nimport triton\nimport triton.language as tl\n\n\n";
static const char body[] =
    "def double_kernel(x, out, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)\n"
    "    v = tl.load(x + i, mask=i < n).to(tl.float32)\n"
    "    tl.store(out + i, (v / (1 + tl.exp(-v))).to(out.dtype.element_ty), mask=i < n)\n\n\n";
static const char plain[] = "def run(x):\n"
                            "    x = x.contiguous()\n"
                            "    out = torch.empty_like(x)\n"
                            "    n = x.numel()\n"
                            "    double_kernel[(triton.cdiv(n, 1024),)](x, out, n, BLOCK=1024)\n"
                            "    return out\n";
static const char tuned[] = "def run(x):\n"
                            "    x = x.contiguous()\n"
                            "    out = torch.empty_like(x)\n"
                            "    n = x.numel()\n"
                            "    double_kernel[lambda m: (triton.cdiv(n, m['BLOCK']),)](x, out, n)\n"
                            "    return out\n";
static const char configs[] =
    "@triton.autotune(configs=[triton.Config({'BLOCK': 128}), triton.Config({'BLOCK': 2048})], key=['n'])\n";

typedef struct {
    Arena a;
    Op op;
    Measurer *measurer;
    Referee *referee;
    Compilers *compilers;
    CellRequest q;
    CellTimes out;
    DeviceFacts gpu;
} World;

// `steer`: what VM_GPU says beyond what all of these tests have.
static World *world(const char *steer, bool is_tuned) {
    World *w = calloc(1, sizeof *w);
    Err e = {0};
    assert_non_null(w);
    setenv("VM_GPU", arena_printf(&w->a, "memory=400000000 l2=40000 scale=60 %s", steer), 1);
    assert_true(op_find(&w->a, STR("silu"), &w->op));
    const RefereeConfig config = {.no_journal = true, .jobs = 1};
    const CompileOptions options = {
        .python = "test/gpu/standin/python", .workers = 1, .target.capability = 90};
    if (!measurer_open(vm_gpu_library(), &w->measurer, &e) || !referee_open(&config, &w->referee, &e) ||
        !compilers_open(&w->a, &options, &w->compilers, &e))
        fail_msg("%s", e.msg);
    const char *source = arena_printf(&w->a, "%s%s@triton.jit\n%s%s", head, is_tuned ? configs : "", body,
                                      is_tuned ? tuned : plain);
    assert_true(measurer_facts(w->measurer, &w->gpu, &e));
    w->q = (CellRequest){.referee = w->referee,
                         .measurer = w->measurer,
                         .compilers = w->compilers,
                         .gpu = &w->gpu,
                         .op = &w->op,
                         .source = str_of(source),
                         .rounds = 7};
    return w;
}
static const char product[] =
    "@triton.jit\n"
    "def product_kernel(a, b, out, n, BLOCK: tl.constexpr):\n"
    "    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)\n"
    "    x = tl.load(a + i, mask=i < n).to(tl.float32)\n"
    "    y = tl.load(b + i, mask=i < n).to(tl.float32)\n"
    "    tl.store(out + i, (x / (1 + tl.exp(-x)) * y).to(out.dtype.element_ty), mask=i < n)\n\n\n"
    "def run(gate, up):\n"
    "    gate, up = gate.contiguous(), up.contiguous()\n"
    "    out = torch.empty_like(gate)\n"
    "    n = gate.numel()\n"
    "    product_kernel[(triton.cdiv(n, 1024),)](gate, up, out, n, BLOCK=1024)\n"
    "    return out\n";
static void cell(World *w) { cell_time(&w->a, &w->q, (CellPlace){512, 64, DT_F16}, &w->out); }
static void end(World *w) {
    compilers_close(w->compilers);
    referee_close(w->referee);
    measurer_close(w->measurer);
    arena_free(&w->a);
    unsetenv("VM_GPU");
    free(w);
}
static void expect(const World *w, TimesStatus s, const char *why) {
    if (w->out.status != s || (*why && !memmem(w->out.why.p, w->out.why.len, why, strlen(why))))
        fail_msg("%s: %.*s", times_name(w->out.status), STR_ARG(w->out.why));
}

static void test_an_honest_kernel_has_times(void **state) {
    (void)state;
    World *w = world("", false);
    cell(w);
    expect(w, TIMES_ok, "");
    assert_int_equal(w->out.device.rounds, 7);
    assert_true(w->out.device.us > 0 && w->out.hot.us > 0 && w->out.call.us > w->out.device.us);
    assert_int_equal(w->out.bytes, 2 * 2 * 512 * 64);
    assert_true(w->out.yardstick.us > 0 && w->out.copy.us == w->out.yardstick.us); // of one input
    assert_int_equal(w->out.bar.len, 0); // no baseline, no comparison
    assert_true(w->out.ratio == 0);
    json_t *o = cell_json(&w->out);
    assert_string_equal(json_string_value(json_object_get(o, "status")), "ok");
    assert_true(json_is_null(json_object_get(o, "ratio")));
    json_decref(o);
    end(w);
}

static void test_configs_are_timed_and_the_fastest_is_told(void **state) {
    (void)state;
    World *w = world("slow=128:50", true); // in the text of the first config's kernel
    cell(w);
    expect(w, TIMES_ok, "");
    assert_int_equal(w->out.configs, 2);
    assert_non_null(memmem(w->out.config.p, w->out.config.len, "2048", 4));
    end(w);
}

static void test_a_gpu_that_disagrees_takes_the_verdict_back(void **state) {
    (void)state;
    World *w = world("wrong=double_kernel", false);
    cell(w);
    expect(w, TIMES_incorrect, "elements are wrong on the GPU");
    assert_int_equal(w->out.device.rounds, 0);
    end(w);
}

static void test_writing_beside_buffers_takes_it_back_too(void **state) {
    (void)state;
    World *w = world("trample=double_kernel", false);
    cell(w);
    expect(w, TIMES_incorrect, "was written to");
    end(w);
}

// A fault costs the measuring process; the next cell has another one.
static void test_after_a_fault_the_next_one_is_measured(void **state) {
    (void)state;
    World *w = world("fault=2048", true);
    cell(w);
    expect(w, TIMES_incorrect, "CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_int_equal(measurer_processes(w->measurer), 1);
    w->q.source = str_of(arena_printf(&w->a, "%s@triton.jit\n%s%s", head, body, plain));
    cell(w);
    expect(w, TIMES_ok, "");
    assert_int_equal(measurer_processes(w->measurer), 2);
    end(w);
}

// What is no work of a kernel takes no verdict back: a card whose memory breaks, a driver without its
// compiler.
static void test_a_lost_gpu_takes_nothing_back(void **state) {
    (void)state;
    World *w = world("gone=double_kernel", false);
    cell(w);
    expect(w, TIMES_failed, "CUDA_ERROR_ECC_UNCORRECTABLE");
    assert_int_equal(measurer_process(w->measurer), 0); // the next one gets a fresh process
    end(w);
    w = world("gone=2048", true); // while configs are timed
    cell(w);
    expect(w, TIMES_failed, "CUDA_ERROR_ECC_UNCORRECTABLE");
    end(w);
    w = world("refuse=stream", false);
    cell(w);
    expect(w, TIMES_ok, "");
    assert_true(w->out.yardstick.rounds == 0 && w->out.copy.rounds == 0);
    end(w);
    w = world("refuse=ouroboros", false);
    cell(w);
    expect(w, TIMES_failed, "the driver does not run PTX");
    assert_int_equal(w->out.device.rounds, 0);
    end(w);
}

// The sound kernel with one line more, before its store.
static void with_line(World *w, const char *line) {
    const char *at = strstr(body, "    tl.store"), *text;
    text = arena_printf(&w->a, "%s@triton.jit\n%.*s%s%s%s", head, (int)(at - body), body, line, at, plain);
    w->q.source = str_of(text);
}

// The same inputs, and streaming that was timed once: a right kernel, a wrong one and the right one again.
static void test_programs_share_inputs_and_the_yardstick(void **state) {
    (void)state;
    World *w = world("", false);
    const Str sound = w->q.source;
    w->q.shared = cell_shared_open();
    w->q.fixed = clock_seconds() - 1;
    cell(w);
    expect(w, TIMES_ok, "");
    assert_false(w->out.yardstick_kept);
    double us = w->out.yardstick.us, drawn = cell_shared_drawn(w->q.shared, &w->op);
    with_line(w, "    v = tl.where(tl.program_id(0) < 16, v, v + 1)\n");
    cell(w);
    expect(w, TIMES_incorrect, "elements are wrong on the GPU");
    w->q.source = sound;
    cell(w);
    expect(w, TIMES_ok, "");
    assert_true(w->out.yardstick_kept && w->out.yardstick.us == us && w->out.copy.us == us);
    assert_true(drawn > 0 && cell_shared_drawn(w->q.shared, &w->op) == drawn);
    assert_true(w->out.seconds_windows > 0 && w->out.seconds_windows < w->out.seconds_timing);
    cell_shared_close(w->q.shared);
    end(w);
}

// Half of the timed shape's programs are more than smaller shapes have.
static void test_wrong_at_large_grids_only_takes_it_back(void **state) {
    (void)state;
    World *w = world("", false);
    with_line(w, "    v = tl.where(tl.program_id(0) < 16, v, v + 1)\n");
    cell_time(&w->a, &w->q, (CellPlace){128, 64, DT_F16}, &w->out); // eight programs
    assert_true(w->out.status != TIMES_incorrect);
    cell(w);                                                     // thirty-two
    expect(w, TIMES_incorrect, "elements are wrong on the GPU"); // rows stand elsewhere in each set
    end(w);
}

static void test_wrong_in_one_dtype_only_takes_it_back(void **state) {
    (void)state;
    World *w = world("", false);
    with_line(w, "    if out.dtype.element_ty == tl.bfloat16:\n        v = v * 0.0\n");
    cell(w);
    expect(w, TIMES_ok, "");
    cell_time(&w->a, &w->q, (CellPlace){512, 64, DT_BF16}, &w->out);
    expect(w, TIMES_incorrect, "elements are wrong on the GPU");
    end(w);
}

// ---- an op that changes its input

#define ROPE "examples/rope_in_place/"
static World *rope_world(const char *steer, const char *kernel) {
    World *w = world(steer, false);
    Err e = {0};
    if (!op_resolve(&w->a, ROPE "rope_in_place.py", &w->op, &e) ||
        !io_read_file(&w->a, kernel, 1 << 20, &w->q.source, &e))
        fail_msg("%s", e.msg);
    return w;
}
// The kernel with one line more, before the last place of `before`.
static void rope_with_line(World *w, const char *line, const char *before) {
    const char *text = str_cdup(&w->a, w->q.source), *at = text;
    for (const char *p = text; (p = strstr(p, before)); p++) at = p;
    w->q.source = str_of(arena_printf(&w->a, "%.*s%s%s", (int)(at - text), text, line, at));
}

// A program that was accepted by a rounding of its definition is held to that on the GPU, too.
static void test_a_rounding_by_which_it_was_accepted_counts(void **state) {
    static const char gated[] =
        "import torch\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\n"
        "def gated_kernel(gate, up, out, n, BLOCK: tl.constexpr):\n"
        "    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)\n"
        "    g = tl.load(gate + i, mask=i < n, other=0.0).to(tl.float32)\n"
        "    u = tl.load(up + i, mask=i < n, other=0.0)\n"
        "    tl.store(out + i, (g * tl.sigmoid(g)).to(u.dtype) * u, mask=i < n)\n\n\n"
        "def run(gate, up):\n"
        "    gate = gate.contiguous()\n"
        "    out = torch.empty_like(gate)\n"
        "    n = gate.numel()\n"
        "    gated_kernel[(triton.cdiv(n, 1024),)](gate, up.contiguous(), out, n, BLOCK=1024)\n"
        "    return out\n";
    (void)state;
    World *w = world("", false);
    assert_true(op_find(&w->a, STR("swiglu"), &w->op));
    w->q.source = str_of(gated);
    cell(w);
    expect(w, TIMES_incorrect, "elements are wrong on the GPU");
    w->q.rounding = STR("gate");
    cell(w);
    expect(w, TIMES_ok, "");
    w->q.rounding = STR("nothing");
    cell(w);
    expect(w, TIMES_incorrect, "has no values here");
    end(w);
    w = world("wrong=gated_kernel", false);
    assert_true(op_find(&w->a, STR("swiglu"), &w->op));
    w->q.source = str_of(gated);
    w->q.rounding = STR("gate");
    cell(w);
    expect(w, TIMES_incorrect, "elements are wrong on the GPU");
    end(w);
}

static void test_an_op_in_place_has_times(void **state) {
    (void)state;
    World *w = rope_world("", ROPE "kernel.py");
    cell(w);
    expect(w, TIMES_ok, "");
    assert_int_equal(w->out.device.rounds, 7);
    assert_true(w->out.device.us > 0 && w->out.call.us > w->out.device.us && w->out.yardstick.us > 0);
    assert_int_equal(w->out.calls_of_window, w->out.sets);
    assert_int_equal(w->out.bytes, 3 * 2 * 512 * 64); // x twice, and both halves of angles
    assert_int_equal(w->out.hot.rounds, 0);
    json_t *o = cell_json(&w->out);
    assert_true(json_is_null(json_object_get(o, "hot")));
    assert_non_null(strstr(json_string_value(json_object_get(o, "hot_why")), "restoring it"));
    Json j = {.root = o, .file = "cell", .e = &(Err){0}};
    CellTimes again;
    assert_true(cell_read(&w->a, &j, o, &again));
    assert_true(str_eq(again.hot_why, w->out.hot_why) && again.windows == w->out.windows);
    Buf line = BUF(&w->a);
    cell_text(&line, &w->out);
    assert_non_null(strstr(buf_cstr(&line), "; no hot time: calls change an input in place"));
    assert_null(strstr(buf_cstr(&line), "hot 0.00"));
    json_decref(o);
    end(w);
}

static void test_wrong_in_place_takes_it_back(void **state) {
    (void)state;
    static const char *const first_store = "    tl.store(x + cols";
    World *w = rope_world("", ROPE "wrong.py"); // reads what it has stored
    rope_with_line(w, "    tl.debug_barrier()\n", "    a = tl.load");
    cell(w);
    expect(w, TIMES_incorrect, "elements of x are wrong on the GPU");
    end(w);
    w = rope_world("", ROPE "kernel.py"); // an input that the definition does not let it change
    rope_with_line(w, "    tl.store(cos + row * cos_stride + cols, c * 0.5, mask=mask)\n", first_store);
    cell(w);
    expect(w, TIMES_incorrect, "input 1 was written to");
    end(w);
    // All of its answer but a few rows; where one has zeros, it is right without a store.
    w = rope_world("", ROPE "kernel.py");
    rope_with_line(w, "    mask = mask & (row // 16 != 18)\n", first_store);
    cell(w);
    expect(w, TIMES_incorrect, "elements of x are wrong on the GPU");
    end(w);
}

static void test_noise_gives_no_number(void **state) {
    (void)state;
    World *w = world("jitter=60", false);
    cell(w);
    expect(w, TIMES_timing_unstable, "rounds differs");
    assert_int_equal(w->out.device.rounds, 0);
    end(w);
}

static void test_too_little_work_gives_no_number(void **state) {
    (void)state;
    World *w = world("", false);
    cell_time(&w->a, &w->q, (CellPlace){16, 16, DT_F16}, &w->out);
    expect(w, TIMES_below_floor, "a kernel that does nothing");
    assert_int_equal(w->out.device.rounds, 0);
    end(w);
}

static void test_too_little_memory_says_so(void **state) {
    (void)state;
    World *w = world("", false);
    measurer_close(w->measurer);
    Err e = {0};
    setenv("VM_GPU", "memory=400000 l2=40000", 1);
    assert_true(measurer_open(vm_gpu_library(), &w->measurer, &e));
    w->q.measurer = w->measurer;
    cell(w);
    expect(w, TIMES_failed, "do not fit");
    end(w);
}

// Of two inputs: as many bytes, half of them read, by a job of its own.
static void test_a_copy_of_what_has_two_inputs(void **state) {
    (void)state;
    World *w = world("slow=inputs=1:30", false); // only the copy has one
    assert_true(op_find(&w->a, STR("swiglu"), &w->op));
    w->q.source = str_of(arena_printf(&w->a, "%s%s", head, product));
    cell(w);
    expect(w, TIMES_ok, "");
    assert_int_equal(w->out.bytes, 3 * 2 * 512 * 64);
    assert_true(w->out.copy.us > 1.2 * w->out.yardstick.us && w->out.copy.us < 1.4 * w->out.yardstick.us);
    end(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_honest_kernel_has_times),
        cmocka_unit_test(test_a_copy_of_what_has_two_inputs),
        cmocka_unit_test(test_configs_are_timed_and_the_fastest_is_told),
        cmocka_unit_test(test_a_gpu_that_disagrees_takes_the_verdict_back),
        cmocka_unit_test(test_writing_beside_buffers_takes_it_back_too),
        cmocka_unit_test(test_after_a_fault_the_next_one_is_measured),
        cmocka_unit_test(test_a_lost_gpu_takes_nothing_back),
        cmocka_unit_test(test_wrong_at_large_grids_only_takes_it_back),
        cmocka_unit_test(test_wrong_in_one_dtype_only_takes_it_back),
        cmocka_unit_test(test_a_rounding_by_which_it_was_accepted_counts),
        cmocka_unit_test(test_an_op_in_place_has_times),
        cmocka_unit_test(test_wrong_in_place_takes_it_back),
        cmocka_unit_test(test_noise_gives_no_number),
        cmocka_unit_test(test_programs_share_inputs_and_the_yardstick),
        cmocka_unit_test(test_too_little_work_gives_no_number),
        cmocka_unit_test(test_too_little_memory_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
