// checker.h - what the files of the checker share; private to tile/. The checker walks a kernel's syntax tree
// once for one launch signature, in Triton's order, with a value for every name: a Python constant, a type, a
// tuple, a function, or a register of the code that it emits on the way. Every function that can find a fault
// returns false after recording the first one.
#pragma once
#include "lang/pyvalue.h"
#include "tile/check/check.h"
#include "tile/code/hint.h"
#include "tile/cover/cover.h"

enum {
    VISITS_MAX = 1 << 20,     // nodes visited, unrolled loops and inlined helpers counted each time
    DEPTH_MAX = 300,          // levels of nodes and calls together: bounds the machine stack
    CALLS_MAX = 30,           // helpers inlined into one another
    LOOPS_MAX = 30,           // loops inside one another
    OP_ARGS_MAX = 12,         // parameters of one row of op.def
    TUPLE_MAX = 1 << 12,      // items of a tuple
    TEXT_BYTES_MAX = 1 << 16, // of a string
    RUNTIME_ARGS_MAX = 1000,  // cells of one launch
};

typedef enum {
    VAL_PY,       // a constexpr number, string or None
    VAL_TYPE,     // a dtype, pointer type or block type
    VAL_TENSOR,   // a register
    VAL_TUPLE,    // also lists: Triton makes no difference
    VAL_FUNCTION, // a jit function of this file
    VAL_MODULE,   // a dotted path: "triton.language"
    VAL_OP,       // a row of op.def, perhaps bound to its receiver
    VAL_BUILTIN,  // a row of the builtins of builtin.def, a method of a dtype, or `constexpr`
    VAL_SLICE,    // lo:hi:step as a tuple of three
    VAL_BLOCK,    // a block pointer or a tensor descriptor
} ValKind;

typedef struct Val Val;
typedef struct OpRow OpRow;
typedef struct Builtin Builtin;
// What is static about a block pointer or a tensor descriptor: the tile that a load of it gives.
typedef struct {
    TileType tile;
    bool descriptor, nan; // nan: lanes of a descriptor's tile outside of the tensor read as NaN, not zero
    bool made;            // a descriptor that the kernel itself has made
} Block;
typedef struct {
    const OpRow *row;
    Str name;        // the spelling used, for messages
    const Val *self; // or NULL
} OpUse;
struct Val {
    ValKind kind;
    bool to_tile; // TYPE: a pointer to a tile, not a tile of pointers
    bool wrapped; // FUNCTION, TYPE: a constexpr: it came as an argument, or a name was declared as one
    union {
        PyValue py;
        TileType type; // TYPE
        struct {
            TileType type;
            int reg;
        } t; // TENSOR
        struct {
            const Val *at;
            int n;
            const Block *block;
        } tuple; // TUPLE, SLICE; BLOCK: base, then shape, strides and (not of a descriptor) offsets
        struct {
            const Node *function, *home; // home: the module whose names it sees
        };
        Str path; // MODULE
        OpUse op;
        struct {
            const Builtin *row;
            Str name;
            const Val *self;
        } builtin;
    };
};

typedef struct {
    Str name;
    Val value;
    bool here; // assigned since the innermost `if` arm began (Triton's local_defs)
} Local;
typedef struct {
    Local *at;
    int n, cap;
} Scope;

typedef struct Frame Frame;
struct Frame {
    const Node *function, *module;
    Frame *caller;
    Scope scope;
    bool kernel;
    int loops;           // runtime loops of this function around the current statement
    bool direct;         // the only return is the last statement: its value needs no copy
    bool returned, dead; // dead: every path to here has returned
    Val result;          // after the first return
    int lifted_returns;  // check_lifted.c, where each lane returns by itself
    bool all_gone;
    Val gone;           // unless all have: the lanes that have returned, after the first return
    const Val *entered; // Checker.guard of the call
    int *exits;         // JUMPs to the end of an inlined helper
    int exit_count, exit_cap;
};

typedef struct {
    DType elem;
    int64_t imm;
    int reg, next;
} Constant;
enum { CONSTANT_SLOTS = 256 };

typedef struct {
    int insn;     // last one that writes it
    int region;   // of that instruction
    bool shared;  // written by several instructions, or before the body
    int constant; // 1 + its place among the constants, or 0
} Definition;

typedef struct {
    Arena *arena;
    const Node *prelude; // parsed when the first row needs it
    const Node
        *foreign; // the call by which the checker left the kernel's own text, or NULL: what findings point to
    DiagList *diags;
    Frame *frame;
    bool failed;
    int visits, depth, calls, loops;
    int lifted;               // inside functions that combine tiles lane by lane (check_lifted.c)
    const Val *guard;         // there: the lanes that chose the arm that is visited, or NULL for all of them
    Cover *cover;             // or NULL
    CodeStatement *statement; // where cover is asked for
    int statements, statement_cap;
    CodeStatement *compare; // the same of comparisons that are made when the kernel runs
    int compares, compare_cap;
    int64_t compared[COMPARED_MAX]; // Code.compared
    int compareds;
    SharedUse *shared; // Code.shared
    int shareds, shared_cap;
    bool asserted;        // a tl.static_assert of the kernel itself has failed
    bool scratch;         // see Code.scratch
    bool globals_allowed; // while a parameter's default is evaluated
    // Code. Constants and parameters go to a preamble that is put in front at the end.
    Insn *insn;
    int insns, insn_cap;
    Insn *pre;
    int pres, pre_cap;
    Register *reg;
    Definition *def; // of each register
    int regs, reg_cap;
    Constant *constant;
    int constants, constant_cap;
    int slot[CONSTANT_SLOTS];
    int region, regions; // straight-line stretch: the same number means executed together
} Checker;

// ---- checker.c: faults, values, limits
// "message" as Triton words it; err: the Python exception whose repr() Triton prints, or NULL for the bare
// text.
// Both are `false`, as diag_add() is.
#define checker_fail(c, at, err, ...)   (checker_record((c), (at), (err), __VA_ARGS__), err_no())
#define checker_unsupported(c, at, ...) (checker_record_unsupported((c), (at), __VA_ARGS__), err_no())
void checker_record(Checker *c, const Node *at, const char *err, const char *fmt, ...) PRINTF(4, 5);
void checker_record_unsupported(Checker *c, const Node *at, const char *fmt, ...) PRINTF(3, 4);
void checker_warn(Checker *c, const Node *at, const char *fmt, ...) PRINTF(3, 4);
MUST_CHECK bool checker_spend(Checker *c, const Node *at, int64_t visits);
MUST_CHECK bool checker_text(Checker *c, const Node *at, size_t bytes); // strings are work, too
MUST_CHECK bool checker_enter(Checker *c,
                              const Node *at); // one level deeper; checker_leave() on success only
void checker_leave(Checker *c);

Val val_py(PyValue p);
Val val_none(void);
Val val_bool(bool b);
Val val_int(int64_t i);
Val val_float(double f);
Val val_str(Str s);
Val val_dtype(DType t);
Val val_type(TileType t);
Val val_tensor(const Checker *c, int reg);
Val val_tuple(const Val *at, int n);
static inline bool val_is_none(const Val *v) { return v->kind == VAL_PY && v->py.kind == PY_NONE; }
static inline bool val_is_py(const Val *v, PyKind k) { return v->kind == VAL_PY && v->py.kind == k; }
static inline bool val_is_tensor(const Val *v) { return v->kind == VAL_TENSOR; }
static inline bool val_has_items(const Val *v) { return v->kind == VAL_TUPLE || v->kind == VAL_BLOCK; }
static inline bool val_is_number(const Val *v) { // Python's numbers.Number
    return v->kind == VAL_PY && (v->py.kind == PY_BOOL || v->py.kind == PY_INT || v->py.kind == PY_FLOAT);
}
bool val_same(const Val *a, const Val *b); // the same constant or register
bool val_same_type(const Val *a, const Val *b);
const char *val_type_text(Checker *c, const Val *v); // Triton's type: "fp32", "constexpr[4]"
const char *val_class(const Val *v);                 // Python's class: "tensor", "constexpr"
const char *val_text(Checker *c, const Val *v);      // as an f-string prints it
const char *type_text(Checker *c, const TileType *t);
const char *type_repr(Checker *c, const TileType *t);
bool type_same(const TileType *a, const TileType *b);
bool shape_same(const TileType *a, const TileType *b);
const char *node_class(const Node *n); // the name of Python's ast class

Span checker_span(const Checker *c, const Node *at); // where to say it

// ---- emit.c: registers and instructions
int checker_register(Checker *c, const Node *at, TileType type); // -1 after a fault
// Appends, with the place in the source; false when the code is too long.
MUST_CHECK bool checker_emit(Checker *c, const Node *at, Insn s);
// The same with a new register of this type as `d`.
MUST_CHECK bool checker_result(Checker *c, const Node *at, TileType type, Insn s, Val *out);
MUST_CHECK bool checker_constant(Checker *c, const Node *at, DType elem, PyValue v,
                                 Val *out); // no range check
MUST_CHECK bool checker_parameter(Checker *c, const Node *at, TileType type, int cell, Val *out);
int checker_region(Checker *c); // begins a new stretch, returns the old one for checker_region_end()
void checker_region_end(Checker *c, int old);
Code *checker_finish(Checker *c, Str kernel); // NULL after a fault

// ---- promote.c: Triton's type rules
MUST_CHECK bool check_to_tensor(Checker *c, const Node *at, const Val *v, Val *out);
MUST_CHECK bool check_cast(Checker *c, const Node *at, const Val *v, DType to, Val *out);
MUST_CHECK bool check_cast_rounding(Checker *c, const Node *at, const Val *v, DType to, const char *rounding,
                                    Val *out);
const char *check_shape_text(Checker *c, const TileType *t);
// To a shape that was written down, or to that of another value: Triton prints the two differently.
MUST_CHECK bool check_broadcast_like(Checker *c, const Node *at, const Val *v, const TileType *to, Val *out);
MUST_CHECK bool check_broadcast_to(Checker *c, const Node *at, const Val *v, const TileType *shape, Val *out);
MUST_CHECK bool check_broadcast(Checker *c, const Node *at, Val *l, Val *r); // both; one lane stays as it is
MUST_CHECK bool check_binary_insn(Checker *c, const Node *at, InsnOp op, const Val *l, const Val *r,
                                  Val *out);           // l's type, after check_broadcast()
TileType check_joint_type(const Val *l, const Val *r); // of l's elements, after check_broadcast()
MUST_CHECK bool check_reshape(Checker *c, const Node *at, const Val *v, const int *shape, int rank, Val *out);
MUST_CHECK bool check_expand(Checker *c, const Node *at, const Val *v, int axis, Val *out);
enum { ALLOW_LEFT_POINTER = 1, ALLOW_RIGHT_POINTER = 2, NO_ARITHMETIC = 4, DIV_OR_MOD = 8 };
MUST_CHECK bool check_promote(Checker *c, const Node *at, Val *l, Val *r, int flags);
bool integer_promote(DType a, DType b, DType *out);     // false when one is no integer
static inline bool type_is_integer(const TileType *t) { // Triton counts int1
    return !t->pointer && dtype_info[t->elem].kind != DTYPE_KIND_F;
}
static inline bool type_is_float(const TileType *t) { return !t->pointer && dtype_is_float(t->elem); }
static inline bool dtype_is_signed(DType t) { return dtype_info[t].kind == DTYPE_KIND_I; }

// ---- kernel_operators.c: + - * ... on any values
MUST_CHECK bool check_binary(Checker *c, const Node *at, Oper op, const Val *l, const Val *r, Val *out);
// An integer that the source compares with, or a minimum or maximum chooses from.
void check_note_compared(Checker *c, const Val *v);
// What an expression that may combine truths has given.
void check_note_combined(Checker *c, const Node *n, const Val *out);
MUST_CHECK bool check_compare(Checker *c, const Node *at, Oper op, const Val *l, const Val *r, Val *out);
MUST_CHECK bool check_unary(Checker *c, const Node *at, Oper op, const Val *v, Val *out);
MUST_CHECK bool check_logical(Checker *c, const Node *at, bool is_or, const Val *l, const Val *r, Val *out);
MUST_CHECK bool check_truth(Checker *c, const Node *at, const Val *v, bool *out);      // of a constexpr `if`
MUST_CHECK bool check_bool_scalar(Checker *c, const Node *at, const Val *v, Val *out); // of a runtime `if`

// ---- triton_names.c: dotted paths of Triton
typedef enum { FOUND_NOTHING, FOUND, FOUND_UNSUPPORTED } Found;
// *why, unless it is FOUND: "module 'triton.language' has no attribute 'tanh'", or the feature.
Found triton_find(Arena *a, Str path, Val *out, const char **why);
Str triton_old_name(Arena *a, Str path); // the path that means what this one did before 3.3; empty: none
const char *triton_instead(Arena *a, Str path); // "; there is tl.trans", or ""

// ---- check_expr.c, check_name.c, check_call.c
MUST_CHECK bool check_expr(Checker *c, const Node *n, Val *out);
MUST_CHECK bool check_name(Checker *c, const Node *n, Str name, Val *out);
MUST_CHECK bool check_attribute(Checker *c, const Node *n, Val *out);
MUST_CHECK bool check_member(Checker *c, const Node *n, Val v, Str name, Val *out);
// A global or a default: evaluated outside of every function, where plain globals may be read.
// `at` asks for it.
MUST_CHECK bool check_annotation(Checker *c, const Node *annotation);
MUST_CHECK bool check_annotations(Checker *c, const Node *home, const Node *function);
MUST_CHECK bool check_outside(Checker *c, const Node *at, const Node *module, const Node *value, Val *out);
MUST_CHECK bool check_call(Checker *c, const Node *n, Val *out);
// A jit function on positional arguments: what tl.reduce and tl.associative_scan do with theirs.
MUST_CHECK bool check_apply(Checker *c, const Node *at, const Val *f, const Val *arg, int args, Val *out);

// ---- check_stmt.c, check_loop.c
MUST_CHECK bool check_block(Checker *c, Nodes body);
// The checker has come to what stands at this place of the source: the next instruction tells whether a
// program does.
void check_note(Checker *c, uint32_t at);
MUST_CHECK bool check_for(Checker *c, const Node *n);
MUST_CHECK bool check_while(Checker *c, const Node *n);
MUST_CHECK bool check_assign(Checker *c, const Node *target, const Val *v);
MUST_CHECK bool check_decay(Checker *c, const Node *at, const Val *v, Val *out); // what `x = v` stores
MUST_CHECK bool check_copy(Checker *c, const Node *at, const Val *v, Val *out); // into fresh shared registers
MUST_CHECK bool check_store_into(Checker *c, const Node *at, const Val *to, const Val *from);

// ---- shared_memory.c
void checker_uses_shared(Checker *c, SharedUse use);
// After the body of a `for`: what its loads need. test: its INSN_LOOPTEST; start: the register its index
// comes from; trips: iterations if they are known, else 0; stages: SharedUse.stages.
MUST_CHECK bool checker_loop_shared(Checker *c, const Node *n, int test, int start, int64_t trips,
                                    int stages);

// ---- check_lifted.c
MUST_CHECK bool check_lifted_if(Checker *c, const Node *n, const Val *cond);
const char *check_lifted_text(Checker *c, const Val *v); // the type as the function sees it
MUST_CHECK bool check_lifted_return(Checker *c, const Node *n, const Val *v);
MUST_CHECK bool check_lifted_ifexp(Checker *c, const Node *n, const Val *cond, Val *out);
MUST_CHECK bool checker_guarded(Checker *c, const Node *at, InsnOp op, const Val *l, const Val *r, Val *out);

// ---- scope.c
const Val *scope_find(Checker *c, Str name);
MUST_CHECK bool scope_set(Checker *c, const Node *at, Str name, const Val *v);
Scope scope_copy(Checker *c, const Scope *s);
// One arm of an `if`: the scope that it leaves; dead: all of it has returned.
typedef struct {
    Scope scope;
    bool dead;
} Arm;
const Local *scope_local(const Scope *s, Str name); // in this scope alone; NULL: not there

// ---- bind.c: Python's rules for calls
typedef struct {
    Str name; // empty: positional
    Val value;
    const Node *at;
} Arg;
typedef struct {
    Str function; // for messages
    const Str *name;
    const bool *has_default;
    int params;
    bool star;   // the last one takes the rest
    int keyword; // how many in front of it (or of the end) are keyword-only
} Signature;
typedef struct {
    int *slot; // of each parameter: the index of its argument, or -1 for its default
    int *rest; // the arguments of a star parameter
    int rests;
} Slots;
// NULL, or the text of Python's TypeError.
const char *signature_bind(Arena *a, const Signature *s, const Str *arg_name, int args, Slots *out);

// ---- ops_dot.c: the arguments of a tl.dot of Triton 2.0 as 3.6 would write them
MUST_CHECK bool old_dot_arguments(Checker *c, const Node *at, const Arg *arg, int *args, const Arg **out);

// ---- ops: one function for each row of op.def
typedef struct {
    Checker *c;
    const Node *at;
    const OpRow *row;
    Str name;
    Val arg[OP_ARGS_MAX]; // in signature order, defaults filled in
    Val *rest;            // of a star parameter
    int rests;
} Call;
struct OpRow {
    bool (*run)(Call *k, Val *out);
    const char *id, *names, *signature, *doc;
};
extern const OpRow oprows[];
extern const int oprow_count;
#define OP(id, names, signature, doc) bool check_##id(Call *k, Val *out);
#include "tile/check/op.def"
#undef OP
const OpRow *oprow_named(Str name);      // "load", "math.exp", "triton.cdiv", "libdevice.tanh"
const OpRow *oprow_member(Str name);     // methods of a tensor
const char *oprow_unsupported(Str name); // why a name that Triton has is not here, or NULL
typedef struct {
    Str name[OP_ARGS_MAX];
    bool has_default[OP_ARGS_MAX];
    Val def[OP_ARGS_MAX];
    int params, keyword; // as in Signature
    bool star;
} OpSignature;
const OpSignature *oprow_signature(const OpRow *row);
MUST_CHECK bool check_op(Checker *c, const Node *at, OpUse use, const Arg *arg, int args, Val *out);
// From C: the row's function on values, defaults filled in.
MUST_CHECK bool check_float_unary(Checker *c, const Node *at, InsnOp op, const Val *x, Val *out);
MUST_CHECK bool check_shape(Checker *c, const Node *at, const Val *v, int *shape, int *rank);
MUST_CHECK bool check_axis(Checker *c, const Node *at, const Val *v, int rank, int *out);
MUST_CHECK bool check_dtype(Checker *c, const Node *at, const Val *v, DType *out);
bool check_f8_known(Checker *c, const Node *at, DType t); // of the target: false after a fault
bool check_cannot_cast(Checker *c, const Node *at, const Val *v, const TileType *to); // says so: always false
// Between pointers, and between pointers and 64-bit integers.
MUST_CHECK bool check_cast_pointer(Checker *c, const Node *at, const Val *v, const TileType *to, Val *out);
// ops_block.c: what a block pointer is to tl.load, tl.store and a dot behind it.
MUST_CHECK bool check_block_load(Call *k, Val *out);
MUST_CHECK bool check_block_store(Call *k, Val *out);
MUST_CHECK bool check_block_attribute(Checker *c, const Node *n, const Val *v, Str name, Val *out);
MUST_CHECK bool check_flag(Checker *c, const Node *at, const Val *v,
                           bool *out); // truth of a constexpr option
MUST_CHECK bool check_pointer(Call *k, const Val *p, const char *op);
// A text that Triton knows there; None and the like leave it open.
MUST_CHECK bool check_option(Call *k, const Val *v, const char *what, const char *const *known, int n);
MUST_CHECK bool check_mask_bool(Call *k, const Val *mask);
MUST_CHECK bool check_keep_dims(Checker *c, const Node *at, Val *v, int axis,
                                int rank); // axis -1: all of them

struct Builtin {
    const char *name; // ".is_fp32" for a method of a dtype
    bool (*run)(Checker *c, const Node *at, const Builtin *b, const Val *self, const Arg *arg, int args,
                Val *out);
};
const Builtin *builtin_named(Str name);
const Builtin *builtin_member(Str name);
const Builtin *pymath_named(Str path); // "math.sqrt"
bool check_pymath(Checker *c, const Node *at, const Builtin *b, const Val *self, const Arg *arg, int args,
                  Val *out);
