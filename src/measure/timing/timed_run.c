#include "measure/timing/timed_run.h"

#include <inttypes.h>

#include "base/io.h"

enum { THREADS_OF_WARP = 32, BLOCK_MOST = 1024, CLUSTER_MOST = 16, SHARED_MOST = 1 << 20 };
enum { ALIGN_MOST = 256 }; // of any buffer: what the driver's allocations have

// ---- from a recorded run

static bool launch_step(Arena *a, const RunLaunch *l, const Cubin *c, TimedRun *t, Err *e) {
    TimedStep *s = &t->step[t->steps];
    *s = (TimedStep){
        .kind = STEP_LAUNCH, .kernel = l->kernel, .block = {c->num_warps * THREADS_OF_WARP, 1, 1}};
    for (int d = 0; d < 3; d++) s->grid[d] = l->grid[d];
    if (s->grid[0] < 1 || s->grid[1] < 1 || s->grid[2] < 1) return true; // launches nothing
    int64_t programs = s->grid[0] * s->grid[1] * s->grid[2] * c->num_ctas;
    s->grid[0] *= c->num_ctas;
    s->arg = NEWN(a, TimedArg, (size_t)l->args + 2);
    for (int i = 0; i < l->args; i++) {
        const RunArg *from = &l->arg[i];
        s->arg[s->args++] = from->kind == ARGUMENT_POINTER
                                ? (TimedArg){.buffer = from->buffer, .offset = from->offset, .bytes = 8}
                                : (TimedArg){.buffer = -1, .bytes = from->bytes, .bits = from->bits};
    }
    // Behind them Triton's kernels take two pointers to scratch memory: the kernel's own, and the profiler's.
    const int64_t scratch[2] = {c->global_scratch, c->profile_scratch};
    const int align[2] = {c->global_scratch_align, c->profile_scratch_align};
    for (int i = 0; i < 2; i++) {
        TimedArg *to = &s->arg[s->args++];
        *to = (TimedArg){.buffer = -1, .bytes = 8};
        if (scratch[i] <= 0) continue;
        if (align[i] > ALIGN_MOST)
            return err_set(e, ERR_INPUT, "%.*s asks for scratch memory at multiples of %d bytes",
                           STR_ARG(c->entry), align[i]);
        if (scratch[i] > RUN_BYTES_MAX / programs)
            return err_set(e, ERR_LIMIT, "%.*s asks for too much scratch memory", STR_ARG(c->entry));
        *to = (TimedArg){.buffer = t->buffers, .bytes = 8};
        t->buffer[t->buffers++] = (TimedBuffer){.input = -1, .bytes = scratch[i] * programs};
    }
    t->steps++;
    return true;
}

static bool without_gaps(const RunView *v) {
    int64_t n = 1;
    for (int d = v->rank - 1; d >= 0; d--) {
        if (v->shape[d] != 1 && v->stride[d] != n) return false;
        n *= v->shape[d];
    }
    return true;
}

static bool copy_step(const RunStep *from, TimedRun *t, Err *e) {
    const RunView *v = &from->from;
    int64_t n = 1;
    for (int d = 0; d < v->rank; d++) n *= v->shape[d];
    if (!without_gaps(v))
        return err_set(e, ERR_INPUT, "a copy of a tensor with gaps is not timed in this version");
    t->step[t->steps++] = (TimedStep){.kind = STEP_COPY,
                                      .buffer = from->buffer,
                                      .offset = from->offset,
                                      .from = v->buffer,
                                      .from_offset = v->offset,
                                      .count = n * dtype_bytes(v->dtype)};
    return true;
}

// What a run is made of.
typedef struct {
    const RecordedRun *run;
    const Cubin *const *cubin;
    const int *config;
} Made;

static bool step_make(Arena *a, const Made *m, int i, TimedRun *t, Err *e) {
    const RecordedRun *run = m->run;
    const RunStep *s = &run->step[i];
    switch (s->kind) {
    case STEP_FILL:
        t->step[t->steps++] = (TimedStep){.kind = STEP_FILL,
                                          .buffer = s->buffer,
                                          .offset = s->offset,
                                          .count = s->count,
                                          .width = s->width,
                                          .pattern = s->pattern};
        return true;
    case STEP_COPY: return copy_step(s, t, e);
    default: break;
    }
    int choice = s->group >= 0 && m->config ? m->config[s->group] : 0;
    if (choice < 0 || choice >= s->choices)
        return err_set(e, ERR_INPUT, "launch %d has no config %d", i, choice);
    const RunLaunch *l = &s->choice[choice];
    const Cubin *c = m->cubin[l->kernel];
    if (!c) return err_set(e, ERR_INPUT, "kernel %.*s is not compiled", STR_ARG(run->kernel[l->kernel].name));
    t->kernel[l->kernel] = (TimedKernel){.entry = c->entry,
                                         .image = c->image,
                                         .shared = c->shared,
                                         .cluster = c->num_ctas,
                                         .cooperative = c->cooperative,
                                         .overlaps = c->pdl};
    return launch_step(a, l, c, t, e);
}

bool timed_run_make(Arena *a, const RecordedRun *run, const Cubin *const *cubin, const int *config,
                    TimedRun *out, Err *e) {
    *out = (TimedRun){.buffers = run->buffers, .kernels = run->kernels, .outputs = run->outputs};
    for (int k = 0; k < run->outputs; k++) {
        const RunView *answer = &run->output[k];
        if (!without_gaps(answer))
            return err_set(e, ERR_INPUT, "an answer with gaps is not timed in this version");
        out->output[k] = (TimedView){answer->buffer, answer->offset};
    }
    out->buffer = NEWN(a, TimedBuffer, (size_t)run->buffers + 2 * (size_t)run->steps);
    out->kernel = NEWN(a, TimedKernel, (size_t)run->kernels + 1);
    out->step = NEWN(a, TimedStep, (size_t)run->steps + 1);
    for (int i = 0; i < run->buffers; i++) out->buffer[i] = (TimedBuffer){-1, run->buffer[i].bytes};
    for (int k = 0; k < run->inputs; k++) out->buffer[run->input[k].buffer].input = k;
    for (int i = 0; i < run->steps; i++) {
        if (i == run->setups) out->setups = out->steps;
        if (!step_make(a, &(Made){run, cubin, config}, i, out, e)) return false;
    }
    return true;
}

// ---- as JSON

static void put_hex(Buf *out, const void *p, size_t n) {
    static const char digit[] = "0123456789abcdef";
    const unsigned char *b = p;
    buf_putc(out, '"');
    for (size_t i = 0; i < n; i++) {
        buf_putc(out, digit[b[i] >> 4]);
        buf_putc(out, digit[b[i] & 15]);
    }
    buf_putc(out, '"');
}

static void put_step(Buf *out, const TimedStep *s) {
    if (s->kind == STEP_FILL) {
        buf_printf(out, "{\"fill\":%d,\"offset\":%" PRId64 ",\"width\":%d,\"count\":%" PRId64 ",\"pattern\":",
                   s->buffer, s->offset, s->width, s->count);
        put_hex(out, &s->pattern, sizeof s->pattern);
        buf_putc(out, '}');
        return;
    }
    if (s->kind == STEP_COPY) {
        buf_printf(out,
                   "{\"copy\":%d,\"offset\":%" PRId64 ",\"from\":%d,\"from_offset\":%" PRId64
                   ",\"bytes\":%" PRId64 "}",
                   s->buffer, s->offset, s->from, s->from_offset, s->count);
        return;
    }
    buf_printf(out, "{\"launch\":%d,\"grid\":[%" PRId64 ",%" PRId64 ",%" PRId64 "]", s->kernel, s->grid[0],
               s->grid[1], s->grid[2]);
    buf_printf(out, ",\"block\":[%" PRId64 ",%" PRId64 ",%" PRId64 "],\"args\":[", s->block[0], s->block[1],
               s->block[2]);
    for (int i = 0; i < s->args; i++) {
        if (i) buf_putc(out, ',');
        if (s->arg[i].buffer >= 0)
            buf_printf(out, "[%d,%" PRId64 "]", s->arg[i].buffer, s->arg[i].offset);
        else
            put_hex(out, &s->arg[i].bits, (size_t)s->arg[i].bytes);
    }
    buf_puts(out, "]}");
}

void timed_run_write(Buf *out, const TimedRun *run) {
    buf_puts(out, "{\"buffers\":[");
    for (int i = 0; i < run->buffers; i++) {
        buf_puts(out, i ? ",{" : "{");
        if (run->buffer[i].input >= 0) buf_printf(out, "\"input\":%d,", run->buffer[i].input);
        buf_printf(out, "\"bytes\":%" PRId64 "}", run->buffer[i].bytes);
    }
    buf_puts(out, "],\"kernels\":[");
    for (int i = 0; i < run->kernels; i++) {
        const TimedKernel *k = &run->kernel[i];
        buf_printf(out, "%s{\"shared\":%d,\"cluster\":%d,\"cooperative\":%s,\"overlaps\":%s,\"entry\":",
                   i ? "," : "", k->shared, k->cluster, k->cooperative ? "true" : "false",
                   k->overlaps ? "true" : "false");
        json_put(out, json_quoted(k->entry));
        buf_puts(out, ",\"image\":");
        put_hex(out, k->image.p, k->image.len);
        buf_putc(out, '}');
    }
    buf_puts(out, "],\"steps\":[");
    for (int i = 0; i < run->steps; i++) {
        if (i) buf_putc(out, ',');
        put_step(out, &run->step[i]);
    }
    buf_printf(out, "],\"setups\":%d,\"outputs\":[", run->setups);
    for (int k = 0; k < run->outputs; k++)
        buf_printf(out, "%s[%d,%" PRId64 "]", k ? "," : "", run->output[k].buffer, run->output[k].offset);
    buf_puts(out, "]}");
}

// ---- from JSON

typedef struct {
    Arena *a;
    const Json *j;
    TimedRun *t;
    Err *e;
} Reader;

static bool wrong(Reader *r, const char *what, size_t i, const char *why) {
    return err_set(r->e, ERR_INPUT, "%s: %s %zu: %s", r->j->file, what, i, why);
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// NULL: no even number of digits.
static Str hex_read(Arena *a, Str text) {
    if (text.len % 2) return (Str){0};
    char *p = arena_alloc(a, text.len / 2 + 1, 1, 16);
    for (size_t i = 0; i < text.len / 2; i++) {
        int high = hex_digit(text.p[2 * i]), low = hex_digit(text.p[2 * i + 1]);
        if (high < 0 || low < 0) return (Str){0};
        p[i] = (char)(high << 4 | low);
    }
    return (Str){p, text.len / 2};
}

// Bytes [offset, offset + bytes) of a buffer.
static bool inside(const TimedRun *t, int64_t buffer, int64_t offset, int64_t bytes) {
    if (buffer < 0 || buffer >= t->buffers || offset < 0 || bytes < 0) return false;
    int64_t all = t->buffer[buffer].bytes;
    return offset <= all && bytes <= all - offset;
}

static bool pair_read(const json_t *v, int64_t *first, int64_t *second) {
    if (!json_is_array(v) || json_array_size(v) != 2) return false;
    const json_t *a = json_array_get(v, 0), *b = json_array_get(v, 1);
    if (!json_is_integer(a) || !json_is_integer(b)) return false;
    *first = json_integer_value(a);
    *second = json_integer_value(b);
    return true;
}

static bool buffers_read(Reader *r, const TimedRunSource *s, const json_t *list) {
    size_t n = json_array_size(list);
    if (n < 1 || n > TIMED_BUFFERS_MAX) return wrong(r, "buffers", n, "1 to 1100 can be");
    r->t->buffer = NEWN(r->a, TimedBuffer, n);
    for (size_t i = 0; i < n; i++) {
        int64_t input = -1, bytes = -1;
        const json_t *o = json_array_get(list, i);
        if (!json_is_object(o)) return wrong(r, "buffer", i, "an object belongs here");
        if (!json_get_int(r->j, o, "input", 0, s->inputs - 1, &input) ||
            !json_get_int(r->j, o, "bytes", 0, RUN_BYTES_MAX, &bytes))
            return false;
        if (bytes < 0) return wrong(r, "buffer", i, "\"bytes\" is missing");
        if (input >= 0 && bytes != s->bytes[input]) return wrong(r, "buffer", i, "not as large as its input");
        r->t->buffer[r->t->buffers++] = (TimedBuffer){(int)input, bytes};
    }
    return true;
}

static bool kernels_read(Reader *r, const json_t *list) {
    size_t n = json_array_size(list);
    if (n > TIMED_KERNELS_MAX) return wrong(r, "kernels", n, "at most 1024 can be");
    r->t->kernel = NEWN(r->a, TimedKernel, n + 1);
    for (size_t i = 0; i < n; i++) {
        const json_t *o = json_array_get(list, i);
        TimedKernel *k = &r->t->kernel[r->t->kernels++];
        int64_t shared = 0, cluster = 1;
        Str entry = {0}, image = {0};
        if (!json_is_object(o)) return wrong(r, "kernel", i, "an object belongs here");
        if (!json_get_int(r->j, o, "shared", 0, SHARED_MOST, &shared) ||
            !json_get_int(r->j, o, "cluster", 0, CLUSTER_MOST, &cluster) ||
            !json_get_bool(r->j, o, "cooperative", &k->cooperative) ||
            !json_get_bool(r->j, o, "overlaps", &k->overlaps) || !json_get_text(r->j, o, "entry", &entry) ||
            !json_get_text(r->j, o, "image", &image))
            return false;
        if (entry.len > CUBIN_NAME_MAX || image.len / 2 > CUBIN_MAX)
            return wrong(r, "kernel", i, "its name or its image is too long");
        k->shared = (int)shared;
        k->cluster = (int)cluster;
        k->entry = str_dup(r->a, entry);
        k->image = hex_read(r->a, image);
        if (image.len && !k->image.len)
            return wrong(r, "kernel", i, "\"image\": hexadecimal digits belong here");
    }
    return true;
}

static bool sizes_read(const json_t *v, int64_t out[3], int64_t most) {
    if (!json_is_array(v) || json_array_size(v) != 3) return false;
    for (size_t d = 0; d < 3; d++) {
        const json_t *n = json_array_get(v, d);
        out[d] = json_is_integer(n) ? json_integer_value(n) : 0;
        if (out[d] < 1 || out[d] > (d ? 65535 : most)) return false;
    }
    return true;
}

static bool launch_read(Reader *r, size_t i, const json_t *o, TimedStep *s) {
    const json_t *list = json_object_get(o, "args");
    size_t n = json_array_size(list);
    if (s->kernel >= r->t->kernels || !r->t->kernel[s->kernel].image.len)
        return wrong(r, "step", i, "it launches a kernel that is not there");
    if (!sizes_read(json_object_get(o, "grid"), s->grid, INT32_MAX) ||
        !sizes_read(json_object_get(o, "block"), s->block, BLOCK_MOST) ||
        s->block[0] * s->block[1] * s->block[2] > BLOCK_MOST)
        return wrong(r, "step", i, "no grid or block that a GPU has");
    if (n > TIMED_ARGS_MAX) return wrong(r, "step", i, "more than 256 arguments");
    s->arg = NEWN(r->a, TimedArg, n + 1);
    for (size_t k = 0; k < n; k++) {
        const json_t *v = json_array_get(list, k);
        TimedArg *arg = &s->arg[s->args++];
        int64_t buffer = -1;
        if (pair_read(v, &buffer, &arg->offset)) {
            if (!inside(r->t, buffer, arg->offset, 0))
                return wrong(r, "step", i, "an address outside of its buffer");
            arg->buffer = (int)buffer;
            arg->bytes = 8;
            continue;
        }
        Str bytes = json_is_string(v) ? hex_read(r->a, json_str(v)) : (Str){0};
        if (bytes.len < 1 || bytes.len > sizeof arg->bits)
            return wrong(r, "step", i, "an argument of 1 to 8 bytes belongs here");
        arg->buffer = -1;
        arg->bytes = (int)bytes.len;
        memcpy(&arg->bits, bytes.p, bytes.len);
    }
    return true;
}

static bool fill_read(Reader *r, size_t i, const json_t *o, TimedStep *s) {
    int64_t width = 0;
    Str pattern = {0};
    if (!json_get_int(r->j, o, "width", 1, 8, &width) ||
        !json_get_int(r->j, o, "count", 0, RUN_BYTES_MAX, &s->count) ||
        !json_get_text(r->j, o, "pattern", &pattern))
        return false;
    pattern = hex_read(r->a, pattern);
    if (pattern.len != sizeof s->pattern || (width & (width - 1)) || s->count > RUN_BYTES_MAX / 8 ||
        !inside(r->t, s->buffer, s->offset, s->count * width))
        return wrong(r, "step", i, "a fill outside of its buffer, or of no width that can be");
    memcpy(&s->pattern, pattern.p, sizeof s->pattern);
    s->width = (int)width;
    return true;
}

static bool step_read(Reader *r, size_t i, const json_t *o) {
    TimedStep *s = &r->t->step[r->t->steps++];
    int64_t launch = -1, fill = -1, copy = -1, from = -1;
    if (!json_is_object(o)) return wrong(r, "step", i, "an object belongs here");
    if (!json_get_int(r->j, o, "launch", 0, TIMED_KERNELS_MAX, &launch) ||
        !json_get_int(r->j, o, "fill", 0, TIMED_BUFFERS_MAX, &fill) ||
        !json_get_int(r->j, o, "copy", 0, TIMED_BUFFERS_MAX, &copy) ||
        !json_get_int(r->j, o, "from", 0, TIMED_BUFFERS_MAX, &from) ||
        !json_get_int(r->j, o, "offset", 0, RUN_BYTES_MAX, &s->offset) ||
        !json_get_int(r->j, o, "from_offset", 0, RUN_BYTES_MAX, &s->from_offset))
        return false;
    s->kind = launch >= 0 ? STEP_LAUNCH : fill >= 0 ? STEP_FILL : STEP_COPY;
    s->kernel = (int)launch;
    s->buffer = (int)(fill >= 0 ? fill : copy);
    if (launch >= 0) return launch_read(r, i, o, s);
    if (fill >= 0) return fill_read(r, i, o, s);
    if (!json_get_int(r->j, o, "bytes", 0, RUN_BYTES_MAX, &s->count)) return false;
    s->from = (int)from;
    if (!inside(r->t, copy, s->offset, s->count) || !inside(r->t, from, s->from_offset, s->count))
        return wrong(r, "step", i, "a copy outside of its buffers, or no step");
    return true;
}

static bool outputs_read(Reader *r, const TimedRunSource *s, const json_t *list) {
    size_t n = json_array_size(list);
    if (n != (size_t)s->outputs || n > RUN_OUTPUTS_MAX)
        return wrong(r, "outputs", n, "not as many as the job has");
    for (size_t k = 0; k < n; k++) {
        int64_t buffer = -1;
        TimedView *v = &r->t->output[r->t->outputs++];
        if (!pair_read(json_array_get(list, k), &buffer, &v->offset) ||
            !inside(r->t, buffer, v->offset, s->output[k]))
            return wrong(r, "output", k, "the answer does not lie in a buffer");
        v->buffer = (int)buffer;
    }
    return true;
}

bool timed_run_read(Arena *a, const TimedRunSource *s, TimedRun *out, Err *e) {
    Reader r = {a, s->json, out, e};
    const json_t *steps = json_object_get(s->o, "steps");
    size_t n = json_array_size(steps);
    int64_t setups = 0;
    *out = (TimedRun){0};
    if (!buffers_read(&r, s, json_object_get(s->o, "buffers")) ||
        !kernels_read(&r, json_object_get(s->o, "kernels")))
        return false;
    if (n > TIMED_STEPS_MAX) return wrong(&r, "steps", n, "at most 4096 can be");
    out->step = NEWN(a, TimedStep, n + 1);
    for (size_t i = 0; i < n; i++)
        if (!step_read(&r, i, json_array_get(steps, i))) return false;
    if (!json_get_int(s->json, s->o, "setups", 0, (int64_t)n, &setups)) return false;
    out->setups = (int)setups;
    return outputs_read(&r, s, json_object_get(s->o, "outputs"));
}

int64_t timed_run_bytes(const TimedRun *run) {
    int64_t n = 0;
    for (int i = 0; i < run->buffers; i++) n += run->buffer[i].input < 0 ? run->buffer[i].bytes : 0;
    return n;
}
