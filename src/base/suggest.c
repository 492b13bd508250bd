#include "base/suggest.h"

int edit_distance(Str a, Str b) {
    enum { LONGEST = 63 };
    int n = (int)(a.len < LONGEST ? a.len : LONGEST), m = (int)(b.len < LONGEST ? b.len : LONGEST);
    int rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= m; j++) last[j] = j;
    for (int i = 1; i <= n; i++) {
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int least = last[j - 1] + (a.p[i - 1] != b.p[j - 1]);
            if (last[j] + 1 < least) least = last[j] + 1;
            if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1];
            if (swapped && before[j - 2] + 1 < least) least = before[j - 2] + 1;
            row[j] = least;
        }
        int *free = before;
        before = last;
        last = row;
        row = free;
    }
    return last[m];
}

Nearest nearest_to(Str typed) { return (Nearest){.typed = typed}; }

bool nearest_offer(Nearest *n, Str name) {
    enum { SLIPS_MOST = 2, LETTERS_A_SLIP = 3 };
    int slips = edit_distance(n->typed, name);
    if (slips > SLIPS_MOST || (size_t)slips * LETTERS_A_SLIP > n->typed.len) return false;
    if (n->best.len && slips >= n->slips) return false;
    n->best = name;
    n->slips = slips;
    return true;
}

const char *nearest_words(Arena *a, const Nearest *n) {
    return n->best.len ? arena_printf(a, "; did you mean %.*s?", STR_ARG(n->best)) : "";
}
