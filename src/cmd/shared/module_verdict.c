#include "cmd/shared/module_verdict.h"

#include "cmd/shared/judging.h"
#include "host/python/binding.h"

static const char *const rule_name[] = {[BIND_NAME] = "name", [BIND_ORDER] = "order", [BIND_SHAPE] = "shape"};

// NULL: not known, or there are no parameters.
static const char *binding(const ModulesDomain *m, const Verdict *v) {
    bool any = false;
    for (int i = 0; i < m->op.inputs; i++) any |= m->op.input[i].role == ROLE_WEIGHT;
    int how = v->cases.binding - 1;
    return any && how >= 0 && how < BIND_NONE ? rule_name[how] : NULL;
}

void module_verdict_text(Buf *out, const ModulesDomain *m, const Verdict *v) {
    verdict_shown(out, v);
    modules_words(out, m, "");
    if (verdict_accepted(v) && v->judged.level == LEVEL_FULL)
        modules_long_words(out, m, v->evidence.stretched);
    if (v->evidence.wrong_long) modules_wrong_long_words(out, m, v->evidence.wrong_long - 1);
    buf_puts(out, m->values.published_values
                      ? "values: inputs as get_inputs draws them"
                      : "values: inputs of both signs at three scales, by kinds (shifted, constant, spikes, "
                        "zeros, infinite) and as get_inputs draws them");
    buf_puts(out, m->values.run.tensors ? "; parameters drawn anew for each case\n" : "\n");
    if (binding(m, v)) buf_printf(out, "parameters: bound by %s\n", binding(m, v));
}

void module_verdict_json(Buf *out, const ModulesDomain *m, const Verdict *v, const char *path) {
    json_t *first = json_object(), *o = verdict_object(v),
           *of = modules_json(m, v->evidence.stretched, v->evidence.wrong_long - 1);
    if (utf8_valid(str_of(path))) json_object_set_new(first, "file", json_string(path));
    json_object_update(first, o);
    json_decref(o);
    json_object_set_new(of, "binding", binding(m, v) ? json_string(binding(m, v)) : json_null());
    json_object_set_new(first, "module", of);
    json_put(out, first);
    buf_putc(out, '\n');
}
