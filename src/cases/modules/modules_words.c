// What is told of a module's sizes: in words and in JSON.
#include <inttypes.h>
#include <jansson.h>

#include "cases/modules/modules_domain.h"

void modules_put_shape(Buf *out, DType t, int rank, const int64_t *shape) {
    buf_printf(out, "%s[", dtype_info[t].torch);
    for (int i = 0; i < rank; i++) buf_printf(out, "%s%lld", i ? ", " : "", (long long)shape[i]);
    buf_puts(out, "]");
}

static const ModulesDomain *long_one(const ModulesDomain *m, int i) {
    return modules_at(m->domain.stretched[i].domain);
}

// Alone, or beside another one.
static bool is_passed(const ModulesDomain *m, const ModuleSize *size, uint32_t passed) {
    for (int i = 0; i < m->domain.stretches; i++)
        for (int k = 0; k < m->domain.stretched[i].longs; k++)
            if (passed >> i & 1 && long_one(m, i)->longs[k].at.at == size->at.at) return true;
    return false;
}

static void put_size(Buf *out, const char *before, const ModuleSize *s) {
    buf_printf(out, "%s%.*s%s%lld", before, STR_ARG(s->name), s->name.len ? " " : "", (long long)s->now);
    if (s->now != s->published) buf_printf(out, " of %lld", (long long)s->published);
}

static void put_longs(Buf *out, const ModulesDomain *m, int longs, uint32_t passed, const char *before) {
    int n = 0;
    for (int i = 0; i < m->domain.stretches; i++) {
        if (!(passed >> i & 1) || m->domain.stretched[i].longs != longs) continue;
        for (int k = 0; k < longs; k++)
            put_size(out, k ? " with " : n ? ", " : before, &long_one(m, i)->longs[k]);
        n++;
    }
    if (n) buf_puts(out, "\n");
}

void modules_long_words(Buf *out, const ModulesDomain *m, uint32_t passed) {
    const ModuleShrunk *s = &m->values.shapes;
    put_longs(out, m, 1, passed, "long, one at a time: ");
    put_longs(out, m, 2, passed, "long, two at a time: ");
    const char *before = "never long: ";
    int never = 0;
    for (int i = 0; i < s->sizes; i++) {
        if (is_passed(m, &s->size[i], passed)) continue;
        put_size(out, never++ ? ", " : before, &s->size[i]);
    }
    if (never) buf_puts(out, "\n");
}

void modules_wrong_long_words(Buf *out, const ModulesDomain *m, int which) {
    const Stretched *s = &m->domain.stretched[which];
    for (int k = 0; k < s->longs; k++)
        put_size(out,
                 k              ? " with "
                 : s->longs > 1 ? "wrong where two sizes are long: "
                                : "wrong where one size is long: ",
                 &modules_at(s->domain)->longs[k]);
    for (int k = 0; k < s->longs; k++)
        put_size(out, k ? ", and with " : "; right with ", &modules_at(s->control[k])->longs[0]);
    buf_puts(out, ", all other sizes the same\n");
}

void modules_words(Buf *out, const ModulesDomain *m, const char *prefix) {
    const ModuleRun *run = &m->values.run, *published = &m->values.shapes.published;
    const ModuleShrunk *s = &m->values.shapes;
    buf_printf(out, "%smodule: %.*s, Model(%.*s)\n", prefix, STR_ARG(m->op.name), STR_ARG(run->init));
    int k = 0;
    for (int i = 0; i < run->inputs; i++) {
        const Bound *b = run->input[i].tensor, *was = published->input[i].tensor;
        if (!b) {
            buf_printf(out, "%sinput: %.*s\n", prefix, STR_ARG(run->input[i].text));
            continue;
        }
        buf_printf(out, "%sinput %.*s: ", prefix, STR_ARG(m->op.input[k].name));
        k++;
        modules_put_shape(out, b->dtype, b->rank, b->shape);
        if (was && memcmp(was->shape, b->shape, sizeof *b->shape * (size_t)b->rank) != 0) {
            buf_puts(out, ", published ");
            modules_put_shape(out, was->dtype, was->rank, was->shape);
        }
        buf_puts(out, "\n");
    }
    if (m->op.allow_tf32)
        buf_printf(out, "%sproducts may read float32 operands with 10 mantissa bits (--tf32)\n", prefix);
    for (int i = 0; i < s->sizes; i++)
        buf_printf(out, "%ssize, line %d of the reference: %.*s%s%lld instead of %lld\n", prefix,
                   line_col(m->op.source, s->size[i].at.at).line, STR_ARG(s->size[i].name),
                   s->size[i].name.len ? " " : "", (long long)s->size[i].now,
                   (long long)s->size[i].published);
}

static json_t *size_json(const ModulesDomain *m, const ModuleSize *s) {
    return json_pack("{s:i, s:s%, s:I, s:I}", "line", line_col(m->op.source, s->at.at).line, "name",
                     s->name.len ? s->name.p : "", s->name.len, "size", (json_int_t)s->now, "published",
                     (json_int_t)s->published);
}

static json_t *longs_json(const ModulesDomain *m, int which) {
    json_t *all = json_array();
    for (int k = 0; k < m->domain.stretched[which].longs; k++)
        json_array_append_new(all, size_json(m, &long_one(m, which)->longs[k]));
    return all;
}

static json_t *shape_json(const Bound *b) {
    json_t *shape = json_array();
    for (int i = 0; i < b->rank; i++) json_array_append_new(shape, json_integer(b->shape[i]));
    return shape;
}

json_t *modules_json(const ModulesDomain *m, uint32_t passed, int wrong_long) {
    const ModuleRun *run = &m->values.run, *published = &m->values.shapes.published;
    const ModuleShrunk *s = &m->values.shapes;
    json_t *inputs = json_array(), *sizes = json_array(), *long_ones = json_array(), *pairs = json_array();
    for (int i = 0; i < run->inputs; i++) {
        const Bound *b = run->input[i].tensor;
        if (!b) continue;
        json_array_append_new(inputs,
                              json_pack("{s:s, s:o, s:o}", "dtype", dtype_info[b->dtype].torch, "shape",
                                        shape_json(b), "published", shape_json(published->input[i].tensor)));
    }
    for (int i = 0; i < s->sizes; i++) json_array_append_new(sizes, size_json(m, &s->size[i]));
    for (int i = 0; i < m->domain.stretches; i++) {
        if (!(passed >> i & 1)) continue;
        json_t *each = longs_json(m, i);
        if (m->domain.stretched[i].longs > 1)
            json_array_append_new(pairs, each);
        else
            json_array_extend(long_ones, each), json_decref(each);
    }
    char sha256[65];
    sha256_hex(m->op.hash, sha256);
    return json_pack("{s:s%, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "name", m->op.name.p, m->op.name.len,
                     "sha256", sha256, "tf32", m->op.allow_tf32, "inputs", inputs, "sizes", sizes,
                     "long_sizes", long_ones, "long_pairs", pairs, "wrong_long",
                     wrong_long < 0 ? json_array() : longs_json(m, wrong_long));
}
