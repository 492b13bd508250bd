// What host code asks for, written down: Triton's specialisation, autotuned kernels, fills and copies.
#include "gpu/recording.h"
#include <math.h>

#define KERNEL                                     \
    "@triton.jit\n"                                \
    "def k(x, y, a, b, c, N: tl.constexpr = 4):\n" \
    "    i = tl.arange(0, 16)\n"                   \
    "    tl.store(x + i, tl.load(y + i).to(tl.float16))\n"

// The parameters of the first launch's kernel: "x *fp16 16; N = 4".
static const char *params_text(Recorded *w) {
    Buf b = BUF(&w->keeps);
    const RunStep *s = &w->run.step[w->run.steps - 1];
    const RunKernel *k = &w->run.kernel[s->choice[0].kernel];
    for (int i = 0; i < k->params; i++) {
        const RunParam *p = &k->param[i];
        buf_printf(&b, "%s%.*s %.*s", i ? "; " : "", STR_ARG(p->name), STR_ARG(p->type));
        if (p->aligned) buf_puts(&b, " 16");
        if (!str_is(p->type, "constexpr")) continue;
        buf_puts(&b, " = ");
        if (p->value.kind == CONST_DTYPE) buf_puts(&b, dtype_info[p->value.dtype].triton);
        if (p->value.kind == CONST_FUNCTION) buf_str_put(&b, p->value.function);
        if (p->value.kind == CONST_PLAIN) py_repr(&b, p->value.plain);
    }
    return buf_cstr(&b);
}

// By what Triton 3.6's own native_specialize_impl() says of these arguments.
static void arguments_are_specialised_as_triton_does(void **state) {
    (void)state;
    static const struct {
        const char *launch, *params;
    } row[] = {
        {"k[(1,)](x, y, 3, 16, 1)", "x *fp16 16; y *fp32; a i32; b i32 16; c constexpr = 1; N constexpr = 4"},
        {"k[(1,)](x[1:], x[0, 1:], 0, -32, 2 ** 40, N=1)",
         "x *fp16 16; y *fp16; a i32 16; b i32 16; c i64 16; N constexpr = 1"},
        {"k[(1,)](x, y, True, 2.5, None)",
         "x *fp16 16; y *fp32; a u1; b fp32; c constexpr = None; N constexpr = 4"},
        {"k[(1,)](x, y, 2 ** 31, -2 ** 31, 1.0)",
         "x *fp16 16; y *fp32; a i64 16; b i32 16; c fp32; N constexpr = 4"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Recorded w;
        Arena a = {0};
        record_ok(&w, arena_printf(&a, KERNEL "def run(x, y):\n    %s\n    return x\n", row[i].launch));
        assert_string_equal(params_text(&w), row[i].params);
        record_close(&w);
        arena_free(&a);
    }
}

static void annotations_and_decorators_decide(void **state) {
    (void)state;
    Recorded w;
    record_ok(&w, "@triton.jit(do_not_specialize=['a', 1], do_not_specialize_on_alignment=['b'])\n"
                  "def k(x, y, a, b, c: tl.int64, d: 'i64', e: tl.float64, F: tl.constexpr, t):\n"
                  "    i = tl.arange(0, 16)\n"
                  "    tl.store(x + i, tl.load(y + i).to(F))\n"
                  "def run(x, y):\n"
                  "    k[(3, 2)](x, x, 1, 16, 1, 32, 1, tl.float16, (x, 1, 32))\n"
                  "    return x\n");
    assert_string_equal(params_text(&w), "x *fp16 16; y *fp16; a i32; b i32; c i64; d i64 16; e fp64; "
                                         "F constexpr = fp16; t tuple");
    const RunLaunch *l = &w.run.step[0].choice[0];
    const RunParam *t = &w.run.kernel[0].param[8];
    assert_true(t->items == 3 && str_is(t->item[0].type, "*fp16") && t->item[0].aligned);
    assert_true(str_is(t->item[1].type, "constexpr") && t->item[2].aligned);
    assert_true(l->args == 9 && l->grid[0] == 3 && l->grid[1] == 2 && l->grid[2] == 1);
    assert_int_equal(l->arg[6].bits, bits64(1.0));
    assert_int_equal(l->arg[8].bits, 32);
    record_close(&w);
}

static void fills_copies_and_roles(void **state) {
    (void)state;
    Recorded w;
    record_ok(&w, KERNEL "def run(x, y):\n"
                         "    z = torch.zeros(64, 3, dtype=torch.float32, device=x.device)\n"
                         "    o = torch.full((5,), -1.5, dtype=torch.bfloat16, device=x.device)\n"
                         "    c = x.t().contiguous()\n"
                         "    e = torch.empty_like(x)\n"
                         "    k[(0,)](e, c, 2, 2, 2)\n"
                         "    return e[2:]\n");
    const RecordedRun *r = &w.run;
    assert_int_equal(r->steps, 4);
    assert_true(r->step[0].kind == STEP_FILL && r->step[0].buffer == 2 && r->step[0].count == 192 &&
                r->step[0].width == 4 && r->step[0].pattern == 0);
    assert_true(r->step[1].kind == STEP_FILL && r->step[1].pattern == 0xbfc0 && r->step[1].width == 2);
    assert_true(r->step[2].kind == STEP_COPY && r->step[2].buffer == 4 && r->step[2].from.buffer == 0 &&
                r->step[2].from.stride[0] == 1 && r->step[2].from.stride[1] == 128);
    assert_true(r->step[3].kind == STEP_LAUNCH && r->step[3].choice[0].grid[0] == 0);
    assert_true(r->buffers == 6 && r->buffer[0].role == BUFFER_INPUT && r->buffer[5].role == BUFFER_OUTPUT &&
                r->buffer[2].role == BUFFER_SCRATCH);
    assert_true(r->output[0].buffer == 5 && r->output[0].offset == 512 && r->output[0].shape[0] == 62);
    assert_true(r->buffer[1].bytes == 260 && r->input[1].offset == 4);
    record_close(&w);
}

// No kernel has run, and no tensor has memory: the sizes of a large language model cost nothing.
static void sizes_cost_nothing(void **state) {
    (void)state;
    Recorded w;
    record_ok(&w, KERNEL "def run(x, y):\n"
                         "    z = torch.empty(8192, 8192, dtype=torch.float32, device=x.device)\n"
                         "    k[(8192 * 8192,)](z, x, 2, 2, 2)\n"
                         "    return z\n");
    assert_int_equal(w.run.buffer[2].bytes, 8192 * 8192 * 4);
    assert_int_equal(w.m.count.programs, 0);
    assert_true(w.arena.peak < 4 << 20);
    record_close(&w);
}

#define TUNED                                                                                           \
    "@triton.autotune(configs=[triton.Config({'B': 16}), triton.Config({'B': 1 << 20}, num_warps=8),\n" \
    "                          triton.Config({'B': 64}, num_stages=5, num_warps=1)], key=['n'])\n"      \
    "@triton.jit\n"                                                                                     \
    "def k(x, y, n, B: tl.constexpr):\n"                                                                \
    "    tl.static_assert(B < 100)\n"                                                                   \
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n"                                                  \
    "    tl.store(y + i, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)\n"

static void every_config_is_recorded(void **state) {
    (void)state;
    Recorded w;
    record_ok(&w, TUNED "def run(x, y):\n"
                        "    o = torch.empty_like(x)\n"
                        "    grid = lambda meta: (triton.cdiv(8192, meta['B']),)\n"
                        "    k[grid](x, o, 8192)\n"
                        "    k[grid](o, x, 8192)\n"
                        "    k[grid](o, x, 100)\n"
                        "    return o\n");
    const RecordedRun *r = &w.run;
    assert_true(r->steps == 3 && r->groups == 2);
    assert_true(r->step[0].group == 0 && r->step[1].group == 0 && r->step[2].group == 1);
    const RunStep *s = &r->step[0];
    assert_int_equal(s->choices, 2); // the one in the middle does not compile
    assert_true(s->choice[0].config == 0 && s->choice[0].grid[0] == 512);
    assert_true(s->choice[1].config == 2 && s->choice[1].grid[0] == 128);
    const RunOptions *o = &r->kernel[s->choice[1].kernel].option;
    assert_true(o->num_stages == 5 && o->num_warps == 1);
    assert_int_equal(r->kernel[s->choice[0].kernel].option.num_warps, 4);
    assert_true(r->step[1].choice[0].kernel == s->choice[0].kernel); // the same specialisation
    record_close(&w);
}

// A config that does not fit one launch of a key is none of the others' either; pruning keeps its order.
static void groups_have_the_same_configs(void **state) {
    (void)state;
    Recorded w;
    record_ok(&w, "def prune(configs, args, **kw):\n"
                  "    return [c for c in reversed(configs) if c.kwargs['B'] != args['skip']]\n"
                  "@triton.autotune(configs=[triton.Config({'B': 16}), triton.Config({'B': 32}),\n"
                  "                          triton.Config({'B': 64})], key=[],\n"
                  "                 prune_configs_by={'early_config_prune': prune})\n"
                  "@triton.jit\n"
                  "def k(x, y, skip, B: tl.constexpr):\n"
                  "    i = tl.arange(0, B)\n"
                  "    tl.store(y + i, tl.load(x + i))\n"
                  "def run(x, y):\n"
                  "    k[(1,)](x, x, 0)\n"
                  "    k[(1,)](x, x, 0)\n"
                  "    return x\n");
    const RecordedRun *r = &w.run;
    assert_true(r->steps == 2 && r->groups == 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(r->step[i].choices, 3);
        for (int c = 0; c < 3; c++) assert_int_equal(r->step[i].choice[c].config, c);
    }
    record_close(&w);
}

static void options_are_kept(void **state) {
    (void)state;
    Recorded w;
    record_ok(&w, KERNEL
              "def run(x, y):\n"
              "    k[(4,)](x, y, 2, 2, 2, num_warps=2, num_stages=1, maxnreg=64, enable_fp_fusion=False,\n"
              "            launch_pdl=True, launch_cooperative_grid=True)\n"
              "    return x\n");
    const RunOptions *o = &w.run.kernel[0].option;
    assert_true(o->num_warps == 2 && o->num_stages == 1 && o->maxnreg == 64 && !o->fp_fusion && o->pdl &&
                o->cooperative && o->num_ctas == 1);
    record_close(&w);
}

// What cannot be written down is said, not left out.
static void what_is_not_recorded_is_said(void **state) {
    (void)state;
    static const struct {
        const char *host, *part;
    } row[] = {
        {"k[(4,)](x, y, 2, 2, 2, debug=True)", "debug=True"},
        {"k[(4,)](x, y, 2, 2, 2, num_stages='3')", "num_stages"},
        {"k[(4,)](x, y, 2, 2, 2, maxnreg=1000)", "maxnreg"},
        {"p[(4,)](x)", "annotated"},
        {"d[(1,)](TensorDescriptor.from_tensor(x, [16, 16]))", "tensor descriptors"},
        {"k[(4,)](x, x, 2, 2, y)\n    for i in range(1100): k[(4,)](x, y, 2, 2, 2)",
         "launches, fills and copies"},
        {"k[(4,)](x, y, 2, 2, 2, N='a')\n    k[(4,)](x, y, 2, 2, tuple(range(300)))", "parameters"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Recorded w;
        Arena a = {0};
        const char *source =
            arena_printf(&a,
                         "from triton.tools.tensor_descriptor import TensorDescriptor\n" KERNEL
                         "@triton.jit\ndef p(x: '*fp16'):\n    tl.store(x, 0.0)\n"
                         "@triton.jit\ndef d(x):\n    x.store([0, 0], x.load([0, 0]))\n"
                         "def run(x, y):\n    %s\n    return x\n",
                         row[i].host);
        if (record(&w, source)) fail_msg("recorded: %s", row[i].host);
        if (!strstr(diag_first(&w.d)->msg, row[i].part) || diag_first(&w.d)->kind != DIAG_UNSUPPORTED)
            fail_msg("%s: %s", row[i].host, diag_first(&w.d)->msg);
        record_close(&w);
        arena_free(&a);
    }
}

// What Triton's compiler refuses is refused here, too: no launch of it is written down.
static void what_does_not_compile_is_no_run(void **state) {
    (void)state;
    Recorded w;
    assert_false(record(&w, "@triton.jit\n"
                            "def k(x):\n"
                            "    tl.store(x + tl.arange(0, 7), 0.0)\n"
                            "def run(x, y):\n"
                            "    k[(1,)](x)\n"
                            "    return x\n"));
    assert_int_equal(diag_first(&w.d)->kind, DIAG_COMPILE);
    record_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_specialised_as_triton_does),
        cmocka_unit_test(annotations_and_decorators_decide),
        cmocka_unit_test(fills_copies_and_roles),
        cmocka_unit_test(sizes_cost_nothing),
        cmocka_unit_test(every_config_is_recorded),
        cmocka_unit_test(groups_have_the_same_configs),
        cmocka_unit_test(options_are_kept),
        cmocka_unit_test(what_is_not_recorded_is_said),
        cmocka_unit_test(what_does_not_compile_is_no_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
