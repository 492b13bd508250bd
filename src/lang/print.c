// The canonical text of a tree: statements. Recursion is bounded by HEIGHT_MAX.
#include "lang/print.h"
#include "lang/text.h"

static void put_block(Printer *p, const Nodes *body);

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

static void put_match(Printer *p, const Node *n) {
    put(p, "match ");
    put_expr(p, n->match.subject, BARE);
    put(p, ":\n");
    p->indent++;
    for (int i = 0; i < n->match.cases.n; i++) {
        const Node *c = n->match.cases.at[i];
        put_line_start(p);
        put(p, "case ");
        put_expr(p, c->matchcase.pattern, TEST);
        if (c->matchcase.guard) {
            put(p, " if ");
            put_expr(p, c->matchcase.guard, NAMED);
        }
        put_block(p, &c->matchcase.body);
    }
    p->indent--;
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
    case NODE_MATCH: put_match(p, n); break;
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
