#include "smith/distinct.h"

Sha256 program_hash(Str source) {
    Arena scratch = {0};
    DiagList diags = DIAGS(&scratch);
    const Node *module = parse_module(&scratch, source, &diags);
    Buf b = BUF(&scratch);
    if (module) print_canonical(&b, module);
    Sha256 h = sha256_of(module ? buf_str(&b) : source);
    arena_free(&scratch);
    return h;
}

bool seen_before(SeenPrograms *s, Sha256 h) {
    for (int i = 0; i < s->n; i++)
        if (memcmp(&s->at[i], &h, sizeof h) == 0) return true;
    if (s->n == s->cap) {
        Sha256 *more = NEWN(s->arena, Sha256, (size_t)s->cap * 2 + 16);
        if (s->n) memcpy(more, s->at, (size_t)s->n * sizeof *more);
        s->at = more;
        s->cap = s->cap * 2 + 16;
    }
    s->at[s->n++] = h;
    return false;
}

int smith_distinct(Arena *a, Proposal *p, int n) {
    SeenPrograms seen = {.arena = a};
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!seen_before(&seen, program_hash(p[i].source))) p[kept++] = p[i];
    return kept;
}
