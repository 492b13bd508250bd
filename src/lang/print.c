// The canonical text of a tree. Recursion is bounded by HEIGHT_MAX.
#include "lang/lex.h"
#include "lang/text.h"

#include <assert.h>
#include <math.h>

// How tightly an expression binds; a place that asks for at least L puts parentheses around anything looser.
typedef enum {
    BARE,  // a tuple or yield without parentheses
    NAMED, // name := .., though not where a bare tuple may stand
    TEST,  // conditional, lambda
    OR,
    AND,
    NOT,
    COMPARISON,
    INFIX, // the six levels of token.def
    UNARY = INFIX + 6,
    POWER,
    AWAIT,
    POSTFIX,
} Level;

typedef struct {
    Buf *out;
    int indent;
    int quotes; // depth of f-strings: how their inner strings are quoted
    bool field; // directly in the braces of an f-string: a lambda's colon would end the expression
} Printer;

static void put_expr(Printer *p, const Node *n, Level least);
static void put_block(Printer *p, const Nodes *body);

static void put(Printer *p, const char *s) { buf_puts(p->out, s); }

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

static void put_list(Printer *p, const Nodes *items, Level least) {
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

static void put_params(Printer *p, const Nodes *params) {
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

static void put_target(Printer *p, const Node *n) { put_expr(p, n, n->kind == NODE_TUPLE ? BARE : INFIX); }

static void put_compfors(Printer *p, const Nodes *fors) {
    for (int i = 0; i < fors->n; i++) {
        const Node *n = fors->at[i];
        put(p, n->compfor.async ? " async for " : " for ");
        put_target(p, n->compfor.target);
        put(p, " in ");
        put_expr(p, n->compfor.iter, OR);
        for (int k = 0; k < n->compfor.conds.n; k++) {
            put(p, " if ");
            put_expr(p, n->compfor.conds.at[k], OR);
        }
    }
}

static void put_comp_inside(Printer *p, const Node *n) {
    put_expr(p, n->comp.element, n->comp.kind == COMP_DICT ? TEST : NAMED);
    if (n->comp.kind == COMP_DICT) {
        put(p, ": ");
        put_expr(p, n->comp.val, TEST);
    }
    put_compfors(p, &n->comp.fors);
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

static void put_arguments(Printer *p, const Nodes *args, const Nodes *keywords, bool call) {
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
    put_expr(p, n->yield.value, n->yield.from ? TEST : n->yield.value->kind == NODE_TUPLE ? BARE : TEST);
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
    default: assert(0 && "not an expression");
    }
}

static void put_expr(Printer *p, const Node *n, Level least) {
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

// ---- statements

static void put_line_start(Printer *p) {
    for (int i = 0; i < p->indent; i++) put(p, "    ");
}

static void put_else(Printer *p, const char *word, const Nodes *body) {
    if (!body->n) return;
    put_line_start(p);
    put(p, word);
    put_block(p, body);
}

static void put_decorators(Printer *p, const Nodes *decorators) {
    for (int i = 0; i < decorators->n; i++) {
        put(p, "@");
        put_expr(p, decorators->at[i], NAMED);
        put(p, "\n");
        put_line_start(p);
    }
}

static void put_function(Printer *p, const Node *n) {
    put_decorators(p, &n->function.decorators);
    put(p, n->function.async ? "async def " : "def ");
    buf_str_put(p->out, n->function.name);
    put(p, "(");
    put_params(p, &n->function.params);
    put(p, ")");
    if (n->function.returns) {
        put(p, " -> ");
        put_expr(p, n->function.returns, TEST);
    }
    put_block(p, &n->function.body);
}

static void put_class(Printer *p, const Node *n) {
    put_decorators(p, &n->klass.decorators);
    put(p, "class ");
    buf_str_put(p->out, n->klass.name);
    if (n->klass.bases.n || n->klass.keywords.n) put_arguments(p, &n->klass.bases, &n->klass.keywords, false);
    put_block(p, &n->klass.body);
}

// elif is a loop, so that long chains stay flat.
static void put_if(Printer *p, const Node *n) {
    put(p, "if ");
    for (;;) {
        put_expr(p, n->branch.cond, NAMED);
        put_block(p, &n->branch.then);
        const Nodes *rest = &n->branch.otherwise;
        if (rest->n != 1 || rest->at[0]->kind != NODE_IF) return put_else(p, "else", rest);
        n = rest->at[0];
        put_line_start(p);
        put(p, "elif ");
    }
}

static void put_for(Printer *p, const Node *n) {
    put(p, n->loop.async ? "async for " : "for ");
    put_target(p, n->loop.target);
    put(p, " in ");
    put_expr(p, n->loop.iter, n->loop.iter->kind == NODE_TUPLE ? BARE : TEST);
    put_block(p, &n->loop.body);
    put_else(p, "else", &n->loop.otherwise);
}

static void put_withitem(Printer *p, const Node *n, bool alone) {
    // A lone tuple would be read as a list of items.
    bool tuple = alone && !n->withitem.target && n->withitem.value->kind == NODE_TUPLE;
    if (tuple) put(p, "(");
    put_expr(p, n->withitem.value, TEST);
    if (tuple) put(p, ")");
    if (!n->withitem.target) return;
    put(p, " as ");
    put_expr(p, n->withitem.target, TEST);
}

static void put_with(Printer *p, const Node *n) {
    put(p, n->with.async ? "async with " : "with ");
    for (int i = 0; i < n->with.items.n; i++) {
        if (i) put(p, ", ");
        put_withitem(p, n->with.items.at[i], n->with.items.n == 1);
    }
    put_block(p, &n->with.body);
}

static void put_handler(Printer *p, const Node *n) {
    put(p, "except");
    if (n->handler.type) {
        put(p, " ");
        put_expr(p, n->handler.type, TEST);
    }
    if (n->handler.name.len) {
        put(p, " as ");
        buf_str_put(p->out, n->handler.name);
    }
    put_block(p, &n->handler.body);
}

static void put_try(Printer *p, const Node *n) {
    put(p, "try");
    put_block(p, &n->attempt.body);
    for (int i = 0; i < n->attempt.handlers.n; i++) {
        put_line_start(p);
        put_handler(p, n->attempt.handlers.at[i]);
    }
    put_else(p, "else", &n->attempt.otherwise);
    put_else(p, "finally", &n->attempt.final);
}

static void put_alias(Printer *p, const Node *n) {
    buf_str_put(p->out, n->alias.name);
    if (!n->alias.as.len) return;
    put(p, " as ");
    buf_str_put(p->out, n->alias.as);
}

static void put_import(Printer *p, const Node *n) {
    if (n->import.from) {
        put(p, "from ");
        for (int i = 0; i < n->import.dots; i++) put(p, ".");
        buf_str_put(p->out, n->import.module);
        put(p, " ");
    }
    put(p, "import ");
    for (int i = 0; i < n->import.names.n; i++) {
        if (i) put(p, ", ");
        put_alias(p, n->import.names.at[i]);
    }
}

// A text of several lines that stands alone is a docstring as a rule, and reads best as it was written.
static void put_expression_statement(Printer *p, const Node *n) {
    const Node *v = n->value;
    bool lines = v->kind == NODE_STRING && !v->string.bytes && v->string.text.len &&
                 memchr(v->string.text.p, '\n', v->string.text.len);
    if (!lines) return put_expr(p, v, BARE);
    put(p, "\"\"\"");
    string_body(p->out, v->string.text, (StringStyle){.quote = '"', .triple = true});
    put(p, "\"\"\"");
}

static void put_assign(Printer *p, const Node *n) {
    for (int i = 0; i < n->assign.targets.n; i++) {
        put_expr(p, n->assign.targets.at[i], BARE);
        put(p, " = ");
    }
    put_expr(p, n->assign.value, BARE);
}

static void put_annassign(Printer *p, const Node *n) {
    put_expr(p, n->annassign.target, POSTFIX);
    put(p, ": ");
    put_expr(p, n->annassign.annotation, TEST);
    if (!n->annassign.value) return;
    put(p, " = ");
    put_expr(p, n->annassign.value, BARE);
}

static void put_augassign(Printer *p, const Node *n) {
    put_expr(p, n->augassign.target, POSTFIX);
    put(p, " ");
    put(p, oper_text(n->augassign.op));
    put(p, "= ");
    put_expr(p, n->augassign.value, BARE);
}

// An optional expression after a word.
static void put_after(Printer *p, const char *word, const Node *n, Level least) {
    put(p, word);
    if (!n) return;
    put(p, " ");
    put_expr(p, n, least);
}

static bool put_compound(Printer *p, const Node *n) {
    switch (n->kind) {
    case NODE_FUNCTION: put_function(p, n); break;
    case NODE_CLASS: put_class(p, n); break;
    case NODE_IF: put_if(p, n); break;
    case NODE_FOR: put_for(p, n); break;
    case NODE_WHILE:
        put(p, "while ");
        put_expr(p, n->whileloop.cond, NAMED);
        put_block(p, &n->whileloop.body);
        put_else(p, "else", &n->whileloop.otherwise);
        break;
    case NODE_WITH: put_with(p, n); break;
    case NODE_TRY: put_try(p, n); break;
    case NODE_EXCEPT: put_handler(p, n); break;
    default: return false;
    }
    return true;
}

static void put_simple(Printer *p, const Node *n) {
    switch (n->kind) {
    case NODE_RETURN:
        put_after(p, "return", n->value, n->value && n->value->kind == NODE_YIELD ? TEST : BARE);
        break;
    case NODE_ASSIGN: put_assign(p, n); break;
    case NODE_AUGASSIGN: put_augassign(p, n); break;
    case NODE_ANNASSIGN: put_annassign(p, n); break;
    case NODE_EXPRSTMT: put_expression_statement(p, n); break;
    case NODE_RAISE:
        put_after(p, "raise", n->raise.value, TEST);
        if (n->raise.cause) put_after(p, " from", n->raise.cause, TEST);
        break;
    case NODE_ASSERT:
        put_after(p, "assert", n->assertion.cond, TEST);
        if (n->assertion.message) put_after(p, ",", n->assertion.message, TEST);
        break;
    case NODE_IMPORT: put_import(p, n); break;
    case NODE_ALIAS: put_alias(p, n); break;
    case NODE_PASS: put(p, "pass"); break;
    case NODE_BREAK: put(p, "break"); break;
    case NODE_CONTINUE: put(p, "continue"); break;
    case NODE_GLOBAL:
        put(p, n->global.nonlocal ? "nonlocal " : "global ");
        put_list(p, &n->global.names, TEST);
        break;
    case NODE_DELETE:
        put(p, "del ");
        put_list(p, &n->items, TEST);
        break;
    case NODE_COMPFOR: put_compfors(p, &(Nodes){(Node *[]){(Node *)n}, 1}); break;
    case NODE_FORMAT: put_field(p, n, (StringStyle){.quote = '"'}); break;
    case NODE_WITHITEM: put_withitem(p, n, false); break;
    default: put_expr(p, n, BARE); break;
    }
}

static void put_statement(Printer *p, const Node *n) {
    put_line_start(p);
    if (put_compound(p, n)) return;
    put_simple(p, n);
    put(p, "\n");
}

static bool stands_apart(const Node *n) { return n->kind == NODE_FUNCTION || n->kind == NODE_CLASS; }

// Functions and classes have a blank line around them.
static void put_body(Printer *p, const Nodes *body) {
    for (int i = 0; i < body->n; i++) {
        if (i && (stands_apart(body->at[i]) || stands_apart(body->at[i - 1]))) put(p, "\n");
        put_statement(p, body->at[i]);
    }
}

static void put_block(Printer *p, const Nodes *body) {
    put(p, ":\n");
    p->indent++;
    put_body(p, body);
    p->indent--;
}

void print_module(Buf *out, const Node *module) { put_body(&(Printer){.out = out}, &module->module.body); }

void print_node(Buf *out, const Node *n) {
    Printer p = {.out = out};
    if (n->kind == NODE_MODULE)
        put_body(&p, &n->module.body);
    else if (!put_compound(&p, n))
        put_simple(&p, n);
}
