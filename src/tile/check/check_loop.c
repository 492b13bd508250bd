// Loops. A variable that the body assigns lives in a register of its own: copied in before the loop, read by
// the body, written at the end of each iteration; its type must not change (Triton's loop-carried variables).
#include "tile/check/checker.h"

// ---- which names a body assigns ----

typedef struct {
    Checker *c;
    Str *name;
    int n, cap;
    unsigned seen; // nodes
} Names;

static void add_target(Names *out, const Node *target) {
    if (target->kind == NODE_TUPLE || target->kind == NODE_LIST) {
        for (int i = 0; i < target->items.n; i++) add_target(out, target->items.at[i]);
        return;
    }
    if (target->kind != NODE_NAME) return;
    for (int i = 0; i < out->n; i++)
        if (str_eq(out->name[i], target->name)) return;
    out->c->visits += 1 + out->n / 16;
    if (out->n == out->cap) {
        int cap = out->cap ? 2 * out->cap : 16;
        out->name = MORE(out->c->arena, Str, out->name, out->n, cap);
        out->cap = cap;
    }
    out->name[out->n++] = target->name;
}

static void collect(void *arg, const Node *n) {
    Names *out = arg;
    out->c->visits += ++out->seen % 4 == 0; // the next visit notices
    if (n->kind == NODE_ASSIGN)
        for (int i = 0; i < n->assign.targets.n; i++) add_target(out, n->assign.targets.at[i]);
    else if (n->kind == NODE_AUGASSIGN)
        add_target(out, n->augassign.target);
    else if (n->kind == NODE_ANNASSIGN)
        add_target(out, n->annassign.target);
    else if (n->kind == NODE_FOR)
        add_target(out, n->loop.target);
    else if (n->kind == NODE_COMPFOR)
        add_target(out, n->compfor.target);
    node_each_child(n, collect, arg);
}

// ---- carried variables ----

typedef struct {
    Str name;
    Val before, carried;
} Carry;
typedef struct {
    Carry *at;
    int n;
    Scope scope; // before the loop
} Carries;

static bool carry_in(Checker *c, const Node *n, Nodes body, Str target, Carries *out) {
    Names names = {.c = c};
    for (int i = 0; i < body.n; i++) collect(&names, body.at[i]);
    *out = (Carries){NEWN(c->arena, Carry, (size_t)names.n + 1), 0, scope_copy(c, &c->frame->scope)};
    for (int i = 0; i < names.n; i++) {
        const Val *v = scope_find(c, names.name[i]);
        if (!v || str_eq(names.name[i], target)) continue;
        Carry *carry = &out->at[out->n++];
        *carry = (Carry){names.name[i], *v, *v};
        if (!check_copy(c, n, v, &carry->carried) || !scope_set(c, n, names.name[i], &carry->carried))
            return false;
    }
    return true;
}

// Triton's words name the class that the body leaves first.
static const char *class_text(Checker *c, const Val *v) {
    return arena_printf(c->arena, "<class 'triton.language.core.%s'>", val_class(v));
}
static bool changed_type(Checker *c, const Node *n, const Carry *carry, const Val *now) {
    return checker_fail(c, n, "AssertionError",
                        "Loop carried variable %.*s changed type, was %s but is now %s", STR_ARG(carry->name),
                        class_text(c, now), class_text(c, &carry->before));
}

static bool same_types(Checker *c, const Node *n, const Carry *carry, const Val *now) {
    const Val *before = &carry->before;
    if (before->kind != VAL_TENSOR && !val_has_items(before)) {
        if (val_same(before, now)) return true;
        if (val_is_none(before))
            return checker_fail(c, n, "AssertionError", "Loop carried variable %.*s is not a triton value",
                                STR_ARG(carry->name));
        return changed_type(c, n, carry, now);
    }
    if (val_same_type(before, now)) return true;
    if (before->kind != now->kind) return changed_type(c, n, carry, now);
    return checker_fail(c, n, "AssertionError",
                        "Loop-carried variable %.*s has initial type %s but is re-assigned to %s in loop! "
                        "Please make sure that "
                        "the type stays consistent.",
                        STR_ARG(carry->name), val_type_text(c, before), val_type_text(c, now));
}

// ---- the copies at the end of an iteration, in parallel ----

typedef struct {
    int to, from;
} Move;
typedef struct {
    Move *at;
    int n, cap;
} Moves;

static void add_moves(Checker *c, Moves *m, const Val *to, const Val *from) {
    if (val_has_items(to)) {
        for (int i = 0; i < to->tuple.n; i++) add_moves(c, m, &to->tuple.at[i], &from->tuple.at[i]);
    } else if (to->kind == VAL_TENSOR && to->t.reg != from->t.reg) {
        if (m->n == m->cap) {
            int cap = m->cap ? 2 * m->cap : 16;
            m->at = MORE(c->arena, Move, m->at, m->n, cap);
            m->cap = cap;
        }
        m->at[m->n++] = (Move){to->t.reg, from->t.reg};
    }
}

// Elementwise instructions may write over an operand; the others may not.
static bool may_overwrite(InsnOp op) { return (op >= INSN_ADD && op <= INSN_WHERE) || op == INSN_COPY; }

// `t = acc + x; acc = t` becomes `acc = acc + x`: the instruction that made the value writes the carried
// register, when it always runs in this iteration and nobody reads the old value after it.
static bool write_in_place(Checker *c, int start, Move m) {
    const Definition *def = &c->def[m.from];
    int at = def->insn;
    if (at < start || def->shared || def->region != c->region || c->insns - at > 2000) return false;
    const Insn *s = &c->insn[at];
    if ((s->a == m.to || s->b == m.to || s->c == m.to) && !may_overwrite(s->op)) return false;
    for (int i = at + 1; i < c->insns; i++) {
        const Insn *later = &c->insn[i];
        if (later->d == m.to || later->a == m.to || later->b == m.to || later->c == m.to) return false;
    }
    for (int i = at; i < c->insns; i++) {
        Insn *w = &c->insn[i];
        if (w->d == m.from) w->d = m.to;
        if (i == at) continue;
        if (w->a == m.from) w->a = m.to;
        if (w->b == m.from) w->b = m.to;
        if (w->c == m.from) w->c = m.to;
    }
    return true;
}

static bool is_target(const Moves *m, int reg) {
    for (int i = 0; i < m->n; i++)
        if (m->at[i].to == reg) return true;
    return false;
}

static bool emit_moves(Checker *c, const Node *n, Moves *m, int start) {
    if (!checker_spend(c, n, (int64_t)m->n * m->n / 16)) return false;
    for (int i = 0; i < m->n; i++) { // a value that another move overwrites is saved first
        if (!is_target(m, m->at[i].from)) continue;
        int saved = checker_register(c, n, c->reg[m->at[i].from].type);
        if (saved < 0 || !checker_emit(c, n, insn(INSN_COPY, saved, m->at[i].from, -1, -1, 0))) return false;
        c->def[saved].shared = true;
        m->at[i].from = saved;
    }
    for (int i = 0; i < m->n; i++) {
        Move now = m->at[i];
        if (!checker_spend(c, n, 1 + (c->insns - c->def[now.from].insn) / 64)) return false;
        if (!write_in_place(c, start, now)) {
            if (!checker_emit(c, n, insn(INSN_COPY, now.to, now.from, -1, -1, 0))) return false;
            continue;
        }
        for (int k = i + 1; k < m->n; k++)
            if (m->at[k].from == now.from) m->at[k].from = now.to;
    }
    return true;
}

// The body's own loop over this name ended it, and the next iteration would begin with nothing.
static bool lost_target(Checker *c, const Node *n, const Carry *carry) {
    if (carry->before.kind == VAL_TENSOR)
        return checker_unsupported(c, n, "a loop over %.*s, which is a variable of the loop around it",
                                   STR_ARG(carry->name));
    return changed_type(c, n, carry, &(Val){.kind = VAL_TENSOR});
}

static bool carry_round(Checker *c, const Node *n, const Carries *carries, int start) {
    Moves moves = {0};
    for (int i = 0; i < carries->n; i++) {
        const Carry *carry = &carries->at[i];
        const Val *now = scope_find(c, carry->name);
        if (!now) return lost_target(c, n, carry);
        if (!same_types(c, n, carry, now)) return false;
        add_moves(c, &moves, &carry->carried, now);
    }
    return emit_moves(c, n, &moves, start);
}

// What the body alone has assigned does not exist after the loop.
static bool carry_out(Checker *c, const Node *n, const Carries *carries, Str target) {
    c->frame->scope = carries->scope;
    for (int i = 0; i < carries->n; i++)
        if (!scope_set(c, n, carries->at[i].name, &carries->at[i].carried)) return false;
    Scope *s = &c->frame->scope;
    for (int i = 0; i < s->n; i++)
        if (target.len && str_eq(s->at[i].name, target)) s->at[i] = s->at[--s->n];
    return true;
}

static bool enter_loop(Checker *c, const Node *n) {
    if (c->loops >= LOOPS_MAX)
        return checker_fail(c, n, NULL, "more than %d loops inside one another", LOOPS_MAX);
    c->loops++;
    c->frame->loops++;
    return true;
}
static void leave_loop(Checker *c) {
    c->loops--;
    c->frame->loops--;
}

// ---- for ----

typedef struct {
    Val lo, hi, step;
    bool is_static, two; // two: a start was given
    int stages;          // SharedUse.stages
    bool hinted;         // by tl.range in another way, which may turn fetching ahead off
} Range;

static bool range_arguments(Checker *c, const Node *call, bool python, Range *out) {
    Val v[3];
    int n = call->call.args.n;
    bool given[3] = {false};
    if (n > 3 || (python && n < 1))
        return checker_fail(c, call, "TypeError", "range expected at most 3 arguments, got %d", n);
    for (int i = 0; i < n; i++) {
        if (!check_expr(c, call->call.args.at[i], &v[i])) return false;
        given[i] = true;
    }
    static const char *const hints[] = {"num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer",
                                        "flatten",    "warp_specialize",    "disable_licm"};
    for (int i = 0; i < call->call.keywords.n; i++) {
        const Node *k = call->call.keywords.at[i];
        Str name = k->keyword.name;
        int slot = str_is(name, "arg1") ? 0 : str_is(name, "arg2") ? 1 : str_is(name, "step") ? 2 : -1;
        Val value;
        bool hint = false;
        for (size_t h = 0; h < sizeof hints / sizeof *hints; h++)
            hint |= !out->is_static && str_is(name, hints[h]);
        if (python) return checker_fail(c, k, "TypeError", "range() takes no keyword arguments");
        if (slot < 0 && !hint)
            return checker_fail(c, k, "TypeError",
                                "range.__init__() got an unexpected keyword argument '%.*s'", STR_ARG(name));
        if (slot >= 0 && given[slot])
            return checker_fail(c, k, "TypeError", "range.__init__() got multiple values for argument '%.*s'",
                                STR_ARG(name));
        if (!check_expr(c, k->keyword.value, slot >= 0 ? &v[slot] : &value)) return false;
        if (slot >= 0)
            given[slot] = true;
        else if (str_is(name, "num_stages") && val_is_py(&value, PY_INT) && value.py.i > 0 &&
                 value.py.i < 1024)
            out->stages = (int)value.py.i;
        else
            out->hinted = true;
    }
    if (!given[0])
        return checker_fail(c, call, "TypeError",
                            "range.__init__() missing 1 required positional argument: 'arg1'");
    bool two = out->two = given[1] && !val_is_none(&v[1]);
    out->lo = two ? v[0] : val_int(0);
    out->hi = two ? v[1] : v[0];
    out->step = given[2] && !val_is_none(&v[2]) ? v[2] : val_int(1);
    return true;
}

static bool static_for(Checker *c, const Node *n, const Range *r) {
    const Val *v[3] = {&r->lo, &r->hi, &r->step};
    static const char *const what[3] = {"start", "end", "step"};
    for (int i = 0; i < 3; i++)
        if (!val_is_py(v[i], PY_INT))
            return checker_fail(c, n->loop.iter, "AssertionError",
                                "%s used as tl.static_range %s value is not a constexpr", val_text(c, v[i]),
                                what[i == 1 && !r->two ? 0 : i]);
    int64_t step = r->step.py.i;
    if (step == 0) return checker_fail(c, n->loop.iter, "ValueError", "range() arg 3 must not be zero");
    for (int64_t i = r->lo.py.i; step > 0 ? i < r->hi.py.i : i > r->hi.py.i;) {
        Val index = val_int(i);
        if (!checker_spend(c, n, 1) || !scope_set(c, n, n->loop.target->name, &index) ||
            !check_block(c, n->loop.body))
            return false;
        if (__builtin_add_overflow(i, step, &i)) break;
    }
    return true;
}

static bool loop_bounds(Checker *c, const Node *n, Range *r) {
    Val *v[3] = {&r->lo, &r->hi, &r->step};
    DType t = DT_I32;
    bool ints = true;
    for (int i = 0; i < 3; i++) {
        if (!check_to_tensor(c, n->loop.iter, v[i], v[i])) return false;
        ints = ints && type_is_integer(&v[i]->t.type);
    }
    if (!ints)
        return checker_fail(c, n->loop.iter, "TypeError",
                            "For loop bounds and step must all be ints, are (%s, %s, %s)",
                            val_type_text(c, v[0]), val_type_text(c, v[1]), val_type_text(c, v[2]));
    for (int i = 0; i < 3; i++)
        if (v[i]->t.type.rank)
            return checker_fail(c, n->loop.iter, "ValueError",
                                "For loop bounds and step must be scalars, are (%s, %s, %s)",
                                val_type_text(c, v[0]), val_type_text(c, v[1]), val_type_text(c, v[2]));
    if (!integer_promote(v[0]->t.type.elem, v[1]->t.type.elem, &t) ||
        !integer_promote(t, v[2]->t.type.elem, &t))
        return false;
    if (t == DT_BOOL) return checker_unsupported(c, n->loop.iter, "loops over int1");
    for (int i = 0; i < 3; i++)
        if (!check_cast(c, n->loop.iter, v[i], t, v[i])) return false;
    return true;
}

// Iterations, if the source says how many; else 0.
static int64_t known_trips(const Range *r) {
    if (!val_is_py(&r->lo, PY_INT) || !val_is_py(&r->hi, PY_INT) || !val_is_py(&r->step, PY_INT)) return 0;
    int64_t lo = r->lo.py.i, hi = r->hi.py.i, step = r->step.py.i;
    if (step < 1 || lo < 0 || hi <= lo) return 0;
    return (hi - lo - 1) / step + 1;
}

static bool runtime_for(Checker *c, const Node *n, Range *r) {
    Val index;
    Carries carries;
    Str target = n->loop.target->name;
    int64_t trips = known_trips(r);
    if (!loop_bounds(c, n, r) || !check_copy(c, n, &r->lo, &index)) return false;
    if (!carry_in(c, n, n->loop.body, target, &carries) || !scope_set(c, n, target, &index)) return false;
    int old = checker_region(c), test = c->insns;
    if (!checker_emit(c, n->loop.iter, insn(INSN_LOOPTEST, index.t.reg, r->hi.t.reg, r->step.t.reg, -1, 0)))
        return false;
    if (!check_block(c, n->loop.body) || !carry_round(c, n, &carries, test + 1)) return false;
    if (!checker_emit(c, n->loop.iter, insn(INSN_ADD, index.t.reg, index.t.reg, r->step.t.reg, -1, 0)))
        return false;
    if (!checker_emit(c, n, insn(INSN_JUMP, -1, -1, -1, -1, test))) return false;
    c->insn[test].imm = c->insns;
    if (!r->hinted && !checker_loop_shared(c, n, test, r->lo.t.reg, trips, r->stages)) return false;
    checker_region_end(c, old);
    return carry_out(c, n, &carries, target);
}

bool check_for(Checker *c, const Node *n) {
    const Node *iter = n->loop.iter;
    Val f;
    if (n->loop.async) return checker_fail(c, n, NULL, "unsupported AST node type: AsyncFor");
    if (iter->kind != NODE_CALL)
        return checker_fail(c, iter, "AttributeError", "'%s' object has no attribute 'func'",
                            node_class(iter));
    if (!check_expr(c, iter->call.func, &f)) return false;
    const char *name = f.kind == VAL_BUILTIN ? f.builtin.row->name : "";
    Range r = {.is_static = strcmp(name, "tl.static_range") == 0};
    bool python = strcmp(name, "range") == 0;
    if (!r.is_static && !python && strcmp(name, "tl.range") != 0)
        return checker_fail(c, iter, "RuntimeError",
                            "Only `range` and `static_range` iterators are currently supported");
    if (n->loop.target->kind != NODE_NAME)
        return checker_fail(c, n->loop.target, "AttributeError", "'%s' object has no attribute 'id'",
                            node_class(n->loop.target));
    if (n->loop.otherwise.n)
        return checker_fail(c, n, "AssertionError", "Don't know what to do with else after for");
    if (!range_arguments(c, iter, python, &r)) return false;
    if (r.is_static) return static_for(c, n, &r);
    if (!enter_loop(c, n)) return false;
    bool ok = runtime_for(c, n, &r);
    leave_loop(c);
    return ok;
}

// ---- while ----

static bool runtime_while(Checker *c, const Node *n) {
    Carries carries;
    Val cond, test;
    if (!carry_in(c, n, n->whileloop.body, (Str){0}, &carries)) return false;
    int old = checker_region(c), head = c->insns;
    if (!check_expr(c, n->whileloop.cond, &cond)) return false;
    if (!val_is_tensor(&cond))
        return checker_fail(c, n->whileloop.cond, "AttributeError",
                            "'constexpr' object has no attribute 'handle'");
    if (cond.t.type.rank == 0 && (cond.t.type.pointer || cond.t.type.elem != DT_BOOL))
        return checker_fail(c, n->whileloop.cond, NULL, "the condition of a `while` must be int1, got %s",
                            val_type_text(c, &cond));
    if (!check_bool_scalar(c, n->whileloop.cond, &cond, &test)) return false;
    int jump = c->insns;
    if (!checker_emit(c, n, insn(INSN_JUMPNOT, -1, test.t.reg, -1, -1, 0))) return false;
    if (!check_block(c, n->whileloop.body) || !carry_round(c, n, &carries, jump + 1)) return false;
    if (!checker_emit(c, n, insn(INSN_JUMP, -1, -1, -1, -1, head))) return false;
    c->insn[jump].imm = c->insns;
    checker_region_end(c, old);
    return carry_out(c, n, &carries, (Str){0});
}

bool check_while(Checker *c, const Node *n) {
    if (n->whileloop.otherwise.n) return checker_fail(c, n, "AssertionError", "Not implemented");
    if (!enter_loop(c, n)) return false;
    bool ok = runtime_while(c, n);
    leave_loop(c);
    return ok;
}
