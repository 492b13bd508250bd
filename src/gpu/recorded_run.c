// Writing a recorded run, by hand: the child that writes it may not ask for memory, as a JSON library does.
#include "gpu/recorded_run.h"

// ---- types of arguments

// Triton's spelling of what a cubin takes.
static const struct {
    const char *name;
    int bytes;
} scalar_type[] = {{"u1", 1},  {"i8", 1},  {"u8", 1},  {"i16", 2},  {"u16", 2}, {"i32", 4},
                   {"u32", 4}, {"i64", 8}, {"u64", 8}, {"fp32", 4}, {"fp64", 8}};

const char *run_type_name(DType t) {
    static const char *const name[DT_COUNT] = {
        [DT_BOOL] = "u1",          [DT_I8] = "i8",           [DT_I16] = "i16",    [DT_I32] = "i32",
        [DT_I64] = "i64",          [DT_U8] = "u8",           [DT_U16] = "u16",    [DT_U32] = "u32",
        [DT_U64] = "u64",          [DT_F16] = "fp16",        [DT_BF16] = "bf16",  [DT_F32] = "fp32",
        [DT_F64] = "fp64",         [DT_F8E4NV] = "fp8e4nv",  [DT_F8E5] = "fp8e5", [DT_F8E4B8] = "fp8e4b8",
        [DT_F8E5B16] = "fp8e5b16", [DT_F8E4B15] = "fp8e4b15"};
    return name[t];
}

int run_scalar_bytes(Str type) {
    if (type.len > 1 && type.p[0] == '*') return 8;
    for (size_t i = 0; i < sizeof scalar_type / sizeof *scalar_type; i++)
        if (str_is(type, scalar_type[i].name)) return scalar_type[i].bytes;
    return 0;
}

static int flat(const RunParam *p, int n) {
    int count = 0;
    for (int i = 0; i < n; i++)
        count += p[i].items ? flat(p[i].item, p[i].items) : run_scalar_bytes(p[i].type) > 0;
    return count;
}
int run_flat_params(const RunKernel *k) { return flat(k->param, k->params); }

Str run_choice_name(Arena *a, const RecordedRun *run, const RunLaunch *l) {
    const RunKernel *k = &run->kernel[l->kernel];
    Buf b = BUF(a);
    buf_printf(&b, "%.*s config %d: %d warps, %d stages", STR_ARG(k->name), l->config, k->option.num_warps,
               k->option.num_stages);
    if (k->option.num_ctas > 1) buf_printf(&b, ", %d CTAs", k->option.num_ctas);
    for (int i = 0; i < k->params; i++) {
        const RunParam *p = &k->param[i];
        if (!str_is(p->type, "constexpr") || p->value.kind != CONST_PLAIN) continue;
        if (p->value.plain.kind != PY_INT && p->value.plain.kind != PY_BOOL) continue;
        buf_printf(&b, ", %.*s=", STR_ARG(p->name));
        py_repr(&b, p->value.plain);
    }
    return buf_str(&b);
}

// ---- writing

static void put_text(Buf *out, Str s) {
    buf_putc(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\') buf_putc(out, '\\');
        if (c < ' ')
            buf_printf(out, "\\u%04x", c);
        else
            buf_putc(out, (char)c);
    }
    buf_putc(out, '"');
}

static void put_numbers(Buf *out, const int64_t *x, int n) {
    buf_putc(out, '[');
    for (int i = 0; i < n; i++) buf_printf(out, "%s%lld", i ? "," : "", (long long)x[i]);
    buf_putc(out, ']');
}

static const char *yes(bool b) { return b ? "true" : "false"; }

static void put_view(Buf *out, const RunView *v) {
    buf_printf(out, "{\"buffer\":%d,\"dtype\":\"%s\",\"shape\":", v->buffer, dtype_info[v->dtype].triton);
    put_numbers(out, v->shape, v->rank);
    buf_puts(out, ",\"strides\":");
    put_numbers(out, v->stride, v->rank);
    buf_printf(out, ",\"offset\":%lld}", (long long)v->offset);
}

static void put_views(Buf *out, const char *key, const RunView *v, int n) {
    buf_printf(out, ",\"%s\":[", key);
    for (int i = 0; i < n; i++) {
        buf_puts(out, i ? "," : "");
        put_view(out, &v[i]);
    }
    buf_putc(out, ']');
}

static void put_buffers(Buf *out, const RecordedRun *run) {
    static const char *const role[] = {"input", "output", "scratch"};
    buf_puts(out, ",\"buffers\":[");
    for (int i = 0; i < run->buffers; i++) {
        const RunBuffer *b = &run->buffer[i];
        buf_printf(out, "%s{\"role\":\"%s\",\"bytes\":%lld,\"kept\":%s}", i ? "," : "", role[b->role],
                   (long long)b->bytes, yes(b->kept));
    }
    buf_putc(out, ']');
}

// Floats as Python writes them: JSON has no infinity.
static void put_constant(Buf *out, const RunConst *c) {
    if (c->kind == CONST_DTYPE) {
        buf_printf(out, "{\"dtype\":\"%s\"}", dtype_info[c->dtype].triton);
    } else if (c->kind == CONST_TUPLE) {
        buf_puts(out, "{\"tuple\":[");
        for (int i = 0; i < c->items; i++) {
            buf_puts(out, i ? "," : "");
            put_constant(out, &c->item[i]);
        }
        buf_puts(out, "]}");
    } else if (c->kind == CONST_FUNCTION) {
        buf_puts(out, "{\"function\":");
        put_text(out, c->function);
        buf_putc(out, '}');
    } else {
        switch (c->plain.kind) {
        case PY_NONE: buf_puts(out, "null"); break;
        case PY_BOOL: buf_puts(out, yes(c->plain.b)); break;
        case PY_INT: buf_printf(out, "%lld", (long long)c->plain.i); break;
        case PY_STR: put_text(out, c->plain.s); break;
        case PY_FLOAT:
            buf_puts(out, "{\"float\":\"");
            py_repr(out, c->plain);
            buf_puts(out, "\"}");
            break;
        }
    }
}

static void put_params(Buf *out, const RunParam *p, int n) {
    buf_putc(out, '[');
    for (int i = 0; i < n; i++, p++) {
        buf_puts(out, i ? ",{\"name\":" : "{\"name\":");
        put_text(out, p->name);
        buf_puts(out, ",\"type\":");
        put_text(out, p->type);
        if (p->aligned) buf_puts(out, ",\"aligned\":true");
        if (str_is(p->type, "constexpr")) {
            buf_puts(out, ",\"value\":");
            put_constant(out, &p->value);
        }
        if (str_is(p->type, "tuple")) {
            buf_puts(out, ",\"items\":");
            put_params(out, p->item, p->items);
        }
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

static void put_options(Buf *out, const RunOptions *o) {
    buf_printf(out,
               ",\"options\":{\"num_warps\":%d,\"num_stages\":%d,\"num_ctas\":%d,\"maxnreg\":%d,"
               "\"fp_fusion\":%s,\"cooperative\":%s,\"pdl\":%s}",
               o->num_warps, o->num_stages, o->num_ctas, o->maxnreg, yes(o->fp_fusion), yes(o->cooperative),
               yes(o->pdl));
}

// Kernels of one module share its text. Returns the number of an earlier kernel with it, or its own.
static int same_source(const RecordedRun *run, int k) {
    for (int i = 0; i < k; i++)
        if (run->kernel[i].source.p == run->kernel[k].source.p &&
            run->kernel[i].source.len == run->kernel[k].source.len)
            return i;
    return k;
}

void run_kernel_form(Buf *out, const RunKernel *k) {
    buf_puts(out, "\"name\":");
    put_text(out, k->name);
    buf_puts(out, ",\"params\":");
    put_params(out, k->param, k->params);
    put_options(out, &k->option);
}

static void put_kernels(Buf *out, const RecordedRun *run) {
    buf_puts(out, ",\"kernels\":[");
    for (int i = 0; i < run->kernels; i++) {
        const RunKernel *k = &run->kernel[i];
        buf_puts(out, i ? ",{" : "{");
        run_kernel_form(out, k);
        buf_printf(out, ",\"at\":%u", (unsigned)k->at);
        int first = k->source.len ? same_source(run, i) : -1;
        if (first == i) {
            buf_puts(out, ",\"source\":");
            put_text(out, k->source);
        } else if (first >= 0) {
            buf_printf(out, ",\"source_of\":%d", first);
        }
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

static void put_launch(Buf *out, const RunLaunch *l) {
    buf_printf(out, "{\"kernel\":%d,\"config\":%d,\"grid\":", l->kernel, l->config);
    put_numbers(out, l->grid, 3);
    buf_puts(out, ",\"args\":[");
    for (int i = 0; i < l->args; i++) {
        const RunArg *g = &l->arg[i];
        buf_puts(out, i ? "," : "");
        if (g->kind == ARGUMENT_POINTER)
            buf_printf(out, "{\"buffer\":%d,\"offset\":%lld}", g->buffer, (long long)g->offset);
        else
            buf_printf(out, "{\"bytes\":%d,\"bits\":%lld}", g->bytes, (long long)g->bits);
    }
    buf_puts(out, "]}");
}

static void put_step(Buf *out, const RunStep *s) {
    switch (s->kind) {
    case STEP_LAUNCH:
        buf_printf(out, "{\"group\":%d,\"launch\":[", s->group);
        for (int i = 0; i < s->choices; i++) {
            buf_puts(out, i ? "," : "");
            put_launch(out, &s->choice[i]);
        }
        buf_puts(out, "]}");
        break;
    case STEP_FILL:
        buf_printf(out,
                   "{\"fill\":{\"buffer\":%d,\"offset\":%lld,\"count\":%lld,\"width\":%d,\"pattern\":%lld}}",
                   s->buffer, (long long)s->offset, (long long)s->count, s->width, (long long)s->pattern);
        break;
    case STEP_COPY:
        buf_printf(out, "{\"copy\":{\"buffer\":%d,\"offset\":%lld,\"from\":", s->buffer,
                   (long long)s->offset);
        put_view(out, &s->from);
        buf_puts(out, "}}");
        break;
    }
}

bool recorded_run_write(Buf *out, const RecordedRun *run, Err *e) {
    size_t before = out->len;
    buf_printf(out, "{\"format\":\"" RUN_FORMAT "\",\"processors\":%d,\"setups\":%d,\"groups\":%d",
               run->processors, run->setups, run->groups);
    put_buffers(out, run);
    put_views(out, "inputs", run->input, run->inputs);
    put_views(out, "outputs", run->output, run->outputs);
    put_kernels(out, run);
    buf_puts(out, ",\"steps\":[");
    for (int i = 0; i < run->steps; i++) {
        buf_puts(out, i ? "," : "");
        put_step(out, &run->step[i]);
    }
    buf_puts(out, "]}");
    if (out->len - before <= RUN_TEXT_MAX) return true;
    return err_set(e, ERR_LIMIT, "a recorded run of %zu bytes; at most %d can be", out->len - before,
                   RUN_TEXT_MAX);
}
