// traced.h - for tests of graphs: the graph of a reference's body as text, and the reason why there is none.
#pragma once
#include "grammar/smith_test.h"

static inline void expect_graph(const char *body, const char *want) {
    Arena a = {0};
    Err e = {0};
    Graph g;
    Op op = define_body(&a, body);
    if (!graph_trace(&a, &op, &g, &e)) fail_msg("%s\n%s", e.msg, body);
    Buf b = BUF(&a);
    graph_print(&b, &g);
    assert_string_equal(buf_cstr(&b), want);
    arena_free(&a);
}

static inline void expect_no(const Op *op, Arena *a, const char *part) {
    Err e = {0};
    Graph g;
    if (graph_trace(a, op, &g, &e)) fail_msg("accepted, but should say '%s'", part);
    assert_int_equal(e.code, ERR_INPUT);
    if (!strstr(e.msg, part)) fail_msg("'%s' does not say '%s'", e.msg, part);
}

static inline void expect_refused(const char *body, const char *part) {
    Arena a = {0};
    Op op = define_body(&a, body);
    expect_no(&op, &a, part);
    arena_free(&a);
}
