// Reading a recorded run. Its writer is a child that a candidate may have taken over: nothing is believed,
// and no key is passed over.
#include "gpu/recorded_run.h"
#include <stdlib.h>

typedef struct {
    Arena *a;
    Json *j;
    RecordedRun *run;
    int args; // of all launches and kernels together
} Reader;

// What is wrong, and where: "run.json: steps[3]: ...".
#define bad(r, ...)          err_set((r)->j->e, ERR_INPUT, __VA_ARGS__)
#define at_place(r, what, i) err_ctx((r)->j->e, "%s[%d]", (what), (i))

// ---- values

// Exactly these keys, in a text with blanks between; those behind a `|` may be absent.
static bool keys(Reader *r, const json_t *o, const char *names) {
    size_t known = 0;
    bool needed = true;
    if (!json_is_object(o)) return bad(r, "an object with %s belongs here", names);
    for (const char *p = names; *p;) {
        size_t n = strcspn(p, " ");
        char key[32];
        if (*p == '|') {
            needed = false;
        } else {
            memcpy(key, p, n); // names are ours
            key[n] = 0;
            bool here = json_object_get(o, key);
            known += here;
            if (!here && needed) return bad(r, "\"%s\" is missing", key);
        }
        p += n + (p[n] == ' ');
    }
    return known == json_object_size(o) || bad(r, "other keys than %s", names);
}

static bool whole(Reader *r, const json_t *v, const char *what, int64_t min, int64_t max, int64_t *out) {
    if (!json_is_integer(v)) return bad(r, "%s: a whole number belongs here", what);
    *out = json_integer_value(v);
    return (*out >= min && *out <= max) || bad(r, "%s is %lld; from %lld to %lld can be", what,
                                               (long long)*out, (long long)min, (long long)max);
}
static bool whole_of(Reader *r, const json_t *o, const char *key, int64_t min, int64_t max, int64_t *out) {
    return whole(r, json_object_get(o, key), key, min, max, out);
}
static bool int_of(Reader *r, const json_t *o, const char *key, int min, int max, int *out) {
    int64_t x;
    if (!whole_of(r, o, key, min, max, &x)) return false;
    return *out = (int)x, true;
}
static bool flag_of(Reader *r, const json_t *o, const char *key, bool *out) {
    const json_t *v = json_object_get(o, key);
    *out = json_is_true(v);
    return !v || json_is_boolean(v) || bad(r, "%s: true or false belongs here", key);
}
static bool text_of(Reader *r, const json_t *o, const char *key, size_t max, Str *out) {
    const json_t *v = json_object_get(o, key);
    if (!json_is_string(v)) return bad(r, "%s: a text belongs here", key);
    *out = str_dup(r->a, json_str(v));
    return out->len <= max || bad(r, "%s: a text of at most %zu bytes belongs here", key, max);
}
static bool list_of(Reader *r, const json_t *o, const char *key, int max, const json_t **out, int *n) {
    *out = json_object_get(o, key);
    if (!json_is_array(*out)) return bad(r, "%s: a list belongs here", key);
    size_t size = json_array_size(*out);
    *n = (int)size;
    return size <= (size_t)max || bad(r, "%s: %zu of them; at most %d can be", key, size, max);
}
static bool numbers_of(Reader *r, const json_t *o, const char *key, int max, int64_t *x, int *n) {
    const json_t *list;
    if (!list_of(r, o, key, max, &list, n)) return false;
    for (int i = 0; i < *n; i++)
        if (!whole(r, json_array_get(list, (size_t)i), key, 0, RUN_BYTES_MAX, &x[i])) return false;
    return true;
}
static bool dtype_of(Reader *r, const json_t *o, const char *key, DType *out) {
    Str s = json_str(json_object_get(o, key));
    for (int t = 0; s.p && t < DT_COUNT; t++)
        if (str_is(s, dtype_info[t].triton)) return *out = (DType)t, true;
    return bad(r, "%s: no type of elements", key);
}

// A name of Python, which is UTF-8 as all of JSON: nothing that could end a line or a text.
static bool is_name(Str s) {
    if (!s.len || s.len > RUN_NAME_MAX || char_is_digit(s.p[0])) return false;
    for (size_t i = 0; i < s.len; i++)
        if (!char_is_word(s.p[i]) && !(s.p[i] & 0x80)) return false;
    return true;
}

// ---- memory

// Whether `count` > 0 elements in one line, or all of a view, end within the buffer.
static bool view_inside(const RecordedRun *run, const RunView *v) {
    int64_t last = 0, width = dtype_bytes(v->dtype), bytes = run->buffer[v->buffer].bytes;
    for (int i = 0; i < v->rank; i++)
        if (v->shape[i] == 0) return v->offset <= bytes;
    for (int i = 0; i < v->rank; i++) {
        int64_t step;
        if (__builtin_mul_overflow(v->shape[i] - 1, v->stride[i], &step) ||
            __builtin_add_overflow(last, step, &last) || last > RUN_BYTES_MAX)
            return false;
    }
    return v->offset <= bytes && (last + 1) * width <= bytes - v->offset; // below 2^44
}

static bool view_read(Reader *r, const json_t *o, RunView *v) {
    int strides;
    return keys(r, o, "buffer dtype shape strides offset") &&
           int_of(r, o, "buffer", 0, r->run->buffers - 1, &v->buffer) && dtype_of(r, o, "dtype", &v->dtype) &&
           numbers_of(r, o, "shape", RUN_RANK_MAX, v->shape, &v->rank) &&
           numbers_of(r, o, "strides", RUN_RANK_MAX, v->stride, &strides) &&
           whole_of(r, o, "offset", 0, RUN_BYTES_MAX, &v->offset) &&
           (strides == v->rank || bad(r, "as many strides as sizes belong here")) &&
           (v->offset % dtype_bytes(v->dtype) == 0 || bad(r, "offset: not that of an element")) &&
           (view_inside(r->run, v) || bad(r, "the view does not lie within its buffer"));
}

static bool buffer_read(Reader *r, const json_t *o, RunBuffer *b) {
    static const char *const role[] = {"input", "output", "scratch"};
    if (!keys(r, o, "role bytes kept") || !whole_of(r, o, "bytes", 0, RUN_BYTES_MAX, &b->bytes) ||
        !flag_of(r, o, "kept", &b->kept))
        return false;
    Str name = json_str(json_object_get(o, "role"));
    for (int i = 0; name.p && i < 3; i++)
        if (str_is(name, role[i])) return b->role = (BufferRole)i, true;
    return bad(r, "role: input, output or scratch belongs here");
}

static bool buffers_read(Reader *r, const json_t *root) {
    RecordedRun *run = r->run;
    const json_t *list;
    if (!list_of(r, root, "buffers", RUN_BUFFERS_MAX, &list, &run->buffers)) return false;
    run->buffer = NEWN(r->a, RunBuffer, (size_t)run->buffers + 1);
    for (int i = 0; i < run->buffers; i++)
        if (!buffer_read(r, json_array_get(list, (size_t)i), &run->buffer[i]))
            return at_place(r, "buffers", i);
    return true;
}

static bool views_read(Reader *r, const json_t *root, const char *key, int max, RunView *v, int *n) {
    const json_t *list;
    if (!list_of(r, root, key, max, &list, n)) return false;
    for (int i = 0; i < *n; i++)
        if (!view_read(r, json_array_get(list, (size_t)i), &v[i])) return at_place(r, key, i);
    return true;
}

// Each input has a buffer of its own, and roles are what the views say.
static bool roles_hold(Reader *r) {
    const RecordedRun *run = r->run;
    for (int b = 0; b < run->buffers; b++) {
        int inputs = 0, outputs = 0;
        for (int i = 0; i < run->inputs; i++) inputs += run->input[i].buffer == b;
        for (int i = 0; i < run->outputs; i++) outputs += run->output[i].buffer == b;
        BufferRole role = inputs ? BUFFER_INPUT : outputs ? BUFFER_OUTPUT : BUFFER_SCRATCH;
        if (inputs > 1 || run->buffer[b].role != role)
            return bad(r, "the role of buffers[%d] is not what inputs and outputs make of it", b);
    }
    return run->outputs > 0 || bad(r, "outputs: a call returns at least one tensor");
}

// ---- kernels

static bool float_read(Reader *r, Str s, double *out) {
    char text[40], *end;
    if (s.len == 0 || s.len >= sizeof text) return bad(r, "float: a number belongs here");
    memcpy(text, s.p, s.len);
    text[s.len] = 0;
    *out = strtod(text, &end);
    bool plain = !strpbrk(text, "xX( \t\n\v\f\r"); // Python's spelling only
    return (plain && *end == 0) || bad(r, "float: a number belongs here");
}

static bool constant_read(Reader *r, const json_t *v, int depth, RunConst *c);
static bool constants_read(Reader *r, const json_t *o, int depth, RunConst *c) {
    enum { DEPTH = 10 };
    const json_t *list;
    c->kind = CONST_TUPLE;
    if (!keys(r, o, "tuple") || !list_of(r, o, "tuple", RUN_PARAMS_MAX, &list, &c->items)) return false;
    if (depth > DEPTH || (r->args += c->items) > RUN_ARGS_MAX) return bad(r, "tuple: too much of it");
    RunConst *item = NEWN(r->a, RunConst, (size_t)c->items + 1);
    c->item = item;
    for (int i = 0; i < c->items; i++)
        if (!constant_read(r, json_array_get(list, (size_t)i), depth + 1, &item[i])) return false;
    return true;
}

static bool constant_object(Reader *r, const json_t *o, int depth, RunConst *c) {
    Str s;
    if (json_object_get(o, "tuple")) return constants_read(r, o, depth, c);
    if (json_object_get(o, "dtype")) {
        c->kind = CONST_DTYPE;
        return keys(r, o, "dtype") && dtype_of(r, o, "dtype", &c->dtype);
    }
    if (json_object_get(o, "function")) {
        c->kind = CONST_FUNCTION;
        return keys(r, o, "function") && text_of(r, o, "function", RUN_NAME_MAX, &c->function) &&
               (is_name(c->function) || bad(r, "function: no name"));
    }
    c->plain.kind = PY_FLOAT;
    return keys(r, o, "float") && text_of(r, o, "float", RUN_NAME_MAX, &s) && float_read(r, s, &c->plain.f);
}

static bool constant_read(Reader *r, const json_t *v, int depth, RunConst *c) {
    *c = (RunConst){.kind = CONST_PLAIN};
    if (json_is_object(v)) return constant_object(r, v, depth, c);
    if (json_is_null(v)) return true;
    if (json_is_boolean(v)) return c->plain = (PyValue){.kind = PY_BOOL, .b = json_is_true(v)}, true;
    if (json_is_integer(v)) return c->plain = (PyValue){.kind = PY_INT, .i = json_integer_value(v)}, true;
    if (!json_is_string(v)) return bad(r, "value: no constant of a kernel");
    c->plain = (PyValue){.kind = PY_STR, .s = str_dup(r->a, json_str(v))};
    return c->plain.s.len <= RUN_NAME_MAX || bad(r, "value: a text of at most %d bytes", RUN_NAME_MAX);
}

static bool type_known(Str type) {
    if (type.len < 2 || type.p[0] != '*') return run_scalar_bytes(type) > 0;
    Str to = {type.p + 1, type.len - 1};
    for (int t = 0; t < DT_COUNT; t++)
        if (str_is(to, run_type_name((DType)t))) return true;
    return false;
}

static bool params_read(Reader *r, const json_t *list, int depth, const RunParam **out, int *n);
static bool param_read(Reader *r, const json_t *o, int depth, RunParam *p) {
    if (!keys(r, o, "name type | aligned value items") || !text_of(r, o, "name", RUN_NAME_MAX, &p->name) ||
        !text_of(r, o, "type", RUN_NAME_MAX, &p->type) || !flag_of(r, o, "aligned", &p->aligned))
        return false;
    bool constant = str_is(p->type, "constexpr"), tuple = str_is(p->type, "tuple");
    const json_t *value = json_object_get(o, "value"), *items = json_object_get(o, "items");
    if (depth == 0 ? !is_name(p->name) : p->name.len > 0) return bad(r, "name: not that of a parameter");
    if (constant != (value != NULL) || tuple != (items != NULL) || (p->aligned && (constant || tuple)))
        return bad(r, "value, items and aligned do not go with this type");
    if (++r->args > RUN_ARGS_MAX) return bad(r, "too many parameters and arguments");
    if (constant) return constant_read(r, value, 0, &p->value);
    if (tuple) return params_read(r, items, depth + 1, &p->item, &p->items);
    return type_known(p->type) || bad(r, "type: Triton has no such type");
}

static bool params_read(Reader *r, const json_t *list, int depth, const RunParam **out, int *n) {
    enum { DEPTH = 10 };
    size_t size = json_array_size(list);
    if (!json_is_array(list) || size > RUN_PARAMS_MAX || depth > DEPTH)
        return bad(r, "a list of at most %d parameters belongs here", RUN_PARAMS_MAX);
    RunParam *p = NEWN(r->a, RunParam, size + 1);
    *out = p;
    *n = (int)size;
    for (size_t i = 0; i < size; i++)
        if (!param_read(r, json_array_get(list, i), depth, &p[i]))
            return err_ctx(r->j->e, "parameter %zu", i);
    return true;
}

static bool power_of_two(int n) { return n > 0 && !(n & (n - 1)); }

static bool options_read(Reader *r, const json_t *o, RunOptions *out) {
    return keys(r, o, "num_warps num_stages num_ctas maxnreg fp_fusion cooperative pdl") &&
           int_of(r, o, "num_warps", 1, 32, &out->num_warps) &&
           int_of(r, o, "num_stages", 0, 1023, &out->num_stages) &&
           int_of(r, o, "num_ctas", 1, 16, &out->num_ctas) &&
           int_of(r, o, "maxnreg", 0, 255, &out->maxnreg) && flag_of(r, o, "fp_fusion", &out->fp_fusion) &&
           flag_of(r, o, "cooperative", &out->cooperative) && flag_of(r, o, "pdl", &out->pdl) &&
           ((power_of_two(out->num_warps) && power_of_two(out->num_ctas)) ||
            bad(r, "num_warps and num_ctas are powers of 2"));
}

static bool source_read(Reader *r, const json_t *o, int index, RunKernel *k) {
    const json_t *of = json_object_get(o, "source_of"), *text = json_object_get(o, "source");
    int first;
    if (text && of) return bad(r, "source and source_of: one of them");
    if (text) return text_of(r, o, "source", RUN_TEXT_MAX, &k->source);
    if (!of) return true;
    if (!int_of(r, o, "source_of", 0, index - 1, &first)) return false;
    k->source = r->run->kernel[first].source;
    return true;
}

static bool kernel_read(Reader *r, const json_t *o, int index, bool printed, RunKernel *k) {
    int64_t at;
    if (!keys(r, o, "name at params options | source source_of") ||
        !text_of(r, o, "name", RUN_NAME_MAX, &k->name) || !whole_of(r, o, "at", 0, UINT32_MAX, &at) ||
        !source_read(r, o, index, k) ||
        !params_read(r, json_object_get(o, "params"), 0, &k->param, &k->params) ||
        !options_read(r, json_object_get(o, "options"), &k->option))
        return false;
    k->at = (uint32_t)at;
    if (printed != (k->source.len > 0)) return bad(r, printed ? "no source" : "a source where none belongs");
    return is_name(k->name) || bad(r, "name: not that of a kernel");
}

static bool kernels_read(Reader *r, const json_t *root, bool printed) {
    RecordedRun *run = r->run;
    const json_t *list;
    if (!list_of(r, root, "kernels", RUN_KERNELS_MAX, &list, &run->kernels)) return false;
    run->kernel = NEWN(r->a, RunKernel, (size_t)run->kernels + 1);
    for (int i = 0; i < run->kernels; i++)
        if (!kernel_read(r, json_array_get(list, (size_t)i), i, printed, &run->kernel[i]))
            return at_place(r, "kernels", i);
    return true;
}

// ---- steps

static bool argument_read(Reader *r, const json_t *o, RunArg *g) {
    const RecordedRun *run = r->run;
    int64_t bits;
    if (json_object_get(o, "buffer")) {
        *g = (RunArg){.kind = ARGUMENT_POINTER, .bytes = 8};
        return keys(r, o, "buffer offset") && int_of(r, o, "buffer", 0, run->buffers - 1, &g->buffer) &&
               whole_of(r, o, "offset", 0, run->buffer[g->buffer].bytes, &g->offset);
    }
    *g = (RunArg){.kind = ARGUMENT_SCALAR};
    if (!keys(r, o, "bytes bits") || !int_of(r, o, "bytes", 1, 8, &g->bytes) ||
        !whole_of(r, o, "bits", INT64_MIN, INT64_MAX, &bits))
        return false;
    g->bits = (uint64_t)bits;
    return g->bytes == 8 || g->bits >> (8 * g->bytes) == 0 || bad(r, "bits: more than there are bytes");
}

// Arguments are what the kernel's parameters ask for, in their order. A pointer that is said to be divisible
// by 16 is: buffers are aligned.
static bool arguments_fit(const RunParam *p, int n, const RunLaunch *l, int *at) {
    for (int i = 0; i < n; i++) {
        if (p[i].items && !arguments_fit(p[i].item, p[i].items, l, at)) return false;
        int bytes = run_scalar_bytes(p[i].type);
        if (!bytes) continue;
        if (*at >= l->args) return false;
        const RunArg *g = &l->arg[(*at)++];
        bool pointer = p[i].type.p[0] == '*';
        if (pointer != (g->kind == ARGUMENT_POINTER) || g->bytes != bytes) return false;
        if (p[i].aligned && (pointer ? (uint64_t)g->offset : g->bits) % 16) return false;
    }
    return true;
}

static bool launch_read(Reader *r, const json_t *o, RunLaunch *l) {
    const json_t *list;
    int sizes, used = 0;
    if (!keys(r, o, "kernel config grid args") ||
        !int_of(r, o, "kernel", 0, r->run->kernels - 1, &l->kernel) ||
        !int_of(r, o, "config", 0, RUN_CHOICES_MAX - 1, &l->config) ||
        !numbers_of(r, o, "grid", 3, l->grid, &sizes) ||
        !list_of(r, o, "args", RUN_PARAMS_MAX, &list, &l->args))
        return false;
    if (sizes != 3 || l->grid[0] > INT32_MAX || l->grid[1] > UINT16_MAX || l->grid[2] > UINT16_MAX)
        return bad(r, "grid: no grid of CUDA's");
    if ((r->args += l->args) > RUN_ARGS_MAX) return bad(r, "too many parameters and arguments");
    RunArg *arg = NEWN(r->a, RunArg, (size_t)l->args + 1);
    l->arg = arg;
    for (int i = 0; i < l->args; i++)
        if (!argument_read(r, json_array_get(list, (size_t)i), &arg[i]))
            return err_ctx(r->j->e, "argument %d", i);
    const RunKernel *k = &r->run->kernel[l->kernel];
    return (arguments_fit(k->param, k->params, l, &used) && used == l->args) ||
           bad(r, "the arguments are not those that its kernel takes");
}

static bool choices_read(Reader *r, const json_t *o, RunStep *s) {
    const json_t *list;
    s->kind = STEP_LAUNCH;
    if (!keys(r, o, "group launch") || !int_of(r, o, "group", -1, r->run->groups - 1, &s->group) ||
        !list_of(r, o, "launch", RUN_CHOICES_MAX, &list, &s->choices))
        return false;
    RunLaunch *l = NEWN(r->a, RunLaunch, (size_t)s->choices + 1);
    s->choice = l;
    if (s->choices < 1 || (s->group < 0 && s->choices > 1))
        return bad(r, "launch: one choice belongs here, or several of a group");
    for (int i = 0; i < s->choices; i++) {
        if (!launch_read(r, json_array_get(list, (size_t)i), &l[i])) return err_ctx(r->j->e, "launch[%d]", i);
        if (i > 0 && l[i].config <= l[i - 1].config) return bad(r, "launch: configs are not in rising order");
    }
    for (const RunStep *t = r->run->step; t < s && s->group >= 0; t++) {
        bool same = t->group != s->group || t->choices == s->choices;
        for (int i = 0; same && t->group == s->group && i < s->choices; i++)
            same = t->choice[i].config == l[i].config;
        if (!same) return bad(r, "launch: other configs than its group has");
    }
    return true;
}

// What host code writes to is what it has allocated.
static bool writes_to(Reader *r, const json_t *o, RunStep *s, int64_t bytes) {
    return int_of(r, o, "buffer", 0, r->run->buffers - 1, &s->buffer) &&
           whole_of(r, o, "offset", 0, r->run->buffer[s->buffer].bytes, &s->offset) &&
           (bytes <= r->run->buffer[s->buffer].bytes - s->offset || bad(r, "it ends behind its buffer")) &&
           (r->run->buffer[s->buffer].role != BUFFER_INPUT || bad(r, "it writes to an input"));
}

static bool fill_read(Reader *r, const json_t *o, RunStep *s) {
    int64_t pattern;
    s->kind = STEP_FILL;
    if (!keys(r, o, "buffer offset count width pattern") || !int_of(r, o, "width", 1, 8, &s->width) ||
        !whole_of(r, o, "count", 0, RUN_BYTES_MAX / 8, &s->count) ||
        !whole_of(r, o, "pattern", INT64_MIN, INT64_MAX, &pattern) ||
        !writes_to(r, o, s, s->count * s->width))
        return false;
    s->pattern = (uint64_t)pattern;
    return (power_of_two(s->width) && s->offset % s->width == 0 &&
            (s->width == 8 || s->pattern >> (8 * s->width) == 0)) ||
           bad(r, "fill: width, offset and pattern are not those of elements");
}

static bool copy_read(Reader *r, const json_t *o, RunStep *s) {
    int64_t bytes;
    s->kind = STEP_COPY;
    if (!keys(r, o, "buffer offset from") || !view_read(r, json_object_get(o, "from"), &s->from))
        return false;
    bytes = s->width = dtype_bytes(s->from.dtype);
    for (int i = 0; i < s->from.rank; i++)
        if (__builtin_mul_overflow(bytes, s->from.shape[i], &bytes)) return bad(r, "copy: too large");
    s->count = bytes / s->width;
    return writes_to(r, o, s, bytes) &&
           (s->offset % s->width == 0 || bad(r, "copy: the offset is not that of an element"));
}

static bool step_read(Reader *r, const json_t *o, RunStep *s) {
    const json_t *fill = json_object_get(o, "fill"), *copy = json_object_get(o, "copy");
    s->group = -1;
    if (fill) return keys(r, o, "fill") && fill_read(r, fill, s);
    if (copy) return keys(r, o, "copy") && copy_read(r, copy, s);
    return choices_read(r, o, s);
}

static bool steps_read(Reader *r, const json_t *root) {
    RecordedRun *run = r->run;
    const json_t *list;
    if (!list_of(r, root, "steps", RUN_STEPS_MAX, &list, &run->steps)) return false;
    if (!int_of(r, root, "setups", 0, run->steps, &run->setups)) return false;
    run->step = NEWN(r->a, RunStep, (size_t)run->steps + 1);
    for (int i = 0; i < run->steps; i++)
        if (!step_read(r, json_array_get(list, (size_t)i), &run->step[i])) return at_place(r, "steps", i);
    return true;
}

bool recorded_run_read(Arena *a, const char *name, Str text, bool printed, RecordedRun *out, Err *e) {
    Json j;
    Str format;
    *out = (RecordedRun){0};
    if (text.len > RUN_TEXT_MAX)
        return err_set(e, ERR_LIMIT, "%s: a recorded run has at most %d bytes", name, RUN_TEXT_MAX);
    if (!json_parse(name, text, &j, e)) return json_close(&j), false;
    Reader r = {a, &j, out, 0};
    bool ok = keys(&r, j.root, "format processors setups groups buffers inputs outputs kernels steps") &&
              text_of(&r, j.root, "format", RUN_NAME_MAX, &format) &&
              (str_is(format, RUN_FORMAT) || bad(&r, "format: not \"" RUN_FORMAT "\"")) &&
              int_of(&r, j.root, "processors", 1, 1 << 16, &out->processors) &&
              int_of(&r, j.root, "groups", 0, RUN_STEPS_MAX, &out->groups) && buffers_read(&r, j.root) &&
              views_read(&r, j.root, "inputs", RUN_INPUTS_MAX, out->input, &out->inputs) &&
              views_read(&r, j.root, "outputs", RUN_OUTPUTS_MAX, out->output, &out->outputs) &&
              roles_hold(&r) && kernels_read(&r, j.root, printed) && steps_read(&r, j.root);
    json_close(&j);
    return ok || err_ctx(e, "%s", name);
}
