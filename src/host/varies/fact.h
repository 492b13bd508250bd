// fact.h - what is known of a value whatever sizes a candidate is called with: an interval that holds it, and
// what it follows from. Facts only ever grow while a file is looked at (fact_join), so that looking ends.
#pragma once
#include "lang/ast.h"

// What a value follows from. VARIES: sizes, strides, addresses, elements or places in a grid. DTYPE: dtypes
// of the inputs. NONE: whether it is None, or of which type, follows from what VARIES means. EMPTY: a tensor
// that may have no elements, which no input is.
enum { FACT_VARIES = 1, FACT_DTYPE = 2, FACT_NONE = 4, FACT_EMPTY = 8 };
// NUMBERS: a list, a tuple or a range, all items of which the interval holds.
typedef enum { FACT_NOTHING, FACT_NUMBER, FACT_NUMBERS, FACT_OTHER } FactKind;
typedef struct {
    FactKind kind;
    uint8_t how;
    int64_t lo, hi; // +-FACT_FAR: unknown
} Fact;
static const int64_t FACT_FAR = INT64_MAX / 4;
// No tensor of the domain has as many elements, so that no size, stride or count reaches it.
static const int64_t FACT_ELEMENTS = (int64_t)1 << 31;

typedef enum { TRUTH_UNKNOWN, TRUTH_NEVER, TRUTH_ALWAYS } Truth;

Fact fact_other(uint8_t how);
Fact fact_number(uint8_t how, int64_t lo, int64_t hi);
Fact fact_join(Fact a, Fact b);
Fact fact_item(Fact seq); // of a sequence
Fact fact_unary(Oper op, Fact a);
Fact fact_binary(Oper op, Fact a, Fact b);
Truth fact_compare(Oper op, Fact a, Fact b);
Truth fact_truth(Fact a);
Fact fact_of_truth(uint8_t how, Truth t);
// What a function of whole numbers, by the last part of its name, makes of its arguments: cdiv, min, range
// ... False: not one of these.
bool fact_call(Str name, const Fact *arg, int args, Fact *out);
