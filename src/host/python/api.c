#include "host/python/api.h"
#include "host/python/form.h"
#include <assert.h>
#include <stdlib.h>

// In the order of api_rows.
static bool (*const run[])(Call *c, Value *out) = {
#define API(fn, op, may, kind, names, signature, doc) api_##fn,
#include "host/policy/api.def"
#undef API
};

// How api.def names the first parameter of a method of such a value; NULL: it has no methods.
static const char *receiver_name(Value v) {
    switch (v.kind) {
    case V_TENSOR:
    case V_BOUND: return "input";
    case V_LIST: return "list";
    case V_DICT: return "dict";
    case V_SET: return "set";
    case V_STR: return "text";
    case V_INT: return "number";
    case V_TUPLE:
        return v.seq->flavour == SEQ_PAIR    ? "pair"
               : v.seq->flavour == SEQ_SIZE  ? "size"
               : v.seq->flavour == SEQ_NAMED ? "named"
                                             : NULL;
    case V_KERNEL: return "kernel";
    case V_COMPILED: return "compiled";
    case V_DTYPE: return "dtype";
    case V_DEVICE: return "device";
    case V_CONFIG: return "config";
    case V_PROPERTIES: return v.b ? "target" : "properties";
    default: return NULL;
    }
}

const Api *api_member(Str name, Value receiver, bool candidate) {
    const char *kind = receiver_name(receiver);
    return kind ? api_member_of(name, kind, candidate) : NULL;
}

typedef struct {
    Str name;
    Str standard; // text of the default; empty: required
    bool star, double_star;
} Param;

static int signature_parse(const char *s, Param *out, int *positional) {
    int n = 0;
    *positional = -1;
    bool after_star = false;
    while (*s) {
        size_t len = strcspn(s, ",");
        // A default may hold a comma only inside (): "()" is the one we use.
        Str part = {s, len};
        s += len;
        while (*s == ',' || *s == ' ') s++;
        if (str_is(part, "*")) {
            after_star = true;
            *positional = n;
            continue;
        }
        Param p = {0};
        if (str_starts(part, "**"))
            p.double_star = true, part = (Str){part.p + 2, part.len - 2};
        else if (str_starts(part, "*"))
            p.star = true, part = (Str){part.p + 1, part.len - 1};
        const char *eq = memchr(part.p, '=', part.len);
        p.name = (Str){part.p, eq ? (size_t)(eq - part.p) : part.len};
        if (eq) p.standard = (Str){eq + 1, part.len - (size_t)(eq - part.p) - 1};
        assert(n < API_ARGS_MAX);
        if (p.star || p.double_star) {
            if (!after_star) *positional = n;
            after_star = true;
        }
        out[n++] = p;
    }
    if (!after_star) *positional = n;
    return n;
}

static bool default_value(Interp *in, Span at, Str text, Value *out) {
    if (str_is(text, "None")) return *out = NONE_VALUE, true;
    if (str_is(text, "True")) return *out = value_bool(true), true;
    if (str_is(text, "False")) return *out = value_bool(false), true;
    if (str_is(text, "()")) return seq_new(in, at, V_TUPLE, 0, out);
    if (text.p[0] == '\'') return *out = value_str((Str){text.p + 1, text.len - 2}), true;
    char digits[32];
    assert(text.len < sizeof digits);
    memcpy(digits, text.p, text.len);
    digits[text.len] = 0;
    if (strpbrk(digits, ".e"))
        *out = value_float(strtod(digits, NULL));
    else
        *out = value_int(strtoll(digits, NULL, 10));
    return true;
}

bool api_call(Interp *in, const Api *row, Str name, Value self, const Args *args, Value *out) {
    Param param[API_ARGS_MAX];
    int positional, params = signature_parse(row->signature, param, &positional);
    Call c = {.in = in, .row = row, .name = name, .at = args->at};
    int filled = 0;
    if (self.kind != V_UNBOUND) c.arg[filled++] = self;
    int used = 0; // positional arguments consumed
    while (used < args->n && filled < positional) c.arg[filled++] = args->pos[used++];
    for (int i = 0; i < params; i++) {
        if (!param[i].star) continue;
        c.rest = args->n ? args->pos + used : NULL;
        c.rests = args->n - used;
        used = args->n;
    }
    if (used < args->n)
        return host_raise(in, args->at, "TypeError: %.*s() takes %d positional argument%s but %d were given",
                          STR_ARG(name), positional - (self.kind != V_UNBOUND),
                          positional - (self.kind != V_UNBOUND) == 1 ? "" : "s", args->n);
    Value extra = {0};
    for (int k = 0; k < args->names; k++) {
        int i = 0;
        while (i < params && (param[i].double_star || !str_eq(param[i].name, args->name[k]))) i++;
        if (i < params && param[i].star && c.rests == 0) { // torch.empty(size=(2, 3))
            c.rest = &args->named[k];
            c.rests = 1;
            continue;
        }
        if (i < params && c.arg[i].kind != V_UNBOUND)
            return host_raise(in, args->at, "TypeError: %.*s() got multiple values for argument '%.*s'",
                              STR_ARG(name), STR_ARG(args->name[k]));
        if (i < params) {
            c.arg[i] = args->named[k];
            continue;
        }
        if (!params || !param[params - 1].double_star)
            return host_raise(in, args->at, "TypeError: %.*s() got an unexpected keyword argument '%.*s'",
                              STR_ARG(name), STR_ARG(args->name[k]));
        if (extra.kind == V_UNBOUND && !dict_new(in, args->at, &extra)) return false;
        if (!dict_put(in, args->at, extra.dict, value_str(args->name[k]), args->named[k])) return false;
    }
    for (int i = 0; i < params; i++) {
        if (c.arg[i].kind != V_UNBOUND || param[i].star) continue;
        if (param[i].double_star) {
            if (extra.kind == V_UNBOUND && !dict_new(in, args->at, &extra)) return false;
            c.arg[i] = extra;
            continue;
        }
        if (!param[i].standard.len)
            return host_raise(in, args->at, "TypeError: %.*s() missing required argument '%.*s'",
                              STR_ARG(name), STR_ARG(param[i].name));
        if (!default_value(in, args->at, param[i].standard, &c.arg[i])) return false;
    }
    bool ok = run[row - api_rows](&c, out);
    for (int i = 0; in->form && ok && i < params; i++)
        if (str_is(param[i].name, "inplace") && c.arg[i].kind == V_BOOL && c.arg[i].b &&
            c.arg[0].kind == V_BOUND && !form_overwrite(in, args->at, c.arg[0].bound))
            return false;
    bool computes = in->form && ok && (out->kind == V_BOUND || value_is_seq(*out));
    if (computes && row->kind != API_ATTRIBUTE && row->may != FOR_B && params > 0) {
        bool method = self.kind == V_BOUND;
        Str called = method ? str_of(arena_printf(in->arena, ".%.*s", STR_ARG(name))) : name;
        form_note(in, args->at, called, &c.arg[0], out);
    }
    return ok;
}

bool api_constant(Interp *in, const Api *row, Str name, Span at, Value *out) {
    Call c = {.in = in, .row = row, .name = name, .at = at};
    return run[row - api_rows](&c, out);
}
