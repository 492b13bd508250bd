// screen.h - what host code may not contain, whether it is reached or not: by its form (syntax_policy.c), and
// by its names (screen.c).
#pragma once
#include "host/host.h"
#include "host/policy/scope.h"

// What is outside both privileges by its form, and whether that is a rejection or merely not read (FORM rows
// of refused.def).
typedef enum {
#define FORM(id, kind, reason) FORM_##id,
#include "host/policy/refused.def"
} Form;
typedef struct {
    DiagKind kind;
    const char *why;
} FormRule;
extern const FormRule form_rule[];
Form node_form(NodeKind kind); // FORM_OTHER for one that merely stands in a wrong place
// The lines that a kernel file (or a reference) may import with; otherwise *why says what is wrong.
bool import_canonical(const Node *n, bool candidate, const char **why);
// Those, and of a candidate at module level those of imports.c.
bool import_allowed(const Node *n, bool candidate, const char **why);
// A candidate's import that takes names out of torch, triton or math, or one that brings names which host
// code does not use (unused_imports.def).
bool import_harmless(const Node *n);
bool import_brings(const Node *n); // the first of these two
// Why an import of names that triton.language does not have would fail, in Python's words; else NULL.
const char *import_missing(Arena *a, const Node *n);
// What stands there as it is: a whole number, a text, True, False or None.
bool is_written(const Node *n);
// A list or a tuple of texts; whole: of texts and whole numbers.
bool is_written_list(const Node *n, bool whole);
// One of the names that have a meaning of their own wherever they stand ("torch", "tl"; `from` imports give
// some of them), counted from 0; -1 for any other.
enum { KNOWN_ROOTS = 9 };
int known_root(Str name);
bool imports_normalize(Arena *a, Node *module, DiagList *d);
// Lists and dictionaries of the module that calls may change are marked (Node.assign.kept); their names.
void module_state_normalize(Arena *a, Node *module);
void names_of_state(Names *names, const Node *module);
// The same in classes; and whether a statement of a class's body gives a name such a value, or a fixed one.
void class_state_normalize(Arena *a, Node *module);
bool is_class_value(const Node *statement);
// Whether imports of __future__ stand before all others: anywhere else, run or not, they end the reading of a
// file.
bool futures_first(const Node *module, DiagList *d);
// Whether what Python evaluates while it defines the file's functions is there by then.
bool defined_in_time(Arena *a, const Node *module, DiagList *d);
// Whether a file that imports anything imports all of the modules that it names.
bool imports_complete(Arena *a, const Node *module, DiagList *d);
// Names that host code does not use, and those of them that reach the interpreter, the process, a clock, or
// compute.
// From a package of kernels that is not here: what it brings nobody knows.
bool import_of_package(const Node *n, const Node *alias);
const char *package_reason(Arena *a, const Node *n, const Node *alias); // what to do about one that is used
void names_of_quiet(Arena *a, Names *names, Names *reaching, const Node *n);
// Decorators of a function: *jit is set for a kernel. False for anything else: *why says what is wrong.
bool decorators_allowed(const Node *function, bool *jit, Form *why);
// One item of a `with` that changes nothing here: which device is current, that no gradients are kept.
bool context_quiet(const Node *item);
// What a class of a candidate is, by its header; CLASS_NONE for one that it may not define.
ClassKind class_kind(const Node *n);
// False: decorators or a name that methods may not have.
typedef enum { METHOD_PLAIN, METHOD_STATIC, METHOD_OF_CLASS, METHOD_PROPERTY } MethodKind;
bool is_method(const Node *function, MethodKind *kind);
bool is_super_init(const Node *call); // super().__init__() and super(C, self).__init__()
// What module-level statements and defaults may hold: values that nobody can change.
bool is_constant(const Node *n);
// A list of configs may stand at module level: nothing can change it there (exec.c makes it a tuple).
bool is_configs(const Node *n);
// Lists and dictionaries of such values, which exec.c freezes at a candidate's module level.
bool is_collection(const Node *n);
// tl.x, libdevice.x: at module level a name for it, which kernels alone can use unless api.def has it.
bool is_device_alias(const Node *n);
// Literal["a", "b"], typing.Optional[int]: of typing, where its names are imported.
bool is_type_name(const Node *module, const Node *n);
// `if __name__ == "__main__":` without an else, which is skipped at a candidate's module level.
bool is_main_guard(const Node *n);
// Whether a statement of a module may stand in a kernel file as an import, a constant or a kernel, by its
// form.
bool host_stays(const Node *module, const Node *n);
bool host_screen_reference(const Node *module, DiagList *d);
const Node *entry_model(const Node *module); // the class, where a file without `run` has one; NULL
bool is_parameter(const Node *call);         // nn.Parameter(...)
