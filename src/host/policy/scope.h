// scope.h - which names the code of a file binds where, found in its tree alone; and what else the passes
// over host code share.
#pragma once
#include "lang/ast.h"

enum { WALK_MAX = 400 }; // how deep a pass over a tree goes
// What a class of a kernel file is, by the line that opens it.
typedef enum { CLASS_PLAIN, CLASS_MODULE, CLASS_AUTOGRAD, CLASS_NONE } ClassKind;

// A finding whose text is cut to a line of printable ASCII.
void diag_clean(DiagList *d, DiagKind kind, Span at, const char *fmt, ...) PRINTF(4, 5);

// Names that a statement list, or one target, binds in its own scope (nested functions' insides excluded).
typedef struct {
    Arena *arena;
    Str *at; // in order of first binding
    int n, cap;
    int *slot; // index + 1 into `at`, by hash; 2 * cap of them
} Names;
void names_add(Names *names, Str name);
bool names_have(const Names *names, Str name);
void names_of_block(Names *names, const Nodes *body, int depth);
void names_of_target(Names *names, const Node *target, int depth);
void names_of_expr(Names *names, const Node *n, int depth); // walrus targets
void names_of_params(Names *names, const Nodes *params);
void names_of_import(Names *names, const Node *import);
// Names that a module binds, at its level or anywhere inside: `more` are those that several statements of it
// bind, so that they do not stand for one thing throughout the file.
typedef struct {
    Names all, more;
} Bindings;
void names_of_module(Bindings *b, Arena *a, const Node *module);
bool bound_once(const Bindings *b, Str name);
// Whether a statement can return from the function that it stands in.
bool node_returns(const Node *n);
