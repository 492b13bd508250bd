// print.h - what the files of the printer share; private to lang/.
#pragma once
#include "lang/ast.h"

// How tightly an expression binds; a place that asks for at least L puts parentheses around anything looser.
typedef enum {
    BARE,  // a tuple or yield without parentheses
    NAMED, // name := .., though not where a bare tuple may stand
    TEST,  // conditional, lambda
    OR,
    AND,
    NOT,
    COMPARISON,
    INFIX, // the six levels of token.def
    UNARY = INFIX + 6,
    POWER,
    AWAIT,
    POSTFIX,
} Level;

typedef struct {
    Buf *out;
    int indent;
    int quotes; // depth of f-strings: how their inner strings are quoted
    bool field; // directly in the braces of an f-string: a lambda's colon would end the expression
} Printer;

static inline void put(Printer *p, const char *s) { buf_puts(p->out, s); }

// ---- print_expr.c
void put_expr(Printer *p, const Node *n, Level least);
void put_list(Printer *p, const Nodes *items, Level least); // commas between
void put_target(Printer *p, const Node *n);                 // of a `for`
void put_params(Printer *p, const Nodes *params);
void put_arguments(Printer *p, const Nodes *args, const Nodes *keywords, bool call);
