// module_draw.h - the values of a module's parameters and inputs. They are the referee's: whatever the file
// would have put there, each tensor is drawn from a seed and a label of its own, its name or its place among
// the random numbers that the file asks for.
#pragma once
#include "host/python/module_form.h"

typedef enum { DRAWN_ROLE, DRAWN_UNIT, DRAWN_NORMAL, DRAWN_WHOLE } DrawnKind;
typedef struct {
    DrawnKind kind;
    DType dtype;
    int rank;
    int64_t shape[TENSOR_RANK_MAX];
    Str name, role; // DRAWN_ROLE: of a parameter
    int64_t fan;    // how many products a sum with it has
    int64_t stream; // others: which source it is
    int64_t low, high;
} Drawn;

// Bound.input_index of a parameter, and of random numbers that the file draws itself.
enum { DRAWN_PARAMETER = -1, DRAWN_BY_FILE = -2 };

// A tensor of stored values of that type, exact; no values where only shapes are asked for. NULL with
// in->bound->why.
const Bound *module_draw_tensor(Interp *in, const Drawn *d);
// The same of values that a caller has. NULL where those have another shape or type.
const Bound *module_given(Interp *in, const Tensor *t, const Drawn *d);
// Whether a tensor came straight from torch.rand or torch.randn in get_inputs.
bool module_is_random(Interp *in, const Bound *b);
// What get_inputs returned, as the `index`th input: stored values of its type. What came straight from
// torch.rand or torch.randn is drawn wider than there: both signs, a scale for each
// place of the first axis. `published` leaves
// it.
const Bound *module_draw_input(Interp *in, const Bound *b, int index, bool published);
