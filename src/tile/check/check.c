// Specialisation: which arguments become constants, which become cells, and the cache of codes by signature.
#include "tile/check/checker.h"
#include "tile/code/lane_truths.h"
#include "tile/code/uniform.h"
#include <inttypes.h>

// ---- the cache ----

typedef struct Cached Cached;
struct Cached {
    Str key;
    Code *code;
    Cached *next;
};
enum { CACHE_SLOTS = 64 };
struct CodeCache {
    Arena *arena;
    Cached *slot[CACHE_SLOTS];
};
CodeCache *code_cache_new(Arena *a) {
    CodeCache *cache = NEW(a, CodeCache);
    cache->arena = a;
    return cache;
}
static Cached **cache_slot(CodeCache *cache, Str key) { return &cache->slot[str_hash(key) % CACHE_SLOTS]; }
static Code *cache_find(CodeCache *cache, Str key) {
    for (Cached *e = *cache_slot(cache, key); e; e = e->next)
        if (str_eq(e->key, key)) return e->code;
    return NULL;
}
static void cache_add(CodeCache *cache, Str key, Code *code) {
    Cached **slot = cache_slot(cache, key), *e = NEW(cache->arena, Cached);
    *e = (Cached){str_dup(cache->arena, key), code, *slot};
    *slot = e;
}

// ---- specialisation ----

typedef struct {
    Checker *c; // NULL: only the key and the cells are made
    Arena *arena;
    DiagList *diags;
    Buf key;
    int64_t *cells;
    uint16_t *holds; // of the tensors in them: Storage.holds
    int count;
} Special;

bool param_listed(const Node *kernel, int index, const char *key) {
    const Node *param = kernel->function.params.at[index];
    for (int i = 0; i < kernel->function.decorators.n; i++) {
        const Node *dec = kernel->function.decorators.at[i];
        if (dec->kind != NODE_CALL) continue;
        for (int k = 0; k < dec->call.keywords.n; k++) {
            const Node *kw = dec->call.keywords.at[k], *list = kw->keyword.value;
            if (!str_is(kw->keyword.name, key) || (list->kind != NODE_LIST && list->kind != NODE_TUPLE))
                continue;
            for (int j = 0; j < list->items.n; j++) {
                const Node *item = list->items.at[j];
                if (item->kind == NODE_STRING && str_eq(item->string.text, param->param.name)) return true;
                if (item->kind == NODE_INT && !item->integer.too_big &&
                    item->integer.value == (uint64_t)index)
                    return true;
            }
        }
    }
    return false;
}

// `x: tl.int64`, `x: "i64"`, `x: int`: Python's own names fix a type, too.
static bool type_named(Str name, DType *out) {
    if (str_is(name, "int")) return *out = DT_I32, true;
    if (str_is(name, "float")) return *out = DT_F32, true;
    return dtype_by_triton_name(name, out);
}

bool annotated_type(const Node *annotation, DType *out) {
    if (!annotation) return false;
    if (annotation->kind == NODE_STRING && !annotation->string.bytes)
        return type_named(annotation->string.text, out);
    if (annotation->kind == NODE_ATTRIBUTE) return dtype_by_triton_name(annotation->attribute.name, out);
    return annotation->kind == NODE_NAME && type_named(annotation->name, out);
}

// A key is made for every launch: bytes, no text. What stands behind a letter has a length that the letter,
// or what follows it, tells.
static void key_number(Buf *key, char kind, const void *p, size_t n) {
    buf_putc(key, kind);
    buf_put(key, p, n);
}

static bool cell(Special *s, const Node *at, TileType type, int64_t bits, Val *out) {
    if (s->c && type.pointer && !check_f8_known(s->c, at, type.elem)) return false;
    if (s->count >= RUNTIME_ARGS_MAX) return diag_add(s->diags, DIAG_COMPILE, at->span, "too many arguments");
    s->cells[s->count] = bits;
    buf_putc(&s->key, type.pointer ? 'p' : 't');
    buf_putc(&s->key, (char)type.elem);
    if (s->holds[s->count]) key_number(&s->key, 'h', &s->holds[s->count], sizeof *s->holds);
    if (s->c && !checker_parameter(s->c, at, type, s->count, out)) return false;
    s->count++;
    return true;
}

static void key_py(Buf *key, PyValue v) {
    switch (v.kind) {
    case PY_NONE: buf_putc(key, 'n'); break;
    case PY_BOOL: buf_putc(key, v.b ? '1' : '0'); break;
    case PY_INT: key_number(key, 'i', &v.i, sizeof v.i); break;
    case PY_FLOAT: key_number(key, 'f', &v.f, sizeof v.f); break;
    case PY_STR:
        key_number(key, 's', &v.s.len, sizeof v.s.len);
        buf_str_put(key, v.s);
        break;
    }
}

static bool constant(Special *s, const LaunchArg *arg, Val *out) {
    if (arg->kind == ARG_DTYPE) {
        key_number(&s->key, 'd', &arg->dtype, sizeof arg->dtype);
        *out = val_dtype(arg->dtype);
        out->wrapped = true;
        return true;
    }
    if (arg->kind == ARG_FUNCTION) {
        key_number(&s->key, 'j', &arg->function, sizeof arg->function);
        *out = (Val){.kind = VAL_FUNCTION, .wrapped = true, .function = arg->function, .home = arg->home};
        return true;
    }
    key_py(&s->key, arg->value);
    *out = val_py(arg->value);
    return true;
}

static int64_t float_bits(double x, DType t) { return (int64_t)bits64(dtype_round(t, x)); }

static bool number(Special *s, const Node *param, const LaunchArg *arg, bool specialize, Val *out) {
    PyValue v = arg->value;
    DType t;
    bool fixed = annotated_type(param->param.annotation, &t);
    if (fixed && (t == DT_F16 || t == DT_BF16 || dtype_is_f8(t)))
        return diag_add(s->diags, DIAG_UNSUPPORTED, param->span,
                        "a scalar argument annotated as a float of less than 32 bits");
    if (fixed) { // the annotation decides, 1 included
        bool is_float = v.kind == PY_FLOAT;
        if (is_float && !dtype_is_float(t))
            return diag_add(s->diags, DIAG_COMPILE, arg->span,
                            "TypeError: a float was given for '%.*s', annotated as %s",
                            STR_ARG(param->param.name), dtype_info[t].triton);
        int64_t i = v.kind == PY_INT ? v.i : v.kind == PY_BOOL ? v.b : 0;
        if (dtype_is_float(t))
            return cell(s, param, (TileType){.elem = t}, float_bits(is_float ? v.f : (double)i, t), out);
        int bits = dtype_bits(t) - dtype_is_signed(t);
        bool fits = t == DT_BOOL ||
                    (dtype_is_signed(t) ? bits >= 63 || (i >= -((int64_t)1 << bits) && i < (int64_t)1 << bits)
                                        : i >= 0 && (bits >= 63 || i < (int64_t)1 << bits));
        if (!fits)
            return diag_add(s->diags, DIAG_COMPILE, arg->span,
                            "OverflowError: %" PRId64 " does not fit '%.*s', annotated as %s", i,
                            STR_ARG(param->param.name), dtype_info[t].triton);
        return cell(s, param, (TileType){.elem = t}, t == DT_BOOL ? i != 0 : i, out);
    }
    if (v.kind == PY_BOOL) return cell(s, param, (TileType){.elem = DT_BOOL}, v.b, out);
    if (v.kind == PY_FLOAT) return cell(s, param, (TileType){.elem = DT_F32}, float_bits(v.f, DT_F32), out);
    if (v.i == 1 && specialize) return constant(s, arg, out);
    return cell(s, param, (TileType){.elem = v.i >= INT32_MIN && v.i <= INT32_MAX ? DT_I32 : DT_I64}, v.i,
                out);
}

// A table that kernels have made of places alone is one for the kernels that load from it.
static bool pointer(Special *s, const Node *param, const Tensor *t, Val *out) {
    uint16_t holds = t->storage->holds;
    if (s->count < RUNTIME_ARGS_MAX) s->holds[s->count] = holds & HOLDS_LOADED ? 0 : holds;
    return cell(s, param, (TileType){.elem = t->dtype, .pointer = true}, tensor_address(t), out);
}

// The base, the sizes as int32 and the strides as int64; its tile is part of the type.
static bool descriptor(Special *s, const Node *param, const LaunchDescriptor *d, Val *out) {
    Block *b = NEW(s->arena, Block);
    Val *at = NEWN(s->arena, Val, (size_t)(2 * d->rank + 1));
    *b = (Block){.tile = {.elem = d->base->dtype, .rank = d->rank}, .descriptor = true, .nan = d->nan};
    key_number(&s->key, '[', &d->rank, sizeof d->rank);
    buf_putc(&s->key, (char)d->nan);
    for (int i = 0; i < d->rank; i++) {
        b->tile.shape[i] = d->block[i];
        buf_put(&s->key, &d->block[i], sizeof d->block[i]);
    }
    if (!pointer(s, param, d->base, &at[0])) return false;
    for (int i = 0; i < d->rank; i++)
        if (!cell(s, param, (TileType){.elem = DT_I32}, d->shape[i], &at[1 + i]) ||
            !cell(s, param, (TileType){.elem = DT_I64}, d->stride[i], &at[1 + d->rank + i]))
            return false;
    *out = (Val){.kind = VAL_BLOCK, .tuple = {at, 2 * d->rank + 1, b}};
    return true;
}

// What a kernel says of the parameter that an argument is for.
typedef struct {
    const Node *node;
    bool constexpr, specialize;
} Param;

static bool argument(Special *s, Param p, const LaunchArg *arg, int depth, Val *out) {
    const Node *param = p.node;
    if (arg->kind == ARG_TUPLE) {
        if (depth > 8 || arg->items > RUNTIME_ARGS_MAX)
            return diag_add(s->diags, DIAG_COMPILE, arg->span, "too many arguments");
        Val *at = NEWN(s->arena, Val, (size_t)arg->items + 1);
        key_number(&s->key, '(', &arg->items, sizeof arg->items);
        for (int i = 0; i < arg->items; i++)
            if (!argument(s, p, &arg->item[i], depth + 1, &at[i])) return false;
        *out = val_tuple(at, arg->items);
        return true;
    }
    if (arg->kind == ARG_DESCRIPTOR && !p.constexpr) return descriptor(s, param, arg->descriptor, out);
    if (arg->kind == ARG_TENSOR || arg->kind == ARG_DESCRIPTOR) {
        if (p.constexpr)
            return diag_add(s->diags, DIAG_COMPILE, arg->span,
                            "TypeError: a tensor was given for the constexpr '%.*s'",
                            STR_ARG(param->param.name));
        return pointer(s, param, arg->tensor, out);
    }
    if (p.constexpr || arg->kind == ARG_DTYPE || arg->kind == ARG_FUNCTION || arg->value.kind == PY_NONE)
        return constant(s, arg, out);
    if (arg->value.kind == PY_STR)
        return diag_add(s->diags, DIAG_COMPILE, arg->span,
                        "TypeError: Unsupported type <class 'str'> for '%.*s' in `tl.load`",
                        STR_ARG(param->param.name));
    return number(s, param, arg, p.specialize, out);
}

static bool arguments(Special *s, const Binding *b) {
    for (int i = 0; i < b->args; i++) {
        const Node *param = b->kernel->function.params.at[i];
        Val v;
        Param p = {param, annotation_is_constexpr(param->param.annotation),
                   !param_listed(b->kernel, i, "do_not_specialize")};
        if (!argument(s, p, &b->arg[i], 0, &v)) return false;
        if (s->c && !scope_set(s->c, param, param->param.name, &v)) return false;
    }
    return true;
}

static int64_t leaves(const LaunchArg *arg, int n, int depth) {
    int64_t total = 0;
    for (int i = 0; i < n && depth < 10; i++)
        total += arg[i].kind == ARG_TUPLE        ? leaves(arg[i].item, arg[i].items, depth + 1)
                 : arg[i].kind == ARG_DESCRIPTOR ? 1 + 2 * arg[i].descriptor->rank
                                                 : 1;
    return total;
}

static int64_t cells_most(const Binding *b) {
    int64_t cells = leaves(b->arg, b->args, 0);
    return 1 + (cells < RUNTIME_ARGS_MAX ? cells : RUNTIME_ARGS_MAX);
}

static Special special(Checker *c, Arena *a, const Binding *b, DiagList *d) {
    size_t cells = (size_t)cells_most(b);
    return (Special){c, a, d, BUF(a), NEWN(a, int64_t, cells), NEWN(a, uint16_t, cells), 0};
}

static Code *compile(Arena *a, const Binding *b, DiagList *d, bool *asserted) {
    Frame frame = {.function = b->kernel, .module = b->module, .kernel = true};
    Checker c = {.arena = a, .diags = d, .frame = &frame, .foreign = b->site, .cover = b->cover};
    Special s = special(&c, a, b, d);
    bool ok = check_annotations(&c, b->module, b->kernel) && arguments(&s, b) &&
              check_block(&c, b->kernel->function.body);
    *asserted = c.asserted;
    if (!ok) return NULL;
    Code *code = checker_finish(&c, b->kernel->function.name);
    if (!code) return NULL;
    code->scratch = c.scratch;
    code->contracts = code_contracts(a, code);
    code_uniform(a, code, s.holds, s.count, b->cover ? b->cover->notes : NOTES_NONE);
    return code;
}

// Clusters share out what their blocks hold; that is not known here.
static bool fits_shared_memory(const Binding *b, Launchable *l, DiagList *d) {
    const SharedUse *most = NULL;
    for (int i = 0; i < l->code->shareds && b->num_ctas == 1; i++) {
        int64_t need = shared_bytes(&l->code->shared[i], b->num_warps, b->num_stages);
        if (need <= l->shared) continue;
        most = &l->code->shared[i];
        l->shared = need;
    }
    if (l->shared <= SHARED_MEMORY_MAX) return true;
    l->unfit = true;
    return diag_add(d, DIAG_COMPILE, most->span,
                    "OutOfResources('out of resource: shared memory, Required: %" PRId64
                    ", Hardware limit: %d. Reducing block sizes or `num_stages` may help.')",
                    l->shared, SHARED_MEMORY_MAX);
}

bool kernel_check(Arena *a, CodeCache *cache, const Binding *b, Launchable *out, DiagList *d) {
    Special s = special(NULL, a, b, d);
    buf_put(&s.key, &b->module, sizeof b->module);
    buf_put(&s.key, &b->kernel, sizeof b->kernel);
    if (!arguments(&s, b)) return false;
    *out = (Launchable){.cells = s.cells, .count = s.count};
    Str key = buf_str(&s.key);
    if (cache && (out->code = cache_find(cache, key))) return fits_shared_memory(b, out, d);
    // What the checker needs on its way is many times the code: only this stays.
    ArenaMark mark = arena_mark(a);
    int found = d->count;
    Code *code = compile(a, b, d, &out->unfit);
    out->code = cache && code ? code_keep(cache->arena, code) : code;
    if (!code || !cache) return code && fits_shared_memory(b, out, d);
    cache_add(cache, key, out->code);
    if (d->count == found && cache->arena != a) arena_reset(a, mark);
    return fits_shared_memory(b, out, d);
}

const Code *kernel_contracted(Arena *a, CodeCache *cache, Code *code, ContractSide side) {
    if (!code->contracts || side == CONTRACT_NONE) return code;
    if (!(code->contracts >> side & 1)) side = CONTRACT_LEFT;
    Code **kept = &code->contracted[side - CONTRACT_LEFT];
    if (*kept) return *kept;
    ArenaMark mark = arena_mark(a);
    Code *made = code_contract(a, code, side);
    if (!cache || cache->arena == a) return *kept = made;
    *kept = code_keep(cache->arena, made);
    arena_reset(a, mark);
    return *kept;
}
