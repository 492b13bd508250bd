#include "host/candidate/library_operators.h"

#include "host/candidate/backend.h"
#include "host/python/api.h"
#include <stdio.h>

enum { RESULTS_MAX = 8, OPERANDS_MAX = 64 };

struct Operators {
    LibraryUse allowed;
    const Node *tree;
    Env *names;
};

const Operators *operators_open(Arena *a, const Node *tree, LibraryUse allowed, DiagList *d) {
    int64_t lanes = INT64_MAX / 4;
    BoundCtx bound = {.arena = a, .elements_left = 1, .shapes_only = true};
    ModuleForm *form = NEW(a, ModuleForm);
    Interp in = {.arena = a,
                 .d = d,
                 .module = tree,
                 .lanes = &lanes,
                 .heap_left = HEAP_MAX,
                 .bound = &bound,
                 .form = form};
    if (!module_run(&in)) return NULL;
    Operators *o = NEW(a, Operators);
    *o = (Operators){allowed, tree, in.globals};
    return o;
}

static const Operators *operators(const Interp *in) {
    return in->candidate ? in->module->module.operators : NULL;
}

bool library_may(const Interp *in, Str name) {
    const Operators *o = operators(in);
    return o && library_has(o->allowed, library_needs(name));
}

static bool is_half_of_pair(Value of, Str name) {
    return of.kind == V_TUPLE && of.seq->flavour == SEQ_PAIR && of.seq->n == 2 &&
           (str_is(name, "values") || str_is(name, "indices"));
}

bool library_may_call(const Interp *in, Value of, Str method) {
    const Operators *o = operators(in);
    if (!o || o->allowed == LIBRARY_NONE) return false;
    if (is_half_of_pair(of, method)) return true;
    return of.kind == V_TENSOR && library_has(o->allowed, library_method_needs(method));
}

static bool member(Interp *in, Span at, const char *row, Str name, Value self, Value *out) {
    Member *m = HOST_NEW(in, at, Member, 1);
    if (!m) return false;
    *m = (Member){api_named(str_of(row), true), str_dup(in->arena, name), self};
    *out = (Value){.kind = V_API, .member = m};
    return true;
}

bool library_function(Interp *in, Span at, Str name, Value *out) {
    return member(in, at, "<library>", name, (Value){0}, out);
}

bool library_method(Interp *in, Span at, Value of, Str name, Value *out) {
    if (is_half_of_pair(of, name)) return *out = of.seq->at[str_is(name, "indices")], true;
    return member(in, at, "<library_method>", name, of, out);
}

// --- one call ---

typedef struct {
    const HostTensor *tensor;
    const Bound *bound;
} Operand;

typedef struct {
    Value made; // of what is no tensor
    int same;   // the operand that it is; -1: none
    DType dtype;
    int rank;
    int64_t shape[TENSOR_RANK_MAX];
    const Bound *bound;
} Result;

// What is called: a function of that name, a method of `args`' first one, or an operator.
typedef struct {
    Interp *in; // the candidate's
    Span at;
    Str name;
    bool method;
    const LibraryOperator *oper; // NULL: none
    const Args *args;
    // Of the evaluation.
    Interp lib;
    BoundCtx bound;
    Operand operand[OPERANDS_MAX];
    int operands;
    Result result[RESULTS_MAX];
    int results;
    bool list, pair;
    uint64_t overwritten; // operands that were changed in place, as bits
} LibraryCall;

static bool operand_of(LibraryCall *c, const HostTensor *t, Value *out) {
    for (int i = 0; i < c->operands; i++)
        if (c->operand[i].tensor == t) return *out = value_bound(c->operand[i].bound), true;
    if (c->operands == OPERANDS_MAX)
        return host_unsupported(c->in, c->at, "more than %d tensors in one call", OPERANDS_MAX);
    if (t->cpu)
        return host_raise(
            c->in, c->at,
            "RuntimeError: Expected all tensors to be on the same device, but found at least two "
            "devices, cuda:0 and cpu!");
    const Bound *b = bound_input(&c->bound, &t->t, -1);
    if (!b) return host_raise(c->in, c->at, "%s", c->bound.why);
    c->operand[c->operands++] = (Operand){t, b};
    return *out = value_bound(b), true;
}

// A copy of the value with tensors as the interpreter of references has them.
static bool lend(LibraryCall *c, Value v, Value *out) {
    *out = v;
    if (v.kind == V_TENSOR) return operand_of(c, v.tensor, out);
    if (!value_is_seq(v)) return true;
    if (!seq_new(&c->lib, c->at, v.kind, v.seq->n, out)) return false;
    out->seq->flavour = v.seq->flavour == SEQ_NAMED ? SEQ_PLAIN : v.seq->flavour;
    for (int i = 0; i < v.seq->n; i++)
        if (!lend(c, v.seq->at[i], &out->seq->at[i])) return false;
    return true;
}

static bool call_row(LibraryCall *c, const Api *row, Value self, const Args *args, Value *out) {
    return api_call(&c->lib, row, c->name, self, args, out);
}

static bool call_function(LibraryCall *c, const Args *args, Value *out) {
    Value f;
    const Api *row = api_of_module(c->name);
    if (row) return call_row(c, row, (Value){0}, args, out);
    if (form_find(c->lib.form, c->name, &f)) return call_value(&c->lib, f, args, out);
    row = api_named(c->name, false);
    if (row) return call_row(c, row, (Value){0}, args, out);
    return host_unsupported(c->in, c->at, "`%.*s` is not executed by this version", STR_ARG(c->name));
}

static bool call_method(LibraryCall *c, const Args *args, Value *out) {
    Value self = args->pos[0], f;
    const Args rest = {args->pos + 1, args->n - 1, args->name, args->named, args->names, args->at};
    const Api *row = api_member_of_module(c->name, "input");
    if (row) return call_row(c, row, self, &rest, out);
    if (form_method(&c->lib, c->at, self, c->name, &f)) return call_value(&c->lib, f, &rest, out);
    row = api_member_of(c->name, "input", false);
    if (row) return call_row(c, row, self, &rest, out);
    return host_unsupported(c->in, c->at, "`.%.*s` is not executed by this version", STR_ARG(c->name));
}

static bool call_operator(LibraryCall *c, Value *out) {
    Value l, r;
    if (!lend(c, c->oper->left, &l)) return false;
    if (c->oper->right.kind == V_UNBOUND) return bound_unary(&c->lib, c->at, c->oper->op, l, out);
    return lend(c, c->oper->right, &r) && bound_binary(&c->lib, c->at, c->oper->op, l, r, out);
}

static bool note_result(LibraryCall *c, Value v) {
    if (c->results == RESULTS_MAX)
        return host_unsupported(c->in, c->at, "more than %d results of one call", RESULTS_MAX);
    Result *r = &c->result[c->results++];
    *r = (Result){.made = v, .same = -1};
    if (v.kind != V_BOUND) return true;
    const Bound *b = r->bound = bound_settle(&c->bound, v.bound);
    for (int i = 0; i < c->operands; i++)
        if (c->operand[i].bound == v.bound) r->same = i;
    r->dtype = b->dtype;
    r->rank = b->rank;
    memcpy(r->shape, b->shape, sizeof r->shape);
    return true;
}

static bool note_results(LibraryCall *c, Value v) {
    c->results = 0;
    c->list = value_is_seq(v);
    c->pair = c->list && v.seq->flavour == SEQ_PAIR;
    if (!c->list) return note_result(c, v);
    for (int i = 0; i < v.seq->n; i++)
        if (!note_result(c, v.seq->at[i])) return false;
    return true;
}

static void note_overwritten(LibraryCall *c) {
    const ModuleForm *f = c->lib.form;
    for (int i = 0; i < c->operands; i++)
        for (int k = 0; k < f->overwrites; k++)
            if (f->overwritten[k] == c->operand[i].bound) c->overwritten |= (uint64_t)1 << i;
    if (c->oper && c->oper->in_place) c->overwritten |= 1;
}

// Everything of it lives behind the arena's mark of the caller.
static bool evaluate(LibraryCall *c, bool shapes) {
    const Operators *o = operators(c->in);
    ModuleForm *form = NEW(c->in->arena, ModuleForm);
    *form = (ModuleForm){.library = o->names, .site = c->at, .training = true, .least_set = INT64_MAX};
    c->bound = (BoundCtx){.arena = c->in->arena, .elements_left = INT64_MAX / 4, .shapes_only = shapes};
    c->lib = (Interp){.arena = c->in->arena,
                      .d = c->in->d,
                      .module = o->tree,
                      .lanes = c->in->lanes,
                      .heap_left = HEAP_MAX,
                      .depth = c->in->depth,
                      .globals = o->names,
                      .bound = &c->bound,
                      .form = form};
    c->operands = 0;
    c->overwritten = 0;
    Value v;
    bool ok;
    if (c->oper) {
        ok = call_operator(c, &v);
    } else {
        Args args = {.n = c->args->n, .name = c->args->name, .names = c->args->names, .at = c->at};
        args.pos = NEWN(c->in->arena, Value, (size_t)args.n + 1);
        args.named = NEWN(c->in->arena, Value, (size_t)args.names + 1);
        ok = true;
        for (int i = 0; ok && i < args.n; i++) ok = lend(c, c->args->pos[i], &args.pos[i]);
        for (int i = 0; ok && i < args.names; i++) ok = lend(c, c->args->named[i], &args.named[i]);
        ok = ok && (c->method ? call_method(c, &args, &v) : call_function(c, &args, &v));
    }
    if (!ok || !note_results(c, v)) return false;
    note_overwritten(c);
    return true;
}

// --- bytes ---

// What a kernel would be told of that it had loaded, too.
static bool all_written(const LibraryCall *c) {
    for (int i = 0; i < c->operands; i++) {
        const Tensor *t = &c->operand[i].tensor->t;
        int64_t n = tensor_numel(t), undefined = 0;
        if (!t->storage->shadow || n == 0) continue;
        ArenaMark mark = arena_mark(c->in->arena);
        size_t bytes = (size_t)(n * dtype_bytes(t->dtype));
        uint8_t *data = arena_raw(c->in->arena, bytes, 64), *flags = arena_raw(c->in->arena, (size_t)n, 64);
        tensor_gather(t, data, flags);
        for (int64_t k = 0; k < n; k++) undefined += !(flags[k] & SHADOW_INIT);
        arena_reset(c->in->arena, mark);
        if (undefined)
            return host_report(
                       c->in, DIAG_UNINIT, c->at,
                       "`%.*s` reads %lld elements that nobody has written: allocated by torch.empty, "
                       "and not stored to",
                       STR_ARG(c->name), (long long)undefined),
                   false;
    }
    return true;
}

static void put(const Tensor *t, const double *v) {
    int64_t index[TENSOR_RANK_MAX] = {0}, n = tensor_numel(t);
    storage_change(t->storage, 0, t->storage->bytes);
    for (int64_t i = 0; i < n; i++) {
        dtype_store(t->dtype, t->storage->data + tensor_at(t, index) * dtype_bytes(t->dtype), v[i]);
        for (int d = t->rank - 1; d >= 0; d--) {
            if (++index[d] < t->shape[d]) break;
            index[d] = 0;
        }
    }
    if (t->storage->shadow) tensor_expose(t, SHADOW_WRITTEN);
    t->storage->holds |= HOLDS_LOADED;
    t->storage->of_library = true;
}

// Of the marks of all that went in.
static void put_origins(const LibraryCall *c, const Tensor *t) {
    uint8_t all = 0;
    if (!t->storage->origin) return;
    for (int i = 0; i < c->operands; i++) {
        const Storage *s = c->operand[i].tensor->t.storage;
        for (size_t k = 0; s->origin && k < s->bytes; k++) all |= s->origin[k];
    }
    memset(t->storage->origin, all, t->storage->bytes);
}

static bool in_place(LibraryCall *c) {
    for (int i = 0; i < c->operands; i++) {
        const Tensor *t = &c->operand[i].tensor->t;
        if (!(c->overwritten >> i & 1)) continue;
        const Result *r = &c->result[0];
        bool fits = c->results == 1 && r->rank == t->rank && r->dtype == t->dtype &&
                    memcmp(r->shape, t->shape, sizeof *t->shape * (size_t)t->rank) == 0;
        if (!fits)
            return host_raise(
                c->in, c->at,
                "RuntimeError: output with another shape or type than what `%.*s` changes in place",
                STR_ARG(c->name));
        if (t->storage->read_only)
            return host_report(c->in, DIAG_WRITE, c->at, "`%.*s` in place changes an input",
                               STR_ARG(c->name)),
                   false;
    }
    return true;
}

// --- the bill ---

// "F.relu, .mean": each once, as far as there is room.
static void note_name(const LibraryCall *c) {
    char *all = c->in->m->library, name[64];
    size_t have = strlen(all);
    int n = snprintf(name, sizeof name, "%s%.*s", c->method ? "." : "", STR_ARG(c->name));
    if (n < 0 || n >= (int)sizeof name || have + (size_t)n + 3 > sizeof c->in->m->library) return;
    for (const char *p = all; *p; p += strcspn(p, ",") + 2 * (p[strcspn(p, ",")] != 0))
        if (strcspn(p, ",") == (size_t)n && memcmp(p, name, (size_t)n) == 0) return;
    snprintf(all + have, sizeof c->in->m->library - have, "%s%s", have ? ", " : "", name);
}

static void bill(LibraryCall *c, LibraryUse needs) {
    note_name(c);
    Counters *count = &c->in->m->count;
    int64_t bytes =
        c->operands ? tensor_numel(&c->operand[0].tensor->t) * dtype_bytes(c->operand[0].tensor->t.dtype) : 0;
    for (int i = 0; i < c->results; i++)
        if (c->result[i].made.kind == V_BOUND) {
            int64_t n = 1;
            for (int d = 0; d < c->result[i].rank; d++) n *= c->result[i].shape[d];
            bytes += n * dtype_bytes(c->result[i].dtype);
        }
    count->library_calls++;
    count->library_bytes += bytes;
    if (needs == LIBRARY_LIGHT) count->light_bytes += bytes;
    count->bytes_copied += bytes;
    count->library_work += c->bound.flops + INT64_MAX / 4 - c->bound.elements_left;
}

static Value given(const LibraryCall *c, int operand) {
    return (Value){.kind = V_TENSOR, .tensor = (HostTensor *)(uintptr_t)c->operand[operand].tensor};
}

static int changed_in_place(const LibraryCall *c) {
    for (int i = 0; i < c->operands; i++)
        if (c->overwritten >> i & 1) return i;
    return -1;
}

// Shapes first: what is allocated must not lie behind what is dropped.
static bool made(LibraryCall *c, Value *out) {
    Interp *in = c->in;
    for (int i = 0; i < c->results; i++) {
        Result *r = &c->result[i];
        int at = changed_in_place(c);
        if (r->made.kind != V_BOUND)
            out[i] = r->made;
        else if (at >= 0)
            out[i] = given(c, at);
        else if (r->same >= 0)
            out[i] = given(c, r->same);
        else if (!tensor_new(in, c->at, r->dtype, r->rank, r->shape, &out[i]))
            return false;
    }
    return true;
}

static bool computed(LibraryCall *c, const Value *out) {
    Interp *in = c->in;
    Machine *m = in->m;
    bool looked_at = cover_looks_on(m->watch.cover) || m->storages.sparse || m->backend;
    if (looked_at) {
        for (int i = 0; i < c->results; i++)
            if (c->result[i].made.kind == V_BOUND && c->result[i].same < 0 &&
                !cover_looks_on(m->watch.cover) && changed_in_place(c) < 0 &&
                !backend_of(in)->fill(in, c->at, &out[i].tensor->t, 0))
                return false;
        return true;
    }
    if (!all_written(c)) return false;
    ArenaMark mark = arena_mark(in->arena);
    if (!evaluate(c, false)) return false;
    int64_t work = c->bound.flops / 8 + INT64_MAX / 4 - c->bound.elements_left;
    if (!host_work(in, c->at, work)) return false;
    for (int i = 0; i < c->results; i++)
        if (c->result[i].made.kind == V_BOUND && (c->result[i].same < 0 || changed_in_place(c) >= 0)) {
            put(&out[i].tensor->t, c->result[i].bound->v);
            put_origins(c, &out[i].tensor->t);
        }
    arena_reset(in->arena, mark);
    return true;
}

static bool library_call(LibraryCall *c, LibraryUse needs, Value *out) {
    Interp *in = c->in;
    Value result[RESULTS_MAX];
    if (in->casting)
        return host_unsupported(in, c->at,
                                "`%.*s` under torch.autocast, which chooses the type that it computes in",
                                STR_ARG(c->name));
    // Kept apart from what the tree's memory holds: numbers and tensors alone come out of it.
    ArenaMark mark = arena_mark(in->arena);
    if (!cached_no_work(in, c->at) || !evaluate(c, true)) return false;
    arena_reset(in->arena, mark);
    for (int i = 0; i < c->results; i++)
        if (c->result[i].made.kind != V_BOUND && c->result[i].made.kind > V_FLOAT)
            return host_unsupported(in, c->at, "`%.*s` gives neither tensors nor numbers", STR_ARG(c->name));
    if (!in_place(c) || !made(c, result)) return false;
    bill(c, needs);
    if (!computed(c, result)) return false;
    if (!c->list) return *out = result[0], true;
    if (!seq_new(in, c->at, V_TUPLE, c->results, out)) return false;
    if (c->pair) out->seq->flavour = SEQ_PAIR;
    memcpy(out->seq->at, result, sizeof *result * (size_t)c->results);
    return true;
}

static bool call_of(Call *api, const Args *args, bool method, Value *out) {
    LibraryCall *c = HOST_NEW(api->in, api->at, LibraryCall, 1);
    if (!c) return false;
    *c = (LibraryCall){.in = api->in, .at = api->at, .name = api->name, .method = method, .args = args};
    return library_call(c, method ? library_method_needs(api->name) : library_needs(api->name), out);
}

static bool with_keywords(Call *api, Value keywords, Args *args) {
    const Dict *d = keywords.dict;
    args->names = d->n;
    args->named = d->value;
    args->name = HOST_NEW(api->in, api->at, Str, d->n + 1);
    if (!args->name) return false;
    for (int i = 0; i < d->n; i++) args->name[i] = d->key[i].s;
    return true;
}

bool api_library(Call *api, Value *out) {
    Args args = {.pos = api->rest, .n = api->rests, .at = api->at};
    return with_keywords(api, api->arg[1], &args) && call_of(api, &args, false, out);
}

bool api_library_method(Call *api, Value *out) {
    Args args = {.n = api->rests + 1, .at = api->at};
    args.pos = HOST_NEW(api->in, api->at, Value, args.n);
    if (!args.pos) return false;
    args.pos[0] = api->arg[0];
    if (api->rests) memcpy(args.pos + 1, api->rest, (size_t)api->rests * sizeof *api->rest);
    return with_keywords(api, api->arg[2], &args) && call_of(api, &args, true, out);
}

bool library_operator(Interp *in, Span at, const LibraryOperator *o, Value *out) {
    LibraryCall *c = HOST_NEW(in, at, LibraryCall, 1);
    if (!c) return false;
    Str name = str_of(oper_text(o->op));
    *c = (LibraryCall){.in = in, .at = at, .name = name, .oper = o};
    return library_call(c, library_needs(name), out);
}
