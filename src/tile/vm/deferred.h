// deferred.h - inside the VM: atomics that other programs do not see yet.
//
// What a thread has issued as an atomic reaches memory some time later, and its next atomic may get there
// first. Two things make an order: a release (sem="release" or "acq_rel", the default; not scope="cta") comes
// behind what its thread has done before, and a thread goes on from an acquire ("acquire" or "acq_rel") only
// when that is done. For what the program's other threads have done, a tl.debug_barrier() in between is
// needed besides. On an H200, programs that add to a sum and then count themselves lose parts of the sum
// wherever this rule makes no order, and nowhere else (doc/conformance.md).
//
// So in a kernel that looks at what some atomic returns (who comes last, say), an atomic whose own result
// nobody uses is kept back for as long as that rule allows: until an atomic that it comes before, until its
// own program looks at the element, or until the launch ends. Atomics whose results are used happen at once.
// A program that looks again and again sees everything in the end. Every outcome is one that a GPU may show;
// not every such outcome is shown.
#pragma once
#include "tile/compute/step.h"

size_t deferred_bytes(const Code *c); // what deferred_init() takes
void deferred_init(Arena *a, Vm *v);
static inline void deferred_begin(Vm *v) { // a program
    v->deferred.own = v->deferred.n;
    v->deferred.barriers = 0;
    v->deferred.looks = 0;
}
void deferred_end(Vm *v); // the launch: everything is in memory

void deferred_look(Vm *v); // an atomic will happen at once
// Keeps the atomic of this lane back; `value` as the lanes hold it.
void deferred_put(Vm *v, const Step *s, int64_t lane, Storage *m, size_t offset, const void *value);
// Before an atomic of this lane that happens at once.
void deferred_order(Vm *v, const Step *s, int64_t lane, const Storage *m, size_t offset);
// Before the program's own plain access to these bytes.
void deferred_show(Vm *v, const Storage *m, size_t offset, size_t bytes);
