#include "lang/parse/parse.h"

#include <stdarg.h>
#include <stdio.h>

void advance(Parser *p) {
    p->prev_end = p->tok.at + p->tok.len;
    p->tok = p->next;
    p->next = lex_next(&p->lex);
}

bool at(const Parser *p, TokenKind k) { return p->tok.kind == k; }

bool accept(Parser *p, TokenKind k) {
    if (!at(p, k)) return false;
    advance(p);
    return true;
}

Str token_str(const Parser *p, Token t) { return (Str){p->source.p + t.at, t.len}; }
Span token_span(Token t) { return (Span){t.at, t.len}; }

Node *fail_unread(Parser *p, Span span, const char *what) {
    if (p->failed) return NULL;
    p->failed = true;
    diag_record(p->diags, DIAG_UNSUPPORTED, span, "%s", what);
    return NULL;
}

Node *fail(Parser *p, Span span, const char *fmt, ...) {
    if (p->failed) return NULL;
    p->failed = true;
    char msg[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    diag_record(p->diags, DIAG_SYNTAX, span, "%s", msg);
    return NULL;
}

// "'x'", or what kind of thing it is when the text is long or would not survive as ASCII.
static const char *token_shown(Parser *p, Token t) {
    Str s = token_str(p, t);
    if (t.kind != TOK_NAME && t.kind != TOK_INT && t.kind != TOK_FLOAT) return token_what(t.kind);
    if (s.len > 40) return token_what(t.kind);
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] < 0x20 || s.p[i] > 0x7e) return token_what(t.kind);
    return arena_printf(p->arena, "'%.*s'", STR_ARG(s));
}

Node *fail_token(Parser *p, const char *expected) {
    // An ERROR is always the last token of the window, so the lexer's message is about this one.
    if (at(p, TOK_ERROR)) return fail(p, p->lex.where, "%s", p->lex.error);
    return fail(p, token_span(p->tok), "expected %s, found %s", expected, token_shown(p, p->tok));
}

bool expect(Parser *p, TokenKind k, const char *where) {
    if (accept(p, k)) return true;
    fail_token(p, arena_printf(p->arena, "%s %s", token_what(k), where));
    return false;
}

bool expect_close(Parser *p, TokenKind k, Token open, const char *items) {
    if (accept(p, k)) return true;
    int line = line_col(p->source, open.at).line, here = line_col(p->source, p->tok.at).line;
    const char *where =
        line == here ? "" : arena_printf(p->arena, " for the %s of line %d", token_what(open.kind), line);
    fail_token(p, arena_printf(p->arena, "%s or %s%s", items, token_what(k), where));
    return false;
}

bool enter(Parser *p) {
    if (p->depth < NESTING_MAX) return ++p->depth, true;
    if (at(p, TOK_ERROR))
        fail_token(p, "");
    else
        fail(p, token_span(p->tok), "nested more than %d deep", NESTING_MAX);
    return false;
}

void leave(Parser *p) { p->depth--; }

Node *node_new(Parser *p, NodeKind k, uint32_t start) {
    Node *n = NEW(p->arena, Node);
    n->kind = k;
    n->span.at = start;
    return n;
}

static void measure(void *arg, const Node *child) {
    uint16_t *tallest = arg;
    if (child->height > *tallest) *tallest = child->height;
}

Node *node_done(Parser *p, Node *n) {
    n->span.len = p->prev_end > n->span.at ? p->prev_end - n->span.at : 0;
    uint16_t tallest = 0;
    node_each_child(n, measure, &tallest);
    if (tallest >= HEIGHT_MAX)
        return fail(p, n->span, "this chain of operators, calls or branches has more than %d links",
                    HEIGHT_MAX);
    n->height = (uint16_t)(tallest + 1);
    return n;
}

void push(Parser *p, Node *n) {
    if (p->top == p->cap) {
        int cap = p->cap ? p->cap * 2 : 64;
        Node **stack = NEWN(p->arena, Node *, (size_t)cap);
        if (p->top) memcpy(stack, p->stack, sizeof *stack * (size_t)p->top);
        p->stack = stack;
        p->cap = cap;
    }
    p->stack[p->top++] = n;
}

Nodes pop_list(Parser *p, int mark) {
    Nodes list = {.n = p->top - mark};
    if (!list.n) return list;
    list.at = NEWN(p->arena, Node *, (size_t)list.n);
    memcpy(list.at, p->stack + mark, sizeof *list.at * (size_t)list.n);
    p->top = mark;
    return list;
}

// What can be wrong with a source before its first token.
static bool source_ok(Parser *p, Str s) {
    const char *nul = s.len ? memchr(s.p, 0, s.len) : NULL;
    if (s.len > SOURCE_MAX)
        fail(p, (Span){0, 0}, "the source has %zu bytes, more than %d", s.len, SOURCE_MAX);
    else if (nul)
        fail(p, (Span){(uint32_t)(nul - s.p), 1}, "the source holds a NUL byte");
    else if (!utf8_valid(s))
        fail(p, (Span){0, 0}, "the source is not valid UTF-8");
    return !p->failed;
}

Node *parse_module(Arena *a, Str source, DiagList *d) {
    Parser p = {.arena = a, .source = source, .diags = d};
    if (!source_ok(&p, source)) return NULL;
    lex_start(&p.lex, source);
    p.tok = lex_next(&p.lex);
    p.next = lex_next(&p.lex);
    Node *n = node_new(&p, NODE_MODULE, 0);
    n->module.source = source;
    while (!at(&p, TOK_END))
        if (!parse_statement(&p)) return NULL;
    n->module.body = pop_list(&p, 0);
    if (!n->module.body.n) return fail(&p, (Span){0, 0}, "the source holds no statement");
    return node_done(&p, n);
}
