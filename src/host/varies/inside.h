// inside.h - what the files of this room share: the names of a file with what is known of them, its
// functions, and the evaluation of expressions. See varies.h for what it is good for.
#pragma once
#include "host/varies/varies.h"

// A file of more variables, or one that takes longer, is not looked at.
enum { VARS_MAX = 1 << 12, STEPS_MAX = 1 << 20, PASSES_MAX = 64 };

typedef struct {
    const void *scope; // a function, NULL for the module, or &members
    Str name;
    Fact fact;
    int grown;   // in how many passes
    int64_t cap; // where a function raises for larger ones; 0: nowhere
} Var;

typedef struct {
    const Node *node;
    const Scope *scope, *own; // around it, and its own
    bool method, plain;       // plain: without self
} Callable;

struct Varies {
    Arena *arena;
    int inputs;
    Var *var; // open addressing
    int vars, cap;
    Callable *callable;
    int callables, callable_cap;
    bool changed, callee;
    bool full; // too much to look at: everything may be
    int steps;
};

// Attributes of objects and classes of the file, by name alone: the scope of theirs.
extern const char varies_members;

// ---- variables.c

Var *var_slot(const Varies *v, const void *scope, Str name);
const Var *var_find(const Varies *v, const void *scope, Str name); // or NULL
const Var *var_visible(const Varies *v, const Scope *scope, Str name);
void var_add(Varies *v, const void *scope, Str name, Fact f); // one more value of it
const void *scope_key(const Scope *s);
const Scope *varies_callable(Varies *v, const Node *node, const Scope *scope, bool method);
bool varies_is_function(const Varies *v, Str name);
void varies_result_add(Varies *v, const Node *function, Fact f);
Fact varies_result(const Varies *v, const Node *function);

// ---- callees.c

// What a call hands over.
typedef struct {
    Fact *arg;
    int args;
    const Nodes *keywords;
    Fact *named;
    bool more; // *args or **kw: `rest` holds what they hand over
    Fact rest;
} Given;
uint8_t given_how(const Given *g);
// Functions of that name: of the module's, or methods of any class. False: there is none.
bool varies_call_named(Varies *v, Str name, bool method, const Given *g, Fact *out);
// A function that is handed about: by whom it is called, and with what, nobody knows.
void varies_escapes(Varies *v, Str name);
Fact varies_call(Varies *v, const Scope *scope, const Node *n);
// Where None comes from by sizes, an arm or a branch of its own shows it.
static inline Fact varies_any(void) { return fact_other(FACT_VARIES | FACT_DTYPE | FACT_EMPTY); }

// ---- members.c

// What the members of an input say. Kernels' own tensors have no sizes that a call could change.
bool varies_member(const Varies *v, Str name, Fact base, Fact *out);
// A function or method that the file does not define.
Fact varies_known_call(const Node *call, Str name, const Given *g);

// ---- guards.c

// Sizes that a function refuses by `raise` in every call.
void varies_guards(Varies *v, const Node *function);

// ---- values.c

Fact varies_eval(Varies *v, const Scope *scope, const Node *n);
// Of a condition; *how: what it follows from, too.
Truth varies_truth(Varies *v, const Scope *scope, const Node *n, uint8_t *how);
void varies_assign(Varies *v, const Scope *scope, const Node *target, Fact f);
// What is chosen by a condition is None or not by it, too.
static inline uint8_t varies_control(uint8_t how) { return how & FACT_VARIES ? how | FACT_NONE : how; }
