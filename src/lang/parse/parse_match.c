// The `match` statement. The word is a name elsewhere, so that its head has been read as an expression by the
// time it is known for one: `match x:`, `match (a, b):`. Patterns are literals, names, dotted names, tuples
// and alternatives; those of classes and mappings, and `as`, are valid Python that is not read.
#include "lang/parse/parse.h"

static bool is_dotted(const Node *n) {
    while (n->kind == NODE_ATTRIBUTE) n = n->attribute.value;
    return n->kind == NODE_NAME;
}

// ---- patterns

typedef struct {
    Parser *parser;
    Str name[16]; // captured so far
    int names;
} Pattern;

static bool unread(Parser *p, const Node *n) {
    return fail_unread(p, n->span, "such patterns of `match` statements are not supported") != NULL;
}

static bool capture_ok(Pattern *q, const Node *n) {
    if (str_is(n->name, "_")) return true;
    for (int i = 0; i < q->names; i++)
        if (str_eq(q->name[i], n->name))
            return fail(q->parser, n->span, "multiple assignments to name '%.*s' in pattern",
                        STR_ARG(n->name)) != NULL;
    if (q->names == (int)(sizeof q->name / sizeof *q->name)) return unread(q->parser, n);
    q->name[q->names++] = n->name;
    return true;
}

static bool pattern_ok(Pattern *q, const Node *n, bool alternative) {
    switch (n->kind) {
    case NODE_INT:
    case NODE_FLOAT:
    case NODE_TRUE:
    case NODE_FALSE:
    case NODE_NONE: return true;
    case NODE_STRING: return !n->string.bytes || unread(q->parser, n);
    case NODE_UNARY: {
        NodeKind of = n->unary.operand->kind;
        return (n->unary.op == OPER_NEG && (of == NODE_INT || of == NODE_FLOAT)) || unread(q->parser, n);
    }
    case NODE_ATTRIBUTE: return is_dotted(n) || unread(q->parser, n);
    case NODE_NAME: return alternative && !str_is(n->name, "_") ? unread(q->parser, n) : capture_ok(q, n);
    case NODE_TUPLE:
    case NODE_LIST:
        for (int i = 0; i < n->items.n; i++)
            if (!pattern_ok(q, n->items.at[i], alternative)) return false;
        return true;
    case NODE_BINARY:
        return (n->binary.op == OPER_BITOR && pattern_ok(q, n->binary.left, true) &&
                pattern_ok(q, n->binary.right, true)) ||
               (!q->parser->failed && unread(q->parser, n));
    default: return unread(q->parser, n);
    }
}

static Node *parse_case(Parser *p) {
    Node *n = node_new(p, NODE_CASE, p->tok.at);
    advance(p);
    n->matchcase.pattern = parse_operands(p);
    if (!n->matchcase.pattern) return NULL;
    if (at(p, TOK_AS))
        return fail_unread(p, token_span(p->tok),
                           "`as` in patterns: such `match` statements are not supported");
    if (!pattern_ok(&(Pattern){.parser = p}, n->matchcase.pattern, false)) return NULL;
    if (accept(p, TOK_IF)) {
        n->matchcase.guard = parse_named(p);
        if (!n->matchcase.guard) return NULL;
    }
    return parse_block(p, "the pattern of `case`", &n->matchcase.body) ? node_done(p, n) : NULL;
}

static bool takes_all(const Node *n) {
    return n->matchcase.pattern->kind == NODE_NAME && !n->matchcase.guard;
}

static bool parse_cases(Parser *p, Nodes *out) {
    int mark = p->top;
    advance(p); // the end of the line
    if (!at(p, TOK_INDENT)) return fail_token(p, "an indented block after `match`");
    advance(p);
    if (!enter(p)) return false;
    while (!at(p, TOK_DEDENT) && !at(p, TOK_END)) {
        if (!at(p, TOK_NAME) || !str_is(token_str(p, p->tok), "case")) return fail_token(p, "`case`");
        if (p->top > mark && takes_all(p->stack[p->top - 1]))
            return fail(p, p->stack[p->top - 1]->matchcase.pattern->span,
                        "this pattern takes everything: remaining cases are unreachable");
        Node *n = parse_case(p);
        if (!n) return false;
        push(p, n);
    }
    accept(p, TOK_DEDENT);
    leave(p);
    *out = pop_list(p, mark);
    return true;
}

// ---- the head

// The comma of `(x,)` is gone from a call's arguments.
static bool one_plain_argument(const Parser *p, const Node *call) {
    for (uint32_t i = call->span.at + call->span.len - 1; i > call->span.at; i--) {
        char c = p->source.p[i];
        if (c == '#' || c == ',' || c == '\\') return false;
        if (c != ')' && c != ' ' && c != '\n' && c != '\t') return true;
    }
    return false;
}

// `match (a, b):` has been read as a call.
static Node *subject_of_call(Parser *p, const Node *call) {
    const Nodes *args = &call->call.args;
    bool plain = call->kind == NODE_CALL && node_is_name(call->call.func, "match") && args->n &&
                 !call->call.keywords.n && !memchr(p->source.p + call->span.at, '#', call->span.len);
    for (int i = 0; plain && i < args->n; i++)
        plain = args->at[i]->kind != NODE_STARRED && args->at[i]->kind != NODE_COMP;
    if (!plain || (args->n == 1 && !one_plain_argument(p, call)))
        return fail_unread(p, call->span, "such heads of `match` statements are not supported");
    if (args->n == 1) return args->at[0];
    Node *n = node_new(p, NODE_TUPLE, call->span.at);
    n->items = *args;
    return node_done(p, n);
}

static bool starts_subject(const Parser *p) {
    return at(p, TOK_NAME) || at(p, TOK_INT) || at(p, TOK_FLOAT) || at(p, TOK_STRING) || at(p, TOK_FSTART) ||
           at(p, TOK_NONE) || at(p, TOK_TRUE) || at(p, TOK_FALSE) || at(p, TOK_LBRACE) || at(p, TOK_NOT);
}

bool parse_match(Parser *p, Token first, Node *value, Node **out) {
    Node *n = node_new(p, NODE_MATCH, first.at);
    *out = NULL;
    if (value->kind == NODE_NAME && starts_subject(p)) {
        n->match.subject = parse_tuple(p);
    } else if (value->kind != NODE_NAME && at(p, TOK_COLON) && p->next.kind == TOK_NEWLINE) {
        n->match.subject = subject_of_call(p, value);
    } else {
        return true;
    }
    if (!n->match.subject) return false;
    if (!expect(p, TOK_COLON, "after the subject of `match`")) return false;
    if (!at(p, TOK_NEWLINE)) return fail_token(p, "the end of the line");
    return parse_cases(p, &n->match.cases) && (*out = node_done(p, n)) != NULL;
}
