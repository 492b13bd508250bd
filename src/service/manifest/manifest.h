// manifest.h - a kernel whose file has no `run` that can be judged: a JSON object says how it is launched,
// and `run` is written from it. What comes out is an ordinary kernel file, judged like any other: parsed,
// screened and run with a candidate's privilege. Nothing in a manifest can do more than `run` could.
//
//   {"kernel": "softmax_kernel",
//    "args": ["x", "out", "x.stride(0)", "out.stride(0)", "N"],
//    "constexprs": {"BLOCK": "triton.next_power_of_2(N)"},
//    "grid": ["x.shape[0]"],
//    "num_warps": 4,
//    "values": {"N": "x.shape[1]"},
//    "outputs": {"out": {"shape": ["x.shape[0]", "N"], "dtype": "x.dtype"}}}
//
// outputs     the one tensor that is the answer: shape (expressions, or one for all, such as "x.shape"),
//             dtype, optionally fill, a number. Of an op whose definition names outputs, each of them by its
//             name; one that is changed in place is {"init": "x"}, or left out
//             A tensor that starts as a copy of an input, or of a tensor before it, is {"copy": "x"}
// scratch     more tensors, of the same form
// values      names for expressions, in order; each may use those before it
// launches    several launches in a row: a list of objects with kernel, args, constexprs, grid, num_warps,
//             num_stages, which then do not stand outside
// decorators  "jit", beside "kernel": of the kernel's decorators that one alone stays. Configs and heuristics
// are left
//             out, and constants are those of the manifest. Also for functions that become kernels by a call
// imports     {"tanh": "triton.language.extra.libdevice.tanh"}: what names are that the file imports from a
// package
//             which is not there; of triton or torch alone
// expressions texts in Python: shapes, strides, dtypes and numbers of the inputs and tensors, arithmetic,
//             conditions, min max abs int float len, triton.cdiv, triton.next_power_of_2, math.*. A number,
//             true, false and null stand for themselves. An argument may also be a tensor's name, with
//             .contiguous(), .view(...) or .reshape(...) behind it; a grid may use META["BLOCK"].
//
// Of the file stay the kernels and what they reach: helpers, constants, imports cut down to what is used, all
// on their lines. What else binds a name that is reached stays, too, and is judged. A comment names what is
// left out.
#pragma once
#include "op/op.h"

enum { MANIFEST_MAX = 64 << 10 }; // bytes of a manifest

typedef struct {
    const char *file; // for messages
    Str json;
    const Op *op;
    Str source;
    bool kernels_exist; // a kernel that the source does not define is an error of the manifest, else the
                        // judge's business
    Str include;        // helper files, whose imports stay
    bool launches_fit;  // so is a launch that lacks a parameter of its kernel, or gives one that is not there
} ManifestRequest;
// The kernel file, in `a`. ERR_USAGE, with the file, the key and what to do, for a manifest that is none.
MUST_CHECK bool manifest_apply(Arena *a, const ManifestRequest *q, Str *out, Err *e);

// manifest_expr.c: the names that expressions may use.
typedef enum { NAME_TENSOR, NAME_VALUE, NAME_META } ManifestNameKind;
typedef struct {
    Str name;
    ManifestNameKind kind;
} ManifestName;
enum { MANIFEST_NAMES_MAX = 96 };
typedef struct {
    ManifestName at[MANIFEST_NAMES_MAX];
    int n;
} ManifestNames;
// NULL, or what is wrong. A tensor itself counts only where `tensor` says so.
const char *manifest_expr(Arena *a, Str text, const ManifestNames *names, bool tensor, Buf *out);
bool manifest_identifier(Arena *a, Str text);
