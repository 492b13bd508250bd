// The canonical text of a tree: expressions.
#include "lang/print.h"
#include "lang/text.h"

#include <assert.h>
#include <math.h>

// ---- literals

static void put_int(Printer *p, const Node *n) {
    if (n->integer.too_big)
        buf_str_put(p->out, n->integer.text);
    else
        buf_printf(p->out, "%llu", (unsigned long long)n->integer.value);
}

static void put_float(Printer *p, double v) {
    if (isinf(v))
        put(p, "1e999"); // `inf` would be a name
    else
        float_repr(p->out, v);
}

// Quotes of a string at this depth of f-strings. Older Pythons need a new kind for each depth; four are all
// there are, and from then on only a Python that nests them freely reads the text.
static StringStyle quotes_at(int depth) {
    return (StringStyle){.quote = depth % 2 ? '\'' : '"', .triple = depth % 4 >= 2};
}

static void put_quotes(Printer *p, StringStyle style) {
    for (int i = 0; i < (style.triple ? 3 : 1); i++) buf_putc(p->out, style.quote);
}

static void put_string(Printer *p, const Node *n) {
    StringStyle style = quotes_at(p->quotes);
    style.bytes = n->string.bytes;
    if (style.bytes) put(p, "b");
    put_quotes(p, style);
    // Line ends are escapes even between triple quotes here: only a docstring spreads over lines.
    StringStyle body = style;
    body.triple = false;
    string_body(p->out, n->string.text, body);
    put_quotes(p, style);
}

static void put_pieces(Printer *p, const Nodes *items, StringStyle style);

static void put_field(Printer *p, const Node *n, StringStyle style) {
    bool wrapped = n->kind == NODE_FORMAT;
    size_t at = p->out->len;
    buf_putc(p->out, '{');
    Printer inner = {.out = p->out, .indent = p->indent, .quotes = p->quotes + 1, .field = true};
    put_expr(&inner, wrapped ? n->format.value : n, BARE);
    if (p->out->p[at + 1] == '{') { // "{{" would be a brace
        buf_putc(p->out, ' ');
        memmove(p->out->p + at + 2, p->out->p + at + 1, p->out->len - at - 2);
        p->out->p[at + 1] = ' ';
    }
    if (wrapped && n->format.conversion) {
        buf_putc(p->out, '!');
        buf_putc(p->out, n->format.conversion);
    }
    if (wrapped && n->format.spec) {
        buf_putc(p->out, ':');
        style.braces = BRACES_ESCAPED;
        put_pieces(p, &n->format.spec->items, style);
    }
    buf_putc(p->out, '}');
}

static void put_pieces(Printer *p, const Nodes *items, StringStyle style) {
    for (int i = 0; i < items->n; i++) {
        const Node *n = items->at[i];
        if (n->kind == NODE_STRING && !n->string.bytes)
            string_body(p->out, n->string.text, style);
        else
            put_field(p, n, style);
    }
}

static void put_fstring(Printer *p, const Node *n) {
    StringStyle style = quotes_at(p->quotes);
    put(p, "f");
    put_quotes(p, style);
    StringStyle body = style;
    body.triple = false;
    body.braces = BRACES_DOUBLED;
    put_pieces(p, &n->items, body);
    put_quotes(p, style);
}

// ---- lists of things

void put_list(Printer *p, const Nodes *items, Level least) {
    for (int i = 0; i < items->n; i++) {
        if (i) put(p, ", ");
        put_expr(p, items->at[i], least);
    }
}

static void put_bracketed(Printer *p, const char *open, const Nodes *items, Level least, const char *close) {
    bool field = p->field;
    p->field = false;
    put(p, open);
    put_list(p, items, least);
    put(p, close);
    p->field = field;
}

static void put_tuple_items(Printer *p, const Nodes *items, Level least) {
    put_list(p, items, least);
    if (items->n == 1) put(p, ",");
}

static void put_dict(Printer *p, const Node *n) {
    bool field = p->field;
    p->field = false;
    put(p, "{");
    for (int i = 0; i < n->dict.keys.n; i++) {
        if (i) put(p, ", ");
        const Node *key = n->dict.keys.at[i];
        if (key) {
            put_expr(p, key, TEST);
            put(p, ": ");
        } else
            put(p, "**");
        put_expr(p, n->dict.values.at[i], key ? TEST : INFIX);
    }
    put(p, "}");
    p->field = field;
}

static void put_param(Printer *p, const Node *n) {
    static const char *const stars[] = {"", "*", "", "**"};
    put(p, stars[n->param.kind]);
    buf_str_put(p->out, n->param.name);
    if (n->param.annotation) {
        put(p, ": ");
        put_expr(p, n->param.annotation, TEST);
    }
    if (!n->param.def) return;
    put(p, n->param.annotation ? " = " : "=");
    put_expr(p, n->param.def, TEST);
}

void put_params(Printer *p, const Nodes *params) {
    for (int i = 0; i < params->n; i++) {
        const Node *n = params->at[i];
        if (i) put(p, ", ");
        put_param(p, n);
        bool last_positional =
            n->param.positional_only && (i + 1 == params->n || !params->at[i + 1]->param.positional_only);
        if (last_positional) put(p, ", /");
    }
}

// ---- comprehensions, calls, subscripts

void put_target(Printer *p, const Node *n) { put_expr(p, n, n->kind == NODE_TUPLE ? BARE : INFIX); }

static void put_compfor(Printer *p, const Node *n) {
    put(p, n->compfor.async ? " async for " : " for ");
    put_target(p, n->compfor.target);
    put(p, " in ");
    put_expr(p, n->compfor.iter, OR);
    for (int i = 0; i < n->compfor.conds.n; i++) {
        put(p, " if ");
        put_expr(p, n->compfor.conds.at[i], OR);
    }
}

static void put_comp_inside(Printer *p, const Node *n) {
    put_expr(p, n->comp.element, n->comp.kind == COMP_DICT ? TEST : NAMED);
    if (n->comp.kind == COMP_DICT) {
        put(p, ": ");
        put_expr(p, n->comp.val, TEST);
    }
    for (int i = 0; i < n->comp.fors.n; i++) put_compfor(p, n->comp.fors.at[i]);
}

static void put_comp(Printer *p, const Node *n) {
    static const char *const open[] = {"[", "{", "{", "("}, *const close[] = {"]", "}", "}", ")"};
    bool field = p->field;
    p->field = false;
    put(p, open[n->comp.kind]);
    put_comp_inside(p, n);
    put(p, close[n->comp.kind]);
    p->field = field;
}

static void put_argument(Printer *p, const Node *n) {
    if (n->kind == NODE_STARRED) {
        put(p, "*");
        put_expr(p, n->value, TEST);
    } else
        put_expr(p, n, NAMED);
}

static void put_keyword(Printer *p, const Node *n) {
    buf_str_put(p->out, n->keyword.name);
    put(p, n->keyword.name.len ? "=" : "**");
    put_expr(p, n->keyword.value, TEST);
}

void put_arguments(Printer *p, const Nodes *args, const Nodes *keywords, bool call) {
    bool field = p->field;
    p->field = false;
    put(p, "(");
    bool generator = call && args->n == 1 && keywords->n == 0 && args->at[0]->kind == NODE_COMP &&
                     args->at[0]->comp.kind == COMP_GENERATOR;
    if (generator) put_comp_inside(p, args->at[0]);
    for (int i = 0; i < args->n && !generator; i++) {
        if (i) put(p, ", ");
        put_argument(p, args->at[i]);
    }
    for (int i = 0; i < keywords->n; i++) {
        if (i || args->n) put(p, ", ");
        put_keyword(p, keywords->at[i]);
    }
    put(p, ")");
    p->field = field;
}

static void put_slice(Printer *p, const Node *n) {
    if (n->slice.lo) put_expr(p, n->slice.lo, TEST);
    put(p, ":");
    if (n->slice.hi) put_expr(p, n->slice.hi, TEST);
    if (!n->slice.step) return;
    put(p, ":");
    put_expr(p, n->slice.step, TEST);
}

static void put_subscript(Printer *p, const Node *n) {
    const Node *index = n->subscript.index;
    bool field = p->field;
    p->field = false;
    put_expr(p, n->subscript.value, POSTFIX);
    put(p, "[");
    if (index->kind == NODE_TUPLE && index->items.n)
        put_tuple_items(p, &index->items, NAMED);
    else
        put_expr(p, index, NAMED);
    put(p, "]");
    p->field = field;
}

static void put_attribute(Printer *p, const Node *n) {
    put_expr(p, n->attribute.value, POSTFIX);
    if (n->attribute.value->kind == NODE_INT) put(p, " "); // "1." would be a float
    put(p, ".");
    buf_str_put(p->out, n->attribute.name);
}

// ---- operators

static Level infix_level(Oper op) {
    static const uint8_t level[OPER_COUNT] = {
#define TOKEN(id, what)
#define KEYWORD(id, text)
#define PUNCT(id, text)
#define INFIX(id, text, oper, level, assigns) [OPER_##oper] = level,
#include "lang/token.def"
#undef TOKEN
#undef KEYWORD
#undef PUNCT
#undef INFIX
    };
    return op == OPER_POW ? POWER : (Level)(INFIX - 1 + level[op]);
}

static void put_oper(Printer *p, Oper op) {
    put(p, " ");
    put(p, oper_text(op));
    put(p, " ");
}

static void put_binary(Printer *p, const Node *n) {
    Level level = infix_level(n->binary.op);
    bool power = level == POWER;
    put_expr(p, n->binary.left, power ? AWAIT : level);
    put_oper(p, n->binary.op);
    put_expr(p, n->binary.right, power ? UNARY : (Level)(level + 1));
}

static void put_unary(Printer *p, const Node *n) {
    bool word = n->unary.op == OPER_NOT;
    put(p, oper_text(n->unary.op));
    if (word) put(p, " ");
    put_expr(p, n->unary.operand, word ? NOT : UNARY);
}

static void put_compare(Printer *p, const Node *n) {
    put_expr(p, n->compare.left, INFIX);
    for (int i = 0; i < n->compare.rest.n; i++) {
        put_oper(p, n->compare.ops[i]);
        put_expr(p, n->compare.rest.at[i], INFIX);
    }
}

static void put_boolop(Printer *p, const Node *n) {
    Level level = n->boolop.op == OPER_AND ? AND : OR;
    for (int i = 0; i < n->boolop.items.n; i++) {
        if (i) put_oper(p, n->boolop.op);
        put_expr(p, n->boolop.items.at[i], (Level)(level + 1));
    }
}

static void put_lambda(Printer *p, const Node *n) {
    put(p, n->lambda.params.n ? "lambda " : "lambda");
    put_params(p, &n->lambda.params);
    put(p, ": ");
    put_expr(p, n->lambda.body, TEST);
}

static void put_yield(Printer *p, const Node *n) {
    put(p, n->yield.from ? "yield from" : "yield");
    if (!n->yield.value) return;
    put(p, " ");
    put_expr(p, n->yield.value, !n->yield.from && n->yield.value->kind == NODE_TUPLE ? BARE : TEST);
}

static Level level_of(const Node *n) {
    switch (n->kind) {
    case NODE_TUPLE: return n->items.n ? BARE : POSTFIX;
    case NODE_YIELD: return BARE;
    case NODE_WALRUS: return NAMED;
    case NODE_IFEXP:
    case NODE_LAMBDA: return TEST;
    case NODE_BOOLOP: return n->boolop.op == OPER_AND ? AND : OR;
    case NODE_COMPARE: return COMPARISON;
    case NODE_UNARY: return n->unary.op == OPER_NOT ? NOT : UNARY;
    case NODE_BINARY: return infix_level(n->binary.op);
    case NODE_AWAIT: return AWAIT;
    default: return POSTFIX;
    }
}

static void put_inside(Printer *p, const Node *n) {
    switch (n->kind) {
    case NODE_NAME: buf_str_put(p->out, n->name); break;
    case NODE_INT: put_int(p, n); break;
    case NODE_FLOAT: put_float(p, n->real); break;
    case NODE_STRING: put_string(p, n); break;
    case NODE_FSTRING: put_fstring(p, n); break;
    case NODE_TRUE: put(p, "True"); break;
    case NODE_FALSE: put(p, "False"); break;
    case NODE_NONE: put(p, "None"); break;
    case NODE_ELLIPSIS: put(p, "..."); break;
    case NODE_TUPLE: n->items.n ? put_tuple_items(p, &n->items, TEST) : put(p, "()"); break;
    case NODE_LIST: put_bracketed(p, "[", &n->items, NAMED, "]"); break;
    case NODE_SET: put_bracketed(p, "{", &n->items, NAMED, "}"); break;
    case NODE_DICT: put_dict(p, n); break;
    case NODE_UNARY: put_unary(p, n); break;
    case NODE_BINARY: put_binary(p, n); break;
    case NODE_BOOLOP: put_boolop(p, n); break;
    case NODE_COMPARE: put_compare(p, n); break;
    case NODE_CALL:
        put_expr(p, n->call.func, POSTFIX);
        put_arguments(p, &n->call.args, &n->call.keywords, true);
        break;
    case NODE_KEYWORD: put_keyword(p, n); break;
    case NODE_ATTRIBUTE: put_attribute(p, n); break;
    case NODE_SUBSCRIPT: put_subscript(p, n); break;
    case NODE_SLICE: put_slice(p, n); break;
    case NODE_IFEXP:
        put_expr(p, n->ifexp.then, OR);
        put(p, " if ");
        put_expr(p, n->ifexp.cond, OR);
        put(p, " else ");
        put_expr(p, n->ifexp.otherwise, TEST);
        break;
    case NODE_LAMBDA: put_lambda(p, n); break;
    case NODE_STARRED:
        put(p, "*");
        put_expr(p, n->value, INFIX);
        break;
    case NODE_COMP: put_comp(p, n); break;
    case NODE_WALRUS:
        buf_str_put(p->out, n->walrus.name);
        put(p, " := ");
        put_expr(p, n->walrus.value, TEST);
        break;
    case NODE_YIELD: put_yield(p, n); break;
    case NODE_AWAIT:
        put(p, "await ");
        put_expr(p, n->value, POSTFIX);
        break;
    case NODE_PARAM: put_param(p, n); break;
    case NODE_COMPFOR: put_compfor(p, n); break;
    case NODE_FORMAT: put_field(p, n, (StringStyle){.quote = '"'}); break;
    default: assert(0 && "not an expression");
    }
}

void put_expr(Printer *p, const Node *n, Level least) {
    bool wrap = level_of(n) < least || (least == BARE && n->kind == NODE_WALRUS) ||
                (p->field && n->kind == NODE_LAMBDA);
    if (!wrap) return put_inside(p, n);
    bool field = p->field;
    p->field = false;
    put(p, "(");
    if (n->kind == NODE_TUPLE)
        put_tuple_items(p, &n->items, NAMED);
    else
        put_inside(p, n);
    put(p, ")");
    p->field = field;
}
