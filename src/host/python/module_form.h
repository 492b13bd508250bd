// module_form.h - what a reference in module form (class Model, get_inputs) adds to an interpreter: a library
// of modules and functions written in Python itself (module/library), tensors that the referee draws, and a
// note of what was called. Who fills this in is the room module/.
//
// The library's nodes all stand at one place that no file has. What goes wrong inside of it is told where the
// file's own code called it.
#pragma once
#include "host/python/interp.h"

// A parameter or a buffer of the model.
typedef struct {
    Str name; // "conv.weight"; empty before the model is made
    Str role; // how it is drawn: module_draw.c
    int64_t fan;
    bool buffer;
    const Bound *value;
} FormTensor;
typedef struct {
    Str name;      // "nn.Conv2d", "torch.tanh", ".view", "+"
    Span at;       // of the first call
    bool moves;    // some call gave what its first tensor is not, as far as can be told
    bool resizes;  // some call gave another number of elements
    int64_t bytes; // of what went in first and of what came out, of all calls
} FormOp;
enum { FORM_TENSORS_MAX = 512, FORM_OPS_MAX = 64, FORM_SOURCES_MAX = 64 };

typedef struct ModuleForm {
    Env *library;
    Span site;
    bool training; // the default, as benchmarks run their models
    bool forward;  // what is called now is noted
    uint64_t seed, input_seed;
    double scale;          // of wide inputs
    int64_t sources_drawn; // each source of random numbers has its own stream
    FormTensor tensor[FORM_TENSORS_MAX];
    int tensors;
    const Tensor *given; // values of the parameters, in the order of their making, instead of drawn ones
    int givens;
    const FormTensor *known; // the same tensors from an evaluation of shapes, with their names
    int knowns;
    const Bound *source[FORM_SOURCES_MAX]; // what torch.rand and torch.randn gave
    int sources;
    const Bound *overwritten[FORM_SOURCES_MAX]; // changed in place: no view of it is what it was
    int overwrites;
    FormOp op[FORM_OPS_MAX];
    int ops;
    int64_t least_set; // elements of the smallest set that was normalised; INT64_MAX: none was
} ModuleForm;

#define FORM_PLACE ((Span){UINT32_MAX, 0}) // of all of the library
static inline bool form_is_inside(Span at) { return at.at == UINT32_MAX; }
static inline Span form_place(const Interp *in, Span at) {
    return in->form && form_is_inside(at) ? in->form->site : at;
}
// What the library has for a dotted name: "nn.Conv2d" is nn_Conv2d there.
bool form_find(const ModuleForm *f, Str dotted, Value *out);
// x.flip is Tensor_flip there. False without a finding where it has none.
bool form_method(Interp *in, Span at, Value self, Str name, Value *out);
Slot *form_base_method(const ModuleForm *f, Str name); // of nn.Module itself
bool form_is_module(Str path);
// Operations in place give a new tensor here; the old one, and what is a view of it, must not be used again.
MUST_CHECK bool form_overwrite(Interp *in, Span at, const Bound *b);
MUST_CHECK bool form_may_use(Interp *in, Span at, const Bound *b);
// What was called, with what first, and what it gave.
void form_note(Interp *in, Span at, Str name, const Value *first, const Value *out);
