#include "sandbox/child/coverage.h"

#include <float.h>
#include <math.h>

#include "lang/pyvalue.h"
#include "sandbox/child/written_numbers.h"
#include "tile/check/check.h"

// ---- the child's side

typedef struct {
    const Cover *cover;
    Str source;
    bool kernel;
    uint8_t *line; // of the source, from 1: something on it was never executed
    int lines;
} Walk;

static int line_at(const Walk *w, uint32_t at) { return line_col(w->source, at).line; }

static bool arm_ran(const Walk *w, const Node *n, const Node *arm) {
    uint32_t at = node_part_place(n, arm);
    return at < w->cover->n && (w->cover->at[at] & COVER_HOST);
}

static void note_line(Walk *w, const Node *n) {
    int line = line_at(w, n->span.at);
    if (line >= 1 && line <= w->lines) w->line[line] = 1;
}

static void walk(void *arg, const Node *n) {
    Walk *w = arg;
    bool was = w->kernel;
    if (n->kind == NODE_FUNCTION) w->kernel = is_jit_function(n);
    if (is_leaf_statement(n) && !cover_ran(w->cover, n, w->kernel)) return note_line(w, n);
    if (n->kind == NODE_IFEXP && !w->kernel) {
        if (!arm_ran(w, n, n->ifexp.then)) note_line(w, n->ifexp.then);
        if (!arm_ran(w, n, n->ifexp.otherwise)) note_line(w, n->ifexp.otherwise);
    }
    node_each_child(n, walk, w); // a tree's height is bounded
    w->kernel = was;
}

static bool room(const Buf *out) { return out->len + 16 < WIRE_MESSAGE_MAX; }

// Compared with in a good part of the cases: a constant of the program. Others mostly follow from one case's
// sizes.
static bool is_constant(const Cover *c, int i) { return c->size[i].cases * 4 > c->case_index; }

// The one that most cases have compared with. small: only what rows are drawn for; constant: only those.
static int most_common(const Cover *c, const bool *said, bool small, bool constant) {
    int best = -1;
    for (int i = 0; i < c->sizes; i++) {
        if (said[i] || (small && c->size[i].value > COVERAGE_SIZE_MOST) || (constant && !is_constant(c, i)))
            continue;
        if (best < 0 || c->size[i].cases > c->size[best].cases) best = i;
    }
    return best;
}

// ---- numbers in the source

enum { NUMBERS_MAX = 64 };
typedef struct {
    int64_t size[NUMBERS_MAX];
    float value[NUMBERS_MAX];
    int sizes, values, floats; // floats: the first of the values, which were written with a point
} Numbers;

static void number_value(Numbers *n, double x, bool point) {
    float f = (float)fabs(x);
    if (!(f > 0) || f > FLT_MAX || n->values == NUMBERS_MAX) return;
    for (int i = 0; i < n->values; i++)
        if (n->value[i] == f) return;
    n->value[n->values++] = f;
    if (!point) return;
    float first = n->value[n->floats]; // those with a point come first
    n->value[n->floats++] = f;
    n->value[n->values - 1] = first;
}

static void number_size(Numbers *n, int64_t x) {
    if (x < 2 || x > COVERAGE_SIZE_MOST || n->sizes == NUMBERS_MAX) return;
    for (int i = 0; i < n->sizes; i++)
        if (n->size[i] == x) return;
    n->size[n->sizes++] = x;
}

// A size may be compared as text.
static void number_text(Numbers *n, const Node *node) {
    PyValue v;
    const char *why;
    int64_t x = 0;
    if (!py_from_literal(node, &v, &why) || v.kind != PY_STR || v.s.len == 0 || v.s.len > 6) return;
    for (size_t i = 0; i < v.s.len; i++) {
        if (v.s.p[i] < '0' || v.s.p[i] > '9') return;
        x = x * 10 + (v.s.p[i] - '0');
    }
    number_size(n, x);
}

static void numbers_find(void *arg, const Node *node) {
    Numbers *n = arg;
    PyValue v;
    const char *why;
    if ((node->kind == NODE_INT || node->kind == NODE_FLOAT) && py_from_literal(node, &v, &why)) {
        bool whole = v.kind == PY_INT;
        number_value(n, whole ? (double)v.i : v.f, !whole);
        if (whole) number_size(n, v.i);
    }
    if (node->kind == NODE_STRING) number_text(n, node);
    node_each_child(node, numbers_find, n); // a tree's height is bounded
}

// Powers of two are mostly blocks, and come last. What was compared with in a case or two may not find room
// above.
static void say_written(const Cover *c, const Numbers *n, Buf *out) {
    int k = 0;
    for (int power = 0; power < 2; power++)
        for (int i = 0; i < n->sizes && k < COVERAGE_WRITTEN_MAX; i++) {
            int64_t x = n->size[i];
            if (((x & (x - 1)) == 0) != power) continue;
            bool compared = false;
            for (int j = 0; j < c->sizes; j++) compared |= c->size[j].value == x && is_constant(c, j);
            if (compared) continue;
            buf_printf(out, "%s %lld", k++ ? "" : " written", (long long)x);
        }
}

static void say_values(const Numbers *n, Buf *out) {
    for (int i = 0; i < n->values && i < COVERAGE_VALUES_MAX; i++) {
        uint32_t bits;
        memcpy(&bits, &n->value[i], sizeof bits);
        buf_printf(out, "%s %08x", i ? "" : " values", (unsigned)bits);
    }
}

static void say_sizes(const Cover *c, const Numbers *n, Buf *out) {
    bool said[COVER_SIZES_MAX] = {0};
    int best, k = 0;
    buf_puts(out, "sizes");
    for (; k < COVERAGE_SIZES_MAX && (best = most_common(c, said, true, true)) >= 0; k++) {
        said[best] = true;
        buf_printf(out, " %lld", (long long)c->size[best].value);
    }
    if (k < COVERAGE_SIZES_MAX && most_common(c, said, true, false) >= 0) buf_puts(out, " seldom");
    for (; k < COVERAGE_SIZES_MAX && (best = most_common(c, said, true, false)) >= 0; k++) {
        said[best] = true;
        buf_printf(out, " %lld", (long long)c->size[best].value);
    }
    say_written(c, n, out);
    if (most_common(c, said, false, true) < 0) return;
    buf_puts(out, " beyond");
    for (k = 0; k < COVERAGE_BEYOND_MAX && (best = most_common(c, said, false, true)) >= 0; k++) {
        said[best] = true;
        buf_printf(out, " %lld", (long long)c->size[best].value);
    }
    if (most_common(c, said, false, true) >= 0) buf_puts(out, " +");
}

static void reach_add(void *arg, int64_t x) {
    int64_t *reach = arg;
    if (x <= COVERAGE_SIZE_MOST || x > COVERAGE_REACH_MOST) return;
    if (x <= COVERAGE_REACH_ALL && x > reach[0]) reach[0] = x;
    if (x > reach[1]) reach[1] = x;
}

static void say_reach(const Cover *c, const Node *module, Buf *out) {
    int64_t reach[2] = {0};
    written_numbers(module, reach_add, reach);
    for (int i = 0; i < c->sizes; i++)
        if (is_constant(c, i)) reach_add(reach, c->size[i].value);
    if (reach[1]) buf_printf(out, " reach %lld %lld", (long long)reach[0], (long long)reach[1]);
}

typedef struct {
    int64_t far, further[COVERAGE_FURTHER_MAX + 1];
    int furthers;
} Far;

static void far_add(Far *f, int64_t x) {
    int at = 0;
    if (x <= COVERAGE_FAR_MOST && x > f->far) f->far = x;
    if (x <= COVERAGE_FAR_MOST || x > COVERAGE_SIZE_MOST) return;
    while (at < f->furthers && f->further[at] > x) at++;
    if (at < f->furthers && f->further[at] == x) return;
    for (int i = f->furthers; i > at; i--) f->further[i] = f->further[i - 1];
    f->further[at] = x;
    if (f->furthers < COVERAGE_FURTHER_MAX) f->furthers++;
}

// Where a kernel compares lanes with numbers of the source's own, or places choose in some other way.
static void say_far(const Cover *c, const Numbers *n, Buf *out) {
    Far f = {0};
    for (int i = 0; i < c->sizes && c->meets; i++)
        if (is_constant(c, i)) far_add(&f, c->size[i].value);
    for (int i = 0; i < n->sizes && c->meets; i++) far_add(&f, n->size[i]);
    if (c->meets & WANTS_CORNER) f.far = COVERAGE_FAR_MOST;
    if (f.far) buf_printf(out, " far %lld", (long long)f.far);
    if (f.far && (c->meets & WANTS_ORDERS)) buf_puts(out, " orders");
    for (int i = 0; i < f.furthers; i++)
        buf_printf(out, "%s %lld", i ? "" : " further", (long long)f.further[i]);
}

void coverage_say(Arena *a, const Node *module, const Cover *c, const VariesInputs *inputs, Buf *out) {
    Walk w = {.cover = c, .source = module->module.source};
    w.lines = line_col(w.source, (uint32_t)w.source.len).line;
    w.line = NEWN(a, uint8_t, (size_t)w.lines + 2);
    for (int i = 0; i < module->module.body.n; i++) { // what stands at the top level itself always runs
        const Node *n = module->module.body.at[i];
        if (n->kind == NODE_FUNCTION || n->kind == NODE_CLASS) walk(&w, n);
    }
    Numbers *n = NEW(a, Numbers);
    numbers_find(n, module);
    say_sizes(c, n, out);
    say_reach(c, module, out);
    say_far(c, n, out);
    say_values(n, out);
    Unreached *u = NEW(a, Unreached);
    unreached_find(a, module, c, inputs, u);
    unreached_say(u, out);
    buf_puts(out, " lines");
    for (int i = 1, k = 0; i <= w.lines; i++) {
        if (!w.line[i]) continue;
        if (k++ == COVERAGE_LINES_MAX || !room(out)) return buf_puts(out, " +");
        buf_printf(out, " %d", i);
    }
}

// ---- the parent's side

static bool number(const char **p, int64_t *out) {
    const char *s = *p;
    if (s[0] != ' ' || s[1] < '1' || s[1] > '9') return false;
    int64_t x = 0;
    for (s++; *s >= '0' && *s <= '9'; s++) {
        x = x * 10 + (*s - '0');
        if (x > INT32_MAX) return false;
    }
    return *p = s, *out = x, true;
}

// Eight digits, of a positive finite number.
static bool float_bits(const char **p, float *out) {
    const char *s = *p;
    uint32_t bits = 0;
    if (*s++ != ' ') return false;
    for (int i = 0; i < 8; i++, s++) {
        if (!(*s >= '0' && *s <= '9') && !(*s >= 'a' && *s <= 'f')) return false;
        bits = bits << 4 | (uint32_t)(*s <= '9' ? *s - '0' : *s - 'a' + 10);
    }
    if (bits == 0 || bits >= 0x7f800000) return false;
    memcpy(out, &bits, sizeof *out);
    return *p = s, true;
}

static bool word(const char **p, const char *w) {
    size_t n = strlen(w);
    if (strncmp(*p, w, n) != 0) return false;
    *p += n;
    return true;
}

// The first may be 0.
static bool reach_read(const char **p, int64_t reach[2]) {
    if (!word(p, " 0") && (!number(p, &reach[0]) || reach[0] <= COVERAGE_SIZE_MOST)) return false;
    return number(p, &reach[1]) && reach[1] > COVERAGE_SIZE_MOST && reach[1] <= COVERAGE_REACH_MOST &&
           reach[0] <= COVERAGE_REACH_ALL && reach[0] <= reach[1];
}

static bool further_read(const char **p, Coverage *c) {
    while (c->furthers < COVERAGE_FURTHER_MAX && number(p, &c->further[c->furthers])) {
        int64_t x = c->further[c->furthers++];
        if (x <= COVERAGE_FAR_MOST || x > COVERAGE_SIZE_MOST) return false;
        if (c->furthers > 1 && x >= c->further[c->furthers - 2]) return false;
    }
    return c->furthers > 0;
}

void coverage_read(const char *p, Coverage *out) {
    Coverage c = {0};
    int64_t x;
    *out = c;
    if (!word(&p, "sizes")) return;
    while (c.sizes < COVERAGE_SIZES_MAX && number(&p, &x)) c.size[c.sizes++] = x;
    c.constants = c.sizes;
    if (word(&p, " seldom")) {
        while (c.sizes < COVERAGE_SIZES_MAX && number(&p, &x)) c.size[c.sizes++] = x;
        if (c.sizes == c.constants) return;
    }
    if (word(&p, " written")) {
        while (c.writtens < COVERAGE_WRITTEN_MAX && number(&p, &x)) {
            if (x > COVERAGE_SIZE_MOST) return;
            c.written[c.writtens++] = x;
        }
        if (c.writtens == 0) return;
    }
    if (word(&p, " beyond")) {
        while (c.beyonds < COVERAGE_BEYOND_MAX && number(&p, &x)) c.beyond[c.beyonds++] = x;
        c.more_sizes = word(&p, " +");
        if (c.beyonds == 0) return;
    }
    if (word(&p, " reach") && !reach_read(&p, c.reach)) return;
    if (word(&p, " far")) {
        if (!number(&p, &c.far) || c.far > COVERAGE_FAR_MOST) return;
        c.orders = word(&p, " orders");
    }
    if (word(&p, " further") && !further_read(&p, &c)) return;
    if (word(&p, " values")) {
        while (c.values < COVERAGE_VALUES_MAX && float_bits(&p, &c.value[c.values])) c.values++;
        if (c.values == 0) return;
    }
    if (!unreached_read(&p, &c.unreached) || !word(&p, " lines")) return;
    while (c.lines < COVERAGE_LINES_MAX && number(&p, &x)) {
        if (c.lines > 0 && x <= c.line[c.lines - 1]) return;
        c.line[c.lines++] = (int32_t)x;
    }
    c.more = word(&p, " +");
    c.told = true;
    if (!*p) *out = c;
}

void coverage_meet(Coverage *a, const Coverage *b) {
    int n = 0;
    // Beyond the last line that b has told, it may have more.
    for (int i = 0, k = 0; i < a->lines; i++) {
        while (k < b->lines && b->line[k] < a->line[i]) k++;
        if (k < b->lines ? b->line[k] == a->line[i] : b->more) a->line[n++] = a->line[i];
    }
    a->lines = n;
    a->more &= b->more;
    unreached_meet(&a->unreached, &b->unreached);
    a->told &= b->told;
}

void coverage_words(Buf *out, const Coverage *c) {
    for (int i = 0; i < c->lines; i++) {
        int last = i;
        while (last + 1 < c->lines && c->line[last + 1] == c->line[last] + 1) last++;
        buf_printf(out, "%s%d", i ? ", " : "", (int)c->line[i]);
        if (last > i) buf_printf(out, "-%d", (int)c->line[last]);
        i = last;
    }
    if (c->more) buf_puts(out, " and further ones");
}
