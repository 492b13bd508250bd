// Blocks, and statements of one line; what holds blocks is in parse_compound.c.
#include "lang/parse/parse.h"

static bool parse_simple_line(Parser *p);

// ---- blocks

// ":" and either simple statements on the same line or an indented block. `of` completes "after ..".
bool parse_block(Parser *p, const char *of, Nodes *out) {
    *out = (Nodes){0};
    if (at(p, TOK_ASSIGN))
        return fail(p, token_span(p->tok), "expected ':' after %s, found '='; comparison is '=='", of);
    if (!expect(p, TOK_COLON, arena_printf(p->arena, "after %s", of))) return false;
    int mark = p->top;
    if (!enter(p)) return false;
    if (!at(p, TOK_NEWLINE)) {
        if (!parse_simple_line(p)) return false;
    } else {
        advance(p);
        if (!at(p, TOK_INDENT))
            return fail_token(p, arena_printf(p->arena, "an indented block after %s", of));
        advance(p);
        while (!at(p, TOK_DEDENT) && !at(p, TOK_END))
            if (!parse_statement(p)) return false;
        accept(p, TOK_DEDENT);
    }
    leave(p);
    *out = pop_list(p, mark);
    return true;
}

// ---- simple statements

static bool statement_ends(const Parser *p) {
    return at(p, TOK_NEWLINE) || at(p, TOK_SEMI) || at(p, TOK_END);
}

// a.b.c, written without blanks in the tree however it was written in the source.
static bool parse_dotted(Parser *p, Str *out) {
    uint32_t start = p->tok.at, bytes = 0;
    bool together = true;
    Buf text = BUF(p->arena);
    do {
        if (!at(p, TOK_NAME)) return fail_token(p, "the name of a module");
        if (bytes) buf_putc(&text, '.'), bytes++;
        buf_str_put(&text, token_str(p, p->tok));
        bytes += p->tok.len;
        advance(p);
        together = p->prev_end - start == bytes;
    } while (accept(p, TOK_DOT));
    *out = together ? (Str){p->source.p + start, bytes} : buf_str(&text);
    return true;
}

static bool parse_as(Parser *p, Str *out) {
    if (!accept(p, TOK_AS)) return true;
    if (!at(p, TOK_NAME)) return fail_token(p, "a name after `as`");
    *out = token_str(p, p->tok);
    advance(p);
    return true;
}

static Node *parse_import(Parser *p) {
    Node *n = node_new(p, NODE_IMPORT, p->tok.at);
    advance(p);
    int mark = p->top;
    do {
        Node *alias = node_new(p, NODE_ALIAS, p->tok.at);
        if (!parse_dotted(p, &alias->alias.name) || !parse_as(p, &alias->alias.as)) return NULL;
        push(p, node_done(p, alias));
    } while (accept(p, TOK_COMMA));
    n->import.names = pop_list(p, mark);
    return node_done(p, n);
}

// name ["as" name] ("," ..)*, perhaps in parentheses, after which a comma may end the list
static bool parse_from_names(Parser *p, Nodes *out) {
    Token open = p->tok;
    bool enclosed = accept(p, TOK_LPAREN);
    int mark = p->top;
    do {
        if (enclosed && p->top > mark && at(p, TOK_RPAREN)) break;
        Node *alias = node_new(p, NODE_ALIAS, p->tok.at);
        if (!at(p, TOK_NAME)) return fail_token(p, "a name to import");
        alias->alias.name = token_str(p, p->tok);
        advance(p);
        if (!parse_as(p, &alias->alias.as)) return false;
        push(p, node_done(p, alias));
    } while (accept(p, TOK_COMMA));
    *out = pop_list(p, mark);
    return !enclosed || expect_close(p, TOK_RPAREN, open, "','");
}

static Node *parse_from(Parser *p) {
    Node *n = node_new(p, NODE_IMPORT, p->tok.at);
    n->import.from = true;
    advance(p);
    while (at(p, TOK_DOT) || at(p, TOK_ELLIPSIS)) {
        n->import.dots += (int)p->tok.len;
        advance(p);
    }
    if (!n->import.dots || !at(p, TOK_IMPORT))
        if (!parse_dotted(p, &n->import.module)) return NULL;
    if (!expect(p, TOK_IMPORT, "after the module of `from`")) return NULL;
    if (at(p, TOK_STAR)) {
        Node *all = node_new(p, NODE_ALIAS, p->tok.at);
        if (p->in_function) return fail(p, token_span(p->tok), "`import *` inside a function");
        all->alias.name = STR("*");
        advance(p);
        push(p, node_done(p, all));
        n->import.names = pop_list(p, p->top - 1);
    } else if (!parse_from_names(p, &n->import.names))
        return NULL;
    return node_done(p, n);
}

static Node *parse_global(Parser *p) {
    Node *n = node_new(p, NODE_GLOBAL, p->tok.at);
    n->global.nonlocal = at(p, TOK_NONLOCAL);
    if (n->global.nonlocal && p->enclosed <= p->in_function)
        return fail(p, token_span(p->tok), "`nonlocal` outside a function in a function");
    advance(p);
    int mark = p->top;
    do {
        Node *name = node_new(p, NODE_NAME, p->tok.at);
        if (!at(p, TOK_NAME)) return fail_token(p, "a name");
        name->name = token_str(p, p->tok);
        advance(p);
        push(p, node_done(p, name));
    } while (accept(p, TOK_COMMA));
    n->global.names = pop_list(p, mark);
    return node_done(p, n);
}

// del a, b; a tuple in parentheses is one target.
static Node *parse_delete(Parser *p) {
    Node *n = node_new(p, NODE_DELETE, p->tok.at);
    advance(p);
    int mark = p->top;
    do {
        if (p->top > mark && statement_ends(p)) break;
        Node *target = parse_expression(p);
        if (!target || !check_target(p, target, "delete")) return NULL;
        push(p, target);
    } while (accept(p, TOK_COMMA));
    n->items = pop_list(p, mark);
    return node_done(p, n);
}

static Node *parse_return(Parser *p) {
    Node *n = node_new(p, NODE_RETURN, p->tok.at);
    if (!p->in_function) return fail(p, token_span(p->tok), "`return` outside a function");
    advance(p);
    if (!statement_ends(p)) {
        n->value = parse_tuple(p);
        if (!n->value) return NULL;
    }
    return node_done(p, n);
}

static Node *parse_raise(Parser *p) {
    Node *n = node_new(p, NODE_RAISE, p->tok.at);
    advance(p);
    if (statement_ends(p)) return node_done(p, n);
    n->raise.value = parse_expression(p);
    if (!n->raise.value) return NULL;
    if (accept(p, TOK_FROM)) {
        n->raise.cause = parse_expression(p);
        if (!n->raise.cause) return NULL;
    }
    return node_done(p, n);
}

static Node *parse_assert(Parser *p) {
    Node *n = node_new(p, NODE_ASSERT, p->tok.at);
    advance(p);
    n->assertion.cond = parse_expression(p);
    if (!n->assertion.cond) return NULL;
    if (accept(p, TOK_COMMA)) {
        n->assertion.message = parse_expression(p);
        if (!n->assertion.message) return NULL;
    }
    return node_done(p, n);
}

static Node *parse_word(Parser *p, NodeKind k) {
    Node *n = node_new(p, k, p->tok.at);
    if (k != NODE_PASS && !p->in_loop)
        return fail(p, token_span(p->tok), "%s outside a loop", token_what(p->tok.kind));
    advance(p);
    return node_done(p, n);
}

// target = target = value
static Node *parse_assign(Parser *p, Node *first, uint32_t start) {
    Node *n = node_new(p, NODE_ASSIGN, start);
    int mark = p->top;
    Node *value = first;
    while (at(p, TOK_ASSIGN)) {
        if (value->kind == NODE_YIELD) return fail(p, value->span, "cannot assign to a yield expression");
        if (!check_target(p, value, "assign to")) return NULL;
        push(p, value);
        advance(p);
        value = parse_value(p);
        if (!value) return NULL;
    }
    n->assign.targets = pop_list(p, mark);
    n->assign.value = value;
    return node_done(p, n);
}

static bool is_plain_target(const Node *n) {
    return n->kind == NODE_NAME || n->kind == NODE_ATTRIBUTE || n->kind == NODE_SUBSCRIPT;
}

static Node *parse_annassign(Parser *p, Node *target, uint32_t start) {
    if (!is_plain_target(target))
        return fail(p, target->span, "%s cannot carry an annotation", node_describe(target));
    Node *n = node_new(p, NODE_ANNASSIGN, start);
    advance(p);
    n->annassign.target = target;
    n->annassign.annotation = parse_expression(p);
    if (!n->annassign.annotation) return NULL;
    if (accept(p, TOK_ASSIGN)) {
        n->annassign.value = parse_value(p);
        if (!n->annassign.value) return NULL;
    }
    return node_done(p, n);
}

static Node *parse_augassign(Parser *p, Node *target, uint32_t start) {
    if (!is_plain_target(target))
        return fail(p, target->span, "cannot apply %s to %s", token_what(p->tok.kind), node_describe(target));
    Node *n = node_new(p, NODE_AUGASSIGN, start);
    n->augassign.op = token_oper(p->tok.kind).oper;
    advance(p);
    n->augassign.target = target;
    n->augassign.value = parse_value(p);
    return n->augassign.value ? node_done(p, n) : NULL;
}

// Statements of newer and older Pythons that read like two expressions in a row.
static bool fail_two_expressions(Parser *p, Token first, const Node *value) {
    Str word = token_str(p, first);
    if (first.kind == TOK_NAME && value->kind == NODE_NAME) {
        if (str_is(word, "print") || str_is(word, "exec"))
            return fail(p, token_span(first), "%.*s is a function: its arguments need parentheses",
                        STR_ARG(word));
        if (str_is(word, "type"))
            return fail_unread(p, token_span(first), "`type` statements are not supported");
    }
    return fail_token(p, "the end of the statement");
}

static Node *parse_expression_statement(Parser *p) {
    Token first = p->tok;
    Node *value = parse_value(p);
    if (!value) return NULL;
    if (p->may_match && first.kind == TOK_NAME && str_is(token_str(p, first), "match")) {
        Node *n;
        if (!parse_match(p, first, value, &n)) return NULL;
        if (n) return n;
    }
    if (at(p, TOK_ASSIGN)) return parse_assign(p, value, first.at);
    if (at(p, TOK_COLON)) return parse_annassign(p, value, first.at);
    if (token_oper(p->tok.kind).assigns) return parse_augassign(p, value, first.at);
    if (at(p, TOK_WALRUS))
        return fail(p, token_span(p->tok), "':=' as a statement needs parentheses, or '='");
    if (!statement_ends(p)) return fail_two_expressions(p, first, value), NULL;
    Node *n = node_new(p, NODE_EXPRSTMT, first.at);
    n->value = value;
    return node_done(p, n);
}

static Node *parse_simple(Parser *p) {
    p->statement = p->tok.at;
    switch (p->tok.kind) {
    case TOK_IMPORT: return parse_import(p);
    case TOK_FROM: return parse_from(p);
    case TOK_GLOBAL:
    case TOK_NONLOCAL: return parse_global(p);
    case TOK_DEL: return parse_delete(p);
    case TOK_RETURN: return parse_return(p);
    case TOK_RAISE: return parse_raise(p);
    case TOK_ASSERT: return parse_assert(p);
    case TOK_PASS: return parse_word(p, NODE_PASS);
    case TOK_BREAK: return parse_word(p, NODE_BREAK);
    case TOK_CONTINUE: return parse_word(p, NODE_CONTINUE);
    case TOK_ELIF:
    case TOK_ELSE:
        return fail(p, token_span(p->tok), "%s without an `if` or loop above it", token_what(p->tok.kind));
    case TOK_EXCEPT:
    case TOK_FINALLY:
        return fail(p, token_span(p->tok), "%s without a `try` above it", token_what(p->tok.kind));
    case TOK_DEF:
    case TOK_CLASS:
    case TOK_IF:
    case TOK_FOR:
    case TOK_WHILE:
    case TOK_WITH:
    case TOK_TRY:
    case TOK_AT:
    case TOK_ASYNC:
        return fail(p, token_span(p->tok), "%s must start a line of its own", token_what(p->tok.kind));
    default: return parse_expression_statement(p);
    }
}

// simple (";" simple)* [";"] NEWLINE
static bool parse_simple_line(Parser *p) {
    do {
        if (at(p, TOK_NEWLINE)) break;
        Node *n = parse_simple(p);
        p->may_match = false;
        if (!n) return false;
        push(p, n);
        if (n->kind == NODE_MATCH) return true;
    } while (accept(p, TOK_SEMI));
    if (accept(p, TOK_NEWLINE)) return true;
    return fail_token(p, "the end of the statement");
}

bool parse_statement(Parser *p) {
    switch (p->tok.kind) {
    case TOK_IF:
    case TOK_FOR:
    case TOK_WHILE:
    case TOK_WITH:
    case TOK_TRY:
    case TOK_DEF:
    case TOK_CLASS:
    case TOK_AT:
    case TOK_ASYNC: break;
    case TOK_INDENT: return fail(p, token_span(p->tok), "unexpected indentation");
    default: p->may_match = true; return parse_simple_line(p);
    }
    Node *n = parse_compound(p);
    if (!n) return false;
    push(p, n);
    return true;
}
