// Small sizes: what has to hold of them, and what may not be touched.
#include "module/modules.h"

static ModuleShrunk *shrunk_by(const char *source, const ShrinkAsk *q) {
    ModuleFile m = file_of(source);
    ModuleShrunk *s = NEW(&arena, ModuleShrunk);
    DiagList d = DIAGS(&arena);
    if (!module_shrink(&arena, &m, q, s, &d)) fail_msg("%s", d.at[0].msg);
    return s;
}
static ModuleShrunk *shrunk(const char *source, int64_t work) {
    return shrunk_by(source, &(ShrinkAsk){.work = work});
}

static int64_t now_of(const ModuleShrunk *s, const char *name, int64_t otherwise) {
    for (int i = 0; i < s->sizes; i++)
        if (str_is(s->size[i].name, name)) return s->size[i].now;
    return otherwise;
}

static const char *file(const char *init, const char *forward, const char *rest) {
    return arena_printf(&arena,
                        "import torch\nimport torch.nn as nn\n\nclass Model(nn.Module):\n%s\n"
                        "    def forward(self, x):\n        return %s\n\n%s",
                        init, forward, rest);
}

static void within_the_work(void **state) {
    (void)state;
    const char *source = file("    def __init__(self, a, b):\n        super().__init__()\n"
                              "        self.fc = nn.Linear(a, b)\n",
                              "self.fc(x)",
                              "batch_size, in_features, out_features = 1024, 8192, 4096\n"
                              "def get_inputs():\n    return [torch.rand(batch_size, in_features)]\n"
                              "def get_init_inputs():\n    return [in_features, out_features]\n");
    ModuleShrunk *s = shrunk(source, MODULE_WORK);
    assert_true(s->small.work <= MODULE_WORK && s->published.work > 1000000000);
    assert_int_equal(s->published.output[0]->shape[1], 4096);
    int64_t batch = now_of(s, "batch_size", 0), in = now_of(s, "in_features", 0),
            out = now_of(s, "out_features", 0);
    assert_true(in > 0 && out > 0 && batch > 0 && in != out && in != batch && out != batch);
    assert_true(in % 16 == 0 && out % 16 == 0); // what divides them stays
    assert_true(s->small.tensor[0].value->shape[0] == out && s->small.tensor[0].value->shape[1] == in);
    // With more work less is made smaller; with enough nothing is.
    ModuleShrunk *larger = shrunk(source, 100 * (int64_t)MODULE_WORK), *all = shrunk(source, INT64_MAX / 8);
    assert_true(larger->small.work > s->small.work && all->sizes == 0);
}

// As many features in as out: numbers that are equal as published become different.
static void a_square_matrix_is_told_apart(void **state) {
    (void)state;
    ModuleShrunk *s = shrunk(file("    def __init__(self, a, b):\n        super().__init__()\n"
                                  "        self.fc = nn.Linear(a, b)\n",
                                  "self.fc(x)",
                                  "a = 8192\nb = 8192\ndef get_inputs():\n    return [torch.rand(128, a)]\n"
                                  "def get_init_inputs():\n    return [a, b]\n"),
                             MODULE_WORK);
    const Bound *w = s->small.tensor[0].value;
    assert_true(w->shape[0] != w->shape[1] && w->shape[0] > 8 && w->shape[1] > 8);
}

// Inputs of one shape keep one; those of two shapes keep two.
static void inputs_of_one_shape_keep_one(void **state) {
    (void)state;
    static const char head[] = "import torch\nimport torch.nn as nn\n\nclass Model(nn.Module):\n"
                               "    def forward(self, a, b):\n        return torch.cat([a, b], dim=1)\n\n"
                               "def get_inputs():\n    return [torch.rand(8192, 4096), ";
    ModuleShrunk *alike = shrunk(arena_printf(&arena, "%storch.rand(8192, 4096)]\n", head), MODULE_WORK),
                 *other = shrunk(arena_printf(&arena, "%storch.rand(8192, 4100)]\n", head), MODULE_WORK);
    const Bound *a = alike->small.input[0].tensor, *b = alike->small.input[1].tensor;
    assert_true(a->shape[0] < 8192 && a->shape[1] < 4096);
    assert_memory_equal(a->shape, b->shape, 2 * sizeof *a->shape);
    a = other->small.input[0].tensor, b = other->small.input[1].tensor;
    assert_true(a->shape[1] != b->shape[1]); // negative control
}

static void normalised_sets_stay_sets(void **state) {
    (void)state;
    ModuleShrunk *s = shrunk(file("    def __init__(self, c, g):\n        super().__init__()\n"
                                  "        self.n = nn.GroupNorm(g, c)\n",
                                  "self.n(x)",
                                  "c, g = 8192, 512\ndef get_inputs():\n    return [torch.rand(1000, c)]\n"
                                  "def get_init_inputs():\n    return [c, g]\n"),
                             1000);
    assert_true(s->small.least_set >= 8);
    assert_int_equal(now_of(s, "c", 8192) % now_of(s, "g", 512), 0);
    assert_true(now_of(s, "g", 512) < 512); // groups shrink with their channels
}

// A literal that repeats a constant moves with it; groups go on dividing both channel counts.
static void numbers_that_belong_together(void **state) {
    (void)state;
    ModuleShrunk *s = shrunk(file("    def __init__(self, c, o, k, shape):\n        super().__init__()\n"
                                  "        self.c = nn.Conv2d(c, o, k, padding=1, groups=16)\n"
                                  "        self.b = nn.Parameter(torch.randn(shape))\n",
                                  "self.c(x) + self.b",
                                  "c, o = 128, 256\nkernel_size = 3\nbias_shape = (256, 1, 1)\n"
                                  "def get_inputs():\n    return [torch.rand(16, c, 64, 48)]\n"
                                  "def get_init_inputs():\n    return [c, o, kernel_size, bias_shape]\n"),
                             200000);
    int64_t o = now_of(s, "o", 256);
    assert_true(o < 256 && now_of(s, "bias_shape", 256) == o && o % 16 == 0 && now_of(s, "c", 128) % 16 == 0);
    assert_true(s->small.input[0].tensor->shape[2] != s->small.input[0].tensor->shape[3]);
}

// Two numbers that stand for one size although they differ: the norm's width is twice the input's.
static void pairs(void **state) {
    (void)state;
    ModuleShrunk *s = shrunk(file("    def __init__(self, w):\n        super().__init__()\n"
                                  "        self.n = nn.LayerNorm(w)\n",
                                  "self.n(torch.cat([x, x], dim=2))",
                                  "w = 2048\ndef get_inputs():\n    return [torch.rand(64, 8, 1024)]\n"
                                  "def get_init_inputs():\n    return [w]\n"),
                             100000);
    assert_true(s->small.work <= 100000);
    assert_int_equal(now_of(s, "w", 2048), 2 * s->small.input[0].tensor->shape[2]);
}

static void what_stays(void **state) {
    (void)state;
    ModuleShrunk *s =
        shrunk(file("    def __init__(self, k, s, p, d):\n        super().__init__()\n"
                    "        self.p = nn.MaxPool1d(k, s, p, d)\n",
                    "self.p(x).narrow(1, 0, 5).transpose(dim0=1, dim1=2)",
                    "kernel_size, stride, padding, dilation = 16, 12, 8, 10\nsmall = 7\n"
                    "def get_inputs():\n    return [torch.rand(64, small, 4096)[:, :, -2000:]]\n"
                    "def get_init_inputs():\n    return [kernel_size, stride, padding, dilation]\n"),
               20000);
    for (int i = 0; i < s->sizes; i++)
        assert_true(s->size[i].published == 64 || s->size[i].published == 4096);
    assert_true(s->sizes == 2);
    assert_int_equal(s->small.output[0]->rank, 3);
    for (int i = 0; i < 3; i++) assert_true(s->small.output[0]->shape[i] > 1);
}

#define PRODUCT                                                                                    \
    "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, a, b):\n" \
    "        return torch.matmul(a, b)\nM, K, N = 4096, 2048, 1024\ndef get_inputs():\n"           \
    "    return [torch.rand(M, K), torch.rand(K, N)]\ndef get_init_inputs():\n    return []\n"

// Up to so much work it stays, too, where the others have become as small as they can.
static void a_held_number_stays_up_to_more_work(void **state) {
    (void)state;
    const int64_t work = 1 << 16, more = 1 << 24;
    const ModuleSize *held = &shrunk(PRODUCT, 1 << 22)->size[0];
    ModuleShrunk *less = shrunk_by(PRODUCT, &(ShrinkAsk){.work = work, .held = {held}, .helds = 1}),
                 *s = shrunk_by(PRODUCT,
                                &(ShrinkAsk){.work = work, .held = {held}, .helds = 1, .held_most = more});
    assert_true(str_is(held->name, "M") && now_of(less, "M", 4096) < 4096);
    assert_int_equal(now_of(s, "M", 4096), 4096);
    assert_true(s->small.work > work && s->small.work <= more);
    int64_t k = now_of(s, "K", 2048), n = now_of(s, "N", 1024);
    assert_true(k >= 4 && n >= 4 && k != n && k <= 16 && n <= 16);
}

// One number stays as it is while others become smaller; where that is not enough, it does, too.
static void a_held_number_goes_last(void **state) {
    (void)state;
    const int64_t work = 1 << 22;
    ModuleShrunk *all = shrunk(PRODUCT, work);
    assert_int_equal(all->sizes, 3);
    for (int i = 0; i < all->sizes; i++) {
        const ModuleSize *held = &all->size[i];
        char name[2] = {held->name.p[0], 0};
        ModuleShrunk *s = shrunk_by(PRODUCT, &(ShrinkAsk){.work = work, .held = {held}, .helds = 1});
        // At 4096 the others, which stay multiples, are too much work.
        int64_t near = now_of(s, name, held->published);
        assert_true(near >= 1024 && near >= 8 * held->now && s->small.work <= work);
        ModuleShrunk *least = shrunk_by(PRODUCT, &(ShrinkAsk){.work = 20000, .held = {held}, .helds = 1});
        int64_t now = now_of(least, name, held->published);
        assert_true(now < held->published && now > 16 && least->small.work <= 20000);
    }
}

// The others keep what divided them, up to 16, unless the smallest sizes have lost it.
static void others_keep_their_divisors(void **state) {
    (void)state;
    const int64_t work = 1 << 22;
    ModuleShrunk *small = shrunk(PRODUCT, work);
    ShrinkAsk q = {.work = work, .held = {&small->size[0]}, .helds = 1, .small = small};
    const ModuleShrunk *kept = shrunk_by(PRODUCT, &q);
    for (int i = 0; i < kept->sizes; i++) assert_int_equal(kept->size[i].now % 16, 0);
    for (int i = 1; i < small->sizes; i++) small->size[i].now |= 1;
    const ModuleShrunk *lost = shrunk_by(PRODUCT, &q);
    assert_true(lost->sizes == 2 && kept->sizes == 3); // so that one is as long as published
    assert_true(lost->small.work <= work);
}

// Sizes that differ, and that blocks of 64 divide as they did, for up to four times the work.
static void multiples_stay_multiples(void **state) {
    (void)state;
    const int64_t work = 1 << 20;
    ModuleShrunk *s = shrunk_by(PRODUCT, &(ShrinkAsk){.work = work, .work_most = 4 * work});
    int64_t m = now_of(s, "M", 0), k = now_of(s, "K", 0), n = now_of(s, "N", 0);
    assert_true(m % 64 == 0 && k % 64 == 0 && n % 64 == 0);
    assert_true(m != k && k != n && m != n && s->small.work > work && s->small.work <= 4 * work);
    ModuleShrunk *small = shrunk(PRODUCT, work); // without that, work comes first
    assert_true(small->small.work <= work);
}

static void errors_are_the_files(void **state) {
    (void)state;
    ModuleFile m =
        file_of(file("    pass\n", "x.view(7, 7)", "def get_inputs():\n    return [torch.rand(64)]\n"));
    ModuleShrunk *s = NEW(&arena, ModuleShrunk);
    DiagList d = DIAGS(&arena);
    assert_false(module_shrink(&arena, &m, &(ShrinkAsk){.work = MODULE_WORK}, s, &d));
    assert_non_null(diag_first(&d));
}

// For level quick: the batch first, down to 32 rows or to a few samples; other numbers stay as long as they
// can.
static void batches_go_first_at_quick(void **state) {
    (void)state;
    const char *rows = file("    pass\n", "torch.relu(x)",
                            "batch_size, dim = 4096, 65536\n"
                            "def get_inputs():\n    return [torch.rand(batch_size, dim)]\n");
    ModuleShrunk *quick = shrunk_by(rows, &(ShrinkAsk){.work = 100000, .quick = true}),
                 *plain = shrunk(rows, 100000);
    assert_int_equal(now_of(quick, "batch_size", 0), 32);
    assert_true(now_of(plain, "batch_size", 0) > 32 && quick->small.work <= 100000);
    assert_true(now_of(quick, "dim", 0) >= 512 && now_of(quick, "dim", 0) > now_of(plain, "dim", 0));
    const char *images = file("    def __init__(self, i, o):\n        super().__init__()\n"
                              "        self.c = nn.Conv2d(i, o, 3, groups=4)\n",
                              "self.c(x)",
                              "batch_size, i, o = 8, 32, 64\n"
                              "def get_inputs():\n    return [torch.rand(batch_size, i, 128, 96)]\n"
                              "def get_init_inputs():\n    return [i, o]\n");
    quick = shrunk_by(images, &(ShrinkAsk){.work = 100000, .quick = true});
    plain = shrunk(images, 100000);
    assert_int_equal(now_of(quick, "batch_size", 8), 2);
    assert_int_equal(now_of(plain, "batch_size", 8), 8); // small numbers stay
    assert_true(quick->small.work <= 100000);
}

// What was made smaller than it had to be, since others had its value, grows again while there is room.
static void what_is_left_goes_to_others(void **state) {
    (void)state;
    const char *product = "import torch\nimport torch.nn as nn\n\nclass Model(nn.Module):\n"
                          "    def forward(self, x, y):\n        return torch.matmul(x, y)\n\n"
                          "M, K, N = 1024, 4096, 2048\n"
                          "def get_inputs():\n    return [torch.rand(M, K), torch.rand(K, N)]\n"
                          "def get_init_inputs():\n    return []\n";
    const int64_t most = 100000;
    ModuleShrunk *s = shrunk_by(product, &(ShrinkAsk){.work = most, .quick = true});
    assert_true(s->small.work <= most && 3 * s->small.work > most);
    assert_true(now_of(s, "M", 0) >= 8 && now_of(s, "K", 0) >= 16 && now_of(s, "N", 0) >= 16);
}

// A block of the next power of two masks nothing in a row that has become a power of two.
static void rows_keep_tails_at_quick(void **state) {
    (void)state;
    static const struct {
        const char *sizes;
        bool power;
    } row[] = {{"rows, dim = 2048, 1536\n", false},
               {"rows, dim = 2048, 3072\n", false},
               {"rows, dim = 2048, 2048\n", true}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char inputs[256];
        snprintf(inputs, sizeof inputs, "%sdef get_inputs():\n    return [torch.rand(rows, dim)]\n",
                 row[i].sizes);
        ModuleShrunk *s = shrunk_by(
            file("    pass\n", "x * torch.rsqrt(torch.mean(x * x, dim=1, keepdim=True) + 1e-6)", inputs),
            &(ShrinkAsk){.work = 3 << 15, .work_most = 1 << 18, .quick = true});
        int64_t dim = now_of(s, "dim", 0);
        assert_true(dim >= 48 && ((dim & (dim - 1)) == 0) == row[i].power);
        assert_true(s->small.work <= 1 << 18);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(within_the_work, arena_teardown),
        cmocka_unit_test_teardown(a_square_matrix_is_told_apart, arena_teardown),
        cmocka_unit_test_teardown(inputs_of_one_shape_keep_one, arena_teardown),
        cmocka_unit_test_teardown(normalised_sets_stay_sets, arena_teardown),
        cmocka_unit_test_teardown(numbers_that_belong_together, arena_teardown),
        cmocka_unit_test_teardown(pairs, arena_teardown),
        cmocka_unit_test_teardown(what_stays, arena_teardown),
        cmocka_unit_test_teardown(a_held_number_goes_last, arena_teardown),
        cmocka_unit_test_teardown(a_held_number_stays_up_to_more_work, arena_teardown),
        cmocka_unit_test_teardown(others_keep_their_divisors, arena_teardown),
        cmocka_unit_test_teardown(multiples_stay_multiples, arena_teardown),
        cmocka_unit_test_teardown(batches_go_first_at_quick, arena_teardown),
        cmocka_unit_test_teardown(rows_keep_tails_at_quick, arena_teardown),
        cmocka_unit_test_teardown(what_is_left_goes_to_others, arena_teardown),
        cmocka_unit_test_teardown(errors_are_the_files, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
