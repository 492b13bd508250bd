// check.h - from the syntax tree of a @triton.jit function and the arguments of one launch to typed code, by
// the rules of Triton 3.6 (doc/triton.md), with its wording for what it refuses. op.def is the table of
// everything that `tl.` offers here; `ouroboros lang` prints it.
#pragma once
#include "lang/pyvalue.h"
#include "tile/vm/launch.h"

typedef enum { ARG_PLAIN, ARG_DTYPE, ARG_TENSOR, ARG_TUPLE, ARG_DESCRIPTOR, ARG_FUNCTION } ArgKind;
// A tensor descriptor made by the host, which has checked it.
typedef struct {
    const Tensor *base;
    int rank;
    int64_t shape[TILE_RANK_MAX], stride[TILE_RANK_MAX];
    int block[TILE_RANK_MAX];
    bool nan; // lanes outside of the tensor read as NaN
} LaunchDescriptor;
typedef struct LaunchArg LaunchArg;
struct LaunchArg {
    Str name; // keyword, or empty for a positional argument
    ArgKind kind;
    PyValue value;         // PLAIN: None, bool, int, float, str
    DType dtype;           // DTYPE: a constexpr type such as tl.float16
    const Tensor *tensor;  // TENSOR
    const LaunchArg *item; // TUPLE
    int items;
    const LaunchDescriptor *descriptor; // DESCRIPTOR
    const Node *function, *home;        // FUNCTION: a jit function and its module; always a constexpr
    void *host;                         // FUNCTION: the caller's own value for it
    Span span;
};

// Launch options that never change results: num_warps, num_stages, num_ctas and a few more. num_warps must be
// a power of two.
bool launch_option(Str name);

// A kernel's arguments after Python's binding rules: one for each parameter, defaults filled in.
typedef struct {
    const Node *kernel; // FUNCTION
    const Node *module; // MODULE: where helpers and constexpr globals are found
    LaunchArg *arg;     // in parameter order; names are the parameters'
    int args;
    int num_warps, num_stages, num_ctas;
    bool cooperative;         // launch_cooperative_grid: all blocks run at the same time, or none
    bool uncontracted;        // enable_fp_fusion=False: each product is rounded on its own
    const LaunchArg **option; // keywords that are options, all of them, as they were given
    int options;
    const Node
        *site; // the launch, where the kernel's text is another file's: what findings point to; or NULL
    struct Cover *cover; // of the source, or NULL
} Binding;
// Triton's messages: "dynamic_func() missing 1 required positional argument: 'N'", "Keyword argument X was
// specified but unrecognised", ... as DIAG_COMPILE at `span` (the launch in the host function).
typedef struct {
    const Node *module, *kernel;
    const LaunchArg *arg;
    int args;
    Span span;
} LaunchCall;
MUST_CHECK bool launch_bind(Arena *a, const LaunchCall *l, Binding *out, DiagList *d);
// Same order as the cells of vm_launch: only runtime arguments (constexpr ones are folded into the code).
typedef struct {
    Code *code;
    int64_t *cells;
    int count;
    int64_t shared; // bytes of shared memory that a block needs at least
    bool unfit;     // kernel_check() has failed in a way for which Triton's autotuner passes over a config
} Launchable;
// Codes are cached in `cache` by signature; a NULL cache compiles afresh.
typedef struct CodeCache CodeCache;
CodeCache *code_cache_new(Arena *a);
MUST_CHECK bool kernel_check(Arena *a, CodeCache *cache, const Binding *b, Launchable *out, DiagList *d);
// The code of a launch with products and sums rounded together (contraction.h); the code itself where that
// changes nothing. Kept with it.
const Code *kernel_contracted(Arena *a, CodeCache *cache, Code *code, ContractSide side);
bool is_jit_function(const Node *function);              // has a @triton.jit (or @jit) decorator
bool is_constexpr_function(const Node *function);        // @triton.constexpr_function, @tl.constexpr
bool annotation_is_constexpr(const Node *annotation);    // NULL: no
bool annotated_type(const Node *annotation, DType *out); // of a scalar; false: it names none
// Whether `key` of @triton.jit (do_not_specialize and its like) lists a parameter, by name or by number.
bool param_listed(const Node *kernel, int index, const char *key);

// torch's module of helpers for the kernels that it generates itself; libdevice and math are Triton's own
// there, and nothing else of it is known here.
#define INDUCTOR_HELPERS "torch._inductor.runtime.triton_helpers"

// Why `from MODULE import NAME` fails in Triton 3.6, in Python's words; NULL: it does not, or MODULE is none
// whose names are all known here. old_names: those of older versions are there, too (Node.module.old_names).
const char *triton_import_fault(Arena *a, Str module, Str name, bool old_names);

// The language reference, from op.def.
void language_reference(Buf *out);
