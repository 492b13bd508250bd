#include "host/policy/library_names.h"

#include <pthread.h>

const char *const library_use_name[] = {"none", "light", "all"};

bool library_use_by_name(Str name, LibraryUse *out) {
    for (int i = LIBRARY_NONE; i <= LIBRARY_ALL; i++)
        if (str_is(name, library_use_name[i])) return *out = (LibraryUse)i, true;
    return false;
}

enum { LIGHT = LIBRARY_LIGHT, HEAVY = LIBRARY_ALL };
static const struct {
    LibraryUse needs;
    const char *names;
} row[] = {
#define LIBRARY(class, names, doc) {(LibraryUse) class, names},
#include "host/policy/library.def"
};

// Open addressing; built once, in the parent of all children (child_prepare).
enum { ENTRIES = 1024 };
static struct {
    Str name;
    LibraryUse needs;
} entry[ENTRIES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static size_t place_of(Str name) {
    size_t at = (size_t)str_hash(name) % ENTRIES;
    while (entry[at].name.p && !str_eq(entry[at].name, name)) at = (at + 1) % ENTRIES;
    return at;
}

static void build(void) {
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (const char *p = row[i].names; *p;) {
            size_t n = strcspn(p, " ");
            size_t at = place_of((Str){p, n});
            entry[at].name = (Str){p, n};
            entry[at].needs = row[i].needs;
            p += n + strspn(p + n, " ");
        }
}

LibraryUse library_needs(Str name) {
    pthread_once(&once, build);
    return entry[place_of(name)].needs;
}

LibraryUse library_method_needs(Str name) {
    char dotted[64] = ".";
    if (name.len + 1 >= sizeof dotted) return LIBRARY_NONE;
    memcpy(dotted + 1, name.p, name.len);
    return library_needs((Str){dotted, name.len + 1});
}

LibraryUse library_allowed(const Node *module) {
    const Node *facts = module->module.model;
    for (int i = 0; facts && i < facts->module.body.n; i++) {
        const Node *s = facts->module.body.at[i];
        if (s->kind != NODE_ASSIGN || !node_is_name(s->assign.targets.at[0], "library")) continue;
        const Node *v = s->assign.value;
        return v->kind == NODE_INT && v->integer.value <= LIBRARY_ALL ? (LibraryUse)v->integer.value
                                                                      : LIBRARY_NONE;
    }
    return LIBRARY_NONE;
}
