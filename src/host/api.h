// api.h - lookup in api.def, the one table of names that host code may use, and refused.def, the table of
// names it may not use and why.
#pragma once
#include "host/interp.h"

enum { API_ARGS_MAX = 12 };
typedef enum { FOR_C = 1, FOR_R = 2, FOR_B = 3 } Privilege;
typedef enum { API_FUNCTION, API_METHOD, API_ATTRIBUTE, API_CONSTANT, API_EXCEPTION } ApiKind;

// A call of a row: arguments bound to its signature.
typedef struct {
    Interp *in;
    const Api *row;
    Str name; // the spelling used, without a method's dot
    Span at;
    Value arg[API_ARGS_MAX]; // in signature order; a method's receiver first
    Value *rest;             // of a `*name`
    int rests;
} Call;
struct Api {
    bool (*run)(Call *c, Value *out);
    BoundOp op; // what a row of reference.c applies; BOUND_COUNT elsewhere
    Privilege may;
    ApiKind kind;
    const char *names, *signature, *doc;
};
extern const Api api_rows[];
extern const int api_count;
#define API(fn, op, may, kind, names, signature, doc) bool api_##fn(Call *c, Value *out);
#include "host/api.def"
#undef API

// "torch.empty", "len": rows with a dotted or bare name. NULL when there is none for this privilege.
const Api *api_named(Str name, bool candidate);
// ".view" of a value: the row whose first parameter is the receiver's kind.
const Api *api_member(Str name, Value receiver, bool candidate);
bool api_is_member(Str name, bool candidate);    // of any kind of value
bool api_is_last_part(Str name, bool candidate); // of any dotted name: `t = torch; t.empty`
bool api_is_module(Str path, bool candidate);    // a prefix of some dotted name
// "torch.nn.functional.x" -> "F.x", "triton.language.x" -> "tl.x".
Str api_canonical(Arena *a, Str dotted);

// Why a name is not available, as the end of a sentence; with the nearest available name where one is close.
// `kind` is DIAG_REFUSED or DIAG_UNSUPPORTED. `method`: the name stands behind a dot of some value.
const char *api_reason(Arena *a, Str name, bool method, bool candidate, DiagKind *kind);
// Listed in refused.def, or for the other privilege.
bool api_known_refused(Str name, bool method, bool candidate);
// That very name, not one of a module that is refused as a whole; candidates' own names are none of these.
bool api_refused_itself(Str name);

// Binds arguments to a row's signature and runs it.
MUST_CHECK bool api_call(Interp *in, const Api *row, Str name, Value self, const Args *args, Value *out);

// What a row asks of an argument; otherwise a TypeError. A reference's tensors are all V_BOUND.
MUST_CHECK bool need_tensor(Call *c, int i);
MUST_CHECK bool need_number(Call *c, int i, double *out);
bool wrong_type(Call *c, Value v, const char *want); // always false
