// host.h - the mini-Python around kernels, with two privileges and no third.
//
// Candidate: a kernel file's `run(*inputs)`. Its whole vocabulary is shape arithmetic, allocation, metadata,
// views, `contiguous()` (billed as a copy) and kernel launches. Everything else is refused by name with the
// reason. What it keeps from call to call lives in its HostProgram: host_run() makes a fresh one,
// module-level statements included, over the immutable syntax tree.
//
// Reference: an op definition's `reference(*inputs)`, eager PyTorch evaluated in float64 with an error bound
// beside each element (tensor/bound.h).
//
// api.def is the one table of names: each row says which privilege may use it.
#pragma once
#include "lang/library.h"
#include "tensor/bound.h"
#include "tile/check/check.h"

enum { HOST_INPUTS_MAX = 64 };

// Runs `run` of a candidate, or its ModelNew (entry.c). `inputs` live in m->storages as read-only storages.
// Findings go to m->diags; false when there is one that rejects. On success `out` is the returned tensor (a
// view of any storage of the machine, possibly of an input: what its bytes must be is the referee's
// business).
MUST_CHECK bool host_run(Machine *m, CodeCache *cache, const Node *module, const Tensor *inputs, int count,
                         Tensor *out);

// The same in steps, for several calls of one program: an interpreter, then what runs once (the module's
// statements, and ModelNew's __init__, which may take weights from `inputs`), then the calls. Whatever is not
// in the memory that building took, a call cannot find.
typedef struct HostProgram HostProgram;
HostProgram *host_program(Machine *m, CodeCache *cache, const Node *module);
// What each call has to give: `outputs` tensors. One with an input is that input, changed in place: a caller
// looks at what it has handed in. Without this, one returned tensor.
typedef struct {
    int input; // -1: a tensor that the program allocates
} HostOutput;
enum { HOST_OUTPUTS_MAX = 8 };
void host_expect(HostProgram *p, const HostOutput *want, int outputs);
// The module's statements alone, which host_build() does not run again: nothing of a call's inputs shows in
// them.
MUST_CHECK bool host_define(HostProgram *p);
MUST_CHECK bool host_build(HostProgram *p, const Tensor *inputs, int count);
// Inputs that are the first call's tensors, in the same storages, are the same objects to the program. Each
// call has the budgets of a call; the machine's are the caller's. `out` has room for every output.
MUST_CHECK bool host_call(HostProgram *p, const Tensor *inputs, int count, Tensor *out);
// Where `run`, or ModelNew's last method, gives its answer.
Span host_returns(const Node *module);
// Its ModelNew was made for the weights, or for the length of a row, of the inputs that it was built with.
bool host_bound(const HostProgram *p);

// How the parameters of its ModelNew were bound to those of a reference in module form: 1 + BindRule
// (host/python/binding.h); 0: it is none.
int host_binding(const HostProgram *p);

// What the autotuned kernels of a program have chosen among in its calls so far (Machine.autotune): the one
// thing that outlives a call, as it does on a GPU, and no candidate sees it.
typedef struct Tuned Tuned;
Tuned *tuned_new(Arena *a);

// Puts a candidate's fresh tree into the words that everything below knows: names imported from torch, triton
// and math are spelled out (imports.c), what never runs is taken out (dead_code.c), and a few other things
// (normalize.c). Before host_screen(). False with a finding where a name stands for two things, where Python
// would not find, while it defines the file's functions and classes, what they name (defined.c), and where a
// file that imports something forgets torch, triton or another such module that it names.
MUST_CHECK bool host_normalize(Arena *a, Node *module, DiagList *d);
// The tree of an accepted source, as a child has it, for whoever is no child. NULL with a finding, or without
// one where the helper files do not read.
Node *host_tree(Arena *a, Str source, const Extras *extras, DiagList *d);

// Checks, before anything runs, what can be said without running: `run` or ModelNew exists, module-level
// statements are allowed, no construct outside the privilege anywhere in host code (unreached branches
// included).
MUST_CHECK bool host_screen(const Node *module, DiagList *d);

// Evaluates `reference` of a definition. `budget` limits interpreter steps, c->elements_left the tensor work.
// NULL with a finding in `d` on failure (c->why becomes part of its message). Of several tensors, the first:
// the others follow by Bound.also.
const Bound *host_reference(BoundCtx *c, const Node *module, const Bound *const *inputs, int count,
                            int64_t budget, DiagList *d);

// The names, their privilege and one sentence each, for documentation.
void host_api_reference(Buf *out);
