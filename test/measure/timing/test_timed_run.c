#include "measure/timing/timed_run.h"

#include "../../gpu/vm_gpu.h"
#include "../hostile.h"

static Arena a;
static Err e;

static bool read_text(const char *text, TimedRun *out) {
    const int64_t bytes[] = {4096, 64}, output[] = {4096};
    Json j;
    e = (Err){0};
    if (!json_parse("run", str_of(text), &j, &e)) return false;
    bool ok = timed_run_read(&a, &(TimedRunSource){&j, j.root, bytes, 2, output, 1}, out, &e);
    json_close(&j);
    return ok;
}

#define BUFFERS "\"buffers\":[{\"input\":0,\"bytes\":4096},{\"bytes\":4096},{\"bytes\":128}]"
#define KERNELS                                                                                              \
    "\"kernels\":[{\"entry\":\"k\",\"image\":\"7f454c46\",\"shared\":64,\"cluster\":2,\"cooperative\":true," \
    "\"overlaps\":true}]"
#define LAUNCH     "{\"launch\":0,\"grid\":[4,1,1],\"block\":[128,1,1],\"args\":[[0,0],[1,16],\"40000000\"]}"
#define RUN(steps) "{" BUFFERS "," KERNELS ",\"steps\":[" steps "],\"setups\":0,\"outputs\":[[1,0]]}"

static void test_what_is_written_is_read_again(void **state) {
    (void)state;
    TimedRun run, again;
    const char *text =
        RUN(LAUNCH ",{\"fill\":2,\"offset\":8,\"width\":4,\"count\":3,\"pattern\":\"0102030405060708\"},"
                   "{\"copy\":1,\"offset\":0,\"from\":0,\"from_offset\":64,\"bytes\":32}");
    assert_true(read_text(text, &run));
    assert_int_equal(run.buffers, 3);
    assert_int_equal(run.buffer[0].input, 0);
    assert_int_equal(run.buffer[1].input, -1);
    assert_int_equal(run.kernel[0].image.len, 4);
    assert_memory_equal(run.kernel[0].image.p, "\177ELF", 5); // a NUL behind it
    assert_int_equal(run.kernel[0].cluster, 2);
    assert_true(run.kernel[0].cooperative && run.kernel[0].overlaps);
    assert_int_equal(run.step[0].arg[1].offset, 16);
    assert_int_equal(run.step[0].arg[2].bits, 0x40);
    assert_int_equal(run.step[0].arg[2].bytes, 4);
    assert_true(run.step[1].pattern == 0x0807060504030201u);
    assert_int_equal(run.step[2].from_offset, 64);
    assert_int_equal(timed_run_bytes(&run), 4096 + 128);
    Buf first = BUF(&a), second = BUF(&a);
    timed_run_write(&first, &run);
    assert_true(read_text(buf_cstr(&first), &again));
    timed_run_write(&second, &again);
    assert_string_equal(buf_cstr(&first), buf_cstr(&second));
}

// Each of them would make the measurer launch, fill or copy what is not there.
static void test_what_cannot_be_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"{" KERNELS ",\"steps\":[],\"outputs\":[[0,0]]}", "buffers 0"},
        {"{\"buffers\":[{\"input\":0,\"bytes\":8}],\"steps\":[],\"outputs\":[[0,0]]}",
         "not as large as its input"},
        {"{\"buffers\":[{\"input\":2,\"bytes\":8}],\"steps\":[],\"outputs\":[[0,0]]}", "\"input\" is 2"},
        {"{\"buffers\":[{\"bytes\":-1}],\"steps\":[],\"outputs\":[[0,0]]}", "\"bytes\" is -1"},
        {"{" BUFFERS ",\"steps\":[" LAUNCH "],\"outputs\":[[1,0]]}", "a kernel that is not there"},
        {RUN("{\"launch\":0,\"grid\":[0,1,1],\"block\":[128,1,1],\"args\":[]}"), "no grid or block"},
        {RUN("{\"launch\":0,\"grid\":[1,1,1],\"block\":[128,128,1],\"args\":[]}"), "no grid or block"},
        {RUN("{\"launch\":0,\"grid\":[1,1,1],\"block\":[1,1,1],\"args\":[[3,0]]}"), "an address outside"},
        {RUN("{\"launch\":0,\"grid\":[1,1,1],\"block\":[1,1,1],\"args\":[[1,4097]]}"), "an address outside"},
        {RUN("{\"launch\":0,\"grid\":[1,1,1],\"block\":[1,1,1],\"args\":[\"010203040506070809\"]}"),
         "1 to 8 bytes"},
        {RUN("{\"launch\":0,\"grid\":[1,1,1],\"block\":[1,1,1],\"args\":[\"0g\"]}"), "1 to 8 bytes"},
        {RUN("{\"fill\":2,\"offset\":120,\"width\":4,\"count\":3,\"pattern\":\"0000000000000000\"}"),
         "outside of its buffer"},
        {RUN("{\"fill\":2,\"offset\":0,\"width\":3,\"count\":3,\"pattern\":\"0000000000000000\"}"),
         "no width"},
        {RUN("{\"fill\":2,\"offset\":0,\"width\":4,\"count\":3,\"pattern\":\"00\"}"), "no width"},
        {RUN("{\"copy\":2,\"offset\":0,\"from\":0,\"from_offset\":0,\"bytes\":129}"),
         "outside of its buffers"},
        {RUN("{}"), "no step"},
        {RUN("7"), "an object belongs here"},
        {"{" BUFFERS ",\"steps\":[],\"outputs\":[[2,0]]}", "the answer does not lie"},
        {"{" BUFFERS ",\"steps\":[],\"outputs\":[[1,1]]}", "the answer does not lie"},
        {"{" BUFFERS ",\"steps\":[]}", "not as many as the job has"},
        {"{" BUFFERS ",\"kernels\":[{\"entry\":\"k\",\"image\":\"7f4\"}],\"steps\":[],\"outputs\":[[1,0]]}",
         "hexadecimal"},
        {"{" BUFFERS ",\"kernels\":[{\"entry\":\"k\",\"shared\":2000000}],\"steps\":[],\"outputs\":[[1,0]]}",
         "\"shared\""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        TimedRun run;
        if (read_text(bad[i].text, &run)) fail_msg("taken: %s", bad[i].text);
        if (!strstr(e.msg, bad[i].why)) fail_msg("%s: %s", bad[i].text, e.msg);
    }
}

static bool inside(const TimedRun *t, int buffer, int64_t offset, int64_t bytes) {
    return buffer >= 0 && buffer < t->buffers && offset >= 0 && bytes >= 0 &&
           offset <= t->buffer[buffer].bytes && bytes <= t->buffer[buffer].bytes - offset;
}

// What is taken names nothing that is not there.
static bool read_hostile(void *arg, Str text) {
    (void)arg;
    TimedRun t;
    ArenaMark m = arena_mark(&a);
    bool taken = read_text(str_cdup(&a, text), &t);
    for (int i = 0; taken && i < t.steps; i++) {
        const TimedStep *s = &t.step[i];
        if (s->kind == STEP_LAUNCH) {
            assert_true(s->kernel >= 0 && s->kernel < t.kernels && t.kernel[s->kernel].image.len > 0);
            assert_true(s->args <= TIMED_ARGS_MAX && s->block[0] * s->block[1] * s->block[2] <= 1024);
            for (int k = 0; k < s->args; k++)
                assert_true(s->arg[k].buffer < 0 ? s->arg[k].bytes >= 1 && s->arg[k].bytes <= 8
                                                 : inside(&t, s->arg[k].buffer, s->arg[k].offset, 0));
        } else {
            assert_true(
                inside(&t, s->buffer, s->offset, s->kind == STEP_FILL ? s->count * s->width : s->count));
            if (s->kind == STEP_COPY) assert_true(inside(&t, s->from, s->from_offset, s->count));
        }
    }
    if (taken) {
        assert_true(t.setups >= 0 && t.setups <= t.steps && t.outputs == 1);
        assert_true(inside(&t, t.output[0].buffer, t.output[0].offset, 4096));
        for (int k = 0; k < t.kernels; k++)
            assert_true(t.kernel[k].cluster >= 0 && t.kernel[k].cluster <= 16);
    }
    arena_reset(&a, m);
    return taken;
}

static void test_hostile_runs(void **state) {
    (void)state;
    Hostile h = {.read = read_hostile};
    hostile_json(
        &h,
        STR(RUN(LAUNCH ",{\"fill\":2,\"offset\":8,\"width\":4,\"count\":3,\"pattern\":\"0102030405060708\"},"
                       "{\"copy\":1,\"offset\":0,\"from\":0,\"from_offset\":64,\"bytes\":32}")));
    assert_true(h.tried > 2000 && h.taken > 0 && h.taken < h.tried / 2);
}

// A recorded run with a tuned launch: the chosen config's kernel, its clusters, and two pointers to scratch
// memory behind.
static RecordedRun recorded(void) {
    RecordedRun r = {.buffer = NEWN(&a, RunBuffer, 2),
                     .buffers = 2,
                     .inputs = 1,
                     .outputs = 1,
                     .kernel = NEWN(&a, RunKernel, 2),
                     .kernels = 2,
                     .step = NEWN(&a, RunStep, 2),
                     .steps = 2,
                     .groups = 1};
    r.buffer[0] = (RunBuffer){.role = BUFFER_INPUT, .bytes = 4096};
    r.buffer[1] = (RunBuffer){.role = BUFFER_OUTPUT, .bytes = 4096};
    r.input[0] = (RunView){.buffer = 0, .dtype = DT_F32, .rank = 1, .shape = {1024}, .stride = {1}};
    r.output[0] = (RunView){.buffer = 1, .dtype = DT_F32, .rank = 2, .shape = {32, 32}, .stride = {32, 1}};
    r.step[0] = (RunStep){.kind = STEP_FILL, .group = -1, .buffer = 1, .count = 8, .width = 4};
    RunLaunch *choice = NEWN(&a, RunLaunch, 2);
    RunArg *arg = NEWN(&a, RunArg, 2);
    arg[0] = (RunArg){.kind = ARGUMENT_POINTER, .bytes = 8, .buffer = 1, .offset = 16};
    arg[1] = (RunArg){.kind = ARGUMENT_SCALAR, .bytes = 4, .bits = 5};
    choice[0] = (RunLaunch){.kernel = 0, .grid = {8, 1, 1}, .arg = arg, .args = 2};
    choice[1] = (RunLaunch){.kernel = 1, .config = 1, .grid = {3, 2, 1}, .arg = arg, .args = 2};
    r.step[1] = (RunStep){.kind = STEP_LAUNCH, .group = 0, .choice = choice, .choices = 2};
    return r;
}

static void test_a_recorded_run_becomes_one(void **state) {
    (void)state;
    const RecordedRun r = recorded();
    const Cubin second = {.image = STR("image"),
                          .entry = STR("k"),
                          .shared = 32,
                          .num_warps = 8,
                          .num_ctas = 2,
                          .global_scratch = 16};
    const Cubin *const cubin[] = {NULL, &second};
    const int config[] = {1};
    TimedRun t;
    assert_true(timed_run_make(&a, &r, cubin, config, &t, &e));
    assert_int_equal(t.steps, 2);
    assert_int_equal(t.buffer[0].input, 0);
    assert_int_equal(t.output[0].buffer, 1);
    const TimedStep *s = &t.step[1];
    assert_int_equal(s->grid[0], 6); // clusters of two multiply the first size
    assert_int_equal(s->block[0], 256);
    assert_int_equal(s->args, 4);
    assert_int_equal(s->arg[0].offset, 16);
    assert_int_equal(s->arg[2].buffer, 2); // 16 bytes for each of 12 blocks
    assert_int_equal(t.buffer[2].bytes, 16 * 12);
    assert_int_equal(s->arg[3].buffer, -1); // the profiler's: none
    assert_true(s->arg[3].bits == 0);
    // The profiler's, too, and what no buffer can be aligned to.
    Cubin more = second;
    more.profile_scratch = 8;
    more.global_scratch_align = more.profile_scratch_align = 256;
    const Cubin *const profiled[] = {NULL, &more};
    assert_true(timed_run_make(&a, &r, profiled, config, &t, &e));
    assert_int_equal(t.step[1].arg[3].buffer, 3);
    assert_int_equal(t.buffer[3].bytes, 8 * 12);
    e = (Err){0};
    more.profile_scratch_align = 512;
    assert_false(timed_run_make(&a, &r, profiled, config, &t, &e));
    if (!strstr(e.msg, "at multiples of 512 bytes")) fail_msg("%s", e.msg);
    e = (Err){0};
    more.profile_scratch = 0; // none is asked for
    assert_true(timed_run_make(&a, &r, profiled, config, &t, &e));
    const int other[] = {0};
    assert_false(timed_run_make(&a, &r, cubin, other, &t, &e)); // its kernel was not compiled
    e = (Err){0};
}

static void test_what_is_not_timed_yet_says_so(void **state) {
    (void)state;
    TimedRun t;
    RecordedRun r = recorded();
    r.output[0].stride[0] = 64;
    assert_false(timed_run_make(&a, &r, NULL, NULL, &t, &e));
    assert_non_null(strstr(e.msg, "an answer with gaps"));
    e = (Err){0};
    r = recorded();
    r.step[0] = (RunStep){.kind = STEP_COPY,
                          .group = -1,
                          .buffer = 1,
                          .from = {.dtype = DT_F32, .rank = 1, .shape = {4}, .stride = {2}}};
    assert_false(timed_run_make(&a, &r, NULL, NULL, &t, &e));
    assert_non_null(strstr(e.msg, "a copy of a tensor with gaps"));
    e = (Err){0};
}

static int end(void **state) {
    (void)state;
    arena_free(&a);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_what_is_written_is_read_again, end),
        cmocka_unit_test_teardown(test_what_cannot_be_is_refused, end),
        cmocka_unit_test_teardown(test_hostile_runs, end),
        cmocka_unit_test_teardown(test_a_recorded_run_becomes_one, end),
        cmocka_unit_test_teardown(test_what_is_not_timed_yet_says_so, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
