// op_lookup.h - from a stored program to the op that it is judged by, in its domain.
#pragma once
#include "service/service.h"
#include "store/store.h"

enum { LOOKUPS = 8 }; // programs of one op stand together, in few domains
typedef struct {
    Str name, key; // op and domain; name.p NULL: free
    const Op *op;  // NULL: there is none any more
    DrawFilter filter;
    bool module; // judged by the module that came with it: what is judged is its module_pair()
    bool narrow; // a shape, a layout or values that the op itself does not ask for
} OpFound;
typedef struct {
    Store *store;
    Service *service; // checks definitions of a folder of the user's; NULL: nobody is judged by them
    Arena arena;      // of all ops that were found: they live as long as this does
    OpFound known[LOOKUPS];
    int next;
} OpLookup;
// The suite's op of this name; a user's, as the store holds its definition; that of a module, where there is
// a service.
MUST_CHECK bool op_lookup(OpLookup *l, const StoredProgram *p, OpFound *out, Err *e);
void op_lookup_free(OpLookup *l);
