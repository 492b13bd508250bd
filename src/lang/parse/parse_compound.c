// Statements that hold blocks: if, for, while, with, try, def, class.
#include "lang/parse/parse.h"

// A block of a loop, `with` or `try`: Python's compiler allows few in one another.
static bool parse_nested(Parser *p, const char *of, Nodes *out) {
    if (p->nested == BLOCKS_MAX)
        return fail(p, token_span(p->tok), "too many statically nested blocks: more than %d", BLOCKS_MAX);
    p->nested++;
    bool ok = parse_block(p, of, out);
    p->nested--;
    return ok;
}

// Of a loop: break and continue are allowed.
static bool parse_loop_block(Parser *p, const char *of, Nodes *out) {
    bool in_loop = p->in_loop;
    p->in_loop = true;
    bool ok = parse_nested(p, of, out);
    p->in_loop = in_loop;
    return ok;
}

static bool parse_else(Parser *p, const char *of, Nodes *out) {
    *out = (Nodes){0};
    return !accept(p, TOK_ELSE) || parse_block(p, of, out);
}

// One `if` or `elif` up to its block.
static Node *parse_branch(Parser *p) {
    Node *n = node_new(p, NODE_IF, p->tok.at);
    bool first = at(p, TOK_IF);
    advance(p);
    n->branch.cond = parse_named(p);
    const char *of = first ? "the condition of `if`" : "the condition of `elif`";
    if (!n->branch.cond || !parse_block(p, of, &n->branch.then)) return NULL;
    return n;
}

// A chain of elif is a list while it is read, and nests from its end, without recursion.
static Node *parse_if(Parser *p) {
    int mark = p->top;
    do {
        Node *n = parse_branch(p);
        if (!n) return NULL;
        push(p, n);
    } while (at(p, TOK_ELIF));
    Nodes rest;
    if (!parse_else(p, "`else`", &rest)) return NULL;
    Nodes chain = pop_list(p, mark);
    for (int i = chain.n - 1; i >= 0; i--) {
        chain.at[i]->branch.otherwise = rest;
        if (!node_done(p, chain.at[i])) return NULL;
        rest = (Nodes){&chain.at[i], 1};
    }
    return chain.at[0];
}

static Node *parse_for(Parser *p, uint32_t start, bool async) {
    Node *n = node_new(p, NODE_FOR, start);
    advance(p);
    n->loop.async = async;
    n->loop.target = parse_targets(p);
    if (!n->loop.target || !expect(p, TOK_IN, "after the target of `for`")) return NULL;
    n->loop.iter = parse_tuple(p);
    if (!n->loop.iter || !parse_loop_block(p, "the iterable of `for`", &n->loop.body)) return NULL;
    if (!parse_else(p, "`else` of the loop", &n->loop.otherwise)) return NULL;
    return node_done(p, n);
}

static Node *parse_while(Parser *p) {
    Node *n = node_new(p, NODE_WHILE, p->tok.at);
    advance(p);
    n->whileloop.cond = parse_named(p);
    if (!n->whileloop.cond || !parse_loop_block(p, "the condition of `while`", &n->whileloop.body))
        return NULL;
    if (!parse_else(p, "`else` of the loop", &n->whileloop.otherwise)) return NULL;
    return node_done(p, n);
}

// expression ["as" target]
static Node *parse_withitem(Parser *p, bool named) {
    Node *n = node_new(p, NODE_WITHITEM, p->tok.at);
    n->withitem.value = named ? parse_named(p) : parse_expression(p);
    if (!n->withitem.value) return NULL;
    if (accept(p, TOK_AS)) {
        if (at(p, TOK_COLON) || at(p, TOK_COMMA)) return fail_token(p, "a target after `as`");
        n->withitem.target = parse_expression(p);
        if (!n->withitem.target || !check_target(p, n->withitem.target, "assign to")) return NULL;
    }
    return node_done(p, n);
}

// Whether the parenthesis here encloses the items of a `with` rather than starting an expression: it closes
// right before the ':' and holds a comma or `as`, but neither `for`, `yield` nor a star at its own level.
// Reads ahead on copies.
static bool encloses_withitems(const Parser *p) {
    Lexer lex = p->lex;
    Token t = p->next;
    bool list = false, after_comma = true;
    int depth = 1;
    while (depth > 0) {
        if (t.kind == TOK_ERROR || t.kind == TOK_END) return false;
        if (t.kind == TOK_LPAREN || t.kind == TOK_LBRACKET || t.kind == TOK_LBRACE || t.kind == TOK_FSTART)
            depth++;
        if (t.kind == TOK_RPAREN || t.kind == TOK_RBRACKET || t.kind == TOK_RBRACE || t.kind == TOK_FEND)
            depth--;
        if (depth == 1) {
            if (t.kind == TOK_FOR || t.kind == TOK_YIELD || (t.kind == TOK_STAR && after_comma)) return false;
            after_comma = t.kind == TOK_COMMA;
            list |= after_comma || t.kind == TOK_AS;
        }
        t = lex_next(&lex);
    }
    return list && t.kind == TOK_COLON;
}

static Node *parse_with(Parser *p, uint32_t start, bool async) {
    Node *n = node_new(p, NODE_WITH, start);
    n->with.async = async;
    advance(p);
    Token open = p->tok;
    bool enclosed = at(p, TOK_LPAREN) && encloses_withitems(p);
    if (enclosed) advance(p);
    int mark = p->top;
    do {
        if (enclosed && p->top > mark && at(p, TOK_RPAREN)) break;
        Node *item = parse_withitem(p, enclosed);
        if (!item) return NULL;
        push(p, item);
    } while (accept(p, TOK_COMMA));
    n->with.items = pop_list(p, mark);
    if (enclosed && !expect_close(p, TOK_RPAREN, open, "','")) return NULL;
    if (!parse_nested(p, "the items of `with`", &n->with.body)) return NULL;
    return node_done(p, n);
}

static Node *parse_handler(Parser *p) {
    Node *n = node_new(p, NODE_EXCEPT, p->tok.at);
    advance(p);
    if (at(p, TOK_STAR)) return fail(p, token_span(p->tok), "`except*` is not supported");
    if (!at(p, TOK_COLON)) {
        n->handler.type = parse_expression(p);
        if (!n->handler.type) return NULL;
        if (at(p, TOK_COMMA)) return fail(p, token_span(p->tok), "several exception types need parentheses");
        if (accept(p, TOK_AS)) {
            if (!at(p, TOK_NAME)) return fail_token(p, "a name after `as`");
            n->handler.name = token_str(p, p->tok);
            advance(p);
        }
    }
    if (!parse_block(p, "`except`", &n->handler.body)) return NULL;
    return node_done(p, n);
}

static Node *parse_try(Parser *p) {
    Node *n = node_new(p, NODE_TRY, p->tok.at);
    advance(p);
    if (!parse_nested(p, "`try`", &n->attempt.body)) return NULL;
    int mark = p->top;
    while (at(p, TOK_EXCEPT)) {
        if (p->top > mark && !p->stack[p->top - 1]->handler.type)
            return fail(p, p->stack[p->top - 1]->span, "an `except` without a type must be the last");
        Node *h = parse_handler(p);
        if (!h) return NULL;
        push(p, h);
    }
    n->attempt.handlers = pop_list(p, mark);
    if (n->attempt.handlers.n && !parse_else(p, "`else` of `try`", &n->attempt.otherwise)) return NULL;
    if (accept(p, TOK_FINALLY)) {
        if (!parse_block(p, "`finally`", &n->attempt.final)) return NULL;
    } else if (!n->attempt.handlers.n)
        return fail_token(p, "`except` or `finally` after the block of `try`");
    return node_done(p, n);
}

// Parameters and body, from the "def" on.
static Node *parse_function(Parser *p, uint32_t start, bool async, Nodes decorators) {
    Node *n = node_new(p, NODE_FUNCTION, start);
    Token def = p->tok;
    bool in_def = p->in_def;
    n->function.async = async;
    n->function.decorators = decorators;
    advance(p);
    if (!at(p, TOK_NAME)) return fail_token(p, "the name of the function after `def`");
    n->function.name = token_str(p, p->tok);
    advance(p);
    Token open = p->tok;
    p->in_def = true;
    if (at(p, TOK_LBRACKET)) return fail(p, token_span(open), "type parameters are not supported");
    if (!expect(p, TOK_LPAREN, "after the name of the function") || !def_is_found(p, def, open)) return NULL;
    n->function.params = parse_parameters(p, TOK_RPAREN, true);
    if (p->failed || !expect_close(p, TOK_RPAREN, open, "','")) return NULL;
    if (accept(p, TOK_ARROW)) {
        n->function.returns = parse_expression(p);
        if (!n->function.returns) return NULL;
    }
    bool in_function = p->in_function, in_async = p->in_async, in_loop = p->in_loop;
    int nested = p->nested;
    p->in_function = true;
    p->enclosed++;
    p->nested = 0;
    p->in_async = async;
    p->in_loop = false;
    bool ok = parse_block(p, "the head of the function", &n->function.body);
    p->in_function = in_function;
    p->enclosed--;
    p->nested = nested;
    p->in_async = in_async;
    p->in_loop = in_loop;
    p->in_def = in_def;
    return ok ? node_done(p, n) : NULL;
}

static Node *parse_class(Parser *p, uint32_t start, Nodes decorators) {
    Node *n = node_new(p, NODE_CLASS, start);
    n->klass.decorators = decorators;
    advance(p);
    if (!at(p, TOK_NAME)) return fail_token(p, "the name of the class after `class`");
    n->klass.name = token_str(p, p->tok);
    advance(p);
    Token open = p->tok;
    if (at(p, TOK_LBRACKET)) return fail(p, token_span(open), "type parameters are not supported");
    if (accept(p, TOK_LPAREN)) {
        if (!enter(p)) return NULL;
        n->klass.bases = parse_arguments(p, open, false, &n->klass.keywords);
        leave(p);
        if (p->failed) return NULL;
    }
    bool in_function = p->in_function, in_async = p->in_async, in_loop = p->in_loop;
    p->in_function = p->in_async = p->in_loop = false;
    bool ok = parse_block(p, "the head of the class", &n->klass.body);
    p->in_function = in_function;
    p->in_async = in_async;
    p->in_loop = in_loop;
    return ok ? node_done(p, n) : NULL;
}

static Node *parse_async(Parser *p, Nodes decorators) {
    uint32_t start = p->tok.at;
    bool def = p->next.kind == TOK_DEF;
    if (!def && !p->in_async && (p->next.kind == TOK_FOR || p->next.kind == TOK_WITH))
        return fail(p, token_span(p->tok), "`async` outside an async function");
    advance(p);
    if (def) return parse_function(p, start, true, decorators);
    if (at(p, TOK_FOR)) return parse_for(p, start, true);
    if (at(p, TOK_WITH)) return parse_with(p, start, true);
    return fail_token(p, "`def`, `for` or `with` after `async`");
}

// ("@" expression NEWLINE)+ then a function or class
static Node *parse_decorated(Parser *p) {
    uint32_t start = p->tok.at;
    int mark = p->top;
    while (accept(p, TOK_AT)) {
        p->in_decorator = true;
        Node *n = parse_named(p);
        p->in_decorator = false;
        if (!n || !expect(p, TOK_NEWLINE, "after the decorator")) return NULL;
        push(p, n);
    }
    Nodes decorators = pop_list(p, mark);
    if (at(p, TOK_DEF)) return parse_function(p, start, false, decorators);
    if (at(p, TOK_CLASS)) return parse_class(p, start, decorators);
    if (at(p, TOK_ASYNC) && p->next.kind == TOK_DEF) return parse_async(p, decorators);
    return fail_token(p, "a function or class after its decorators");
}

Node *parse_compound(Parser *p) {
    uint32_t start = p->tok.at;
    switch (p->tok.kind) {
    case TOK_IF: return parse_if(p);
    case TOK_FOR: return parse_for(p, start, false);
    case TOK_WHILE: return parse_while(p);
    case TOK_WITH: return parse_with(p, start, false);
    case TOK_TRY: return parse_try(p);
    case TOK_DEF: return parse_function(p, start, false, (Nodes){0});
    case TOK_CLASS: return parse_class(p, start, (Nodes){0});
    case TOK_AT: return parse_decorated(p);
    default: return parse_async(p, (Nodes){0});
    }
}
