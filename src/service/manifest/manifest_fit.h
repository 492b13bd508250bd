// manifest_fit.h - whether a launch gives each parameter of its kernel something, and once; and which of them
// the kernel's decorators give. What a launch lacks is an error of the manifest, not of the kernel.
#pragma once
#include "base/json.h"
#include "host/policy/scope.h"
#include "lang/ast.h"

typedef struct {
    Names configs;    // keys of the kernel's triton.Config(...): no launch may give them
    Names heuristics; // keys of triton.heuristics(...): a launch may, to no effect
    bool tuned;       // it has triton.autotune
} ManifestTuned;
ManifestTuned manifest_tuned(Arena *a, const Node *module, const Node *kernel);

typedef struct {
    const Node *module, *kernel;
    bool plain;           // without the decorators that choose constants
    const json_t *launch; // args, constexprs, num_warps, num_stages
} ManifestFit;
// NULL, or what is wrong with the manifest's *key, both in `a`.
const char *manifest_fit(Arena *a, const ManifestFit *q, const char **key);
