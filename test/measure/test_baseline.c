#include "measure/baseline.h"

#include <sys/stat.h>

#include "../gpu/vm_gpu.h"
#include "base/io.h"
#include "cases/modules/modules_domain.h"
#include "hostile.h"

static Arena a;
static Err e;
static TimingJob job = {.rounds = 7,
                        .target_us = 500,
                        .l2_times = 5,
                        .output = {64},
                        .outputs = 1,
                        .inputs = 1,
                        .input = {{0, 64, 0}}};

static void test_an_answer_is_read(void **state) {
    (void)state;
    BaselineTimes t;
    const char *text =
        "{\"torch\":\"2.11.0\",\"triton\":\"3.6.0\",\"errors\":{\"max_autotune\":\"it failed\"},\"modes\":{"
        "\"eager\":{\"device\":[3,4],\"call\":[50]},\"default\":{\"device\":[2],\"call\":[60],\"run\":{"
        "\"buffers\":[{\"input\":0,\"bytes\":64},{\"bytes\":64}],\"kernels\":[{\"entry\":\"k\",\"image\":"
        "\"7f\"}],"
        "\"steps\":[{\"launch\":0,\"grid\":[1,1,1],\"block\":[32,1,1],\"args\":[[0,0]]}],\"outputs\":[[1,0]]}"
        "}}"
        "}";
    if (!baseline_read(&a, str_of(text), &job, &t, &e)) fail_msg("%s", e.msg);
    assert_int_equal(t.modes, 3);
    assert_true(str_is(t.torch, "2.11.0"));
    assert_true(str_is(t.mode[0].name, "eager") && !t.mode[0].replayable);
    assert_int_equal(t.mode[0].devices, 2);
    assert_true(t.mode[1].replayable);
    assert_int_equal(t.mode[1].run.steps, 1);
    assert_true(str_is(t.mode[2].name, "max_autotune"));
    assert_true(str_is(t.mode[2].why, "it failed"));
    assert_int_equal(t.mode[2].devices, 0);
}

static void test_an_answer_that_cannot_be_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",
        "[]",
        "{\"error\":\"no GPU\"}",
        "{\"modes\":{\"eager\":{\"device\":[0]}}}",
        "{\"modes\":{\"eager\":{\"device\":[\"1\"]}}}",
        "{\"modes\":{\"default\":{\"run\":{\"buffers\":[{\"input\":0,\"bytes\":65}],\"outputs\":[[0,0]]}}}}",
        "{\"modes\":{\"default\":{\"run\":{\"buffers\":[{\"bytes\":64}],\"steps\":[],\"outputs\":[[0,1]]}}}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        BaselineTimes t;
        e = (Err){0};
        if (baseline_read(&a, str_of(bad[i]), &job, &t, &e)) fail_msg("taken: %s", bad[i]);
    }
    e = (Err){0};
}

static bool read_hostile(void *arg, Str text) {
    (void)arg;
    BaselineTimes t;
    ArenaMark m = arena_mark(&a);
    e = (Err){0};
    bool taken = baseline_read(&a, text, &job, &t, &e);
    assert_true(t.modes <= BASELINE_MODES_MAX);
    for (int i = 0; taken && i < t.modes; i++) {
        assert_true(t.mode[i].devices <= TIMING_ROUNDS_MAX && t.mode[i].calls <= TIMING_ROUNDS_MAX);
        if (t.mode[i].replayable) assert_true(t.mode[i].run.outputs == 1 && t.mode[i].run.buffers > 0);
        for (int k = 0; k < t.mode[i].devices; k++) assert_true(t.mode[i].device[k] > 0);
    }
    arena_reset(&a, m);
    return taken;
}

static void test_hostile_answers(void **state) {
    (void)state;
    Hostile h = {.read = read_hostile};
    hostile_json(
        &h, STR("{\"torch\":\"2\",\"triton\":\"3\",\"errors\":{\"x\":\"why\"},\"modes\":{\"eager\":{"
                "\"device\":[3],"
                "\"call\":[5]},\"default\":{\"device\":[2],\"run\":{\"buffers\":[{\"input\":0,\"bytes\":64},"
                "{\"bytes\":64}],\"kernels\":[{\"entry\":\"k\",\"image\":\"7f\"}],\"steps\":[{\"launch\":0,"
                "\"grid\":[1,1,1],\"block\":[32,1,1],\"args\":[[0,0]]}],\"outputs\":[[1,0]]}}}}"));
    assert_true(h.tried > 1000 && h.taken < h.tried);
    // More modes than there is room for, and names that fill a screen.
    Buf many = BUF(&a);
    buf_puts(&many, "{\"modes\":{");
    for (int i = 0; i < 300; i++) buf_printf(&many, "%s\"m%0200d\":{\"device\":[1]}", i ? "," : "", i);
    buf_puts(&many, "},\"errors\":{");
    for (int i = 0; i < 300; i++) buf_printf(&many, "%s\"e%d\":7", i ? "," : "", i);
    buf_puts(&many, "}}");
    assert_true(read_hostile(NULL, buf_str(&many)));
    e = (Err){0};
}

// Where an answer takes an input's place, what the compiler made has to write there.
static void test_an_answer_in_place_is_the_input(void **state) {
    (void)state;
    BaselineTimes t;
    TimingJob in_place = job;
    in_place.in_place[0] = 1;
#define RUN_WITH(output)                                                                                   \
    "{\"modes\":{\"default\":{\"device\":[2],\"run\":{\"buffers\":[{\"input\":0,\"bytes\":64},{\"bytes\":" \
    "64}],"                                                                                                \
    "\"kernels\":[],\"steps\":[],\"outputs\":[" output "]}}}}"
    if (!baseline_read(&a, STR(RUN_WITH("[0,0]")), &in_place, &t, &e)) fail_msg("%s", e.msg);
    assert_int_equal(t.mode[0].run.output[0].buffer, 0);
    assert_false(baseline_read(&a, STR(RUN_WITH("[1,0]")), &in_place, &t, &e));
    assert_non_null(strstr(e.msg, "answer 0 is not the input that is changed in place"));
    e = (Err){0};
    assert_true(baseline_read(&a, STR(RUN_WITH("[1,0]")), &job, &t, &e));
}

// A program in Python's place: what it gets, and what becomes of what it says.
static bool ask(const char *program, const TimingJob *of, BaselineTimes *t, Str *got) {
    static const char kept[] = "/tmp/ouroboros-test-baseline";
    char path[64], seen[80];
    Op op;
    DType dtype = DT_F16;
    const int64_t shape[1][OP_RANK_MAX] = {{4, 8}};
    snprintf(path, sizeof path, "%s-%d", kept, (int)getpid());
    // The process may write in its own folder, which goes with it, and in /dev.
    snprintf(seen, sizeof seen, "/dev/shm/ouroboros-test-baseline-%d.seen", (int)getpid());
    assert_true(op_find(&a, STR("softmax"), &op));
    assert_true(io_write_atomic(
        path,
        str_of(arena_printf(&a, "#!/bin/sh\nread -r line\nprintf '%%s' \"$line\" >%s\n%s\n", seen, program)),
        &e));
    assert_int_equal(chmod(path, 0700), 0);
    TorchProcess *b = torch_process_open(path, TORCH_BASELINE);
    const BaselineRequest q = {&op, of, &dtype, shape, 0, 3};
    Str text;
    bool ok = baseline_ask(&a, b, &q, &text, t, &e);
    torch_process_close(b);
    Err none = {0};
    *got = (Str){0};
    if (!io_read(&a, seen, 1 << 20, got, &none)) *got = (Str){0};
    unlink(path);
    unlink(seen);
    return ok;
}

static void test_the_process_gets_our_print_of_the_definition(void **state) {
    (void)state;
    BaselineTimes t;
    Str got;
    Json j;
    if (!ask("echo '{\"torch\":\"2\",\"modes\":{\"eager\":{\"device\":[3]}}}'; cat >/dev/null", &job, &t,
             &got))
        fail_msg("%s", e.msg);
    assert_int_equal(t.modes, 1);
    assert_true(json_parse("request", got, &j, &e));
    const char *source = json_string_value(json_object_get(j.root, "source"));
    assert_non_null(strstr(source, "import torch"));
    assert_non_null(strstr(source, "def reference(x):"));
    assert_null(strstr(source, "# words")); // comments are not printed: it is the tree
    assert_int_equal(json_integer_value(json_object_get(j.root, "bytes")), 128);
    assert_int_equal(json_integer_value(json_object_get(j.root, "draws")), 3);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(j.root, "in_place"), 0)), -1);
    json_close(&j);
    TimingJob in_place = job; // one tensor less, and which input it is
    in_place.in_place[0] = 1;
    assert_true(ask("echo '{\"torch\":\"2\",\"modes\":{\"eager\":{\"device\":[3]}}}'; cat >/dev/null",
                    &in_place, &t, &got));
    assert_true(json_parse("request", got, &j, &e));
    assert_int_equal(json_integer_value(json_object_get(j.root, "bytes")), 64);
    assert_int_equal(json_array_size(json_object_get(j.root, "in_place")), 1);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(j.root, "in_place"), 0)), 0);
    json_close(&j);
}

static void test_the_process_writes_nowhere_else(void **state) {
    (void)state;
    BaselineTimes t;
    Str got;
    const char *elsewhere = arena_printf(&a, "/tmp/ouroboros-test-elsewhere-%d", (int)getpid());
    const char *program =
        arena_printf(&a,
                     "echo x 2>/dev/null >%s && elsewhere=written\n"
                     "echo x >own && own=written\n"
                     "echo \"{\\\"torch\\\":\\\"own $own, elsewhere ${elsewhere:-not}\\\"}\"; cat >/dev/null",
                     elsewhere);
    if (!ask(program, &job, &t, &got)) fail_msg("%s", e.msg);
    assert_true(str_is(t.torch, "own written, elsewhere not"));
    assert_int_equal(access(elsewhere, F_OK), -1);
}

static void test_a_process_that_ends_is_an_error(void **state) {
    (void)state;
    BaselineTimes t;
    Str got;
    assert_false(ask("exit 1", &job, &t, &got));
    assert_int_equal(e.code, ERR_IO);
    assert_non_null(strstr(e.msg, "gives no baseline"));
    assert_non_null(strstr(e.msg, "PyTorch and a GPU are needed there"));
    e = (Err){0};
    assert_false(ask("kill -9 $$", &job, &t, &got));
    assert_non_null(strstr(e.msg, "gives no baseline: it was killed by signal 9"));
    e = (Err){0};
    assert_false(ask("exec >&-; sleep 100", &job, &t, &got));
    assert_non_null(strstr(e.msg, "it has closed its output"));
    e = (Err){0};
    assert_false(ask("echo nonsense; cat >/dev/null", &job, &t, &got));
    e = (Err){0};
    TorchProcess *b = torch_process_open("/nowhere/python3", TORCH_BASELINE);
    Op op;
    DType dtype = DT_F16;
    const int64_t shape[1][OP_RANK_MAX] = {{4, 8}};
    assert_true(op_find(&a, STR("softmax"), &op));
    assert_false(baseline_ask(&a, b, &(BaselineRequest){&op, &job, &dtype, shape, 0, 1}, &got, &t, &e));
    assert_non_null(strstr(e.msg, "/nowhere/python3 gives no baseline: there is no such program"));
    e = (Err){0};
    torch_process_close(b);
}

// A module is given as a function of its inputs and parameters, in the order of the op's inputs.
static void test_a_module_is_a_function(void **state) {
    (void)state;
    static const char text[] =
        "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n    def __init__(self, n):\n"
        "        super().__init__()\n        self.fc = nn.Linear(n, 24)\n        self.bn = "
        "nn.BatchNorm1d(24)\n"
        "    def forward(self, x, factor):\n        return self.bn(self.fc(x)) * factor\n"
        "def get_inputs():\n    return [torch.rand(16, 48), 0.5]\ndef get_init_inputs():\n    return [48]\n";
    ModulesDomain *m;
    assert_true(modules_open(&a, &(ModulesAsk){.path = "l.py", .source = STR(text)}, &m, &e));
    Buf b = BUF(&a);
    baseline_source(&b, &m->op);
    const char *source = buf_cstr(&b);
    static const char *const parts[] = {
        "import torch\n",
        "class Model(nn.Module):",
        "def reference(*given):",
        "inputs = (given[0], 0.5, )",
        "{\"fc.weight\": given[1], \"fc.bias\": given[2], \"bn.weight\": given[3], \"bn.bias\": given[4], }",
        "torch.func.functional_call(ouroboros_model, parameters, inputs)"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(source, parts[i])) fail_msg("no %s in\n%s", parts[i], source);
    assert_null(strstr(source, "running_mean")); // buffers are the model's own
}

static int end(void **state) {
    (void)state;
    arena_free(&a);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_an_answer_is_read, end),
        cmocka_unit_test_teardown(test_an_answer_that_cannot_be_is_refused, end),
        cmocka_unit_test_teardown(test_hostile_answers, end),
        cmocka_unit_test_teardown(test_an_answer_in_place_is_the_input, end),
        cmocka_unit_test_teardown(test_the_process_gets_our_print_of_the_definition, end),
        cmocka_unit_test_teardown(test_the_process_writes_nowhere_else, end),
        cmocka_unit_test_teardown(test_a_process_that_ends_is_an_error, end),
        cmocka_unit_test_teardown(test_a_module_is_a_function, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
