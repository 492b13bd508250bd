#include "sandbox/child/written_numbers.h"

#include <math.h>

typedef struct {
    void (*add)(void *arg, int64_t x);
    void *arg;
} Numbers;

// Whether a number is the result of arithmetic on written numbers: 1 << 22, 96 * 1024.
static bool constant(const Node *n, int64_t *out) {
    int64_t l, r;
    if (n->kind == NODE_INT)
        return !n->integer.too_big && n->integer.value < INT32_MAX &&
               (*out = (int64_t)n->integer.value, true);
    if (n->kind == NODE_FLOAT)
        return n->real >= 2 && n->real < INT32_MAX && floor(n->real) == n->real &&
               (*out = (int64_t)n->real, true);
    if (n->kind != NODE_BINARY || n->height > 8 || !constant(n->binary.left, &l) ||
        !constant(n->binary.right, &r))
        return false;
    if (l >= INT32_MAX || l <= -INT32_MAX || r >= INT32_MAX || r <= -INT32_MAX) return false;
    switch (n->binary.op) {
    case OPER_ADD: return *out = l + r, true;
    case OPER_SUB: return *out = l - r, true;
    case OPER_MUL: return *out = l * r, true;
    case OPER_BITXOR: return *out = l ^ r, true;
    case OPER_BITOR: return *out = l | r, true;
    case OPER_FLOORDIV: return l >= 0 && r > 0 && (*out = l / r, true);
    case OPER_SHL: return l >= 0 && r >= 0 && r < 31 && (*out = l << r, true);
    case OPER_SHR: return l >= 0 && r >= 0 && r < 31 && (*out = l >> r, true);
    case OPER_POW:
        if (r < 0 || r > 31) return false;
        *out = 1;
        for (; r > 0; r--)
            if (__builtin_mul_overflow(*out, l, out)) return false;
        return true;
    default: return false;
    }
}

static void numbers_of_text(const Numbers *s, Str text) {
    int64_t x = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool digit = text.p[i] >= '0' && text.p[i] <= '9', last = i + 1 == text.len;
        if (digit && x < INT32_MAX) x = x * 10 + (text.p[i] - '0');
        if ((!digit || last) && x >= 2) s->add(s->arg, x);
        if (!digit) x = 0;
    }
}

static void numbers_find(void *arg, const Node *n) {
    int64_t x;
    const Numbers *s = arg;
    if (constant(n, &x) && x >= 2 && x <= INT32_MAX) s->add(s->arg, x);
    if (n->kind == NODE_STRING && n->span.len < 64) numbers_of_text(s, n->string.text);
    node_each_child(n, numbers_find, arg); // a tree's height is bounded
}

void written_numbers(const Node *module, void (*add)(void *arg, int64_t x), void *arg) {
    numbers_find(&(Numbers){add, arg}, module);
}
