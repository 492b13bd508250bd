#include "judge/verdict/module_evidence.h"

#include "cases/modules/modules_domain.h"
#include "host/python/binding.h"

static const char *const rule_name[] = {[BIND_NAME] = "name", [BIND_ORDER] = "order", [BIND_SHAPE] = "shape"};

// NULL: not known, or there are no parameters.
static const char *binding(const Verdict *v) {
    bool any = false;
    for (int i = 0; i < v->module->inputs; i++) any |= v->module->input[i].role == ROLE_WEIGHT;
    int how = v->cases.binding - 1;
    return any && how >= 0 && how < BIND_NONE ? rule_name[how] : NULL;
}

static void put_lines(Buf *out, Str text, const char *prefix) {
    while (text.len) {
        const char *end = memchr(text.p, '\n', text.len);
        size_t n = end ? (size_t)(end - text.p) : text.len;
        buf_printf(out, "%s%.*s\n", prefix, (int)n, text.p);
        n += end != NULL;
        text = (Str){text.p + n, text.len - n};
    }
}

static void own_work_text(Buf *b, const Verdict *v, const ModulesDomain *m) {
    const OwnWork *w = &v->evidence.own;
    if (m->library == LIBRARY_NONE || !w->told) return;
    buf_printf(b,
               "library (%s): %lld calls%s%s; own kernels have %lld of %lld launches, %.0f %% of the bytes, "
               "%.0f %% of the operations",
               library_use_name[m->library], (long long)w->calls, *w->operators ? ", " : "", w->operators,
               (long long)w->own, (long long)w->launches, 100 * w->bytes, 100 * w->work);
    if (m->light_bytes) buf_printf(b, ", %.0f %% of the light operators' bytes", 100 * w->light);
    buf_puts(b, "\n");
    for (int i = 0; i < w->withouts; i++)
        buf_printf(b, "no share: the launch in line %d, %s\n", w->without[i].at.line,
                   w->without[i].replaceable ? "which stores a copy, or what PyTorch gives as well"
                                             : "on which nothing of the result depends");
}

static json_t *own_work_json(const Verdict *v, const ModulesDomain *m) {
    const OwnWork *w = &v->evidence.own;
    json_t *o = json_pack("{s:s, s:I}", "allowed", library_use_name[m->library], "calls",
                          (json_int_t)v->traffic.count.library_calls);
    if (!w->told) return o;
    json_t *names = json_array(), *without = json_array();
    for (const char *p = w->operators; *p;) {
        size_t n = strcspn(p, ",");
        json_array_append_new(names, json_stringn(p, n));
        p += n;
        p += strspn(p, ", ");
    }
    for (int i = 0; i < w->withouts; i++)
        json_array_append_new(without, json_pack("{s:i, s:s}", "line", w->without[i].at.line, "why",
                                                 w->without[i].replaceable ? "replaceable" : "no effect"));
    json_object_set_new(o, "operators", names);
    json_object_set_new(o, "launches", json_integer(w->launches));
    json_object_set_new(o, "own_launches", json_integer(w->own));
    json_object_set_new(o, "bytes", json_real(w->bytes));
    json_object_set_new(o, "work", json_real(w->work));
    json_object_set_new(o, "light", json_real(w->light));
    json_object_set_new(o, "without_share", without);
    return o;
}

void module_evidence_text(Buf *out, const Verdict *v, const char *prefix) {
    const ModulesDomain *m = modules_of(v->module);
    Arena a = {0};
    Buf b = BUF(&a);
    modules_words(&b, m, "");
    if (v->evidence.unaligned != STATUS_ok && verdict_accepted(v))
        buf_printf(
            &b,
            "these sizes keep more of what divides the published ones; at smaller ones it is wrong (%s)\n",
            status_name(v->evidence.unaligned));
    if (verdict_accepted(v) && v->judged.level == LEVEL_FULL)
        modules_long_words(&b, m, v->evidence.stretched);
    static const char *const said[] = {[PUBLISHED_RIGHT] =
                                           "addresses are right (a few programs of each launch, no values)",
                                       [PUBLISHED_WRONG] = "wrong there",
                                       [PUBLISHED_UNKNOWN] = "not known: "};
    const PublishedSizes *p = &v->evidence.published;
    if (v->evidence.raggeds && m->ragged) {
        const OpInput *in = &m->ragged->op->input[0];
        buf_printf(&b, "odd sizes (%.*s: ", STR_ARG(in->name));
        modules_put_shape(&b, in->dtype, in->rank, in->size);
        buf_printf(&b, "): %s%s\n", v->evidence.ragged == STATUS_ok ? "right there, too" : "wrong there, ",
                   v->evidence.ragged == STATUS_ok ? "" : status_name(v->evidence.ragged));
    }
    if (p->said) buf_printf(&b, "published sizes: %s%s\n", said[p->said], p->why);
    if (v->evidence.wrong_long) modules_wrong_long_words(&b, m, v->evidence.wrong_long - 1);
    buf_puts(&b, m->values.published_values
                     ? "values: inputs as get_inputs draws them"
                     : "values: inputs of both signs at three scales, by kinds (shifted, constant, spikes, "
                       "zeros, infinite) and as get_inputs draws them");
    buf_puts(&b, m->values.run.tensors ? "; parameters drawn anew for each case\n" : "\n");
    if (binding(v)) buf_printf(&b, "parameters: bound by %s\n", binding(v));
    own_work_text(&b, v, m);
    put_lines(out, buf_str(&b), prefix);
    arena_free(&a);
}

json_t *module_evidence_json(const Verdict *v) {
    json_t *o = modules_json(modules_of(v->module), v->evidence.stretched, v->evidence.wrong_long - 1);
    static const char *const said[] = {
        [PUBLISHED_RIGHT] = "right", [PUBLISHED_WRONG] = "wrong", [PUBLISHED_UNKNOWN] = "unknown"};
    const PublishedSizes *p = &v->evidence.published;
    json_object_set_new(o, "published_sizes", p->said ? json_string(said[p->said]) : json_null());
    if (*p->why) json_object_set_new(o, "published_why", json_quoted(str_of(p->why)));
    json_object_set_new(o, "ragged",
                        v->evidence.raggeds ? json_string(status_name(v->evidence.ragged)) : json_null());
    Status unaligned = v->evidence.unaligned;
    json_object_set_new(o, "unaligned",
                        unaligned == STATUS_ok ? json_null() : json_string(status_name(unaligned)));
    json_object_set_new(o, "library", own_work_json(v, modules_of(v->module)));
    json_object_set_new(o, "binding", binding(v) ? json_string(binding(v)) : json_null());
    return o;
}
