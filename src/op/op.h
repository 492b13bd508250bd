// op.h - the op suite: what an op computes (a PyTorch reference, as text), on which inputs (its declared
// domain), and how people name it. An op is data: a `.py` definition embedded from src/op/suite, made by the
// chain grammar (chain.def), or read from a file of the user's at run time. Definitions are hostile input
// like any other.
//
// A definition is a Python file with a docstring (one plain sentence), `inputs = {...}` (a literal),
// optionally `outputs = {...}` and `dims = {...}` (literals), and `def reference(<the inputs in order>)` that
// returns one tensor, or as many as there are outputs:
//
//     """Swish of x times a learned scale, row by row."""
//     inputs = {
//         "x": {"shape": ("M", "N"), "scale": (1e-4, 64), "large": True},
//         "w": {"shape": ("N",), "scale": (1, 32), "role": "weight"},
//     }
//     def reference(x, w):
//         h = x.float() * w.float()
//         return (h * torch.sigmoid(h)).to(x.dtype)
//
// `import torch` is implied. Helper functions and constants (NAME = number) may stand beside it. A comment
// line
// `# words: rotary embedding | rotary` holds the plain words that find an op of the suite.
//
// `outputs = {"y": {}, "mean": {}}` beside inputs names what is returned, in this order: `run` gives a tensor
// for each, and each is judged on its own. Without it there is one output without a name. An output
// {"init": "x"} is the input x, changed in place: it has that input's shape and dtype, starts with its
// values, and `run` writes into x itself. What is declared here binds kernels: none can leave an output out.
//
// `allow_tf32 = True` beside inputs: matrix products of the reference may be computed with float32 operands
// of 10 mantissa bits, as GPUs do unless a kernel says otherwise. The default is no, and a kernel cannot
// change it.
//
// `giant = True` beside inputs: kernels of this op must reach tensors of more than 2^31 elements. At level
// full every accepted kernel is tried on such shapes, a few programs of each launch, on memory that is not
// there; without this declaration what was found is evidence, with it addresses that overflow are a
// rejection.
//
// `invariant = {"x": "shift", "w": ("scale", 1)}` beside inputs: what the reference is known to do when an
// input is moved, row by row (along "M"; an input without it as a whole). "shift": with any number added to a
// row of x its answer stays the same. "scale": with a row of x times any positive number, too. ("scale", K):
// the answer is then multiplied by the K-th power of that number, K from -8 to 8. In exact arithmetic, that
// is: an eps makes "scale" false. Of several outputs, it speaks of the first. The declaration is held against
// the oracle in every draw at level full, and when a user's definition is read: a false one is an error of
// the definition. Only floats; a shift needs an input without a range.
//
// `layout = "contiguous"` beside inputs: inputs have no gaps between their elements. Storage offsets and
// bases that are aligned to their element only remain. The default is "any". A caller may ask for the other
// one (op_in_domain), a candidate never.
//
// `published = {"scale": {"signs": "positive"}}` beside inputs: a second, narrower domain of values, with the
// name "published": that of a harness in use elsewhere. Keys of an input that are not there stay as declared.
// It is tried only where a caller asks for it, and rewards nothing.
//
// `roundings = {"gate": rounded_gate}` behind the functions: at most four more functions of the same inputs,
// each a reference of its own, written as eager PyTorch computes: `.to(dtype)` and operations of half tensors
// round there. A program is right if it is right by one of them throughout. In float32 each of them is the
// reference.
//
// Keys of an input (all but shape optional):
//   shape    tuple of dimension names and positive integers, rank 1 to 8; a name is an upper-case letter or
//            word. "M" counts rows, the last dimension of the first input is the row length and must be a
//            name. "D/2" is half of a dimension named before it, which is then a multiple of 2.
//   dtype    "float" (default: each of float16, bfloat16, float32 in turn, the same for all "float" inputs of
//   a case)
//            or the name of one dtype, which is then fixed.
//   scale    (lo, hi): magnitudes of ordinary rows are drawn between; default (1e-4, 8)
//   shift    rows may be shifted as a whole by up to this much either way; default 0
//   large    True: rows at the large end of float16 (to +-65504, in every float dtype, so that a float32
//   evaluation
//            squares them without overflow) are in the domain; default False
//   range    (lo, hi): values lie within, uniformly and at both ends; for integers inclusive. Stands instead
//   of scale,
//            shift and large. hi may be a dimension's name: then values are indices 0..size-1 and lo is 0.
//            An integer input needs it.
//   signs    "both", with a range of positive numbers: in some cases the values are negated, all of them. In
//            such a case no input holds -inf, which a negative factor would turn into +inf. Default
//            "positive"
//   neg_inf  True: rows may hold -inf, never a whole row
//   keep     with neg_inf: name of an index input whose chosen element is never -inf; its shape is this shape
//   without
//            the last dimension, which it indexes
//   role     "weight" or "bias": drawn with weights' classes (ones, scaled, zeros, negative); default "data"
// dims: {"N": {"multiple_of": 2, "min": 2, "max": 65536, "usual": 4096}, ...}; defaults 1, 1 and OP_SIZE_MAX;
// "usual" is the size to optimise for
#pragma once
#include "base/sha256.h"
#include "lang/ast.h"
#include "tensor/dtype.h"

enum {
    OP_INPUTS_MAX = 64, // of a definition; lists hold as many as it has
    OP_OUTPUTS_MAX = 8,
    OP_RANK_MAX = 8,
    OP_DIMS_MAX = 16,
    OP_SOURCE_MAX = 64 * 1024,
    OP_SIZE_MAX = 1 << 30
};
enum { OP_NAME_MAX = 63, OP_EPILOGUES_MAX = 3, OP_ROUNDINGS_MAX = 4 };

typedef enum { ROLE_DATA, ROLE_WEIGHT, ROLE_BIAS } OpRole;
typedef struct {
    Str name;
    int rank;
    int dim[OP_RANK_MAX];      // index into Op.dim, or -1
    int64_t size[OP_RANK_MAX]; // where dim is -1
    bool any_float;            // "float": varies with the case
    DType dtype;               // otherwise
    double scale_lo, scale_hi, shift;
    bool large, ranged, neg_inf, both_signs;
    double range_lo, range_hi;
    int range_dim; // values are indices below this dimension; -1: none
    int keep;      // index of the input named by "keep"; -1: none
    OpRole role;
} OpInput;

typedef struct {
    Str name; // empty: the only output of an op that declares none
    int init; // index of the input that it is, changed in place; -1: a tensor of its own
} OpOutput;

typedef struct {
    int input;
    bool shift; // else scale
    int degree; // of a scale: the answer goes with this power of the factor
} OpInvariant;

typedef struct {
    Str name;
    int64_t multiple_of, min, max;
    int64_t usual;   // the size to optimise for; 0: no opinion
    int of, divisor; // "D/2": the index of D, and 2; of is -1 for a dimension with a size of its own
} OpDim;

typedef struct {
    Str name, function;
} OpRounding;

// On which inputs programs are judged.
typedef struct {
    bool contiguous; // no gaps; storage offsets and unaligned bases remain
    bool published;  // values of the narrower, published domain
    bool module;     // of a reference in module form: its own sizes, made smaller
} OpDomain;

typedef struct {
    Str name;    // of the suite, of a chain, or the stem of a user's file
    Str notes;   // the docstring's first paragraph
    Str source;  // the definition's text
    Sha256 hash; // of the text; in another domain than the text's own, of that, too
    // Of the text without its roundings and published values: what the strength of its cases is kept by. A
    // mistake that a rounding makes right is none.
    Sha256 core;
    Str variant; // "short": a row of variant.def, which says the usual sizes; empty for the op itself
    bool user;   // came from a file of the user's
    const Node *module, *reference;
    OpInput *input; // copies of an op share it
    int inputs;
    OpOutput output[OP_OUTPUTS_MAX];
    int outputs;
    OpDim dim[OP_DIMS_MAX];
    int dims;
    bool allow_tf32, large;
    bool any_order; // never declared: sums of any order are honest, for what would explain a rejection
    OpInvariant *invariant; // at most one for each input
    int invariants;
    OpRounding rounding[OP_ROUNDINGS_MAX];
    int roundings;
    int rounded;           // 1 + index of the one that stands for the reference; 0: none does
    int rows_dim, row_dim; // "M" (or -1) and the row length
    OpDomain domain;       // as declared: any values of `input`, until op_in_domain()
    bool has_published;
    OpInput *published; // the inputs of the published domain
    // A reference in module form (modules_domain.h): its domain, and what a ModelNew is called with
    // (Extras.model). module and reference are NULL then, and no size is a symbol.
    const struct Domain *form;
    Str model;
} Op;

// Reads a definition. Findings are the user's mistakes with their places; `file` is for messages.
MUST_CHECK bool op_define(Arena *a, Str name, Str source, bool user, Op *out, DiagList *d);

// What a caller asks for. The op's hash changes with its domain: so does whatever is kept by it.
typedef enum { LAYOUT_DECLARED, LAYOUT_ANY, LAYOUT_CONTIGUOUS } LayoutAsked;
typedef struct {
    LayoutAsked layout;
    bool published;
    bool modules; // the path of a reference in module form is taken, too
    // Of such a one: products may read float32 operands with 10 mantissa bits; level quick alone will be
    // asked for, which needs no long sizes.
    bool tf32, quick;
    bool shapes; // the published sizes have to be tried, too, as far as addresses go
    // Of such a one: which operators of PyTorch a ModelNew may leave to the library, 1 + LibraryUse
    // (host/policy/library_names.h); 0: what is usual for the reference.
    int library;
    bool ragged; // of such a one: sizes that are odd count, too
} DomainAsked;
MUST_CHECK bool layout_by_name(Str name, LayoutAsked *out); // "any" or "contiguous"
const char *op_layout(const Op *op);                        // the same of an op
// False with ERR_INPUT where the op has no published domain.
MUST_CHECK bool op_in_domain(Op *op, const DomainAsked *asked, Err *e);

// By suite or chain name, spelled exactly, or either with "_" and a row of variant.def behind it. False (no
// error) when there is none.
bool op_find(Arena *a, Str name, Op *out);
// Adds every .py definition of a folder, named by its file, to those of the suite. For the start of a
// process: nothing else may run meanwhile, and `a` must outlive every look-up. A name that is taken is an
// error.
MUST_CHECK bool op_suite_add(Arena *a, const char *dir, Err *e);
// What a user typed: a name, a path to a .py definition, or plain words ("root mean square norm with
// residual, then tanh"). On failure the message lists the nearest ops.
MUST_CHECK bool op_resolve(Arena *a, const char *text, Op *out, Err *e);
// All names of the suite, then all chains with at most one epilogue, then added ones. NULL-terminated array.
// Longer chains and variants are found by name, but not listed: they are combinations of what is.
const Str *op_names(Arena *a, int *count);
// The rows of variant.def: "short" and what it means, in plain words. False at the end.
bool op_variant(int i, Str *name, Str *words);
// The shape to optimise for; 0 where the op has no opinion.
void op_usual_shape(const Op *op, int64_t *m, int64_t *n);
// Sets the sizes that follow from others ("D/2"); sizes of the others are given, by index into Op.dim.
void op_sizes_fit(const Op *op, int64_t size[OP_DIMS_MAX]);
// "run(x: Tensor[M, N], w: Tensor[N]) -> Tensor"; of several outputs "-> (y: Tensor, x changed in place)".
void op_signature(Buf *out, const Op *op);
// The output that is this input, changed in place; -1: a kernel may only read it.
int op_output_in(const Op *op, int input);
// A bit for each input.
static inline uint64_t op_all_inputs(const Op *op) {
    return op->inputs ? UINT64_MAX >> (64 - op->inputs) : 0;
}
// One output that is no input: what an op is that declares none.
bool op_returns_one(const Op *op);
// What the domain says, in plain words, one line an input.
void op_domain(Buf *out, const Op *op);

// Programs for the self-test, embedded from suite/{gold,wrong,honest} and test/exploit or made from
// chain.def: header comments say which op and what status is expected.
typedef enum { PROGRAM_GOLD, PROGRAM_WRONG, PROGRAM_CHEAT, PROGRAM_HONEST } ProgramKind;
typedef struct {
    const char *name; // file name without folder and ".py", or made the same way
    Str source;
    Str op;           // "# op: NAME"
    Str expect;       // "# expect: incorrect|inaccurate": one of these statuses; "ok" unless said
    Str about;        // "# about: what it does", one line
    Str attack;       // "# attack: C2 A1": the rows of exploit.def that it carries out; empty for none
    Str needs;        // "# needs: gpu": the attack aims at a measurement; the verdict here says nothing of it
    Str level;        // "# level: full": cheaper levels cannot tell it from a right one; empty unless said
    ProgramKind kind; // folder: gold wrong cheat honest
} Program;
const Program *op_programs(Arena *a, int *count);

// The rows of exploit.def.
typedef struct {
    const char *id, *name, *how, *answer;
    const char *tests; // "FILE:NAME FILE:NAME": what asserts it beside programs
} Attack;
const Attack *op_attacks(int *count);
// Whether a program's header names the attack.
bool program_attacks(const Program *p, const Attack *attack);
