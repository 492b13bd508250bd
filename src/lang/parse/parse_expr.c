// Expressions but for what stands in brackets (parse_bracket.c); the comment above a function is its rule.
// Whatever can contain itself calls enter(): brackets, prefix operators, the right of `**`, the `else` of a
// conditional, lambdas and the braces of f-strings. Operators that bind to the left and postfixes are loops;
// node_done() limits the height of what they build.
#include "lang/parse/parse.h"

#include <stdlib.h>

static Node *parse_infix(Parser *p, int level);
static Node *parse_unary(Parser *p);

bool at_walrus(const Parser *p) { return at(p, TOK_NAME) && p->next.kind == TOK_WALRUS; }

// ---- atoms

static int digit_of(char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

static Node *parse_int(Parser *p) {
    Node *n = node_new(p, NODE_INT, p->tok.at);
    Str s = token_str(p, p->tok);
    char mark = s.len > 1 ? (char)(s.p[1] | 32) : 0;
    unsigned base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    uint64_t v = 0;
    for (size_t i = base == 10 ? 0 : 2; i < s.len && !n->integer.too_big; i++) {
        if (s.p[i] == '_') continue;
        n->integer.too_big = __builtin_mul_overflow(v, (uint64_t)base, &v) ||
                             __builtin_add_overflow(v, (uint64_t)digit_of(s.p[i]), &v);
    }
    n->integer.value = n->integer.too_big ? 0 : v;
    n->integer.text = s;
    if (n->integer.too_big) { // one spelling for each, so that equal numbers of one base have equal texts
        Buf text = BUF(p->arena);
        for (size_t i = 0; i < s.len; i++)
            if (s.p[i] != '_') buf_putc(&text, (char)(s.p[i] >= 'A' && s.p[i] <= 'Z' ? s.p[i] | 32 : s.p[i]));
        n->integer.text = buf_str(&text);
    }
    if (base == 10 && n->integer.text.len > DIGITS_MAX)
        return fail(p, token_span(p->tok), "an integer of more than %d digits", DIGITS_MAX);
    advance(p);
    return node_done(p, n);
}

static Node *parse_float(Parser *p) {
    Node *n = node_new(p, NODE_FLOAT, p->tok.at);
    Str s = token_str(p, p->tok);
    char small[64];
    char *text = s.len < sizeof small ? small : arena_raw(p->arena, s.len + 1, 1);
    size_t len = 0;
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] != '_') text[len++] = s.p[i];
    text[len] = 0;
    n->real = strtod(text, NULL); // rounds correctly, as Python does; the program never leaves the C locale
    advance(p);
    return node_done(p, n);
}

static Node *parse_name(Parser *p) {
    Node *n = node_new(p, NODE_NAME, p->tok.at);
    n->name = token_str(p, p->tok);
    advance(p);
    return node_done(p, n);
}

static Node *parse_constant(Parser *p, NodeKind k) {
    Node *n = node_new(p, k, p->tok.at);
    advance(p);
    return node_done(p, n);
}

static Node *fail_atom(Parser *p) {
    switch (p->tok.kind) {
    case TOK_LAMBDA: return fail(p, token_span(p->tok), "a lambda inside an operation needs parentheses");
    case TOK_NOT: return fail(p, token_span(p->tok), "`not` after an operator needs parentheses");
    case TOK_YIELD: return fail(p, token_span(p->tok), "`yield` needs parentheses here");
    case TOK_STAR: return fail(p, token_span(p->tok), "a starred expression has no place here");
    case TOK_DSTAR: return fail(p, token_span(p->tok), "'**' has no place here");
    case TOK_ERROR: return fail_token(p, "");
    default: break;
    }
    if (token_is_keyword(p->tok.kind))
        return fail(p, token_span(p->tok), "expected an expression, found the keyword %s",
                    token_what(p->tok.kind));
    return fail_token(p, "an expression");
}

static Node *parse_atom(Parser *p) {
    switch (p->tok.kind) {
    case TOK_NAME: return parse_name(p);
    case TOK_INT: return parse_int(p);
    case TOK_FLOAT: return parse_float(p);
    case TOK_STRING:
    case TOK_FSTART: return parse_strings(p);
    case TOK_TRUE: return parse_constant(p, NODE_TRUE);
    case TOK_FALSE: return parse_constant(p, NODE_FALSE);
    case TOK_NONE: return parse_constant(p, NODE_NONE);
    case TOK_ELLIPSIS: return parse_constant(p, NODE_ELLIPSIS);
    case TOK_LPAREN:
    case TOK_LBRACKET:
    case TOK_LBRACE: return parse_bracketed(p);
    default: return fail_atom(p);
    }
}

static Node *parse_call(Parser *p, Node *func, uint32_t start) {
    Token open = p->tok;
    advance(p);
    Node *n = node_new(p, NODE_CALL, start);
    n->call.func = func;
    if (!enter(p)) return NULL;
    n->call.args = parse_arguments(p, open, true, &n->call.keywords);
    leave(p);
    return p->failed ? NULL : node_done(p, n);
}

static Node *parse_attribute(Parser *p, Node *value, uint32_t start) {
    advance(p);
    Node *n = node_new(p, NODE_ATTRIBUTE, start);
    n->attribute.value = value;
    n->attribute.name = token_str(p, p->tok);
    if (!at(p, TOK_NAME)) return fail_token(p, "a name after '.'");
    advance(p);
    return node_done(p, n);
}

// ATOM ("." name | "(" arguments ")" | "[" indices "]")*
static Node *parse_postfix(Parser *p) {
    uint32_t start = p->tok.at;
    Node *n = parse_atom(p);
    while (n) {
        if (at(p, TOK_DOT))
            n = parse_attribute(p, n, start);
        else if (at(p, TOK_LPAREN))
            n = parse_call(p, n, start);
        else if (at(p, TOK_LBRACKET)) {
            if (!enter(p)) return NULL;
            n = parse_subscript(p, n, start);
            leave(p);
        } else
            break;
    }
    return n;
}

// ---- operators

static Node *parse_await(Parser *p) {
    if (!at(p, TOK_AWAIT)) return parse_postfix(p);
    Node *n = node_new(p, NODE_AWAIT, p->tok.at);
    if (!p->in_async) return fail(p, token_span(p->tok), "`await` outside an async function");
    advance(p);
    n->value = parse_postfix(p);
    return n->value ? node_done(p, n) : NULL;
}

// AWAIT ["**" UNARY]
static Node *parse_power(Parser *p) {
    uint32_t start = p->tok.at;
    Node *left = parse_await(p);
    if (!left || !accept(p, TOK_DSTAR)) return left;
    Node *n = node_new(p, NODE_BINARY, start);
    n->binary.op = OPER_POW;
    n->binary.left = left;
    if (!enter(p)) return NULL;
    n->binary.right = parse_unary(p);
    leave(p);
    return n->binary.right ? node_done(p, n) : NULL;
}

// ("-" | "+" | "~")* POWER
static Node *parse_unary(Parser *p) {
    Oper op;
    switch (p->tok.kind) {
    case TOK_MINUS: op = OPER_NEG; break;
    case TOK_PLUS: op = OPER_POS; break;
    case TOK_TILDE: op = OPER_INVERT; break;
    default: return parse_power(p);
    }
    Node *n = node_new(p, NODE_UNARY, p->tok.at);
    n->unary.op = op;
    if (!enter(p)) return NULL;
    advance(p);
    n->unary.operand = parse_unary(p);
    leave(p);
    return n->unary.operand ? node_done(p, n) : NULL;
}

// Operators of at least this level, left to right. Recursion ends at the tightest level.
static Node *parse_infix(Parser *p, int level) {
    uint32_t start = p->tok.at;
    Node *left = parse_unary(p);
    while (left) {
        TokenOper o = token_oper(p->tok.kind);
        if (!o.infix || o.level < level || o.level == 0) break;
        advance(p);
        Node *n = node_new(p, NODE_BINARY, start);
        n->binary.op = o.oper;
        n->binary.left = left;
        n->binary.right = parse_infix(p, o.level + 1);
        left = n->binary.right ? node_done(p, n) : NULL;
    }
    return left;
}

Node *parse_operand(Parser *p) { return parse_infix(p, 1); }

// Takes a comparison operator if one is next.
static bool accept_comparison(Parser *p, Oper *op) {
    switch (p->tok.kind) {
    case TOK_LT: *op = OPER_LT; break;
    case TOK_LE: *op = OPER_LE; break;
    case TOK_GT: *op = OPER_GT; break;
    case TOK_GE: *op = OPER_GE; break;
    case TOK_EQ: *op = OPER_EQ; break;
    case TOK_NE: *op = OPER_NE; break;
    case TOK_IN: *op = OPER_IN; break;
    case TOK_IS: *op = p->next.kind == TOK_NOT ? OPER_ISNOT : OPER_IS; break;
    case TOK_NOT:
        if (p->next.kind != TOK_IN) return false;
        *op = OPER_NOTIN;
        break;
    default: return false;
    }
    advance(p);
    if (*op == OPER_ISNOT || *op == OPER_NOTIN) advance(p);
    return true;
}

// INFIX (comparison INFIX)*
static Node *parse_comparison(Parser *p) {
    uint32_t start = p->tok.at;
    Node *left = parse_operand(p);
    Oper op;
    if (!left || !accept_comparison(p, &op)) return left;
    Node *n = node_new(p, NODE_COMPARE, start);
    n->compare.left = left;
    int mark = p->top, cap = 0;
    do {
        int count = p->top - mark;
        if (count == cap) {
            cap = cap ? cap * 2 : 1;
            Oper *ops = NEWN(p->arena, Oper, (size_t)cap);
            if (count) memcpy(ops, n->compare.ops, sizeof *ops * (size_t)count);
            n->compare.ops = ops;
        }
        n->compare.ops[count] = op;
        Node *right = parse_operand(p);
        if (!right) return NULL;
        push(p, right);
    } while (accept_comparison(p, &op));
    n->compare.rest = pop_list(p, mark);
    return node_done(p, n);
}

// "not"* COMPARISON
static Node *parse_inversion(Parser *p) {
    if (!at(p, TOK_NOT)) return parse_comparison(p);
    Node *n = node_new(p, NODE_UNARY, p->tok.at);
    n->unary.op = OPER_NOT;
    if (!enter(p)) return NULL;
    advance(p);
    n->unary.operand = parse_inversion(p);
    leave(p);
    return n->unary.operand ? node_done(p, n) : NULL;
}

static Node *parse_boolop(Parser *p, TokenKind word, Oper op, Node *(*operand)(Parser *)) {
    uint32_t start = p->tok.at;
    Node *first = operand(p);
    if (!first || !at(p, word)) return first;
    Node *n = node_new(p, NODE_BOOLOP, start);
    n->boolop.op = op;
    int mark = p->top;
    push(p, first);
    while (accept(p, word)) {
        Node *item = operand(p);
        if (!item) return NULL;
        push(p, item);
    }
    n->boolop.items = pop_list(p, mark);
    return node_done(p, n);
}

static Node *parse_conjunction(Parser *p) { return parse_boolop(p, TOK_AND, OPER_AND, parse_inversion); }
Node *parse_disjunction(Parser *p) { return parse_boolop(p, TOK_OR, OPER_OR, parse_conjunction); }

// ---- whole expressions

static Node *parse_lambda(Parser *p) {
    Node *n = node_new(p, NODE_LAMBDA, p->tok.at);
    advance(p);
    if (!enter(p)) return NULL;
    n->lambda.params = parse_parameters(p, TOK_COLON, false);
    if (p->failed) return NULL;
    if (!expect(p, TOK_COLON, "after the parameters of the lambda")) return NULL;
    bool in_function = p->in_function, in_async = p->in_async;
    p->in_function = true;
    p->in_async = false;
    n->lambda.body = parse_expression(p);
    p->in_function = in_function;
    p->in_async = in_async;
    leave(p);
    return n->lambda.body ? node_done(p, n) : NULL;
}

// LAMBDA | DISJUNCTION ["if" DISJUNCTION "else" EXPRESSION]
Node *parse_expression(Parser *p) {
    if (at(p, TOK_LAMBDA)) return parse_lambda(p);
    uint32_t start = p->tok.at;
    Node *then = parse_disjunction(p);
    if (!then || !accept(p, TOK_IF)) return then;
    Node *n = node_new(p, NODE_IFEXP, start);
    n->ifexp.then = then;
    n->ifexp.cond = parse_disjunction(p);
    if (!n->ifexp.cond || !expect(p, TOK_ELSE, "in the conditional expression")) return NULL;
    if (!enter(p)) return NULL;
    n->ifexp.otherwise = parse_expression(p);
    leave(p);
    return n->ifexp.otherwise ? node_done(p, n) : NULL;
}

Node *parse_named(Parser *p) {
    if (!at_walrus(p)) return parse_expression(p);
    Node *n = node_new(p, NODE_WALRUS, p->tok.at);
    n->walrus.name = token_str(p, p->tok);
    advance(p);
    advance(p);
    n->walrus.value = parse_expression(p);
    return n->walrus.value ? node_done(p, n) : NULL;
}

Node *parse_star(Parser *p) {
    Node *n = node_new(p, NODE_STARRED, p->tok.at);
    advance(p);
    n->value = parse_operand(p);
    return n->value ? node_done(p, n) : NULL;
}

// What may follow the comma of a tuple without parentheses and so end it.
static bool tuple_ends(const Parser *p) {
    switch (p->tok.kind) {
    case TOK_NEWLINE:
    case TOK_SEMI:
    case TOK_ASSIGN:
    case TOK_COLON:
    case TOK_RPAREN:
    case TOK_RBRACE:
    case TOK_RBRACKET:
    case TOK_BANG:
    case TOK_IN:
    case TOK_END: return true;
    default: return token_oper(p->tok.kind).assigns;
    }
}

// One `item`, or a TUPLE of several; a lone starred one is refused unless `lone_star`.
static Node *parse_items_bare(Parser *p, Node *(*item)(Parser *), bool lone_star) {
    uint32_t start = p->tok.at;
    Node *first = at(p, TOK_STAR) ? parse_star(p) : item(p);
    if (!first) return NULL;
    if (!at(p, TOK_COMMA)) {
        if (first->kind == NODE_STARRED && !lone_star)
            return fail(p, first->span,
                        "a starred expression needs a list or tuple around it; a comma makes one: *a,");
        return first;
    }
    int mark = p->top;
    push(p, first);
    while (accept(p, TOK_COMMA) && !tuple_ends(p)) {
        Node *n = at(p, TOK_STAR) ? parse_star(p) : item(p);
        if (!n) return NULL;
        push(p, n);
    }
    Node *n = node_new(p, NODE_TUPLE, start);
    n->items = pop_list(p, mark);
    return node_done(p, n);
}

Node *parse_tuple(Parser *p) { return parse_items_bare(p, parse_expression, false); }

Node *parse_operands(Parser *p) { return parse_items_bare(p, parse_operand, false); }

static Node *parse_yield(Parser *p) {
    Node *n = node_new(p, NODE_YIELD, p->tok.at);
    if (!p->in_function) return fail(p, token_span(p->tok), "`yield` outside a function");
    advance(p);
    n->yield.from = accept(p, TOK_FROM);
    if (n->yield.from && p->in_async) return fail(p, n->span, "`yield from` in an async function");
    if (n->yield.from || !tuple_ends(p)) {
        n->yield.value = n->yield.from ? parse_expression(p) : parse_tuple(p);
        if (!n->yield.value) return NULL;
    }
    return node_done(p, n);
}

Node *parse_value(Parser *p) { return at(p, TOK_YIELD) ? parse_yield(p) : parse_tuple(p); }

Node *parse_targets(Parser *p) {
    Node *n = parse_items_bare(p, parse_operand, true);
    if (!n || !check_target(p, n, "assign to")) return NULL;
    return n;
}
