#include "host/python/form.h"
#include <stdio.h>

bool form_find(const ModuleForm *f, Str dotted, Value *out) {
    char name[80];
    if (str_starts(dotted, "torch.nn.")) dotted = (Str){dotted.p + 6, dotted.len - 6};
    if (!f->library || dotted.len >= sizeof name) return false;
    for (size_t i = 0; i < dotted.len; i++) name[i] = dotted.p[i] == '.' ? '_' : dotted.p[i];
    const Slot *s = env_find(f->library, (Str){name, dotted.len});
    if (!s || s->v.kind == V_UNBOUND) return false;
    return *out = s->v, true;
}

bool form_method(Interp *in, Span at, Value self, Str name, Value *out) {
    char dotted[64];
    Value f;
    int n = snprintf(dotted, sizeof dotted, "Tensor.%.*s", STR_ARG(name));
    if (n < 0 || n >= (int)sizeof dotted || !form_find(in->form, str_of(dotted), &f)) return false;
    return method_new(in, at, self, f, name, out);
}

Slot *form_base_method(const ModuleForm *f, Str name) {
    Value base;
    if (!form_find(f, STR("nn.Module"), &base) || base.kind != V_CLASS) return NULL;
    return env_find(base.klass->names, name);
}

bool form_is_module(Str path) {
    static const char *const known[] = {"torch", "nn", "F", "math", "library", "torch.nn"};
    return str_is_any(path, known, sizeof known / sizeof *known);
}

// "nn_Conv2d" as "nn.Conv2d", "Tensor_flip" as ".flip". A module within one of the library's counts, too:
// nn.Sequential calls what it holds.
void form_note(Interp *in, Span at, Str name) {
    ModuleForm *f = in->form;
    bool module = str_starts(name, "nn_");
    bool named = module || memchr(name.p, '.', name.len) || str_starts(name, "F_") ||
                 str_starts(name, "torch_") || str_starts(name, "Tensor_") || !char_is_word(name.p[0]);
    if (!f->forward || !named || (form_is_inside(at) && !module)) return;
    if (str_starts(name, "Tensor_")) name = (Str){name.p + 6, name.len - 6};
    char *text = str_cdup(in->arena, name);
    char *mark = strchr(text, '_');
    if (mark && (module || text[0] == '_' || str_starts(name, "F_") || str_starts(name, "torch_")))
        *mark = '.';
    for (int i = 0; i < f->ops; i++)
        if (str_is(f->op[i].name, text)) return;
    if (f->ops < FORM_OPS_MAX) f->op[f->ops++] = (FormOp){str_of(text), form_place(in, at)};
}
