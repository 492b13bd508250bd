// Literals of a definition: what must be written out as a number, a string, a pair or a dictionary.
#include "op/literal.h"
#include <math.h>

#define wrong(d, node, ...) diag_add((d), DIAG_REFUSED, (node)->span, __VA_ARGS__)

bool literal_number(DiagList *d, const Node *n, const char *what, double *out, bool *is_int) {
    bool negative = n->kind == NODE_UNARY && n->unary.op == OPER_NEG;
    const Node *digits = negative ? n->unary.operand : n;
    *is_int = digits->kind == NODE_INT;
    if (*is_int && !digits->integer.too_big && digits->integer.value <= INT64_MAX) {
        *out = (double)digits->integer.value;
    } else if (digits->kind == NODE_FLOAT && isfinite(digits->real)) {
        *out = digits->real;
    } else {
        return wrong(d, n, "%s must be a finite number, written out", what);
    }
    if (negative) *out = -*out;
    return true;
}

bool literal_count(DiagList *d, const Node *n, const char *what, int64_t lo, int64_t hi, int64_t *out) {
    if (n->kind != NODE_INT || n->integer.too_big || n->integer.value > (uint64_t)hi ||
        n->integer.value < (uint64_t)lo)
        return wrong(d, n, "%s must be an integer from %lld to %lld", what, (long long)lo, (long long)hi);
    *out = (int64_t)n->integer.value;
    return true;
}

bool literal_flag(DiagList *d, const Node *n, const char *what, bool *out) {
    if (n->kind != NODE_TRUE && n->kind != NODE_FALSE) return wrong(d, n, "%s must be True or False", what);
    *out = n->kind == NODE_TRUE;
    return true;
}

bool literal_text(DiagList *d, const Node *n, const char *what, Str *out) {
    if (n->kind != NODE_STRING || n->string.bytes) return wrong(d, n, "%s must be a string", what);
    *out = n->string.text;
    return true;
}

bool literal_pair(DiagList *d, const Node *n, const char *what, const Node *out[2]) {
    if ((n->kind != NODE_TUPLE && n->kind != NODE_LIST) || n->items.n != 2)
        return wrong(d, n, "%s must be a pair: \"%s\": (lo, hi)", what, what);
    out[0] = n->items.at[0];
    out[1] = n->items.at[1];
    return true;
}

bool literal_is_word(Str s) {
    if (!s.len || s.len > WORD_MAX || (s.p[0] >= '0' && s.p[0] <= '9')) return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return true;
}

bool literal_dict(DiagList *d, const Node *n, const char *what, const char *example) {
    if (n->kind != NODE_DICT)
        return wrong(d, n, "%s must be a dictionary literal, such as %s", what, example);
    for (int i = 0; i < n->dict.keys.n; i++) {
        const Node *key = n->dict.keys.at[i];
        if (!key) return wrong(d, n->dict.values.at[i], "%s must be written out: no `**` in it", what);
        Str text;
        if (!literal_text(d, key, "a key", &text)) return false;
        for (int k = 0; k < i; k++)
            if (str_eq(n->dict.keys.at[k]->string.text, text))
                return wrong(d, key, "\"%.*s\" occurs twice in %s; keep one", STR_ARG(text), what);
    }
    return true;
}
