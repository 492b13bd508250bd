// module.h - references in module form: a file with `class Model(nn.Module)`, get_inputs() and
// get_init_inputs(), as KernelBench and KernelBook have them. The file is hostile input like any definition:
// it is parsed and evaluated by the interpreter of references (host/), never run as Python.
//
// Such a file is evaluated at two things: at shapes alone, which costs no arithmetic, so that published sizes
// can be looked at; and at values with an error bound per element. Sizes come from the file's literals, which
// module_shrink() makes smaller (module_shrink.c).
#pragma once
#include "host/python/module_form.h"

typedef struct {
    Arena *arena; // of the tree; lives as long as the file is used
    Str source;
    Node *tree; // the file's own; module_shrink() changes whole numbers in it
    const Node *library;
} ModuleFile;

// MODULE_STEPS: what one evaluation may take of the interpreter.
enum { MODULE_STEPS = 1000000 };
enum { MODULE_INPUTS_MAX = 64, MODULE_INIT_MAX = 64, MODULE_OUTPUTS_MAX = 8 };

// An argument of forward: a tensor, or what else get_inputs returned.
typedef struct {
    const Bound *tensor; // NULL: no tensor
    Str text;            // of what is none, as Python spells it
    bool random;         // straight from torch.rand or torch.randn
} ModuleInput;

// One evaluation. Tensors of one at shapes alone have no values.
typedef struct {
    ModuleInput input[MODULE_INPUTS_MAX];
    int inputs;
    const FormTensor *tensor; // parameters and buffers, in the order of their making
    int tensors;
    const Bound *output[MODULE_OUTPUTS_MAX];
    int outputs;
    Str init; // the arguments of Model, as Python spells them
    const FormOp *op;
    int ops;
    int64_t least_set;
    int64_t steps; // of the interpreter
    int64_t work;  // multiplications and additions of products, and elements of every tensor that was made
} ModuleRun;

typedef struct {
    uint64_t seed;
    uint64_t others;        // other inputs of the same model, unless 0
    bool shapes;            // alone
    bool eval;              // as after model.eval(); benchmarks do not call it
    bool published;         // inputs as get_inputs draws them
    bool draws;             // what is drawn alone: forward is not called
    double scale;           // of wide inputs; 0: 1
    bool tf32;              // products may read float32 operands with 10 mantissa bits
    const ModuleRun *known; // at values: an evaluation of shapes, which knows the parameters' names
    int64_t work_max;       // at values
    // At values: those of a caller instead of drawn ones. input: one for each input, without storage where
    // the input is no tensor. tensor: of parameters and buffers, in the order of ModuleRun.tensor. This is
    // what a domain's answer is made of (cases/domain/domain.h).
    const Tensor *input, *tensor;
    int inputs, tensors;
} ModuleAsk;

// Whether a file is in this form at all: it defines a class Model and get_inputs.
bool module_is(const Node *tree);
// Whether a path is that of a readable .py file in this form, as it seems: what it holds is read when it is
// evaluated.
bool module_file(Arena *a, const char *path, Str *source);
// PyTorch's modules and functions, in Python: all files of module/library as one. NULL: a mistake of ours.
const Node *module_library(Arena *a, DiagList *d);
// Findings have places in `source`, which must outlive the file. out->library: that of another file, which
// outlives it, or NULL.
MUST_CHECK bool module_read(Arena *a, Str source, ModuleFile *out, DiagList *d);
// What is evaluated lives in `a`.
MUST_CHECK bool module_evaluate(Arena *a, const ModuleFile *m, const ModuleAsk *ask, ModuleRun *out,
                                DiagList *d);

// A whole number of the file that became smaller.
typedef struct {
    Str name; // what it is assigned to; empty inside of a function
    Span at;
    int64_t published, now;
} ModuleSize;
enum { MODULE_SIZES_MAX = 64, MODULE_WORK = 4000000, MODULE_HELD_MAX = 2 };
typedef struct ModuleShrunk {
    ModuleRun published, small; // shapes alone
    ModuleSize size[MODULE_SIZES_MAX];
    int sizes;
    int evaluations;
} ModuleShrunk;
typedef struct {
    int64_t work;                            // operations of an evaluation
    int64_t work_most;                       // for the sake of multiples of 64: at least `work`, or 0
    const ModuleSize *held[MODULE_HELD_MAX]; // the numbers at their places are made smaller last
    int helds;
    int64_t held_most;                // up to so much work they stay as they are; 0: up to work_most
    const struct ModuleShrunk *small; // with `held`: what was divided there has to be divided here
    // With `held`: nothing is shrunk. Numbers are as they are there, and held ones as they say themselves.
    // False where Model cannot be made so.
    const struct ModuleShrunk *others;
    bool aligned; // multiples of 128 stay such multiples, too
    bool quick;   // batches come first, and less is asked of the numbers
    bool ragged;  // sizes become odd, or at least no powers of two, where Model can be made so
} ShrinkAsk;
// Makes sizes smaller until an evaluation costs that much, or nothing more can be made smaller. False only
// where the file cannot be evaluated as it is.
MUST_CHECK bool module_shrink(Arena *a, ModuleFile *m, const ShrinkAsk *q, ModuleShrunk *out, DiagList *d);

// Right answers and allowed errors at the shrunk sizes.
typedef struct {
    ModuleShrunk shapes;
    ModuleRun run;
    bool published_values; // inputs as get_inputs draws them: wider ones leave fewer elements to judge
    double seconds;
    const char
        *degenerate; // why no test can judge by this file; NULL: nothing was found (module_judgeable.c)
} ModuleValues;
typedef struct {
    uint64_t seed;
    ShrinkAsk sizes; // with a held one, the definition is judged elsewhere: nothing but draws is evaluated
    bool tf32;
    bool published;   // with a held one, and known_sound: ModuleValues.published_values
    bool known_sound; // the definition is judged elsewhere, as with a held size
    Arena *values;    // ModuleValues.run and what is `degenerate` live here; NULL: where all else does
} ValuesAsk;
MUST_CHECK bool module_values(Arena *a, ModuleFile *m, const ValuesAsk *q, ModuleValues *out, DiagList *d);

// Other inputs of the same model: sets v->degenerate, and tells in v->run.op what moves there.
MUST_CHECK bool module_judgeable(Arena *a, const ModuleFile *m, const ModuleAsk *asked, ModuleValues *v,
                                 DiagList *d);
// Inputs, weights, answers, allowed errors and the file's text at these sizes, as .safetensors
// (module_write.c).
MUST_CHECK bool module_write(const char *path, const ModuleFile *m, const ModuleRun *run, Err *e);
// What was found, for people (module_describe.c).
void module_describe(Buf *out, const ModuleFile *m, const ModuleValues *v);
void module_json(Buf *out, const ModuleFile *m, const ModuleValues *v); // the same as one line of JSON
