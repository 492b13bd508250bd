// pyvalue.h - Python's plain numbers and strings with Python's semantics, for constants (tile/) and host
// code. Integers are 64 bits and checked: an overflow is an error, never a wrap and never a big integer. //
// floors, % has the divisor's sign, / gives a float, ** of ints with a negative exponent gives a float; bool
// is an int.
#pragma once
#include "lang/ast.h"

typedef enum { PY_NONE, PY_BOOL, PY_INT, PY_FLOAT, PY_STR } PyKind;
typedef struct {
    PyKind kind;
    union {
        bool b;
        int64_t i;
        double f;
        Str s;
    };
} PyValue;

// On failure returns false and *why is what Python (or our limit) says: "ZeroDivisionError: division by
// zero", "OverflowError: integer does not fit 64 bits", "TypeError: unsupported operand type(s) for +: 'int'
// and 'str'".
MUST_CHECK bool py_binary(Arena *a, Oper op, PyValue l, PyValue r, PyValue *out, const char **why);
MUST_CHECK bool py_compare(Arena *a, Oper op, PyValue l, PyValue r, bool *out, const char **why);
MUST_CHECK bool py_unary(Arena *a, Oper op, PyValue v, PyValue *out, const char **why);
bool py_truth(PyValue v);
const char *py_type_name(PyKind k); // "NoneType", "bool", "int", "float", "str"
double py_log2(double x);           // math.log2: exact for powers of two, int(math.log2(n)) must not lose one
double py_log10(double x);          // math.log10: exact for the powers of ten that a double holds
void py_repr(Buf *out, PyValue v);  // floats as Python's repr: shortest that reads back
MUST_CHECK bool
py_from_literal(const Node *n, PyValue *out,
                const char **why); // INT FLOAT STRING TRUE FALSE NONE, and unary minus of a number
