// Recorded runs as JSON: what is written comes back, and a reader that believes nothing.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include "base/numeric/rng.h"
#include "gpu/recorded_run.h"
#include <math.h>
#include <stdio.h>

// One of everything.
static RecordedRun sample(Arena *a) {
    RecordedRun run = {.processors = 132, .inputs = 2, .outputs = 1, .groups = 1, .setups = 1};
    static const RunBuffer buffer[] = {{BUFFER_INPUT, 4096, false},
                                       {BUFFER_INPUT, 64, false},
                                       {BUFFER_OUTPUT, 4096, false},
                                       {BUFFER_SCRATCH, 1024, true}};
    run.buffers = 4;
    run.buffer = NEWN(a, RunBuffer, 4);
    memcpy(run.buffer, buffer, sizeof buffer);
    run.input[0] = (RunView){0, DT_F16, 2, {32, 64}, {64, 1}, 0};
    run.input[1] = (RunView){1, DT_BF16, 1, {16}, {2}, 2};
    run.output[0] = (RunView){2, DT_F16, 2, {64, 32}, {1, 64}, 0};

    RunConst *pair = NEWN(a, RunConst, 2);
    pair[0] = (RunConst){.plain = {.kind = PY_FLOAT, .f = -INFINITY}};
    pair[1] = (RunConst){.kind = CONST_FUNCTION, .function = STR("helper")};
    RunParam *inner = NEWN(a, RunParam, 2);
    inner[0] = (RunParam){.type = STR("*fp32"), .aligned = true};
    inner[1] = (RunParam){.type = STR("constexpr"), .value = {.plain = {.kind = PY_INT, .i = 1}}};
    RunParam *p = NEWN(a, RunParam, 8);
    p[0] = (RunParam){.name = STR("x"), .type = STR("*fp16"), .aligned = true};
    p[1] = (RunParam){.name = STR("n"), .type = STR("i32")};
    p[2] = (RunParam){.name = STR("eps"), .type = STR("fp32")};
    p[3] = (RunParam){.name = STR("pair"), .type = STR("tuple"), .item = inner, .items = 2};
    p[4] = (RunParam){
        .name = STR("T"), .type = STR("constexpr"), .value = {.kind = CONST_DTYPE, .dtype = DT_F8E5}};
    p[5] = (RunParam){
        .name = STR("F"), .type = STR("constexpr"), .value = {.kind = CONST_TUPLE, .item = pair, .items = 2}};
    p[6] = (RunParam){
        .name = STR("s"), .type = STR("constexpr"), .value = {.plain = {.kind = PY_STR, .s = STR("\"\\\n")}}};
    p[7] = (RunParam){.name = STR("none"), .type = STR("constexpr")};
    run.kernels = 2;
    run.kernel = NEWN(a, RunKernel, 2);
    run.kernel[0] = (RunKernel){.name = STR("k"),
                                .at = 7,
                                .source = STR("a text\n"),
                                .param = p,
                                .params = 8,
                                .option = {4, 3, 1, 0, true, false, true}};
    run.kernel[1] = run.kernel[0];
    run.kernel[1].option.num_warps = 8;

    RunArg *arg = NEWN(a, RunArg, 4);
    arg[0] = (RunArg){ARGUMENT_POINTER, 8, 0, 32, 0};
    arg[1] = (RunArg){ARGUMENT_SCALAR, 4, 0, 0, 0xffffffff};
    arg[2] = (RunArg){ARGUMENT_SCALAR, 4, 0, 0, 0x3727c5ac};
    arg[3] = (RunArg){ARGUMENT_POINTER, 8, 3, 1024, 0};
    RunLaunch *way = NEWN(a, RunLaunch, 2);
    way[0] = (RunLaunch){0, 0, {32, 1, 1}, arg, 4};
    way[1] = (RunLaunch){1, 5, {16, 2, 0}, arg, 4};
    run.steps = 4;
    run.step = NEWN(a, RunStep, 4);
    run.step[0] =
        (RunStep){.kind = STEP_FILL, .group = -1, .buffer = 3, .count = 512, .width = 2, .pattern = 0x3c00};
    run.step[1] =
        (RunStep){.kind = STEP_COPY, .group = -1, .buffer = 2, .count = 16, .width = 2, .from = run.input[1]};
    run.step[2] = (RunStep){.kind = STEP_LAUNCH, .group = 0, .choice = way, .choices = 2};
    run.step[3] = run.step[2];
    return run;
}

static Str written(Arena *a, const RecordedRun *run) {
    Buf b = BUF(a);
    Err e = {0};
    if (!recorded_run_write(&b, run, &e)) fail_msg("%s", e.msg);
    return buf_str(&b);
}

static void what_is_written_comes_back(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    RecordedRun run = sample(&a), back;
    Str text = written(&a, &run);
    if (!recorded_run_read(&a, "run", text, true, &back, &e)) fail_msg("%s", e.msg);
    assert_true(str_eq(written(&a, &back), text));
    assert_true(back.kernel[0].source.p == back.kernel[1].source.p &&
                str_is(back.kernel[1].source, "a text\n"));
    assert_true(isinf(back.kernel[0].param[5].value.item[0].plain.f));
    assert_true(str_is(back.kernel[0].param[6].value.plain.s, "\"\\\n"));
    assert_int_equal(back.step[2].choice[1].arg[1].bits, 0xffffffff);
    assert_int_equal(run_flat_params(&back.kernel[0]), 4);
    assert_true(strstr(arena_printf(&a, "%.*s", STR_ARG(run_choice_name(&a, &back, &back.step[2].choice[1]))),
                       "k config 5: 8 warps, 3 stages"));
    // Printed or not is what the reader asks for.
    assert_false(recorded_run_read(&a, "run", text, false, &back, &e));
    for (int i = 0; i < 2; i++) run.kernel[i].source = (Str){0};
    assert_true(recorded_run_read(&a, "run", written(&a, &run), false, &back, &(Err){0}));
    assert_false(recorded_run_read(&a, "run", written(&a, &run), true, &back, &(Err){0}));
    arena_free(&a);
}

// One piece of the text in another's place, and what is said of it.
static const struct {
    const char *from, *to, *part;
} lie[] = {
    {"\"ouroboros run 1\"", "\"ouroboros run 2\"", "format"},
    {"\"processors\":132", "\"processors\":0", "processors"},
    {"\"processors\":132", "\"processors\":132,\"more\":1", "other keys"},
    {"\"groups\":1", "\"groups\":0", "group is 0"},
    {"\"setups\":1", "\"setups\":5", "setups"},
    {"\"bytes\":4096", "\"bytes\":-1", "bytes"},
    {"\"bytes\":4096", "\"bytes\":4095", "within its buffer"},
    {"\"bytes\":4096", "\"bytes\":1099511627777", "bytes"},
    {"\"role\":\"input\"", "\"role\":\"scratch\"", "role of buffers[0]"},
    {"\"role\":\"output\"", "\"role\":\"scratch\"", "role of buffers[2]"},
    {"{\"buffer\":1,\"dtype\":\"bf16\"", "{\"buffer\":0,\"dtype\":\"bf16\"", "role of buffers[0]"},
    {"\"dtype\":\"bf16\"", "\"dtype\":\"bf17\"", "type of elements"},
    {"\"shape\":[16]", "\"shape\":[9000000000]", "within its buffer"},
    {"\"strides\":[2]", "\"strides\":[-2]", "strides"},
    {"\"strides\":[2]", "\"strides\":[2,1]", "as many strides"},
    {"\"strides\":[64,1]", "\"strides\":[1099511627776,1]", "within its buffer"},
    {"\"offset\":2}", "\"offset\":1}", "not that of an element"},
    {"\"name\":\"k\"", "\"name\":\"k()\"", "name"},
    {"\"name\":\"k\"", "\"name\":\"\"", "name"},
    {"\"name\":\"n\"", "\"name\":\"n=f()\"", "name"},
    {"\"type\":\"*fp16\"", "\"type\":\"*void\"", "Triton has no such type"},
    {"\"type\":\"i32\"", "\"type\":\"i33\"", "Triton has no such type"},
    {"\"type\":\"i32\"", "\"type\":\"i64\"", "arguments are not those"},
    {"\"type\":\"i32\"", "\"type\":\"constexpr\"", "do not go with this type"},
    {"\"type\":\"i32\"", "\"type\":\"i32\",\"aligned\":true", "arguments are not those"},
    {"\"function\":\"helper\"", "\"function\":\"os.system\"", "function"},
    {"\"float\":\"-inf\"", "\"float\":\"0x1p3\"", "float"},
    {"\"float\":\"-inf\"", "\"float\":\" 1\"", "float"},
    {"\"float\":\"-inf\"", "\"float\":\"1;2\"", "float"},
    {"\"num_warps\":4", "\"num_warps\":3", "powers of 2"},
    {"\"num_warps\":4", "\"num_warps\":64", "num_warps"},
    {"\"num_ctas\":1", "\"num_ctas\":32", "num_ctas"},
    {"\"pdl\":true", "\"pdl\":1", "pdl"},
    {"\"source_of\":0", "\"source_of\":1", "source_of"},
    {"\"kernel\":1", "\"kernel\":2", "kernel"},
    {"\"config\":5", "\"config\":0", "rising order"},
    {"\"config\":5", "\"config\":6", "than its group has"},
    {"\"grid\":[32,1,1]", "\"grid\":[32,1]", "no grid"},
    {"\"grid\":[32,1,1]", "\"grid\":[32,65536,1]", "no grid"},
    {"{\"buffer\":0,\"offset\":32}", "{\"buffer\":0,\"offset\":4097}", "offset"},
    {"{\"buffer\":0,\"offset\":32}", "{\"buffer\":0,\"offset\":34}", "arguments are not those"},
    {"{\"buffer\":0,\"offset\":32}", "{\"buffer\":4,\"offset\":32}", "buffer"},
    {"{\"buffer\":0,\"offset\":32},", "", "arguments are not those"},
    {"{\"bytes\":4,\"bits\":4294967295}", "{\"bytes\":4,\"bits\":4294967296}", "bits"},
    {"{\"bytes\":4,\"bits\":4294967295}", "{\"bytes\":8,\"bits\":1}", "arguments are not those"},
    {"{\"fill\":{\"buffer\":3", "{\"fill\":{\"buffer\":0", "writes to an input"},
    {"\"count\":512", "\"count\":513", "behind its buffer"},
    {"\"width\":2", "\"width\":3", "behind its buffer"},
    {"\"pattern\":15360", "\"pattern\":65536", "fill"},
    {"{\"copy\":{\"buffer\":2", "{\"copy\":{\"buffer\":1", "writes to an input"},
    {"\"group\":0", "\"group\":-1", "several of a group"},
};

static void lies_are_told(void **state) {
    (void)state;
    Arena a = {0};
    RecordedRun run = sample(&a), back;
    Str text = written(&a, &run);
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++) {
        Err e = {0};
        const char *at = memmem(text.p, text.len, lie[i].from, strlen(lie[i].from));
        if (!at) fail_msg("%s is not in the text", lie[i].from);
        Buf b = BUF(&a);
        buf_put(&b, text.p, (size_t)(at - text.p));
        buf_puts(&b, lie[i].to);
        at += strlen(lie[i].from);
        buf_put(&b, at, (size_t)(text.p + text.len - at));
        if (recorded_run_read(&a, "run.json", buf_str(&b), true, &back, &e)) fail_msg("taken: %s", lie[i].to);
        if (!strstr(e.msg, lie[i].part) || !strstr(e.msg, "run.json"))
            fail_msg("%s: expected '%s', got '%s'", lie[i].to, lie[i].part, e.msg);
    }
    arena_free(&a);
}

// Nothing but the whole is taken, and nothing makes the reader fall.
static void pieces_and_noise_are_refused(void **state) {
    (void)state;
    Arena keep = {0};
    RecordedRun run = sample(&keep);
    Str text = written(&keep, &run);
    Rng r = rng_at(18, 1);
    for (size_t n = 0; n < text.len; n++) {
        Arena a = {0};
        RecordedRun back;
        assert_false(recorded_run_read(&a, "run", (Str){text.p, n}, true, &back, &(Err){0}));
        arena_free(&a);
    }
    for (int i = 0; i < 3000; i++) {
        Arena a = {0};
        RecordedRun back;
        Str noisy = str_dup(&a, text);
        for (int k = 0; k < 2; k++)
            ((char *)(uintptr_t)noisy.p)[rng_between(&r, 0, (int64_t)text.len - 1)] =
                (char)rng_between(&r, 32, 126);
        Err e = {0};
        if (recorded_run_read(&a, "run", noisy, true, &back, &e)) { // then it is one that can be written
            Buf b = BUF(&a);
            assert_true(recorded_run_write(&b, &back, &e));
        }
        arena_free(&a);
    }
    arena_free(&keep);
}

static void types_have_their_bytes(void **state) {
    (void)state;
    for (int t = 0; t < DT_COUNT; t++) assert_non_null(run_type_name((DType)t));
    assert_int_equal(run_scalar_bytes(STR("u1")), 1);
    assert_int_equal(run_scalar_bytes(STR("i64")), 8);
    assert_int_equal(run_scalar_bytes(STR("fp32")), 4);
    assert_int_equal(run_scalar_bytes(STR("*fp8e5")), 8);
    assert_int_equal(run_scalar_bytes(STR("constexpr")), 0);
    assert_int_equal(run_scalar_bytes(STR("tuple")), 0);
    assert_int_equal(run_scalar_bytes(STR("")), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(lies_are_told),
        cmocka_unit_test(pieces_and_noise_are_refused),
        cmocka_unit_test(types_have_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
