#include "host/python/module_form.h"
#include <math.h>
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

// --- in place ---

static const Bound *viewed(const Bound *b) {
    while (b->op == BOUND_RESHAPE || b->op == BOUND_TRANSPOSE || b->op == BOUND_EXPAND ||
           b->op == BOUND_SLICE || b->op == BOUND_SELECT)
        b = b->in[0];
    return b;
}

bool form_overwrite(Interp *in, Span at, const Bound *b) {
    ModuleForm *f = in->form;
    if (f->overwrites == FORM_SOURCES_MAX)
        return host_unsupported(in, at, "more than %d operations in place", FORM_SOURCES_MAX);
    f->overwritten[f->overwrites++] = viewed(b);
    return true;
}

bool form_may_use(Interp *in, Span at, const Bound *b) {
    const ModuleForm *f = in->form;
    for (int i = 0; i < f->overwrites; i++)
        if (viewed(b) == f->overwritten[i])
            return host_unsupported(in, at, "a tensor that was changed in place is used under its old name");
    return true;
}

// --- notes ---

// Whether what came out differs from what went in, by more than is allowed there.
static bool moves(const Bound *a, const Bound *b) {
    if (!a || !b) return true;
    if (a == b) return false;
    if (a->numel != b->numel || !a->v || !b->v || a->dtype != b->dtype) return true;
    for (int64_t i = 0; i < a->numel; i++)
        if (!(fabs(a->v[i] - b->v[i]) <= BOUND_KAPPA * BOUND_U * (b->e ? b->e[i] : 0))) return true;
    return false;
}

// "nn_Conv2d" as "nn.Conv2d", "Tensor_flip" as ".flip". A module within one of the library's counts, too:
// nn.Sequential calls what it holds.
void form_note(Interp *in, Span at, Str name, const Value *first, const Value *out) {
    ModuleForm *f = in->form;
    bool module = str_starts(name, "nn_");
    bool named = module || memchr(name.p, '.', name.len) || str_starts(name, "F_") ||
                 str_starts(name, "torch_") || str_starts(name, "Tensor_") || !char_is_word(name.p[0]);
    if (!f->forward || !named || (form_is_inside(at) && !module)) return;
    if (str_starts(name, "Tensor_")) name = (Str){name.p + 6, name.len - 6};
    char *text = str_cdup(in->arena, name);
    char *mark = strchr(text, '_');
    bool dotted = module || text[0] == '_' || str_starts(name, "F_") || str_starts(name, "torch_");
    if (mark && dotted) *mark = '.';
    int i = 0;
    while (i < f->ops && !str_is(f->op[i].name, text)) i++;
    if (i == FORM_OPS_MAX) return;
    if (i == f->ops) f->op[f->ops++] = (FormOp){.name = str_of(text), .at = form_place(in, at)};
    if (out->kind == V_TUPLE && out->seq->flavour == SEQ_PAIR) out = &out->seq->at[0]; // max(x, dim)
    const Bound *a = first && first->kind == V_BOUND ? first->bound : NULL,
                *b = out->kind == V_BOUND ? out->bound : NULL;
    if (a) f->op[i].bytes += a->numel * dtype_bytes(a->dtype);
    if (b) f->op[i].bytes += b->numel * dtype_bytes(b->dtype);
    f->op[i].moves = f->op[i].moves || moves(a, b);
    f->op[i].resizes = f->op[i].resizes || (a && b && a->numel != b->numel);
}
