// module_write.c - the inputs, weights, right answers and allowed errors of a file in module form, with the
// file's text at the sizes that were used, as one .safetensors file: what it takes to compare with PyTorch.
#include "base/io.h"
#include "base/json.h"
#include "module/module.h"

typedef struct {
    Str name;
    const Bound *b;
    const double *v; // b->v, or allowed errors
    Str text;        // of the source, instead of b
    const char *dtype;
    size_t bytes;
} Row;

enum { ROWS_MAX = FORM_TENSORS_MAX + MODULE_INPUTS_MAX + 2 * MODULE_OUTPUTS_MAX + 1 };
typedef struct {
    Arena *arena;
    Row row[ROWS_MAX];
    int rows;
} Rows;

static void add(Rows *r, const char *kind, Str name, const Bound *b, const double *v) {
    bool truth = b->dtype == DT_BOOL, whole = !truth && !dtype_is_float(b->dtype);
    r->row[r->rows++] = (Row){.name = str_of(arena_printf(r->arena, "%s.%.*s", kind, STR_ARG(name))),
                              .b = b,
                              .v = v,
                              .dtype = truth   ? "BOOL"
                                       : whole ? "I64"
                                               : "F64",
                              .bytes = (size_t)b->numel * (truth ? 1 : 8)};
}

static Str number(Arena *a, int i) { return str_of(arena_printf(a, "%d", i)); }

static const double *allowed(Arena *a, const Bound *b) {
    double *e = NEWN(a, double, (size_t)b->numel + 1);
    for (int64_t i = 0; b->e && i < b->numel; i++) e[i] = b->e[i] * BOUND_KAPPA * BOUND_U;
    return e;
}

static void collect(Rows *r, const ModuleFile *m, const ModuleRun *run) {
    Buf source = BUF(r->arena);
    print_module(&source, m->tree);
    for (int i = 0; i < run->inputs; i++)
        if (run->input[i].tensor)
            add(r, "input", number(r->arena, i), run->input[i].tensor, run->input[i].tensor->v);
    for (int i = 0; i < run->tensors; i++)
        add(r, "state", run->tensor[i].name, run->tensor[i].value, run->tensor[i].value->v);
    for (int i = 0; i < run->outputs; i++) {
        add(r, "output", number(r->arena, i), run->output[i], run->output[i]->v);
        add(r, "error", number(r->arena, i), run->output[i], allowed(r->arena, run->output[i]));
        r->row[r->rows - 1].dtype = "F64";
        r->row[r->rows - 1].bytes = (size_t)run->output[i]->numel * 8;
    }
    r->row[r->rows++] =
        (Row){.name = STR("source"), .text = buf_str(&source), .dtype = "U8", .bytes = source.len};
}

// Inputs that are no tensors stand in the metadata, as Python spells them.
static void put_header(Buf *out, const Rows *r, const ModuleRun *run) {
    size_t at = 0;
    buf_puts(out, "{\"__metadata__\":{\"inputs\":");
    buf_printf(out, "\"%d\"", run->inputs);
    for (int i = 0; i < run->inputs; i++) {
        if (run->input[i].tensor) continue;
        buf_printf(out, ",\"input.%d\":", i);
        json_put(out, json_stringn(run->input[i].text.p, run->input[i].text.len));
    }
    buf_puts(out, "}");
    for (int i = 0; i < r->rows; i++) {
        const Row *x = &r->row[i];
        buf_puts(out, ",");
        json_put(out, json_stringn(x->name.p, x->name.len));
        buf_printf(out, ":{\"dtype\":\"%s\",\"shape\":[", x->dtype);
        if (!x->b) buf_printf(out, "%zu", x->text.len);
        for (int d = 0; x->b && d < x->b->rank; d++)
            buf_printf(out, "%s%lld", d ? "," : "", (long long)x->b->shape[d]);
        buf_printf(out, "],\"data_offsets\":[%zu,%zu]}", at, at + x->bytes);
        at += x->bytes;
    }
    buf_puts(out, "}");
    while (out->len % 8) buf_putc(out, ' ');
}

static bool put_row(IoFile *f, const Row *x, Err *e) {
    if (!x->b) return io_write_all(f->fd, x->text.p, x->bytes, e);
    if (x->dtype[0] == 'F') return io_write_all(f->fd, x->v, x->bytes, e);
    for (int64_t i = 0; i < x->b->numel; i++) {
        int64_t whole = (int64_t)x->v[i];
        uint8_t truth = x->v[i] != 0;
        bool one = x->dtype[0] == 'B';
        if (!io_write_all(f->fd, one ? (const void *)&truth : &whole, one ? 1 : sizeof whole, e))
            return false;
    }
    return true;
}

bool module_write(const char *path, const ModuleFile *m, const ModuleRun *run, Err *e) {
    Arena scratch = {0};
    Rows *r = NEW(&scratch, Rows);
    r->arena = &scratch;
    collect(r, m, run);
    Buf header = BUF(&scratch);
    put_header(&header, r, run);
    uint64_t length = header.len;
    IoFile f;
    bool ok = io_begin(&f, path, e);
    if (ok) {
        ok = io_write_all(f.fd, &length, sizeof length, e) && io_write_all(f.fd, header.p, header.len, e);
        for (int i = 0; ok && i < r->rows; i++) ok = put_row(&f, &r->row[i], e);
        if (ok)
            ok = io_commit(&f, e);
        else
            io_abandon(&f);
    }
    arena_free(&scratch);
    return ok;
}
