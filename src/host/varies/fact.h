// fact.h - what is known of a value whatever sizes a candidate is called with: an interval that holds it, and
// what it follows from. Facts only ever grow while a file is looked at (fact_join), so that looking ends.
#pragma once
#include "lang/ast.h"

// What a value follows from. VARIES: sizes, strides, addresses, elements, places in a grid, or what a GPU
// says of itself. DTYPE: dtypes of the inputs. NONE: whether it is None, or of which type, dtype or rank,
// follows from what VARIES means. EMPTY: a tensor that may have no elements, which no input is. HELD: a list,
// a dictionary or what holds one, to which something may have been added since. KEPT: what an earlier call
// may have left in an object. STAYS: what may outlive a call, so that a change to it is kept. MIXED: a
// remainder or bits of a large number: sizes that lie close together give numbers that do not.
enum {
    FACT_VARIES = 1,
    FACT_DTYPE = 2,
    FACT_NONE = 4,
    FACT_EMPTY = 8,
    FACT_HELD = 16,
    FACT_KEPT = 32,
    FACT_STAYS = 64,
    FACT_MIXED = 128,
    FACT_CHANGES = FACT_VARIES | FACT_KEPT // of a tensor: what its sizes follow from
};
// What is sure of it in every call. TENSOR: it is one, not None. UNIT: its last stride is 1. DENSE: it has no
// gaps. INDEX: its elements are not negative; of a pointer, those behind it. SMALL: it has no more elements
// than an input. BARE: a list or dictionary with nothing in it. GAPS, of a number, is no promise: it is the
// product of its dimensions or more, since the tensor may have gaps. REAL: a number that need not be whole.
// STEPS: a multiple of a quotient by a large number, which stays the same for many sizes. LAST, of a sequence
// of numbers: the last of them is 1.
enum {
    SURE_TENSOR = 1,
    SURE_UNIT = 2,
    SURE_DENSE = 4,
    SURE_INDEX = 8,
    SURE_SMALL = 16,
    SURE_BARE = 32,
    SURE_GAPS = 64,
    SURE_REAL = 128,
    SURE_STEPS = 256,
    SURE_LAST = 512
};
// NUMBERS: a list, a tuple or a range, all items of which the interval holds. THINGS: one of other things,
// for all of which the rest is true.
typedef enum { FACT_NOTHING, FACT_NUMBER, FACT_NUMBERS, FACT_OTHER, FACT_THINGS } FactKind;
typedef struct {
    FactKind kind;
    uint8_t how;
    uint16_t sure;
    uint8_t rank;  // of a tensor, or of those in a sequence; 0: not known
    uint8_t count; // how many items a sequence has; 0: not known
    uint8_t like;  // 1 + the input whose dtype a tensor has; 0: not known
    // A tensor with the shape of an input, 1 + its number, or numbers of that shape; a number: the product of
    // the dimensions whose bits are set. 0: not known.
    uint8_t of, dims;
    uint8_t klass;  // 1 + the class of the file whose object it is; 0: not known
    int64_t lo, hi; // +-FACT_FAR: unknown
} Fact;
static const int64_t FACT_FAR = INT64_MAX / 4;
// No tensor of the domain has as many elements, its gaps included, so that no size, stride or count reaches
// it, nor the product of a stride and the size of its dimension: 2^31, less what programs keep in hand when
// they choose between 32 and 64 bits for an index.
static const int64_t FACT_ELEMENTS = ((int64_t)1 << 31) - (1 << 16);

// A remainder by more, or bits of more than so many, mix numbers; a range of more values is not a choice.
enum { FACT_LARGE = 4096, FACT_LARGE_BITS = 12 };

typedef enum { TRUTH_UNKNOWN, TRUTH_NEVER, TRUTH_ALWAYS } Truth;

Fact fact_other(uint8_t how);
Fact fact_number(uint8_t how, int64_t lo, int64_t hi);
Fact fact_join(Fact a, Fact b);
bool fact_equal(Fact a, Fact b);
bool fact_is_tensor(Fact a);
Fact fact_item(Fact seq);               // of a sequence
Fact fact_sequence(Fact items);         // that has nothing but such items
Fact fact_item_at(Fact seq, int64_t i); // the i-th, from the end if negative
// Of the shape of an input: all its dimensions, or the product of some.
Fact fact_shape(uint8_t how, uint8_t of, uint8_t count, int64_t least);
Fact fact_dims(uint8_t how, uint8_t of, uint8_t dims, int64_t least);
Fact fact_unary(Oper op, Fact a);
Fact fact_binary(Oper op, Fact a, Fact b);
// The same in a kernel, of left operand `a`: what has more than 32 bits there may have wrapped around, and a
// remainder, a quotient or bits of it may be negative.
Fact fact_wrapped(Oper op, Fact a, Fact f);
Truth fact_compare(Oper op, Fact a, Fact b);
Truth fact_truth(Fact a);
Fact fact_of_truth(uint8_t how, Truth t);
// What a function of whole numbers, by the last part of its name, makes of its arguments: cdiv, min, range
// ... False: not one of these.
bool fact_call(Str name, const Fact *arg, int args, Fact *out);
