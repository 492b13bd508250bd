#include "judge/verdict/module_evidence.h"

#include "cases/modules_domain.h"
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

void module_evidence_text(Buf *out, const Verdict *v, const char *prefix) {
    const ModulesDomain *m = modules_of(v->module);
    Arena a = {0};
    Buf b = BUF(&a);
    modules_words(&b, m, "");
    if (verdict_accepted(v) && v->judged.level == LEVEL_FULL)
        modules_long_words(&b, m, v->evidence.stretched);
    static const char *const said[] = {[PUBLISHED_RIGHT] =
                                           "addresses are right (a few programs of each launch, no values)",
                                       [PUBLISHED_WRONG] = "wrong there",
                                       [PUBLISHED_UNKNOWN] = "not known: "};
    const PublishedSizes *p = &v->evidence.published;
    if (p->said) buf_printf(&b, "published sizes: %s%s\n", said[p->said], p->why);
    if (v->evidence.wrong_long) modules_wrong_long_words(&b, m, v->evidence.wrong_long - 1);
    buf_puts(&b, m->values.published_values
                     ? "values: inputs as get_inputs draws them"
                     : "values: inputs of both signs at three scales, by kinds (shifted, constant, spikes, "
                       "zeros, infinite) and as get_inputs draws them");
    buf_puts(&b, m->values.run.tensors ? "; parameters drawn anew for each case\n" : "\n");
    if (binding(v)) buf_printf(&b, "parameters: bound by %s\n", binding(v));
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
    json_object_set_new(o, "binding", binding(v) ? json_string(binding(v)) : json_null());
    return o;
}
