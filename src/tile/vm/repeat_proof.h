// repeat_proof.h - what of a program depends on its number, followed while one program runs. A kernel that
// adds and scales its program id, and compares it with sizes, does the same in many programs, a little
// further on in memory each; here that is proved for a range of them.
//
// A register holds a constant of the launch, data (it follows from loaded values), or a place: a number or an
// address of which every lane grows by the same step from one program to the next. Places may be added, and
// multiplied with constants; what compares them says up to which program the comparison comes out as it did
// here. Anything else that is done with a place ends the proof, and so does a branch, a mask or a bound of a
// loop that follows from data.
#pragma once
#include "tile/compute/step.h"

typedef enum { HELD_CONSTANT, HELD_DATA, HELD_PLACE } HeldKind;

typedef struct {
    HeldKind kind;
    bool moved;   // a place to which data was added: of other data all has to be looked at again
    int64_t step; // of a place: how much it grows, in bytes if it is an address
} Held;

typedef struct {
    Held *reg;     // of each register
    int axis;      // of the grid: programs that differ along it alone are compared
    int64_t ahead; // so many programs further on all is the same; -1: nothing was proved
    bool moved;    // some place was: what was proved is true of programs with the data of this one
    Held place;    // of the access that runs
} RepeatProof;

// reg: of each register of the code. `programs`: how many there are from the one that runs on, itself
// included.
void proof_begin(RepeatProof *p, const Code *c, int axis, int64_t programs);
// Before instruction `insn` runs, with its operands in place.
void proof_step(const Vm *v, RepeatProof *p, int insn);
