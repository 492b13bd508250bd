// api_names.h - lookup in api.def, the one table of names that host code may use, and refused.def, the table
// of names it may not use and why. What a row does is another room's business (python/api.h).
#pragma once
#include "host/policy/scope.h"
#include "tensor/bound.h"

typedef enum { FOR_C = 1, FOR_R = 2, FOR_B = 3, FOR_M = 4 } Privilege;
typedef enum { API_FUNCTION, API_METHOD, API_ATTRIBUTE, API_CONSTANT, API_EXCEPTION } ApiKind;
typedef struct {
    BoundOp op; // what a row of reference.c applies; BOUND_COUNT elsewhere
    Privilege may;
    ApiKind kind;
    const char *names, *signature, *doc;
} Api;
extern const Api api_rows[]; // in the order of api.def
extern const int api_count;

// "torch.empty", "len": rows with a dotted or bare name. NULL when there is none for this privilege.
const Api *api_named(Str name, bool candidate);
// ".view" of a receiver: the row whose first parameter has that name; see receivers in api.def.
const Api *api_member_of(Str name, const char *receiver, bool candidate);
// The same of what references in module form have besides a reference's own names.
const Api *api_of_module(Str name);
const Api *api_member_of_module(Str name, const char *receiver);
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
