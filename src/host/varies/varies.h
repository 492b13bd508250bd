// varies.h - which conditions of a candidate can come out otherwise in another call, found in its tree alone.
// Every name of the file stands for all values that it is ever given: what follows can name a condition that
// never changes as one that may, but not the reverse.
#pragma once
#include "host/varies/fact.h"

// A function or lambda, and the one around it; NULL: the module's level.
typedef struct Scope Scope;
struct Scope {
    const Node *node;
    const Scope *outer;
};
typedef struct Varies Varies;

// The tensors that a call hands over. dense: none of them has gaps. Bit i of index: the elements of the i-th
// are whole numbers from 0 on. The last stride of each is 1.
enum { VARIES_INPUTS_MAX = 64 };
typedef struct {
    int n;
    uint8_t rank[VARIES_INPUTS_MAX];
    bool dense;
    uint64_t index;
} VariesInputs;
// `inputs` has to live as long. NULL for a file that is too large to be looked at: then everything may.
Varies *varies_new(Arena *a, const Node *module, const VariesInputs *inputs);
// Whether a condition of which `side` was not seen in any call can come out so in another one: by another
// size, stride, address or element, within a domain of tensors below FACT_ELEMENTS. All dtypes of it have
// been seen.
bool varies_may(Varies *v, const Scope *scope, const Node *cond, bool side);
// The same of a loop without a turn.
bool varies_loops(Varies *v, const Scope *scope, const Node *iter);
// Whether a loop that has had turns so far may have none in a later call, by what the program keeps.
bool varies_starves(Varies *v, const Scope *scope, const Node *iter);
// Whether a condition follows from what earlier calls have left behind: more of them may change it.
bool varies_keeps(Varies *v, const Scope *scope, const Node *cond);
// Arithmetic that can choose as a condition does, of numbers that objects keep or that are mixed (fact.h):
// whether it can come out as zero (side false) or not (true), or, for min() and max(), with the first
// argument (true) or another.
bool varies_computes(Varies *v, const Scope *scope, const Node *n, bool side);
// Whether a key that is looked up may be this entry's in some call: `entry` is its key in a dictionary, or NULL for
// the i-th item of n.
bool varies_meets(Varies *v, const Scope *scope, const Node *key, const Node *entry, int i, int n);
// Whether some call's callee itself is chosen by what differs from call to call.
bool varies_callee(const Varies *v);
