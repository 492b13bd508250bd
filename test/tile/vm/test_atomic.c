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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum_over_programs),  cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_operations),         cmocka_unit_test(test_races),
        cmocka_unit_test(test_launches_are_apart), cmocka_unit_test(test_inputs_are_read_only)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
