// What stands in brackets: groups and displays, comprehensions, the arguments of calls and classes,
// subscripts.
#include "lang/names.h"
#include "lang/parse/parse.h"

// ---- comprehensions

static bool at_comprehension(const Parser *p) {
    return at(p, TOK_FOR) || (at(p, TOK_ASYNC) && p->next.kind == TOK_FOR);
}

// [async] for TARGETS in DISJUNCTION (if DISJUNCTION)*
static Node *parse_compfor(Parser *p) {
    Node *n = node_new(p, NODE_COMPFOR, p->tok.at);
    n->compfor.async = accept(p, TOK_ASYNC);
    advance(p);
    n->compfor.target = parse_targets(p);
    if (!n->compfor.target || !expect(p, TOK_IN, "after the target of `for`")) return NULL;
    n->compfor.iter = parse_disjunction(p);
    if (!n->compfor.iter) return NULL;
    int mark = p->top;
    while (accept(p, TOK_IF)) {
        Node *cond = parse_disjunction(p);
        if (!cond) return NULL;
        push(p, cond);
    }
    n->compfor.conds = pop_list(p, mark);
    return node_done(p, n);
}

typedef struct {
    const Nodes *fors; // of the comprehension; NULL: no `:=` at all
    const Node *found;
} Walrus;

static bool has_target(const Node *n, Str name) {
    if (n->kind == NODE_STARRED) return has_target(n->value, name);
    for (int i = 0; (n->kind == NODE_TUPLE || n->kind == NODE_LIST) && i < n->items.n; i++)
        if (has_target(n->items.at[i], name)) return true;
    return n->kind == NODE_NAME && str_eq(n->name, name);
}

static void find_walrus(void *arg, const Node *n) {
    Walrus *w = arg;
    if (n->kind == NODE_LAMBDA) return; // it has names of its own
    bool taken = n->kind == NODE_WALRUS && !w->fors;
    for (int i = 0; n->kind == NODE_WALRUS && w->fors && i < w->fors->n; i++)
        taken |= has_target(w->fors->at[i]->compfor.target, n->walrus.name);
    if (taken && !w->found) w->found = n;
    node_each_child(n, find_walrus, w);
}

// Python's rules for `:=`: not in what is iterated over, and not for a target of the comprehension.
static bool walrus_allowed(Parser *p, const Node *comp) {
    Walrus iter = {0}, rest = {.fors = &comp->comp.fors};
    for (int i = 0; i < comp->comp.fors.n; i++) find_walrus(&iter, comp->comp.fors.at[i]->compfor.iter);
    node_each_child(comp, find_walrus, &rest);
    if (iter.found) return fail(p, iter.found->span, "`:=` in what a comprehension iterates over");
    return !rest.found || fail(p, rest.found->span, "`:=` rebinds a variable of the comprehension");
}

// The rest of a comprehension whose element has been parsed, up to its closing bracket.
static Node *parse_comprehension(Parser *p, CompKind kind, Node *element, Node *val, uint32_t start) {
    if (!element || element->kind == NODE_STARRED)
        return fail(p, element ? element->span : (Span){start, 2},
                    "unpacking has no place in a comprehension");
    Node *n = node_new(p, NODE_COMP, start);
    n->comp.kind = kind;
    n->comp.element = element;
    n->comp.val = val;
    int mark = p->top;
    while (at_comprehension(p)) {
        Node *f = parse_compfor(p);
        if (!f) return NULL;
        push(p, f);
    }
    n->comp.fors = pop_list(p, mark);
    return walrus_allowed(p, n) ? n : NULL;
}

// ---- groups and displays

static Node *parse_item(Parser *p) { return at(p, TOK_STAR) ? parse_star(p) : parse_named(p); }

// Items up to the closing bracket, the first one parsed already. Pushes them; *commas counts.
static bool parse_items(Parser *p, Node *first, TokenKind close, int *commas) {
    push(p, first);
    while (accept(p, TOK_COMMA)) {
        ++*commas;
        if (at(p, close)) break;
        Node *item = parse_item(p);
        if (!item) return false;
        push(p, item);
    }
    return true;
}

// ( ), (a), (a, b), (a for ..), (yield ..)
static Node *parse_group(Parser *p) {
    Token open = p->tok;
    advance(p);
    Node *first = NULL;
    if (at(p, TOK_YIELD)) {
        first = parse_value(p);
        if (!first || !expect_close(p, TOK_RPAREN, open, "an operator")) return NULL;
        return first;
    }
    if (!at(p, TOK_RPAREN) && !(first = parse_item(p))) return NULL;
    if (first && at_comprehension(p)) {
        Node *n = parse_comprehension(p, COMP_GENERATOR, first, NULL, open.at);
        if (!n || !expect_close(p, TOK_RPAREN, open, "'for', 'if'")) return NULL;
        return node_done(p, n);
    }
    int mark = p->top, commas = 0;
    if (first && !parse_items(p, first, TOK_RPAREN, &commas)) return NULL;
    Nodes items = pop_list(p, mark);
    if (!expect_close(p, TOK_RPAREN, open, "','")) return NULL;
    if (first && !commas) {
        if (first->kind == NODE_STARRED)
            return fail(p, first->span, "a starred expression cannot stand alone in parentheses");
        return first;
    }
    Node *n = node_new(p, NODE_TUPLE, open.at);
    n->items = items;
    return node_done(p, n);
}

static Node *parse_list_display(Parser *p) {
    Token open = p->tok;
    advance(p);
    Node *first = NULL;
    if (!at(p, TOK_RBRACKET) && !(first = parse_item(p))) return NULL;
    if (first && at_comprehension(p)) {
        Node *n = parse_comprehension(p, COMP_LIST, first, NULL, open.at);
        if (!n || !expect_close(p, TOK_RBRACKET, open, "'for', 'if'")) return NULL;
        return node_done(p, n);
    }
    int mark = p->top, commas = 0;
    if (first && !parse_items(p, first, TOK_RBRACKET, &commas)) return NULL;
    Node *n = node_new(p, NODE_LIST, open.at);
    n->items = pop_list(p, mark);
    if (!expect_close(p, TOK_RBRACKET, open, "','")) return NULL;
    return node_done(p, n);
}

// key ":" value, or `**value` with *key NULL.
static Node *parse_entry(Parser *p, Node **key) {
    *key = NULL;
    if (accept(p, TOK_DSTAR)) return parse_operand(p);
    *key = parse_expression(p);
    if (!*key || !expect(p, TOK_COLON, "after a key")) return NULL;
    return parse_expression(p);
}

static Node *parse_dict_rest(Parser *p, Token open, Node *key, Node *value) {
    Node *n = node_new(p, NODE_DICT, open.at);
    int mark = p->top;
    for (;;) {
        push(p, key);
        push(p, value);
        if (!accept(p, TOK_COMMA) || at(p, TOK_RBRACE)) break;
        value = parse_entry(p, &key);
        if (!value) return NULL;
    }
    Nodes pairs = pop_list(p, mark);
    int count = pairs.n / 2;
    n->dict.keys = (Nodes){NEWN(p->arena, Node *, (size_t)count), count};
    n->dict.values = (Nodes){NEWN(p->arena, Node *, (size_t)count), count};
    for (int i = 0; i < count; i++) {
        n->dict.keys.at[i] = pairs.at[2 * i];
        n->dict.values.at[i] = pairs.at[2 * i + 1];
    }
    if (!expect_close(p, TOK_RBRACE, open, "','")) return NULL;
    return node_done(p, n);
}

// Dicts and sets, displays and comprehensions.
static Node *parse_braces(Parser *p) {
    Token open = p->tok;
    advance(p);
    if (accept(p, TOK_RBRACE)) return node_done(p, node_new(p, NODE_DICT, open.at));
    Node *key = NULL, *value = NULL;
    if (at(p, TOK_DSTAR))
        value = parse_entry(p, &key);
    else {
        bool entry = !at_walrus(p);
        key = parse_item(p);
        if (!key) return NULL;
        entry = entry && at(p, TOK_COLON) && key->kind != NODE_STARRED;
        if (entry) advance(p), value = parse_expression(p);
        if (entry && !value) return NULL;
    }
    if (at_comprehension(p)) {
        Node *n = parse_comprehension(p, value ? COMP_DICT : COMP_SET, key, value, open.at);
        if (!n || !expect_close(p, TOK_RBRACE, open, "'for', 'if'")) return NULL;
        return node_done(p, n);
    }
    if (value) return parse_dict_rest(p, open, key, value);
    if (!key) return NULL;
    int mark = p->top, commas = 0;
    if (!parse_items(p, key, TOK_RBRACE, &commas)) return NULL;
    Node *n = node_new(p, NODE_SET, open.at);
    n->items = pop_list(p, mark);
    if (!expect_close(p, TOK_RBRACE, open, "','")) return NULL;
    return node_done(p, n);
}

Node *parse_bracketed(Parser *p) {
    if (!enter(p)) return NULL;
    Node *n = at(p, TOK_LPAREN)     ? parse_group(p)
              : at(p, TOK_LBRACKET) ? parse_list_display(p)
                                    : parse_braces(p);
    leave(p);
    return n;
}

// ---- calls and subscripts

typedef struct {
    NameTable names; // of the keywords
    bool keyword, unpacked;
} Arguments;

static Node *parse_keyword(Parser *p, Arguments *as) {
    Node *n = node_new(p, NODE_KEYWORD, p->tok.at);
    if (accept(p, TOK_DSTAR))
        as->unpacked = true;
    else {
        n->keyword.name = token_str(p, p->tok);
        bool added;
        names_put(&as->names, n->keyword.name, 0, &added);
        if (as->names.count > PARAMS_MAX)
            return fail(p, token_span(p->tok), "more than %d keyword arguments", PARAMS_MAX);
        if (!added) return fail(p, token_span(p->tok), "this keyword argument is given twice");
        advance(p);
        advance(p);
        as->keyword = true;
    }
    n->keyword.value = parse_expression(p);
    return n->keyword.value ? node_done(p, n) : NULL;
}

// `*expression`; unlike elsewhere any expression may follow the star.
static Node *parse_star_argument(Parser *p, const Arguments *as) {
    Node *n = node_new(p, NODE_STARRED, p->tok.at);
    if (as->unpacked) return fail(p, token_span(p->tok), "a '*' argument follows a '**' argument");
    advance(p);
    n->value = parse_expression(p);
    return n->value ? node_done(p, n) : NULL;
}

static Node *parse_positional(Parser *p, const Arguments *as, bool bare_generator, Token open) {
    uint32_t start = p->tok.at;
    Node *n = parse_named(p);
    if (!n) return NULL;
    if (at(p, TOK_ASSIGN))
        return fail(p, token_span(p->tok),
                    "only a plain name may stand before '=' in a call; comparison is '=='");
    if (at_comprehension(p)) {
        n = parse_comprehension(p, COMP_GENERATOR, n, NULL, start);
        if (!n || !(n = node_done(p, n))) return NULL;
        if (!bare_generator || !at(p, TOK_RPAREN)) {
            if (at(p, TOK_COMMA) || at(p, TOK_RPAREN))
                return fail(p, n->span,
                            "a generator needs parentheses unless it is the only argument of a call");
            if (!expect_close(p, TOK_RPAREN, open, "'for', 'if'")) return NULL;
        }
    }
    if (as->unpacked) return fail(p, n->span, "a positional argument follows a '**' argument");
    if (as->keyword) return fail(p, n->span, "a positional argument follows a keyword argument");
    return n;
}

Nodes parse_arguments(Parser *p, Token open, bool call, Nodes *keywords) {
    int mark = p->top;
    Arguments as = {.names = NAMES(p->arena)};
    Nodes none = {0};
    *keywords = none;
    while (!at(p, TOK_RPAREN)) {
        Node *n;
        bool named = at(p, TOK_NAME) && p->next.kind == TOK_ASSIGN;
        if (named || at(p, TOK_DSTAR))
            n = parse_keyword(p, &as);
        else if (at(p, TOK_STAR))
            n = parse_star_argument(p, &as);
        else
            n = parse_positional(p, &as, call && p->top == mark, open);
        if (!n) return none;
        push(p, n);
        if (!accept(p, TOK_COMMA)) break;
    }
    if (!expect_close(p, TOK_RPAREN, open, "','")) return none;
    Nodes all = pop_list(p, mark), args = {.at = all.at};
    for (int i = 0; i < all.n; i++)
        if (all.at[i]->kind == NODE_KEYWORD)
            push(p, all.at[i]);
        else
            args.at[args.n++] = all.at[i];
    *keywords = pop_list(p, mark);
    return args;
}

// lo:hi:step with every part optional, a starred or a plain expression
static Node *parse_index(Parser *p) {
    uint32_t start = p->tok.at;
    if (at(p, TOK_STAR)) return parse_star(p);
    Node *lo = NULL;
    bool walrus = at_walrus(p);
    if (!at(p, TOK_COLON) && !(lo = parse_named(p))) return NULL;
    if (lo && (!at(p, TOK_COLON) || walrus)) return lo;
    Node *n = node_new(p, NODE_SLICE, start);
    n->slice.lo = lo;
    Node **part[] = {&n->slice.hi, &n->slice.step};
    for (int i = 0; i < 2 && accept(p, TOK_COLON); i++) {
        if (at(p, TOK_COLON) || at(p, TOK_COMMA) || at(p, TOK_RBRACKET)) continue;
        *part[i] = parse_expression(p);
        if (!*part[i]) return NULL;
    }
    return node_done(p, n);
}

Node *parse_subscript(Parser *p, Node *value, uint32_t start) {
    Token open = p->tok;
    advance(p);
    Node *n = node_new(p, NODE_SUBSCRIPT, start);
    n->subscript.value = value;
    if (at(p, TOK_RBRACKET)) return fail_token(p, "an index");
    uint32_t index_at = p->tok.at;
    Node *index = parse_index(p);
    if (!index) return NULL;
    if (at(p, TOK_COMMA) || index->kind == NODE_STARRED) {
        Node *tuple = node_new(p, NODE_TUPLE, index_at);
        int mark = p->top;
        push(p, index);
        while (accept(p, TOK_COMMA) && !at(p, TOK_RBRACKET)) {
            index = parse_index(p);
            if (!index) return NULL;
            push(p, index);
        }
        tuple->items = pop_list(p, mark);
        index = node_done(p, tuple);
        if (!index) return NULL;
    }
    n->subscript.index = index;
    if (!expect_close(p, TOK_RBRACKET, open, "','")) return NULL;
    return node_done(p, n);
}
