// Loads and stores through addresses kept by axis (axes_access.c, compute/axes.c) do what those do whose
// lanes are written out. Random kernels of two to five dimensions: loops that carry addresses and masks,
// addresses that leave a tensor and come back, several launches of one kernel, elements of 1 to 8 bytes,
// inputs with gaps, masks of loaded numbers that may be undefined. And what random kernels would seldom come
// to.
#include "tile/launch.h"

#include <stdio.h>

#include "base/numeric/rng.h"
#include "tile/compute/axes.h"

enum { ELEMENTS = 2048, TABLE = 64, ROUNDS = 1500, LAUNCHES = 2, RANK_MAX = 5 };

// ---- random kernels

typedef struct {
    Arena *a;
    Rng *r;
    int rank, dim[RANK_MAX];
} Maker;

static bool coin(Maker *m, int n) { return rng_below(m->r, (uint64_t)n) == 0; }
static int below(Maker *m, int n) { return (int)rng_below(m->r, (uint64_t)n); }
static const char *pick(Maker *m, const char *const *list, int n) { return list[below(m, n)]; }
#define PICK(m, list) pick((m), (list), (int)(sizeof(list) / sizeof *(list)))

// A text in which @ and $ stand for these.
static const char *filled(Maker *m, const char *text, const char *e, const char *k) {
    char *out = arena_printf(m->a, "%s", "");
    for (; *text; text++)
        out = *text == '@'   ? arena_printf(m->a, "%s%s", out, e)
              : *text == '$' ? arena_printf(m->a, "%s%s", out, k)
                             : arena_printf(m->a, "%s%c", out, *text);
    return out;
}

static void choose_shape(Maker *m) {
    static const int dims[] = {1, 2, 2, 4, 4, 8, 8, 16, 16, 32};
    int lanes = 1;
    m->rank = 2 + below(m, RANK_MAX - 1);
    for (int k = 0; k < m->rank; k++) {
        m->dim[k] = dims[below(m, 10)];
        while (lanes * m->dim[k] > 2048) m->dim[k] /= 2;
        lanes *= m->dim[k];
    }
}

static const char *shape_text(Maker *m, int only) {
    const char *s = "[";
    for (int k = 0; k < m->rank; k++)
        s = arena_printf(m->a, "%s%s%d", s, k ? ", " : "", only < 0 || only == k ? m->dim[k] : 1);
    return arena_printf(m->a, "%s]", s);
}

// The places of one axis, 1 along all others.
static const char *axis_text(Maker *m, int k) {
    if (coin(m, 4))
        return arena_printf(m->a, "tl.reshape(tl.arange(0, %d), %s)", m->dim[k], shape_text(m, k));
    const char *s = arena_printf(m->a, "tl.arange(0, %d)[", m->dim[k]);
    for (int i = 0; i < m->rank; i++)
        s = arena_printf(m->a, "%s%s%s", s, i ? ", " : "", i == k ? ":" : "None");
    return arena_printf(m->a, "%s]", s);
}

static const char *permuted(Maker *m, const char *e) {
    int k = below(m, m->rank), l = below(m, m->rank);
    const char *order = "";
    for (int i = 0; i < m->rank; i++)
        order = arena_printf(m->a, "%s, %d", order, i == k ? l : i == l ? k : i);
    return arena_printf(m->a, "tl.permute(tl.permute(tl.broadcast_to(%s, %s)%s)%s)", e, shape_text(m, -1),
                        order, order);
}

// Another tile of the same numbers, mostly.
static const char *changed(Maker *m, const char *e, bool number) {
    switch (below(m, number ? 17 : 8)) {
    case 0: return arena_printf(m->a, "tl.broadcast_to(%s, %s)", e, shape_text(m, -1));
    case 1: {
        int lanes = 1;
        for (int k = 0; k < m->rank; k++) lanes *= m->dim[k];
        return arena_printf(m->a, "tl.reshape(tl.reshape(tl.broadcast_to(%s, %s), [%d]), %s)", e,
                            shape_text(m, -1), lanes, shape_text(m, -1));
    }
    case 2: return permuted(m, e);
    case 3: return arena_printf(m->a, "tl.where(a0 < n, %s, %s)", e, e);
    case 4:
        return arena_printf(m->a, "tl.reshape(tl.expand_dims(tl.broadcast_to(%s, %s), %d), %s)", e,
                            shape_text(m, -1), below(m, m->rank + 1), shape_text(m, -1));
    case 5: return arena_printf(m->a, "tl.split(tl.join(%s, %s))[%d]", e, e, below(m, 2));
    case 6: return arena_printf(m->a, "(%s)", e);
    case 7: { // with another axis somewhere
        const char *s = arena_printf(m->a, coin(m, 2) ? "[1" : "[");
        for (int k = 0; k < m->rank; k++)
            s = arena_printf(m->a, "%s%s%d%s", s, s[1] ? ", " : "", m->dim[k], coin(m, 4) ? ", 1" : "");
        return arena_printf(m->a, "tl.reshape(tl.reshape(tl.broadcast_to(%s, %s), %s]), %s)", e,
                            shape_text(m, -1), s, shape_text(m, -1));
    }
    case 8: return arena_printf(m->a, "(%s).to(tl.int64)", e);
    case 9: return arena_printf(m->a, "(%s + q) - q", e);
    case 10: return arena_printf(m->a, "(q - (q - %s))", e);
    case 11: return arena_printf(m->a, "(%s) * one", e);
    case 12: {
        const char *s = "";
        for (int k = 0; k < m->rank; k++) s = arena_printf(m->a, "%s%s%d", s, k ? ", " : "", 1 + below(m, 2));
        return arena_printf(m->a, "tl.%s(tl.broadcast_to(%s, %s), [%s])",
                            coin(m, 2) ? "multiple_of" : "max_contiguous", e, shape_text(m, -1), s);
    }
    case 13: return arena_printf(m->a, "(%s + tl.load(w + a%d))", e, below(m, m->rank));
    case 14: return arena_printf(m->a, "(%s + tl.load(w + 1))", e);
    case 15: return arena_printf(m->a, "(%s + maybe)", e);
    default: return arena_printf(m->a, "(%s).to(tl.uint32).to(tl.int32)", e);
    }
}

// A place in a tensor for each lane. Mostly those of a tensor in some order of its axes, with gaps or none.
static const char *offsets(Maker *m) {
    static const char *const odd[] = {"s", "-1", "0", "1", "t", "2", "u", "s * t"};
    int order[RANK_MAX], stride[RANK_MAX], next = coin(m, 4) ? 2 : 1;
    for (int k = 0; k < m->rank; k++) order[k] = k;
    for (int k = m->rank - 1; k > 0 && coin(m, 2); k--) {
        int l = below(m, k + 1), was = order[k];
        order[k] = order[l];
        order[l] = was;
    }
    for (int k = m->rank - 1; k >= 0; k--) {
        int size = m->dim[order[k]];
        stride[order[k]] = next;
        next *= coin(m, 3) && size > 2 ? size / 2 : size;
        if (coin(m, 6)) next++;
    }
    const char *f = NULL;
    for (int i = 0; i < m->rank; i++) {
        int k = order[i];
        const char *term = coin(m, 16) ? arena_printf(m->a, "a%d * %s", k, PICK(m, odd))
                                       : arena_printf(m->a, "a%d * %d", k, stride[k]);
        if (coin(m, 12)) term = changed(m, term, true);
        f = f ? arena_printf(m->a, coin(m, 6) ? "(%s) + (%s)" : "%s + %s", f, term) : term;
        if (coin(m, 16)) f = changed(m, f, true);
    }
    static const char *const further[] = {
        "@ + pid * 64",         "@ + pid * 16",   "@ + q",
        "@ + 100 - q",          "@ + 2147483600", "(@).to(tl.int64) * (q * big)",
        "(@) * (q * 40000000)", "@ - u",          "@ + tl.program_id(0)"};
    if (coin(m, 6)) f = filled(m, PICK(m, further), f, "");
    return coin(m, 8) ? changed(m, f, true) : f;
}

static const char *mask(Maker *m) {
    static const char *const others[] = {"(q > 1)",
                                         "(am < bm)",
                                         "(a0 + a1 < n)",
                                         "((a0 < n) | (a1 < o))",
                                         "(a0 < n) ^ (a1 < o)",
                                         "~(a0 == n)",
                                         "(maybe < 3)",
                                         "(tl.load(w + 1) < n)",
                                         "(tl.load(w + a1, mask=a1 < o, other=1) < 3)",
                                         "(tl.load(w + a1, mask=a1 < 2) < 3)",
                                         "(f < 200)",
                                         "(f >= 0)",
                                         "(a0 % 2 == 0)",
                                         "(a1 != 1)",
                                         "(a0 < 0)",
                                         "((a0 < n) & (a1 < o))",
                                         "(a0 > 0)",
                                         "(a1 >= t)"};
    const char *k = NULL;
    for (int i = 0; i < m->rank; i++) {
        static const char *const size[] = {"n", "o", "2", "3", "4", "n + q"};
        if (coin(m, 5)) continue;
        const char *one = arena_printf(m->a, "(a%d < %s)", i, PICK(m, size));
        if (coin(m, 12)) one = changed(m, one, false);
        k = k ? arena_printf(m->a, coin(m, 2) ? "%s & %s" : "(%s & %s)", k, one) : one;
    }
    if (coin(m, 3) || !k) {
        const char *other = PICK(m, others);
        k = k ? arena_printf(m->a, coin(m, 2) ? "%s & %s" : "%s & (%s)", coin(m, 2) ? k : other,
                             coin(m, 2) ? other : k)
              : other;
    }
    return coin(m, 8) ? changed(m, k, false) : k;
}

static const char *pointer(Maker *m, const char *base, const char *f, const char *g) {
    static const char *const way[] = {"@ + $",
                                      "@ + $",
                                      "@ + ($)",
                                      "(@ + $) + q - q",
                                      "((@ + $) + big) - big",
                                      "@ + (a0 * huge + $) - a0 * huge",
                                      "(@ + ($)) + tl.where(a0 < n, 0, big)",
                                      "@ + ($) + far * a1",
                                      "@ + ($).to(tl.int64) + half * a0 + half * a1",
                                      "@ + ($) - (a0 * 0)",
                                      "((@ + (a0 * huge + a1)) + ($)) - (a0 * huge + a1)",
                                      "((@ + (a0 * big + a1)) + ($)) - (a0 * big + a1)"};
    if (coin(m, 30)) // of two tensors
        return arena_printf(m->a, "tl.where(a0 < n, x, %s) + %s", base, f);
    const char *p = filled(m, way[coin(m, 6) ? below(m, 12) : below(m, 3)], base, f);
    if (coin(m, 8)) p = arena_printf(m->a, "%s + (%s)", p, g);
    return coin(m, 12) ? changed(m, p, false) : p;
}

static const char *load(Maker *m, const char *p, const char *k) {
    static const char *const way[] = {"tl.load(@, mask=$, other=1)",
                                      "tl.load(@, mask=$, other=1)",
                                      "tl.load(@, mask=$)",
                                      "tl.load(@, mask=$, other=tl.load(x))",
                                      "tl.load(@, mask=$, other=maybe)",
                                      "tl.load(@, mask=$, other=tl.load(x + a0))",
                                      "tl.load(@, mask=$, other=0, cache_modifier='.cg')",
                                      "tl.load(@, mask=$, other=0, eviction_policy='evict_first')"};
    return coin(m, 8) ? arena_printf(m->a, "tl.load(%s)", p) : filled(m, PICK(m, way), p, k);
}

static const char *store(Maker *m, const char *g, const char *k) {
    static const char *const value[] = {"v",    "v", "v", "1", "q", "a0", "g", "maybe", "tl.where(k, v, 2)",
                                        "v + v"};
    const char *p = pointer(m, "y", coin(m, 6) ? "f" : g, g);
    return coin(m, 10) ? arena_printf(m->a, "    tl.store(%s, %s)\n", p, PICK(m, value))
                       : arena_printf(m->a, "    tl.store(%s, %s, mask=%s)\n", p, PICK(m, value), k);
}

// A block pointer, with an end along each axis.
static const char *block_text(Maker *m, const char *base) {
    const char *size = "", *stride = "", *at = "", *order = "", *check = "";
    for (int k = m->rank - 1, next = 1; k >= 0; k--) {
        static const char *const ends[] = {"n", "o", "q", "n + o", "64"};
        static const char *const starts[] = {"0", "0", "0", "1", "pid", "0 - q"};
        const char *comma = k == m->rank - 1 ? "" : ", ";
        size = arena_printf(m->a, "%s%s%s", PICK(m, ends), comma, size);
        stride = arena_printf(m->a, "%d%s%s", coin(m, 8) ? 0 : next, comma, stride);
        at = arena_printf(m->a, "%s%s%s", PICK(m, starts), comma, at);
        order = arena_printf(m->a, "%s%s%d", order, comma, k);
        if (!coin(m, 8)) check = arena_printf(m->a, "%s%s%d", check, *check ? ", " : "", k);
        next *= m->dim[k];
    }
    return arena_printf(m->a, "tl.make_block_ptr(%s, [%s], [%s], [%s], %s, [%s])|boundary_check=[%s]", base,
                        size, stride, at, shape_text(m, -1), order, check);
}

static const char *block_access(Maker *m, bool store) {
    const char *both = block_text(m, store ? "y" : "x"), *check = strchr(both, '|');
    const char *p = arena_printf(m->a, "%.*s", (int)(check - both), both);
    if (store)
        return arena_printf(m->a, "    tl.store(%s, tl.broadcast_to(v, %s).to(y.dtype.element_ty), %s)\n", p,
                            shape_text(m, -1), check + 1);
    return arena_printf(
        m->a,
        "    p = %s\n    v = tl.load(p, %s, padding_option='zero')\n    for i in range(q):\n"
        "        p = tl.advance(p, [%s%s])\n        v += tl.load(p, %s, padding_option='zero')\n",
        p, check + 1, &"0, 0, 0, 0, 1"[3 * (RANK_MAX - m->rank)], "", check + 1);
}

// One store after another, some of them of what was there.
static const char *ending(Maker *m) {
    const char *k = coin(m, 4) ? mask(m) : "k", *s = store(m, "g", k);
    if (coin(m, 8)) return block_access(m, true);
    if (!coin(m, 4)) return s;
    static const char *const more[] = {
        "    v = tl.load(y + g, mask=k, other=1)\n",   "    tl.debug_barrier()\n",
        "    tl.store(y + g + 1, v, mask=k)\n",        "    tl.atomic_add(y + g, 1, mask=k)\n",
        "    v = tl.load(y + f, mask=k, other=1)\n",   "    tl.store(y + a0, tl.load(x + a0), mask=a0 < n)\n",
        "    tl.store(y + q, tl.load(x + 3))\n",       "    v = tl.load(y + q)\n",
        "    v = tl.sum(v, axis=0, keep_dims=True)\n", "    v = v + tl.sum(v, axis=1, keep_dims=True)\n"};
    for (int i = 1 + below(m, 3); i > 0; i--) s = arena_printf(m->a, "%s%s", s, PICK(m, more));
    return arena_printf(m->a, "%s%s", s, store(m, "g", "k"));
}

// What loops carry around.
static const char *middle(Maker *m) {
    static const char *const steps[] = {"p += u",
                                        "p += big",
                                        "p = p - 1",
                                        "k = k & (a1 < n)",
                                        "k = k & (a0 > i)",
                                        "f = f + i",
                                        "f += a0",
                                        "p = x + f",
                                        "p = p + a1 * 0",
                                        "p = p + i * big",
                                        "k = k | (a1 < o + i)",
                                        "f = f * 1",
                                        "p += a0 - a0",
                                        "g = g + i",
                                        "p = p + (1 - 2 * i) * big",
                                        "p = tl.where(i > 0, p, p + big)"};
    const char *p = pointer(m, "x", "f", "g"), *s;
    if (coin(m, 8)) return block_access(m, false);
    if (coin(m, 2)) return arena_printf(m->a, "    p = %s\n    v = %s\n", p, load(m, "p", "k"));
    s = arena_printf(m->a, "    p = tl.broadcast_to(%s, %s)\n    k = tl.broadcast_to(%s, %s)\n    v = %s\n",
                     p, shape_text(m, -1), "k", shape_text(m, -1), load(m, "p", "k & (q > 9)"));
    s = arena_printf(m->a, "%s    f = tl.broadcast_to(f, %s)\n    g = tl.broadcast_to(g, %s)\n", s,
                     shape_text(m, -1), shape_text(m, -1));
    s = arena_printf(m->a, "%s    for i in range(%s):\n", s, coin(m, 2) ? "2" : "q");
    for (int n = 1 + below(m, 3), at = below(m, n + 1), i = 0; i <= n; i++) {
        if (i == at) {
            s = arena_printf(m->a, "%s        v += %s\n", s, load(m, "p", "k"));
            continue;
        }
        const char *step = PICK(m, steps);
        s = coin(m, 5) ? arena_printf(m->a, "%s        if i > %s:\n            %s\n", s,
                                      coin(m, 2) ? "0" : "n", step)
                       : arena_printf(m->a, "%s        %s\n", s, step);
    }
    return s;
}

static const char *random_kernel(Maker *m) {
    choose_shape(m);
    const char *s =
        "@triton.jit\ndef kernel(x, y, w, q, n, o, s, t, u, one, big, huge, far, half):\n"
        "    pid = tl.program_id(0)\n    am = n\n    bm = o\n    maybe = tl.load(w + 2, mask=q > 1)\n";
    for (int k = 0; k < m->rank; k++) s = arena_printf(m->a, "%s    a%d = %s\n", s, k, axis_text(m, k));
    s = arena_printf(m->a, "%s    f = %s\n    g = %s\n", s, offsets(m), offsets(m));
    s = arena_printf(m->a, "%s    k = %s\n", s, mask(m));
    const char *load = middle(m), *end = ending(m);
    return arena_printf(m->a, "%s%s%s", s, load, end);
}

// ---- with and without

typedef struct {
    bool compiled, ok;
    char msg[400];
    Span at;
    uint8_t data[2][ELEMENTS * 8], shadow[2][ELEMENTS * 8];
    Counters count;
    int64_t left;
    int kept;
    uint8_t origin[ELEMENTS * 8];
    Trace trace;
} Outcome;

typedef enum { WATCHED, INPUT, OPEN, ROWS, KINDS } Kind; // of the tensor that is loaded

typedef struct {
    const char *kernel, *line;
    Kind kind;
    int programs;
    bool reversed, gaps, begun, origins, traced; // begun: the tensor that is stored to holds numbers
    uint64_t order;
    int period; // of the input's rows, in programs; 0: they do not repeat
} Run;

static void rows_of(Storage *x, size_t size) {
    x->read_only = true;
    x->writer = x->reader = NULL;
    x->shadow = NULL;
    x->rows_at = 2 * size;
    x->row_bytes = 15 * size;
    x->row_pitch = 16 * size;
    x->rows = (x->bytes - x->rows_at) / x->row_pitch;
}

static void give(Storage *x, Kind kind, bool gaps) {
    size_t size = (size_t)dtype_bytes(x->dtype);
    bool real = dtype_is_float(x->dtype);
    for (size_t i = 0; i < x->bytes / size; i++) {
        memset(x->data + i * size, 0, size);
        x->data[i * size + (real ? size - 1 : 0)] = (uint8_t)(i % 64);
    }
    memset(x->shadow, SHADOW_ALLOC | SHADOW_INIT, x->bytes);
    if (kind == ROWS) return rows_of(x, size);
    if (gaps) memset(x->shadow + 50 * size, SHADOW_ALLOC, size); // that nothing has written
    if (gaps) memset(x->shadow + 90 * size, SHADOW_INIT, size);  // a gap
    if (kind == WATCHED) return;
    x->read_only = true;
    x->writer = x->reader = NULL;
    x->open = kind == OPEN;
    if (x->open) x->shadow = NULL;
}

static void enlarge(LaunchText *l, int i, int64_t n) {
    l->storages.count = i; // they are the first arguments
    l->arg[i].tensor = launch_tensor(l, l->arg[i].tensor->dtype, n);
}

static void run_code(const Run *q, LaunchText *l, const Launchable *code, Arena *a, DiagList *d,
                     Outcome *out) {
    static Machine m;
    machine_init(&m, a, d, 1 << 20);
    m.storages = l->storages;
    m.order.reversed = q->reversed;
    m.order.seed = q->order;
    m.order.period = q->period;
    if (q->traced) m.watch.trace = &out->trace;
    give(m.storages.at[0], q->kind, q->gaps);
    give(m.storages.at[2], OPEN, false);
    for (int i = 0; i < 3 && q->origins; i++)
        memset(m.storages.at[i]->origin, 1 << i, m.storages.at[i]->bytes);
    Storage *y = m.storages.at[1];
    if (q->begun) give(y, WATCHED, false);
    if (q->gaps) memset(y->shadow + 77 * (size_t)dtype_bytes(y->dtype), 0, (size_t)dtype_bytes(y->dtype));
    const int64_t grid[3] = {q->programs, 1, 1};
    out->ok = true;
    for (int i = 0; i < LAUNCHES && out->ok; i++) out->ok = vm_launch(&m, code->code, code->cells, grid);
    for (int i = 0; i < 2; i++) {
        Storage *x = m.storages.at[i];
        storage_reach(x, 0, x->bytes);
        memcpy(out->data[i], x->data, x->bytes);
        if (x->shadow) memcpy(out->shadow[i], x->shadow, x->bytes);
    }
    if (y->origin) memcpy(out->origin, y->origin, y->bytes);
    out->count = m.count;
    out->left = m.steps_left;
}

static void run(const Run *q, bool with, Outcome *out) {
    memset(out, 0, sizeof *out);
    Arena a = {0};
    DiagList d = DIAGS(&a);
    LaunchText l;
    Launchable code;
    out->compiled = launch_text(&a, &d, str_of(q->kernel), str_of(q->line), &l);
    l.storages.origins = q->origins;
    for (int i = 0; out->compiled && i < 3; i++) enlarge(&l, i, i == 2 ? TABLE : ELEMENTS);
    out->compiled = out->compiled && launch_check(&l, NULL, &code);
    for (int r = 0; out->compiled && r < code.code->regs; r++) {
        Register *x = &code.code->reg[r];
        out->kept += x->form == FORM_AXES;
        if (!with && x->form == FORM_AXES) x->form = FORM_LANES;
    }
    if (out->compiled) run_code(q, &l, &code, &a, &d, out);
    if (diag_first(&d)) {
        snprintf(out->msg, sizeof out->msg, "%s", diag_first(&d)->msg);
        out->at = diag_first(&d)->span;
    }
    arena_free(&a);
}

static const char arguments[] = "%s %s *int32 %d %d %d %d %d %d 1 68719476736 4398046511104 274877906944 "
                                "4611686018427387904";

static void axes_change_nothing(void **state) {
    (void)state;
    static Outcome with, without;
    const char *seed = getenv("AXES_SEED"), *rounds = getenv("AXES_ROUNDS");
    int n = rounds ? atoi(rounds) : ROUNDS, compiled = 0, fine = 0, kept = 0, both = 0;
    Rng r = rng_at(seed ? strtoull(seed, NULL, 10) : 7, 9);
    for (int i = 0; i < n; i++) {
        static const char *const type[] = {"*fp32",  "*fp32",  "*fp32", "*int32", "*fp16",   "*int8",
                                           "*uint8", "*int64", "*fp64", "*bf16",  "*uint32", "*i1"};
        static const int strides[] = {0, 1, 1, 2, 4, 8, 16, 32, -1, 3};
        Arena a = {0};
        Maker m = {.a = &a, .r = &r};
        Run q = {.kernel = random_kernel(&m)};
        int of = below(&m, 12), to = coin(&m, 3) ? below(&m, 12) : of, at[3];
        for (int k = 0; k < 3; k++) at[k] = strides[below(&m, 10)];
        q.line = arena_printf(&a, arguments, type[of], type[to], 1 + below(&m, 4), 1 + below(&m, 5),
                              1 + below(&m, 9), at[0], at[1], at[2]);
        q.kind = (Kind)below(&m, coin(&m, 3) ? KINDS : ROWS);
        q.programs = coin(&m, 2) ? 1 : 1 + below(&m, 4);
        if (coin(&m, 6)) {
            q.period = 1 + below(&m, 2);
            q.programs = 3 * q.period + below(&m, 4);
        }
        q.reversed = coin(&m, 2);
        q.begun = coin(&m, 2);
        q.origins = coin(&m, 8);
        q.traced = coin(&m, 8);
        q.gaps = q.kind != OPEN && coin(&m, 4);
        q.order = coin(&m, 2) ? 5 : 0;
        run(&q, true, &with);
        run(&q, false, &without);
        compiled += with.compiled;
        kept += with.kept > 0;
        fine += with.ok;
        both += with.ok && with.kept > 0;
        if (!with.ok && getenv("AXES_SHOW")) printf("MSG %s\n", with.msg);
        if (memcmp(&with, &without, sizeof with) != 0)
            fail_msg("round %d, kind %d, %d programs: axes change the outcome: '%s' '%s'\n%s%s", i, q.kind,
                     q.programs, with.msg, without.msg, q.kernel, q.line);
        arena_free(&a);
    }
    if (rounds) printf("%d compiled, %d fine, %d kept, %d both\n", compiled, fine, kept, both);
    if (both < n / 10 || compiled < n / 2 || kept < n / 3)
        fail_msg("%d compiled, %d fine, %d kept, %d both", compiled, fine, kept, both);
}

// Kernels one by one, and what is found in each with and without.
typedef struct {
    const char *loaded, *stored, *mask; // pointers of tiles of 8 x 8 lanes
    const char *message;                // NULL: nothing is found
} Case;

static void cases_agree(const Case *c, int n, const char *type) {
    static Outcome with, without;
    for (int i = 0; i < n; i++) {
        Arena a = {0};
        Run q = {.programs = 1, .kind = WATCHED};
        q.line = arena_printf(&a, arguments, type, type, 2, 3, 3, 1, 1, 1);
        q.kernel = arena_printf(
            &a,
            "@triton.jit\ndef kernel(x, y, w, q, n, o, s, t, u, one, big, huge, far, half):\n"
            "    a = tl.arange(0, 8)[:, None]\n    b = tl.arange(0, 8)[None, :]\n"
            "    maybe = tl.load(w + 2, mask=q > 9)\n    maybe_not = tl.load(w + 2, mask=q < 9)\n"
            "    v = tl.load(%s, mask=%s, other=1)\n    tl.store(%s, v, mask=%s)\n",
            c[i].loaded, c[i].mask, c[i].stored, c[i].mask);
        run(&q, true, &with);
        run(&q, false, &without);
        if (memcmp(&with, &without, sizeof with) != 0)
            fail_msg("%d: axes change the outcome: '%s' '%s'\n%s", i, with.msg, without.msg, q.kernel);
        if (with.kept < 2) fail_msg("%d: %d registers by axes\n%s", i, with.kept, q.kernel);
        if (c[i].message ? !strstr(with.msg, c[i].message) : !with.ok)
            fail_msg("%d: '%s'\n%s", i, with.msg, q.kernel);
        arena_free(&a);
    }
}

// One number for all lanes may be undefined, too.
static void an_undefined_mask_is_found(void **state) {
    (void)state;
    static const Case c[] = {
        {"x + a * 64 + b * 2", "y + a * 64 + b * 2", "maybe < 3", "an undefined value reached a mask"},
        {"x + a * 64 + b * 2", "y + a * 64 + b * 2", "maybe_not < 3", NULL},
        {"x + a * 64 + b * 2", "y + a * 64 + b * 2", "(a < n) & (maybe < 3)",
         "an undefined value reached a mask"},
    };
    cases_agree(c, sizeof c / sizeof *c, "*fp32");
}

// Offsets whose sum is 0 only because 64 bits wrap lead nowhere.
static void far_addresses_lead_nowhere(void **state) {
    (void)state;
    static const Case c[] = {
        {"x + (a * half + b * half)", "y + a * 64 + b * 2", "(a < 2) & (b < 2)",
         "left the range of its tensor"},
        {"x + (a * 64 + b * 2)", "y + (a * half + b * half * 2)", "(a < n) & (b < n)",
         "left the range of its tensor"},
        {"x + (a * 64 + b * half * 4)", "y + a * 64 + b * 2", "(a < n) & (b < n)", NULL},
        {"x + (a * 64 + b * half) - b * half", "y + a * 64 + b * 2", "(a < n) & (b < n)",
         "left the range of its tensor"},
        // Lanes of one tensor get into another, which other lanes are in.
        {"tl.where(b < 1, x, y) + a * 64 - tl.where(b < 1, 0, big * 3) - tl.where(b < 1, 0, big * 3) - "
         "tl.where(b < 1, 0, big * 2)",
         "y + a * 64 + b * 2", "(a < n) & (b < n)", "left the range of its tensor"},
        {"tl.where(b < 8, x, y) + a * 64 - tl.where(b < 1, 0, big * 3) + tl.where(b < 1, 0, big * 3)",
         "y + a * 64 + b * 2", "(a < n) & (b < n)", NULL},
    };
    cases_agree(c, sizeof c / sizeof *c, "*fp64");
}

// Of one number of lanes in two shapes that differ by axes of one place either both are kept, or neither is.
// Else they need a place each where others have one, and what a kernel needs of registers is told to people.
static void another_shape_is_kept_too(void **state) {
    (void)state;
    Arena a = {0};
    DiagList d = DIAGS(&a);
    LaunchText l;
    Launchable code;
    const char *kernel =
        "@triton.jit\ndef kernel(x, y, n):\n    a = tl.arange(0, 8)[None, :, None]\n"
        "    b = tl.arange(0, 8)[None, None, :]\n    p = tl.reshape(x + (a * 8 + b), [8, 8])\n"
        "    tl.store(y + tl.arange(0, 64), tl.reshape(tl.load(p), [64]))\n";
    assert_true(launch_text(&a, &d, str_of(kernel), str_of("*fp32 *fp32 3"), &l) &&
                launch_check(&l, NULL, &code));
    int moves = 0;
    for (int i = 0; i < code.code->insns; i++) {
        const Insn *s = &code.code->insn[i];
        if (s->op != INSN_RESHAPE || !code.code->reg[s->d].type.pointer) continue;
        const Register *to = &code.code->reg[s->d], *from = &code.code->reg[s->a];
        assert_true(to->form == FORM_AXES && from->form == FORM_AXES && to->offset == from->offset);
        moves++;
    }
    assert_int_equal(moves, 1);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_change_nothing),
        cmocka_unit_test(an_undefined_mask_is_found),
        cmocka_unit_test(far_addresses_lead_nowhere),
        cmocka_unit_test(another_shape_is_kept_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
