// module_describe.c - what was found in a file in module form, for people.
#include "module/module.h"

#include "base/json.h"
#include "tensor/bound.h"
#include <math.h>

static void put_shape(Buf *out, const Bound *b) {
    buf_printf(out, "%s[", dtype_info[b->dtype].torch);
    for (int i = 0; i < b->rank; i++) buf_printf(out, "%s%lld", i ? ", " : "", (long long)b->shape[i]);
    buf_puts(out, "]");
}

static bool same_shape(const Bound *a, const Bound *b) {
    return a->rank == b->rank && memcmp(a->shape, b->shape, sizeof *a->shape * (size_t)a->rank) == 0;
}

// The shape that is used, and the published one where it is another.
static void put_shapes(Buf *out, const Bound *small, const Bound *published) {
    put_shape(out, small);
    if (same_shape(small, published)) return;
    buf_puts(out, ", published ");
    put_shape(out, published);
}

static void put_sizes(Buf *out, const ModuleFile *m, const ModuleShrunk *s) {
    buf_printf(out, "work: %.2g operations, published %.2g\n", (double)s->small.work,
               (double)s->published.work);
    if (!s->sizes) buf_puts(out, "sizes: as published\n");
    for (int i = 0; i < s->sizes; i++) {
        const ModuleSize *z = &s->size[i];
        buf_printf(out, "size, line %d: %.*s%s%lld instead of %lld\n", line_col(m->source, z->at.at).line,
                   STR_ARG(z->name), z->name.len ? " " : "", (long long)z->now, (long long)z->published);
    }
}

// The k-th smallest of n numbers, which change their places.
static double kth(double *x, int64_t n, int64_t k) {
    int64_t from = 0, to = n - 1;
    while (from < to) {
        double pivot = x[from + (to - from) / 2];
        int64_t i = from, j = to;
        while (i <= j) {
            while (x[i] < pivot) i++;
            while (x[j] > pivot) j--;
            if (i > j) break;
            double t = x[i];
            x[i++] = x[j];
            x[j--] = t;
        }
        if (k <= j)
            to = j;
        else if (k >= i)
            from = i;
        else
            break;
    }
    return x[k];
}

// The middle one of the allowed errors, and how large the values are.
static void put_values(Buf *out, const Bound *b) {
    Arena scratch = {0};
    double *e = NEWN(&scratch, double, (size_t)b->numel + 1), largest = 0, most = 0;
    int64_t unknown = 0, exact = 0, nan = 0;
    if (!b->numel) {
        buf_puts(out, "    no elements\n");
        return arena_free(&scratch);
    }
    for (int64_t i = 0; i < b->numel; i++) {
        e[i] = b->e ? b->e[i] * BOUND_KAPPA * BOUND_U : 0;
        nan += b->v[i] != b->v[i];
        if (b->v[i] != b->v[i]) e[i] = 0; // NaN is asked for, or nothing is
        unknown += !(e[i] <= 0x1p1000);
        exact += e[i] == 0 && b->v[i] == b->v[i];
        if (e[i] > most) most = e[i];
        if (fabs(b->v[i]) > largest) largest = fabs(b->v[i]);
    }
    buf_printf(out, "    values up to %.3g, allowed error %.2g in the middle and %.2g at most", largest,
               kth(e, b->numel, b->numel / 2), most);
    if (exact) buf_printf(out, "; %lld of %lld exact", (long long)exact, (long long)b->numel);
    if (unknown) buf_printf(out, "; %lld of %lld cannot be judged", (long long)unknown, (long long)b->numel);
    if (nan) buf_printf(out, "; %lld of %lld are NaN", (long long)nan, (long long)b->numel);
    buf_puts(out, "\n");
    arena_free(&scratch);
}

static void put_inputs(Buf *out, const ModuleValues *v) {
    const ModuleRun *small = &v->run, *published = &v->shapes.published;
    buf_printf(out, "Model(%.*s)\n", STR_ARG(small->init));
    for (int i = 0; i < small->inputs; i++) {
        buf_printf(out, "input %d: ", i);
        if (small->input[i].tensor)
            put_shapes(out, small->input[i].tensor, published->input[i].tensor);
        else
            buf_str_put(out, small->input[i].text);
        buf_puts(out, "\n");
    }
    if (v->published_values)
        buf_puts(out,
                 "inputs are drawn as get_inputs draws them: wider ones leave fewer elements to judge\n");
    for (int i = 0; i < small->tensors; i++) {
        const FormTensor *t = &small->tensor[i];
        buf_printf(out, "%s %.*s: ", t->buffer ? "buffer" : "parameter", STR_ARG(t->name));
        put_shapes(out, t->value, published->tensor[i].value);
        buf_puts(out, "\n");
    }
}

void module_describe(Buf *out, const ModuleFile *m, const ModuleValues *v) {
    put_inputs(out, v);
    put_sizes(out, m, &v->shapes);
    buf_puts(out, "operators:");
    for (int i = 0; i < v->run.ops; i++)
        buf_printf(out, "%s %.*s (line %d)", i ? "," : "", STR_ARG(v->run.op[i].name),
                   line_col(m->source, v->run.op[i].at.at).line);
    buf_puts(out, v->run.ops ? "\n" : " none\n");
    bool any = false;
    for (int i = 0; i < v->run.ops; i++) {
        const FormOp *o = &v->run.op[i];
        if (o->moves) continue;
        buf_printf(out, "%s %.*s (line %d)", any ? "," : "changes nothing:", STR_ARG(o->name),
                   line_col(m->source, o->at.at).line);
        any = true;
    }
    if (any) buf_puts(out, "\n");
    if (v->run.least_set != INT64_MAX)
        buf_printf(out, "smallest normalised set: %lld elements\n", (long long)v->run.least_set);
    for (int i = 0; i < v->run.outputs; i++) {
        buf_printf(out, "output %d: ", i);
        put_shapes(out, v->run.output[i], v->shapes.published.output[i]);
        buf_puts(out, "\n");
        put_values(out, v->run.output[i]);
    }
}

// --- as JSON ---

static json_t *shape_json(const Bound *b) {
    json_t *list = json_array();
    for (int i = 0; i < b->rank; i++) json_array_append_new(list, json_integer(b->shape[i]));
    return list;
}

static json_t *tensor_json(const Bound *b, const Bound *published) {
    return json_pack("{s:s, s:o, s:o}", "dtype", dtype_info[b->dtype].torch, "shape", shape_json(b),
                     "published", shape_json(published));
}

static json_t *sizes_json(const ModuleFile *m, const ModuleShrunk *s) {
    json_t *list = json_array();
    for (int i = 0; i < s->sizes; i++) {
        const ModuleSize *z = &s->size[i];
        json_array_append_new(list, json_pack("{s:s%, s:i, s:I, s:I}", "name", z->name.len ? z->name.p : "",
                                              z->name.len, "line", line_col(m->source, z->at.at).line, "now",
                                              (json_int_t)z->now, "published", (json_int_t)z->published));
    }
    return list;
}

void module_json(Buf *out, const ModuleFile *m, const ModuleValues *v) {
    const ModuleRun *run = &v->run, *published = &v->shapes.published;
    json_t *inputs = json_array(), *state = json_array(), *ops = json_array(), *outputs = json_array();
    for (int i = 0; i < run->inputs; i++) {
        const ModuleInput *x = &run->input[i];
        json_array_append_new(inputs, x->tensor ? tensor_json(x->tensor, published->input[i].tensor)
                                                : json_pack("{s:s%}", "value", x->text.p, x->text.len));
    }
    for (int i = 0; i < run->tensors; i++) {
        const FormTensor *t = &run->tensor[i];
        json_t *o = tensor_json(t->value, published->tensor[i].value);
        json_object_set_new(o, "name", json_stringn(t->name.p, t->name.len));
        json_object_set_new(o, "buffer", json_boolean(t->buffer));
        json_array_append_new(state, o);
    }
    for (int i = 0; i < run->ops; i++)
        json_array_append_new(
            ops, json_pack("{s:s%, s:i, s:b}", "name", run->op[i].name.p, run->op[i].name.len, "line",
                           line_col(m->source, run->op[i].at.at).line, "changes_nothing", !run->op[i].moves));
    for (int i = 0; i < run->outputs; i++)
        json_array_append_new(outputs, tensor_json(run->output[i], published->output[i]));
    json_put(out, json_pack("{s:s%, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:b}", "init",
                            run->init.len ? run->init.p : "", run->init.len, "inputs", inputs, "state", state,
                            "sizes", sizes_json(m, &v->shapes), "operators", ops, "outputs", outputs, "work",
                            (json_int_t)v->shapes.small.work, "published_work",
                            (json_int_t)v->shapes.published.work, "published_values", v->published_values));
    buf_puts(out, "\n");
}
