// Recording in a real child: the built-in programs at a large size, one that keeps something between calls,
// ones that cannot be recorded; and children that lie.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include "op/op.h"
#include "sandbox/record.h"
#include <stdio.h>
#include <unistd.h>

static ForkServers *servers;
static Arena a;

static const char in_place[] = "\"\"\"Twice x, in place.\"\"\"\n"
                               "inputs = {'x': {'shape': ('M', 'N')}}\noutputs = {'x': {'init': 'x'}}\n"
                               "def reference(x):\n    return (2 * x.float()).to(x.dtype)\n";

// "in_place": that definition; else an op of the suite.
static RecordOrder order_for(Str name, int64_t rows, int64_t row) {
    Op op;
    Err e = {0};
    DiagList d = DIAGS(&a);
    RecordOrder order;
    int64_t size[OP_DIMS_MAX] = {0};
    if (!str_is(name, "in_place"))
        assert_true(op_find(&a, name, &op));
    else if (!op_define(&a, name, STR(in_place), true, &op, &d))
        fail_msg("%s", diag_first(&d)->msg);
    for (int i = 0; i < op.dims; i++) {
        size[i] = i == op.rows_dim ? rows : i == op.row_dim ? row : op.dim[i].usual ? op.dim[i].usual : 8;
        if (op.dim[i].of >= 0) size[i] = size[op.dim[i].of] / op.dim[i].divisor;
    }
    if (!record_order(&op, size, DT_F16, 132, &order, &e)) fail_msg("%s", e.msg);
    return order;
}

static bool record(Str op, Str source, Recording *out) {
    const RecordAsk ask = {.source = source, .order = order_for(op, 8192, 8192)};
    Err e = {0};
    if (!record_run(servers, &a, &ask, out, &e)) fail_msg("%s", e.msg);
    return out->ok;
}

static void the_golds_are_recorded(void **state) {
    (void)state;
    int n, golds = 0;
    const Program *p = op_programs(&a, &n);
    for (int i = 0; i < n; i++) {
        Recording r;
        if (p[i].kind != PROGRAM_GOLD) continue;
        if (!record(p[i].op, p[i].source, &r)) fail_msg("%s: %.*s", p[i].name, STR_ARG(r.why));
        assert_true(r.run.kernels > 0 && r.run.steps > 0 && r.run.setups == 0);
        for (int k = 0; k < r.run.kernels; k++) assert_true(r.run.kernel[k].source.len > 0);
        golds++;
    }
    assert_true(golds > 40);
}

#define KERNEL                                                    \
    "import torch\nimport triton\nimport triton.language as tl\n" \
    "@triton.jit\n"                                               \
    "def k(x, o, n, B: tl.constexpr):\n"                          \
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n"            \
    "    tl.store(o + i, tl.load(x + i, mask=i < n), mask=i < n)\n"

// What runs once is told apart from what every call does.
static void what_is_kept_is_set_up(void **state) {
    (void)state;
    Recording r;
    if (!record(STR("softmax"),
                STR(KERNEL
                    "class ModelNew(torch.nn.Module):\n"
                    "    def __init__(self):\n"
                    "        super().__init__()\n"
                    "        self.scratch = None\n"
                    "    def forward(self, x):\n"
                    "        if self.scratch is None:\n"
                    "            self.scratch = torch.zeros(64, dtype=torch.float16, device=x.device)\n"
                    "        o = torch.empty_like(x)\n"
                    "        k[(4,)](self.scratch, o, 64, B=16)\n"
                    "        return o\n"),
                &r))
        fail_msg("%.*s", STR_ARG(r.why));
    const RecordedRun *run = &r.run;
    assert_int_equal(run->setups, 2); // the fill and the launch of the first call
    assert_int_equal(run->steps, 3);
    const RunArg *arg = run->step[2].choice[0].arg;
    assert_true(run->buffer[arg[0].buffer].kept && !run->buffer[arg[1].buffer].kept);
    assert_true(run->output[0].buffer == arg[1].buffer && run->buffer[arg[1].buffer].role == BUFFER_OUTPUT);
}

// An answer that is an input is that input, returned or not; another tensor is none.
static void answers_in_place_are_recorded(void **state) {
    (void)state;
    static const char *const returns[] = {"", "    return x\n", "    return None\n"};
    for (size_t i = 0; i < sizeof returns / sizeof *returns; i++) {
        Recording r;
        const char *source =
            arena_printf(&a, KERNEL "def run(x):\n    k[(4,)](x, x, 64, B=16)\n%s", returns[i]);
        if (!record(STR("in_place"), str_of(source), &r)) fail_msg("%.*s", STR_ARG(r.why));
        assert_int_equal(r.run.outputs, 1);
        assert_int_equal(r.run.output[0].buffer, r.run.input[0].buffer);
        assert_int_equal(r.run.buffer[r.run.output[0].buffer].role, BUFFER_INPUT);
    }
    Recording r;
    assert_false(record(STR("in_place"), STR(KERNEL "def run(x):\n    return torch.empty_like(x)\n"), &r));
    assert_false(record(STR("in_place"), STR(KERNEL "def run(x):\n    return x[1:]\n"), &r));
}

static void what_cannot_be_recorded_is_said(void **state) {
    (void)state;
    static const struct {
        const char *source, *part;
    } row[] = {
        {"def run(x):\n    return y\n", "y"},
        {"def run(x):\n", "expected"},
        {KERNEL "def run(x):\n    k[(1,)](x, x, 4, B=7)\n    return x\n", "power of 2"},
        {KERNEL "def run(x):\n    while True:\n        pass\n", "budget"},
        {KERNEL "def run(x):\n    k[(1,)](x, x, 4, B=16, debug=True)\n    return x\n", "debug=True"},
        {KERNEL "def run(x):\n    o = torch.empty(1 << 40, device=x.device)\n    return o\n",
         "out of memory"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Recording r;
        if (record(STR("softmax"), str_of(row[i].source), &r)) fail_msg("recorded: %s", row[i].source);
        if (!memmem(r.why.p, r.why.len, row[i].part, strlen(row[i].part)))
            fail_msg("expected '%s', got '%.*s'", row[i].part, STR_ARG(r.why));
    }
}

static void orders_too_large_are_refused(void **state) {
    (void)state;
    Op op;
    Err e = {0};
    RecordOrder order;
    int64_t size[OP_DIMS_MAX] = {1 << 30, 1 << 30};
    assert_true(op_find(&a, STR("softmax"), &op));
    assert_false(record_order(&op, size, DT_F16, 132, &order, &e));
    assert_int_equal(e.code, ERR_LIMIT);
}

// ---- children that lie

static const char *says;      // what stands in the output
static CaseReport reports[2]; // and what is reported
static int report_count;

static int child_lies(const ChildJob *job) {
    memcpy(job->output, says, strlen(says));
    for (int i = 0; i < report_count; i++)
        if (write(job->report_fd, &reports[i], sizeof reports[i]) != (ssize_t)sizeof reports[i]) return 1;
    return 0;
}

static CaseReport done(const char *message) {
    CaseReport r = {.case_index = -1, .kind = REPORT_DONE};
    wire_message(&r, message);
    return r;
}

// The fork server is forked with the lie in it.
static Str about = {"softmax", 7}; // what was asked for
static Recording of_liar(const char *text, CaseReport first, int count) {
    ForkServers *liars;
    Recording r;
    Err e = {0};
    says = text;
    reports[0] = reports[1] = first;
    report_count = count;
    if (!fork_servers_open(child_lies, &liars, &e)) fail_msg("%s", e.msg);
    const RecordAsk ask = {.source = STR(KERNEL "def run(x):\n    return x\n"),
                           .order = order_for(about, 64, 64)};
    if (!record_run(liars, &a, &ask, &r, &e)) fail_msg("%s", e.msg);
    fork_servers_close(liars);
    return r;
}

static void expect_refused(Recording r, const char *part) {
    assert_false(r.ok);
    if (!memmem(r.why.p, r.why.len, part, strlen(part)))
        fail_msg("expected '%s', got '%.*s'", part, STR_ARG(r.why));
}

#define RUN(bytes, kernel)                                                                                   \
    "{\"format\":\"ouroboros run 1\",\"processors\":132,\"setups\":0,\"groups\":0,\"buffers\":[{\"role\":"   \
    "\"input\",\"bytes\":" bytes ",\"kept\":false}],\"inputs\":[{\"buffer\":0,\"dtype\":\"fp16\",\"shape\":" \
    "[64,64],\"strides\":[64,1],\"offset\":0}],\"outputs\":[{\"buffer\":0,\"dtype\":\"fp16\",\"shape\":[64]" \
    ","                                                                                                      \
    "\"strides\":[1],\"offset\":0}],\"kernels\":[" kernel "],\"steps\":[]}"
#define NAMED(name)                                                                                \
    "{\"name\":\"" name "\",\"at\":0,\"params\":[],\"options\":{\"num_warps\":4,\"num_stages\":3," \
    "\"num_ctas\":1,\"maxnreg\":0,\"fp_fusion\":true,\"cooperative\":false,\"pdl\":false}}"

static void liars_are_refused(void **state) {
    (void)state;
    char length[40];
    const char *honest = RUN("8192", "");
    snprintf(length, sizeof length, "bytes %zu", strlen(honest));
    assert_true(of_liar(honest, done(length), 1).ok); // the control
    expect_refused(of_liar(honest, done(length), 2), "did not come to an end");
    expect_refused(of_liar(honest, done("bytes 99999999"), 1), "did not come to an end");
    expect_refused(of_liar(honest, done("bytes -1"), 1), "did not come to an end");
    expect_refused(of_liar(honest, done("bytes 12x"), 1), "did not come to an end");
    expect_refused(of_liar(honest, done(""), 1), "did not come to an end");
    expect_refused(of_liar(honest, done("bytes 20"), 1), "recorded run");
    const char *other = RUN("9000", "");
    snprintf(length, sizeof length, "bytes %zu", strlen(other));
    expect_refused(of_liar(other, done(length), 1), "not what was asked for");
    const char *named = RUN("8192", NAMED("system"));
    snprintf(length, sizeof length, "bytes %zu", strlen(named));
    expect_refused(of_liar(named, done(length), 1), "no one kernel 'system'");
    // An answer in place is the whole input, not a part of it.
    about = STR("in_place");
    snprintf(length, sizeof length, "bytes %zu", strlen(honest));
    expect_refused(of_liar(honest, done(length), 1), "not what was asked for");
    Buf whole = BUF(&a);
    const char *view = strstr(honest, "\"outputs\""), *part = strstr(view, "[64],\"strides\":[1]");
    buf_printf(&whole, "%.*s[64,64],\"strides\":[64,1]%s", (int)(part - honest), honest,
               part + strlen("[64],\"strides\":[1]"));
    snprintf(length, sizeof length, "bytes %zu", whole.len);
    assert_true(of_liar(buf_cstr(&whole), done(length), 1).ok);
    about = STR("softmax");
}

static int setup(void **state) {
    (void)state;
    Err e = {0};
    return fork_servers_open(child_interpret, &servers, &e) ? 0 : -1;
}
static int teardown(void **state) {
    (void)state;
    fork_servers_close(servers);
    arena_free(&a);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_golds_are_recorded),        cmocka_unit_test(what_is_kept_is_set_up),
        cmocka_unit_test(answers_in_place_are_recorded), cmocka_unit_test(what_cannot_be_recorded_is_said),
        cmocka_unit_test(orders_too_large_are_refused),  cmocka_unit_test(liars_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
