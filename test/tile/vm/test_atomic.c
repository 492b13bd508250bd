// Atomics: old values, masks, order, shadow and races, in kernels of several programs.
#include "tile/run.h"

// An output that the host has filled with one value, as torch.zeros does.
static const Tensor *filled(Run *r, DType t, int64_t n, double value) {
    const Tensor *x = output(r, t, n);
    for (int64_t i = 0; i < n; i++) dtype_store(t, x->storage->data + i * dtype_bytes(t), value);
    tensor_expose(x, SHADOW_ALLOC | SHADOW_INIT);
    return x;
}

static void test_sum_over_programs(void **state) {
    (void)state;
    static const char source[] = "@triton.jit\n"
                                 "def k(x, y, N, BLOCK: tl.constexpr):\n"
                                 "    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                                 "    v = tl.load(x + cols, mask=cols < N, other=0.0).to(tl.float32)\n"
                                 "    tl.atomic_add(y, tl.sum(v))\n"
                                 "    tl.atomic_max(y + 1, tl.max(v))\n"
                                 "    tl.atomic_min(y + 2, tl.min(v))\n";
    for (uint64_t seed = 0; seed < 3; seed++) {
        Run r;
        run_begin(&r);
        r.machine.order.seed = seed;
        const float *x = input(&r, DT_F32, 100, 5);
        const Tensor *y = filled(&r, DT_F32, 3, 0);
        number(&r, 100);
        named(&r, "BLOCK", 16);
        run_ok(&r, source, 7);
        double sum = 0, top = 0, low = 0;
        for (int i = 0; i < 100; i++) {
            sum += x[i];
            top = fmax(top, x[i]);
            low = fmin(low, x[i]);
        }
        near(y, 0, sum, 1e-5);
        near(y, 1, top, 0);
        near(y, 2, low, 0);
        assert_int_equal(r.machine.race.atomic_launches, 1);
        run_end(&r);
    }
}

// Each lane in its turn: all to one place, old values in lane order, half sums round each time.
static void test_lanes(void **state) {
    (void)state;
    Run r;
    run_begin(&r);
    const Tensor *y = filled(&r, DT_I32, 8, 0), *old = output(&r, DT_I32, 8),
                 *h = filled(&r, DT_F16, 1, 2048);
    run_ok(&r,
           "@triton.jit\ndef k(y, old, h):\n"
           "    o = tl.arange(0, 8)\n"
           "    tl.store(old + o, tl.atomic_add(y + o * 0, o))\n"
           "    tl.atomic_add(y + o, 100, mask=o >= 6)\n"
           "    tl.atomic_add(h + o * 0, 1.0)\n",
           1);
    for (int i = 0, sum = 0; i < 8; sum += i++) near(old, i, sum, 0);
    near(y, 0, 28, 0);
    near(y, 7, 100, 0);
    assert_int_equal(at(y, 5), 0);
    assert_false(y->storage->shadow[20] & SHADOW_STORED); // a masked lane touches nothing
    near(h, 0, 2048, 0);                                  // 2049 is no float16, and ties go to even
    run_end(&r);
}

static void test_operations(void **state) {
    (void)state;
    static const struct {
        const char *call;
        int64_t first, last;
    } c[] = {{"tl.atomic_add(y, n)", 12, 17},
             {"tl.atomic_max(y, n)", 12, 12},
             {"tl.atomic_min(y, n)", 12, 5},
             {"tl.atomic_and(y, n)", 12, 4},
             {"tl.atomic_or(y, n)", 12, 13},
             {"tl.atomic_xor(y, n)", 12, 9},
             {"tl.atomic_xchg(y, n)", 12, 5},
             {"tl.atomic_cas(y, n.to(tl.int64) + 7, n.to(tl.int64))", 12, 5},
             {"tl.atomic_cas(y, n.to(tl.int64), n.to(tl.int64))", 12, 12},
             {"tl.atomic_max(y, -n)", 12, 12},
             {"tl.atomic_min(y, -n)", 12, -5}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        Run r;
        run_begin(&r);
        const Tensor *y = filled(&r, DT_I64, 1, 12), *old = output(&r, DT_I64, 1);
        number(&r, 5);
        run_ok(&r,
               arena_printf(&r.arena, "@triton.jit\ndef k(y, old, n):\n    tl.store(old, %s)\n", c[i].call),
               1);
        near(y, 0, (double)c[i].last, 0);
        near(old, 0, (double)c[i].first, 0);
        run_end(&r);
    }
}

typedef struct {
    const char *body;
    bool ok;
    DiagKind kind;
    const char *words;
} Race;

// Every case under several program orders: a verdict must not depend on it.
static void races(const Race *c, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (uint64_t seed = 0; seed < 6; seed++) {
            Run r;
            run_begin(&r);
            r.machine.order.seed = seed;
            filled(&r, DT_I32, 8, 0);
            output(&r, DT_I32, 8);
            const char *source =
                arena_printf(&r.arena, "@triton.jit\ndef k(y, e):\n    p = tl.program_id(0)\n%s", c[i].body);
            bool ok = run(&r, source, 4);
            const Diag *d = diag_first(&r.diags);
            if (ok != c[i].ok) fail_msg("seed %d: %s\n%s", (int)seed, d ? d->msg : "no finding", source);
            if (!ok && (d->kind != c[i].kind || !strstr(d->msg, c[i].words)))
                fail_msg("%s: %s\n%s", diag_name(d->kind), d->msg, source);
            run_end(&r);
        }
}

static void test_races(void **state) {
    (void)state;
    static const Race cases[] = {
        {"    tl.atomic_add(y, 1)\n", true, 0, ""},
        {"    tl.atomic_add(y + p, 1)\n    tl.store(y + p, tl.load(y + p) + 1)\n    tl.atomic_add(y + p, "
         "1)\n",
         true, 0, ""},
        {"    tl.store(y + p, 3)\n    tl.atomic_add(y + p, 1)\n", true, 0, ""},
        {"    v = tl.load(y + p)\n    tl.atomic_add(y + p, v)\n    tl.atomic_add(y + p, v)\n", true, 0, ""},
        {"    tl.atomic_add(y, 1)\n    v = tl.load(y)\n", false, DIAG_RACE, "another program"},
        {"    v = tl.load(y)\n    tl.atomic_add(y, v)\n", false, DIAG_RACE, "another program"},
        {"    if p == 2:\n        v = tl.load(y)\n    else:\n        tl.atomic_add(y, 1)\n", false, DIAG_RACE,
         ""},
        {"    if p == 2:\n        tl.store(y, 4)\n    else:\n        tl.atomic_add(y, 1)\n", false, DIAG_RACE,
         ""},
        {"    if p == 2:\n        tl.store(y, 4)\n        tl.atomic_add(y, 1)\n    else:\n        "
         "tl.atomic_add(y, 1)\n",
         false, DIAG_RACE, ""},
        {"    if p == 2:\n        tl.atomic_add(y, 1)\n        v = tl.load(y)\n    else:\n        "
         "tl.atomic_add(y, 1)\n",
         false, DIAG_RACE, ""},
        {"    if p == 2:\n        v = tl.load(y)\n        tl.atomic_add(y, 1)\n    else:\n        "
         "tl.atomic_add(y, 1)\n",
         false, DIAG_RACE, ""},
        {"    o = tl.arange(0, 8)\n    if p == 2:\n        v = tl.load(y + o)\n    else:\n        "
         "tl.atomic_add(y + o, 1)\n",
         false, DIAG_RACE, ""},
        {"    tl.atomic_add(e, 1)\n", false, DIAG_UNINIT, "allocate with torch.zeros"},
        {"    tl.atomic_add(y + 8, 1)\n", false, DIAG_OOB, "1 past its last element"},
        {"    tl.atomic_add(y - 1 - p, 1)\n", false, DIAG_OOB, "before its first element"},
        {"    tl.atomic_add(y + 8, 1, mask=p < 0)\n", true, 0, ""},
        {"    v = tl.load(y + 7, mask=p < 0)\n    tl.atomic_add(y, v)\n", false, DIAG_UNINIT,
         "the value of an atomic"},
        {"    v = tl.load(y + 7, mask=p < 0)\n    tl.atomic_add(y + v, 1)\n", false, DIAG_UNINIT,
         "the address of an atomic"},
        {"    v = tl.load(y + 7, mask=p < 0)\n    tl.atomic_add(y, 1, mask=v > 0)\n", false, DIAG_UNINIT,
         "the mask of an atomic"},
        {"    v = tl.atomic_add(y, 1, mask=p < 0)\n    tl.store(e + p, v)\n", false, DIAG_UNINIT,
         "reached a store"},
        {"    while tl.atomic_cas(y, 0, 1) == 1:\n        pass\n    tl.atomic_xchg(y, 0)\n", true, 0, ""},
        {"    while tl.atomic_cas(y, 0, 1) == 1:\n        pass\n", false, DIAG_BUDGET, "budget"},
    };
    races(cases, sizeof cases / sizeof *cases);
}

// What one launch did atomically is no race in the next.
static void test_launches_are_apart(void **state) {
    (void)state;
    Run r;
    run_begin(&r);
    const Tensor *y = filled(&r, DT_I32, 8, 0);
    static const char add
        [] = "@triton.jit\ndef k(y):\n    tl.atomic_add(y, 1)\n",
     plain[] =
         "@triton.jit\ndef k(y):\n    p = tl.program_id(0)\n    v = tl.load(y)\n    tl.store(y + 1 + p, v)\n";
    run_ok(&r, add, 4);
    run_ok(&r, plain, 4);
    run_ok(&r, add, 4);
    near(y, 0, 8, 0);
    near(y, 4, 4, 0);
    assert_int_equal(r.machine.race.atomic_launches, 2);
    run_end(&r);
}

static void test_inputs_are_read_only(void **state) {
    (void)state;
    Run r;
    run_begin(&r);
    input(&r, DT_F32, 8, 1);
    assert_false(run(&r, "@triton.jit\ndef k(x):\n    tl.atomic_add(x, 1.0)\n", 1));
    assert_int_equal(diag_first(&r.diags)->kind, DIAG_WRITE);
    run_end(&r);
}

// Sums of many lanes go through a loop of their own, unless a value might be undefined: what comes of both
// ways is the same, findings among it.
enum { LANES = 32, PLACES = 200, PROGRAMS = 3 };
typedef struct {
    bool ok;
    char msg[300];
    float y[PLACES], z[PROGRAMS * LANES];
    uint8_t shadow[PLACES * 4];
    uint32_t writer[PLACES], reader[PLACES];
    int64_t loaded, stored;
} Sums;

typedef struct {
    const char *offset, *before, *after, *mask;
    bool gap, fresh; // an element that belongs to nothing; one that nothing has written
} SumCase;

static void sum_lanes(const SumCase *c, const char *other, Sums *out) {
    Run r;
    memset(out, 0, sizeof *out);
    run_begin(&r);
    input(&r, DT_F32, PROGRAMS * LANES, 3);
    const Tensor *y = filled(&r, DT_F32, PLACES, -0.0), *z = output(&r, DT_F32, PROGRAMS * LANES);
    if (c->gap) memset(y->storage->shadow + 9 * 4, 0, 4);
    if (c->fresh) memset(y->storage->shadow + 9 * 4, SHADOW_ALLOC, 4);
    number(&r, 70);
    const char *source =
        arena_printf(&r.arena,
                     "@triton.jit\ndef k(x, y, z, n):\n    p = tl.program_id(0)\n    o = tl.arange(0, %d)\n"
                     "    q = p * %d + o\n    m = %s\n    v = tl.load(x + q, mask=m%s)\n%s"
                     "    old = tl.atomic_add(y + %s, v, mask=m)\n"
                     "    tl.store(z + q, tl.where(m, old, 0.0))\n%s",
                     LANES, LANES, c->mask, other, c->before, c->offset, c->after);
    out->ok = run(&r, source, PROGRAMS);
    if (!out->ok) snprintf(out->msg, sizeof out->msg, "%s", diag_first(&r.diags)->msg);
    memcpy(out->y, y->storage->data, sizeof out->y);
    memcpy(out->z, z->storage->data, sizeof out->z);
    memcpy(out->shadow, y->storage->shadow, sizeof out->shadow);
    memcpy(out->writer, y->storage->writer, sizeof out->writer);
    memcpy(out->reader, y->storage->reader, sizeof out->reader);
    out->loaded = r.machine.count.bytes_loaded;
    out->stored = r.machine.count.bytes_stored;
    run_end(&r);
}

static void test_many_sums(void **state) {
    (void)state;
    static const SumCase cases[] = {
        {"o", "", "", "q < n", false, false},
        {"q", "", "", "q < n", false, false},
        {"o * 0", "", "", "q < n", false, false},
        {"o * 3 % 50", "", "", "(q < n) & (o % 3 != 1)", false, false},
        {"q * 2", "", "", "q != 7", false, false},
        {"o", "", "", "q < n", true, false},
        {"o", "", "", "(q < n) & (o != 9)", true, false},
        {"o", "", "", "q < n", false, true},
        {"q * 100", "", "", "q < n", false, false},
        {"o + 190", "", "", "q < n", false, false},
        {"o // 2", "", "    tl.store(z + q, tl.load(y + o, mask=m, other=0.0))\n",
         "(q < n) & (o % 2 == 0) & (p == 0)", false, false},
        {"o - 3", "", "", "q < n", false, false},
        {"o", "    tl.store(y + q, v, mask=m)\n", "", "q < n", false, false},
        {"q", "    tl.store(y + q, v, mask=m)\n", "", "q < n", false, false},
        {"q", "    w = tl.load(y + q + 1, mask=m)\n", "", "q < n", false, false},
        {"o", "    w = tl.load(y + o, mask=m)\n", "", "q < n", false, false},
        {"q", "", "    tl.store(z + q, tl.load(y + q, mask=m, other=0.0))\n", "q < n", false, false},
        {"q", "", "    tl.store(z + q, tl.load(y + (q ^ 1), mask=m, other=0.0))\n", "q < 64", false, false},
        {"(p * 32 + (o ^ 1))", "", "    tl.store(z + q, tl.load(y + q, mask=m, other=0.0))\n", "q < 64",
         false, false},
        {"q", "    tl.atomic_add(y + (q ^ 1), v, mask=m)\n", "    tl.store(y + q, v, mask=m)\n", "q < 64",
         false, false},
    };
    static Sums usual, other;
    int findings = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sum_lanes(&cases[i], ", other=0.0", &usual);
        sum_lanes(&cases[i], "", &other);
        assert_string_equal(usual.msg, other.msg);
        findings += !usual.ok;
        if (usual.ok && memcmp(&usual, &other, sizeof usual) != 0) fail_msg("case %d differs", (int)i);
    }
    assert_true(findings >= 6 && findings <= 14); // both kinds are among them
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum_over_programs),  cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_operations),         cmocka_unit_test(test_races),
        cmocka_unit_test(test_launches_are_apart), cmocka_unit_test(test_inputs_are_read_only),
        cmocka_unit_test(test_many_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
