// Making nodes for mutants: in scratch, with the place of what they replace.
#include "mutate/mutate_make.h"

Node *make_node(Maker *m, NodeKind kind, const Node *at) {
    Node *n = NEW(m->scratch, Node);
    n->kind = kind;
    n->span = at->span;
    n->height = at->height;
    return n;
}
static Node *node_of(const Node *n) { return (Node *)(uintptr_t)n; }

Node *make_int(Maker *m, const Node *at, uint64_t value) {
    Node *n = make_node(m, NODE_INT, at);
    n->integer.value = value;
    return n;
}
Node *make_float(Maker *m, const Node *at, double value) {
    Node *n = make_node(m, NODE_FLOAT, at);
    n->real = value;
    return n;
}
Node *make_name(Maker *m, const Node *at, Str name) {
    Node *n = make_node(m, NODE_NAME, at);
    n->name = name;
    return n;
}
Node *make_unary(Maker *m, Oper op, const Node *operand) {
    Node *n = make_node(m, NODE_UNARY, operand);
    n->unary.op = op;
    n->unary.operand = node_of(operand);
    return n;
}
Node *make_binary(Maker *m, Oper op, const Node *left, const Node *right) {
    Node *n = make_node(m, NODE_BINARY, left);
    n->binary.op = op;
    n->binary.left = node_of(left);
    n->binary.right = node_of(right);
    return n;
}
Node *make_attribute(Maker *m, const Node *value, const char *name) {
    Node *n = make_node(m, NODE_ATTRIBUTE, value);
    n->attribute.value = node_of(value);
    n->attribute.name = str_of(name);
    return n;
}
Node *make_tl(Maker *m, const Node *at, const char *name) {
    return make_attribute(m, make_name(m, at, STR("tl")), name);
}

Node *make_call(Maker *m, Node *func, const Node *const *args, int n) {
    Node *call = make_node(m, NODE_CALL, func);
    call->call.func = func;
    call->call.args = (Nodes){NEWN(m->scratch, Node *, (size_t)n), n};
    for (int i = 0; i < n; i++) call->call.args.at[i] = node_of(args[i]);
    return call;
}
Node *make_where(Maker *m, const Node *cond, const Node *then, const Node *otherwise) {
    return make_call(m, make_tl(m, cond, "where"), (const Node *[]){cond, then, otherwise}, 3);
}
Node *make_compare(Maker *m, const Node *left, Oper op, const Node *right) {
    Node *n = make_node(m, NODE_COMPARE, left);
    n->compare.left = node_of(left);
    n->compare.ops = NEW(m->scratch, Oper);
    n->compare.ops[0] = op;
    n->compare.rest = (Nodes){NEW(m->scratch, Node *), 1};
    n->compare.rest.at[0] = node_of(right);
    return n;
}
Node *make_assign(Maker *m, const Node *at, const Node *target, const Node *value) {
    Node *n = make_node(m, NODE_ASSIGN, at);
    n->assign.targets = (Nodes){NEW(m->scratch, Node *), 1};
    n->assign.targets.at[0] = node_of(target);
    n->assign.value = node_of(value);
    return n;
}
Node *make_cast(Maker *m, const Node *e, const char *dtype) {
    return make_call(m, make_attribute(m, e, "to"), (const Node *[]){make_tl(m, e, dtype)}, 1);
}
Node *make_plus(Maker *m, const Node *e, uint64_t k) {
    return make_binary(m, OPER_ADD, e, make_int(m, e, k));
}
Node *make_minus(Maker *m, const Node *e, uint64_t k) {
    return make_binary(m, OPER_SUB, e, make_int(m, e, k));
}
Node *make_inf(Maker *m, const Node *at, bool negative) {
    Node *text = make_node(m, NODE_STRING, at);
    text->string.text = STR("inf");
    Node *call = make_call(m, make_name(m, at, STR("float")), (const Node *[]){text}, 1);
    return negative ? make_unary(m, OPER_NEG, call) : call;
}

Node *make_recall(Maker *m, const Node *call, const char *tl_name) {
    Node *n = make_node(m, NODE_CALL, call);
    n->call = call->call;
    n->call.func = make_tl(m, call, tl_name + strlen("tl."));
    return n;
}
const Node *make_call_without(Maker *m, const Node *call, int position, const char *keyword,
                              const char *other) {
    Node *n = make_node(m, NODE_CALL, call);
    n->call = call->call;
    if (n->call.args.n > position) n->call.args.n = position;
    n->call.keywords = (Nodes){NEWN(m->scratch, Node *, (size_t)call->call.keywords.n + 1), 0};
    for (int i = 0; i < call->call.keywords.n; i++) {
        Node *k = call->call.keywords.at[i];
        if (str_is(k->keyword.name, keyword) || (other && str_is(k->keyword.name, other))) continue;
        n->call.keywords.at[n->call.keywords.n++] = k;
    }
    return n;
}
