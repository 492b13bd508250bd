// What programs see of each other's atomics: nothing that no release has put in order (deferred.h). The table
// is what an H200 does over many runs (doc/conformance.md); here it shows in one.
#include "tile/run.h"

enum { PROGRAMS = 6, TILE = 64 };

static const Tensor *filled(Run *r, DType t, int64_t n, double value) {
    const Tensor *x = output(r, t, n);
    for (int64_t i = 0; i < n; i++) dtype_store(t, x->storage->data + i * dtype_bytes(t), value);
    tensor_expose(x, SHADOW_ALLOC | SHADOW_INIT);
    return x;
}

static bool warned(const Run *r) {
    for (int i = 0; i < r->diags.count; i++)
        if (r->diags.at[i].kind == DIAG_WARNING && strstr(r->diags.at[i].msg, "tl.debug_barrier()"))
            return true;
    return false;
}

// Programs add to a sum, then count themselves; whoever comes last reads the sum. Complete in every order, or
// not?
typedef struct {
    const char *add, *between, *count, *read;
    bool complete;
} Order;

static void check_order(const Order *o, uint64_t seed) {
    Run r;
    char source[1024];
    snprintf(source, sizeof source,
             "@triton.jit\n"
             "def k(sum, n, y, N: tl.constexpr):\n"
             "    i = tl.arange(0, N)\n"
             "    %s\n"
             "    %s\n"
             "    last = %s == tl.num_programs(0) - 1\n"
             "    if last:\n"
             "        tl.store(y + i, %s)\n",
             o->add, o->between, o->count, o->read);
    run_begin(&r);
    r.machine.order.seed = seed;
    const Tensor *sum = filled(&r, DT_F32, TILE, 0);
    filled(&r, DT_I32, 1, 0);
    const Tensor *y = output(&r, DT_F32, TILE);
    named(&r, "N", TILE);
    run_ok(&r, source, PROGRAMS);
    bool complete = true;
    for (int i = 0; i < TILE; i++) complete &= at(y, i) == PROGRAMS;
    if (complete != o->complete)
        fail_msg("%s:\n%s", complete ? "all was seen" : "something was not seen", source);
    if (warned(&r) == complete) fail_msg("warned: %d\n%s", warned(&r), source);
    near(sum, 0, PROGRAMS, 0); // in the end everything is there
    run_end(&r);
}

#define ONE(sem)   "tl.atomic_add(sum, 1.0, sem=\"" sem "\")"
#define TILE_(sem) "tl.atomic_add(sum + i, i * 0 + 1.0, sem=\"" sem "\")"
#define COUNT(sem) "tl.atomic_add(n, 1, sem=\"" sem "\")"
#define READ_ONE   "i * 0 + tl.atomic_add(sum, 0.0, sem=\"relaxed\")"
#define READ_TILE  "tl.atomic_add(sum + i, i * 0.0, sem=\"relaxed\")"
#define BARRIER    "tl.debug_barrier()"

static void test_orders(void **state) {
    (void)state;
    static const Order orders[] = {
        // One thread does both: a release behind it or an acquire before it, with or without a barrier.
        {ONE("relaxed"), "", COUNT("relaxed"), READ_ONE, false},
        {ONE("relaxed"), "", COUNT("acquire"), READ_ONE, false},
        {ONE("relaxed"), "", COUNT("release"), READ_ONE, true},
        {ONE("relaxed"), "", COUNT("acq_rel"), READ_ONE, true},
        {ONE("relaxed"), BARRIER, COUNT("relaxed"), READ_ONE, false},
        {ONE("acq_rel"), "", COUNT("relaxed"), READ_ONE, true},
        {ONE("acquire"), "", COUNT("relaxed"), READ_ONE, true},
        {ONE("release"), "", COUNT("acquire"), READ_ONE, false},
        {ONE("acq_rel"), "", COUNT("acq_rel"), READ_ONE, true},
        {"tl.atomic_add(sum, 1.0)", "", "tl.atomic_add(n, 1)", READ_ONE, true},
        {"tl.atomic_add(sum, 1.0)", "", "tl.atomic_cas(n, 9, 9) * 0 + tl.atomic_add(n, 1)", READ_ONE, true},
        // Threads add, thread 0 counts: a barrier as well.
        {TILE_("relaxed"), "", COUNT("relaxed"), READ_TILE, false},
        {TILE_("relaxed"), "", COUNT("acq_rel"), READ_TILE, false},
        {TILE_("acq_rel"), "", COUNT("acq_rel"), READ_TILE, false},
        {TILE_("acq_rel"), "tl.sum(i)", COUNT("acq_rel"), READ_TILE, false},
        {TILE_("relaxed"), BARRIER, COUNT("relaxed"), READ_TILE, false},
        {TILE_("release"), BARRIER, COUNT("acquire"), READ_TILE, false},
        {TILE_("acq_rel"), "", COUNT("relaxed"), READ_TILE, false},
        {TILE_("acq_rel"), BARRIER, COUNT("relaxed"), READ_TILE, true},
        {TILE_("relaxed"), BARRIER, COUNT("release"), READ_TILE, true},
        {TILE_("relaxed"), BARRIER, COUNT("acq_rel"), READ_TILE, true},
        {TILE_("acq_rel"), BARRIER, COUNT("acq_rel"), READ_TILE, true},
        // A result that is used has come back before anything behind it.
        {"v = " TILE_("relaxed") " * 0", BARRIER, "tl.sum(v).to(tl.int32) + " COUNT("relaxed"), READ_TILE,
         true},
        // The wrong place for the barrier.
        {BARRIER, TILE_("acq_rel"), COUNT("acq_rel"), READ_TILE, false},
    };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (uint64_t seed = 0; seed < 3; seed++) check_order(&orders[i], seed);
}

// A kernel of one launch with `body`; the first element of y afterwards, and whether it warned.
typedef struct {
    const char *body;
    double want; // the first element of y
    bool warns;
} Seen;

static void test_own_program(void **state) {
    (void)state;
    static const Seen cases[] = {
        // A program sees its own atomics, by an atomic of the same thread, or plainly.
        {"    tl.atomic_add(y, 3.0, sem=\"relaxed\")\n    v = tl.atomic_add(y, 0.0, sem=\"relaxed\")\n"
         "    tl.store(y + 1, v)\n",
         3, false},
        {"    tl.atomic_add(y + i, i + 1.0)\n    tl.debug_barrier()\n    v = tl.atomic_add(y + 7 - i, 0.0 * "
         "i)\n"
         "    tl.store(y + 8 + i, v)\n    tl.debug_barrier()\n    tl.atomic_add(y, tl.load(y))\n",
         2, false},
        {"    tl.atomic_add(y + i, i + 1.0, sem=\"relaxed\")\n    tl.debug_barrier()\n    v = tl.load(y + 7 "
         "- i)\n"
         "    tl.store(y + 8 + i, v)\n    tl.atomic_add(y, tl.atomic_cas(n, 0, 0) + 0.0)\n    tl.store(y, "
         "tl.sum(v))\n",
         36, false},
        // Not those of its other threads.
        {"    tl.atomic_add(y + i * 0, i * 0 + 1.0)\n    v = tl.atomic_add(y, 0.0)\n    tl.atomic_xchg(y, "
         "v)\n",
         1, true},
        // In the order in which they were issued.
        {"    tl.atomic_xchg(y, 1.0)\n    tl.atomic_xchg(y, 2.0)\n    tl.atomic_max(y, 5.0)\n    "
         "tl.atomic_min(y, 4.0)\n"
         "    tl.atomic_cas(n, 0, 1)\n",
         4, false},
        {"    tl.atomic_xchg(y, 7.0, sem=\"relaxed\")\n    tl.atomic_cas(n, 0, 1)\n    tl.atomic_xchg(y, "
         "8.0)\n",
         8, false},
        // Masked lanes do nothing, then or later.
        {"    tl.atomic_add(y + i, i + 1.0, mask=i == 0)\n    tl.atomic_cas(n, 0, 1)\n", 1, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Run r;
        char source[1024];
        snprintf(source, sizeof source, "@triton.jit\ndef k(y, n):\n    i = tl.arange(0, 8)\n%s",
                 cases[k].body);
        run_begin(&r);
        const Tensor *y = filled(&r, DT_F32, 16, 0);
        filled(&r, DT_I32, 1, 0);
        run_ok(&r, source, 1);
        if (at(y, 0) != cases[k].want) fail_msg("%g instead of %g:\n%s", at(y, 0), cases[k].want, source);
        if (warned(&r) != cases[k].warns) fail_msg("warned: %d\n%s", warned(&r), source);
        run_end(&r);
    }
}

// More of them than there is room for, of every width; and a launch leaves nothing to the next.
static void test_many(void **state) {
    (void)state;
    static const DType types[] = {DT_F16, DT_BF16, DT_F32, DT_F64, DT_I32, DT_I64};
    static const char source[] =
        "@triton.jit\ndef k(y, n):\n    i = tl.arange(0, 1024)\n"
        "    for _ in range(3):\n        tl.atomic_add(y + i % 8, 1, sem=\"relaxed\")\n"
        "    tl.atomic_add(n, tl.atomic_add(n, 0) * 0)\n";
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        Run r;
        run_begin(&r);
        r.machine.steps_left = 100000000;
        const Tensor *y = filled(&r, types[t], 8, 0);
        filled(&r, DT_I32, 1, 0);
        int programs = types[t] == DT_F16 || types[t] == DT_BF16 ? 1 : 20; // float16 counts to 2048
        for (int launch = 1; launch <= (programs == 1 ? 1 : 2); launch++) {
            run_ok(&r, source, programs);
            double all = 3.0 * 128 * programs * launch;
            if (types[t] == DT_BF16) all = 256; // 257 is none of them, and ties go to even
            for (int i = 0; i < 8; i++) near(y, i, all, 0);
        }
        run_end(&r);
    }
}

// Looking for what comes before an atomic has its price, and an end.
static void test_searching_ends(void **state) {
    (void)state;
    Run r;
    run_begin(&r);
    r.machine.steps_left = (int64_t)1 << 33;
    const Tensor *y = filled(&r, DT_I32, 1 << 16, 0);
    filled(&r, DT_I32, 1, 0);
    run_ok(&r,
           "@triton.jit\ndef k(y, n):\n    i = tl.arange(0, 4096)\n"
           "    tl.atomic_add(y + i, 1)\n"
           "    tl.atomic_add(y + 4096 + tl.arange(0, 32768), tl.atomic_add(y + 4096 + tl.arange(0, 32768), "
           "0) + 1)\n"
           "    tl.atomic_add(n, tl.sum(tl.load(y + 4096 + tl.arange(0, 32768))))\n",
           1);
    near(y, 0, 1, 0);
    near(y, 4095, 1, 0);
    near(y, 4096 + 32767, 1, 0);
    run_end(&r);
}

// A lock that is given back by an exchange: whoever waits gets it in the end.
static void test_waiting_ends(void **state) {
    (void)state;
    Run r;
    run_begin(&r);
    const Tensor *y = filled(&r, DT_I32, 2, 0);
    run_ok(&r,
           "@triton.jit\ndef k(y):\n    while tl.atomic_cas(y, 0, 1) == 1:\n        pass\n"
           "    tl.atomic_add(y + 1, 1, sem=\"relaxed\")\n    tl.atomic_xchg(y, 0, sem=\"relaxed\")\n",
           5);
    near(y, 0, 0, 0);
    near(y, 1, 5, 0);
    run_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders), cmocka_unit_test(test_own_program),
                                       cmocka_unit_test(test_many), cmocka_unit_test(test_searching_ends),
                                       cmocka_unit_test(test_waiting_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
