// mutate_make.h - new nodes for mutants, in scratch and with the place of what they replace; operands are
// shared.
#pragma once
#include "mutate/mutate.h"

Node *make_node(Maker *m, NodeKind kind, const Node *at);
Node *make_int(Maker *m, const Node *at, uint64_t value);
Node *make_float(Maker *m, const Node *at, double value);
Node *make_inf(Maker *m, const Node *at, bool negative); // float("inf"), as people write it
Node *make_name(Maker *m, const Node *at, Str name);
Node *make_tl(Maker *m, const Node *at, const char *name); // tl.NAME
Node *make_attribute(Maker *m, const Node *value, const char *name);
Node *make_unary(Maker *m, Oper op, const Node *operand);
Node *make_binary(Maker *m, Oper op, const Node *left, const Node *right);
Node *make_plus(Maker *m, const Node *e, uint64_t k);  // e + k
Node *make_minus(Maker *m, const Node *e, uint64_t k); // e - k
Node *make_compare(Maker *m, const Node *left, Oper op, const Node *right);
Node *make_call(Maker *m, Node *func, const Node *const *args, int n);
Node *make_where(Maker *m, const Node *cond, const Node *then, const Node *otherwise);
Node *make_cast(Maker *m, const Node *e, const char *dtype); // e.to(tl.DTYPE)
Node *make_assign(Maker *m, const Node *at, const Node *target, const Node *value);
// A call to another function of tl with the same arguments; a call without the arguments from a position on
// and the keywords named.
Node *make_recall(Maker *m, const Node *call, const char *tl_name);
const Node *make_call_without(Maker *m, const Node *call, int position, const char *keyword,
                              const char *other);
