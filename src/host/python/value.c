#include "host/desugar/desugar.h"
#include "host/python/keyed.h"
#include "host/python/module_form.h"
#include <stdarg.h>
#include <stdio.h>

// --- findings and budgets ---

void host_report(Interp *in, DiagKind kind, Span at, const char *fmt, ...) {
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    at = form_place(in, at);
    bool wide = kind == DIAG_HOST && in->candidate && strcmp(text, OVERFLOW_64_BITS) == 0;
    diag_clean(in->d, kind, at, "%s%s", text, wide ? BEYOND_64_BITS : "");
}

bool host_work(Interp *in, Span at, int64_t lanes) {
    if (*in->lanes >= lanes) {
        *in->lanes -= lanes;
        return true;
    }
    *in->lanes = 0;
    return diag_add(in->d, DIAG_BUDGET, form_place(in, at), "the step budget is spent in host code");
}

void *host_new(Interp *in, Span at, int64_t count, size_t size) {
    enum { SLACK = 64 << 10 }; // for the findings themselves, when the arena cannot grow
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) || bytes > in->heap_left ||
        arena_left(in->arena) < SLACK || bytes > arena_left(in->arena) - SLACK)
        return host_report(in, DIAG_HOST, at, "MemoryError: host values of one call may take %d MiB",
                           HEAP_MAX >> 20),
               NULL;
    in->heap_left -= bytes;
    return arena_alloc(in->arena, (size_t)count, size, _Alignof(max_align_t));
}

// --- plain values ---

bool value_plain(Value v, PyValue *out) {
    switch (v.kind) {
    case V_NONE: *out = (PyValue){.kind = PY_NONE}; return true;
    case V_BOOL: *out = (PyValue){.kind = PY_BOOL, .b = v.b}; return true;
    case V_INT: *out = (PyValue){.kind = PY_INT, .i = v.i}; return true;
    case V_FLOAT: *out = (PyValue){.kind = PY_FLOAT, .f = v.f}; return true;
    case V_STR: *out = (PyValue){.kind = PY_STR, .s = v.s}; return true;
    default: return false;
    }
}

Value value_of_plain(PyValue v) {
    switch (v.kind) {
    case PY_BOOL: return value_bool(v.b);
    case PY_INT: return value_int(v.i);
    case PY_FLOAT: return value_float(v.f);
    case PY_STR: return value_str(v.s);
    case PY_NONE: break;
    }
    return NONE_VALUE;
}

bool value_as_int(Value v, int64_t *out) {
    if (v.kind != V_INT && v.kind != V_BOOL) return false;
    *out = v.kind == V_INT ? v.i : v.b;
    return true;
}

bool value_as_number(Value v, double *out) {
    int64_t i;
    if (v.kind == V_FLOAT) return *out = v.f, true;
    if (!value_as_int(v, &i)) return false;
    *out = (double)i;
    return true;
}

const char *value_type(Value v) {
    switch (v.kind) {
    case V_UNBOUND: return "unbound";
    case V_NONE: return "NoneType";
    case V_BOOL: return "bool";
    case V_INT: return "int";
    case V_FLOAT: return "float";
    case V_STR: return "str";
    case V_TUPLE: return v.seq->flavour == SEQ_SIZE ? "torch.Size" : "tuple";
    case V_LIST: return "list";
    case V_DICT: return "dict";
    case V_SET: return "set";
    case V_LIMITS: return dtype_is_float(v.dtype.t) ? "finfo" : "iinfo";
    case V_RANGE: return "range";
    case V_SLICE: return "slice";
    case V_ELLIPSIS: return "ellipsis";
    case V_DTYPE: return v.dtype.triton ? "triton.language.dtype" : "torch.dtype";
    case V_DEVICE: return "torch.device";
    case V_PROPERTIES: return v.b ? "GPUTarget" : "_CudaDeviceProperties";
    case V_CONTEXT: return "context";
    case V_TENSOR:
    case V_BOUND: return "Tensor";
    case V_FUNCTION: return "function";
    case V_API: return "builtin_function_or_method";
    case V_MODULE: return "module";
    case V_KERNEL:
    case V_LAUNCHER: return "JITFunction";
    case V_COMPILED: return "CompiledKernel";
    case V_CONFIG: return "Config";
    case V_DESCRIPTOR: return "TensorDescriptor";
    case V_TUNER: return "decorator";
    case V_CLASS: return "type";
    case V_OBJECT: return "object";
    case V_METHOD: return "method";
    case V_PARTIAL: return "functools.partial";
    }
    return "?";
}

// --- truth and equality ---

bool value_truth(Interp *in, Span at, Value v, bool *out) {
    PyValue plain;
    if (value_plain(v, &plain)) {
        *out = py_truth(plain);
        Outcomes *o = in->m ? cover_outcomes(in->m->watch.cover) : NULL;
        if (o && v.kind == V_INT) outcome_compared(o, at.at, v.i, 0, *out);
        if (o && v.kind != V_INT) outcome_seen(o, at.at, *out ? 2 : 1);
        return true;
    }
    switch (v.kind) {
    case V_TUPLE:
    case V_LIST: *out = v.seq->n > 0; return true;
    case V_DICT:
    case V_SET: *out = v.dict->n > 0; return true;
    case V_RANGE: *out = v.range->n > 0; return true;
    case V_TENSOR:
        return host_refuse(in, at,
                           "host code may not look at the values of tensors: a tensor has no truth here");
    case V_BOUND:
        return host_refuse(in, at, "a reference may not branch on the values of tensors; use torch.where");
    default: *out = true; return true;
    }
}

static bool seq_equal(Interp *in, Span at, const Seq *a, const Seq *b, bool *out) {
    *out = false;
    if (a->n != b->n) return true;
    if (++in->depth > DEPTH_MAX)
        return host_raise(in, at, "RecursionError: maximum recursion depth exceeded");
    for (int i = 0; i < a->n && i < b->n; i++) {
        if (!nan_pair(in, at, a->at[i], b->at[i])) return false;
        if (!value_equal(in, at, a->at[i], b->at[i], out)) return false;
        if (!*out) break;
    }
    if (a->n == 0) *out = true;
    in->depth--;
    return true;
}

bool value_same(Value a, Value b) {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
    case V_BOOL: return a.b == b.b;
    case V_INT: return a.i == b.i;
    case V_FLOAT: return memcmp(&a.f, &b.f, sizeof a.f) == 0;
    case V_STR: return str_eq(a.s, b.s);
    case V_MODULE: return str_eq(a.s, b.s);
    case V_DTYPE: return a.dtype.t == b.dtype.t && a.dtype.triton == b.dtype.triton;
    case V_DEVICE:
        return a.device.cpu == b.device.cpu && a.device.indexed == b.device.indexed &&
               a.device.index == b.device.index;
    case V_TUPLE:
    case V_LIST: return a.seq == b.seq;
    case V_DICT:
    case V_SET: return a.dict == b.dict;
    case V_LIMITS: return a.dtype.t == b.dtype.t;
    case V_RANGE: return a.range == b.range;
    case V_SLICE: return a.slice == b.slice;
    case V_TENSOR: return a.tensor == b.tensor;
    case V_BOUND: return a.bound == b.bound;
    case V_FUNCTION: return a.function == b.function;
    case V_API:
        return a.member->row == b.member->row && a.member->self.kind == V_UNBOUND &&
               b.member->self.kind == V_UNBOUND && str_eq(a.member->name, b.member->name);
    case V_KERNEL: return a.kernel == b.kernel;
    case V_LAUNCHER: return a.launcher == b.launcher;
    case V_CONFIG: return a.config == b.config;
    case V_DESCRIPTOR: return a.descriptor == b.descriptor;
    case V_TUNER: return a.tuner == b.tuner;
    case V_CLASS: return a.klass == b.klass;
    case V_OBJECT: return a.object == b.object;
    case V_METHOD: return a.method == b.method;
    case V_PARTIAL: return a.partial == b.partial;
    case V_PROPERTIES: return a.b == b.b;
    case V_COMPILED: return false; // asked by nobody, see value_is_memo()
    default: return true;          // None, Ellipsis, the device's properties: one of each
    }
}

bool value_is_memo(Value v) {
    return v.kind == V_COMPILED || (value_is_seq(v) && v.seq->memo) || (v.kind == V_DICT && v.dict->memo) ||
           (v.kind == V_CONFIG && v.config->memo) || (v.kind == V_OBJECT && v.object->memo);
}

bool nan_pair(Interp *in, Span at, Value a, Value b) {
    if (a.kind != V_FLOAT || b.kind != V_FLOAT || a.f == a.f || b.f == b.f) return true;
    return host_refuse(in, at, "a comparison of NaN with NaN inside a container depends on the interpreter");
}

static bool dict_equal(Interp *in, Span at, const Dict *a, const Dict *b, bool *out) {
    *out = a->n == b->n;
    if (++in->depth > DEPTH_MAX)
        return host_raise(in, at, "RecursionError: maximum recursion depth exceeded in comparison");
    for (int i = 0, k; *out && i < a->n; i++) {
        if (!dict_find(in, at, b, a->key[i], &k)) return false;
        *out = a->ordered && b->ordered ? k == i : k >= 0;
        if (!*out) break;
        if (!nan_pair(in, at, a->value[i], b->value[k])) return false;
        if (!value_same(a->value[i], b->value[k]) && !value_equal(in, at, a->value[i], b->value[k], out))
            return false;
    }
    in->depth--;
    return true;
}

static bool is_data(Value v) {
    return v.kind == V_OBJECT && v.object->of && env_find(v.object->of->names, STR(DATA_CLASS));
}

bool value_equal(Interp *in, Span at, Value a, Value b, bool *out) {
    PyValue pa, pb;
    if (!host_work(in, at, 1)) return false;
    if (value_plain(a, &pa) && value_plain(b, &pb)) {
        const char *why = NULL;
        return py_compare(in->arena, OPER_EQ, pa, pb, out, &why) || host_raise(in, at, "%s", why);
    }
    if (value_is_tensor(a) || value_is_tensor(b)) {
        if (a.kind == V_NONE || b.kind == V_NONE || a.kind == V_STR || b.kind == V_STR)
            return *out = false, true;
        return host_refuse(in, at, "host code may not compare tensors; use `is` for identity");
    }
    if (value_is_seq(a) && a.kind == b.kind) return seq_equal(in, at, a.seq, b.seq, out);
    if (a.kind == V_DICT && b.kind == V_DICT) return dict_equal(in, at, a.dict, b.dict, out);
    if (a.kind == V_SET && b.kind == V_SET) return dict_equal(in, at, a.dict, b.dict, out);
    if (a.kind == V_METHOD && b.kind == V_METHOD) { // made anew at every look
        const Method *x = a.method, *y = b.method;
        *out =
            value_same(x->self, y->self) && value_same(x->function, y->function) && str_eq(x->name, y->name);
        return true;
    }
    if (a.kind == V_RANGE && b.kind == V_RANGE) {
        const Range *x = a.range, *y = b.range;
        *out = x->n == y->n && (x->n == 0 || (x->start == y->start && (x->n == 1 || x->step == y->step)));
        return true;
    }
    if (a.kind == V_OBJECT && b.kind == V_OBJECT && a.object != b.object && a.object->of == b.object->of &&
        is_data(a))
        return host_unsupported(in, at, "data classes are not compared here; compare their fields");
    bool kept = a.kind == b.kind && (a.kind == V_CONFIG || a.kind == V_OBJECT);
    if (kept && (value_is_memo(a) || value_is_memo(b)))
        return host_unsupported(in, at, "configs and objects that functools keeps are not compared here");
    // A device compares equal to its spelling only in newer versions of torch: not here.
    *out = value_same(a, b);
    return true;
}

// --- sequences and dictionaries ---

static bool object_freeze(Interp *in, Span at, Object *o) {
    if (o->frozen) return true;
    if (++in->depth > DEPTH_MAX) return host_raise(in, at, "RecursionError: nested too deeply");
    o->frozen = true;
    if (!host_work(in, at, o->attribute->cap)) return false;
    for (int i = 0; i < o->attribute->cap; i++)
        if (o->attribute->slot[i].name.p && !value_freeze(in, at, o->attribute->slot[i].v)) return false;
    in->depth--;
    return true;
}

// What a function sees besides its own names and the module's.
static bool function_freeze(Interp *in, Span at, const Function *f) {
    const Node *n = f->node;
    int params = n->kind == NODE_LAMBDA ? n->lambda.params.n : n->function.params.n;
    for (Env *e = f->env; e && !e->module && !e->frozen; e = e->outer) {
        if (++in->depth > DEPTH_MAX) return host_raise(in, at, "RecursionError: nested too deeply");
        e->frozen = true;
        if (!host_work(in, at, e->cap)) return false;
        for (int i = 0; i < e->cap; i++)
            if (e->slot[i].name.p && !value_freeze(in, at, e->slot[i].v)) return false;
        in->depth--;
    }
    for (int i = 0; i < params; i++)
        if (!value_freeze(in, at, f->defaults[i])) return false;
    return true;
}

bool value_freeze(Interp *in, Span at, Value v) {
    bool dict = v.kind == V_DICT || v.kind == V_SET;
    if (v.kind == V_PARTIAL)
        return value_freeze(in, at, v.partial->function) &&
               value_freeze(in, at, (Value){.kind = V_TUPLE, .seq = v.partial->pos}) &&
               value_freeze(in, at, (Value){.kind = V_DICT, .dict = v.partial->named});
    if (v.kind == V_FUNCTION) return function_freeze(in, at, v.function);
    if (v.kind == V_OBJECT) return object_freeze(in, at, v.object);
    if (v.kind == V_METHOD) return value_freeze(in, at, v.method->self);
    if (!dict && !value_is_seq(v)) return true;
    if (dict ? v.dict->frozen : v.seq->frozen) return true;
    if (++in->depth > DEPTH_MAX) return host_raise(in, at, "RecursionError: nested too deeply");
    int n = dict ? v.dict->n : v.seq->n;
    *(dict ? &v.dict->frozen : &v.seq->frozen) = true;
    if (!host_work(in, at, n)) return false;
    for (int i = 0; i < n; i++)
        if (!value_freeze(in, at, dict ? v.dict->value[i] : v.seq->at[i])) return false;
    in->depth--;
    return true;
}

bool not_frozen(Interp *in, Span at, bool frozen) {
    return !frozen ||
           host_refuse(in, at,
                       "a launch, a config or the module holds this value: copy it, then change the copy");
}

bool value_is_kept(Value v) {
    return (v.kind == V_LIST && v.seq->kept) || ((v.kind == V_DICT || v.kind == V_SET) && v.dict->kept);
}

// Numbers, texts, dtypes, devices, and tuples of them: nothing in there can change or hold a tensor.
static bool is_unchanging(Interp *in, Span at, Value v) {
    if (v.kind != V_TUPLE)
        return v.kind == V_NONE || v.kind == V_BOOL || v.kind == V_INT || v.kind == V_FLOAT ||
               v.kind == V_STR || v.kind == V_DTYPE || v.kind == V_DEVICE;
    if (++in->depth > DEPTH_MAX || !host_work(in, at, v.seq->n)) return false;
    bool ok = true;
    for (int i = 0; ok && i < v.seq->n; i++) ok = is_unchanging(in, at, v.seq->at[i]);
    in->depth--;
    return ok;
}

bool may_keep(Interp *in, Span at, bool kept, Value v) {
    return !kept || is_unchanging(in, at, v) ||
           host_refuse(
               in, at,
               "what the module keeps between calls are numbers, texts and tuples of them, not %s; an "
               "object of ModelNew may keep tensors",
               value_type(v));
}

bool seq_new(Interp *in, Span at, ValueKind kind, int64_t n, Value *out) {
    Seq *s = HOST_NEW(in, at, Seq, 1);
    if (!s) return false;
    if (n > 0 && !(s->at = HOST_NEW(in, at, Value, n))) return false;
    if (!host_work(in, at, n)) return false;
    for (int64_t i = 0; i < n; i++) s->at[i] = NONE_VALUE;
    s->n = s->cap = (int)n;
    *out = (Value){.kind = kind, .seq = s};
    return true;
}

bool seq_push(Interp *in, Span at, Seq *s, Value v) {
    if (!host_work(in, at, 1) || !not_frozen(in, at, s->frozen) || !may_keep(in, at, s->kept, v))
        return false;
    if (s->n == s->cap) {
        int cap = s->cap < 4 ? 8 : s->cap * 2; // the heap limit keeps this far below INT_MAX
        Value *to = HOST_NEW(in, at, Value, cap);
        if (!to) return false;
        if (s->n) memcpy(to, s->at, (size_t)s->n * sizeof *to);
        s->at = to;
        s->cap = cap;
    }
    s->at[s->n++] = v;
    return true;
}

bool seq_extend(Interp *in, Span at, Seq *s, Value by) {
    Iter it;
    if (!iter_start(in, at, by, &it)) return false;
    int64_t n = by.kind == V_LIST ? by.seq->n : INT64_MAX; // l += l adds what was there
    for (Value v; n > 0 && iter_next(&it, &v); n--)
        if (!seq_push(in, at, s, v)) return false;
    return true;
}

bool pair_new(Interp *in, Span at, Value a, Value b, Value *out) {
    if (!seq_new(in, at, V_TUPLE, 2, out)) return false;
    out->seq->at[0] = a;
    out->seq->at[1] = b;
    return true;
}

bool seq_of_ints(Interp *in, Span at, ValueKind kind, const int64_t *x, int n, Value *out) {
    if (!seq_new(in, at, kind, n, out)) return false;
    for (int i = 0; i < n; i++) out->seq->at[i] = value_int(x[i]);
    return true;
}

bool dict_new(Interp *in, Span at, Value *out) {
    Dict *d = HOST_NEW(in, at, Dict, 1);
    if (!d) return false;
    *out = (Value){.kind = V_DICT, .dict = d};
    return true;
}

// What a table may be asked for.
static void note_keys(Outcomes *o, const Dict *d) {
    for (int i = 0; i < d->n && i < OUTCOME_NUMBERS_MAX; i++) {
        const Value *k = &d->key[i];
        if (k->kind == V_INT) outcome_number(o, k->i);
        for (int j = 0; k->kind == V_TUPLE && j < k->seq->n; j++)
            if (k->seq->at[j].kind == V_INT) outcome_number(o, k->seq->at[j].i);
    }
}

// Two keys that differ in some whole number, as most of a table's do. Of tuples the first items are looked
// at.
static bool other_numbers(Value a, Value b) {
    enum { ITEMS = 4 };
    if (a.kind == V_INT && b.kind == V_INT) return a.i != b.i;
    if (a.kind != V_TUPLE || b.kind != V_TUPLE) return false;
    for (int i = 0; i < ITEMS && i < a.seq->n && i < b.seq->n; i++) {
        const Value *x = &a.seq->at[i], *y = &b.seq->at[i];
        if (x->kind == V_INT && y->kind == V_INT && x->i != y->i) return true;
    }
    return false;
}

bool dict_find(Interp *in, Span at, const Dict *d, Value key, int *out) {
    // A look-up by a size compares it with every key.
    for (int i = 0; in->m && in->m->watch.cover && key.kind == V_INT && i < d->n && i < COVER_OWN_MAX; i++)
        if (d->key[i].kind == V_INT) cover_size(in->m->watch.cover, d->key[i].i);
    if (in->m && cover_outcomes(in->m->watch.cover)) note_keys(in->m->watch.cover->outcomes, d);
    *out = -1;
    if (is_data(key)) return host_unsupported(in, at, "a data class as a key");
    if (key.kind == V_OBJECT && key.object->memo)
        return host_unsupported(in, at, "an object that functools keeps as a key");
    if (key.kind == V_LIST || key.kind == V_DICT || key.kind == V_SET)
        return host_raise(in, at, "TypeError: unhashable type: '%s'", value_type(key));
    for (int i = 0; i < d->n; i++) {
        bool equal;
        // Most keys are strings; two different ones need no further look, but every look is paid for.
        if (other_numbers(key, d->key[i])) {
            if (!host_work(in, at, 1)) return false;
            continue;
        }
        if (key.kind == V_STR && d->key[i].kind == V_STR) {
            if (!host_work(in, at, 1)) return false;
            equal = str_eq(key.s, d->key[i].s);
        } else if (value_is_tensor(key) || value_is_tensor(d->key[i])) {
            equal = value_same(key, d->key[i]); // tensors hash by identity
        } else if (!nan_pair(in, at, key, d->key[i]) || !value_equal(in, at, key, d->key[i], &equal)) {
            return false;
        }
        if (equal) {
            if (in->m) outcome_item(cover_outcomes(in->m->watch.cover), at.at, 16 + (uint64_t)i);
            keyed_found(in, at, key);
            return *out = i, true;
        }
    }
    return true;
}

bool dict_put(Interp *in, Span at, Dict *d, Value key, Value v) {
    int i;
    if (!not_frozen(in, at, d->frozen) || !may_keep(in, at, d->kept, key) || !may_keep(in, at, d->kept, v) ||
        !dict_find(in, at, d, key, &i))
        return false;
    keyed_put(in, at, key);
    keyed_put(in, (Span){at.at + at.len, 0}, v);
    if (i >= 0) return d->value[i] = v, true;
    if (d->n == d->cap) {
        int cap = d->cap ? d->cap * 2 : 8;
        Value *keys = HOST_NEW(in, at, Value, cap), *values = keys ? HOST_NEW(in, at, Value, cap) : NULL;
        if (!values) return false;
        if (d->n) memcpy(keys, d->key, (size_t)d->n * sizeof *keys);
        if (d->n) memcpy(values, d->value, (size_t)d->n * sizeof *values);
        d->key = keys;
        d->value = values;
        d->cap = cap;
    }
    d->key[d->n] = key;
    d->value[d->n++] = v;
    return true;
}

bool set_as_list(Interp *in, Span at, Value set, Value *out) {
    if (!seq_new(in, at, V_LIST, set.dict->n, out)) return false;
    for (int i = 0; i < set.dict->n; i++) out->seq->at[i] = set.dict->key[i];
    return true;
}

bool iter_steady(Interp *in, Span at, const Iter *it) {
    const Seq *list = it->of.kind == V_LIST ? it->of.seq : NULL;
    if (list ? !list->view || list->view->n == list->n : it->of.kind != V_DICT || it->of.dict->n == it->n)
        return true;
    return host_raise(in, at, "RuntimeError: dictionary changed size during iteration");
}

bool iter_start(Interp *in, Span at, Value v, Iter *out) {
    *out = (Iter){.of = v};
    switch (v.kind) {
    case V_TUPLE:
    case V_LIST: return true;
    case V_DICT: out->n = v.dict->n; return true;
    case V_RANGE: out->n = v.range->n; return true;
    case V_STR: out->n = (int64_t)v.s.len; return true;
    case V_TENSOR:
        return host_refuse(in, at,
                           "host code does not iterate over tensors; use .shape, .unbind() or a kernel");
    case V_SET:
        return host_unsupported(in, at, "the order of a set is the interpreter's; use sorted() or a tuple");
    case V_BOUND: return host_refuse(in, at, "references do not iterate over tensors; use .unbind()");
    default:
        if (v.kind == V_CLASS && v.klass->members) {
            if (v.klass->members->n && v.klass->members->at[0].kind != V_OBJECT)
                return host_unsupported(in, at, "the members of an IntEnum or a StrEnum in a row");
            out->of = (Value){.kind = V_TUPLE, .seq = v.klass->members};
            return true;
        }
        return host_raise(in, at, "TypeError: '%s' object is not iterable", value_type(v));
    }
}

bool iter_next(Iter *it, Value *out) {
    int64_t n = value_is_seq(it->of) ? it->of.seq->n : it->n;
    if (it->at >= n) return false;
    int64_t i = it->at++;
    switch (it->of.kind) {
    case V_DICT: *out = it->of.dict->key[i]; return true;
    case V_RANGE: *out = value_int(it->of.range->start + i * it->of.range->step); return true;
    case V_STR: { // one character, not one byte
        const char *p = it->of.s.p + i;
        size_t len = 1;
        while (i + (int64_t)len < n && ((unsigned char)p[len] & 0xc0) == 0x80) len++;
        it->at = i + (int64_t)len;
        *out = value_str((Str){p, len});
        return true;
    }
    default: *out = it->of.seq->at[i]; return true;
    }
}
