// functools.cache and functools.lru_cache above a function of the file's own. Python keeps its results from
// call to call; here it is called anew each time, which nobody can tell apart as long as
//
//   - it is given, and gives, nothing but numbers, texts and the like, which nobody can change;
//   - equal arguments are the same: Python takes 1, 1.0 and True for one key, and would answer for the one
//     with what it has kept for the other;
//   - it has no tensors and launches nothing;
//   - the names that it uses mean what they mean: the file is read to its end.
//
// Anything else is refused. Most of all tensors: a result that was kept is no work done (attacks C17, C18).
#include "host/normalize/normalize.h"
#include "lang/library.h"

// ---- which decorators, before anything looks at the tree

typedef struct {
    bool module, cache, lru_cache; // imported under these names, and nothing else is
} Memos;

static Memos memos_of(Arena *a, const Node *module) {
    Memos m = {0};
    Bindings bound;
    names_of_module(&bound, a, module);
    for (int i = 0; i < module->module.body.n; i++) {
        const Node *s = module->module.body.at[i];
        if (s->kind != NODE_IMPORT || s->import.dots || library_of(module, s)) continue;
        for (int k = 0; k < s->import.names.n; k++) {
            const Node *alias = s->import.names.at[k];
            Str name = alias->alias.name;
            if (alias->alias.as.len || !bound_once(&bound, name)) continue;
            if (!s->import.from) m.module |= str_is(name, "functools");
            if (!str_is(s->import.module, "functools")) continue;
            m.cache |= str_is(name, "cache");
            m.lru_cache |= str_is(name, "lru_cache");
        }
    }
    return m;
}

// lru_cache(maxsize=None, typed=False): how much is kept makes no difference.
static bool is_settings(const Node *call) {
    const Node *given[2] = {NULL, NULL};
    if (call->call.args.n > 2) return false;
    for (int i = 0; i < call->call.args.n; i++) given[i] = call->call.args.at[i];
    for (int i = 0; i < call->call.keywords.n; i++) {
        const Node *k = call->call.keywords.at[i];
        bool size = str_is(k->keyword.name, "maxsize");
        if ((!size && !str_is(k->keyword.name, "typed")) || given[!size]) return false;
        given[!size] = k->keyword.value;
    }
    const Node *size = given[0], *typed = given[1];
    bool number =
        size && size->kind == NODE_INT && !size->integer.too_big && size->integer.value <= INT64_MAX;
    return (!size || size->kind == NODE_NONE || number) &&
           (!typed || typed->kind == NODE_TRUE || typed->kind == NODE_FALSE);
}

static bool is_memo(const Memos *m, const Node *d) {
    const Node *f = d->kind == NODE_CALL ? d->call.func : d;
    bool member = f->kind == NODE_ATTRIBUTE && node_is_name(f->attribute.value, "functools");
    Str name = member ? f->attribute.name : f->kind == NODE_NAME ? f->name : (Str){0};
    if (str_is(name, "cache")) return d->kind != NODE_CALL && (member ? m->module : m->cache);
    return str_is(name, "lru_cache") && (member ? m->module : m->lru_cache) &&
           (d->kind != NODE_CALL || is_settings(d));
}

void memoised_normalize(Arena *a, Node *module) {
    Memos m;
    bool any = false;
    for (int i = 0; i < module->module.body.n; i++) {
        Node *f = module->module.body.at[i];
        if (f->kind != NODE_FUNCTION || f->function.decorators.n != 1 || f->function.async ||
            is_jit_function(f))
            continue;
        if (!any) m = memos_of(a, module);
        any = true;
        bool named = true;
        for (int k = 0; k < f->function.params.n; k++) {
            const Node *p = f->function.params.at[k];
            named &= p->param.kind == PARAM_PLAIN || p->param.kind == PARAM_KWONLY ||
                     !p->param.name.len; // a bare *
        }
        // An entry takes tensors.
        if (!named || str_is(f->function.name, "run") || !is_memo(&m, f->function.decorators.at[0])) continue;
        f->function.decorators.n = 0;
        f->function.memo = true;
    }
}
