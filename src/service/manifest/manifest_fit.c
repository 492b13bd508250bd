// The parameters of a launched kernel: what the launch gives, what its decorators give, what is left.
#include "service/manifest/manifest_fit.h"

#include "base/suggest.h"

enum { HOPS = 3 }; // configs=CONFIGS, CONFIGS = make_configs()

typedef struct {
    ManifestTuned *out;
    const Node *module;
    int hops;
} Search;

static bool calls(const Node *n, const char *name) {
    const Node *f = n->kind == NODE_CALL ? n->call.func : n;
    return n->kind == NODE_CALL &&
           (node_is_name(f, name) || (f->kind == NODE_ATTRIBUTE && str_is(f->attribute.name, name)));
}

// The keys of {"BLOCK": 128}, or of dict(BLOCK=128).
static void note_keys(Names *out, const Node *call, const char *word) {
    const Node *given = call->call.args.n ? call->call.args.at[0] : NULL;
    for (int i = 0; i < call->call.keywords.n && !given; i++)
        if (str_is(call->call.keywords.at[i]->keyword.name, word))
            given = call->call.keywords.at[i]->keyword.value;
    for (int i = 0; given && given->kind == NODE_DICT && i < given->dict.keys.n; i++) {
        const Node *key = given->dict.keys.at[i];
        if (key && key->kind == NODE_STRING) names_add(out, key->string.text);
    }
    for (int i = 0; given && calls(given, "dict") && i < given->call.keywords.n; i++)
        names_add(out, given->call.keywords.at[i]->keyword.name);
}

static void find_keys(void *arg, const Node *n) { // a tree's height is bounded
    const Search *s = arg;
    if (calls(n, "Config")) note_keys(&s->out->configs, n, "kwargs");
    if (calls(n, "heuristics")) note_keys(&s->out->heuristics, n, "values");
    if (n->kind == NODE_NAME && s->hops > 0) {
        Search deeper = {s->out, s->module, s->hops - 1};
        for (int i = 0; i < s->module->module.body.n; i++) {
            const Node *b = s->module->module.body.at[i];
            if (b->kind == NODE_FUNCTION && str_eq(b->function.name, n->name))
                node_each_child(b, find_keys, &deeper);
            if (b->kind == NODE_ASSIGN && b->assign.targets.at[0]->kind == NODE_NAME &&
                str_eq(b->assign.targets.at[0]->name, n->name))
                find_keys(&deeper, b->assign.value);
        }
    }
    node_each_child(n, find_keys, arg);
}

ManifestTuned manifest_tuned(Arena *a, const Node *module, const Node *kernel) {
    ManifestTuned t = {.configs.arena = a, .heuristics.arena = a};
    Search s = {&t, module, HOPS};
    for (int i = 0; i < kernel->function.decorators.n; i++) {
        const Node *d = kernel->function.decorators.at[i];
        t.tuned |= calls(d, "autotune");
        if (calls(d, "autotune") || calls(d, "heuristics")) find_keys(&s, d);
    }
    return t;
}

// ---- a launch

static bool is_constexpr(const Node *p) {
    const Node *t = p->param.annotation;
    return t && (node_is_name(t, "constexpr") ||
                 (t->kind == NODE_ATTRIBUTE && str_is(t->attribute.name, "constexpr")));
}

static int place_of(const Nodes *params, const char *name) {
    for (int i = 0; i < params->n; i++)
        if (str_is(params->at[i]->param.name, name)) return i;
    return -1;
}

static const char *given_wrongly(Arena *a, const ManifestFit *q, const ManifestTuned *t, const char **key) {
    const Nodes *params = &q->kernel->function.params;
    const int args = (int)json_array_size(json_object_get(q->launch, "args"));
    const char *name;
    json_t *v;
    json_object_foreach(json_object_get(q->launch, "constexprs"), name, v) {
        int i = place_of(params, name);
        *key = arena_printf(a, "constexprs.%.64s", name);
        if (i >= 0 && i < args) return arena_printf(a, "\"args\" gives it already, at place %d", i);
        if (i >= 0 && !q->plain && names_have(&t->configs, str_of(name)))
            return "the kernel's configs choose it: leave it out, or write \"decorators\": \"jit\"";
        if (i >= 0) continue;
        Nearest near = nearest_to(str_of(name));
        for (int k = 0; k < params->n; k++) nearest_offer(&near, params->at[k]->param.name);
        return arena_printf(a, "%.*s has no parameter of that name%s", STR_ARG(q->kernel->function.name),
                            nearest_words(a, &near));
    }
    static const char *const option[] = {"num_warps", "num_stages"};
    for (size_t i = 0; i < 2 && t->tuned && !q->plain; i++)
        if (json_object_get(q->launch, *key = option[i])) // each config has both
            return "the kernel's configs choose it: leave it out, or write \"decorators\": \"jit\"";
    *key = "args";
    if (args > params->n)
        return arena_printf(a, "%d arguments, and %.*s has %d parameters", args,
                            STR_ARG(q->kernel->function.name), params->n);
    for (int i = 0; i < args && !q->plain; i++)
        if (names_have(&t->configs, params->at[i]->param.name))
            return arena_printf(a,
                                "place %d is %.*s, which the kernel's configs choose: leave it out, or write "
                                "\"decorators\": \"jit\"",
                                i, STR_ARG(params->at[i]->param.name));
    return NULL;
}

const char *manifest_fit(Arena *a, const ManifestFit *q, const char **key) {
    const Nodes *params = &q->kernel->function.params;
    const int args = (int)json_array_size(json_object_get(q->launch, "args"));
    const json_t *by_name = json_object_get(q->launch, "constexprs");
    for (int i = 0; i < params->n; i++)
        if (params->at[i]->param.kind != PARAM_PLAIN) return NULL; // the judge says that kernels have none
    ManifestTuned t = manifest_tuned(a, q->module, q->kernel);
    const char *why = given_wrongly(a, q, &t, key);
    if (why) return why;
    for (int i = args; i < params->n; i++) {
        const Node *p = params->at[i];
        const char *name = str_cdup(a, p->param.name);
        bool option = strcmp(name, "num_warps") == 0 || strcmp(name, "num_stages") == 0 ||
                      strcmp(name, "num_ctas") == 0; // every launch has one
        bool chosen =
            !q->plain && (names_have(&t.configs, p->param.name) || names_have(&t.heuristics, p->param.name) ||
                          (t.tuned && is_constexpr(p))); // configs that nobody here can read
        if (json_object_get(by_name, name) || p->param.def || option || chosen) continue;
        *key = is_constexpr(p) ? "constexprs" : "args";
        if (is_constexpr(p))
            return arena_printf(a, "%s is missing, a constant of the kernel; add \"%s\": 1024", name, name);
        return arena_printf(a, "parameter %d of the kernel, %s, is missing: %d are given", i, name, args);
    }
    return NULL;
}
