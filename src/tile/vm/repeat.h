// repeat.h - programs that would do what another one has done are not executed. Of a tensor whose rows are
// copies of a block of rows (cases/repeated.h) most programs of a launch see nothing new: what program p has
// loaded, p + period finds a little further on, bit for bit. Where repeat_proof.h proves that what they do
// with it is the same, what p has stored is copied to where the other one would have stored it, with the
// marks that its stores would have left. Every address, every byte that is loaded, and every other program's
// claim on what is stored is checked as if it had run; where something is not as foreseen, the programs run.
// Where the inputs are known to repeat themselves (storage_wrap_repeated()) all programs behind the first
// block are done at once, by sizes alone, and what they store comes when somebody looks (storage_reach()).
#pragma once
#include "tile/compute/step.h"

typedef struct Repeat Repeat;

// Bytes of the arena that a launch needs for it; 0: all programs of this launch run.
size_t repeat_bytes(const Machine *m, const Code *c, const int64_t grid[3]);
// NULL where that is 0.
Repeat *repeat_open(Arena *a, const Vm *v);
// Runs program `number`, and is how repeat_run() has programs run. False with a finding.
typedef bool RunProgram(Vm *v, uint64_t number);
// Runs, or copies, what it can of the launch. False with a finding.
MUST_CHECK bool repeat_run(Vm *v, Repeat *r, RunProgram *run);
// Whether that is done with every program, and with program `number`.
bool repeat_done(const Repeat *r);
bool repeat_has(const Repeat *r, const Vm *v, uint64_t number);

// While v->noting: an access that was allowed, before its bytes move; and instructions before they run.
void repeat_note(Vm *v, const Step *s, Storage *m, int64_t offset, size_t size, bool store);
void repeat_step(Vm *v, int insn);
