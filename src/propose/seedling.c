#include "propose/seedling.h"

#include <stdlib.h>
#include <unistd.h>

#include "graph/graph.h"

// ---- the file

// The folder of this very program, without a slash at its end; NULL: the system does not tell.
static const char *own_folder(Arena *a) {
    enum { PATH_BYTES = 4096 };
    char *path = NEWN(a, char, PATH_BYTES);
    ssize_t n = readlink("/proc/self/exe", path, PATH_BYTES - 1);
    if (n <= 0) return NULL;
    path[n] = 0;
    char *slash = strrchr(path, '/');
    if (!slash) return NULL;
    *slash = 0;
    return path;
}

const char *seedling_path(Arena *a) {
    static const char *const places[] = {"../share/ouroboros/seedling.gguf", "../models/seedling.gguf"};
    const char *said = getenv("OUROBOROS_SEEDLING");
    // One that is not there is told by whoever opens it. It is a file, also where a smith has such a name.
    if (said && *said) return *said == '/' ? said : arena_printf(a, "./%s", said);
    if (said) return NULL;
    const char *folder = own_folder(a);
    for (size_t i = 0; folder && i < sizeof places / sizeof *places; i++) {
        const char *path = arena_printf(a, "%s/%s", folder, places[i]);
        if (access(path, R_OK) == 0) return path;
    }
    return NULL;
}

bool seedling_is_ours(void) { return !getenv("OUROBOROS_SEEDLING"); }

// ---- what it has seen

// Operations in what it learned from (bench/seedling_ops.py and the suite).
static const BoundOp learned[] = {
    BOUND_INPUT,     BOUND_LITERAL,  BOUND_ADD,      BOUND_SUB,       BOUND_MUL,       BOUND_DIV,
    BOUND_GT,        BOUND_NEG,      BOUND_ABS,      BOUND_EXP,       BOUND_EXPM1,     BOUND_LOG,
    BOUND_RSQRT,     BOUND_SQUARE,   BOUND_TANH,     BOUND_SIGMOID,   BOUND_RELU,      BOUND_SUM,
    BOUND_GELU_TANH, BOUND_GELU_ERF, BOUND_SOFTPLUS, BOUND_CLAMP_MIN, BOUND_CLAMP_MAX, BOUND_CAST,
    BOUND_WHERE,     BOUND_AMAX,     BOUND_EXPAND,   BOUND_SLICE,     BOUND_CAT,       BOUND_GATHER,
    BOUND_CUMSUM,
};
enum { LEARNED = sizeof learned / sizeof *learned, INPUTS_SEEN = 6, NODES_SEEN = 64 };

static bool is_learned(BoundOp op) {
    for (int i = 0; i < LEARNED; i++)
        if (learned[i] == op) return true;
    return false;
}

bool seedling_knows(Arena *a, const Op *op, const char **why) {
    Arena scratch = {0};
    Graph g;
    Err e = {0};
    *why = NULL;
    if (op->form || !op_returns_one(op))
        *why = "it has more than one result, or is a module";
    else if (op->inputs > INPUTS_SEEN)
        *why = "it has more inputs than any of those";
    else if (!graph_trace(&scratch, op, &g, &e))
        *why = "it is beyond rows and columns";
    else if (g.nodes > NODES_SEEN)
        *why = "it has more steps than any of those";
    for (int i = 0; !*why && i < g.nodes; i++)
        if (!is_learned(g.node[i].op))
            *why = arena_printf(a, "none of those has %s", bound_name(g.node[i].op));
    arena_free(&scratch);
    return !*why;
}
