// interp.h - one evaluation of host code: privilege, budgets, scopes. Made for one call and dropped after it.
#pragma once
#include "host/policy/screen.h"
#include "host/python/value.h"

enum {
    STEP_LANES = 64,        // what one step of host code takes from the lane budget
    DEPTH_MAX = 500,        // nested expressions, blocks and calls together
    HEAP_MAX = 16 << 20,    // bytes of host values of one call
    STRING_MAX = 1 << 20,   // bytes of one string
    TENSOR_BYTES = 1 << 26, // bytes of all tensors that one call may allocate at least: Machine.tensor_bytes
};

typedef struct {
    Str name;
    Value v;
} Slot;
struct Env {
    Env *outer;
    Slot *slot; // open addressing; cap is a power of two
    int cap, used;
    bool comprehension; // := binds in the function around it
    bool module;
    // The module holds a function that sees these names: looked at, and what they hold made so that it stays.
    bool looked, frozen;
};

struct Interp {
    Arena *arena;
    DiagList *d;
    const Node *module;
    bool candidate;
    int64_t *lanes; // budget
    size_t heap_left;
    int64_t tensor_bytes_left;
    int depth;
    int pruning;  // in how many functions that prune configs
    int memo;     // in how many functions whose results functools keeps
    int casting;  // in how many torch.autocast(...)
    int failing;  // in how many `raise` and failed `assert`: their texts are for people
    bool defined; // the module's statements have all run
    bool calling; // a candidate's program is built: what runs is a call of it
    Env *globals;
    // While a launch runs that was called as such: its call, and the scope that it stands in. Otherwise NULL.
    const Node *launching;
    const Env *launched_in;
    // Candidate.
    Machine *m;
    CodeCache *cache;
    const Value *weight; // inputs that nn.Parameter stands for (entry.c)
    int weights, weights_used;
    struct DeclaredParameters
        *declared; // a ModelNew is made for the shapes of its parameters (model_parameters.h)
    // Reference.
    BoundCtx *bound;
    struct ModuleForm *form; // in module form (module_form.h)
};

// Findings. All return false. Text is cut to a line of printable ASCII.
#define host_raise(in, at, ...)       (host_report((in), DIAG_HOST, (at), __VA_ARGS__), err_no())
#define host_refuse(in, at, ...)      (host_report((in), DIAG_REFUSED, (at), __VA_ARGS__), err_no())
#define host_unsupported(in, at, ...) (host_report((in), DIAG_UNSUPPORTED, (at), __VA_ARGS__), err_no())
#define host_refuse_form(in, at, form) \
    (host_report((in), form_rule[form].kind, (at), "%s", form_rule[form].why), err_no())
// Python's integers have no end; those here have 64 bits.
#define OVERFLOW_64_BITS "OverflowError: integer does not fit 64 bits"
#define BEYOND_64_BITS   "; integers of host code lie within -2**63 to 2**63 - 1 here"
void host_report(Interp *in, DiagKind kind, Span at, const char *fmt, ...) PRINTF(4, 5);

MUST_CHECK bool host_work(Interp *in, Span at, int64_t lanes); // DIAG_BUDGET when spent
static inline bool host_step(Interp *in, Span at) { return host_work(in, at, STEP_LANES); }
// Zeroed memory of the call, or NULL with a MemoryError.
void *host_new(Interp *in, Span at, int64_t count, size_t size);
#define HOST_NEW(in, at, T, n) ((T *)host_new((in), (at), (n), sizeof(T)))

// Arguments of a call.
typedef struct {
    Value *pos;
    int n;
    Str *name;
    Value *named;
    int names;
    Span at;
} Args;

MUST_CHECK bool eval(Interp *in, Env *env, const Node *n, Value *out);
MUST_CHECK bool call_value(Interp *in, Value f, const Args *args, Value *out);
MUST_CHECK bool binary_values(Interp *in, Span at, Oper op, Value l, Value r, Value *out);
// While sizes are looked for that make a difference (tile/cover/outcomes.h); otherwise nothing.
void note_computed(const Interp *in, uint32_t at, Value l, Value r, Value result);
void note_truth(const Interp *in, const Node *n, bool holds); // of one that was asked for it
void note_taken(const Interp *in, bool truth);                // of what decides between two branches
void note_turn(const Interp *in, uint32_t at, int turn);
MUST_CHECK bool compare_values(Interp *in, Span at, Oper op, Value l, Value r, bool *out); // not for tensors
MUST_CHECK bool get_member(Interp *in, Span at, Value v, Str name, Value *out);
MUST_CHECK bool limits_member(Interp *in, Span at, Value v, Str name, Value *out); // of torch.finfo(...)
MUST_CHECK bool subscript_get(Interp *in, Span at, Value of, Value index, Value *out);
MUST_CHECK bool subscript_set(Interp *in, Span at, Value of, Value index, Value v); // lists and dictionaries
MUST_CHECK bool subscript_delete(Interp *in, Span at, Value of, Value index);
MUST_CHECK bool assign(Interp *in, Env *env, const Node *target, Value v);

Env *env_new(Interp *in, Span at, Env *outer, int names);
Slot *env_find(const Env *env, Str name); // in this scope alone
MUST_CHECK bool env_set(Interp *in, Span at, Env *env, Str name, Value v);
MUST_CHECK bool kept_in_reach(Interp *in, Span at); // whether what calls change may be read here
MUST_CHECK bool env_read(Interp *in, Span at, Env *env, Str name, Value *out); // Python's lookup, API last

MUST_CHECK bool function_new(Interp *in, Env *env, const Node *node, Value *out); // evaluates defaults
MUST_CHECK bool function_call(Interp *in, const Function *f, const Args *args, Value *out);
// Functions whose results functools keeps (function_cache.c): whether arguments are keys that mean one thing,
// whether a result may be kept, and whether this is no such function's inside.
MUST_CHECK bool cached_takes(Interp *in, const Node *function, const Args *args);
MUST_CHECK bool cached_gives(Interp *in, const Node *function, Span at, Value v);
MUST_CHECK bool cached_no_work(Interp *in, Span at);
// Classes of candidates (classes.c).
MUST_CHECK bool class_new(Interp *in, Env *env, const Node *node, Value *out);
MUST_CHECK bool class_call(Interp *in, Value f, const Args *args, Value *out); // of a class, object or method
MUST_CHECK bool enum_subscript(Interp *in, Span at, const Class *c, Value name, Value *out);
MUST_CHECK bool method_new(Interp *in, Span at, Value self, Value function, Str name, Value *out);
bool class_is(Value v, const char *kind); // a class with that name in it: NAMED_TUPLE, ENUM_CLASS
MUST_CHECK bool partial_call(Interp *in, const Partial *p, const Args *args, Value *out);
MUST_CHECK bool class_member(Interp *in, Span at, Value v, Str name, Value *out);
MUST_CHECK bool object_set(Interp *in, Span at, Value of, Str name, Value v);
MUST_CHECK bool object_delete(Interp *in, Span at, Value of, Str name); // an attribute of it
MUST_CHECK bool module_run(Interp *in); // executes the module's statements into in->globals

// Tensors of either kind (tensor_shape.c).
MUST_CHECK bool tensor_index(Interp *in, Span at, Value t, const Value *item, int items, Value *out);
int value_rank(Value t);
int64_t value_numel(Value t);
const int64_t *value_shape(Value t);
DType value_elem(Value t);
// 0..rank-1; a negative axis is counted from the end.
MUST_CHECK bool shape_axis(Interp *in, Span at, Value axis, int rank, int *out);
// Ints, or one tuple of them.
MUST_CHECK bool shape_sizes(Interp *in, Span at, const Value *v, int n, int64_t *out, int *rank);
bool shape_sane(const int64_t *size, int rank); // products of sizes cannot overflow
// Other sizes for the same elements; one may be -1. A view that strides forbid is an error, a reshape copies.
MUST_CHECK bool shape_view(Interp *in, Span at, Value t, const int64_t *size, int rank, Value *out);
MUST_CHECK bool shape_reshape(Interp *in, Span at, Value t, const int64_t *size, int rank, Value *out);
MUST_CHECK bool shape_transpose(Interp *in, Span at, Value t, int a, int b, Value *out);
// `count` elements of an axis from `start` on, which lie within it; one element, without the axis; a new axis
// of one.
typedef struct {
    int axis;
    int64_t start, count, step;
} SliceOf;
MUST_CHECK bool shape_slice(Interp *in, Span at, Value t, SliceOf s, Value *out);
MUST_CHECK bool shape_select(Interp *in, Span at, Value t, int axis, int64_t index, Value *out);
MUST_CHECK bool shape_unsqueeze(Interp *in, Span at, Value t, int axis, Value *out);

// Candidate (candidate.c, tune.c).
static inline int64_t host_tensor_bytes(const Interp *in) { // of one call
    return in->m->tensor_bytes > TENSOR_BYTES ? in->m->tensor_bytes : TENSOR_BYTES;
}
MUST_CHECK bool kernel_new(Interp *in, Env *env, const Node *function, Value *out); // with its decorators
// What the decorators make of a launch's arguments.
typedef struct {
    // Of a kernel with several configs, which Triton runs one after another before the run that counts: the
    // arguments that it sets to zero before each of them, and those that it restores after. restless: it has
    // several.
    bool restless;
    const Seq *zeroed, *restored;
    int choices;            // configs to choose among
    int config;             // the one chosen
    struct TunedKey *under; // what is known of them under this call's key, or NULL
} Choice;
// The config after the next `skip` ones: those do not fit.
MUST_CHECK bool kernel_tune(Interp *in, const Launcher *l, const Args *args, int skip, Args *out,
                            Choice *how);
// Triton's tuner passes over configs that do not compile for want of resources or by tl.static_assert, if it
// is in a call that tunes. In others with the same key that config runs, and fails.
bool choice_passes_over(const Choice *how, int skip);
MUST_CHECK bool choice_holds(Interp *in, const Launcher *l, Span at, const Choice *how);
MUST_CHECK bool tensor_copy(Interp *in, Span at, Value t, Value *out); // contiguous, billed
MUST_CHECK bool tensor_value(Interp *in, Span at, const Tensor *t, bool cpu, Value *out);
MUST_CHECK bool kernel_launch(Interp *in, const Launcher *l, const Args *args);
MUST_CHECK bool tensor_new(Interp *in, Span at, DType t, int rank, const int64_t *size,
                           Value *out); // no bytes

// What a ModelNew leaves to PyTorch's library (library_operators.c). Whether it may: of "F.relu", "+", of a
// method.
bool library_may(const Interp *in, Str name);
bool library_may_call(const Interp *in, Value of, Str method);
MUST_CHECK bool library_function(Interp *in, Span at, Str name, Value *out);
MUST_CHECK bool library_method(Interp *in, Span at, Value of, Str name, Value *out);
// One operand is a tensor. in_place: it is the left one, and the result takes its place.
typedef struct {
    Oper op;
    Value left, right; // right unbound: an operator of one operand
    bool in_place;
} LibraryOperator;
MUST_CHECK bool library_operator(Interp *in, Span at, const LibraryOperator *o, Value *out);

// Reference (reference.c).
typedef struct {
    BoundOp op;
    const Value *operand; // numbers become literals
    int operands;
    const int64_t *attr;
    int attrs;
    double scalar;
} BoundStep;
MUST_CHECK bool bound_do(Interp *in, Span at, const BoundStep *s, Value *out);
MUST_CHECK bool bound_binary(Interp *in, Span at, Oper op, Value l, Value r, Value *out);
MUST_CHECK bool bound_unary(Interp *in, Span at, Oper op, Value v, Value *out);
