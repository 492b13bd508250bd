// manifest_source.h - of a kernel file, what a manifest's launches reach, or what an entry does, all on its
// lines. What else binds a name that is reached stays, too, and is judged.
#pragma once
#include "host/policy/scope.h"
#include "service/manifest/manifest.h"

typedef struct {
    Str name;
    bool plain; // without decorators but @triton.jit: what chooses constants is left out
} ManifestKernel;
typedef struct {
    Str name, path; // what the file imports from elsewhere, and what that is: "triton.language.cast"
} ManifestImport;
typedef struct {
    Arena *arena;
    const Node *module; // NULL: the source does not parse, and stays as it is
    Str source;
    const ManifestKernel *kernel;
    int kernels;
    const ManifestImport *import;
    int imports;
    // Instead of kernels: a function, class or variable that is entered. Beside what it reaches, all stays
    // that changes something else when the file is imported.
    Str entry;
} ManifestSource;
// Blanks stand in place of what is left out; `told` gets a comment that names it.
void manifest_source(const ManifestSource *m, Buf *told, Buf *out);
// Which statements of the module's own level bind a name that is reached, or change something else when the
// file is imported; `reached` gets the names that these use, in turn.
void manifest_reached(const ManifestSource *m, Names *reached, bool *stays);
// Names that a statement binds in its own scope, in statements that no host code has, too. `arg`: Names.
void names_bound(void *arg, const Node *n);
// An import of the module's own level that brings the name.
bool manifest_imports(Arena *a, const Node *module, Str name);
// A function that is no kernel by a decorator, but by `name = triton.jit(name)`.
bool manifest_made_jit(const Node *module, Str name);
