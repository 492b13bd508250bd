// screen.h - what host code may not contain, whether it is reached or not.
#pragma once
#include "host/interp.h"

// Why a construct is outside both privileges; a general sentence for one that merely stands in a wrong place.
const char *node_refused(NodeKind kind);
// The four import lines (and a reference's); otherwise *why says what is wrong.
bool import_allowed(const Node *n, bool candidate, DiagKind *kind, const char **why);
// Decorators of a function: *jit is set for a kernel. False with a finding for anything else.
bool decorators_allowed(const Node *function, bool *jit, DiagKind *kind, const char **why);
// One item of a `with` that changes nothing here: which device is current, that no gradients are kept.
bool context_quiet(const Node *item);
// What a class of a candidate is, by its header; CLASS_NONE for one that it may not define.
ClassKind class_kind(const Node *n);
bool is_method(const Node *function,
               bool *is_static);      // false: decorators or a name that methods may not have
bool is_super_init(const Node *call); // super().__init__() and super(C, self).__init__()
// Whether a statement of a module may stand in a kernel file as an import, a constant or a kernel, by its
// form.
bool host_stays(const Node *module, const Node *n);
bool host_screen_reference(const Node *module, DiagList *d);
