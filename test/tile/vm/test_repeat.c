// Programs that are copied instead of run (repeat.c) change nothing but the time: random kernels over rows
// that repeat run with and without it and must agree in bytes, shadows, findings and counters. What depends
// on a program's number in any other way than a place does is met by kernels that say so.
#include "tile/launch.h"

#include <stdio.h>

#include "base/numeric/rng.h"

enum {
    PERIOD = 7,
    PROGRAMS = 64,
    WIDE = 12,
    ROWS = 6 * PROGRAMS + 2,
    ELEMENTS = ROWS * WIDE,
    ROUNDS = 3000,
    ROUNDS_OF_NUMBERS = 3000
};

static const char *pick(Rng *r, const char *const *list, int n) { return list[rng_below(r, (uint64_t)n)]; }
#define PICK(r, list) pick((r), (list), (int)(sizeof(list) / sizeof *(list)))

// x and y: rows that repeat; l: a number below WIDE for each row; z: where answers go, w: another tensor.
static const char *random_kernel(Arena *a, Rng *r) {
    static const char *const rows[] = {"i",      "i",
                                       "i",      "i",
                                       "i * 2",  "i + 3",
                                       "n - i",  "i // 2",
                                       "i % 50", "tl.minimum(i, q + 40)",
                                       "i * p",  "(i + q).to(tl.int64)",
                                       "i ^ 1",  "tl.where(i > 30, i - 1, i)",
                                       "63 - i", "q"};
    static const char *const masks[] = {"c < 12",
                                        "c < 12",
                                        "c < 12",
                                        "(c < 12) & (row < n)",
                                        "row * 12 + c < n * 12",
                                        "c < p + 8",
                                        "(c < 12) & (i < 40)",
                                        "(c < 12) & (i != 41)",
                                        "c < tl.minimum(i, 12)",
                                        "c + i < 60",
                                        "(c < 12) & (v0 > 0)"};
    static const char *const values[] = {"v",
                                         "v * 2.0",
                                         "v + tl.sum(tl.where(m, v, 0.0))",
                                         "tl.where(i == 45, v, -v)",
                                         "tl.where(i > 33, v, -v)",
                                         "v + i",
                                         "v * (i < 200)",
                                         "v + k",
                                         "tl.load(x + row * 12 + k)",
                                         "v + tl.load(x + k)",
                                         "tl.load(y + c, mask=c < 12, other=0.0) * v",
                                         "tl.exp(v - tl.max(v))",
                                         "v + (i & 1)",
                                         "v + tl.load(w + c)"};
    static const char *const stores[] = {"z + row * 12 + c",     "z + row * 12 + c",
                                         "z + row * 12 + c",     "z + i * 12 + c",
                                         "z + i * 12 + 11 - c",  "z + c + k * 12",
                                         "z + i * 11 + c",       "z + i * 24 + 2 * c",
                                         "z + (i - 1) * 12 + c", "z + c"};
    static const char *const more[] = {
        "",
        "",
        "",
        "    if i > 50:\n        u = u + 1.0\n",
        "    if v0 > 2:\n        u = u + 1.0\n",
        "    for j in range(0, 3):\n        u = u + tl.load(x + row * 12 + j)\n",
        "    for j in range(i, 100, 64):\n        u = u + 1.0\n",
        "    for j in range(0, k):\n        u = u * 0.5\n",
        "    if i * 48 > q * 400:\n        u = u * 0.5\n",
        "    tl.store(w + i, tl.sum(v))\n",
        "    tl.store(w + 16 + i, i)\n",
        "    tl.store(w + 16 + (i * 131072 * p) % 64, 1.0)\n",
        "    u = u + tl.load(z + i * 12 + c, mask=c < 12, other=0.0)\n"};
    return arena_printf(a,
                        "@triton.jit\ndef f(x, y, z, w, l, p, q, n, B: tl.constexpr):\n"
                        "    i = tl.program_id(%s)\n    c = tl.arange(0, B)\n    row = %s\n"
                        "    k = tl.load(l + row)\n    v0 = tl.load(x + row * 12)\n    m = %s\n"
                        "    v = tl.load(x + row * 12 + c, mask=m%s)\n    u = %s\n%s"
                        "    tl.store(%s, u, mask=%s)\n|%s",
                        rng_below(r, 3) ? "0" : "1", PICK(r, rows), PICK(r, masks),
                        rng_below(r, 6) ? ", other=0.0" : "", PICK(r, values), PICK(r, more), PICK(r, stores),
                        rng_below(r, 3) ? "c < 12" : "m", rng_below(r, 2) ? "16" : "256");
}

// A number made of the program's, of constants near the ends of types, and (more) in ways that prove nothing.
static const char *number(Arena *a, Rng *r, int depth, bool more) {
    static const char *const leaves[] = {"i",   "i",          "i",    "i",           "i",     "i",
                                         "i",   "j",          "3",    "12",          "30",    "0",
                                         "q0",  "n0",         "i31",  "i31 - 35",    "i63",   "(i63 - 35)",
                                         "u32", "(u32 - 35)", "half", "(half - 45)", "32740", "255"};
    static const char *const others[] = {"k",        "(i // 2)",          "(i ^ 1)",
                                         "(i % 50)", "tl.minimum(i, 40)", "(i >> 1)"};
    static const char *const factors[] = {"3",  "65536", "67108864", "half", "i60",
                                          "q0", "n0",    "(0 - q0)", "j"};
    static const char *const types[] = {"int64", "uint64", "int32", "uint32", "int16", "uint8"};
    static const char *const orders[] = {"<", "<=", ">", ">=", "==", "!="};
    if (depth == 0) return more && rng_below(r, 4) == 0 ? PICK(r, others) : PICK(r, leaves);
    const char *x = number(a, r, depth - 1, more);
    switch (rng_below(r, 8)) {
    case 0:
    case 1: return arena_printf(a, "(%s + %s)", x, number(a, r, depth - 1, more));
    case 2: return arena_printf(a, "(%s - %s)", x, number(a, r, depth - 1, more));
    case 3:
    case 4: return arena_printf(a, "(%s * %s)", x, PICK(r, factors));
    case 5:
    case 6: return arena_printf(a, "(q0 * 0 + %s).to(tl.%s)", x, pick(r, types, more ? 6 : 4));
    default:
        return arena_printf(a, "tl.where(%s %s %s, i, i + 5)", x, PICK(r, orders),
                            number(a, r, depth - 1, more));
    }
}

// What two such numbers have to do with each other decides something, on a grid with any long axis.
static const char *kernel_of_numbers(Arena *a, Rng *r, int axis) {
    static const char *const rows[] = {"i + 64 * j",
                                       "i + 64 * j",
                                       "i + 64 * j",
                                       "63 - i",
                                       "i * 2",
                                       "(e1 - e1) + i",
                                       "tl.where(e1 < e2, i, i + 1)"};
    static const char *const values[] = {"tl.where(e1 < e2, v, -v)",
                                         "tl.where(e1 <= e2, v, -v)",
                                         "tl.where(e1 == e2, v, -v)",
                                         "tl.where(c < e1, v, -v)",
                                         "v + k",
                                         "v + tl.load(y + row * 12 + k)"};
    static const char *const more[] = {
        "",
        "",
        "    if e1 >= e2:\n        u = u + 1.0\n",
        "    t = e1\n    s = 0\n    while t < e2 and s < 9:\n        t = t + 20\n        s += 1\n    u = u + "
        "s\n",
        "    for t in range(e1, e2, 40):\n        u = u * 0.5\n",
        "    u = u + tl.load(y + i * 12 + k64 + e63 + k64 - e63)\n",
        "    u = u + tl.load(y + i * 12 + e38 + e38 + e38 + e38 - e38 - e38 - e38 - e38)\n",
        "    u = u + tl.load(y + ((c.to(tl.int64) + (e63 + i * 12)) - e63))\n",
        "    u = u + tl.load(x + (i.to(tl.int64) + o38) * 12 - o38 * 12)\n",
        "    u = u + tl.load(x - o38 + (i.to(tl.int64) * 12 + o38))\n",
        "    b = tl.make_block_ptr(x, (n, 12), (12, 1), (i * 2, 0), (2, B), (1, 0))\n"
        "    b = tl.advance(b, (q, 0))\n"
        "    u = u + tl.sum(tl.load(b, boundary_check=(0, 1), padding_option='zero'), 0)\n",
        "    b = tl.make_tensor_descriptor(x, [n, 12], [12, 1], [2, B])\n"
        "    u = u + tl.sum(b.load([i * 2, 0]), 0)\n",
        "    tl.store(w + i, tl.sum(u), mask=e1 != e2)\n",
        "    u = u + tl.load(z + 12 * (i + 64 * j) + c, mask=c < 12, other=0.0)\n"};
    static const char *const masks[] = {
        "m", "m", "m", "m", "m & (e1 < e2)", "m & (e1 != e2)", "c + e1 < 12 + e1"};
    int others[2] = {axis == 0, axis == 2 ? 1 : 2};
    bool odd = rng_below(r, 4) == 0;
    return arena_printf(
        a,
        "@triton.jit\ndef f(x, y, z, w, l, p, q, n, B: tl.constexpr):\n"
        "    i = tl.program_id(%d)\n    j = tl.program_id(%d) + tl.num_programs(%d) * tl.program_id(%d)\n"
        "    c = tl.arange(0, B)\n    m = c < 12\n    k = tl.load(l + i)\n    k64 = k.to(tl.int64)\n"
        "    q0 = i * 0 + q\n    n0 = i * 0 + n\n    i31 = q0 * 0 + 2147483647\n"
        "    u32 = tl.full((), 4294967295, tl.uint32)\n    half = tl.full((), 1, tl.uint64) << 63\n"
        "    i63 = tl.full((), 9223372036854775807, tl.int64)\n    i60 = tl.full((), 1, tl.int64) << 60\n"
        "    e63 = tl.where(k == %d, i63 - 500, k64)\n    e38 = tl.where(k == %d, 137438953397 + k64, 0)\n"
        "    o38 = tl.full((), 274877906900, tl.int64) - q * 70\n"
        "    e1 = %s\n    e2 = %s\n    row = %s\n    v = tl.load(x + row * 12 + c, mask=m, other=0.0)\n"
        "    u = %s\n%s    tl.store(z + (i + 64 * j) * 12 + c, u, mask=%s)\n",
        axis, others[0], others[0], others[1], (int)rng_below(r, WIDE), (int)rng_below(r, WIDE),
        number(a, r, (int)rng_below(r, 4), odd), number(a, r, (int)rng_below(r, 4), odd), PICK(r, rows),
        PICK(r, values), PICK(r, more), PICK(r, masks));
}

typedef struct {
    bool ok;
    char msg[256];
    uint8_t data[2][ELEMENTS * 4], shadow[2][ELEMENTS * 4], taken[1024];
    Counters count;
} Outcome;

// launch.h makes tensors of 64 elements.
static void enlarge(Arena *a, Storage *s) {
    s->bytes = ELEMENTS * 4;
    s->data = arena_raw(a, s->bytes, 64);
    s->shadow = arena_raw(a, s->bytes, 64);
    s->writer = NEWN(a, uint32_t, ELEMENTS + 1);
    s->reader = NEWN(a, uint32_t, ELEMENTS + 1);
}

typedef struct {
    int64_t grid[3], spoilt;
    int launches; // each loads what the one before has stored
    bool filled;  // memory is not uninitialised
    bool pending; // what repeats itself comes when somebody looks, and so does what is new
} Setting;
static const Setting rows_apart = {.grid = {PROGRAMS, 1, 1}, .spoilt = -1, .launches = 1};

static void hold_back(Storage *s, size_t from, size_t period) {
    size_t bytes = s->bytes - from;
    memset(s->data + from, 0xcc, bytes); // whoever looks too early shall notice
    if (s->shadow) memset(s->shadow + from, 0, bytes);
    if (s->writer) memset(s->writer + from / 4, 0xff, bytes);
    s->gap_from = from;
    s->gap_to = s->bytes;
    if (!period) return;
    s->period = period;
    s->copied = s->steady_to = s->bytes;
}

static void put(Storage *s, int k, int64_t i, int value) {
    if (k == 4)
        ((int32_t *)(void *)s->data)[i] = value;
    else
        ((float *)(void *)s->data)[i] = (float)value - 4;
}

// Elements 0 and 1 of rows tell rows apart; `spoilt`: one row is like no other. Else they repeat: what has
// been computed is copied, in a fifth of the time.
static void fill_input(Storage *s, int k, int64_t spoilt) {
    enum { BYTES = ELEMENTS * 4 };
    int wide = k == 4 ? 1 : WIDE;
    for (int i = 0; i < PERIOD * wide; i++) put(s, k, i, (i / wide * 31 + i % wide * 7 + k) % WIDE);
    for (size_t done = (size_t)(PERIOD * wide) * 4; done < BYTES; done *= 2)
        memcpy(s->data + done, s->data, done < BYTES - done ? done : BYTES - done);
    for (int i = 0; spoilt >= 0 && spoilt < ELEMENTS / wide && i < wide; i++) put(s, k, spoilt * wide + i, 5);
}

static void fill(Arena *a, StorageTable *t, const Setting *how) {
    int64_t spoilt = how->spoilt;
    for (int k = 0; k < 5; k++) {
        Storage *s = t->at[k];
        bool input = k < 2 || k == 4;
        enlarge(a, s);
        if (input) fill_input(s, k, spoilt);
        if (!input) memset(s->data, 0xff, s->bytes);
        memset(s->shadow, input ? SHADOW_ALLOC | SHADOW_INIT : SHADOW_ALLOC, s->bytes);
        if (k == 3) memset(s->shadow, SHADOW_ALLOC | SHADOW_INIT, 64);
        s->read_only = input;
        if (input) s->writer = s->reader = NULL;
        if (!how->pending || (input && spoilt >= 0) || (!input && how->filled)) continue;
        size_t period = PERIOD * 4 * (k == 4 ? 1 : WIDE);
        s->open = input;
        if (input) s->shadow = NULL;
        hold_back(s, input ? period : k == 3 ? 64 : 0, input ? period : 0);
    }
}

static bool launch(Machine *m, const Launchable *code, const Setting *s) {
    int64_t cells[16];
    memcpy(cells, code->cells, (size_t)code->code->cells * sizeof *cells);
    for (int k = 0; k < s->launches; k++) {
        if (!vm_launch(m, code->code, cells, s->grid)) return false;
        cells[0] = cells[2];
        cells[2] = cells[3];
    }
    return true;
}

static int still_held_back; // answers of which somebody had to look at the rest, at the end
static bool run(const char *kernel, const char *line, int64_t period, const Setting *s, Outcome *out,
                int64_t *repeated) {
    memset(out, 0, sizeof *out);
    Arena a = {0};
    DiagList d = DIAGS(&a);
    LaunchText l;
    Launchable code;
    bool compiled = launch_text(&a, &d, str_of(kernel), str_of(line), &l) && launch_check(&l, NULL, &code);
    if (compiled) {
        Machine m;
        machine_init(&m, &a, &d, 1 << 24);
        m.storages = l.storages;
        m.order.period = period;
        fill(&a, &m.storages, s);
        for (int k = 2; s->filled && k < 4; k++)
            memset(m.storages.at[k]->shadow, SHADOW_ALLOC | SHADOW_INIT, ELEMENTS * 4);
        out->ok = launch(&m, &code, s);
        for (int k = 0; k < 2; k++) {
            Storage *of = m.storages.at[k + 2];
            still_held_back += out->ok && of->gap_to > 0 && of->copied > of->gap_from;
            storage_reach(of, 0, of->bytes);
            memcpy(out->data[k], m.storages.at[k + 2]->data, sizeof out->data[k]);
            memcpy(out->shadow[k], m.storages.at[k + 2]->shadow, sizeof out->shadow[k]);
        }
        out->count = m.count;
        assert_true((size_t)code.code->insns <= sizeof out->taken);
        memcpy(out->taken, code.code->taken, (size_t)code.code->insns);
        // Where rows begin within a sector is not the same in all of them; and a copy is cheaper.
        out->count.bytes_loaded = out->count.bytes_stored = out->count.lanes = 0;
        *repeated = m.order.repeated;
    }
    if (diag_first(&d)) snprintf(out->msg, sizeof out->msg, "%s", diag_first(&d)->msg);
    // Until then other programs may have run.
    if (!out->ok) {
        memset(out->data, 0, sizeof out->data);
        memset(out->shadow, 0, sizeof out->shadow);
        memset(out->taken, 0, sizeof out->taken);
        out->count = (Counters){0};
    }
    arena_free(&a);
    return compiled;
}

static void copies_change_nothing(void **state) {
    (void)state;
    static Outcome with, without;
    int fine = 0, found = 0, copied = 0, copied_wrong = 0;
    Rng r = rng_at(11, 4);
    for (int i = 0; i < ROUNDS; i++) {
        Arena a = {0};
        char *kernel = arena_printf(&a, "%s", random_kernel(&a, &r));
        char *block = strrchr(kernel, '|');
        *block++ = 0;
        long long p = rng_between(&r, 0, 3), q = rng_between(&r, 0, 12), n = rng_between(&r, 20, 90);
        const char *line =
            arena_printf(&a, "*fp32 *fp32 *fp32 *fp32 *i32 %lld %lld %lld B=%s", p, q, n, block);
        int64_t spoilt = rng_below(&r, 3) ? -1 : rng_between(&r, 0, PROGRAMS - 1), repeated = 0, none = 0;
        bool tall = strstr(kernel, "program_id(1)") != NULL;
        Setting s = {{tall ? 2 : PROGRAMS, tall ? PROGRAMS : 1, 1}, spoilt, 1, false, i % 2 == 1};
        bool compiled = run(kernel, line, PERIOD, &s, &with, &repeated);
        s.pending = false;
        if (compiled != run(kernel, line, 0, &s, &without, &none)) fail_msg("%s%s", kernel, line);
        assert_int_equal(none, 0);
        fine += with.ok;
        found += compiled && !with.ok;
        copied += repeated > 0;
        copied_wrong += repeated > 0 && !with.ok;
        bool same_finding = !with.ok && !without.ok && tall; // families take turns
        if (!same_finding && memcmp(&with, &without, sizeof with))
            fail_msg("round %d: programs that are copied change the outcome: '%s' '%s'\n%s%s", i, with.msg,
                     without.msg, kernel, line);
        arena_free(&a);
    }
    if (!(fine > ROUNDS / 5 && found > ROUNDS / 20 && copied > ROUNDS / 20 && copied_wrong > 5 &&
          still_held_back > 8))
        fail_msg("%d fine, %d found, %d copied, %d of them wrong, %d held back", fine, found, copied,
                 copied_wrong, still_held_back);
}

static void numbers_change_nothing(void **state) {
    (void)state;
    static Outcome with, without;
    static const Setting settings[] = {{{64, 1, 1}, -1, 1, true, false},  {{64, 1, 1}, -1, 2, true, false},
                                       {{64, 1, 1}, 40, 1, false, false}, {{2, 64, 1}, -1, 1, true, false},
                                       {{64, 2, 3}, -1, 1, false, false}, {{1, 3, 64}, -1, 2, true, false},
                                       {{64, 1, 1}, -1, 1, false, false}, {{64, 1, 1}, -1, 2, false, false},
                                       {{2, 64, 1}, -1, 2, false, false}};
    static const int64_t periods[] = {PERIOD, PERIOD, 2 * PERIOD, 3 * PERIOD, 5};
    int fine = 0, found = 0, copied = 0, copied_wrong = 0;
    still_held_back = 0;
    Rng r = rng_at(12, 4);
    for (int i = 0; i < ROUNDS_OF_NUMBERS; i++) {
        Arena a = {0};
        Setting of = settings[rng_below(&r, sizeof settings / sizeof *settings)], *s = &of;
        of.pending = i % 2 == 1;
        const char *kernel = kernel_of_numbers(&a, &r, s->grid[0] == 64 ? 0 : s->grid[1] == 64 ? 1 : 2);
        int64_t period = periods[rng_below(&r, 5)], repeated = 0, none = 0;
        const char *line =
            arena_printf(&a, "*fp32 *fp32 *fp32 *fp32 *i32 2 %d %d B=%s", (int)rng_between(&r, 2, 12),
                         (int)rng_between(&r, 20, 140), rng_below(&r, 4) ? "16" : "256");
        bool compiled = run(kernel, line, period, s, &with, &repeated);
        of.pending = false;
        if (compiled != run(kernel, line, 0, s, &without, &none)) fail_msg("%s%s", kernel, line);
        fine += with.ok;
        found += compiled && !with.ok;
        copied += repeated > 0;
        copied_wrong += repeated > 0 && !with.ok;
        bool families = s->grid[0] * s->grid[1] * s->grid[2] > 64;
        bool either = (!with.ok && !without.ok && families) || strstr(without.msg, "budget");
        if (!either && memcmp(&with, &without, sizeof with))
            fail_msg("round %d: programs that are copied change the outcome: '%s' '%s'\n%s%s", i, with.msg,
                     without.msg, kernel, line);
        arena_free(&a);
    }
    if (!(fine > ROUNDS_OF_NUMBERS / 5 && found > ROUNDS_OF_NUMBERS / 20 && copied > ROUNDS_OF_NUMBERS / 10 &&
          copied_wrong > 20 && still_held_back > 30))
        fail_msg("%d fine, %d found, %d copied, %d of them wrong, %d held back", fine, found, copied,
                 copied_wrong, still_held_back);
}

static const char *program_of(Arena *a, const char *body) {
    return arena_printf(a,
                        "@triton.jit\ndef f(x, y, z, w, l, p, q, n, B: tl.constexpr):\n"
                        "    i = tl.program_id(0)\n    c = tl.arange(0, B)\n    m = c < 12\n%s",
                        body);
}
static const char some_arguments[] = "*fp32 *fp32 *fp32 *fp32 *i32 2 3 64 B=16";

// `apart`: how far what the kernel calls E is from where it would be met by a program.
static int64_t same_outcome(const char *body, const char *apart) {
    static Outcome with, without;
    Arena a = {0};
    int64_t repeated = 0, none = 0;
    const char *kernel = program_of(&a, arena_printf(&a, "    E: tl.constexpr = %s\n%s", apart, body));
    bool compiled = run(kernel, some_arguments, PERIOD, &rows_apart, &with, &repeated) &&
                    run(kernel, some_arguments, 0, &rows_apart, &without, &none);
    if (!compiled || memcmp(&with, &without, sizeof with) != 0)
        fail_msg("'%s' '%s' %s", with.msg, without.msg, kernel);
    arena_free(&a);
    return repeated;
}

// What types, offsets and addresses cannot hold, met by a program behind those that were looked at.
static void ends_are_met(void **state) {
    (void)state;
#define HALF "    h = tl.full((), 1, tl.uint64) << 63\n    u = i.to(tl.uint64) + (h - 30 - E)\n    s = 0.0\n"
    static const char *const body[] = {
        // From 2^63 on.
        HALF "    tl.store(z + i, tl.where(u < h, 1.0, 2.0))\n",
        HALF "    while u < h:\n        u += 400\n        s += 1.0\n    tl.store(z + i, s)\n",
        HALF "    for j in range(u, h, 400):\n        s += 1.0\n    tl.store(z + i, s)\n",
        // An offset of 2^38 elements leads nowhere.
        "    o = i.to(tl.int64) + (274877906924 - E)\n    tl.store(z - (274877906924 - E) + o, 1.0)\n",
        // A sum that wraps, and comes back; in one dimension, and two.
        "    k = 9223372036854775500 - E + 0 * tl.load(l + i).to(tl.int64)\n"
        "    o = c.to(tl.int64) + (k + i * 12) - k\n    tl.store(z + i * 16 + c, tl.load(x + o))\n",
        "    k = 9223372036854775500 - E + 0 * tl.load(l + i).to(tl.int64)\n"
        "    o = (c[:, None] // 8).to(tl.int64) + (c[None, :].to(tl.int64) + (k + i * 12)) - k\n"
        "    tl.store(z + i * 16 + c, tl.max(tl.load(x + o), 0))\n",
        // An address that leaves the range of its tensor, and comes back.
        "    k = 137438953397 - E + 0 * tl.load(l + i).to(tl.int64)\n"
        "    tl.store(z + i, tl.load(x + i * 12 + k + k + k + k - k - k - k - k))\n",
        // The same in one program of the block alone, which is not the first.
        "    k = 137438953397 - E + 0 * tl.load(l + i).to(tl.int64)\n    f = tl.load(l + i)\n"
        "    k = tl.where(f == tl.load(l + 3), k, 0)\n"
        "    tl.store(z + i, tl.load(x + i * 12 + k + k + k + k - k - k - k - k))\n"};
    for (size_t k = 0; k < sizeof body / sizeof *body; k++) {
        (void)same_outcome(body[k], "0");
        int64_t repeated = same_outcome(body[k], "1000");
        if (repeated != PROGRAMS - PERIOD) fail_msg("copied %lld: %s", (long long)repeated, body[k]);
    }
}

static int64_t copied(const char *body) {
    static Outcome out;
    Arena a = {0};
    int64_t repeated = 0;
    assert_true(run(program_of(&a, body), some_arguments, PERIOD, &rows_apart, &out, &repeated));
    if (!out.ok) fail_msg("%s", out.msg);
    arena_free(&a);
    return repeated;
}

static void a_program_for_each_row_is_copied(void **state) {
    (void)state;
    assert_int_equal(copied("    v = tl.load(x + i * 12 + c, mask=m, other=0.0)\n"
                            "    tl.store(z + i * 12 + c, v / tl.sum(v), mask=m)\n"),
                     PROGRAMS - PERIOD);
    // Two rows each; a bound on rows ends it where it cuts rows off.
    assert_int_equal(copied("    r = i * 2 + tl.arange(0, 2)\n    t = r[:, None] * 12 + c[None, :]\n"
                            "    k = m[None, :] & (r[:, None] < n + 64)\n"
                            "    tl.store(z + t, tl.load(x + t, mask=k, other=0.0), mask=k)\n"),
                     PROGRAMS - PERIOD);
    assert_int_equal(
        copied("    k = m & (i < n - 20)\n"
               "    tl.store(z + i * 12 + c, tl.load(x + i * 12 + c, mask=k, other=0.0), mask=k)\n"),
        PROGRAMS - 20 - PERIOD);
    // What is loaded says where to look.
    assert_int_equal(copied("    k = tl.load(l + i)\n    tl.store(z + i, tl.load(x + i * 12 + k))\n"),
                     PROGRAMS - PERIOD);
}

static void one_that_is_special_is_not(void **state) {
    (void)state;
    // Up to it all is proved, not beyond.
    assert_int_equal(copied("    v = tl.load(x + i * 12 + c, mask=m, other=0.0)\n"
                            "    tl.store(z + i * 12 + c, tl.where(i == 30, v, -v), mask=m)\n"),
                     30 - PERIOD);
    static const char *const none[] = {
        "    tl.store(z + i, i)\n",
        "    tl.store(z + i, tl.load(x + i * 12) * i.to(tl.float32))\n",
        "    tl.store(z + i, tl.load(x + i % 40))\n",
        "    tl.store(z + (i ^ 1), 1.0)\n",
        "    if tl.load(x + i * 12) > 1:\n        tl.store(z + i, 1.0)\n",
        "    tl.store(z + i, 1.0, mask=tl.load(x + i * 12) > 1)\n",
        "    tl.store(z + i, tl.load(x + i * 12))\n    tl.store(w + 64 + i, tl.load(z + i))\n",
        "    tl.atomic_add(z + i, 1.0, mask=i < 0)\n"};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        if (copied(none[k])) fail_msg("copied: %s", none[k]);
}

// Of teams far apart the last may come from the end of a storage, and leave a gap before it: what is stored
// there comes, too, and is not new when somebody looks later.
static void teams_between_both_ends_are_there(void **state) {
    (void)state;
    static Outcome out;
    Arena a = {0};
    const char *kernel = program_of(&a, "    v = tl.load(x + i * 12 + c, mask=m, other=0.0)\n"
                                        "    tl.store(z + i * 72 + c, v, mask=m)\n");
    for (int pending = 0; pending < 2; pending++) {
        const Setting s = {.grid = {PROGRAMS, 1, 1}, .spoilt = -1, .launches = 1, .pending = pending};
        int64_t repeated = 0;
        assert_true(run(kernel, some_arguments, 3 * PERIOD, &s, &out, &repeated));
        if (!out.ok) fail_msg("%s", out.msg);
        assert_int_equal(repeated, PROGRAMS - 3 * PERIOD);
        for (int i = 0; i < PROGRAMS; i++)
            for (int b = 0; b < WIDE * 4; b++)
                assert_int_equal(out.shadow[0][i * 72 * 4 + b], SHADOW_WRITTEN);
    }
    arena_free(&a);
}

// The budget of a launch that is too much work as long as every program runs.
static void a_copy_costs_its_bytes(void **state) {
    (void)state;
    Arena a = {0};
    DiagList d = DIAGS(&a);
    LaunchText l;
    Launchable code;
    static const char kernel[] = "@triton.jit\ndef f(x, y, z, w, l, p, q, n, B: tl.constexpr):\n"
                                 "    i = tl.program_id(0)\n    c = tl.arange(0, B)\n"
                                 "    v = tl.load(x + i * 12 + c, mask=c < 12, other=0.0)\n"
                                 "    tl.store(z + i * 12 + c, tl.exp(v), mask=c < 12)\n";
    assert_true(launch_text(&a, &d, STR(kernel), STR("*fp32 *fp32 *fp32 *fp32 *i32 1 2 3 B=4096"), &l) &&
                launch_check(&l, NULL, &code));
    const int64_t grid[3] = {PROGRAMS, 1, 1};
    for (int with = 0; with < 2; with++) {
        Machine m;
        machine_init(&m, &a, &d, (int64_t)PROGRAMS * 4096 * 3);
        m.storages = l.storages;
        m.order.period = with ? PERIOD : 0;
        fill(&a, &m.storages, &rows_apart);
        assert_int_equal(vm_launch(&m, code.code, code.cells, grid), with);
        assert_int_equal(m.order.repeated, with ? PROGRAMS - PERIOD : 0);
    }
    assert_int_equal(diag_first(&d)->kind, DIAG_BUDGET);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_change_nothing),
        cmocka_unit_test(numbers_change_nothing),
        cmocka_unit_test(ends_are_met),
        cmocka_unit_test(a_program_for_each_row_is_copied),
        cmocka_unit_test(one_that_is_special_is_not),
        cmocka_unit_test(teams_between_both_ends_are_there),
        cmocka_unit_test(a_copy_costs_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
