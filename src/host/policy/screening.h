// screening.h - what the files of one screening share: screen.c (statements), screen_expr.c, screen_import.c.
#pragma once
#include "host/policy/library_names.h"
#include "host/policy/screen.h"

typedef struct Scope Scope; // what a function, or the module, binds
struct Scope {
    Scope *outer;
    Names names, params;
};
typedef struct {
    Arena *arena;
    DiagList *d;
    DiagList later; // UNSUPPORTED findings: they decide only where nothing is refused
    bool candidate;
    bool ok;
    bool in_function;
    bool late;          // something of the function stands before
    bool model;         // ModelNew is the entry: its parameters are inputs
    LibraryUse library; // which operators it may leave to PyTorch
    const Node *module;
    Str self;              // first parameter of the method around
    Names state;           // lists and dictionaries of the module that calls may change
    Names members;         // of all classes of the file, and attributes that their methods set
    Names limits;          // names of torch.finfo(...) and torch.iinfo(...)
    Names quiet, reaching; // what imports bring and host code does not use, some of it what reaches out
    int depth, found;
} Screen;

// `name` of a package of kernels that is not here.
void refuse_package(Screen *s, Span at, const Node *import, const Node *alias);

// ---- screen.c
// A finding; `what` and `name` begin its sentence where there is a name.
void refuse_as(Screen *s, DiagKind kind, Span at, const char *what, Str name, const char *why);
void refuse(Screen *s, Span at, const char *why);
void refuse_form(Screen *s, Span at, Form f);
void refuse_named(Screen *s, Span at, const char *what, Str name, Form f);
void refuse_name(Screen *s, Span at, Str name, bool member); // with the nearest name
bool too_deep(Screen *s, Span at);
void screen_statement(Screen *s, Scope *scope, const Node *n);

// ---- screen_expr.c
bool bound_here(const Scope *scope, Str name);
void screen_binding(Screen *s, Span at, Str name); // a name that is bound here
void screen_target(Screen *s, Scope *scope, const Node *n);
void screen_annotation(Screen *s, const Node *n);
void screen_params(Screen *s, Scope *scope, const Nodes *params);
void screen_expr(Screen *s, Scope *scope, const Node *n);
void screen_all(Screen *s, Scope *scope, const Nodes *list);
void screen_arguments(Screen *s, Scope *scope, const Node *call);
// Adds the names that hold torch.finfo(...) or torch.iinfo(...).
void collect_limits(void *names, const Node *n);
// A construct that is not read may hold names that are refused: those decide.
typedef struct {
    Screen *s;
    Scope *scope;
} Within;
void screen_child(void *within, const Node *n);
void refuse_within(Screen *s, Scope *scope, const Node *n, Form f);

// ---- screen_import.c
void screen_import(Screen *s, const Node *n);
