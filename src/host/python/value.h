// value.h - the values of host code: Python's plain ones, and opaque handles for tensors, kernels and names
// of the API. Everything lives in the arena of the call; lists and dicts are shared by reference as in
// Python, the rest is immutable. Every allocation goes through host_new(), which keeps one call's heap small.
#pragma once
#include "host/host.h"
#include "host/policy/api_names.h"

typedef struct Interp Interp; // interp.h
typedef struct Env Env;
typedef struct Value Value;

typedef enum {
    V_UNBOUND, // no value: a local before its first assignment, an absent receiver
    V_NONE,
    V_BOOL,
    V_INT,
    V_FLOAT,
    V_STR,
    V_TUPLE,
    V_LIST,
    V_DICT,
    V_SET, // a dictionary's keys, whose order nobody is told
    V_RANGE,
    V_SLICE,
    V_ELLIPSIS,
    V_DTYPE,
    V_LIMITS, // torch.finfo(dtype), torch.iinfo(dtype)
    V_DEVICE,
    V_PROPERTIES, // of the device; b: Triton's target
    V_CONTEXT,    // torch.cuda.device(...), nullcontext(): to stand behind `with`
    V_TENSOR,     // a candidate's: strided bytes that host code cannot look into
    V_BOUND,      // a reference's
    V_FUNCTION,   // def or lambda
    V_API,        // a row of api.def, perhaps bound to its receiver
    V_MODULE,     // "torch", "torch.cuda": a prefix of names of the API
    V_KERNEL,
    V_LAUNCHER,   // kernel[grid]
    V_COMPILED,   // what a launch and warmup() give: nothing of it is known here
    V_CONFIG,     // triton.Config(...)
    V_DESCRIPTOR, // TensorDescriptor(...)
    V_CLASS,      // a class of the file's: a namespace of functions and constants
    V_OBJECT,     // what calling one gives: attributes; or the ctx of an autograd.Function
    V_METHOD,     // a function with its receiver
    V_PARTIAL,    // functools.partial(...)
    V_TUNER,      // triton.autotune(...) or triton.heuristics(...), to stand above a kernel
} ValueKind;

typedef enum {
    SEQ_PLAIN,
    SEQ_SIZE,
    SEQ_PAIR,
    SEQ_NAMED
} SeqFlavour; // SIZE prints as torch.Size, PAIR is (values, indices), NAMED is one of a NamedTuple
typedef struct {
    Value *at;
    int n, cap;
    SeqFlavour flavour;
    bool frozen;
    bool kept;               // the module's, changed by calls: it holds numbers, texts and the like alone
    bool memo;               // functools keeps it: here it is another one in each call
    const struct Class *of;  // NAMED
    const Node *made;        // the display that it was written as, while it has those items
    const struct Dict *view; // d.keys(), d.items(), d.values(): of this one
} Seq;
typedef struct Dict {
    Value *key, *value;
    int n, cap;
    bool frozen, kept; // as of a Seq
    bool ordered;      // collections.OrderedDict
    bool memo;         // as of a Seq
    const Node *made;  // as of a Seq
} Dict;
typedef struct {
    int64_t start, step, n;
} Range;
typedef struct Slice Slice;
typedef struct {
    Tensor t;
    bool cpu; // allocated without a device: kernels cannot reach it
} HostTensor;
typedef struct Function Function;
typedef struct Member Member;
typedef struct Launcher Launcher;
typedef struct Kernel Kernel;
typedef struct Config Config;
typedef struct Tuner Tuner;
typedef struct Class Class;
typedef struct Object Object;
typedef struct Method Method;
typedef struct Partial Partial;

struct Value {
    ValueKind kind;
    bool written; // STR: it is written down, or names a dtype or device: no number has become a part of it
    union {
        bool b;
        int64_t i;
        double f;
        Str s; // STR; MODULE: its path
        Seq *seq;
        Dict *dict; // SET, too
        Range *range;
        Slice *slice;
        struct {
            DType t;
            bool triton; // tl.float16, not torch.float16: only these may enter a kernel
        } dtype;
        struct {
            bool cpu, indexed; // torch.device("cuda") is another than torch.device("cuda:0")
            uint8_t index;
        } device;
        HostTensor *tensor;
        const Bound *bound;
        Function *function;
        Member *member;
        Kernel *kernel;
        Launcher *launcher;
        Config *config;
        const LaunchDescriptor *descriptor;
        Tuner *tuner;
        const Class *klass;
        Object *object;
        const Method *method;
        const Partial *partial;
    };
};
struct Slice {
    Value lo, hi, step;
};
struct Function {
    const Node *node; // FUNCTION or LAMBDA
    Env *env;         // where it was defined
    Value *defaults;  // one for each parameter; UNBOUND where there is none
    Str *local;       // every name that the body binds
    int locals;
};
struct Member {
    const Api *row;
    Str name;   // the spelling that found the row
    Value self; // UNBOUND for a plain function
};
struct Class {
    Str name;
    ClassKind kind;
    Env *names;   // functions and constants
    Seq *members; // of an Enum, in their order, each once; or NULL
};
struct Object {
    const Class *of; // NULL: a ctx
    Env *attribute;
    bool frozen; // the module holds it
    bool memo;   // as of a Seq
};
struct Method {
    Value self; // an object; for apply() the class
    Value function;
    Str name; // of one that has no function: apply, save_for_backward
};
struct Partial {
    Value function;
    Seq *pos;
    Dict *named;
};
enum { CONFIG_OPTIONS = 4 }; // num_warps, num_stages, num_ctas, maxnreg
struct Config {
    Dict *kwargs;
    bool memo; // as of a Seq
    Value option[CONFIG_OPTIONS];
};
struct Tuner {
    bool heuristics;
    Seq *configs;           // autotune
    Seq *key;               // autotune: names of arguments
    Seq *zeroed, *restored; // autotune: reset_to_zero and restore_value, names of arguments
    Value prune;            // autotune: early_config_prune, or None
    Value model, top;       // perf_model, or None; top_k
    Dict *values;           // heuristics: name -> function of the arguments' dictionary
};
struct Kernel {
    const Node *node, *home; // home: the helper file it was imported from; NULL: the candidate's own
    const Tuner **tuner;     // top to bottom: the order in which they see a launch
    int tuners;
};
struct Launcher {
    const Kernel *kernel;
    Value grid;
};

#define NONE_VALUE ((Value){.kind = V_NONE})
static inline Value value_bool(bool b) { return (Value){.kind = V_BOOL, .b = b}; }
static inline Value value_int(int64_t i) { return (Value){.kind = V_INT, .i = i}; }
static inline Value value_float(double f) { return (Value){.kind = V_FLOAT, .f = f}; }
static inline Value value_str(Str s) { return (Value){.kind = V_STR, .s = s}; }
static inline Value value_bound(const Bound *b) { return (Value){.kind = V_BOUND, .bound = b}; }
static inline Value value_dtype(DType t, bool triton) {
    return (Value){.kind = V_DTYPE, .dtype = {.t = t, .triton = triton}};
}
// Of a tensor: the one with an index.
// Which of several GPUs the inputs lie on.
int device_here(const Interp *in);
static inline Value value_device(bool cpu, int index) {
    return (Value){.kind = V_DEVICE, .device = {cpu, !cpu, (uint8_t)(cpu ? 0 : index)}};
}
static inline bool value_is_seq(Value v) { return v.kind == V_TUPLE || v.kind == V_LIST; }
static inline bool value_is_tensor(Value v) { return v.kind == V_TENSOR || v.kind == V_BOUND; }

// A number or string as lang/pyvalue.h knows it, and back. False for other kinds.
bool value_plain(Value v, PyValue *out);
Value value_of_plain(PyValue v);
bool value_as_int(Value v, int64_t *out); // int or bool
bool value_as_number(Value v, double *out);

const char *value_type(Value v); // "int", "Tensor", "builtin_function_or_method" ...
// For messages (value_text.c): cut to about a line.
void value_repr(Buf *out, Value v, int depth);
void value_text(Buf *out, Value v); // str(): strings bare
// The whole text, as a program gets it by str() and f-strings; unsupported where it is not known.
MUST_CHECK bool value_spell(Interp *in, Span at, Value v, bool repr, Buf *out);

MUST_CHECK bool value_truth(Interp *in, Span at, Value v, bool *out);
MUST_CHECK bool value_equal(Interp *in, Span at, Value a, Value b, bool *out);
bool value_same(Value a, Value b); // `is`
// Whether two of them are one is not known here: functools keeps them, or what they were made of, or Triton
// does.
bool value_is_memo(Value v);
// Before two items of containers are compared: whether two NaNs count as equal there depends on their
// identity, which is not kept. False, with a finding, for two NaNs.
MUST_CHECK bool nan_pair(Interp *in, Span at, Value a, Value b);

// Lists and dictionaries that Triton holds, too: a config's constants outlive a call there, and the arguments
// that a grid's function sees are those of the launch. Changing one is refused from then on.
MUST_CHECK bool value_freeze(Interp *in, Span at, Value v);
MUST_CHECK bool not_frozen(Interp *in, Span at, bool frozen);
bool value_is_kept(Value v); // a list or dictionary with `kept`
// Whether a list or dictionary may hold v, if it is one of those.
MUST_CHECK bool may_keep(Interp *in, Span at, bool kept, Value v);
MUST_CHECK bool seq_new(Interp *in, Span at, ValueKind kind, int64_t n, Value *out); // n items, all None
MUST_CHECK bool seq_push(Interp *in, Span at, Seq *s, Value v);
MUST_CHECK bool seq_extend(Interp *in, Span at, Seq *s, Value by);           // by what it is iterated over
MUST_CHECK bool pair_new(Interp *in, Span at, Value a, Value b, Value *out); // a tuple
MUST_CHECK bool seq_of_ints(Interp *in, Span at, ValueKind kind, const int64_t *x, int n, Value *out);
// The items of a set as a list, for what gives the same in any order.
MUST_CHECK bool set_as_list(Interp *in, Span at, Value set, Value *out);
MUST_CHECK bool dict_new(Interp *in, Span at, Value *out);
MUST_CHECK bool dict_find(Interp *in, Span at, const Dict *d, Value key, int *out); // -1: absent
MUST_CHECK bool dict_put(Interp *in, Span at, Dict *d, Value key, Value v);
MUST_CHECK bool dict_take(Interp *in, Span at, Dict *d,
                          int i); // the i-th key away; the others keep their order
MUST_CHECK bool seq_take(Interp *in, Span at, Seq *s, int64_t i);

// Iteration over tuple, list, dict (keys), range and str, without copying.
typedef struct {
    Value of;
    int64_t n, at;
} Iter;
MUST_CHECK bool iter_start(Interp *in, Span at, Value v, Iter *out);
// Python's error when a dictionary has grown or shrunk since iteration started.
MUST_CHECK bool iter_steady(Interp *in, Span at, const Iter *it);
bool iter_next(Iter *it, Value *out); // lists may grow while they are iterated
