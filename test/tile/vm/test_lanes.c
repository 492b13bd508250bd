// Races between the lanes of one program: what a barrier, or the same lane, makes right.
#include "tile/run.h"

#define KERNEL                                                                                              \
    "@triton.jit\ndef k(x, y, w, B: tl.constexpr):\n    i = tl.arange(0, B)\n    p = tl.program_id(0) * 2 " \
    "* B\n"

typedef struct {
    const char *name, *body, *finding; // NULL: none
} Row;

static const Row rows[] = {
    // Two stores.
    {"same lane", "    tl.store(y + p + i, i)\n    tl.store(y + p + i, i + 1)\n", NULL},
    {"shifted", "    tl.store(y + p + i, i)\n    tl.store(y + p + i + 1, i + 7)\n",
     "stored with another value"},
    {"shifted, a barrier between",
     "    tl.store(y + p + i, i)\n    tl.debug_barrier()\n    tl.store(y + p + i + 1, i + 7)\n", NULL},
    {"shifted, same values", "    tl.store(y + p + i, i)\n    tl.store(y + p + i + 1, i + 1)\n", NULL},
    {"a third lane's value over two equal ones",
     "    tl.store(y + p + i, i * 0)\n    tl.store(y + p + i + 1, i * 0)\n    tl.store(y + p + i, i * 0 + "
     "3)\n",
     "stored with another value"},
    {"overlapping by one lane of a mask",
     "    tl.store(y + p + i, i, mask=i <= B // 2)\n    tl.store(y + p + i + B // 2, i + 9, mask=i < B // "
     "2)\n",
     "stored with another value"},
    {"halves that do not overlap",
     "    tl.store(y + p + i, i, mask=i < B // 2)\n    tl.store(y + p + i + B // 2, i + 9, mask=i < B // "
     "2)\n",
     NULL},
    {"interleaved", "    tl.store(y + p + 2 * i, i)\n    tl.store(y + p + 2 * i + 1, i + 9)\n", NULL},
    {"interleaved, one step off",
     "    tl.store(y + p + 2 * i, i, mask=i > 0)\n    tl.store(y + p + 2 * i + 2, i + 9, mask=i < B - 1)\n",
     "stored with another value"},
    {"a mask with holes",
     "    tl.store(y + p + i, i, mask=i % 2 == 0)\n    tl.store(y + p + B - 1 - i, i + 9, mask=i % 2 == 0)\n",
     NULL},
    {"a mask with holes that meet",
     "    tl.store(y + p + i, i, mask=i % 2 == 0)\n    tl.store(y + p + B - 2 - i, i + 9, mask=i % 2 == 0)\n",
     "stored with another value"},
    {"half the tile",
     "    j = tl.arange(0, B // 2)\n    tl.store(y + p + i, i)\n    tl.store(y + p + j, j + 9)\n",
     "stored with another value"},
    {"one value over a tile", "    tl.store(y + p + i, i)\n    tl.store(y + p + 3, 9)\n",
     "stored with another value"},
    {"one value over a tile, a barrier between",
     "    tl.store(y + p + i, i)\n    tl.debug_barrier()\n    tl.store(y + p + 3, 9)\n", NULL},
    {"one value twice", "    tl.store(y + p + 3, 9)\n    tl.store(y + p + 3, 10)\n", NULL},
    {"another shape",
     "    r = tl.arange(0, 2)[:, None] * (B // 2) + tl.arange(0, B // 2)[None, :]\n    tl.store(y + p + i, "
     "i)\n    tl.store(y + p + r, r + 9)\n",
     "stored with another value"},
    {"one row more of the same tile",
     "    r = tl.arange(0, 1)[:, None] * B + tl.arange(0, B)[None, :]\n    tl.store(y + p + i, i)\n    "
     "tl.store(y + p + r, r + 9)\n",
     NULL},
    {"transposed",
     "    a = tl.arange(0, 4)[:, None] * 4 + tl.arange(0, 4)[None, :]\n    t = tl.arange(0, 4)[None, :] * 4 "
     "+ tl.arange(0, 4)[:, None]\n"
     "    tl.store(y + p + a, a)\n    tl.store(y + p + t, t * 3 + 1)\n",
     "stored with another value"},
    {"in a loop, step too small", "    for s in range(0, B, B // 2):\n        tl.store(y + p + s + i, i)\n",
     "stored with another value"},
    {"in a loop, one block after another",
     "    for s in range(0, 2 * B, B):\n        tl.store(y + p + s + i, i + s)\n", NULL},
    {"the last block moved back",
     "    for s in range(0, B, B // 2):\n        j = s + i - s // 2\n        tl.store(y + p + j, j * 5)\n",
     NULL},
    // A store, then a load.
    {"its own element back", "    tl.store(y + p + i, i)\n    tl.store(w + p + i, tl.load(y + p + i))\n",
     NULL},
    {"a neighbour's element",
     "    tl.store(y + p + i, i)\n    tl.store(w + p + i, tl.load(y + p + (i ^ 1)))\n",
     "it may still hold the old value"},
    {"a neighbour's element, a barrier between",
     "    tl.store(y + p + i, i)\n    tl.debug_barrier()\n    tl.store(w + p + i, tl.load(y + p + (i ^ "
     "1)))\n",
     NULL},
    {"a neighbour's element after a sum, which promises nothing",
     "    tl.store(y + p + i, i)\n    s = tl.sum(i, axis=0)\n    tl.store(w + p + i, s + tl.load(y + p + (i "
     "^ 1)))\n",
     "it may still hold the old value"},
    {"one element of a stored tile", "    tl.store(y + p + i, i)\n    tl.store(w + p, tl.load(y + p + 5))\n",
     "it may still hold the old value"},
    {"the masked part of it",
     "    tl.store(y + p + i, i)\n    tl.store(w + p + i, tl.load(y + p + i, mask=i < 5, other=1))\n", NULL},
    {"blocks of a row, pass after pass",
     "    for s in range(0, 2 * B, B):\n        tl.store(y + p + s + i, i + s)\n    for s in range(0, 2 * B, "
     "B):\n"
     "        tl.store(y + p + s + i, tl.load(y + p + s + i) * 2)\n",
     NULL},
    {"blocks of a row, with another block size",
     "    for s in range(0, 2 * B, B):\n        tl.store(y + p + s + i, i + s)\n    j = tl.arange(0, 2 * "
     "B)\n    tl.store(w + p + j, tl.load(y + p + j))\n",
     "it may still hold the old value"},
    {"one value", "    tl.store(y + p, 4)\n    tl.store(w + p, tl.load(y + p))\n", NULL},
    {"an equal value that two lanes have stored",
     "    tl.store(y + p + i, i)\n    tl.store(y + p + i + 1, i + 1)\n    tl.store(w + p + i, tl.load(y + p "
     "+ i))\n",
     NULL},
    // A load, then a store.
    {"in place",
     "    tl.store(y + p + i, 0 * i)\n    tl.debug_barrier()\n    tl.store(y + p + i, tl.load(y + p + i) + "
     "1)\n",
     NULL},
    {"in place, moved by one",
     "    tl.store(y + p + i, i)\n    tl.debug_barrier()\n    tl.store(y + p + (i + 1) % B, tl.load(y + p + "
     "i) + 1)\n",
     "that load may see the new value"},
    {"in place, moved by one after a barrier",
     "    tl.store(y + p + i, i)\n    tl.debug_barrier()\n    v = tl.load(y + p + i)\n    "
     "tl.debug_barrier()\n    tl.store(y + p + (i + 1) % B, v + 1)\n",
     NULL},
    {"the sum of a tile over its first element",
     "    tl.store(y + p + i, i)\n    tl.debug_barrier()\n    tl.store(y + p, tl.sum(tl.load(y + p + i), "
     "axis=0))\n",
     NULL},
    // One thread stores a number, all of them load it.
    {"a number that a tile needs", "    tl.store(y + p, 4)\n    tl.store(w + p + i, i + tl.load(y + p))\n",
     "it may still hold the old value"},
    {"a number that a tile needs, a barrier between",
     "    tl.store(y + p, 4)\n    tl.debug_barrier()\n    tl.store(w + p + i, i + tl.load(y + p))\n", NULL},
    {"a number that a branch needs",
     "    tl.store(y + p, 4)\n    if tl.load(y + p) > 3:\n        tl.store(w + p, 1)\n",
     "it may still hold the old value"},
    {"a number that a loop needs",
     "    tl.store(y + p, 4)\n    for s in range(0, tl.load(y + p)):\n        tl.store(w + p + s, 1)\n",
     "it may still hold the old value"},
    {"a place where a tile is loaded",
     "    tl.store(y + p, 4)\n    a = tl.load(y + p)\n    tl.store(w + p + i, tl.load(x + a + "
     "i).to(tl.int32))\n",
     "it may still hold the old value"},
    {"a number that is kept in memory",
     "    tl.store(y + p, 0)\n    for s in range(0, 4):\n        tl.store(y + p, tl.load(y + p) + tl.sum(i * "
     "s, "
     "axis=0))\n",
     NULL},
    {"a number that is kept in memory for a tile",
     "    tl.store(y + p, 0)\n    for s in range(0, 4):\n        a = tl.load(y + p)\n        tl.store(y + p, "
     "a + "
     "tl.sum(i + a, axis=0))\n",
     "it may still hold the old value"},
    {"a number that a tile needs, stored over",
     "    tl.store(y + p, 4)\n    tl.debug_barrier()\n    a = tl.load(y + p)\n    tl.store(y + p, 5)\n    "
     "tl.store(w "
     "+ p + i, i + a)\n",
     "that load may see the new value"},
    {"a number that a tile needs, stored over after a sum",
     "    tl.store(y + p, 4)\n    tl.debug_barrier()\n    a = tl.load(y + p)\n    tl.store(y + p, tl.sum(i, "
     "axis=0))\n    tl.store(w + p + i, i + a)\n",
     NULL},
    {"the sum of a small tile",
     "    tl.store(y + p + i, i)\n    tl.store(w + p, tl.sum(tl.load(y + p + i), axis=0))\n", NULL},
    {"the sum of a small tile, for a tile",
     "    tl.store(y + p + i, i)\n    tl.store(w + p + i, i + tl.sum(tl.load(y + p + i), axis=0))\n",
     "it may still hold the old value"},
    {"a small tile, for a larger one",
     "    j = tl.arange(0, 64)[None, :]\n    tl.store(y + p + i, i)\n    a = tl.sum(tl.load(y + p + i)[:, "
     "None] + j, "
     "axis=1)\n    tl.store(w + p + i, a)\n",
     "it may still hold the old value"},
    // Atomics.
    {"zeros, then atomics by others",
     "    tl.store(y + p + i, 0 * i)\n    tl.atomic_add(y + p + (i ^ 1), i)\n", "that store may come later"},
    {"zeros, then atomics by others, a barrier between",
     "    tl.store(y + p + i, 0 * i)\n    tl.debug_barrier()\n    tl.atomic_add(y + p + (i ^ 1), i)\n", NULL},
    {"zeros, then atomics on one's own", "    tl.store(y + p + i, 0 * i)\n    tl.atomic_add(y + p + i, i)\n",
     NULL},
    {"atomics, then a load by others",
     "    tl.store(y + p + i, 0 * i)\n    tl.debug_barrier()\n    tl.atomic_add(y + p + (i ^ 1), i)\n    "
     "tl.store(w "
     "+ p + i, tl.load(y + p + i))\n",
     "it may still hold the old value"},
    {"atomics of several, then a load by one of them",
     "    tl.store(y + p + i, 0 * i)\n    tl.debug_barrier()\n    tl.atomic_add(y + p + i // 2, i)\n    "
     "tl.store(w + "
     "p + i, tl.load(y + p + i))\n",
     "it may still hold the old value"},
    {"atomics, then a load by others, a barrier between",
     "    tl.store(y + p + i, 0 * i)\n    tl.debug_barrier()\n    tl.atomic_add(y + p + i // 2, i)\n    "
     "tl.debug_barrier()\n    tl.store(w + p + i, tl.load(y + p + i))\n",
     NULL},
    {"atomics, then a store by others",
     "    tl.store(y + p + i, 0 * i)\n    tl.debug_barrier()\n    tl.atomic_add(y + p + (i ^ 1), i)\n    "
     "tl.store(y "
     "+ p + i, 9 + i)\n",
     "either of them may stay"},
    {"a load, then atomics by others",
     "    tl.store(y + p + i, 0 * i)\n    tl.debug_barrier()\n    tl.store(w + p + i, tl.load(y + p + i))\n  "
     "  "
     "tl.atomic_add(y + p + (i ^ 1), i)\n",
     "that load may see the new value"},
    {"an atomic whose result is used, then a load by all",
     "    tl.store(y + p, 0)\n    a = tl.atomic_add(y + p, 1)\n    tl.store(w + p + i, i + a + tl.load(y + "
     "p))\n",
     "it may still hold the old value"},
    {"an atomic whose result is used, then a load by all, a barrier before",
     "    tl.store(y + p, 0)\n    tl.debug_barrier()\n    a = tl.atomic_add(y + p, 1)\n    tl.store(w + p + "
     "i, i + "
     "a + tl.load(y + p))\n",
     NULL},
    {"an atomic whose result is not used, then a load by all",
     "    tl.store(y + p, 0)\n    tl.debug_barrier()\n    tl.atomic_add(y + p, 1)\n    tl.store(w + p + i, i "
     "+ "
     "tl.load(y + p))\n",
     "it may still hold the old value"},
};

static bool runs(const char *body, char *msg, size_t cap) {
    Run r;
    run_begin(&r);
    input(&r, DT_F32, 64, 1);
    output(&r, DT_I32, 512);
    output(&r, DT_I32, 512);
    named(&r, "B", 16);
    Buf b = BUF(&r.arena);
    buf_printf(&b, KERNEL "%s", body);
    bool ok = run(&r, buf_cstr(&b), 4);
    snprintf(msg, cap, "%s", ok ? "" : diag_first(&r.diags)->msg);
    if (!ok && diag_first(&r.diags)->kind != DIAG_RACE) fail_msg("%s: %s", body, msg);
    run_end(&r);
    return ok;
}

static void test_rows(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char msg[512];
        bool ok = runs(rows[k].body, msg, sizeof msg);
        if (ok != (rows[k].finding == NULL)) fail_msg("%s: %s", rows[k].name, ok ? "nothing found" : msg);
        if (!ok && !strstr(msg, rows[k].finding)) fail_msg("%s: %s", rows[k].name, msg);
        if (!ok && !strstr(msg, "tl.debug_barrier() between,")) fail_msg("%s: %s", rows[k].name, msg);
    }
}

// Beside narrower elements a load's lanes are in other threads than a store's, where there are enough of
// them.
static void test_widths(void **state) {
    (void)state;
    static const struct {
        const char *round; // there and back
        DType narrow, wide;
        int lanes, warps;
        bool ok;
    } cases[] = {
        {"store(y, v)\n    w = load(y)", DT_F16, DT_F32, 1024, 4, false},
        {"store(y, v)\n    w = load(y)", DT_F16, DT_F32, 512, 4, true},
        {"store(y, v)\n    w = load(y)", DT_F16, DT_F32, 1024, 8, true},
        {"store(y, v)\n    w = load(y)", DT_F16, DT_F32, 256, 1, false},
        {"store(y, v)\n    w = load(y)", DT_F32, DT_F32, 1024, 4, true},
        {"store(y, v)\n    w = load(y)", DT_F32, DT_F16, 1024, 4, true},
        {"store(y, v)\n    w = load(y)", DT_I8, DT_F16, 1024, 4, true},
        {"store(y, v)\n    w = load(y)", DT_I8, DT_F16, 2048, 4, false},
        {"store(y, v)\n    tl.debug_barrier()\n    w = load(y)", DT_F16, DT_F32, 1024, 4, true},
        {"store(y, 0 * v)\n    tl.debug_barrier()\n    w = load(y)\n    store(y, w + 1)", DT_F16, DT_F32,
         1024, 4, true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Run r;
        char source[1024];
        snprintf(source, sizeof source,
                 "@triton.jit\ndef store(p, v):\n    tl.store(p + tl.arange(0, %d), v)\n"
                 "@triton.jit\ndef load(p):\n    return tl.load(p + tl.arange(0, %d))\n"
                 "@triton.jit\ndef k(x, y, z):\n    v = load(x).to(tl.float32)\n    %s\n    store(z, w)\n",
                 cases[k].lanes, cases[k].lanes, cases[k].round);
        run_begin(&r);
        input(&r, cases[k].narrow, 2048, 1);
        output(&r, cases[k].wide, 2048);
        output(&r, DT_F32, 2048);
        r.machine.gpu.warps = cases[k].warps;
        bool ok = run(&r, source, 1);
        if (ok != cases[k].ok)
            fail_msg("case %d: %s", (int)k, ok ? "nothing found" : diag_first(&r.diags)->msg);
        if (!ok) assert_non_null(strstr(diag_first(&r.diags)->msg, "narrower elements"));
        run_end(&r);
    }
}

// A program that keeps touching elements fills the list: nothing is reported that rests on half of it, and a
// barrier makes room.
static void test_full_list(void **state) {
    (void)state;
    static const char many[] =
        "    for s in range(0, 40):\n        tl.store(y + p + (15 - i + s) % 16, 0 * i)\n"
        "    for s in range(0, 40):\n        tl.store(y + p + (15 - i + s) % 16, 0 * i)\n";
    char body[1024], msg[512];
    snprintf(body, sizeof body, "%s    tl.store(y + p + i, i)\n", many);
    assert_true(runs(body, msg, sizeof msg));
    snprintf(body, sizeof body,
             "%s    tl.debug_barrier()\n    tl.store(y + p + i, i)\n    tl.store(y + p + i + 1, i)\n", many);
    assert_false(runs(body, msg, sizeof msg));
}

// Searching is paid for: a program cannot make the machine search for longer than its budget.
static void test_searching_costs(void **state) {
    (void)state;
    Run r;
    run_begin(&r);
    output(&r, DT_I32, 4096);
    r.machine.steps_left = 1 << 20;
    assert_false(run(&r,
                     "@triton.jit\ndef k(y):\n    for s in range(0, 900):\n        tl.store(y + s, s)\n"
                     "    for t in range(0, 1000000):\n        for s in range(0, 900):\n            "
                     "tl.store(y + (s * 7) % 900, (s * 7) % 900)\n",
                     1));
    assert_int_equal(diag_first(&r.diags)->kind, DIAG_BUDGET);
    assert_true(r.machine.steps_left >= 0);
    run_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_widths),
                                       cmocka_unit_test(test_full_list),
                                       cmocka_unit_test(test_searching_costs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
