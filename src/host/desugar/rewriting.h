// rewriting.h - what several passes of host_normalize() share: trees from text of ours, statements that
// others stand for, and names that an import brings.
#pragma once
#include "host/policy/screen.h"

void tree_place(Node *n, Span at); // a tree from text of ours stands where something else stood
Node *tree_of(Arena *a, const char *text, Span at); // one statement; NULL if it is none
// Statements of host code that others stand for, innermost first.
typedef bool Replaces(void *arg, Node *n, Nodes *out); // false: it stays
void statements_replace(Arena *a, Node *module, Replaces *replaces, void *arg);
void names_mentioned(void *names, const Node *n); // for node_each_child(): every name in a tree
int name_uses(const Node *n, Str name);           // how often a tree mentions it
void statement_drop(const Node *n);               // `pass` in its place
bool is_logger(const Node *module, const Bindings *bound, Str name); // logger = logging.getLogger(...)
// `name`, `from.name`: whether an import brings it, and nothing else in the file is called so.
bool is_brought(const Node *module, const Bindings *bound, const Node *n, const char *from, const char *name);
