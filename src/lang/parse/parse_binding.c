// What binds names: the left side of assignments, the head of a function and its parameters.
#include "lang/names.h"
#include "lang/parse/parse.h"

// ---- what may stand left of `=`

const char *node_describe(const Node *n) {
    switch (n->kind) {
    case NODE_NAME: return "a name";
    case NODE_INT:
    case NODE_FLOAT: return "a number";
    case NODE_STRING: return "a string";
    case NODE_FSTRING: return "an f-string";
    case NODE_TRUE: return "True";
    case NODE_FALSE: return "False";
    case NODE_NONE: return "None";
    case NODE_ELLIPSIS: return "'...'";
    case NODE_TUPLE: return "a tuple";
    case NODE_LIST: return "a list";
    case NODE_SET: return "a set display";
    case NODE_DICT: return "a dict display";
    case NODE_CALL: return "a function call";
    case NODE_COMPARE: return "a comparison";
    case NODE_IFEXP: return "a conditional expression";
    case NODE_LAMBDA: return "a lambda";
    case NODE_COMP: return "a comprehension";
    case NODE_WALRUS: return "a ':=' expression";
    case NODE_YIELD: return "a yield expression";
    case NODE_STARRED: return "a starred expression";
    default: return "an expression";
    }
}

static bool check_targets(Parser *p, const Node *list, const char *verb) {
    const Node *star = NULL;
    for (int i = 0; i < list->items.n; i++) {
        const Node *item = list->items.at[i];
        if (item->kind == NODE_STARRED && strcmp(verb, "delete") != 0) {
            if (star) return fail(p, item->span, "two starred targets in one assignment");
            star = item;
            item = item->value;
        }
        if (!check_target(p, item, verb)) return false;
    }
    return true;
}

bool check_target(Parser *p, const Node *n, const char *verb) {
    switch (n->kind) {
    case NODE_NAME:
    case NODE_ATTRIBUTE:
    case NODE_SUBSCRIPT: return true;
    case NODE_TUPLE:
    case NODE_LIST: return check_targets(p, n, verb);
    case NODE_STARRED:
        return fail(p, n->span, "a starred target must stand in a list or tuple; a comma makes one: *a, = b");
    case NODE_COMPARE:
        return fail(p, n->span, "cannot %s %s; perhaps '=' was meant instead of '=='", verb,
                    node_describe(n));
    default: return fail(p, n->span, "cannot %s %s", verb, node_describe(n));
    }
}

// ---- def

// Whether Triton finds the `def` in the text, see lines_kept(): first on its line, and the name on it, too.
bool def_is_found(Parser *p, Token def, Token open) {
    const char *start = p->source.p, *at = start + def.at;
    while (at > start && (at[-1] == ' ' || at[-1] == '\t')) at--;
    if (memchr(start + def.at, '\\', open.at - def.at))
        return fail(p, token_span(def), "`def`, the name and its '(' must stand on one line");
    return at == start || at[-1] != '\f' || fail(p, token_span(def), "a form feed before `def`");
}

// ---- parameters of def and lambda

typedef struct {
    NameTable names;
    int count;
    bool defaults, star, starstar, slash;
    bool needs_keyword; // a bare `*` was the last parameter
} Params;

static bool add_param(Parser *p, Params *ps, Node *n, Token name) {
    if (++ps->count > PARAMS_MAX) return fail(p, token_span(name), "more than %d parameters", PARAMS_MAX);
    n->param.name = token_str(p, name);
    bool added;
    names_put(&ps->names, n->param.name, 0, &added);
    if (!added) return fail(p, token_span(name), "this parameter name is taken by an earlier one");
    return true;
}

// `/`: everything before it takes no keyword.
static bool slash_param(Parser *p, Params *ps, int mark) {
    Span span = token_span(p->tok);
    advance(p);
    if (p->top == mark) return fail(p, span, "'/' must follow a parameter");
    if (ps->slash) return fail(p, span, "only one '/' may stand among the parameters");
    if (ps->star) return fail(p, span, "'/' must stand before '*'");
    ps->slash = true;
    for (int i = mark; i < p->top; i++) p->stack[i]->param.positional_only = true;
    return true;
}

// name [":" expression] ["=" expression], or one of * *name **name
static bool parse_param(Parser *p, Params *ps, bool annotations) {
    Node *n = node_new(p, NODE_PARAM, p->tok.at);
    if (ps->starstar) return fail(p, token_span(p->tok), "nothing may follow the '**' parameter");
    if (accept(p, TOK_STAR)) {
        if (ps->star) return fail(p, (Span){n->span.at, 1}, "only one '*' may stand among the parameters");
        n->param.kind = PARAM_STAR;
        ps->star = true;
        ps->needs_keyword = !at(p, TOK_NAME);
        if (ps->needs_keyword) {
            if (!at(p, TOK_COMMA))
                return fail(p, (Span){n->span.at, 1}, "a named parameter must follow the bare '*'");
            if (!node_done(p, n)) return false;
            return push(p, n), true;
        }
    } else if (accept(p, TOK_DSTAR)) {
        n->param.kind = PARAM_DOUBLESTAR;
        ps->starstar = true;
        if (ps->needs_keyword)
            return fail(p, (Span){n->span.at, 2}, "a named parameter must follow the bare '*'");
    } else {
        n->param.kind = ps->star ? PARAM_KWONLY : PARAM_PLAIN;
        ps->needs_keyword = false;
    }
    Token name = p->tok;
    if (!at(p, TOK_NAME)) return fail_token(p, "a parameter name");
    advance(p);
    if (!add_param(p, ps, n, name)) return false;
    if (annotations && accept(p, TOK_COLON)) {
        n->param.annotation = parse_expression(p);
        if (!n->param.annotation) return false;
    }
    bool starred = n->param.kind == PARAM_STAR || n->param.kind == PARAM_DOUBLESTAR;
    if (at(p, TOK_ASSIGN) && starred)
        return fail(p, token_span(p->tok), "a starred parameter takes no default");
    if (accept(p, TOK_ASSIGN)) {
        n->param.def = parse_expression(p);
        if (!n->param.def) return false;
        if (n->param.kind == PARAM_PLAIN) ps->defaults = true;
    } else if (n->param.kind == PARAM_PLAIN && ps->defaults)
        return fail(p, token_span(name), "a parameter without a default follows one with a default");
    if (!node_done(p, n)) return false;
    return push(p, n), true;
}

Nodes parse_parameters(Parser *p, TokenKind stop, bool annotations) {
    int mark = p->top;
    Params ps = {.names = NAMES(p->arena)};
    while (!at(p, stop)) {
        bool ok = at(p, TOK_SLASH) ? slash_param(p, &ps, mark) : parse_param(p, &ps, annotations);
        if (!ok) return (Nodes){0};
        if (at(p, stop)) break;
        if (!at(p, TOK_COMMA)) {
            fail_token(p, arena_printf(p->arena, "',' or %s after a parameter", token_what(stop)));
            return (Nodes){0};
        }
        advance(p);
    }
    if (ps.needs_keyword) fail(p, token_span(p->tok), "a named parameter must follow the bare '*'");
    return pop_list(p, mark);
}
