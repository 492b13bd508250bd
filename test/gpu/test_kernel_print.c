// Our print of a kernel: what is in it, what is not, what is refused; and that it is the same kernel: the
// built-in programs, with their kernels printed, give the same bytes in the virtual machine.
#include "gpu/kernel_print.h"
#include "gpu/recording.h"
#include "op/op.h"

static Str print_of(Recorded *w, int kernel) {
    Err e = {0};
    Str out = {0};
    if (!kernel_print(&w->keeps, w->module, &w->run.kernel[kernel], &out, &e)) fail_msg("%s", e.msg);
    return out;
}

static bool has(Str text, const char *part) { return memmem(text.p, text.len, part, strlen(part)) != NULL; }

#define HOST "def run(x, y):\n    k[(1,)](x, y)\n    return x\n"
#define BODY "    i = tl.arange(0, 16)\n    tl.store(x + i, tl.load(y + i).to(tl.float16))\n"

static void only_what_the_kernel_reaches(void **state) {
    (void)state;
    Recorded w;
    record_ok(&w, "import torch\nimport triton\nimport triton.language as tl\n"
                  "from triton.language.extra import libdevice\n"
                  "LOG2E = tl.constexpr(1.4426950408889634)\n"
                  "SCALE: tl.constexpr = tl.constexpr(2 ** 3)\n"
                  "UNUSED = tl.constexpr(7)\n"
                  "plain = 12\n"
                  "table = {'a': 1}\n"
                  "exp2 = tl.exp2\n"
                  "@triton.jit\n"
                  "def unused(x):\n    return x\n"
                  "@triton.jit(noinline=True)\n"
                  "def helper(v, s=2.0, c: tl.constexpr = SCALE):\n"
                  "    \"\"\"Says what it is.\"\"\"\n    return libdevice.tanh(exp2(v * LOG2E)) * s\n"
                  "@triton.autotune([triton.Config({'B': 16})], key=[])\n"
                  "@triton.heuristics({'C': lambda a: 1})\n"
                  "@triton.jit(do_not_specialize=['y'])\n"
                  "def k(x, y, n: 'i64' = 3, B: tl.constexpr = 4, C: tl.constexpr = 2):\n"
                  "    plain = tl.arange(0, B)\n"
                  "    tl.store(x + plain, helper(tl.load(y + plain)).to(tl.float16))\n"
                  "def run(x, y):\n    k[(1,)](x, y)\n    return x\n");
    Str text = print_of(&w, 0);
    static const char *const in[] = {
        "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n",
        "LOG2E = tl.constexpr(1.4426950408889634)\n",
        "SCALE = tl.constexpr(2 ** 3)\n",
        "exp2 = tl.exp2\n",
        "@triton.jit(noinline=True)\ndef helper(v, s=2.0, c: tl.constexpr = SCALE):",
        "@triton.jit\ndef k(x, y, n: tl.int64, B: tl.constexpr, C: tl.constexpr):"};
    static const char *const out[] = {"unused", "UNUSED",   "table",      "12",
                                      "torch",  "autotune", "heuristics", "do_not_specialize",
                                      "run",    "lambda"};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        if (!has(text, in[i])) fail_msg("'%s' is not in\n%.*s", in[i], STR_ARG(text));
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        if (has(text, out[i])) fail_msg("'%s' is in\n%.*s", out[i], STR_ARG(text));
    record_close(&w);
}

// At module level stand imports, constants and functions, and nothing else: of any program.
static void module_is_bare(const char *what, Str text) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, text, &d);
    if (!m) fail_msg("%s: the print does not parse: %s\n%.*s", what, d.at[0].msg, STR_ARG(text));
    for (int i = 0; i < m->module.body.n; i++) {
        const Node *s = m->module.body.at[i];
        bool jit = s->kind == NODE_FUNCTION && s->function.decorators.n == 1 && is_jit_function(s);
        if (!jit && s->kind != NODE_IMPORT && s->kind != NODE_ASSIGN)
            fail_msg("%s: a %s at module level", what, node_kind_name(s->kind));
    }
    // A fixed point: printing the print changes nothing.
    Buf b = BUF(&a);
    print_module(&b, m);
    const Node *again = parse_module(&a, buf_str(&b), &d);
    assert_true(again && node_equal(m, again));
    arena_free(&a);
}

// Text around a kernel that would run, or mean something else, where the module is loaded.
static void attacks_are_left_out_or_refused(void **state) {
    (void)state;
    static const struct {
        const char *before, *kernel, *part; // part: of the refusal; NULL: printed, and bare
    } row[] = {
        {"import os\nos.system('touch /tmp/x')\n", "def k(x, y):\n" BODY, NULL},
        {"open('/etc/passwd')\n", "def k(x, y):\n" BODY, NULL},
        {"class A:\n    z = print('loaded')\n", "def k(x, y):\n" BODY, NULL},
        {"for i in range(10 ** 9):\n    pass\n", "def k(x, y):\n" BODY, NULL},
        {"def tl_store(*a):\n    return print(a)\n", "def k(x, y, z=print('def')):\n" BODY, NULL},
        {"", "def k(x: print('annotation'), y: open('/etc/passwd')) -> print('returns'):\n" BODY, NULL},
        {"A = tl.constexpr(open('/etc/passwd').read())\n", "def k(x, y):\n    tl.static_print(A)\n" BODY,
         "constant"},
        {"A = tl.constexpr(__import__('os').getpid())\n", "def k(x, y):\n    tl.static_print(A)\n" BODY,
         "constant"},
        {"A = tl.constexpr(2 ** 2 ** 40)\n", "def k(x, y):\n    tl.static_print(A)\n" BODY, "constant"},
        {"A = tl.constexpr((lambda: 3)())\n", "def k(x, y):\n    tl.static_print(A)\n" BODY, "constant"},
        {"A = tl.constexpr(torch.cuda.device_count())\n", "def k(x, y):\n    tl.static_print(A)\n" BODY,
         "constant"},
        {"A = tl.constexpr([print(i) for i in range(3)])\n", "def k(x, y):\n    tl.static_print(A)\n" BODY,
         "constant"},
        {"A = tl.constexpr(tl._core.os)\n", "def k(x, y):\n    tl.static_print(A)\n" BODY, "constant"},
        {"def int(x):\n    return open(x)\nA = tl.constexpr(int('/etc/passwd'))\n",
         "def k(x, y):\n    tl.static_print(A)\n" BODY, "constant"},
        {"@triton.jit\ndef f(v, g=open('/etc/passwd')):\n    return v\n", "def k(x, y):\n    f(1)\n" BODY,
         "default of 'g'"},
        {"@triton.jit\ndef float(v):\n    return v\n", "def k(x, y):\n    float(1)\n" BODY,
         "meaning of its own"},
        {"@triton.jit\ndef __getattr__(v):\n    return v\n", "def k(x, y):\n    __getattr__(1)\n" BODY,
         "meaning of its own"},
        {"from os import system\n", "def k(x, y):\n    system('id')\n" BODY, "cannot be printed"},
        {"from triton.runtime.jit import os\n", "def k(x, y):\n    os.system('id')\n" BODY,
         "cannot be printed"},
        {"from triton.backends.nvidia import compiler\n", "def k(x, y):\n    compiler.x\n" BODY,
         "cannot be printed"},
        {"", "def k(x, y):\n    tl.__loader__\n" BODY, "no place in a kernel"},
        {"", "def k(x, y):\n    f = lambda: 3\n" BODY, "within a kernel"},
        {"", "def k(x, y):\n    import os\n" BODY, "within a kernel"},
        {"", "def k(x, y):\n" BODY "@triton.jit\ndef k(x, y):\n    pass\n", "no one kernel"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Arena a = {0};
        DiagList d = DIAGS(&a);
        Err e = {0};
        Str text = {0};
        const char *source = arena_printf(&a, "%s@triton.jit\n%s", row[i].before, row[i].kernel);
        const Node *m = parse_module(&a, str_of(source), &d);
        if (!m) fail_msg("%s\n%s", d.at[0].msg, source);
        const Node *first = NULL; // the first k: what a child would name
        for (int s = 0; s < m->module.body.n; s++) {
            const Node *n = m->module.body.at[s];
            if (!first && n->kind == NODE_FUNCTION && str_is(n->function.name, "k")) first = n;
        }
        RunParam p[3] = {{.name = STR("x")}, {.name = STR("y")}, {.name = STR("z")}};
        RunKernel k = {
            .name = STR("k"), .at = first->span.at, .param = p, .params = first->function.params.n};
        bool ok = kernel_print(&a, m, &k, &text, &e);
        if (row[i].part ? ok || !strstr(e.msg, row[i].part) : !ok)
            fail_msg("expected %s, got %s\n%s%.*s", row[i].part ? row[i].part : "a print", e.msg, source,
                     STR_ARG(text));
        if (ok) module_is_bare(source, text);
        if (ok && (has(text, "print") || has(text, "os") || has(text, "open") || has(text, "class")))
            fail_msg("it is in the print:\n%.*s", STR_ARG(text));
        arena_free(&a);
    }
}

// What a child says of a kernel is held against the tree.
static void names_are_checked(void **state) {
    (void)state;
    Recorded w;
    Err e = {0};
    Str out;
    record_ok(&w, "@triton.jit\ndef other(x, y):\n    pass\n@triton.jit\ndef k(x, y):\n" BODY HOST);
    RunKernel k = w.run.kernel[0], lie = k;
    RunParam swapped[2] = {k.param[1], k.param[0]};
    assert_true(kernel_print(&w.keeps, w.module, &k, &out, &e));
    lie.name = STR("other");
    assert_false(kernel_print(&w.keeps, w.module, &lie, &out, &e));
    lie = k;
    lie.at++;
    assert_false(kernel_print(&w.keeps, w.module, &lie, &out, &e));
    lie = k;
    lie.params = 1;
    assert_false(kernel_print(&w.keeps, w.module, &lie, &out, &e));
    lie = k;
    lie.param = swapped;
    assert_false(kernel_print(&w.keeps, w.module, &lie, &out, &e));
    RunParam given[2] = {k.param[0], {.name = STR("y"), .type = STR("constexpr")}};
    given[1].value = (RunConst){.kind = CONST_FUNCTION, .function = STR("other")};
    lie = k;
    lie.param = given;
    assert_true(kernel_print(&w.keeps, w.module, &lie, &out, &e) && has(out, "def other(x, y):"));
    given[1].value.function = STR("run");
    assert_false(kernel_print(&w.keeps, w.module, &lie, &out, &e));
    record_close(&w);
}

// ---- the built-in programs

typedef struct {
    Arena arena;
    DiagList d;
    Machine m;
    Tensor in[OP_INPUTS_MAX], out;
    uint8_t *bytes;
    size_t n;
} Call;

static void input_make(Call *c, const OpInput *in, const int64_t *size, int index) {
    Tensor t = {.dtype = in->any_float ? DT_F32 : in->dtype, .rank = in->rank};
    for (int i = 0; i < t.rank; i++) t.shape[i] = in->dim[i] >= 0 ? size[in->dim[i]] : in->size[i];
    tensor_contiguous_strides(&t);
    int64_t n = tensor_numel(&t), width = dtype_bytes(t.dtype);
    uint8_t *data = arena_raw(&c->arena, (size_t)(n * width), 64);
    for (int64_t i = 0; i < n; i++) {
        double x = (double)((i * 37 + index * 11) % 101 - 50) / 16;
        dtype_store(t.dtype, data + i * width, dtype_is_float(t.dtype) ? x : (double)(i % 2));
    }
    assert_true(storage_wrap_open(&c->m.storages, t.dtype, data, (size_t)(n * width), &t.storage));
    c->in[index] = t;
}

static bool call(Call *c, const Op *op, Str source, RecordedRun *run, Arena *keeps) {
    int64_t size[OP_DIMS_MAX] = {0};
    *c = (Call){0};
    c->d = DIAGS(&c->arena);
    machine_init(&c->m, &c->arena, &c->d, (int64_t)1 << 32);
    c->m.autotune.pruned = tuned_new(&c->arena);
    for (int i = 0; i < op->dims; i++) {
        size[i] = i == op->rows_dim ? 3 : i == op->row_dim ? 64 : op->dim[i].min > 8 ? op->dim[i].min : 8;
        if (op->dim[i].of >= 0) size[i] = size[op->dim[i].of] / op->dim[i].divisor;
    }
    for (int i = 0; i < op->inputs; i++) input_make(c, &op->input[i], size, i);
    Node *m = parse_module(&c->arena, source, &c->d);
    if (!m || !host_normalize(&c->arena, m, &c->d)) return false;
    Recorder *r = run ? recorder_new(keeps, &c->m, c->in, op->inputs) : NULL;
    Err e = {0};
    if (!host_run(&c->m, code_cache_new(&c->arena), m, c->in, op->inputs, &c->out)) return false;
    if (run) {
        // The run that is printed belongs to a tree of its own, which stays.
        Node *kept = parse_module(keeps, source, &c->d);
        assert_true(kept && host_normalize(keeps, kept, &c->d) && recorder_run(r, run, &e));
        bool ok = run_print(keeps, kept, run, &e);
        // Python that Triton would run while it compiles: such programs have no times.
        if (!ok && !strstr(e.msg, "a constexpr_function cannot be printed")) fail_msg("%s", e.msg);
        return ok;
    }
    c->n = (size_t)(tensor_numel(&c->out) * dtype_bytes(c->out.dtype));
    c->bytes = arena_raw(&c->arena, c->n + 1, 1);
    tensor_gather(&c->out, c->bytes, NULL);
    return true;
}

// The program with the definitions of its kernel, and of all that this reaches, taken from the print.
static Str with_print(Arena *a, Str source, Str print) {
    DiagList d = DIAGS(a);
    Node *whole = parse_module(a, source, &d);
    const Node *ours = parse_module(a, print, &d), *alias;
    assert_true(whole && ours && host_normalize(a, whole, &d));
    Buf b = BUF(a);
    if (memmem(source.p, source.len, "__future__", 10)) buf_puts(&b, "from __future__ import annotations\n");
    buf_puts(&b, "import torch\n");
    if (!memmem(print.p, print.len, "import math", 11))
        buf_puts(&b, "import math\n"); // host code may need it
    buf_str_put(&b, print);
    for (int i = 0; i < whole->module.body.n; i++) {
        const Node *s = whole->module.body.at[i];
        Str name = s->kind == NODE_FUNCTION ? s->function.name : (Str){0};
        if (s->kind == NODE_ASSIGN && s->assign.targets.at[0]->kind == NODE_NAME)
            name = s->assign.targets.at[0]->name;
        if (s->kind == NODE_ANNASSIGN && s->annassign.target->kind == NODE_NAME)
            name = s->annassign.target->name;
        Str module = s->kind != NODE_IMPORT ? (Str){0}
                     : s->import.from       ? s->import.module
                                            : s->import.names.at[0]->alias.name;
        // They stand at the head; torch may be used before the file's own import of it, by what was moved
        // there.
        bool stands =
            str_starts(module, "triton") || str_is(module, "math") || str_is(module, "__future__") ||
            (str_is(module, "torch") && !s->import.from && s->import.names.n == 1 &&
             (!s->import.names.at[0]->alias.as.len || str_is(s->import.names.at[0]->alias.as, "torch")));
        if (stands || (name.len && module_binding(ours, name, &alias))) continue;
        print_node(&b, s);
        buf_putc(&b, '\n');
    }
    return buf_str(&b);
}

static bool has_decorators(Str source) {
    return memmem(source.p, source.len, "autotune", 8) || memmem(source.p, source.len, "heuristics", 10);
}

static void the_built_in_programs_stay_what_they_are(void **state) {
    (void)state;
    Arena all = {0};
    int n, same = 0, printed = 0;
    const Program *p = op_programs(&all, &n);
    for (int i = 0; i < n; i++) {
        if (p[i].kind != PROGRAM_GOLD && p[i].kind != PROGRAM_HONEST) continue;
        if (!memmem(p[i].source.p, p[i].source.len, "def run(", 8)) continue;
        Arena keeps = {0};
        Op op;
        RecordedRun run;
        Call first, plain, second;
        assert_true(op_find(&keeps, p[i].op, &op));
        if (!call(&first, &op, p[i].source, &run, &keeps)) {
            // A few have kernels for some sizes only, or keep no room in this machine.
            arena_free(&first.arena);
            arena_free(&keeps);
            continue;
        }
        for (int k = 0; k < run.kernels; k++) module_is_bare(p[i].name, run.kernel[k].source);
        printed += run.kernels;
        bool one = run.kernels == 1 && !has_decorators(p[i].source);
        if (one && call(&plain, &op, p[i].source, NULL, NULL)) {
            Str text = with_print(&keeps, p[i].source, run.kernel[0].source);
            // host_normalize() gives wrapped functions names that no source can spell.
            if (!parse_module(&keeps, text, &(DiagList){.arena = &keeps})) text = (Str){0};
            if (text.len && !call(&second, &op, text, NULL, NULL))
                fail_msg("%s: %s\n%.*s", p[i].name, diag_first(&second.d)->msg, STR_ARG(text));
            if (text.len) {
                assert_true(plain.n == second.n && memcmp(plain.bytes, second.bytes, plain.n) == 0);
                same++;
                arena_free(&second.arena);
            }
            arena_free(&plain.arena);
        }
        arena_free(&first.arena);
        arena_free(&keeps);
    }
    if (same < 100 || printed < 200) fail_msg("only %d programs compared, %d kernels printed", same, printed);
    arena_free(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_the_kernel_reaches),
        cmocka_unit_test(attacks_are_left_out_or_refused),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(the_built_in_programs_stay_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
