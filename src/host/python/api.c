#include "host/python/api.h"
#include "host/python/module_form.h"
#include <assert.h>
#include <pthread.h>
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
    bool required, star, double_star;
    bool empty_tuple; // the default, of which each call has its own
    Value standard;   // any other default
} Param;

typedef struct {
    Param param[API_ARGS_MAX];
    int n, positional;
} Signature;

// Read once: calls of the API are most of what host code does.
static Signature signature[sizeof run / sizeof *run];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void default_parse(Str text, Param *p) {
    p->required = text.len == 0;
    p->empty_tuple = str_is(text, "()");
    if (p->required || p->empty_tuple) return;
    if (str_is(text, "None"))
        p->standard = NONE_VALUE;
    else if (str_is(text, "True"))
        p->standard = value_bool(true);
    else if (str_is(text, "False"))
        p->standard = value_bool(false);
    else if (text.p[0] == '\'')
        p->standard = value_str((Str){text.p + 1, text.len - 2});
    else {
        char digits[32];
        assert(text.len < sizeof digits);
        memcpy(digits, text.p, text.len);
        digits[text.len] = 0;
        p->standard =
            strpbrk(digits, ".e") ? value_float(strtod(digits, NULL)) : value_int(strtoll(digits, NULL, 10));
    }
}

static void signature_parse(const char *s, Signature *out) {
    bool after_star = false;
    out->positional = -1;
    while (*s) {
        size_t len = strcspn(s, ",");
        // A default may hold a comma only inside (): "()" is the one we use.
        Str part = {s, len};
        s += len;
        while (*s == ',' || *s == ' ') s++;
        if (str_is(part, "*")) {
            after_star = true;
            out->positional = out->n;
            continue;
        }
        Param p = {0};
        if (str_starts(part, "**"))
            p.double_star = true, part = (Str){part.p + 2, part.len - 2};
        else if (str_starts(part, "*"))
            p.star = true, part = (Str){part.p + 1, part.len - 1};
        const char *eq = memchr(part.p, '=', part.len);
        p.name = (Str){part.p, eq ? (size_t)(eq - part.p) : part.len};
        default_parse(eq ? (Str){eq + 1, part.len - (size_t)(eq - part.p) - 1} : (Str){0}, &p);
        assert(out->n < API_ARGS_MAX);
        if (p.star || p.double_star) {
            if (!after_star) out->positional = out->n;
            after_star = true;
        }
        out->param[out->n++] = p;
    }
    if (!after_star) out->positional = out->n;
}

static void signatures_parse(void) {
    for (int i = 0; i < api_count; i++) signature_parse(api_rows[i].signature, &signature[i]);
}

bool api_call(Interp *in, const Api *row, Str name, Value self, const Args *args, Value *out) {
    pthread_once(&once, signatures_parse);
    const Signature *form = &signature[row - api_rows];
    const Param *param = form->param;
    int positional = form->positional, params = form->n;
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
        if (param[i].required)
            return host_raise(in, args->at, "TypeError: %.*s() missing required argument '%.*s'",
                              STR_ARG(name), STR_ARG(param[i].name));
        c.arg[i] = param[i].standard;
        if (param[i].empty_tuple && !seq_new(in, args->at, V_TUPLE, 0, &c.arg[i])) return false;
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
