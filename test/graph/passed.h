// passed.h - for tests of passes: how many the graph of a reference's body needs.
#pragma once
#include "grammar/smith_test.h"
#include "graph/online_algebra.h"

static inline int waiting(const Graph *g, bool online) {
    Levels levels;
    return passes_levels(g, online, false, &levels);
}

static inline Graph traced(Arena *a, Op *op, const char *body) {
    Graph g;
    Err e = {0};
    *op = define_body(a, body);
    if (!graph_trace(a, op, &g, &e)) fail_msg("%s", e.msg);
    return g;
}

// Passes when nothing, and when everything possible is corrected as it grows.
static inline void expect_passes(const char *body, int plain, int online) {
    Arena a = {0};
    Op op;
    Graph g = traced(&a, &op, body);
    assert_int_equal(waiting(&g, false), plain);
    assert_int_equal(waiting(g.online ? g.online : &g, true), online);
    assert_true(g.online == NULL || waiting(g.online, true) < waiting(&g, true));
    arena_free(&a);
}
