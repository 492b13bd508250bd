#include "mutate/equivalence.h"

#include "op/embed.h"

enum { EQUIVALENCES_MAX = 1024 };

static Str text_of(const Node *dict, const char *key) {
    for (int i = 0; i < dict->dict.keys.n; i++) {
        const Node *k = dict->dict.keys.at[i], *v = dict->dict.values.at[i];
        if (k && k->kind == NODE_STRING && str_is(k->string.text, key) && v->kind == NODE_STRING &&
            !v->string.bytes)
            return v->string.text;
    }
    return (Str){0};
}

static bool equivalence_of(const Node *n, Equivalence *out) {
    if (n->kind != NODE_DICT) return false;
    *out = (Equivalence){.ops = text_of(n, "ops"),
                         .before = text_of(n, "before"),
                         .after = text_of(n, "after"),
                         .reason = text_of(n, "reason")};
    return out->ops.len && out->before.len && out->reason.len &&
           mutator_by_name(text_of(n, "kind"), &out->kind);
}

bool equivalences_parse(Arena *a, const char *file, Str source, Equivalences *out, Err *e) {
    if (!out->at) out->at = NEWN(a, Equivalence, EQUIVALENCES_MAX);
    DiagList d = DIAGS(a);
    const Node *module = parse_module(a, source, &d);
    if (!module) return err_set(e, ERR_INPUT, "%s: %s", file, d.at[0].msg);
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *n = module->module.body.at[i];
        if (n->kind != NODE_ASSIGN || n->assign.targets.n != 1 ||
            !node_is_name(n->assign.targets.at[0], "equivalent") || n->assign.value->kind != NODE_LIST)
            return err_set(e, ERR_INPUT, "%s:%d: expected `equivalent = [..]`", file,
                           line_col(source, n->span.at).line);
        const Nodes *items = &n->assign.value->items;
        for (int k = 0; k < items->n; k++) {
            int line = line_col(source, items->at[k]->span.at).line;
            if (out->n == EQUIVALENCES_MAX)
                return err_set(e, ERR_LIMIT, "%s:%d: more than %d claims", file, line, EQUIVALENCES_MAX);
            if (!equivalence_of(items->at[k], &out->at[out->n++]))
                return err_set(e, ERR_INPUT,
                               "%s:%d: a claim needs ops, a known kind, before, after and a reason", file,
                               line);
        }
    }
    return true;
}

bool equivalences_read(Arena *a, Equivalences *out, Err *e) {
    *out = (Equivalences){0};
    for (const EmbeddedFile *f = embedded_files; f->name; f++)
        if (str_starts(str_of(f->name), "equivalent/") &&
            !equivalences_parse(a, f->name, (Str){f->text, f->len}, out, e))
            return false;
    return true;
}

static bool names_op(Str ops, Str op) {
    for (size_t i = 0; i + op.len <= ops.len; i++) {
        bool begins = i == 0 || ops.p[i - 1] == ' ', ends = i + op.len == ops.len || ops.p[i + op.len] == ' ';
        if (begins && ends && str_eq((Str){ops.p + i, op.len}, op)) return true;
    }
    return false;
}

const Equivalence *equivalence_find(const Equivalences *c, Str op, const Mutant *m) {
    for (int i = 0; i < c->n; i++) {
        const Equivalence *k = &c->at[i];
        if (k->kind == m->kind && str_eq(k->before, m->before) && str_eq(k->after, m->after) &&
            names_op(k->ops, op))
            return k;
    }
    return NULL;
}
