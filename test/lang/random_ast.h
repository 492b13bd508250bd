// Random syntax trees for round trips: everything the grammar can say, built from the leaves up without the
// parser.
#pragma once
#include "base/numeric/rng.h"
#include "lang/ast.h"

typedef struct {
    Arena *arena;
    Rng rng;
    bool in_loop, in_function, in_async;
    int comps, defs; // comprehensions and functions around
} Gen;

static Node *gen_expr(Gen *g, int depth);
static Node *gen_target(Gen *g, int depth);
static Nodes gen_block(Gen *g, int depth);

static inline int pick(Gen *g, int n) { return (int)rng_below(&g->rng, (uint64_t)n); }
static inline bool chance(Gen *g, int percent) { return pick(g, 100) < percent; }

static inline Node *gen_new(Gen *g, NodeKind k) {
    Node *n = NEW(g->arena, Node);
    n->kind = k;
    return n;
}

static inline Str gen_name(Gen *g) {
    static const char *const names[] = {"a",     "b",     "x_ptr", "tl",       "BLOCK",
                                        "match", "print", "_",     "\xcf\x83", "m\xc3\xa9"};
    return str_of(names[pick(g, 10)]);
}

static inline Nodes gen_list(Gen *g, int least, int most, Node *(*item)(Gen *, int), int depth) {
    Nodes list = {.n = least + pick(g, most - least + 1)};
    list.at = NEWN(g->arena, Node *, (size_t)list.n + 1);
    for (int i = 0; i < list.n; i++) list.at[i] = item(g, depth);
    return list;
}

static inline Node *gen_name_node(Gen *g, int depth) {
    (void)depth;
    Node *n = gen_new(g, NODE_NAME);
    n->name = gen_name(g);
    return n;
}

static inline Str gen_text(Gen *g, bool bytes) {
    static const char *const parts[] = {"a",
                                        " ",
                                        "'",
                                        "\"",
                                        "\\",
                                        "\n",
                                        "{",
                                        "}",
                                        "{{",
                                        "\t",
                                        "\r",
                                        "\x01",
                                        "\x7f",
                                        "x",
                                        "\"\"\"",
                                        "'''",
                                        "\xc3\xa9",
                                        "\xe2\x80\xae",
                                        "\xf0\x9f\x98\x80",
                                        "\\N"};
    Buf b = BUF(g->arena);
    for (int n = pick(g, 6); n > 0; n--) {
        if (bytes)
            buf_putc(&b, (char)pick(g, 256));
        else
            buf_puts(&b, parts[pick(g, 20)]);
    }
    return buf_str(&b);
}

static inline Node *gen_string(Gen *g, bool bytes) {
    Node *n = gen_new(g, NODE_STRING);
    n->string.bytes = bytes;
    n->string.text = gen_text(g, bytes);
    return n;
}

static inline Node *gen_int(Gen *g) {
    Node *n = gen_new(g, NODE_INT);
    n->integer.too_big = chance(g, 5);
    if (n->integer.too_big)
        n->integer.text = STR("18446744073709551616");
    else
        n->integer.value = rng_u64(&g->rng) >> pick(g, 64);
    return n;
}

static inline Node *gen_float(Gen *g) {
    Node *n = gen_new(g, NODE_FLOAT);
    uint64_t bits = rng_u64(&g->rng) >> 1; // any exponent, no sign
    if (chance(g, 50)) bits = (bits & 0x000fffffffffffff) | (uint64_t)(1000 + pick(g, 60)) << 52;
    if (bits > 0x7ff0000000000000) bits = 0x7ff0000000000000;
    if (chance(g, 10)) bits &= 0xfff0000000000000; // powers of two
    memcpy(&n->real, &bits, sizeof bits);
    return n;
}

// Literal pieces never stand next to each other and are never empty: the parser joins them.
static inline Nodes gen_pieces(Gen *g, int depth) {
    Nodes items = {.at = NEWN(g->arena, Node *, 8)};
    bool text = false;
    for (int n = pick(g, 4); n > 0; n--) {
        Node *piece = NULL;
        if (!text && chance(g, 50)) {
            piece = gen_string(g, false);
            if (!piece->string.text.len) continue;
            text = true;
        } else {
            piece = gen_expr(g, depth - 1);
            if (piece->kind == NODE_STRING && !piece->string.bytes) continue;
            text = false;
        }
        items.at[items.n++] = piece;
    }
    return items;
}

static inline Node *gen_fstring(Gen *g, int depth) {
    Node *n = gen_new(g, NODE_FSTRING);
    n->items = gen_pieces(g, depth);
    for (int i = 0; i < n->items.n; i++) {
        if (n->items.at[i]->kind == NODE_STRING && !n->items.at[i]->string.bytes) continue;
        if (!chance(g, 40)) continue;
        Node *f = gen_new(g, NODE_FORMAT);
        f->format.value = n->items.at[i];
        f->format.conversion = "\0rsa"[pick(g, 4)];
        if (!f->format.conversion || chance(g, 50)) {
            f->format.spec = gen_new(g, NODE_FSTRING);
            f->format.spec->items = gen_pieces(g, depth - 1);
        }
        n->items.at[i] = f;
    }
    return n;
}

static inline Node *gen_starred_or(Gen *g, int depth) {
    if (!chance(g, 15)) return gen_expr(g, depth);
    Node *n = gen_new(g, NODE_STARRED);
    n->value = gen_expr(g, depth);
    return n;
}

static inline Node *gen_keyword(Gen *g, int depth) {
    Node *n = gen_new(g, NODE_KEYWORD);
    n->keyword.value = gen_expr(g, depth);
    return n;
}

// Names are numbered, since a call refuses the same one twice.
static inline Nodes gen_keywords(Gen *g, int depth) {
    Nodes list = gen_list(g, 0, 2, gen_keyword, depth);
    for (int i = 0; i < list.n; i++)
        if (chance(g, 80)) list.at[i]->keyword.name = str_of(arena_printf(g->arena, "k%d", i));
    return list;
}

static inline Nodes gen_params(Gen *g, int depth, bool annotations) {
    Nodes list = {.at = NEWN(g->arena, Node *, 12)};
    int plain = pick(g, 4), slash = chance(g, 30) ? pick(g, plain + 1) : 0;
    int star = pick(g, 3), keyed = star ? pick(g, 3) : 0;
    if (star == 2 && !keyed) star = 0;
    bool more = chance(g, 30), defaults = false;
    for (int i = 0; i < plain + (star > 0) + keyed + more; i++) {
        Node *n = gen_new(g, NODE_PARAM);
        n->param.name = str_of(arena_printf(g->arena, "p%d", i));
        if (i < plain)
            n->param.positional_only = i < slash;
        else if (star && i == plain)
            n->param.kind = PARAM_STAR;
        else
            n->param.kind = i < plain + (star > 0) + keyed ? PARAM_KWONLY : PARAM_DOUBLESTAR;
        if (star == 2 && i == plain) n->param.name = (Str){0};
        if (annotations && n->param.name.len && chance(g, 40)) n->param.annotation = gen_expr(g, depth);
        bool may = n->param.kind == PARAM_PLAIN || n->param.kind == PARAM_KWONLY;
        if ((n->param.kind == PARAM_PLAIN && defaults) || (may && chance(g, 30))) {
            n->param.def = gen_expr(g, depth);
            defaults |= n->param.kind == PARAM_PLAIN;
        }
        list.at[list.n++] = n;
    }
    return list;
}

static inline Node *gen_compfor(Gen *g, int depth) {
    Node *n = gen_new(g, NODE_COMPFOR);
    n->compfor.target = gen_target(g, depth);
    n->compfor.iter = gen_expr(g, depth);
    n->compfor.conds = gen_list(g, 0, 2, gen_expr, depth);
    n->compfor.async = g->in_async && chance(g, 10);
    return n;
}

static inline Node *gen_comp(Gen *g, int depth) {
    Node *n = gen_new(g, NODE_COMP);
    n->comp.kind = (CompKind)pick(g, 4);
    g->comps++; // no `:=` there: few are allowed
    n->comp.element = gen_expr(g, depth);
    if (n->comp.kind == COMP_DICT) n->comp.val = gen_expr(g, depth);
    n->comp.fors = gen_list(g, 1, 2, gen_compfor, depth);
    g->comps--;
    return n;
}

static inline Node *gen_slice_or(Gen *g, int depth) {
    if (chance(g, 60)) return gen_expr(g, depth);
    Node *n = gen_new(g, NODE_SLICE);
    if (chance(g, 50)) n->slice.lo = gen_expr(g, depth);
    if (chance(g, 50)) n->slice.hi = gen_expr(g, depth);
    if (chance(g, 30)) n->slice.step = gen_expr(g, depth);
    return n;
}

static inline Node *gen_index(Gen *g, int depth) {
    if (chance(g, 60)) return gen_slice_or(g, depth);
    Node *n = gen_new(g, NODE_TUPLE);
    n->items = gen_list(g, 1, 3, gen_slice_or, depth);
    return n;
}

static inline Node *gen_operation(Gen *g, int depth) {
    int which = pick(g, 4);
    Node *n = gen_new(g, which == 0   ? NODE_UNARY
                         : which == 1 ? NODE_BOOLOP
                         : which == 2 ? NODE_COMPARE
                                      : NODE_BINARY);
    switch (which) {
    case 0:
        n->unary.op = (Oper)(OPER_NEG + pick(g, 4));
        n->unary.operand = gen_expr(g, depth);
        break;
    case 1:
        n->boolop.op = (Oper)(OPER_AND + pick(g, 2));
        n->boolop.items = gen_list(g, 2, 3, gen_expr, depth);
        break;
    case 2:
        n->compare.left = gen_expr(g, depth);
        n->compare.rest = gen_list(g, 1, 2, gen_expr, depth);
        n->compare.ops = NEWN(g->arena, Oper, 2);
        for (int i = 0; i < n->compare.rest.n; i++) n->compare.ops[i] = (Oper)(OPER_LT + pick(g, 10));
        break;
    default:
        n->binary.op = (Oper)pick(g, OPER_MATMUL + 1);
        n->binary.left = gen_expr(g, depth);
        n->binary.right = gen_expr(g, depth);
    }
    return n;
}

static inline Node *gen_lambda(Gen *g, int depth) {
    Gen outside = *g;
    Node *n = gen_new(g, NODE_LAMBDA);
    n->lambda.params = gen_params(g, depth, false);
    g->in_function = true;
    g->in_async = false;
    n->lambda.body = gen_expr(g, depth);
    g->in_function = outside.in_function;
    g->in_async = outside.in_async;
    return n;
}

static inline Node *gen_dict(Gen *g, int depth) {
    Node *n = gen_new(g, NODE_DICT);
    n->dict.keys = gen_list(g, 0, 3, gen_expr, depth);
    n->dict.values = gen_list(g, n->dict.keys.n, n->dict.keys.n, gen_expr, depth);
    for (int i = 0; i < n->dict.keys.n; i++)
        if (chance(g, 20)) n->dict.keys.at[i] = NULL;
    return n;
}

static inline Node *gen_call(Gen *g, int depth) {
    Node *n = gen_new(g, NODE_CALL);
    n->call.func = gen_expr(g, depth);
    n->call.args = gen_list(g, 0, 3, gen_starred_or, depth);
    n->call.keywords = gen_keywords(g, depth);
    return n;
}

static inline Node *gen_leaf(Gen *g) {
    switch (pick(g, 8)) {
    case 0: return gen_int(g);
    case 1: return gen_float(g);
    case 2: return gen_string(g, false);
    case 3: return gen_string(g, true);
    case 4: return gen_new(g, (NodeKind)(NODE_TRUE + pick(g, 4)));
    default: return gen_name_node(g, 0);
    }
}

static inline Node *gen_expr(Gen *g, int depth) {
    if (depth <= 0) return gen_leaf(g);
    int d = depth - 1;
    Node *n;
    switch (pick(g, 20)) {
    case 0: return gen_leaf(g);
    case 1: return gen_fstring(g, d);
    case 2: return gen_dict(g, d);
    case 3: return gen_comp(g, d);
    case 4: return gen_lambda(g, d);
    case 5: return gen_call(g, d);
    case 6:
        n = gen_new(g, (NodeKind)(NODE_TUPLE + pick(g, 3)));
        n->items = gen_list(g, n->kind == NODE_SET, 3, gen_starred_or, d);
        return n;
    case 7:
        n = gen_new(g, NODE_ATTRIBUTE);
        n->attribute.value = gen_expr(g, d);
        n->attribute.name = gen_name(g);
        return n;
    case 8:
        n = gen_new(g, NODE_SUBSCRIPT);
        n->subscript.value = gen_expr(g, d);
        n->subscript.index = gen_index(g, d);
        return n;
    case 9:
        n = gen_new(g, NODE_IFEXP);
        n->ifexp.cond = gen_expr(g, d);
        n->ifexp.then = gen_expr(g, d);
        n->ifexp.otherwise = gen_expr(g, d);
        return n;
    case 10:
        if (g->comps) return gen_leaf(g);
        n = gen_new(g, NODE_WALRUS);
        n->walrus.name = gen_name(g);
        n->walrus.value = gen_expr(g, d);
        return n;
    case 11:
        if (!g->in_function) return gen_leaf(g);
        n = gen_new(g, NODE_YIELD);
        n->yield.from = !g->in_async && chance(g, 30);
        if (n->yield.from || chance(g, 70)) n->yield.value = gen_expr(g, d);
        return n;
    case 12:
        if (!g->in_async) return gen_leaf(g);
        n = gen_new(g, NODE_AWAIT);
        n->value = gen_expr(g, d);
        return n;
    default: return gen_operation(g, d);
    }
}

static inline Node *gen_plain_target(Gen *g, int depth) {
    Node *n;
    switch (depth <= 0 ? 0 : pick(g, 3)) {
    case 1:
        n = gen_new(g, NODE_ATTRIBUTE);
        n->attribute.value = gen_expr(g, depth - 1);
        n->attribute.name = gen_name(g);
        return n;
    case 2:
        n = gen_new(g, NODE_SUBSCRIPT);
        n->subscript.value = gen_expr(g, depth - 1);
        n->subscript.index = gen_index(g, depth - 1);
        return n;
    default: return gen_name_node(g, 0);
    }
}

static inline Node *gen_target(Gen *g, int depth) {
    if (depth <= 0 || chance(g, 70)) return gen_plain_target(g, depth);
    Node *n = gen_new(g, chance(g, 50) ? NODE_TUPLE : NODE_LIST);
    n->items = gen_list(g, 0, 3, gen_target, depth - 1);
    if (n->items.n && chance(g, 40)) {
        Node *star = gen_new(g, NODE_STARRED);
        star->value = n->items.at[0];
        n->items.at[0] = star;
    }
    return n;
}

// ---- statements

static inline Nodes gen_loop_block(Gen *g, int depth) {
    bool in_loop = g->in_loop;
    g->in_loop = true;
    Nodes body = gen_block(g, depth);
    g->in_loop = in_loop;
    return body;
}

static inline Nodes gen_else(Gen *g, int depth) { return chance(g, 40) ? gen_block(g, depth) : (Nodes){0}; }

static inline Node *gen_function(Gen *g, int depth) {
    Gen outside = *g;
    Node *n = gen_new(g, NODE_FUNCTION);
    n->function.name = gen_name(g);
    n->function.decorators = gen_list(g, 0, 2, gen_expr, 2);
    n->function.params = gen_params(g, 2, true);
    if (chance(g, 30)) n->function.returns = gen_expr(g, 2);
    n->function.async = g->in_async = chance(g, 20);
    g->defs++;
    g->in_function = true;
    g->in_loop = false;
    n->function.body = gen_block(g, depth);
    g->defs--;
    g->in_function = outside.in_function;
    g->in_async = outside.in_async;
    g->in_loop = outside.in_loop;
    return n;
}

static inline Node *gen_class(Gen *g, int depth) {
    Gen outside = *g;
    Node *n = gen_new(g, NODE_CLASS);
    n->klass.name = gen_name(g);
    n->klass.decorators = gen_list(g, 0, 1, gen_expr, 2);
    n->klass.bases = gen_list(g, 0, 2, gen_starred_or, 2);
    n->klass.keywords = gen_keywords(g, 2);
    g->in_function = g->in_loop = g->in_async = false;
    n->klass.body = gen_block(g, depth);
    g->in_function = outside.in_function;
    g->in_async = outside.in_async;
    g->in_loop = outside.in_loop;
    return n;
}

static inline Node *gen_withitem(Gen *g, int depth) {
    Node *n = gen_new(g, NODE_WITHITEM);
    n->withitem.value = gen_expr(g, depth);
    if (chance(g, 50)) n->withitem.target = gen_target(g, depth);
    return n;
}

static inline Node *gen_handler(Gen *g, int depth) {
    Node *n = gen_new(g, NODE_EXCEPT);
    n->handler.type = gen_expr(g, 2);
    if (chance(g, 50)) n->handler.name = gen_name(g);
    n->handler.body = gen_block(g, depth);
    return n;
}

static inline Node *gen_try(Gen *g, int depth) {
    Node *n = gen_new(g, NODE_TRY);
    n->attempt.body = gen_block(g, depth);
    n->attempt.handlers = gen_list(g, 0, 2, gen_handler, depth);
    if (n->attempt.handlers.n) {
        n->attempt.otherwise = gen_else(g, depth);
        Node *last = n->attempt.handlers.at[n->attempt.handlers.n - 1];
        if (!last->handler.name.len && chance(g, 40)) last->handler.type = NULL;
    }
    if (!n->attempt.handlers.n || chance(g, 40)) n->attempt.final = gen_block(g, depth);
    return n;
}

static inline Node *gen_alias(Gen *g, int depth) {
    Node *n = gen_new(g, NODE_ALIAS);
    n->alias.name = depth ? STR("torch.nn") : gen_name(g);
    if (chance(g, 50)) n->alias.as = gen_name(g);
    return n;
}

static inline Node *gen_import(Gen *g) {
    Node *n = gen_new(g, NODE_IMPORT);
    n->import.from = chance(g, 50);
    if (n->import.from) {
        n->import.dots = pick(g, 5);
        if (!n->import.dots || chance(g, 50)) n->import.module = STR("a.b");
    }
    n->import.names = gen_list(g, 1, 3, gen_alias, n->import.from ? 0 : pick(g, 2));
    if (n->import.from && !g->in_function && chance(g, 20)) {
        n->import.names.n = 1;
        n->import.names.at[0] = gen_new(g, NODE_ALIAS);
        n->import.names.at[0]->alias.name = STR("*");
    }
    return n;
}

static inline Node *gen_simple(Gen *g) {
    Node *n;
    switch (pick(g, 12)) {
    case 0:
        n = gen_new(g, NODE_ASSIGN);
        n->assign.targets = gen_list(g, 1, 2, gen_target, 2);
        n->assign.value = gen_expr(g, 4);
        return n;
    case 1:
        n = gen_new(g, NODE_AUGASSIGN);
        n->augassign.op = (Oper)pick(g, OPER_MATMUL + 1);
        n->augassign.target = gen_plain_target(g, 2);
        n->augassign.value = gen_expr(g, 3);
        return n;
    case 2:
        n = gen_new(g, NODE_ANNASSIGN);
        n->annassign.target = gen_plain_target(g, 2);
        n->annassign.annotation = gen_expr(g, 2);
        if (chance(g, 60)) n->annassign.value = gen_expr(g, 3);
        return n;
    case 3:
        if (!g->in_function) break;
        n = gen_new(g, NODE_RETURN);
        if (chance(g, 80)) n->value = gen_expr(g, 4);
        return n;
    case 4:
        n = gen_new(g, NODE_RAISE);
        if (chance(g, 70)) n->raise.value = gen_expr(g, 2);
        if (n->raise.value && chance(g, 40)) n->raise.cause = gen_expr(g, 2);
        return n;
    case 5:
        n = gen_new(g, NODE_ASSERT);
        n->assertion.cond = gen_expr(g, 3);
        if (chance(g, 40)) n->assertion.message = gen_expr(g, 3);
        return n;
    case 6: return gen_import(g);
    case 7:
        n = gen_new(g, NODE_GLOBAL);
        n->global.nonlocal = g->defs > g->in_function && chance(g, 50);
        n->global.names = gen_list(g, 1, 3, gen_name_node, 0);
        return n;
    case 8:
        n = gen_new(g, NODE_DELETE);
        n->items = gen_list(g, 1, 2, gen_plain_target, 2);
        return n;
    case 9: return gen_new(g, g->in_loop && chance(g, 60) ? (NodeKind)(NODE_BREAK + pick(g, 2)) : NODE_PASS);
    default: break;
    }
    n = gen_new(g, NODE_EXPRSTMT);
    n->value = gen_expr(g, 5);
    return n;
}

static inline Node *gen_statement(Gen *g, int depth) {
    if (depth <= 0 || chance(g, 50)) return gen_simple(g);
    int d = depth - 1;
    Node *n;
    switch (pick(g, 7)) {
    case 0: return gen_function(g, d);
    case 1: return gen_class(g, d);
    case 2: return gen_try(g, d);
    case 3:
        n = gen_new(g, NODE_FOR);
        n->loop.target = gen_target(g, 2);
        n->loop.iter = gen_expr(g, 3);
        n->loop.body = gen_loop_block(g, d);
        n->loop.otherwise = gen_else(g, d);
        n->loop.async = g->in_async && chance(g, 30);
        return n;
    case 4:
        n = gen_new(g, NODE_WHILE);
        n->whileloop.cond = gen_expr(g, 3);
        n->whileloop.body = gen_loop_block(g, d);
        n->whileloop.otherwise = gen_else(g, d);
        return n;
    case 5:
        n = gen_new(g, NODE_WITH);
        n->with.items = gen_list(g, 1, 3, gen_withitem, 2);
        n->with.body = gen_block(g, d);
        n->with.async = g->in_async && chance(g, 30);
        return n;
    default:
        n = gen_new(g, NODE_IF);
        n->branch.cond = gen_expr(g, 3);
        n->branch.then = gen_block(g, d);
        n->branch.otherwise = gen_else(g, d);
        return n;
    }
}

static inline Nodes gen_block(Gen *g, int depth) { return gen_list(g, 1, 3, gen_statement, depth); }

static inline Node *gen_module(Gen *g) {
    Node *n = gen_new(g, NODE_MODULE);
    n->module.body = gen_list(g, 1, 4, gen_statement, 3);
    return n;
}
