// Which lines that never ran can matter; and what a child says of them is read strictly.
#include "host/python/look_up.h"
#include "lang/ast.h"
#include "sandbox/unreached/unreached.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <stdio.h>

#include <cmocka.h>

static const char source[] = "def run(x):\n"
                             "    M, N = x.shape\n" // 2
                             "    if x.dim() != 2:\n"
                             "        x = x.view(-1, N)\n" // a rank outside of the domain
                             "    if N > 70000:\n"
                             "        message = 'long'\n"
                             "        raise ValueError(message)\n" // only raises
                             "    if N == 384 and M == 7:\n"
                             "        return x\n"           // 9
                             "    s = 3 if M == 1 else 4\n" // 10
                             "    return s\n";
static const VariesInputs one = {.n = 1, .rank = {2}};
#define AT(text) (uint32_t)(strstr(source, text) - source)

static void what_can_matter_is_found(void **state) {
    (void)state;
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, STR(source), &d);
    Cover c = {.n = sizeof source - 1, .at = NEWN(&a, uint8_t, sizeof source)};
    static const char *const ran[] = {"M, N",  "if x.dim",        "if N > 7", "if N == 384",
                                      "s = 3", "4\n    return s", "return s"};
    for (size_t i = 0; i < sizeof ran / sizeof *ran; i++) cover_mark(&c, AT(ran[i]), COVER_HOST);
    Unreached u, back, none;
    unreached_find(&a, m, &c, &one, &u);
    assert_int_equal(u.places, 2);
    assert_int_equal(u.place[0].from, AT("return x"));
    assert_int_equal(u.place[0].at, AT("N == 384"));
    assert_int_equal(u.place[1].from, AT("3 if"));
    Buf text = BUF(&a);
    unreached_say(&u, &text);
    const char *p = buf_cstr(&text);
    assert_true(unreached_read(&p, &back) && !*p);
    assert_memory_equal(&u, &back, sizeof u);
    cover_mark(&c, AT("M == 1"), COVER_HOST); // the arm in front of it
    cover_mark(&c, AT("return x"), COVER_HOST);
    unreached_find(&a, m, &c, &one, &none);
    assert_false(unreached_any(&none));
    unreached_meet(&u, &none);
    assert_false(unreached_any(&u));
    arena_free(&a);
}

static void texts_are_read_strictly(void **state) {
    (void)state;
    Unreached u;
    static const char *const good[] = {"", " lines 3", " unreached 01", " unreached 0f at 0:1:2:3 2:9:2:3",
                                       " unreached  +"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const char *p = good[i];
        assert_true(unreached_read(&p, &u));
        assert_int_equal(unreached_any(&u), i >= 2);
    }
    static const char *const bad[] = {" unreached ",
                                      " unreached 0",
                                      " unreached 00",
                                      " unreached 01 at",
                                      " unreached 01 at 0:1:2",
                                      " unreached 01 at 1:1:2:3", // no such bit
                                      " unreached 03 at 1:1:2:3 0:1:2:3",
                                      " unreached 01 at 00:1:2:3",
                                      " unreached 01 at 0:1:2:99999999",
                                      " unreached ff at 0:1:2:3 1:1:2:3 2:1:2:3 3:1:2:3 4:1:2:3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *p = bad[i];
        if (unreached_read(&p, &u)) fail_msg("%s", bad[i]);
    }
}

// Parts of expressions. ran: what was executed, by its text; FALSE or TRUE marks a comparison.
typedef struct {
    const char *text;
    uint8_t mark;
} Mark;

static bool left_out(const char *text, const Mark *mark, int marks) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, str_of(text), &d);
    assert_non_null(m);
    Cover c = {.n = strlen(text), .at = NEWN(&a, uint8_t, strlen(text) + 1)};
    for (int i = 0; i < marks; i++) {
        if (!strstr(text, mark[i].text)) fail_msg("%s", mark[i].text);
        cover_mark(&c, (uint32_t)(strstr(text, mark[i].text) - text), mark[i].mark);
    }
    Unreached u;
    unreached_find(&a, m, &c, &one, &u);
    bool any = unreached_any(&u);
    arena_free(&a);
    return any;
}
// With all marks but the last, then with that one, too.
#define COUNTS(text, ...)                                                          \
    do {                                                                           \
        const Mark all[] = {__VA_ARGS__};                                          \
        int n = sizeof all / sizeof *all;                                          \
        if (!left_out(text, all, n - 1) || left_out(text, all, n)) fail_msg(text); \
    } while (0)

// Tables: how many entries are left out of the first display of a text, which was looked up by the call or
// subscript that ends at `end`. ways: of each entry, how a key has met it.
typedef struct {
    const Node *node;
} Found;
static void find_table(void *arg, const Node *n) {
    Found *f = arg;
    bool table = n->kind == NODE_DICT || n->kind == NODE_LIST;
    if (table && !f->node) f->node = n;
    node_each_child(n, find_table, f);
}
static bool table_left_out(const char *text, const char *end, const uint8_t *ways) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, str_of(text), &d);
    Found f = {0};
    find_table(&f, m);
    assert_non_null(f.node);
    Cover *c = NEW(&a, Cover);
    *c = (Cover){.n = strlen(text),
                 .at = NEWN(&a, uint8_t, strlen(text) + 1),
                 .truth = NEWN(&a, CoverTruth, COVER_TRUTHS_MAX)};
    cover_mark(c, (uint32_t)(strstr(text, "M, N") - text), COVER_HOST);
    cover_mark(c, (uint32_t)(strstr(text, "y =") - text), COVER_HOST);
    c->look_up[c->look_ups++] =
        (CoverLookUp){.at = (uint32_t)(strstr(text, end) + strlen(end) - 1 - text), .made = f.node};
    const Nodes *entries = f.node->kind == NODE_DICT ? &f.node->dict.keys : &f.node->items;
    for (int i = 0; i < entries->n; i++) {
        if (ways[i] & COVER_TRUE) cover_truth(c, look_up_entry(entries->at[i]), true);
        if (ways[i] & COVER_FALSE) cover_truth(c, look_up_entry(entries->at[i]), false);
    }
    Unreached u;
    unreached_find(&a, m, c, &one, &u);
    bool any = unreached_any(&u);
    arena_free(&a);
    return any;
}

static void entries_count(void **state) {
    (void)state;
    enum { NO = COVER_FALSE, MET = COVER_FALSE | COVER_TRUE };
    static const uint8_t all[] = {MET, MET}, one_of[] = {MET, NO}, never_near[] = {MET, 0};
#define RUN "def run(x):\n    M, N = x.shape\n    y = "
    static const char get[] = RUN "{7: 1.0, 9: 2.0}.get(N, 1.0)\n";
    assert_false(table_left_out(get, "1.0)", all));
    assert_true(table_left_out(get, "1.0)", one_of));
    assert_false(table_left_out(get, "1.0)", never_near)); // a key of another kind
    assert_true(table_left_out(RUN "{7: 1.0, 9: 2.0}[N]\n", "N]", one_of));
    assert_true(table_left_out(RUN "[1.0, 2.0][N % 2]\n", "2]", one_of));
    assert_false(table_left_out(RUN "[1.0, 2.0][N % 1]\n", "1]", one_of)); // no such index
    assert_true(table_left_out(RUN "{(7, 0): 1.0, (9, 9): 2.0}.get((M, N), 1.0)\n", "1.0)", one_of));
    // Sizes that no tensor has.
    assert_false(table_left_out(RUN "{(7, 1): 1.0, (0, 9): 2.0}.get((M, N), 1.0)\n", "1.0)", one_of));
    assert_false(
        table_left_out(RUN "{(7, 1): 1.0, (131072, 65536): 2.0}.get((M, N), 1.0)\n", "1.0)", one_of));
    // All dtypes have come; and options of a launch make no values.
    assert_false(table_left_out(RUN "{'a': 1.0, 'b': 2.0}.get(x.dtype, 1.0)\n", "1.0)", one_of));
    static const char kernel[] = "import triton\n@triton.jit\ndef k(n):\n    pass\n" RUN
                                 "k[(1,)](N, num_warps={7: 4, 9: 8}.get(N, 4))\n";
    assert_false(table_left_out(kernel, "N, 4)", one_of));
    static const char fewer[] = "import triton\n@triton.jit\ndef k(n):\n    pass\n" RUN
                                "k[(1,)](N, num_warps={7: 4, 9: 2}.get(N, 4))\n";
    assert_true(table_left_out(fewer, "N, 4)", one_of));
}

static void parts_count(void **state) {
    (void)state;
    enum { RAN = COVER_HOST, NO = COVER_FALSE, YES = COVER_TRUE, KERNEL = COVER_RUN };
    COUNTS("def run(x):\n    y = x.numel() == 7 and f(x)\n", {"y =", RAN}, {"7", NO | YES}, {"f(x)", RAN});
    COUNTS("def run(x):\n    y = x.numel() == 7 or f(x)\n", {"y =", RAN}, {"7", NO | YES}, {"f(x)", RAN});
    COUNTS("def run(x):\n    y = x.numel() == 7\n", {"y =", RAN}, {"7", NO}, {"7", YES});
    COUNTS("def run(x):\n    y = [1 for i in x.shape if i == 7]\n", {"y =", RAN}, {"7", NO | YES},
           {"i in", RAN});
    COUNTS("def run(x):\n    y = lambda: 1\n    [y, 1][x.numel()]()\n", {"y =", RAN}, {"[y", RAN},
           {"1\n", RAN});
    // An arm that begins where its statement does, and one inside another.
    COUNTS("def run(x):\n    f() if x.numel() == 7 else g()\n", {"f()", RAN}, {"7", NO | YES}, {"g()", RAN},
           {"x.numel", RAN});
    COUNTS("def run(x):\n    y = (a if x.numel() == 7 else b) if x.numel() > 3 else c\n", {"y =", RAN},
           {"x.numel() > 3", RAN}, {"c\n", RAN}, {"b)", RAN}, {"x.numel() == 7", RAN});
    COUNTS("import triton\n@triton.jit\ndef k(n):\n    y = 1 if n == 7 else 2\ndef run(x):\n    "
           "k[(1,)](x.numel())\n",
           {"y =", KERNEL}, {"k[", RAN}, {"2\n", KERNEL}, {"n == 7", KERNEL});
    // Two truths of a kernel, each of which was met, and both at once.
    COUNTS("import triton\n@triton.jit\ndef k(n):\n    u = tl.program_id(0) == 7\n    v = n == 9\n"
           "    y = u & v\ndef run(x):\n    k[(1,)](x.numel())\n",
           {"u =", KERNEL}, {"v =", KERNEL}, {"y =", KERNEL}, {"k[", RAN}, {"7", NO | YES}, {"9", NO | YES},
           {"v\n", NO}, {"v\n", YES});
    // What only leads to an exception does not count, unless it works.
    const Mark raises[] = {{"if", RAN}, {"7", NO}};
    assert_false(
        left_out("def run(x):\n    if x.numel() == 7 and x.numel() > 3:\n        raise E\n", raises, 2));
    assert_true(left_out(
        "def f():\n    return 1\ndef run(x):\n    if x.numel() == 7 and f():\n        raise E\n", raises, 2));
}

// Of layouts only what many sizes share need not come out both ways.
// An expression whose truth was asked for, or arithmetic: by its text. ways: how it has come out.
typedef struct {
    const char *text, *source;
    const Node *found;
} ByText;
static void find_text(void *arg, const Node *n) {
    ByText *b = arg;
    size_t len = strlen(b->text);
    if (n->span.len == len && strncmp(b->source + n->span.at, b->text, len) == 0) b->found = n;
    node_each_child(n, find_text, b);
}

static bool one_way_counts(const char *text, const char *part, uint8_t ways, bool keeps) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, str_of(text), &d);
    ByText b = {part, text, NULL};
    Cover c = {.n = strlen(text), .at = NEWN(&a, uint8_t, strlen(text) + 1), .keeps = keeps};
    c.truth = NEWN(&a, CoverTruth, COVER_TRUTHS_MAX);
    memset(c.at, COVER_HOST | COVER_RUN, c.n);
    find_text(&b, m);
    if (!b.found) fail_msg("%s", part);
    if (ways & COVER_FALSE) cover_truth(&c, b.found, false);
    if (ways & COVER_TRUE) cover_truth(&c, b.found, true);
    assert_int_equal(cover_truth_of(&c, b.found), ways);
    Unreached u;
    unreached_find(&a, m, &c, &one, &u);
    bool any = unreached_any(&u);
    arena_free(&a);
    return any;
}

static void truths_and_arithmetic_have_two_ways(void **state) {
    (void)state;
    enum { NO = COVER_FALSE, YES = COVER_TRUE };
#define OF(expression) "def run(x):\n    M, N = x.shape\n    d = N - 7\n    return " expression "\n"
    static const struct {
        const char *text, *part;
        uint8_t way;
        bool counts;
    } all[] = {
        {OF("1 - (not d)"), "d", YES, true},
        {OF("(d and 1)"), "d", YES, true},
        {OF("(d or 1)"), "d", NO, true},
        {OF("int(bool(d))"), "bool(d)", YES, true},
        {OF("sum([any([d])])"), "any([d])", YES, true},
        {OF("[1 for i in (1,) if d]"), "d", YES, true},
        {OF("str(d).startswith('0')"), "str(d).startswith('0')", NO, true},
        {OF("int(bool(N))"), "bool(N)", YES, false},                        // no size is 0
        {OF("all([s for s in x.shape])"), "d", YES, false},                 // nobody asks
        {OF("N * 40503 % 65536 - 5"), "N * 40503 % 65536 - 5", YES, false}, // one of many values
        {OF("min(1, abs(N * 40503 % 65536 - 5))"), "min(1, abs(N * 40503 % 65536 - 5))", NO, true},
        {OF("0 ** (N * 40503 % 65536 - 5)"), "0 ** (N * 40503 % 65536 - 5)", NO, true},
        {OF("1 // (N * 40503 % 65536 + 1)"), "1 // (N * 40503 % 65536 + 1)", NO, true},
        {OF("1 % (N * 40503 % 65536 + 1)"), "1 % (N * 40503 % 65536 + 1)", YES, true},
        {OF("(N ^ 21) // 9"), "(N ^ 21) // 9", NO, true},
        {OF("min(N & 65535, 1)"), "min(N & 65535, 1)", NO, true}, // the second argument
        {OF("N - N // 65536 * 65536"), "N - N // 65536 * 65536", YES, false},
        {OF("min(1, N - N // 65536 * 65536)"), "min(1, N - N // 65536 * 65536)", YES, true},
        {OF("int(N * 0.618 % 1.0 * 65536)"), "int(N * 0.618 % 1.0 * 65536)", YES, true},
        {OF("N - N // 128 * 128"), "N - N // 128 * 128", YES, false},
        {OF("int(N * 0.5)"), "int(N * 0.5)", YES, false},
        {OF("N % 16 - 5"), "N % 16 - 5", YES, false},
        {OF("min(N, 4096)"), "min(N, 4096)", YES, false},
        {OF("9000 - N % 8192"), "9000 - N % 8192", YES, false}, // never 0
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (one_way_counts(all[i].text, all[i].part, all[i].way, false) != all[i].counts)
            fail_msg("%s", all[i].text);
        if (one_way_counts(all[i].text, all[i].part, NO | YES, false)) fail_msg("both: %s", all[i].text);
        if (one_way_counts(all[i].text, all[i].part, 0, false)) fail_msg("none: %s", all[i].text);
    }
    // Of numbers that an object keeps, any arithmetic that can choose.
#define MODEL(expression)                                                                       \
    "class ModelNew:\n    def __init__(self):\n        self.n = 0\n    def forward(self, x):\n" \
    "        self.n = self.n + 1\n        return " expression "\n"
    assert_true(one_way_counts(MODEL("self.n // 5000"), "self.n // 5000", NO, true));
    assert_true(one_way_counts(MODEL("min(self.n, 5000)"), "min(self.n, 5000)", YES, true));
    assert_true(one_way_counts(MODEL("self.n - 5000"), "self.n - 5000", YES, true));
    assert_false(one_way_counts(MODEL("self.n - 5000"), "self.n + 1", YES, true));
    assert_false(one_way_counts(MODEL("self.n + x.shape[0]"), "self.n + x.shape[0]", YES, true));
    assert_true(one_way_counts(MODEL("int(self.n * 0.001)"), "int(self.n * 0.001)", NO, true));
    assert_false(one_way_counts(MODEL("len(self.l) > 3"), "len(self.l)", YES, true));
    assert_false(one_way_counts(MODEL("self.n / 5000"), "self.n / 5000", YES, true));
}

// A side of an `if` that has no line, or none that matters, has nothing that tells that it was never taken:
// its condition has to have come out both ways.
static void a_silent_side_counts(void **state) {
    (void)state;
    enum { RAN = COVER_HOST, NO = COVER_FALSE, YES = COVER_TRUE };
#define SILENT(text) "def run(x):\n    M, N = x.shape\n    y = 1\n" text
    COUNTS(SILENT("    if N != 7:\n        y = 2\n    return y\n"), {"M, N", RAN}, {"if", RAN},
           {"y = 1", RAN}, {"y = 2", RAN}, {"return y", RAN}, {"7", YES}, {"7", NO});
    COUNTS(SILENT("    if not N == 7:\n        y = 2\n    return y\n"), {"M, N", RAN}, {"if", RAN},
           {"y = 1", RAN}, {"y = 2", RAN}, {"return y", RAN}, {"7", NO}, {"7", YES});
    COUNTS(SILENT("    if N == 7:\n        pass\n    else:\n        y = 2\n    return y\n"), {"M, N", RAN},
           {"if", RAN}, {"y = 1", RAN}, {"y = 2", RAN}, {"return y", RAN}, {"7", NO}, {"7", YES});
    COUNTS(SILENT("    if N == 7:\n        print('seven')\n    else:\n        y = 2\n    return y\n"),
           {"M, N", RAN}, {"if", RAN}, {"y = 1", RAN}, {"y = 2", RAN}, {"return y", RAN}, {"7", NO},
           {"7", YES});
    COUNTS(SILENT("    if N != 7:\n        return y\n"), {"M, N", RAN}, {"if", RAN}, {"y = 1", RAN},
           {"return y", RAN}, {"7", YES}, {"7", NO}); // nothing stands behind it
    // What matters on neither side, on both, or never: these need no second way.
    static const struct {
        const char *text;
        Mark mark[6];
    } free[] = {
        {SILENT("    if N != 7:\n        print('other')\n    return y\n"),
         {{"M, N", RAN}, {"y = 1", RAN}, {"print", RAN}, {"return y", RAN}, {"7", YES}, {"if", RAN}}},
        {SILENT("    if N > 0:\n        y = 2\n    return y\n"),
         {{"M, N", RAN}, {"y = 1", RAN}, {"y = 2", RAN}, {"return y", RAN}, {"0", YES}, {"if", RAN}}},
        {SILENT("    if x.stride(0) % 16 == 0:\n        y = 2\n    return y\n"),
         {{"M, N", RAN}, {"y = 1", RAN}, {"y = 2", RAN}, {"return y", RAN}, {"0:", YES}, {"if", RAN}}},
        {SILENT("    if N > 70000:\n        raise ValueError(N)\n    return y\n"),
         {{"M, N", RAN}, {"y = 1", RAN}, {"if", RAN}, {"return y", RAN}, {"70000", NO}, {"if", RAN}}},
    };
    for (size_t i = 0; i < sizeof free / sizeof *free; i++)
        if (left_out(free[i].text, free[i].mark, 6)) fail_msg("%s", free[i].text);
}

static void find_loop(void *arg, const Node *n) {
    const Node **found = arg;
    if (n->kind == NODE_FOR || n->kind == NODE_WHILE) *found = n;
    node_each_child(n, find_loop, arg);
}
static bool loop_counts(const char *text, uint8_t ways) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, str_of(text), &d), *found = NULL;
    assert_non_null(m);
    find_loop(&found, m);
    Cover c = {.n = strlen(text), .at = NEWN(&a, uint8_t, strlen(text) + 1), .keeps = true};
    c.truth = NEWN(&a, CoverTruth, COVER_TRUTHS_MAX);
    memset(c.at, COVER_HOST, c.n);
    if (ways & COVER_FALSE) cover_truth(&c, found, false);
    if (ways & COVER_TRUE) cover_truth(&c, found, true);
    Unreached u;
    unreached_find(&a, m, &c, &one, &u);
    bool any = unreached_any(&u);
    arena_free(&a);
    return any;
}

// A loop over what the program keeps has to have had turns in some call, and none in another.
static void first_turns_count(void **state) {
    (void)state;
    enum { NO = COVER_FALSE, YES = COVER_TRUE };
    static const struct {
        const char *loop;
        bool counts;
    } all[] = {
        {"while self.n < 5000:\n            k(x)\n            break", true},
        {"for i in range(self.n, 5000, 5000):\n            k(x)", true},
        {"for i in range(5000 - self.n):\n            k(x)", true},
        {"for i in self.l:\n            k(x)", true},
        {"for i in range(self.n + 1):\n            k(x)", false}, // one turn at least
        {"for i in range(0, self.n + 1):\n            k(x)", false},
        {"while self.n < 5000:\n            print(x)\n            break", false}, // nothing is done there
        {"while x.shape[0] > 5:\n            k(x)\n            break",
         false}, // of sizes, not of what is kept
        {"for i in range(x.shape[0] - 5):\n            k(x)", false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Arena a = {0};
        const char *text =
            arena_printf(&a,
                         "class ModelNew:\n    def __init__(self):\n        self.n = 0\n        self.l = []\n"
                         "    def forward(self, x):\n        self.n = self.n + 1\n"
                         "        self.l.append(1)\n        %s\n        return x\n",
                         all[i].loop);
        for (int way = NO; way <= YES; way += YES - NO) {
            bool may = all[i].counts && (way == YES || strstr(all[i].loop, "while"));
            if (loop_counts(text, (uint8_t)way) != may) fail_msg("%d: %s", way, text);
        }
        if (loop_counts(text, NO | YES)) fail_msg("both: %s", text);
        arena_free(&a);
    }
}

// In kernels, comparisons and arithmetic of numbers that the program keeps.
static void kept_numbers_count_in_kernels(void **state) {
    (void)state;
    enum { NO = COVER_FALSE, YES = COVER_TRUE };
#define LAUNCHED(expression, arg)                                                   \
    "@triton.jit\ndef k(x, n):\n    tl.store(x, " expression ")\nclass ModelNew:\n" \
    "    def __init__(self):\n        self.n = 0\n    def forward(self, x):\n"      \
    "        self.n = self.n + 1\n        k[(3,)](x, " arg ")\n        return x\n"
    assert_true(one_way_counts(LAUNCHED("1 + (n > 5000)", "self.n"), "n > 5000", NO, true));
    assert_true(one_way_counts(LAUNCHED("n // 5000", "self.n"), "n // 5000", NO, true));
    assert_true(one_way_counts(LAUNCHED("tl.minimum(n, 5000)", "self.n"), "tl.minimum(n, 5000)", YES, true));
    assert_false(one_way_counts(LAUNCHED("1 + (n > 5000)", "self.n"), "n > 5000", NO | YES, true));
    assert_false(one_way_counts(LAUNCHED("1 + (n > 5000)", "x.shape[0]"), "n > 5000", NO, true));
    assert_false(one_way_counts(LAUNCHED("1 + (n >= 0)", "self.n"), "n >= 0", YES, true)); // always
}

static void layouts_that_tell_a_size_count(void **state) {
    (void)state;
    static const char *const either[] = {"x.stride(0) % 16 == 0", "x.data_ptr() % 256 != 0",
                                         "x.stride(0) == 1"},
                             *const both[] = {"x.stride(0) == 37037",  "x.stride(0) % 251 == 0",
                                              "x.stride(0) % 16 == 3", "x.stride(0) % 4096 == 0",
                                              "x.stride(0) > 37037",   "x.data_ptr() == 4096"};
    for (size_t i = 0; i < sizeof either / sizeof *either + sizeof both / sizeof *both; i++) {
        bool counts = i >= sizeof either / sizeof *either;
        const char *cond = counts ? both[i - sizeof either / sizeof *either] : either[i];
        char text[256];
        snprintf(text, sizeof text, "def run(x):\n    M, N = x.shape\n    if M > 5 or %s:\n        f(x)\n",
                 cond);
        const char *right = strrchr(cond, ' ') + 1;
        char last[64];
        snprintf(last, sizeof last, "%s:", right);
        const Mark ran[] = {{"M, N", COVER_HOST}, {"if", COVER_HOST},  {"5 or", COVER_TRUE | COVER_FALSE},
                            {cond, COVER_HOST},   {last, COVER_FALSE}, {"f(x)", COVER_HOST}};
        if (left_out(text, ran, 6) != counts) fail_msg("%s", cond);
    }
}

// What one draw has left out stays so where another one has not come to it, for whatever reason.
static void another_draw_has_to_come_to_it(void **state) {
    (void)state;
    Unreached first = {.bit = {3}, .idle = {7}}, second = {.idle = {1}};
    unreached_meet(&first, &second);
    assert_int_equal(first.bit[0], 1);
    assert_int_equal(first.idle[0], 1);
    // What only the other one has come to, and left open, stays open: it has met 8, which the first one left
    // out.
    Unreached idle = {.bit = {8}, .idle = {14}},
              open = {.bit = {2}, .idle = {2}, .places = 1, .place = {{1, 5, 5, 3}}};
    unreached_meet(&idle, &open);
    assert_true(idle.bit[0] == 2 && idle.idle[0] == 2 && idle.places == 1 && idle.place[0].number == 1);
    // One that comes no further than the first one has no say in what matters.
    Unreached same = {.idle = {6}};
    unreached_meet(&same, &open);
    assert_true(same.bit[0] == 0 && same.places == 0);
    unreached_meet(&idle, &(Unreached){.idle = {4}}); // until one has met it
    assert_true(idle.bit[0] == 0 && idle.places == 0);
    Arena a = {0};
    Buf text = BUF(&a);
    Unreached back;
    unreached_say(&second, &text);
    const char *p = buf_cstr(&text);
    assert_string_equal(p, " idle 01");
    assert_true(unreached_read(&p, &back) && !*p);
    assert_memory_equal(&second, &back, sizeof back);
    p = " idle 0";
    assert_false(unreached_read(&p, &back));
    arena_free(&a);
}

// What other cases have come to, and these have not. That these have come to more is nothing new.
static void others_come_further(void **state) {
    (void)state;
    const Unreached these = {.idle = {6, 0, 1}}, others = {.idle = {7, 8}};
    uint32_t number = 99;
    assert_true(unreached_anew(&these, &others, &number));
    assert_int_equal(number, 16);
    assert_true(unreached_anew(&others, &these, &number)); // the first of two
    assert_int_equal(number, 0);
    assert_false(unreached_anew(&these, &these, &number));
    assert_false(unreached_anew(&(Unreached){.idle = {2}}, &these, &number));
}

// The condition that kept calls away is named, not one behind it.
static void the_outer_condition_is_named(void **state) {
    (void)state;
    static const char text[] = "def run(x):\n    if x.numel() == 7:\n        if x.numel() > 3:\n            "
                               "return x\n    return 1\n";
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, STR(text), &d);
    Cover c = {.n = sizeof text - 1, .at = NEWN(&a, uint8_t, sizeof text)};
    cover_mark(&c, (uint32_t)(strstr(text, "if x.numel() ==") - text), COVER_HOST);
    cover_mark(&c, (uint32_t)(strstr(text, "return 1") - text), COVER_HOST);
    Unreached u;
    unreached_find(&a, m, &c, &one, &u);
    assert_int_equal(u.places, 1);
    assert_int_equal(u.place[0].at, strstr(text, "x.numel() ==") - text);
    arena_free(&a);
}

// A comparison that a report knows by its number stands somewhere. What is noted alone is told alone.
static void a_number_has_a_place(void **state) {
    (void)state;
    static const char text[] =
        "import triton\n@triton.jit\ndef k(x, n):\n    y = n + 1\n    if n > 5:\n        y = 2\n"
        "    z = n < 7000\ndef run(x):\n    return x\n";
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, STR(text), &d);
    uint32_t at = (uint32_t)(strstr(text, "7000") - text);
    Cover cases = {.n = sizeof text - 1, .at = NEWN(&a, uint8_t, sizeof text), .notes = NOTES_ALL},
          there = {.n = sizeof text - 1, .at = NEWN(&a, uint8_t, sizeof text), .notes = NOTES_FAR};
    cover_mark(&cases, at, COVER_NOTED_TRUE);
    cover_mark(&there, at, COVER_NOTED_TRUE | COVER_NOTED_FALSE);
    cover_mark(&there, (uint32_t)(strstr(text, "y = 2") - text), COVER_RUN);
    Unreached was, now;
    unreached_find(&a, m, &cases, &one, &was);
    unreached_find(&a, m, &there, &one, &now);
    int anew = 0;
    UnreachedPlace place = {0};
    for (uint32_t i = 0; i < UNREACHED_MAX; i++) {
        if (!((was.idle[i / 8] & ~now.idle[i / 8]) >> i % 8 & 1)) continue;
        unreached_place(&a, m, i, &place);
        anew++;
    }
    assert_int_equal(anew, 1);
    assert_int_equal(place.at, strstr(text, "n < 7000") - text);
    assert_int_equal(place.len, strlen("n < 7000"));
    unreached_place(&a, m, UNREACHED_MAX - 1, &place);
    assert_int_equal(place.len, 0);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_can_matter_is_found),
                                       cmocka_unit_test(texts_are_read_strictly),
                                       cmocka_unit_test(parts_count),
                                       cmocka_unit_test(entries_count),
                                       cmocka_unit_test(truths_and_arithmetic_have_two_ways),
                                       cmocka_unit_test(a_silent_side_counts),
                                       cmocka_unit_test(first_turns_count),
                                       cmocka_unit_test(kept_numbers_count_in_kernels),
                                       cmocka_unit_test(layouts_that_tell_a_size_count),
                                       cmocka_unit_test(the_outer_condition_is_named),
                                       cmocka_unit_test(a_number_has_a_place),
                                       cmocka_unit_test(another_draw_has_to_come_to_it),
                                       cmocka_unit_test(others_come_further)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
