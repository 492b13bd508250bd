#include "host/python/model_parameters.h"

enum { NAME_DEPTH_MAX = 16 };

typedef struct {
    int rank;
    int64_t size[TENSOR_RANK_MAX];
} Shape;

static bool shape_of(Interp *in, Env *env, const Node *n, Shape *out);

static bool is_torch(const Node *n) { return n->kind == NODE_NAME && str_is(n->name, "torch"); }

static bool is_word(const char *const *word, Str name) {
    for (; *word; word++)
        if (str_is(name, *word)) return true;
    return false;
}

// torch.randn(3, 5), torch.empty((3, 5)), torch.zeros(size=(3, 5)), torch.full((3, 5), 2.0)
static bool sizes_of(Interp *in, Env *env, const Node *call, Shape *out) {
    Value v, one;
    int n = call->call.args.n, k = 0;
    if (str_is(call->call.func->attribute.name, "full") && n > 1) n = 1;
    if (!seq_new(in, call->span, V_LIST, TENSOR_RANK_MAX + 1, &v)) return false;
    for (int i = 0; i < n; i++) {
        const Node *arg = call->call.args.at[i];
        bool star = arg->kind == NODE_STARRED;
        if (!eval(in, env, star ? arg->value : arg, &one)) return false;
        if (star && !value_is_seq(one))
            return host_raise(in, arg->span, "TypeError: `*` needs a list or a tuple, not %s",
                              value_type(one));
        for (int j = 0; j < (star ? one.seq->n : 1) && k <= TENSOR_RANK_MAX; j++)
            v.seq->at[k++] = star ? one.seq->at[j] : one;
    }
    for (int i = 0; i < call->call.keywords.n; i++) {
        const Node *w = call->call.keywords.at[i];
        if (!str_is(w->keyword.name, "size")) continue;
        if (!eval(in, env, w->keyword.value, &one)) return false;
        return shape_sizes(in, call->span, &one, 1, out->size, &out->rank);
    }
    return shape_sizes(in, call->span, v.seq->at, k, out->size, &out->rank);
}

// torch.tensor([1.0, 2.0]), of numbers.
static bool literal_shape(Interp *in, Env *env, const Node *n, Shape *out) {
    Value v;
    *out = (Shape){0};
    if (!eval(in, env, n, &v)) return false;
    while (value_is_seq(v)) {
        if (out->rank == TENSOR_RANK_MAX) return host_unsupported(in, n->span, "lists nested so deeply");
        out->size[out->rank++] = v.seq->n;
        if (!v.seq->n) break;
        v = v.seq->at[0];
    }
    return true;
}

// x.to(...), x.normal_(): the shape of x.
static bool keeps_shape(Str method) {
    static const char *const word[] = {"to",         "float",          "half",    "bfloat16", "cuda",
                                       "contiguous", "clone",          "detach",  "data",     "normal_",
                                       "uniform_",   "fill_",          "zero_",   "mul_",     "add_",
                                       "div_",       "requires_grad_", "random_", "copy_",    NULL};
    return is_word(word, method);
}

static bool unknown_shape(Interp *in, Span at) {
    return host_unsupported(
        in, at,
        "the shape of this nn.Parameter is not known here: make it of torch.empty, zeros, "
        "ones, rand or randn with its sizes");
}

static bool call_shape(Interp *in, Env *env, const Node *n, Shape *out) {
    static const char *const made[] = {"empty", "zeros",  "ones",        "rand", "randn",
                                       "full",  "Tensor", "FloatTensor", NULL};
    static const char *const like[] = {"empty_like", "zeros_like", "ones_like", "rand_like",
                                       "randn_like", "full_like",  NULL};
    const Node *f = n->call.func;
    if (f->kind != NODE_ATTRIBUTE) return unknown_shape(in, n->span);
    Str name = f->attribute.name;
    if (!is_torch(f->attribute.value))
        return keeps_shape(name) ? shape_of(in, env, f->attribute.value, out) : unknown_shape(in, n->span);
    if (is_word(made, name)) return sizes_of(in, env, n, out);
    if (is_word(like, name) && n->call.args.n > 0) return shape_of(in, env, n->call.args.at[0], out);
    if (str_is(name, "tensor") && n->call.args.n > 0) return literal_shape(in, env, n->call.args.at[0], out);
    return unknown_shape(in, n->span);
}

// Of two operands one is a number.
static bool binary_shape(Interp *in, Env *env, const Node *n, Shape *out) {
    const Node *l = n->binary.left, *r = n->binary.right;
    bool tensor_left = l->kind == NODE_CALL || (l->kind == NODE_BINARY && r->kind != NODE_CALL);
    return shape_of(in, env, tensor_left ? l : r, out);
}

static bool shape_of(Interp *in, Env *env, const Node *n, Shape *out) {
    Value v;
    *out = (Shape){0};
    if (++in->depth > DEPTH_MAX) return host_raise(in, n->span, "RecursionError: nested too deeply");
    bool ok;
    if (n->kind == NODE_CALL) {
        ok = call_shape(in, env, n, out);
    } else if (n->kind == NODE_BINARY) {
        ok = binary_shape(in, env, n, out);
    } else if (n->kind == NODE_ATTRIBUTE && str_is(n->attribute.name, "data")) {
        ok = shape_of(in, env, n->attribute.value, out);
    } else {
        ok = eval(in, env, n, &v);
        if (ok && v.kind == V_TENSOR) {
            out->rank = v.tensor->t.rank;
            memcpy(out->size, v.tensor->t.shape, sizeof *out->size * (size_t)out->rank);
        } else {
            ok = ok && unknown_shape(in, n->span);
        }
    }
    in->depth--;
    return ok;
}

bool parameter_declare(Interp *in, Env *env, const Node *call, Value *out) {
    DeclaredParameters *d = in->declared;
    Shape s;
    int64_t numel;
    if (d->n == PARAMETERS_MAX)
        return host_unsupported(in, call->span, "a ModelNew has at most %d parameters here", PARAMETERS_MAX);
    if (!host_step(in, call->span) || !shape_of(in, env, call->call.args.at[0], &s)) return false;
    for (int i = 0; i < s.rank; i++)
        if (s.size[i] < 0)
            return host_raise(in, call->span,
                              "RuntimeError: Trying to create tensor with negative dimension %lld",
                              (long long)s.size[i]);
    Tensor t = {.dtype = DT_F32, .rank = s.rank};
    memcpy(t.shape, s.size, sizeof *s.size * (size_t)s.rank);
    if (!shape_sane(s.size, s.rank) || !shape_numel(s.size, s.rank, &numel) ||
        numel * 4 > in->tensor_bytes_left ||
        !storage_new(&in->m->storages, DT_F32, (size_t)numel * 4, &t.storage))
        return host_unsupported(in, call->span, "the parameters of ModelNew are larger than what Model has");
    in->tensor_bytes_left -= numel * 4;
    tensor_contiguous_strides(&t);
    storage_change(t.storage, 0, t.storage->bytes);
    memset(t.storage->data, 0, (size_t)numel * 4);
    tensor_expose(&t, SHADOW_ALLOC | SHADOW_INIT);
    if (!tensor_value(in, call->span, &t, false, out)) return false;
    d->made[d->n] = out->tensor;
    d->at[d->n] = (ModuleSlot){.rank = s.rank};
    memcpy(d->at[d->n++].shape, s.size, sizeof *s.size * (size_t)s.rank);
    return true;
}

static void name_value(Interp *in, Value v, Str path, int depth, DeclaredParameters *d);

static void name_all(Interp *in, const Object *o, Str path, int depth, DeclaredParameters *d) {
    for (int i = 0; i < o->attribute->cap; i++) {
        const Slot *s = &o->attribute->slot[i];
        if (!s->name.p) continue;
        name_value(in, s->v, path.len ? str_join(in->arena, path, '.', s->name) : str_dup(in->arena, s->name),
                   depth, d);
    }
}

// What hangs below is named by the first way that leads to it.
static void name_value(Interp *in, Value v, Str path, int depth, DeclaredParameters *d) {
    if (depth > NAME_DEPTH_MAX) return;
    for (int i = 0; v.kind == V_TENSOR && i < d->n; i++)
        if (d->made[i] == v.tensor && !d->at[i].name.len) d->at[i].name = path;
    if (v.kind == V_OBJECT) name_all(in, v.object, path, depth + 1, d);
    for (int i = 0; value_is_seq(v) && i < v.seq->n; i++)
        name_value(in, v.seq->at[i], str_of(arena_printf(in->arena, "%.*s.%d", STR_ARG(path), i)), depth + 1,
                   d);
}

void parameters_name(Interp *in, const Object *model, DeclaredParameters *d) {
    name_all(in, model, (Str){0}, 0, d);
    for (int i = 0; i < d->n; i++)
        if (!d->at[i].name.len) d->at[i].name = str_of(arena_printf(in->arena, "unnamed%d", i));
}
