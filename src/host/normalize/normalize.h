// normalize.h - the parts of host_normalize(): each puts a common form in the place of what Python has many
// forms for.
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
void named_values_normalize(Arena *a, Node *module);
void entry_forms_normalize(Arena *a, Node *module);
void inherits_normalize(Arena *a, Node *module);
void module_holders_normalize(Arena *a, Node *module);
void data_classes_normalize(Arena *a, Node *module);
#define DATA_CLASS  "data class"  // a name in such a class
#define NAMED_TUPLE "named tuple" // of a class whose objects are tuples
void enums_normalize(Arena *a, Node *module);
#define ENUM_CLASS "enum class" // of one whose constants are its only objects
void local_imports_normalize(Arena *a, Node *module);
void submodules_normalize(Arena *a, Node *module); // from package import module, of --include
void matches_normalize(Arena *a, Node *module);
void finally_normalize(Arena *a, Node *module);           // try without handlers
void text_formats_normalize(Arena *a, Node *module);      // "{}".format(n)
void compiled_kernels_normalize(Arena *a, Node *module);  // kernel = f.warmup(...); kernel[grid](...)
void generators_normalize(Arena *a, Node *module);        // functions with `yield`
void look_ups_normalize(Arena *a, Node *module);          // try: x = C[key] except KeyError: ...
void context_functions_normalize(Arena *a, Node *module); // @contextmanager without effect
void typing_words_normalize(Arena *a, Node *module);      // Protocol, TypeVar and their like; SimpleNamespace
void versions_normalize(Arena *a, Node *module);          // what is asked of torch.version
void questions_normalize(Arena *a, Node *module);
// Definitions under an `if` of the module whose answer is not fixed: both, one of them chosen.
void device_halves_normalize(Arena *a, Node *module); // of functions that kernels call
void module_branches_normalize(Arena *a, Node *module);
bool conditions_normalize(Arena *a, Node *module); // false: there was nothing to decide
MUST_CHECK bool foreign_normalize(Arena *a, Node *module, DiagList *d);
void inductor_normalize(Arena *a, Node *module); // files that torch's compiler wrote
bool foreign_type(Str path); // "torch.distributed.tensor.DTensor": a class that no value here is of
// Questions whether a value is of classes that no value here is of: imported ones, and numbers that are
// complex.
void types_normalize(Arena *a, Node *module, const Names *types);
bool facts_normalize(Arena *a, Node *module); // x.is_cuda, and flags of the module; false: nothing is asked
// Functions under the decorator of these names as what it makes of them.
MUST_CHECK bool pointwise_normalize(Arena *a, Node *module, const Names *names, DiagList *d);
void dead_code_drop(Arena *a, Node *module);
void backwards_drop(Node *module);                                           // what gradients alone ask for
bool is_backward(const Node *module, const Node *klass, const Node *method); // that it is such
void module_loops_normalize(Arena *a, Node *module); // lists and dictionaries that a loop fills
void registries_normalize(Arena *a, Node *module);   // @register("name")
void module_tests_drop(Arena *a, Node *module);      // tests that run when a file is imported
// Whether a statement of the module can change, when the file is imported, what the names of `kept` mean, or
// anything outside the file. What those names are themselves is not looked at.
bool statement_leaves(Arena *a, const Node *module, const Names *kept, const Node *s);
void wrappers_normalize(Arena *a, Node *module);
Node *wrapper_given(const Node *g);               // the one function that g defines and returns; NULL
void operators_normalize(Arena *a, Node *module); // torch.library, and calls by torch.ops
void operator_use(Arena *a, const Node *module, Str space, Str op, Str function);
void contiguous_normalize(Arena *a, Node *module); // decorators that make arguments contiguous
void attributes_normalize(Arena *a, Node *module); // getattr and its like, of names that are written down
bool is_member_of_modules(Str name);               // that nn.Module gives every module, or may give it
void memoised_normalize(Arena *a, Node *module);
void augmented_normalize(Arena *a, Node *module);
void first_items_normalize(Arena *a, Node *module);  // next(iter(x))
void named_truths_normalize(Arena *a, Node *module); // bool, any and their like where they are not called
