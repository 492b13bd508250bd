// A first manifest (manifest_draft.h). Host code is read for three things only: which tensors a function
// takes, what it allocates, and which names it gives to sizes before it launches the kernel. Each expression
// is one that a manifest may hold (manifest_expr), or a gap with the text that stands there.
#include "service/manifest/manifest_draft.h"

#include "base/suggest.h"
#include "host/policy/screen.h"
#include "service/manifest/manifest.h"
#include "service/manifest/manifest_fit.h"
#include "tile/check/check.h"

typedef struct {
    Arena *arena;
    const Node *kernel, *call, *host; // the launch, and the function around it; or NULL
    const Op *op;
    ManifestNames names;
    ManifestTuned tuned;    // what the kernel's decorators give
    Names pointers, stores; // parameters of the kernel that are addresses; those that it stores to
    Str *tensor;            // without host code: what each parameter stands for, as far as the op tells
    Names made;             // tensors of the host function that are the op's outputs, and their names there
    Str made_as[OP_OUTPUTS_MAX];
    Names tensors; // parameters of the host function, in order, that stand for inputs
    int gaps, launches;
    const Node *other; // the second launch
} Draft;

// ---- the kernel

static bool is_tl(const Node *call, const char *name) {
    const Node *f = call->kind == NODE_CALL ? call->call.func : call;
    return f->kind == NODE_ATTRIBUTE && str_is(f->attribute.name, name) &&
           node_is_name(f->attribute.value, "tl");
}

// What an address begins with: x_ptr of `x_ptr + row * stride + cols`, also by way of a name for it.
typedef struct {
    Str name;
    const Node *value;
} Assigned;
static void find_assigned(void *arg, const Node *n) {
    Assigned *a = arg;
    if (n->kind == NODE_ASSIGN && !a->value && n->assign.targets.at[0]->kind == NODE_NAME &&
        str_eq(n->assign.targets.at[0]->name, a->name))
        a->value = n->assign.value;
    node_each_child(n, find_assigned, arg); // a tree's height is bounded
}
static Str first_name(const Draft *d, const Node *n, int hops) {
    while (n->kind == NODE_BINARY && (n->binary.op == OPER_ADD || n->binary.op == OPER_SUB))
        n = n->binary.left;
    if (n->kind != NODE_NAME) return (Str){0};
    for (int i = 0; i < d->kernel->function.params.n; i++)
        if (str_eq(d->kernel->function.params.at[i]->param.name, n->name)) return n->name;
    Assigned a = {.name = n->name};
    find_assigned(&a, d->kernel);
    return a.value && hops > 0 ? first_name(d, a.value, hops - 1) : (Str){0};
}

static void note_names(void *arg, const Node *n) {
    if (n->kind == NODE_NAME) names_add(arg, n->name);
    if (n->kind != NODE_CALL) node_each_child(n, note_names, arg);
}

static void find_pointers(void *arg, const Node *n) {
    Draft *d = arg;
    static const char *const reads[] = {"load", "store", "atomic_add", "make_block_ptr",
                                        "make_tensor_descriptor"};
    for (size_t i = 0; i < sizeof reads / sizeof *reads && n->kind == NODE_CALL && n->call.args.n; i++) {
        if (!is_tl(n, reads[i])) continue;
        Str first = first_name(d, n->call.args.at[0], 4);
        if (!first.len) continue;
        names_add(&d->pointers, first);
        if (i == 1 || i == 2) names_add(&d->stores, first);
    }
    node_each_child(n, find_pointers, d); // a tree's height is bounded
}

static bool is_pointer(const Draft *d, Str name) {
    return str_ends(name, "_ptr") || str_ends(name, "_ptrs") || str_is(name, "ptr") ||
           (names_have(&d->pointers, name) && !memmem(name.p, name.len, "stride", 6));
}

static bool is_option(const Node *p) {
    const Node *t = p->param.annotation;
    return t && ((t->kind == NODE_ATTRIBUTE && str_is(t->attribute.name, "constexpr")) ||
                 node_is_name(t, "constexpr"));
}

static void find_called(void *arg, const Node *n) {
    if (n->kind == NODE_CALL && n->call.func->kind == NODE_NAME) names_add(arg, n->call.func->name);
    node_each_child(n, find_called, arg);
}

// Kernels that other kernels call are helpers.
static const Node *choose_kernel(const DraftRequest *q, const Node *module, Err *e) {
    const Nodes *body = &module->module.body;
    Arena a = {0};
    Names called = {.arena = &a};
    const Node *found = NULL;
    int several = 0;
    Nearest near = nearest_to(str_of(q->kernel ? q->kernel : ""));
    for (int i = 0; i < body->n; i++) {
        const Node *f = body->at[i];
        if (f->kind != NODE_FUNCTION || !is_jit_function(f)) continue;
        find_called(&called, f);
    }
    for (int i = 0; i < body->n; i++) {
        const Node *f = body->at[i];
        if (f->kind != NODE_FUNCTION || !is_jit_function(f)) continue;
        nearest_offer(&near, f->function.name);
        bool meant = q->kernel ? str_is(f->function.name, q->kernel) : !names_have(&called, f->function.name);
        if (!meant) continue;
        several += found != NULL;
        found = f;
    }
    arena_free(&a);
    if (found && !(several && !q->kernel)) return found;
    Arena words = {0};
    if (q->kernel)
        err_record(e, ERR_USAGE, "--kernel %s: the file has no @triton.jit function of that name%s",
                   q->kernel, nearest_words(&words, &near));
    else
        err_record(e, ERR_USAGE,
                   found ? "the file has several kernels: --kernel NAME says which one"
                         : "the file has no @triton.jit function");
    arena_free(&words);
    return NULL;
}

// ---- the host code

static void find_launch(void *arg, const Node *n) {
    Draft *d = arg;
    const Node *was = d->host;
    if (n->kind == NODE_FUNCTION && !is_jit_function(n) && !d->call) d->host = n;
    const Node *f = n->kind == NODE_CALL ? n->call.func : NULL;
    if (f && f->kind == NODE_SUBSCRIPT && f->subscript.value->kind == NODE_NAME &&
        str_eq(f->subscript.value->name, d->kernel->function.name)) {
        if (d->launches == 1) d->other = n;
        if (d->launches++ == 0) d->call = n;
    }
    node_each_child(n, find_launch, d);
    if (!d->call) d->host = was;
}

// ---- expressions

typedef struct {
    const Draft *d;
} Renamer;

static Str name_of_input(const Draft *d, Str name) {
    int k = 0;
    while (k < d->tensors.n && !str_eq(d->tensors.at[k], name)) k++;
    for (int i = 0; i < d->made.n; i++)
        if (str_eq(d->made.at[i], name)) return d->made_as[i];
    return d->op && k < d->tensors.n && k < d->op->inputs ? d->op->input[k].name : name;
}

// ---- what the op says of the tensors

static bool is_named_op(const Draft *d) { return d->op && d->op->output[0].name.len > 0; }

static Str stem_of(Str name) {
    static const char *const end[] = {"_ptr", "_ptrs", "_pointer"};
    for (size_t i = 0; i < sizeof end / sizeof *end; i++)
        if (str_ends(name, end[i])) return (Str){name.p, name.len - strlen(end[i])};
    return name;
}

static bool same_letters(Str a, Str b) {
    if (a.len != b.len) return false;
    for (size_t i = 0; i < a.len; i++)
        if ((a.p[i] | 32) != (b.p[i] | 32)) return false;
    return a.len > 0;
}

// The name that an output has in a manifest: of one changed in place, that of the input.
static Str name_of_output(const Draft *d, int k) {
    const OpOutput *o = &d->op->output[k];
    return o->init >= 0 ? d->op->input[o->init].name : o->name;
}

// Of the only output: what the kernel calls it, where no input is called so.
static Str free_name(const Draft *d, Str name) {
    for (int k = 0; k < d->op->inputs; k++)
        if (str_eq(d->op->input[k].name, name)) return STR("out");
    return name;
}

// By their names; the others by their order, where there are as many on both sides.
static void match_tensors(Draft *d) {
    const Nodes *params = &d->kernel->function.params;
    bool input[OP_INPUTS_MAX] = {0}, output[OP_OUTPUTS_MAX] = {0};
    int loads = 0, stores = 0, inputs = 0, outputs = 0;
    d->tensor = NEWN(d->arena, Str, (size_t)params->n + 1);
    for (int i = 0; i < params->n; i++) {
        Str name = params->at[i]->param.name;
        bool stored = names_have(&d->stores, name);
        if (!is_pointer(d, name)) continue;
        for (int k = 0; k < d->op->outputs && stored && !d->tensor[i].len; k++)
            if (!output[k] && same_letters(stem_of(name), d->op->output[k].name))
                d->tensor[i] = name_of_output(d, k), output[k] = true;
        for (int k = 0; k < d->op->inputs && !stored && !d->tensor[i].len; k++)
            if (!input[k] && same_letters(stem_of(name), d->op->input[k].name))
                d->tensor[i] = d->op->input[k].name, input[k] = true;
        loads += !d->tensor[i].len && !stored;
        stores += !d->tensor[i].len && stored;
    }
    for (int k = 0; k < d->op->outputs; k++)
        if (d->op->output[k].init >= 0) input[d->op->output[k].init] = true;
    for (int k = 0; k < d->op->inputs; k++) inputs += !input[k];
    for (int k = 0; k < d->op->outputs; k++) outputs += !output[k];
    for (int i = 0, in = 0, out = 0; i < params->n; i++) {
        Str name = params->at[i]->param.name;
        bool stored = names_have(&d->stores, name);
        if (!is_pointer(d, name) || d->tensor[i].len) continue;
        while (in < d->op->inputs && input[in]) in++;
        while (out < d->op->outputs && output[out]) out++;
        if (!stored && loads == inputs && in < d->op->inputs) d->tensor[i] = d->op->input[in++].name;
        if (stored && stores == outputs && out < d->op->outputs) {
            d->tensor[i] = name_of_output(d, out++);
            if (!d->tensor[i].len) d->tensor[i] = free_name(d, stem_of(name));
        }
    }
}

// The parameter of a tensor whose name a stride's holds: stride_x, x_row_stride.
static Str strided(const Draft *d, Str stride) {
    const Nodes *params = &d->kernel->function.params;
    Str found = {0};
    for (int i = 0; d->tensor && i < params->n; i++) {
        Str stem = stem_of(params->at[i]->param.name);
        const char *at = d->tensor[i].len ? memmem(stride.p, stride.len, stem.p, stem.len) : NULL;
        bool whole = at && (at == stride.p || at[-1] == '_') &&
                     (at + stem.len == stride.p + stride.len || at[stem.len] == '_');
        if (!whole) continue;
        if (found.len) return (Str){0};
        found = d->tensor[i];
    }
    return found;
}

static void rename_tensors(void *arg, const Node *n) {
    const Renamer *r = arg;
    if (n->kind == NODE_NAME) ((Node *)(uintptr_t)n)->name = name_of_input(r->d, n->name);
    node_each_child(n, rename_tensors, arg);
}

static json_t *gap(Draft *d, const char *what) {
    d->gaps++;
    return json_string(arena_printf(d->arena, "? %.200s", what));
}

static json_t *expression(Draft *d, const Node *n, bool tensor) {
    Buf text = BUF(d->arena), out = BUF(d->arena);
    print_node(&text, n);
    if (!manifest_expr(d->arena, buf_str(&text), &d->names, tensor, &out))
        return json_stringn(text.p, text.len);
    return gap(d, buf_cstr(&text));
}

static bool add_name(Draft *d, Str name, ManifestNameKind kind) {
    for (int i = 0; i < d->names.n; i++)
        if (str_eq(d->names.at[i].name, name)) return false;
    if (d->names.n == MANIFEST_NAMES_MAX) return false;
    d->names.at[d->names.n++] = (ManifestName){name, kind};
    return true;
}

// ---- what a host function says before it launches

static bool is_allocation(const Node *v, const char **word) {
    static const char *const words[] = {"empty_like", "zeros_like", "empty", "zeros"};
    if (v->kind != NODE_CALL || v->call.func->kind != NODE_ATTRIBUTE ||
        !node_is_name(v->call.func->attribute.value, "torch"))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_is(v->call.func->attribute.name, words[i])) return *word = words[i], true;
    return false;
}

static const Node *keyword_of(const Node *call, const char *name) {
    for (int i = 0; i < call->call.keywords.n; i++)
        if (str_is(call->call.keywords.at[i]->keyword.name, name))
            return call->call.keywords.at[i]->keyword.value;
    return NULL;
}

static json_t *allocated(Draft *d, const Node *call, const char *word) {
    json_t *t = json_object();
    bool like = word[strlen(word) - 1] == 'e' && strstr(word, "_like");
    const Node *first = call->call.args.n ? call->call.args.at[0] : NULL, *dtype = keyword_of(call, "dtype");
    Buf of = BUF(d->arena);
    if (first) print_node(&of, first);
    if (like) {
        json_object_set_new(t, "shape",
                            first ? json_string(arena_printf(d->arena, "%s.shape", buf_cstr(&of)))
                                  : gap(d, "shape"));
    } else if (first && (first->kind == NODE_TUPLE || call->call.args.n > 1)) {
        const Nodes *sizes = first->kind == NODE_TUPLE ? &first->items : &call->call.args;
        json_t *list = json_array();
        for (int i = 0; i < sizes->n; i++) json_array_append_new(list, expression(d, sizes->at[i], false));
        json_object_set_new(t, "shape", list);
    } else {
        json_object_set_new(t, "shape", first ? expression(d, first, false) : gap(d, "shape"));
    }
    json_object_set_new(t, "dtype",
                        dtype  ? expression(d, dtype, false)
                        : like ? json_string(arena_printf(d->arena, "%s.dtype", buf_cstr(&of)))
                               : gap(d, "dtype, such as x.dtype"));
    if (word[0] == 'z') json_object_set_new(t, "fill", json_integer(0));
    return t;
}

static void note_assigned(Draft *d, Str name, const Node *value, json_t *values, json_t *tensors) {
    const char *word;
    Buf text = BUF(d->arena), out = BUF(d->arena);
    if (is_allocation(value, &word)) {
        json_t *t = allocated(d, value, word);
        json_object_set_new(tensors, arena_strndup(d->arena, name.p, name.len), t);
        (void)add_name(d, name, NAME_TENSOR);
        return;
    }
    print_node(&text, value);
    if (manifest_expr(d->arena, buf_str(&text), &d->names, false, &out) || !add_name(d, name, NAME_VALUE))
        return;
    json_object_set_new(values, arena_strndup(d->arena, name.p, name.len), json_stringn(text.p, text.len));
}

static void read_host(Draft *d, json_t *values, json_t *tensors) {
    const Nodes *body = &d->host->function.body;
    for (int i = 0; i < body->n && body->at[i]->span.at < d->call->span.at; i++) {
        const Node *s = body->at[i];
        if (s->kind != NODE_ASSIGN || s->assign.targets.n != 1) continue;
        const Node *target = s->assign.targets.at[0], *v = s->assign.value;
        if (target->kind == NODE_NAME) note_assigned(d, target->name, v, values, tensors);
        for (int k = 0; target->kind == NODE_TUPLE && k < target->items.n; k++) {
            if (target->items.at[k]->kind != NODE_NAME) continue;
            Node *item = NEW(d->arena, Node), *index = NEW(d->arena, Node);
            *index = (Node){.kind = NODE_INT, .height = 1};
            index->integer.value = (uint64_t)k;
            *item = (Node){.kind = NODE_SUBSCRIPT, .height = 2};
            item->subscript.value = (Node *)(uintptr_t)v;
            item->subscript.index = index;
            note_assigned(d, target->items.at[k]->name,
                          v->kind == NODE_TUPLE && v->items.n == target->items.n ? v->items.at[k] : item,
                          values, tensors);
        }
    }
}

// ---- the launch

static json_t *guessed(Draft *d, int param) {
    Str name = d->kernel->function.params.at[param]->param.name;
    if (d->tensor && d->tensor[param].len) return json_stringn(d->tensor[param].p, d->tensor[param].len);
    Str of = memmem(name.p, name.len, "stride", 6) ? strided(d, name) : (Str){0};
    if (of.len) return json_string(arena_printf(d->arena, "%.*s.stride(0)", STR_ARG(of)));
    if (is_pointer(d, name)) return gap(d, arena_printf(d->arena, "%.*s: a tensor's name", STR_ARG(name)));
    if (memmem(name.p, name.len, "stride", 6))
        return gap(d, arena_printf(d->arena, "%.*s: a stride, such as x.stride(0)", STR_ARG(name)));
    static const char *const real[] = {"eps", "scale", "alpha", "beta", "slope", "momentum"};
    for (size_t i = 0; i < sizeof real / sizeof *real; i++)
        if (memmem(name.p, name.len, real[i], strlen(real[i])))
            return gap(
                d, arena_printf(d->arena, "%.*s: a number, such as %s", STR_ARG(name), i ? "0.5" : "1e-6"));
    return gap(d, arena_printf(d->arena, "%.*s: a size or a number, such as x.shape[1]", STR_ARG(name)));
}

// What no launch gives, because a decorator does.
static bool is_chosen(const Draft *d, const Node *p) {
    return names_have(&d->tuned.configs, p->param.name) || names_have(&d->tuned.heuristics, p->param.name) ||
           (d->tuned.tuned && d->call && is_option(p));
}

static void put_arguments(Draft *d, json_t *o) {
    const Nodes *params = &d->kernel->function.params;
    json_t *args = json_array(), *constexprs = json_object();
    bool by_name = false, spread = false; // *args: nobody knows how many
    for (int i = 0; i < params->n; i++) {
        const Node *p = params->at[i];
        const char *name = arena_strndup(d->arena, p->param.name.p, p->param.name.len);
        const Node *given = d->call ? keyword_of(d->call, name) : NULL;
        bool place = d->call && i < d->call->call.args.n;
        spread |= place && d->call->call.args.at[i]->kind == NODE_STARRED;
        place = place && !spread;
        if (!given && place) given = d->call->call.args.at[i];
        if (!given && (p->param.def || is_chosen(d, p))) continue;
        json_t *v = given          ? expression(d, given, true)
                    : is_option(p) ? gap(d, arena_printf(d->arena, "%s: a constant, such as 1024", name))
                                   : guessed(d, i);
        by_name |= is_option(p) || (d->call && !place);
        if (by_name)
            json_object_set_new(constexprs, name, v);
        else
            json_array_append_new(args, v);
    }
    json_object_set_new(o, "args", args);
    json_object_set_new(o, "constexprs", constexprs);
}

static const char *programs(const Draft *d) {
    if (!d->tuned.configs.n) return "programs, such as x.shape[0]";
    return arena_printf(d->arena, "programs, such as x.shape[0], or triton.cdiv(x.numel(), META[\"%.*s\"])",
                        STR_ARG(d->tuned.configs.at[0]));
}

static json_t *grid_of(Draft *d) {
    const Node *g = d->call ? d->call->call.func->subscript.index : NULL;
    json_t *list = json_array();
    if (g && g->kind == NODE_NAME) // grid = (M,), grid = lambda meta: (...)
        for (int i = 0; d->host && i < d->host->function.body.n; i++) {
            const Node *s = d->host->function.body.at[i];
            if (s->kind == NODE_ASSIGN && s->assign.targets.at[0]->kind == NODE_NAME &&
                str_eq(s->assign.targets.at[0]->name, g->name) && s->span.at < d->call->span.at) {
                g = s->assign.value;
                break;
            }
        }
    Str meta = {0};
    if (g && g->kind == NODE_LAMBDA && g->lambda.params.n == 1)
        meta = g->lambda.params.at[0]->param.name, g = g->lambda.body;
    if (meta.len) (void)add_name(d, STR("META"), NAME_META);
    if (!g || g->kind != NODE_TUPLE) {
        json_array_append_new(list, g ? expression(d, g, false) : gap(d, programs(d)));
        return list;
    }
    for (int i = 0; i < g->items.n; i++) {
        Buf text = BUF(d->arena), out = BUF(d->arena);
        print_node(&text, g->items.at[i]);
        const char *spelled = buf_cstr(&text);
        if (meta.len) { // meta["BLOCK"] is META["BLOCK"] in a manifest
            Buf renamed = BUF(d->arena);
            const char *name = arena_printf(d->arena, "%.*s[", STR_ARG(meta));
            for (const char *p = spelled, *at;
                 (at = strstr(p, name)) != NULL || (buf_puts(&renamed, p), false); p = at + strlen(name)) {
                buf_put(&renamed, p, (size_t)(at - p));
                buf_puts(&renamed, "META[");
            }
            spelled = buf_cstr(&renamed);
        }
        bool fits = !manifest_expr(d->arena, str_of(spelled), &d->names, false, &out);
        json_array_append_new(list, fits ? json_string(spelled) : gap(d, spelled));
    }
    return list;
}

// ---- the whole

// What the host function returns first, of the tensors that it makes.
static const char *returned(const Draft *d, const json_t *tensors) {
    const char *found = NULL;
    for (int i = 0; d->host && i < d->host->function.body.n; i++) {
        const Node *s = d->host->function.body.at[i], *v = s->kind == NODE_RETURN ? s->value : NULL;
        if (v && v->kind == NODE_TUPLE && v->items.n) v = v->items.at[0];
        while (v && v->kind == NODE_CALL && v->call.func->kind == NODE_ATTRIBUTE)
            v = v->call.func->attribute.value; // y.view(...)
        const char *name = v && v->kind == NODE_NAME ? arena_strndup(d->arena, v->name.p, v->name.len) : NULL;
        if (name && json_object_get(tensors, name)) found = name;
    }
    const char *key;
    json_t *t;
    if (!found) json_object_foreach((json_t *)(uintptr_t)tensors, key, t) found = key; // the last one made
    return found;
}

static json_t *unknown_tensor(Draft *d) {
    Str x = d->op ? d->op->input[0].name : STR("x");
    return json_pack("{s:o,s:o}", "shape",
                     gap(d, arena_printf(d->arena, "sizes, such as %.*s.shape", STR_ARG(x))), "dtype",
                     gap(d, arena_printf(d->arena, "such as %.*s.dtype", STR_ARG(x))));
}

// Outputs that the op names: those changed in place are its inputs.
static void named_outputs(Draft *d, json_t *o, json_t *tensors) {
    json_t *outputs = json_object(), *scratch = json_object(), *t;
    const char *key;
    for (int k = 0; k < d->op->outputs; k++) {
        const OpOutput *out = &d->op->output[k];
        const char *name = str_cdup(d->arena, out->name);
        t = out->init >= 0 ? json_pack("{s:s}", "init", str_cdup(d->arena, d->op->input[out->init].name))
                           : json_incref(json_object_get(tensors, name));
        json_object_set_new(outputs, name, t ? t : unknown_tensor(d));
    }
    json_object_foreach(tensors, key, t) if (!json_object_get(outputs, key)) json_object_set(scratch, key, t);
    json_object_set_new(o, "outputs", outputs);
    if (json_object_size(scratch)) json_object_set(o, "scratch", scratch);
    json_decref(scratch);
}

// The names of what the host function returns last, in the order of the op's outputs: all, or those made.
static void learn_results(Draft *d) {
    const Node *v = NULL;
    int made = 0;
    for (int i = 0; i < d->host->function.body.n; i++)
        if (d->host->function.body.at[i]->kind == NODE_RETURN) v = d->host->function.body.at[i]->value;
    if (!v || !is_named_op(d)) return;
    const Nodes *items = v->kind == NODE_TUPLE ? &v->items : &(Nodes){(Node **)(uintptr_t)&v, 1};
    for (int k = 0; k < d->op->outputs; k++) made += d->op->output[k].init < 0;
    if (items->n != d->op->outputs && items->n != made) return;
    for (int k = 0, i = 0; k < d->op->outputs; k++) {
        if (d->op->output[k].init >= 0 && items->n != d->op->outputs) continue;
        const Node *item = items->at[i++];
        if (d->op->output[k].init >= 0 || item->kind != NODE_NAME || names_have(&d->made, item->name))
            continue;
        d->made_as[d->made.n] = d->op->output[k].name;
        names_add(&d->made, item->name);
    }
}

static void choose_outputs(Draft *d, json_t *o, json_t *tensors) {
    if (is_named_op(d)) return named_outputs(d, o, tensors);
    json_t *outputs = json_object(), *scratch = json_object(), *t;
    const char *key, *answer = returned(d, tensors);
    json_object_foreach(tensors, key, t)
        json_object_set(strcmp(key, answer) == 0 ? outputs : scratch, key, t);
    if (!answer) {
        const char *name = "out";
        for (int i = 0; i < d->kernel->function.params.n; i++) {
            Str p = d->kernel->function.params.at[i]->param.name;
            if (names_have(&d->stores, p) && is_pointer(d, p))
                name = arena_printf(d->arena, "%.*s", (int)(p.len - (str_ends(p, "_ptr") ? 4 : 0)), p.p);
        }
        for (int i = 0; d->tensor && i < d->kernel->function.params.n; i++)
            if (names_have(&d->stores, d->kernel->function.params.at[i]->param.name) && d->tensor[i].len)
                name = str_cdup(d->arena, d->tensor[i]);
        json_object_set_new(outputs, name, unknown_tensor(d));
    }
    json_object_set_new(o, "outputs", outputs);
    if (json_object_size(scratch)) json_object_set(o, "scratch", scratch);
    json_decref(scratch);
}

json_t *manifest_draft(Arena *a, const DraftRequest *q, DraftNotes *notes, Err *e) {
    DiagList diags = DIAGS(a);
    Node *module = parse_module(a, q->source, &diags);
    Draft d = {
        .arena = a, .op = q->op, .pointers.arena = a, .stores.arena = a, .tensors.arena = a, .made.arena = a};
    if (!module) {
        const Diag *first = diag_first(&diags);
        err_record(e, ERR_INPUT, "line %d: %s", line_col(q->source, first->span.at).line, first->msg);
        return NULL;
    }
    if (!(d.kernel = choose_kernel(q, module, e))) return NULL;
    d.tuned = manifest_tuned(a, module, d.kernel);
    find_pointers(&d, d.kernel);
    find_launch(&d, module);
    const Node *first = d.call;
    json_t *o = json_object(), *values = json_object(), *tensors = json_object();
    json_object_set_new(o, "kernel", json_stringn(d.kernel->function.name.p, d.kernel->function.name.len));
    if (d.call && d.host) {
        Names used = {.arena = a};
        for (int i = 0; i < d.call->call.args.n && i < d.kernel->function.params.n; i++)
            if (is_pointer(&d, d.kernel->function.params.at[i]->param.name))
                note_names(&used, d.call->call.args.at[i]);
        for (int i = 0; i < d.host->function.params.n; i++)
            if (names_have(&used, d.host->function.params.at[i]->param.name))
                names_add(&d.tensors, d.host->function.params.at[i]->param.name);
        learn_results(&d);
        node_each_child(d.host, rename_tensors, &(Renamer){&d});
        for (int i = 0; i < d.tensors.n; i++)
            (void)add_name(&d, name_of_input(&d, d.tensors.at[i]), NAME_TENSOR);
    } else {
        d.call = NULL;
    }
    for (int i = 0; q->op && i < q->op->inputs; i++) (void)add_name(&d, q->op->input[i].name, NAME_TENSOR);
    for (int i = 0; is_named_op(&d) && !d.call && i < q->op->outputs; i++)
        if (q->op->output[i].init < 0) (void)add_name(&d, q->op->output[i].name, NAME_TENSOR);
    if (!d.call && q->op) match_tensors(&d);
    if (d.call) read_host(&d, values, tensors);
    if (json_object_size(values)) json_object_set(o, "values", values);
    choose_outputs(&d, o, tensors);
    put_arguments(&d, o);
    json_object_set_new(o, "grid", grid_of(&d));
    static const char *const option[] = {"num_warps", "num_stages"};
    for (size_t i = 0; d.call && i < 2; i++) {
        const Node *v = keyword_of(d.call, option[i]);
        if (v) json_object_set_new(o, option[i], expression(&d, v, false));
    }
    json_decref(values);
    json_decref(tensors);
    *notes = (DraftNotes){.gaps = d.gaps, .launches = d.launches};
    if (first) notes->line = line_col(q->source, first->span.at).line;
    if (d.other) notes->other = line_col(q->source, d.other->span.at).line;
    return o;
}
