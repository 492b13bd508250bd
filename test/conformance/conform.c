// conform - what the comparison with torch and Triton needs to know of us, on files:
//   conform programs                    the self-test's programs, one JSON line each
//   conform draw OP LEVEL SEED PREFIX   a draw: PREFIX.json says what lies where in PREFIX.bin (inputs as the
//   referee
//                                       lays them out, then the oracle's values and bounds as float64)
//   conform run                         JSON lines {"id", "source", "inputs"} in, what our machine makes of
//   run(): each
//                                       input is {"dtype", "shape", "stride", "offset", "hex"}, the answer
//                                       {"id", "dtype", "shape", "hex"} or {"id", "kind", "message"}
//   conform trees                       JSON lines {"source"} in, {"printed", "canonical"} out: what we read
//   it
//                                       as, null where it does not parse
//   conform time OP LEVEL SEED REPEAT   JSON lines {"id", "source"} in, {"id", "status", "cases", "seconds"}
//   out: the
//                                       median of what its sandboxed child takes for all cases of that draw
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/draw.h"
#include "host/host.h"
#include "judge/referee.h"
#include "op/op.h"

static int fail(const char *what, const char *why) {
    fprintf(stderr, "conform: %s: %s\n", what, why);
    return 1;
}

static bool put_json(FILE *f, json_t *o) {
    bool ok = o && json_dumpf(o, f, JSON_COMPACT) == 0 && fputc('\n', f) == '\n';
    json_decref(o);
    return ok;
}

static json_t *text_of(Str s) { return json_stringn(s.p ? s.p : "", s.len); }

static int programs(void) {
    static const char *const kind[] = {"gold", "wrong", "cheat", "honest"};
    Arena a = {0};
    int n;
    const Program *p = op_programs(&a, &n);
    bool ok = true;
    for (int i = 0; ok && i < n; i++)
        ok = put_json(stdout,
                      json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "name", p[i].name, "kind", kind[p[i].kind],
                                "op", text_of(p[i].op), "expect", text_of(p[i].expect), "about",
                                text_of(p[i].about), "source", text_of(p[i].source)));
    arena_free(&a);
    return ok ? 0 : fail("programs", "cannot write");
}

static json_t *numbers(const int64_t *x, int n) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(list, json_integer(x[i]));
    return list;
}

static json_t *input_json(const Op *op, const CaseSpec *c, int i) {
    const CaseTensor *t = &c->input[i];
    return json_pack("{s:o, s:s, s:o, s:o, s:I, s:I, s:I}", "name", text_of(op->input[i].name), "dtype",
                     dtype_info[t->dtype].torch, "shape", numbers(t->shape, t->rank), "stride",
                     numbers(t->stride, t->rank), "offset", (json_int_t)t->offset, "at", (json_int_t)t->at,
                     "bytes", (json_int_t)t->bytes);
}

static json_t *case_json(const Draw *d, int i, int64_t v_at, int64_t e_at) {
    const CaseTruth *t = &d->truth[i];
    json_t *inputs = json_array(), *classes = json_array();
    for (int k = 0; k < d->spec[i].inputs; k++)
        json_array_append_new(inputs, input_json(d->op, &d->spec[i], k));
    for (int64_t r = 0; r < t->lines; r++)
        json_array_append_new(classes, json_string(class_name((ClassId)t->line_class[r])));
    return json_pack(
        "{s:s, s:o, s:b, s:b, s:o, s:o, s:s, s:o, s:I, s:I}", "dtype", dtype_info[t->dtype].torch, "dims",
        numbers(t->dim, d->op->dims), "strided", t->strided, "hidden", t->hidden, "classes", classes,
        "inputs", inputs, "out_dtype", dtype_info[t->expected->dtype].torch, "out_shape",
        numbers(t->expected->shape, t->expected->rank), "v_at", (json_int_t)v_at, "e_at", (json_int_t)e_at);
}

static bool put_doubles(FILE *f, const double *x, int64_t n, int64_t *at) {
    *at += n * (int64_t)sizeof *x;
    return fwrite(x, sizeof *x, (size_t)n, f) == (size_t)n;
}

static bool put_draw(const Draw *d, FILE *bin, FILE *index) {
    static const char zeros[8];
    int64_t at = (int64_t)d->bytes;
    size_t pad = (size_t)(-at & 7);
    bool ok = fwrite(d->mapping, 1, d->bytes, bin) == d->bytes && fwrite(zeros, 1, pad, bin) == pad;
    at += (int64_t)pad;
    json_t *cases = json_array();
    for (int i = 0; ok && i < d->cases; i++) {
        const Bound *b = d->truth[i].expected;
        int64_t v_at = at, e_at = -1; // -1: every bound is zero
        ok = put_doubles(bin, b->v, b->numel, &at);
        if (ok && b->e) {
            e_at = at;
            ok = put_doubles(bin, b->e, b->numel, &at);
        }
        json_array_append_new(cases, case_json(d, i, v_at, e_at));
    }
    return put_json(index, json_pack("{s:o, s:o}", "op", text_of(d->op->name), "cases", cases)) && ok;
}

static FILE *create(Arena *a, const char *prefix, const char *ending) {
    return fopen(arena_printf(a, "%s.%s", prefix, ending), "wb");
}

static bool filter_of(const char *shape, const char *dtype, DrawFilter *out) {
    long long m, n;
    DType t;
    if (sscanf(shape, "%lldx%lld", &m, &n) != 2 || !dtype_by_torch_name(str_of(dtype), &t)) return false;
    *out = (DrawFilter){.m = m, .n = n, .dtype = (int)t};
    return true;
}

static int draw(int argc, char **argv) {
    Arena a = {0};
    Err e = {0};
    Op op;
    Draw d;
    if (!op_resolve(&a, argv[0], &op, &e)) return fail("draw", e.msg);
    Level level = strcmp(argv[1], "full") == 0 ? LEVEL_FULL : LEVEL_QUICK;
    DrawFilter filter = {.dtype = -1};
    if (argc == 6 && !filter_of(argv[4], argv[5], &filter)) return fail("draw", "want MxN and a dtype");
    Pool *pool = pool_open(1);
    if (!draw_make(
            &a, pool,
            &(DrawRequest){.op = &op, .level = level, .seed = strtoull(argv[2], NULL, 0), .filter = &filter},
            &d, &e))
        return fail("draw", e.msg);
    FILE *bin = create(&a, argv[3], "bin"), *index = create(&a, argv[3], "json");
    if (!bin || !index) return fail(argv[3], strerror(errno));
    bool ok = put_draw(&d, bin, index);
    if (fclose(bin) != 0) ok = false;
    if (fclose(index) != 0) ok = false;
    draw_free(&d);
    pool_close(pool);
    arena_free(&a);
    return ok ? 0 : fail(argv[3], "cannot write");
}

static int digit(char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; }

// Only for lines of our own scripts: hexadecimal, lower case.
static uint8_t *bytes_of(Arena *a, const char *hex, size_t *n) {
    *n = strlen(hex) / 2;
    uint8_t *out = NEWN(a, uint8_t, *n + 8);
    for (size_t i = 0; i < *n; i++) out[i] = (uint8_t)(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
    return out;
}

static bool input_read(Arena *a, Machine *m, json_t *in, Tensor *t) {
    *t = (Tensor){.offset = json_integer_value(json_object_get(in, "offset"))};
    const char *dtype = json_string_value(json_object_get(in, "dtype")),
               *hex = json_string_value(json_object_get(in, "hex"));
    json_t *shape = json_object_get(in, "shape"), *stride = json_object_get(in, "stride");
    if (!dtype || !hex || !dtype_by_torch_name(str_of(dtype), &t->dtype) ||
        json_array_size(shape) > TENSOR_RANK_MAX)
        return false;
    t->rank = (int)json_array_size(shape);
    for (int d = 0; d < t->rank; d++) {
        t->shape[d] = json_integer_value(json_array_get(shape, (size_t)d));
        t->stride[d] = json_integer_value(json_array_get(stride, (size_t)d));
    }
    size_t n;
    uint8_t *data = bytes_of(a, hex, &n);
    if (!storage_wrap(&m->storages, t->dtype, data, n, &t->storage)) return false;
    tensor_expose(t, SHADOW_ALLOC | SHADOW_INIT);
    return true;
}

static json_t *output_json(Arena *a, json_t *id, const Tensor *out) {
    size_t n = (size_t)(tensor_numel(out) * dtype_bytes(out->dtype));
    uint8_t *bytes = NEWN(a, uint8_t, n + 8);
    tensor_gather(out, bytes, NULL);
    char *hex = NEWN(a, char, 2 * n + 1);
    for (size_t i = 0; i < n; i++) snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    return json_pack("{s:O, s:s, s:o, s:s}", "id", id, "dtype", dtype_info[out->dtype].torch, "shape",
                     numbers(out->shape, out->rank), "hex", hex);
}

static json_t *run_answer(Arena *a, json_t *in) {
    json_t *id = json_object_get(in, "id"), *inputs = json_object_get(in, "inputs");
    const char *source = json_string_value(json_object_get(in, "source"));
    if (!source || json_array_size(inputs) > HOST_INPUTS_MAX) return NULL;
    DiagList diags = DIAGS(a);
    Machine *m = NEW(a, Machine);
    machine_init(m, a, &diags, (int64_t)1 << 40);
    Tensor input[HOST_INPUTS_MAX], out;
    int n = (int)json_array_size(inputs);
    for (int i = 0; i < n; i++)
        if (!input_read(a, m, json_array_get(inputs, (size_t)i), &input[i])) return NULL;
    const Node *module = parse_module(a, str_of(source), &diags);
    if (module && host_screen(module, &diags) && host_run(m, code_cache_new(a), module, input, n, &out))
        return output_json(a, id, &out);
    const Diag *d = diag_first(&diags);
    return json_pack("{s:O, s:s, s:s}", "id", id, "kind", d ? diag_name(d->kind) : "none", "message",
                     d ? d->msg : "");
}

static json_t *tree_answer(Arena *a, json_t *in) {
    const json_t *text = json_object_get(in, "source");
    Str source = {json_string_value(text), json_string_length(text)};
    DiagList diags = DIAGS(a);
    const Node *module = source.p ? parse_module(a, source, &diags) : NULL;
    if (!module) return json_pack("{s:n, s:n}", "printed", "canonical");
    Buf printed = BUF(a), canonical = BUF(a);
    print_module(&printed, module);
    print_canonical(&canonical, module);
    return json_pack("{s:o, s:o}", "printed", text_of(buf_str(&printed)), "canonical",
                     text_of(buf_str(&canonical)));
}

static int answer_lines(json_t *(*answer)(Arena *a, json_t *in)) {
    char *line = NULL;
    size_t room = 0;
    bool ok = true;
    for (ssize_t n; ok && (n = getline(&line, &room, stdin)) > 0;) {
        Arena a = {0};
        json_error_t why;
        json_t *in = json_loadb(line, (size_t)n, 0, &why), *out = in ? answer(&a, in) : NULL;
        ok = out && put_json(stdout, out) && fflush(stdout) == 0;
        json_decref(in);
        arena_free(&a);
    }
    free(line);
    return ok ? 0 : fail("run", "a line that is no program");
}

static bool time_answer(Referee *r, Arena *a, const JudgeRequest *q, int repeat, json_t *in) {
    const char *text = json_string_value(json_object_get(in, "source"));
    Err e = {0};
    Str *source = NEWN(a, Str, (size_t)repeat);
    Verdict *v = NEWN(a, Verdict, (size_t)repeat);
    double *seconds = NEWN(a, double, (size_t)repeat);
    for (int i = 0; text && i < repeat; i++) source[i] = str_of(text);
    if (!text || !referee_judge(r, a, q, source, repeat, v, &e))
        return fail("time", text ? e.msg : "no source") == 0;
    for (int i = 0; i < repeat; i++) {
        int at = i;
        for (; at > 0 && seconds[at - 1] > v[i].judged.seconds_child; at--) seconds[at] = seconds[at - 1];
        seconds[at] = v[i].judged.seconds_child;
    }
    return put_json(stdout, json_pack("{s:O, s:s, s:i, s:f}", "id", json_object_get(in, "id"), "status",
                                      status_name(v[0].decision.status), "cases", v[0].cases.passed,
                                      "seconds", seconds[repeat / 2]));
}

static int times(char **argv) {
    Arena a = {0};
    Err e = {0};
    Referee *r;
    Op op;
    int repeat = atoi(argv[3]);
    uint64_t seed = strtoull(argv[2], NULL, 0);
    RefereeConfig config = {.no_journal = true, .jobs = 1};
    if (repeat < 1 || repeat > DRAW_SHARE_MAX) return fail("time", "REPEAT is too large");
    if (!op_resolve(&a, argv[0], &op, &e) || !referee_open(&config, &r, &e)) return fail("time", e.msg);
    JudgeRequest q = {.op = &op,
                      .level = strcmp(argv[1], "full") == 0 ? LEVEL_FULL : LEVEL_QUICK,
                      .filter = {.dtype = -1},
                      .seed = &seed};
    char *line = NULL;
    size_t room = 0;
    bool ok = true;
    for (ssize_t n; ok && (n = getline(&line, &room, stdin)) > 0;) {
        json_error_t why;
        json_t *in = json_loadb(line, (size_t)n, 0, &why);
        ok = in && time_answer(r, &a, &q, repeat, in) && fflush(stdout) == 0;
        json_decref(in);
    }
    free(line);
    referee_close(r);
    arena_free(&a);
    return ok ? 0 : fail("time", "a line that is no program");
}

int main(int argc, char **argv) {
    if (argc == 6 && strcmp(argv[1], "time") == 0) return times(argv + 2);
    if (argc == 2 && strcmp(argv[1], "programs") == 0) return programs();
    if (argc == 2 && strcmp(argv[1], "run") == 0) return answer_lines(run_answer);
    if (argc == 2 && strcmp(argv[1], "trees") == 0) return answer_lines(tree_answer);
    if ((argc == 6 || argc == 8) && strcmp(argv[1], "draw") == 0) return draw(argc - 2, argv + 2);
    fprintf(stderr, "usage: conform programs | conform run | conform trees | conform draw OP quick|full SEED "
                    "PREFIX [MxN DTYPE] | "
                    "conform time OP quick|full SEED REPEAT\n");
    return 2;
}
