// backend.h - what becomes of the work that a candidate's host code asks of a GPU: launches, fills, copies.
// One call, one backend: Machine.backend, or the virtual machine where that is NULL. Others write down what
// is asked for (gpu/recorder.h), or run it elsewhere. Host code cannot tell them apart.
#pragma once
#include "host/python/interp.h"

// A launch that Triton's compiler takes.
typedef struct {
    const Binding *binding;
    const Launchable *code;
    const int64_t *grid; // 3
    Choice how;
    int nth; // of the ways of one launch: 0, and further ones where the backend wants every config
} Launched;

typedef struct LaunchBackend {
    bool every_config; // an autotuned kernel is launched with each config that may run, not with one
    // A kernel and its arguments before its launch: findings to `d`, Launchable.unfit as kernel_check() does.
    bool (*check)(Interp *in, const Binding *b, Launchable *out);
    bool (*launch)(Interp *in, Span at, const Launched *l);
    // All elements of a tensor without gaps; from a view into a new tensor without gaps, in row-major order.
    bool (*fill)(Interp *in, Span at, const Tensor *t, double x);
    bool (*copy)(Interp *in, Span at, const Tensor *from, const Tensor *to);
    // The call is over, and returns these.
    bool (*finish)(Interp *in, Span at, const Tensor *out, int outputs);
} LaunchBackend;

extern const LaunchBackend vm_backend;
static inline const LaunchBackend *backend_of(const Interp *in) {
    return in->m->backend ? in->m->backend : &vm_backend;
}
