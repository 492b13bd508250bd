// mutate.h - between the walk over a kernel file (mutant.c) and the mutators (mutate.c).
#pragma once
#include "mutate/mutant.h"

enum { MASKS_NAMES_MAX = 128 };

typedef struct Maker {
    Arena *scratch; // dropped after each proposal's round
    const Node *module;
    const Node *function; // the kernel that is walked; NULL outside
    const Node **above;   // ancestors of the node shown, outermost first
    int depth;
    Str index[MASKS_NAMES_MAX]; // names of the kernel that come from tl.arange without a load
    int indices;
    void *out; // mutant.c's
} Maker;

// The tree with `target` (found by identity) replaced becomes a mutant; NULL leaves the statement out.
void mutant_propose(Maker *m, const Node *target, const Node *with);
// The expression `root` with `target` replaced, as a new tree in scratch.
const Node *node_replaced(Arena *a, const Node *root, const Node *target, const Node *with);

typedef void MutateFn(Maker *m, const Node *n);
#define MUTATOR(kind, where, doc) MutateFn mutate_##kind;
#include "mutate/mutant.def"
#undef MUTATOR

// Before a kernel is walked: which of its names hold indices.
void mutate_enter(Maker *m, const Node *function);
// A masked load whose padding can reach a reduction, an address or a branch (mutate_flow.c); false: its
// `other` is dead.
bool padding_matters(const Maker *m, const Node *load);

// Recognising what people write.
bool node_calls(const Node *n, const char *tl_name);       // "tl.load": tl.load(..)
bool node_is_reduction(const Node *n);                     // tl.sum(..) and its kin
bool node_is_index_compare(const Maker *m, const Node *n); // cols < N
const Node *call_argument(const Node *call, int position, const char *keyword);
// e.NAME(..) with so many arguments: e; NULL
const Node *method_call(const Node *n, const char *name, int args);
const Node *definition(const Node *scope, Str name); // the value of the last assignment to a name; NULL

// Nodes under a root that satisfy a test, in order; loads are opaque where asked.
enum { GATHERED_MAX = 32 };
typedef bool Test(const Maker *m, const Node *n);
typedef struct {
    const Maker *m;
    Test *test;
    bool into_loads;
    int fuel, n;
    const Node *at[GATHERED_MAX];
} Gather;
Gather gathered(const Maker *m, const Node *root, Test *test, bool into_loads);
