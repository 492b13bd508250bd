// steps.h - inside the VM: steps that access memory, order them, count them or watch what others make.
#pragma once
#include "tile/compute/step.h"

MUST_CHECK bool step_guarded(Vm *v, const Step *s); // what ACT_GUARDED does
void watch_truths(Arena *a, Vm *v);                 // watch.c
Step *watch_plain(const Step *s);                   // what a watched step stands for; NULL: it is none
enum { WATCHED_BYTES = sizeof(Step) + 64 };         // that it takes for each of Code.compare
MUST_CHECK bool step_load(Vm *v, const Step *s);
MUST_CHECK bool step_store(Vm *v, const Step *s);
size_t ahead_bytes(const Code *c, uint64_t programs); // that a launch of so many programs needs
void ahead_open(Arena *a, Vm *v, uint64_t programs);  // sets v->ahead where it pays
// ahead.c. Before an access at `offset` of a launch with v->ahead.
void ahead_fetch(Vm *v, const Step *s, const Storage *m, int64_t offset, size_t size);
// atomic.c. In a launch with atomics the serial v->first belongs to no program: as a writer it says "atomics
// alone".
StepFn step_atomic, step_cas;
// Element and value become the element; *old, a lane, what it was.
void atomic_change(const Vm *v, const Step *s, uint8_t *element, const void *value, void *old);
// Before a plain access of a launch with atomics: words that only this program's atomics have touched become
// plain.
void atomic_settle(Vm *v, Storage *m, size_t word, size_t words);
void trace_steps(Vm *v);              // traffic_trace.c: every access is counted in v->m->trace from now on
StepFn step_barrier;                  // lanes.c
StepFn step_load_one, step_store_one; // memory.c: of one lane
// memory.c: accesses whose address and mask are in short form
StepFn step_load_run, step_store_run, step_load_rows, step_store_rows;
// axes_access.c: whose address is kept by axis; and what they keep during a launch, where there is room
StepFn step_load_axes, step_store_axes;
size_t shapes_bytes(const Code *c);
void shapes_open(Arena *a, Vm *v);
