// Wrong kernels on request: they parse, say which mistake they make, and are wrong.
#include "run_kernel.h"

enum { EACH = 4 };

static int wrong_ones(Arena *a, const Op *op, const char *flaw, Proposal out[EACH]) {
    Smith *smith;
    Err e = {0};
    int n = 0;
    assert_true(smith_open(a, "grammar", NULL, &smith, &e));
    SmithRequest q = {.seed = 4, .count = EACH, .flaw = flaw};
    if (smith_propose(smith, a, op, &q, out, &n, &e)) return n;
    assert_int_equal(e.code, ERR_INPUT);
    assert_non_null(strstr(e.msg, flaw));
    return 0;
}

// In some case: long rows for what is lost in sums, large values for overflow, small ones for the constants
// under roots.
static bool found_out(Arena *a, const Op *op, Str source) {
    static const Shape shapes[] = {
        {5, 257, DT_F32, true, 1},   {3, 1000, DT_F16, true, 1},   {5, 37, DT_F32, true, 4e-4},
        {3, 900, DT_F16, true, 4},   {2, 4100, DT_F16, false, .5}, {2, 70, DT_F32, true, 60},
        {2, 5003, DT_BF16, true, 1}, {3, 130, DT_F32, true, 1e-6},
    };
    DiagList d = DIAGS(a);
    const Node *module = parse_module(a, source, &d);
    assert_non_null(module);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        ArenaMark mark = arena_mark(a);
        Shape s = shapes[i];
        const OpDim *cols = &op->dim[op->row_dim];
        s.n -= s.n % cols->multiple_of;
        bool wrong = run_one(a, op, module, source, s, i) != NULL;
        arena_reset(a, mark);
        if (wrong) return true;
    }
    return false;
}

static bool ops_of_the_test(Arena *a, int i, Op *out) {
    static const char *const bodies[] = {
        ("    h = x.float()\n"
         "    c = h - h.mean(-1, keepdim=True)\n"
         "    h = c * torch.rsqrt((c * c).mean(-1, keepdim=True) + 1e-5) * w.float()\n"
         "    return torch.nn.functional.gelu(h, approximate='tanh').to(x.dtype)\n"),
        ("    h = x.float()\n"
         "    r = torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)\n"
         "    return (h * r * w.float()).to(x.dtype)\n"),
        "    return torch.softmax(x.float() * w.float(), dim=-1).to(x.dtype)\n",
        "    return torch.log_softmax(x.float(), dim=-1).to(x.dtype)\n",
        "    return torch.cumsum(x.float(), dim=-1).to(x.dtype)\n",
        "    return (x.float() / (1.0 + torch.exp(-x.float())) - 0.75 * w.float()).to(x.dtype)\n",
    };
    int n = sizeof bodies / sizeof *bodies;
    if (i < n) *out = define_body(a, bodies[i]);
    if (i == n)
        *out = define(a, "gated",
                      "\"\"\"Relu of one, times the tanh of the other.\"\"\"\n"
                      "inputs = {\"x\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 4)},\n"
                      "          \"y\": {\"shape\": (\"M\", \"N\"), \"scale\": (0.1, 4)}}\n"
                      "def reference(x, y):\n"
                      "    return (torch.relu(x.float()) * torch.tanh(y.float())).to(x.dtype)\n");
    return i <= n;
}

static void every_flaw_makes_wrong_kernels(void **state) {
    (void)state;
    Arena a = {0};
    const char *flaw, *words;
    int flaws = 0;
    for (int i = 0; (flaw = smith_flaw(i, &words)); i++) {
        int found = 0;
        flaws++;
        assert_true(strlen(words) > 10);
        for (int k = 0;; k++) {
            ArenaMark mark = arena_mark(&a);
            Op op;
            if (!ops_of_the_test(&a, k, &op)) break;
            Proposal p[EACH];
            int n = wrong_ones(&a, &op, flaw, p);
            for (int j = 0; j < n; j++) {
                assert_string_equal(p[j].flaw, flaw);
                if (!found_out(&a, &op, p[j].source))
                    fail_msg("op %d, %s, %s: nothing is wrong with\n%.*s", k, flaw, p[j].schedule,
                             STR_ARG(p[j].source));
            }
            found += n;
            arena_reset(&a, mark);
        }
        if (found < EACH) fail_msg("%s: only %d kernels", flaw, found);
    }
    assert_true(flaws >= 12);
    arena_free(&a);
}

// The control: the same shapes find nothing in kernels that nobody asked to be wrong.
static void without_a_flaw_nothing_is_wrong(void **state) {
    (void)state;
    Arena a = {0};
    Op op;
    for (int k = 0; ops_of_the_test(&a, k, &op); k++) {
        Proposal p[EACH];
        int n = wrong_ones(&a, &op, NULL, p);
        assert_int_equal(n, EACH);
        for (int j = 0; j < n; j++) {
            assert_null(p[j].flaw);
            if (found_out(&a, &op, p[j].source))
                fail_msg("op %d, %s\n%.*s", k, p[j].schedule, STR_ARG(p[j].source));
        }
    }
    arena_free(&a);
}

static void unknown_flaws_are_refused_with_the_known_ones(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    Smith *smith;
    Proposal p[1];
    int n = 3;
    Op op;
    assert_true(ops_of_the_test(&a, 0, &op));
    assert_true(smith_open(&a, "grammar", NULL, &smith, &e));
    SmithRequest q = {.seed = 4, .count = 1, .flaw = "typo"};
    assert_false(smith_propose(smith, &a, &op, &q, p, &n, &e));
    assert_int_equal(e.code, ERR_USAGE);
    assert_int_equal(n, 0);
    assert_non_null(strstr(e.msg, "carry_dropped"));
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flaw_makes_wrong_kernels),
        cmocka_unit_test(without_a_flaw_nothing_is_wrong),
        cmocka_unit_test(unknown_flaws_are_refused_with_the_known_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
