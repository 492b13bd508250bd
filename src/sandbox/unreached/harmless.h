// harmless.h - what of a file cannot matter whether a case reaches it or not: it raises, it prints, it
// changes what no answer follows from.
#pragma once
#include "lang/ast.h"
#include "tile/cover/cover.h"

typedef struct Harmless Harmless;
Harmless *harmless_new(Arena *a, const Node *module, const Cover *cover);
// Whether a part launches something, or calls a function of the file, which may do anything.
bool harmless_works(const Harmless *h, const Node *n); // n may be NULL
// A statement that does nothing which an answer could follow from.
bool harmless_statement(const Harmless *h, const Node *n);
// One that changes only what nothing but such statements reads: `self.calls = 0`, where the count goes
// nowhere.
bool harmless_change(const Harmless *h, const Node *n);
// A branch with nothing but changes of that kind in it: nor does its condition matter.
bool harmless_branch(const Harmless *h, const Node *branch);
// Of a conditional expression the arm that was left out, where it would give a launch other options alone.
bool harmless_arm(const Harmless *h, const Node *ifexp, const Node *arm);
// Of a look-up the i-th entry that no key has met, where it would give a launch other options alone.
bool harmless_entry(const Harmless *h, const Node *look_up, const Node *table, int i);
// A loop that takes items out of what it goes through, and does nothing else: that it has no turn in some
// call cannot matter.
bool harmless_taking(const Harmless *h, const Node *loop);
// Nothing but an exception comes of it.
bool ends_in_raise(const Nodes *body);
