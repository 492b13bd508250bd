// api.h - the functions behind the rows of api.def: what a call of one gets, and how it is made.
#pragma once
#include "host/policy/api_names.h"
#include "host/python/interp.h"

enum { API_ARGS_MAX = 12 };

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
#define API(fn, op, may, kind, names, signature, doc) bool api_##fn(Call *c, Value *out);
#include "host/policy/api.def"
#undef API

// ".view" of a value: the row whose first parameter is the receiver's kind.
const Api *api_member(Str name, Value receiver, bool candidate);

// The value of a row that is none to be called.
MUST_CHECK bool api_constant(Interp *in, const Api *row, Str name, Span at, Value *out);
// Binds arguments to a row's signature and runs it.
MUST_CHECK bool api_call(Interp *in, const Api *row, Str name, Value self, const Args *args, Value *out);

// What a row asks of an argument; otherwise a TypeError. A reference's tensors are all V_BOUND.
MUST_CHECK bool need_tensor(Call *c, int i);
MUST_CHECK bool need_number(Call *c, int i, double *out);
bool wrong_type(Call *c, Value v, const char *want); // always false
