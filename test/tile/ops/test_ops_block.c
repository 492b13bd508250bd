// Block pointers, tensor descriptors and addresses as integers, as whole kernels: values, what is guarded and
// what is not, and what the sanitizer says of the rest.
#include "tile/golden.h"
#include "tile/run.h"

// A ragged matrix copied tile by tile, by a block pointer that moves along a row of tiles.
static const char copy[] =
    "@triton.jit\n"
    "def k(x, y, M, N, S, CHECK: tl.constexpr, PAD: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):\n"
    "    p = tl.make_block_ptr(x, (M, N), (S, 1), (tl.program_id(0) * BM, 0), (BM, BN), (1, 0))\n"
    "    q = tl.make_block_ptr(y, (M, N), (S, 1), (tl.program_id(0) * BM, 0), (BM, BN), (1, 0))\n"
    "    for i in range(0, N, BN):\n"
    "        tl.store(q, tl.load(p, boundary_check=(0, 1), padding_option=PAD), boundary_check=CHECK)\n"
    "        p = tl.advance(p, (0, BN))\n"
    "        q = tl.advance(q, (0, BN))\n";

static LaunchArg *check_dims(Run *r, const char *name, int a, int b) {
    LaunchArg *item = NEWN(&r->arena, LaunchArg, 2), *arg = &r->arg[r->args++];
    item[0] = (LaunchArg){.value = {.kind = PY_INT, .i = a}};
    item[1] = (LaunchArg){.value = {.kind = PY_INT, .i = b}};
    *arg = (LaunchArg){.name = str_of(name), .kind = ARG_TUPLE, .item = item, .items = b < 0 ? 1 : 2};
    return arg;
}
static void text(Run *r, const char *name, const char *value) {
    r->arg[r->args++] = (LaunchArg){.name = str_of(name), .value = {.kind = PY_STR, .s = str_of(value)}};
}

static void copies(DType t, int M, int N, int BM, int BN) {
    Run r;
    run_begin(&r);
    const float *x = input(&r, t, (int64_t)M * N, 3);
    const Tensor *y = output(&r, t, (int64_t)M * N);
    number(&r, M);
    number(&r, N);
    number(&r, N);
    check_dims(&r, "CHECK", 0, 1);
    text(&r, "PAD", "zero");
    named(&r, "BM", BM);
    named(&r, "BN", BN);
    run_ok(&r, copy, (M + BM - 1) / BM);
    for (int i = 0; i < M * N; i++) near(y, i, (double)x[i], 0);
    run_end(&r);
}
static void test_copy(void **state) {
    (void)state;
    copies(DT_F32, 5, 37, 2, 16);
    copies(DT_F16, 1, 1, 4, 8);
    copies(DT_I8, 16, 16, 16, 16);
    copies(DT_F64, 3, 65, 1, 64);
    copies(DT_BF16, 33, 2, 32, 1);
}

// `kernel` on a 5 x 20 float32 input with a finding to expect (DIAG_COUNT: none); the output has 8 x 32.
static const Tensor *on_ragged(Run *r, const char *kernel, DiagKind want) {
    run_begin(r);
    input(r, DT_F32, 5 * 20, 11);
    const Tensor *y = output(r, DT_F32, 8 * 32);
    number(r, 5);
    number(r, 20);
    if (want == DIAG_COUNT) return run_ok(r, kernel, 1), y;
    if (run(r, kernel, 1)) fail_msg("accepted: %s", kernel);
    if (diag_first(&r->diags)->kind != want) fail_msg("%s", diag_first(&r->diags)->msg);
    run_end(r);
    return NULL;
}
#define TILE(how)                                                             \
    "@triton.jit\n"                                                           \
    "def k(x, y, M, N):\n"                                                    \
    "    p = tl.make_block_ptr(x, (M, N), (N, 1), (0, 0), (8, 32), (1, 0))\n" \
    "    at = tl.arange(0, 8)[:, None] * 32 + tl.arange(0, 32)[None, :]\n"    \
    "    tl.store(y + at, tl.load(p" how "))\n"

static void test_padding(void **state) {
    (void)state;
    Run r;
    for (int nan = 0; nan < 2; nan++) {
        const Tensor *y = on_ragged(&r,
                                    nan ? TILE(", boundary_check=(0, 1), padding_option='nan'")
                                        : TILE(", boundary_check=(1, 0), padding_option='zero'"),
                                    DIAG_COUNT);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 32; j++) {
                double got = at(y, i * 32 + j);
                if (i < 5 && j < 20)
                    assert_true(got == (double)r.data[0][i * 20 + j]);
                else
                    assert_true(nan ? got != got : got == 0);
            }
        run_end(&r);
    }
    on_ragged(&r, TILE(", boundary_check=(0, 1)"), DIAG_UNINIT);
    on_ragged(&r, TILE(""), DIAG_OOB);
    on_ragged(&r, TILE(", boundary_check=(1,), padding_option='zero'"), DIAG_OOB); // rows run past the end
    // Columns beyond the last wrap into the next row: as on a GPU, only the last row leaves the memory.
    on_ragged(&r, TILE(", boundary_check=(0,), padding_option='zero'"), DIAG_OOB);
}

static void test_unguarded_columns(void **state) {
    (void)state;
    Run r;
    // Without a guard on the columns the tile reads what follows in memory; rows 4.. are guarded away.
    const Tensor *y =
        on_ragged(&r,
                  "@triton.jit\n"
                  "def k(x, y, M, N):\n"
                  "    p = tl.make_block_ptr(x, (4, N), (N, 1), (0, 0), (8, 32), (1, 0))\n"
                  "    at = tl.arange(0, 8)[:, None] * 32 + tl.arange(0, 32)[None, :]\n"
                  "    tl.store(y + at, tl.load(p, boundary_check=(0,), padding_option='zero'))\n",
                  DIAG_COUNT);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 32; j++) near(y, i * 32 + j, i < 4 ? (double)r.data[0][i * 20 + j] : 0, 0);
    run_end(&r);
}

static void test_strides(void **state) {
    (void)state;
    Run r;
    // The transposed view, from offset (2, 1), a negative one guarded from below.
    const Tensor *y = on_ragged(&r,
                                "@triton.jit\n"
                                "def k(x, y, M, N):\n"
                                "    p = tl.make_block_ptr(x, (N, M), (1, N), (2, -1), (16, 4), (0, 1))\n"
                                "    q = tl.make_block_ptr(y, (16, 4), (4, 1), (0, 0), (16, 4), (1, 0))\n"
                                "    tl.store(q, tl.load(p, boundary_check=(0, 1), padding_option='zero'))\n",
                                DIAG_COUNT);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 4; j++)
            near(y, i * 4 + j, j == 0 ? 0 : (double)r.data[0][(j - 1) * 20 + i + 2], 0);
    run_end(&r);
    // Offsets add up in 64 bits: one step too far and back is no step.
    y = on_ragged(
        &r,
        "@triton.jit\n"
        "def k(x, y, M, N):\n"
        "    p = tl.make_block_ptr(x, (M * N,), (1,), (2147483647,), (4,), (0,))\n"
        "    p = tl.advance(p, (2147483647,))\n"
        "    p = tl.advance(tl.advance(p, (-2147483647,)), (-2147483646,))\n"
        "    tl.store(y + tl.arange(0, 4), tl.load(p, boundary_check=(0,), padding_option='zero'))\n",
        DIAG_COUNT);
    for (int i = 0; i < 4; i++) near(y, i, (double)r.data[0][i + 1], 0);
    run_end(&r);
}

static void test_stores(void **state) {
    (void)state;
    Run r;
#define STORE(check)                                                  \
    "@triton.jit\n"                                                   \
    "def k(x, y, M, N):\n"                                            \
    "    q = tl.make_block_ptr(y, (M,), (1,), (250,), (16,), (0,))\n" \
    "    tl.store(q, 2.0" check ")\n"
    on_ragged(&r, STORE(""), DIAG_OOB);
    on_ragged(&r,
              "@triton.jit\ndef k(x, y, M, N):\n"
              "    tl.store(tl.make_block_ptr(x, (16,), (1,), (0,), (16,), (0,)), 2.0)\n",
              DIAG_WRITE);
    const Tensor *y = on_ragged(&r, STORE(", boundary_check=(0,)"), DIAG_COUNT); // M = 5: nothing is inside
    for (int i = 0; i < 256; i++) assert_false(y->storage->shadow[4 * i] & SHADOW_STORED);
    run_end(&r);
    y = on_ragged(&r,
                  "@triton.jit\n"
                  "def k(x, y, M, N):\n"
                  "    q = tl.make_block_ptr(y, (256,), (1,), (250,), (16,), (0,))\n"
                  "    tl.store(q, 2.0, boundary_check=(0,))\n",
                  DIAG_COUNT);
    for (int i = 250; i < 256; i++) near(y, i, 2, 0);
    run_end(&r);
}

// ---- descriptors ----

#define COPY_BY_DESCRIPTOR(pad)                                              \
    "@triton.jit\n"                                                          \
    "def k(x, y, M, N):\n"                                                   \
    "    d = tl.make_tensor_descriptor(x, [M, N], [N, 1], [8, 32]" pad ")\n" \
    "    e = tl.make_tensor_descriptor(y, [8, 32], [32, 1], [8, 32])\n"      \
    "    e.store([0, 0], d.load([1, 4]))\n"

static void test_descriptor(void **state) {
    (void)state;
    Run r;
    for (int nan = 0; nan < 2; nan++) {
        const Tensor *y = on_ragged(
            &r, nan ? COPY_BY_DESCRIPTOR(", padding_option='nan'") : COPY_BY_DESCRIPTOR(""), DIAG_COUNT);
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 32; j++) {
                double got = at(y, i * 32 + j);
                if (i < 4 && j < 16)
                    assert_true(got == (double)r.data[0][(i + 1) * 20 + j + 4]);
                else
                    assert_true(nan ? got != got : got == 0);
            }
        run_end(&r);
    }
    // What lies outside is dropped, and the value is converted.
    const Tensor *y = on_ragged(&r,
                                "@triton.jit\n"
                                "def k(x, y, M, N):\n"
                                "    e = tl.make_tensor_descriptor(y, [8, 30], [32, 1], [8, 32])\n"
                                "    e.store([-1, 2], tl.full((8, 32), 3, tl.int32))\n",
                                DIAG_COUNT);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 32; j++) {
            bool inside = i < 7 && j >= 2 && j < 30;
            if (inside) near(y, i * 32 + j, 3, 0);
            assert_int_equal((y->storage->shadow[4 * (i * 32 + j)] & SHADOW_STORED) != 0, inside);
        }
    run_end(&r);
    on_ragged(&r,
              "@triton.jit\n"
              "def k(x, y, M, N):\n"
              "    d = tl.make_tensor_descriptor(x, [M, N], [N - 1, 1], [8, 32])\n",
              DIAG_VALUE);
    on_ragged(&r,
              "@triton.jit\n"
              "def k(x, y, M, N):\n"
              "    d = tl.make_tensor_descriptor(x + 1, [M, N], [N, 1], [8, 32])\n",
              DIAG_VALUE);
    // A shape that promises more than there is.
    on_ragged(&r,
              "@triton.jit\n"
              "def k(x, y, M, N):\n"
              "    d = tl.make_tensor_descriptor(x, [M + 1, N], [N, 1], [8, 32])\n"
              "    tl.store(y, tl.sum(d.load([0, 0])))\n",
              DIAG_OOB);
}

static void test_descriptor_atomics(void **state) {
    (void)state;
    Run r;
    const Tensor *y = on_ragged(&r,
                                "@triton.jit\n"
                                "def k(x, y, M, N):\n"
                                "    i = tl.arange(0, 256)\n"
                                "    tl.store(y + i, 1.0)\n"
                                "    tl.debug_barrier()\n"
                                "    e = tl.make_tensor_descriptor(y, [8, 20], [32, 1], [4, 32])\n"
                                "    e.atomic_add([6, 4], tl.full((4, 32), 2.0, tl.float32))\n",
                                DIAG_COUNT);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 32; j++) near(y, i * 32 + j, i >= 6 && j >= 4 && j < 20 ? 3 : 1, 0);
    run_end(&r);
}

// ---- addresses as integers ----

static const Tensor *with_table(Run *r, const char *kernel, int64_t shift, DiagKind want) {
    run_begin(r);
    input(r, DT_F32, 64, 5);
    const Tensor *y = output(r, DT_F32, 64), *x = r->arg[0].tensor, *table = output(r, DT_I64, 2);
    int64_t entry[2] = {tensor_address(x) + shift, tensor_address(y)};
    memcpy(table->storage->data, entry, sizeof entry);
    tensor_expose(table, SHADOW_ALLOC | SHADOW_INIT);
    number(r, 64);
    if (want == DIAG_COUNT) return run_ok(r, kernel, 1), y;
    if (run(r, kernel, 1)) fail_msg("accepted: %s", kernel);
    if (diag_first(&r->diags)->kind != want) fail_msg("%s", diag_first(&r->diags)->msg);
    run_end(r);
    return NULL;
}
#define TABLE(body)                                            \
    "@triton.jit\n"                                            \
    "def k(x, y, table, n):\n"                                 \
    "    i = tl.arange(0, 32)\n"                               \
    "    a = tl.load(table).to(tl.pointer_type(tl.float32))\n" \
    "    b = tl.load(table + 1).to(tl.pointer_type(tl.float32))\n" body

static void test_addresses(void **state) {
    (void)state;
    Run r;
    static const char move[] = TABLE("    tl.store(b + i, tl.load(a + i))\n");
    const Tensor *y = with_table(&r, move, 8, DIAG_COUNT);
    for (int i = 0; i < 32; i++) near(y, i, (double)r.data[0][i + 2], 0);
    run_end(&r);
    with_table(&r, move, 1, DIAG_OOB);                           // misaligned
    with_table(&r, move, 4 * 64, DIAG_OOB);                      // behind the input
    with_table(&r, move, (int64_t)50 << ADDRESS_BITS, DIAG_OOB); // no such tensor
    with_table(&r, move, INT64_MIN, DIAG_OOB);
    with_table(&r, TABLE("    tl.store(a + i, 1.0)\n"), 0, DIAG_WRITE);
    with_table(&r, TABLE("    tl.store(b + i, tl.load(b + i))\n"), 0, DIAG_UNINIT);
    // A round trip, arithmetic on the integer, and the bytes of one type read as another.
    y = with_table(&r,
                   TABLE("    c = (x.to(tl.int64) + 4).to(tl.pointer_type(tl.float32))\n"
                         "    tl.store(y + i, tl.load(c + i))\n"
                         "    low = tl.load(x.to(tl.pointer_type(tl.int16)) + 2 * i + 1)\n"
                         "    tl.store(y + 32 + i, (low.to(tl.int32) << 16).to(tl.float32, bitcast=True))\n"),
                   0, DIAG_COUNT);
    for (int i = 0; i < 32; i++) {
        near(y, i, (double)r.data[0][i + 1], 0);
        near(y, 32 + i, (double)float_of(bits32(r.data[0][i]) & 0xffff0000u), 0);
    }
    run_end(&r);
    // A table of pointers, one for each lane; zero is no address.
    y = with_table(&r,
                   TABLE("    j = tl.arange(0, 2)\n"
                         "    tl.store(b, 5.0)\n"
                         "    tl.debug_barrier()\n"
                         "    many = tl.load(table + j).to(tl.pointer_type(tl.float32))\n"
                         "    tl.store(y + 1 + j, tl.load(many))\n"),
                   0, DIAG_COUNT);
    near(y, 1, (double)r.data[0][0], 0);
    near(y, 2, 5, 0);
    run_end(&r);
    with_table(
        &r,
        TABLE("    tl.store(y, tl.load((i * 0).to(tl.int64).to(tl.pointer_type(tl.float32)) + i).sum())\n"),
        0, DIAG_OOB);
}

static void test_golden(void **state) {
    (void)state;
    golden("ops_block");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_unguarded_columns),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_descriptor),
        cmocka_unit_test(test_descriptor_atomics),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
