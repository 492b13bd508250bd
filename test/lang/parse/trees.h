// trees.h - for tests of the parser: sources and the trees that they become.
#pragma once
#include "lang/lang_test.h"

#include "lang/parse/lex.h"

// ---- shapes

static inline const Node *statement(const char *source) {
    const Node *m = parse_text(source);
    assert_int_equal(m->kind, NODE_MODULE);
    return m->module.body.at[0];
}

static inline const Node *expression(const char *source) {
    const Node *n = statement(source);
    assert_int_equal(n->kind, NODE_EXPRSTMT);
    return n->value;
}

// ---- limits

static inline void refused(Str source, const char *part) {
    Diag found = {0};
    if (try_parse(source, &found)) fail_msg("accepted: %.60s", source.p);
    if (!strstr(found.msg, part)) fail_msg("%.60s\n%s\nlacks: %s", source.p, found.msg, part);
}
