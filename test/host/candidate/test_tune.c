// triton.autotune and triton.heuristics: what a launch receives, which config it is, and what is said of
// mistakes.
#include "host/doubling.h"
#include "host/world.h"
#include <math.h>

enum { N = 24 };
typedef struct {
    Arena arena;
    DiagList d;
    Machine m;
    Tensor in, out;
    float x[N];
} TuneCall;

static const char head[] = "import torch, triton\nimport triton.language as tl\n";
static const char body[] =
    "@triton.jit\n"
    "def scale(x, y, N, BLOCK: tl.constexpr, F: tl.constexpr, EVEN: tl.constexpr = False):\n"
    "    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    if EVEN:\n"
    "        tl.store(y + cols, tl.load(x + cols) * F + 0.5)\n"
    "    else:\n"
    "        tl.store(y + cols, tl.load(x + cols, mask=cols < N) * F, mask=cols < N)\n";
#define TUNED(lines) "def run(x):\n    y = torch.empty_like(x)\n    N = x.numel()\n" lines "    return y\n"
#define GRID         "lambda META: (triton.cdiv(N, META['BLOCK']),)"

static Tuned *shared; // of the calls of one program; NULL: every call is the only one

static bool tune_run(TuneCall *w, int tune, const char *decorators, const char *run) {
    *w = (TuneCall){0};
    w->d = DIAGS(&w->arena);
    machine_init(&w->m, &w->arena, &w->d, 1 << 20);
    w->m.autotune.config = tune;
    w->m.autotune.pruned = shared;
    for (int i = 0; i < N; i++) w->x[i] = (float)i;
    w->in = (Tensor){.dtype = DT_F32, .rank = 1, .shape = {N}, .stride = {1}};
    assert_true(storage_wrap(&w->m.storages, DT_F32, w->x, sizeof w->x, &w->in.storage));
    tensor_expose(&w->in, SHADOW_ALLOC | SHADOW_INIT);
    const Node *module = parsed(&w->arena, arena_printf(&w->arena, "%s%s%s%s", head, decorators, body, run));
    if (!host_screen(module, &w->d)) return false;
    return host_run(&w->m, code_cache_new(&w->arena), module, &w->in, 1, &w->out);
}

static void expect_scaled(int tune, const char *decorators, const char *run, float factor, float plus,
                          int configs, int programs) {
    TuneCall w;
    if (!tune_run(&w, tune, decorators, run))
        fail_msg("%s: %s\n%s%s", diag_name(w.d.at[0].kind), w.d.at[0].msg, decorators, run);
    float out[N];
    tensor_gather(&w.out, out, NULL);
    for (int i = 0; i < N; i++)
        if (out[i] != factor * (float)i + plus)
            fail_msg("element %d is %g\n%s%s", i, (double)out[i], decorators, run);
    assert_int_equal(w.m.autotune.configs, configs);
    assert_int_equal(w.m.count.programs, programs);
    arena_free(&w.arena);
}

static void test_configs(void **state) {
    (void)state;
    static const char three[] =
        "@triton.autotune(configs=[triton.Config({'BLOCK': 8, 'F': 2}, num_warps=2),\n"
        "    triton.Config({'BLOCK': 16, 'F': 3}, num_stages=4), triton.Config(kwargs={'BLOCK': 32, 'F': "
        "4})], key=['N'])\n";
    static const char run[] = TUNED("    scale[" GRID "](x, y, N)\n");
    expect_scaled(0, three, run, 2, 0, 3, 3);
    expect_scaled(1, three, run, 3, 0, 3, 2);
    expect_scaled(2, three, run, 4, 0, 3, 1);
    expect_scaled(3, three, run, 2, 0, 3, 3);
    expect_scaled(INT32_MAX, three, run, 3, 0, 3, 2);
    // Lists made elsewhere, by comprehension or by a function.
    expect_scaled(
        3,
        "def configs():\n    return [triton.Config({'BLOCK': b, 'F': f}) for b in (8, 16) for f in (2, 3)]\n"
        "@triton.autotune(configs(), ['N'])\n",
        run, 3, 0, 4, 2);
    expect_scaled(
        1,
        "CONFIGS = [triton.Config({'BLOCK': b, 'F': 5}, num_warps=w) for b, w in [(8, 1), (16, 2)]]\n"
        "@triton.autotune(configs=CONFIGS, key=[])\n",
        run, 5, 0, 2, 2);
    expect_scaled(
        0,
        "ALL = [triton.Config({'BLOCK': b, 'F': 5}, num_warps=b // 8) for b in (8, 16)]\n"
        "@triton.autotune(configs=[c for c in ALL if c.num_warps == 2 and c.kwargs['BLOCK'] > 8], key=[])\n",
        run, 5, 0, 1, 2);
    // Without a config the launch brings everything.
    expect_scaled(5, "@triton.autotune(configs=[], key=[])\n",
                  TUNED("    scale[(3,)](x, y, N, BLOCK=8, F=2)\n"), 2, 0, 0, 3);
}

static void test_pruning(void **state) {
    (void)state;
    // The arguments by name, every keyword, the grid; whatever is left is counted through.
    static const char wide[] =
        "def keep(configs, named, F, **kwargs):\n"
        "    assert named['N'] == 24 and F == 2 and kwargs['grid'] == (3,) and not kwargs['warmup']\n"
        "    return [c for c in configs if c.kwargs['BLOCK'] * 3 >= named['N'] and c.num_warps < 8]\n"
        "@triton.autotune([triton.Config({'BLOCK': 4}), triton.Config({'BLOCK': 8}), triton.Config({'BLOCK': "
        "16}, num_warps=2),\n"
        "    triton.Config({'BLOCK': 32}, num_warps=8)], ['N'], prune_configs_by={'early_config_prune': "
        "keep})\n";
    static const char run[] = TUNED("    scale[(3,)](x, y, N, F=2)\n");
    for (int tune = 0; tune < 5; tune++) expect_scaled(tune, wide, run, 2, 0, 2, 3);
    // A single config is not asked about.
    expect_scaled(0,
                  "def none(configs, named, **kw):\n    return []\n"
                  "@triton.autotune([triton.Config({'BLOCK': 8})], [], "
                  "prune_configs_by={'early_config_prune': none})\n",
                  run, 2, 0, 1, 3);
    expect_scaled(0,
                  "@triton.autotune([triton.Config({'BLOCK': 8}), triton.Config({'BLOCK': 8})], [], "
                  "prune_configs_by={})\n",
                  run, 2, 0, 2, 3);
}

// Triton prunes and tunes once for a key; later calls with it run what was found then.
static void test_pruning_of_other_calls(void **state) {
    (void)state;
#define FITTING(key)                                                                                       \
    "def keep(configs, named, **kw):\n"                                                                    \
    "    return [c for c in configs if c.kwargs['BLOCK'] == named['n2']]\n"                                \
    "@triton.autotune([triton.Config({'BLOCK': 8, 'F': 2}), triton.Config({'BLOCK': 16, 'F': 3}),\n"       \
    "    triton.Config({'BLOCK': 32, 'F': 4})], " key ", prune_configs_by={'early_config_prune': keep})\n" \
    "@triton.jit\n"                                                                                        \
    "def other(x, y, N, n2, BLOCK: tl.constexpr, F: tl.constexpr):\n"                                      \
    "    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"                                          \
    "    tl.store(y + cols, tl.load(x + cols, mask=cols < N) * F, mask=cols < N)\n"
#define CALL(n2) TUNED("    other[" GRID "](x, y, N, " n2 ")\n")
    Arena a = {0};
    for (int keyed = 0; keyed < 2; keyed++) {
        const char *kernel = keyed ? FITTING("['N', 'n2']") : FITTING("['N']");
        shared = tuned_new(&a);
        expect_scaled(1, kernel, CALL("8"), 2, 0, 1, 3);
        expect_scaled(0, kernel, CALL("32"), 4, 0, keyed ? 1 : 2, 1); // its own choice comes first
        expect_scaled(1, kernel, CALL("32"), keyed ? 4 : 2, 0, keyed ? 1 : 2, keyed ? 1 : 3);
        expect_scaled(1, kernel, CALL("16"), keyed ? 3 : 2, 0, keyed ? 1 : 3, keyed ? 2 : 3);
        shared = tuned_new(&a); // of another program
        expect_scaled(1, kernel, CALL("32"), 4, 0, 1, 1);
    }
    shared = NULL;
    arena_free(&a);
}

#define ASSERTING(where, key)                                                                        \
    "@triton.jit\n"                                                                                  \
    "def narrow(BLOCK: tl.constexpr, n2: tl.constexpr):\n"                                           \
    "    tl.static_assert(BLOCK <= n2, 'too wide')\n"                                                \
    "@triton.autotune([triton.Config({'BLOCK': 8, 'F': 2}), triton.Config({'BLOCK': 32, 'F': 4}),\n" \
    "    triton.Config({'BLOCK': 16, 'F': 3})], " key ")\n"                                          \
    "@triton.jit\n"                                                                                  \
    "def other(x, y, N, n2: tl.constexpr, BLOCK: tl.constexpr, F: tl.constexpr):\n"                  \
    "    " where "\n"                                                                                \
    "    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"                                    \
    "    tl.store(y + cols, tl.load(x + cols, mask=cols < N) * F, mask=cols < N)\n"
#define DIRECT "tl.static_assert(BLOCK <= n2, 'too wide')"
static void expect_raise(int tune, const char *decorators, const char *run, DiagKind kind, const char *part) {
    TuneCall w;
    assert_false(tune_run(&w, tune, decorators, run));
    assert_int_equal(w.d.at[0].kind, kind);
    if (!strstr(w.d.at[0].msg, part)) fail_msg("%s\n%s", w.d.at[0].msg, decorators);
    arena_free(&w.arena);
}

// Triton's tuner passes over what does not compile for want of resources or by tl.static_assert of the
// kernel.
static void test_unfit_configs(void **state) {
    (void)state;
    static const char keyed[] = ASSERTING(DIRECT, "['n2']"), loose[] = ASSERTING(DIRECT, "[]");
    for (int tune = 0; tune < 3; tune++)
        expect_scaled(tune, keyed, CALL("32"), tune == 0 ? 2 : tune == 1 ? 4 : 3, 0, 3, tune == 0 ? 3 : tune);
    expect_scaled(0, keyed, CALL("16"), 2, 0, 3, 3);
    expect_scaled(1, keyed, CALL("16"), 3, 0, 3, 2); // the next one
    expect_scaled(1, keyed, CALL("8"), 2, 0, 3, 3);
    expect_raise(0, keyed, CALL("4"), DIAG_COMPILE, "CompileTimeAssertionFailure('too wide')");
    // In a helper it is another exception.
    expect_raise(1, ASSERTING("narrow(BLOCK, n2)", "['n2']"), CALL("16"), DIAG_COMPILE, "too wide");
    // What one call has chosen runs in another with its key.
    Arena a = {0};
    for (int first = 0; first < 2; first++) {
        shared = tuned_new(&a);
        expect_scaled(1, keyed, first ? CALL("16") : CALL("32"), first ? 3 : 4, 0, 3, first ? 2 : 1);
        expect_scaled(1, keyed, first ? CALL("32") : CALL("16"), first ? 4 : 3, 0, 3, first ? 1 : 2);
        shared = tuned_new(&a);
        expect_scaled(1, loose, first ? CALL("16") : CALL("32"), first ? 3 : 4, 0, 3, first ? 2 : 1);
        expect_raise(1, loose, first ? CALL("32") : CALL("16"), first ? DIAG_HOST : DIAG_COMPILE,
                     first ? "number 2 of them compiles in this call, not in another one" : "too wide");
    }
    shared = NULL;
    arena_free(&a);
}

static void test_heuristics(void **state) {
    (void)state;
    static const char even[] = "@triton.heuristics({'EVEN': lambda args: args['N'] % args['BLOCK'] == 0})\n";
    expect_scaled(0, even, TUNED("    scale[" GRID "](x, y, N, BLOCK=8, F=2)\n"), 2, 0.5, 0, 3);
    expect_scaled(0, even, TUNED("    scale[" GRID "](x, y, N, BLOCK=16, F=2)\n"), 2, 0, 0, 2);
    expect_scaled(0, even, TUNED("    scale[" GRID "](x, y, N, 8, F=2)\n"), 2, 0.5, 0, 3);
    // In order, each seeing what the ones before it have set; a value that was given is replaced.
    expect_scaled(0,
                  "@triton.heuristics({'BLOCK': lambda a: triton.next_power_of_2(a['N']), 'F': lambda a: "
                  "a['BLOCK'] // 16})\n",
                  TUNED("    scale[" GRID "](x, y, N, F=7)\n"), 2, 0, 0, 1);
    expect_scaled(
        0, "def big(args):\n    return args['x'].numel() > 8\n@triton.heuristics(values={'EVEN': big})\n",
        TUNED("    scale[(3,)](x, y, N, BLOCK=8, F=2)\n"), 2, 0.5, 0, 3);
    // Below autotune they see its config.
    static const char both[] =
        "@triton.autotune(configs=[triton.Config({'BLOCK': 8}), triton.Config({'BLOCK': 16})], key=['N'])\n"
        "@triton.heuristics({'EVEN': lambda args: args['N'] % args['BLOCK'] == 0})\n";
    expect_scaled(0, both, TUNED("    scale[" GRID "](x, y, N, F=2)\n"), 2, 0.5, 2, 3);
    expect_scaled(1, both, TUNED("    scale[" GRID "](x, y, N, F=2)\n"), 2, 0, 2, 2);
}

#define PRUNE(value)                                                                         \
    "def less(c, n2):\n    return c\n"                                                       \
    "def keep(configs, named, **kw):\n    return " value "\n"                                \
    "@triton.autotune([triton.Config({'BLOCK': 8}), triton.Config({'BLOCK': 16})], ['N'],\n" \
    "    prune_configs_by={'early_config_prune': keep})\n"
static void test_mistakes(void **state) {
    static const char two[] = "@triton.autotune(configs=[triton.Config({'BLOCK': 8, 'F': 2}), "
                              "triton.Config({'BLOCK': 16, 'F': 3})], key=['N'])\n",
                      one[] = "@triton.autotune(configs=[triton.Config({'BLOCK': 8, 'F': 2})], key=['N'])\n";
    static const struct {
        DiagKind kind;
        const char *part, *decorators, *run;
    } c[] = {
        {DIAG_HOST,
         "ValueError: Conflicting meta-parameters: BLOCK. Make sure that you don't re-define auto-tuned "
         "symbols.",
         two, TUNED("    scale[(3,)](x, y, N, BLOCK=8)\n")},
        {DIAG_HOST, "Conflicting meta-parameters: BLOCK, F.", two,
         TUNED("    scale[(3,)](x, y, N, F=2, BLOCK=8)\n")},
        {DIAG_HOST, "multiple values for keyword argument 'BLOCK'", one,
         TUNED("    scale[(3,)](x, y, N, BLOCK=8)\n")},
        {DIAG_HOST, "multiple values for keyword argument 'num_warps'", two,
         TUNED("    scale[(3,)](x, y, N, num_warps=8)\n")},
        {DIAG_COMPILE, "multiple values for argument 'BLOCK'", two, TUNED("    scale[(3,)](x, y, N, 8)\n")},
        {DIAG_COMPILE, "Keyword argument BLOK was specified but unrecognised",
         "@triton.autotune(configs=[triton.Config({'BLOK': 8})], key=[])\n",
         TUNED("    scale[(3,)](x, y, N, BLOCK=8, F=2)\n")},
        {DIAG_COMPILE, "num_warps must be a power of 2",
         "@triton.autotune(configs=[triton.Config({'BLOCK': 8, 'F': 2}, num_warps=3)], key=[])\n",
         TUNED("    scale[(3,)](x, y, N)\n")},
        {DIAG_HOST, "KeyError: 'Q'", "@triton.heuristics({'F': lambda a: a['Q']})\n",
         TUNED("    scale[(3,)](x, y, N, BLOCK=8)\n")},
        {DIAG_HOST, "'int' object is not callable", "@triton.heuristics({'F': 3})\n",
         TUNED("    scale[(3,)](x, y, N, BLOCK=8)\n")},
        {DIAG_UNSUPPORTED, "prune_configs_by",
         "@triton.autotune([], [], prune_configs_by={'late_config_prune': min})\n",
         TUNED("    scale[(3,)](x, y, N, BLOCK=8, F=2)\n")},
        {DIAG_HOST, "wants a dictionary", "@triton.autotune([], [], prune_configs_by=min)\n",
         TUNED("    scale[(3,)](x, y, N, BLOCK=8, F=2)\n")},
        {DIAG_HOST, "No valid autotuner configs", PRUNE("[]"), TUNED("    scale[(3,)](x, y, N, F=2)\n")},
        {DIAG_HOST, "returns a list", PRUNE("len(configs)"), TUNED("    scale[(3,)](x, y, N, F=2)\n")},
        {DIAG_REFUSED, "only choose", PRUNE("[triton.Config({'BLOCK': 8})]"),
         TUNED("    scale[(3,)](x, y, N, F=2)\n")},
        {DIAG_REFUSED, "only choose", PRUNE("[None]"), TUNED("    scale[(3,)](x, y, N, F=2)\n")},
        {DIAG_REFUSED, "copy it", PRUNE("configs.append(1)"), TUNED("    scale[(3,)](x, y, N, F=2)\n")},
        {DIAG_REFUSED, "copy it", PRUNE("named.update(x=1)"), TUNED("    scale[(3,)](x, y, N, F=2)\n")},
        {DIAG_REFUSED, "launches nothing", PRUNE("scale[(3,)](named['x'], named['y'], named['N'], F=2)"),
         TUNED("    scale[(3,)](x, y, N, F=2)\n")},
        {DIAG_HOST, "missing 1 required positional argument: 'n2'", PRUNE("less(configs)"),
         TUNED("    scale[(3,)](x, y, N, F=2)\n")},
        {DIAG_HOST, "missing required argument 'key'", "@triton.autotune(configs=[])\n",
         TUNED("    scale[(3,)](x, y, N, BLOCK=8, F=2)\n")},
        {DIAG_HOST, "object has no attribute 'append'", "C = [triton.Config({'BLOCK': 8, 'F': 2})]\n",
         TUNED("    C.append(1)\n    scale[(3,)](x, y, N, 8, 2)\n")},
        {DIAG_HOST, "NameError", "@triton.autotune(configs=later, key=[])\n",
         TUNED("    scale[(3,)](x, y, N, BLOCK=8, F=2)\n")},
    };
    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        TuneCall w;
        if (tune_run(&w, 0, c[i].decorators, c[i].run))
            fail_msg("no finding, expected %s:\n%s%s", c[i].part, c[i].decorators, c[i].run);
        expect_finding(&w.d, c[i].kind, c[i].part, c[i].run);
        arena_free(&w.arena);
    }
}

// Benchmarking configs adds up again and again, unless the tensor is reset in between.
static void test_atomics_need_a_reset(void **state) {
    (void)state;
    static const struct {
        bool ok;
        const char *configs, *more;
    } c[] = {{false, "triton.Config({'B': 8}), triton.Config({'B': 16})", ""},
             {true, "triton.Config({'B': 8}), triton.Config({'B': 16})", ", reset_to_zero=['y']"},
             {true, "triton.Config({'B': 8}), triton.Config({'B': 16})", ", restore_value=['y']"},
             {false, "triton.Config({'B': 8}), triton.Config({'B': 16})", ", restore_value=[]"},
             {true, "triton.Config({'B': 8})", ""}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        TuneCall w;
        Arena a = {0};
        const char *kernel = arena_printf(
            &a,
            "@triton.autotune(configs=[%s], key=[]%s)\n@triton.jit\ndef add(x, y, B: tl.constexpr):\n"
            "    cols = tl.program_id(0) * B + tl.arange(0, B)\n"
            "    tl.atomic_add(y, tl.sum(tl.load(x + cols, mask=cols < 24, other=0.0)))\n",
            c[i].configs, c[i].more);
        bool ok = tune_run(&w, 0, kernel,
                           "def run(x):\n    y = torch.zeros(1, device=x.device)\n    add[lambda m: "
                           "(triton.cdiv(24, m['B']),)](x, y)\n    return y\n");
        if (ok != c[i].ok) fail_msg("%s", kernel);
        if (!ok) expect_finding(&w.d, DIAG_HOST, "reset_to_zero", kernel);
        float out = 0;
        if (ok) tensor_gather(&w.out, &out, NULL);
        if (ok && out != 276) fail_msg("the sum is %g", (double)out);
        arena_free(&w.arena);
        arena_free(&a);
    }
}

// So does every kernel that works in place, unless doing it twice is doing it once.
static void test_in_place_needs_a_restore(void **state) {
    (void)state;
    static const struct {
        bool ok;
        const char *more, *store;
    } c[] = {{false, "", "v + 1"},
             {true, ", restore_value=['y']", "v + 1"},
             {true, "", "tl.maximum(v, 1.0)"},
             {true, "", "tl.load(x + cols, mask=cols < 24, other=0.0)"}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        TuneCall w;
        Arena a = {0};
        const char *kernel =
            arena_printf(&a,
                         "@triton.autotune(configs=[triton.Config({'B': 8}), triton.Config({'B': 16})], "
                         "key=[]%s)\n@triton.jit\n"
                         "def bump(x, y, B: tl.constexpr):\n    cols = tl.program_id(0) * B + tl.arange(0, "
                         "B)\n    v = tl.load(y + cols, mask=cols < 24, other=0.0)\n"
                         "    tl.store(y + cols, %s, mask=cols < 24)\n",
                         c[i].more, c[i].store);
        bool ok = tune_run(&w, 0, kernel,
                           "def run(x):\n    y = torch.zeros(24, device=x.device)\n    bump[lambda m: "
                           "(triton.cdiv(24, m['B']),)](x, y)\n    return y\n");
        if (ok != c[i].ok) fail_msg("%s: %s", kernel, ok ? "fine" : diag_first(&w.d)->msg);
        if (!ok)
            expect_finding(&w.d, DIAG_HOST, "each run of bump changes what the one before it left in y",
                           kernel);
        float out[24] = {0};
        if (ok) tensor_gather(&w.out, out, NULL);
        if (ok && i < 3) assert_true(out[0] == 1);
        arena_free(&w.arena);
        arena_free(&a);
    }
}

// A kernel that loads nothing that it changes runs once, and pays for the two runs that would show nothing;
// one that does, or may, runs before.
static void test_runs_that_show_nothing(void **state) {
    (void)state;
    static const struct {
        const char *store;
        uint32_t runs;
    } c[] = {
        {"tl.load(x + cols, mask=cols < 24, other=0.0)", 1},
        {"tl.load(x + cols, mask=cols < 24, other=0.0) + tl.load(y + cols, mask=cols < 24, other=0.0) * 0",
         3},
        {"tl.load(tl.where(cols < 8, x, y) + cols, mask=cols < 8, other=0.0)", 3}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        TuneCall w;
        Arena a = {0};
        const char *run = "def run(x):\n    y = torch.zeros(24, device=x.device)\n    move[lambda m: "
                          "(triton.cdiv(24, m['B']),)](x, y)\n    return y\n";
        const char *kernel = arena_printf(
            &a,
            "@triton.autotune(configs=[triton.Config({'B': 8}), triton.Config({'B': 16})], "
            "key=[])\n@triton.jit\n"
            "def move(x, y, B: tl.constexpr):\n    cols = tl.program_id(0) * B + tl.arange(0, B)\n"
            "    tl.store(y + cols, %s, mask=cols < 24)\n",
            c[i].store);
        if (!tune_run(&w, 0, kernel, run)) fail_msg("%s: %s", kernel, diag_first(&w.d)->msg);
        assert_int_equal(w.m.race.serial, c[i].runs * 3);
        assert_int_equal(w.m.count.programs, 3);
        int64_t paid = (1 << 20) - w.m.steps_left - w.m.count.lanes;
        // Two more runs, and what the host does, which is little.
        assert_true(paid >= 2 * w.m.count.lanes);
        arena_free(&w.arena);
        arena_free(&a);
    }
}

// Whole programs: an autotuned rmsnorm whose loop knows whether blocks come out even, and one that adds its
// sums of squares up by atomics in a second kernel's input.
static const char tuned_rmsnorm[] =
    "@triton.autotune(configs=[triton.Config({'BLOCK': b}, num_warps=w) for b, w in [(8, 1), (16, 2), (32, "
    "4)]], key=['N'])\n"
    "@triton.heuristics({'EVEN_N': lambda args: args['N'] % args['BLOCK'] == 0})\n"
    "@triton.jit\n"
    "def rms(x, y, N, eps, BLOCK: tl.constexpr, EVEN_N: tl.constexpr):\n"
    "    acc = tl.zeros([BLOCK], dtype=tl.float32)\n"
    "    for off in range(0, N, BLOCK):\n"
    "        cols = off + tl.arange(0, BLOCK)\n"
    "        v = tl.load(x + cols) if EVEN_N else tl.load(x + cols, mask=cols < N, other=0.0)\n"
    "        acc += v * v\n"
    "    r = tl.rsqrt(tl.sum(acc) / N + eps)\n"
    "    for off in range(0, N, BLOCK):\n"
    "        cols = off + tl.arange(0, BLOCK)\n"
    "        tl.store(y + cols, tl.load(x + cols, mask=cols < N, other=0.0) * r, mask=cols < N)\n";
static const char split_rmsnorm[] =
    "@triton.autotune(configs=[triton.Config({'BLOCK': b}) for b in (2, 8, 16)], key=['N'], "
    "reset_to_zero=['s'])\n"
    "@triton.jit\n"
    "def square(x, s, N, BLOCK: tl.constexpr):\n"
    "    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    v = tl.load(x + cols, mask=cols < N, other=0.0)\n"
    "    tl.atomic_add(s, tl.sum(v * v))\n"
    "@triton.jit\n"
    "def divide(x, s, y, N, eps, BLOCK: tl.constexpr):\n"
    "    cols = tl.arange(0, BLOCK)\n"
    "    r = tl.rsqrt(tl.load(s) / N + eps)\n"
    "    tl.store(y + cols, tl.load(x + cols, mask=cols < N) * r, mask=cols < N)\n";

static void test_rmsnorm(void **state) {
    (void)state;
    static const struct {
        const char *kernels, *run;
        int launches;
    } c[] = {{tuned_rmsnorm, TUNED("    rms[(1,)](x, y, N, 1e-6)\n"), 1},
             {split_rmsnorm,
              TUNED("    s = torch.zeros((1,), dtype=torch.float32, device=x.device)\n"
                    "    square[" GRID "](x, s, N)\n    divide[(1,)](x, s, y, N, 1e-6, BLOCK=32)\n"),
              2}};
    for (int k = 0; k < 2; k++)
        for (int tune = 0; tune < 3; tune++) {
            TuneCall w;
            if (!tune_run(&w, tune, c[k].kernels, c[k].run)) fail_msg("%s\n%s", w.d.at[0].msg, c[k].kernels);
            float out[N];
            uint8_t flags[N];
            double sum = 0;
            tensor_gather(&w.out, out, flags);
            for (int i = 0; i < N; i++) sum += (double)i * i;
            for (int i = 0; i < N; i++) {
                double want = i / sqrt(sum / N + 1e-6);
                if (fabs(out[i] - want) > 1e-6 * want || !(flags[i] & SHADOW_STORED))
                    fail_msg("element %d is %g, not %g\n%s", i, (double)out[i], want, c[k].kernels);
            }
            assert_int_equal(w.m.count.launches, c[k].launches);
            assert_int_equal(w.m.autotune.configs, 3);
            arena_free(&w.arena);
        }
}

static void test_wrong_arguments(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_REFUSED, "as decorators", "y = triton.heuristics({})(run)"},
        {DIAG_UNSUPPORTED, "prune_configs_by", "y = triton.autotune([], [], prune_configs_by={'top': 3})"},
        {DIAG_HOST, "top_k", "y = triton.autotune([], [], prune_configs_by={'top_k': 'all'})"},
        {DIAG_UNSUPPORTED, "pre_hook", "y = triton.Config({}, pre_hook=len)"},
        {DIAG_HOST, "not list", "y = triton.Config([])"},
        {DIAG_HOST, "a triton.Config, not int", "y = triton.autotune([1], [])"},
        {DIAG_HOST, "lists for configs and key", "y = triton.autotune([], 'N')"},
        {DIAG_HOST, "keywords must be strings", "y = triton.heuristics({1: len})"},
    };
    EXPECT_FAILURES(cases);
}

static void test_features(void **state) {
    (void)state;
    static const Feature features[] = {
        {"triton.Config", HOLDS("triton.Config({'B': 8}, num_warps=2).num_warps == 2 and triton.Config({'B': "
                                "8}).kwargs['B'] == 8")},
        {"a copy of a config's constants",
         "C = [triton.Config({'B': 8})]\n" RUN("    k = dict(**C[0].kwargs)\n    k['B'] = 4\n    assert "
                                               "C[0].kwargs['B'] == 8\n    return double(x)\n")},
    };
    RUN_FEATURES(features);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_configs),
                                       cmocka_unit_test(test_pruning),
                                       cmocka_unit_test(test_pruning_of_other_calls),
                                       cmocka_unit_test(test_unfit_configs),
                                       cmocka_unit_test(test_heuristics),
                                       cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_atomics_need_a_reset),
                                       cmocka_unit_test(test_in_place_needs_a_restore),
                                       cmocka_unit_test(test_runs_that_show_nothing),
                                       cmocka_unit_test(test_rmsnorm),
                                       cmocka_unit_test(test_wrong_arguments),
                                       cmocka_unit_test(test_features)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
