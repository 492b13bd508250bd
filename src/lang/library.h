// library.h - the files that a kernel file may import helpers from: what --include DIR holds, as text. A
// module hangs on the tree of the file that imports it (Node.module.library) and is parsed when it is first
// asked for, under the same rules as every other source. It lives in the arena it was opened in.
#pragma once
#include "lang/ast.h"

enum {
    LIBRARY_FILES_MAX = 256,
    LIBRARY_BYTES_MAX = 1 << 20, // of all files together
    LIBRARY_NAME_MAX = 64,
    LIBRARY_PATH_MAX = 256,
    LIBRARY_CHANGED_MAX = 1024,
    LIBRARY_EFFECTS_MAX = 50 * 1000 * 1000, // nodes and statements looked at for import_effects(), all files
};

typedef struct {
    Str name, text; // "helpers", "package.helpers": without .py
    bool package;   // the __init__.py of a folder, under the folder's name
    const Node *module;
    const char *fault; // why it does not parse, once that was tried
    bool normal;       // host_normalize() has been through it
    bool patches;      // importing it changes what others define: torch, triton, os, another of these files
} LibraryFile;
struct Library {
    Arena *arena;
    LibraryFile file[LIBRARY_FILES_MAX];
    int files;
    bool old_names; // of its modules
    // Names that some file gives a member of another module or object: `m.S = 2`. More than there is room
    // for: `changes_more`.
    Str changed[LIBRARY_CHANGED_MAX];
    int changes;
    bool looked, changes_more, patches_known;
    int64_t effects_work;
};
// What candidates may use beyond their own text and Triton 3.6.
typedef struct {
    Str include;    // helper files (library_pack), or empty
    bool old_names; // names of Triton before 3.3 (tile/check/old_names.def)
    // Not empty: the file is judged as ModelNew of a reference in module form, and this says what its
    // constructor and forward are called with (host/python/model_facts.h).
    Str model;
} Extras;

// A name that a file may have, and whether it would hide what every kernel file imports.
bool library_name_ok(Str name);
bool library_name_taken(Str name);
// Such names with dots between them; behind that of a package stands `/`.
bool library_path_ok(Str path);
// Files one after another, as they cross to where the candidate is interpreted.
void library_pack(Buf *out, Str name, Str text);
MUST_CHECK bool library_open(Arena *a, Str packed, Library **out); // false: this is no such text

// The file that `from NAME import ...` or `from .NAME import ...` in this module means, or NULL. Dots count
// from the package of the module's own file; that of a kernel file is the folder of --include.
LibraryFile *library_of(const Node *module, const Node *import);
// Its tree, or NULL with file->fault.
const Node *library_module(Library *l, LibraryFile *file);
// Whether such a file (and no other module) binds the name under a condition that nothing has decided, or
// changes what it has bound, or any file of --include a member of that name: then nobody knows what the name
// means there.
bool library_unsure(const Node *module, Str name);
// Whether any file of --include gives a member of that name to another module or object.
bool library_changes(Library *l, Str name);
// Whether importing a file changes what it does not define: it, or one that is imported for it.
bool library_patches(Library *l, LibraryFile *f);
bool import_effects(const Node *module); // that file alone, as far as its tree tells: too often "yes"
// The module that `from PACKAGE import MODULE` means, or NULL.
LibraryFile *library_submodule(Arena *a, const Node *module, const Node *import, Str name);
// "helpers, math_utils", for messages.
const char *library_names(Arena *a, const Library *l);
