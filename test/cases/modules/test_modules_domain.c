// A reference in module form as a domain: what a draw of it holds, and which files are none.
#include "cases/draw.h"
#include "cases/modules/modules_domain.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char linear[] =
    "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n    def __init__(self, n, k):\n        "
    "super().__init__()\n        self.bn = nn.BatchNorm1d(n)\n        self.fc = nn.Linear(n, k)\n"
    "    def forward(self, x, s):\n        return self.fc(self.bn(x)) * s\n"
    "n, k = 48, 24\ndef get_inputs():\n    return [torch.rand(64, n), 0.5]\ndef get_init_inputs():\n    "
    "return [n, k]\n";

typedef struct {
    Arena a;
    ModulesDomain *m;
    Draw d;
} World;

static void world_make(World *w, const char *source, Level level, uint64_t seed) {
    Err e = {0};
    Pool *pool = pool_open(2);
    if (!modules_open(&w->a, &(ModulesAsk){.path = "some/linear.py", .source = str_of(source)}, &w->m, &e) ||
        !draw_make(&w->a, pool, &(DrawRequest){.op = &w->m->op, .level = level, .seed = seed}, &w->d, &e))
        fail_msg("%s", e.msg);
    pool_close(pool);
}
static void world_free(World *w) {
    draw_free(&w->d);
    arena_free(&w->a);
}

static double at(const Draw *d, int index, int input, int64_t k) {
    const CaseTensor *t = &d->spec[index].input[input];
    int64_t size = dtype_bytes((DType)t->dtype);
    return dtype_load((DType)t->dtype, d->mapping + t->at + (t->offset + k) * size);
}

static void inputs_and_parameters(void **state) {
    (void)state;
    World w = {0};
    world_make(&w, linear, LEVEL_QUICK, 3);
    const Op *op = &w.m->op;
    static const char *const name[] = {"x", "bn.weight", "bn.bias", "fc.weight", "fc.bias"};
    assert_true(str_is(op->name, "linear"));
    assert_int_equal(op->inputs, 5); // running statistics are none
    for (int i = 0; i < op->inputs; i++) assert_true(str_is(op->input[i].name, name[i]));
    assert_non_null(strstr(arena_strndup(&w.a, op->model.p, op->model.len), "init = [48, 24]"));
    assert_non_null(strstr(arena_strndup(&w.a, op->model.p, op->model.len), "tensors = [True, False, ]"));
    assert_int_equal(w.d.domain->slices, -1);
    world_free(&w);
}

// Odd sizes have one case where they are evidence alone, and three where a line waits for them, or they
// count.
static void odd_sizes_have_one_case(void **state) {
    (void)state;
    for (int counts = 0; counts < 2; counts++) {
        Arena a = {0};
        Err e = {0};
        ModulesDomain *m = NULL;
        PlannedCase *plan;
        const PlanRequest q = {.level = LEVEL_FULL};
        const ModulesAsk ask = {
            .path = "l.py", .source = str_of(linear), .stretched = true, .ragged = counts == 1};
        assert_true(modules_open(&a, &ask, &m, &e));
        assert_int_equal(m->ragged->kind->cases(&a, m->ragged, &q, &plan), 3);
        assert_true(!m->ragged_one == (counts == 1));
        if (m->ragged_one) assert_int_equal(m->ragged_one->kind->cases(&a, m->ragged_one, &q, &plan), 1);
        arena_free(&a);
    }
}

// A long size comes with less beside it only where no axes of a tensor together become fewer than in all
// other cases: rows of all samples are a grid, and no pair of long sizes has as many.
static void leaner_ones_lose_no_grid(void **state) {
    (void)state;
    static const char cube[] = "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n"
                               "    def forward(self, x):\n        return torch.sum(x, dim=1)\n"
                               "M, N, K = 64, 1000, 4096\ndef get_inputs():\n"
                               "    return [torch.rand(M, N, K)]\ndef get_init_inputs():\n    return []\n";
    Arena a = {0};
    Err e = {0};
    ModulesDomain *m = NULL;
    assert_true(
        modules_open(&a, &(ModulesAsk){.path = "c.py", .source = STR(cube), .stretched = true}, &m, &e));
    const Stretched *rows = &m->domain.stretched[1];
    const ModulesDomain *of = (const ModulesDomain *)rows->domain;
    const int64_t *size = of->op.input[0].size, *own = m->op.input[0].size;
    assert_int_equal(of->longs[0].now, 1000);
    assert_true(size[0] * size[1] > own[0] * own[1]);
    for (int i = 0; i < m->domain.stretches; i++) {
        const ModulesDomain *other = (const ModulesDomain *)m->domain.stretched[i].domain;
        assert_true(i == 1 || other->op.input[0].size[0] * other->op.input[0].size[1] < size[0] * size[1]);
    }
    assert_null(rows->leaner);
    arena_free(&a);
}

// Further domains with one long size, where they are asked for and there is one.
static void long_sizes(void **state) {
    (void)state;
    static const char tall[] = "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n"
                               "    def forward(self, x):\n        return torch.softmax(x, dim=1)\n"
                               "M, N = 4096, 100000\ndef get_inputs():\n    return [torch.rand(M, N)]\n"
                               "def get_init_inputs():\n    return []\n";
    Arena a = {0};
    Err e = {0};
    ModulesDomain *m = NULL, *without = NULL, *small = NULL;
    assert_true(
        modules_open(&a, &(ModulesAsk){.path = "t.py", .source = STR(tall), .stretched = true}, &m, &e) &&
        modules_open(&a, &(ModulesAsk){.path = "t.py", .source = STR(tall)}, &without, &e));
    assert_int_equal(without->domain.stretches, 0);
    assert_int_equal(m->domain.stretches, 3); // each of them, and both
    int64_t now[2];
    int leaners = 0;
    for (int i = 0; i < 2; i++) {
        const ModulesDomain *of = (const ModulesDomain *)m->domain.stretched[i].domain;
        PlannedCase *plan;
        now[i] = of->op.input[0].size[1 - i]; // what lost most comes first: the columns
        assert_int_equal(of->longs[0].now, now[i]);
        assert_true(of->values.shapes.small.work <= 20 << 20 && of->op.input[0].size[i] >= 4);
        assert_true(memcmp(&of->op.hash, &m->op.hash, sizeof m->op.hash) != 0); // draws are kept by it
        int cases = of->domain.kind->cases(&a, &of->domain, &(PlanRequest){.level = LEVEL_FULL}, &plan);
        assert_int_equal(cases, 2);
        // As long, with fewer of the others: at least four, and powers of two as they were.
        const ModulesDomain *leaner = (const ModulesDomain *)m->domain.stretched[i].leaner;
        if (!leaner) continue;
        leaners++;
        assert_int_equal(leaner->op.input[0].size[1 - i], now[i]);
        assert_int_equal(leaner->longs[0].now, now[i]);
        assert_true(leaner->values.shapes.small.work < of->values.shapes.small.work);
        assert_true(leaner->op.input[0].size[i] >= 4);
        assert_true(memcmp(&leaner->op.hash, &of->op.hash, sizeof of->op.hash) != 0);
    }
    assert_true(leaners > 0);
    assert_true(now[0] >= 20000 && now[1] == 4096);
    // Both of them long: as far as the work allows. In a control one of them is small, and the other as long.
    const Stretched *pair = &m->domain.stretched[2];
    const ModulesDomain *both = (const ModulesDomain *)pair->domain;
    assert_int_equal(pair->longs, 2);
    assert_int_equal(both->long_sizes, 2);
    assert_true(both->values.shapes.small.work <= 20 << 20);
    for (int i = 0; i < 2; i++) {
        const ModulesDomain *control = (const ModulesDomain *)pair->control[i]->op->form;
        int axis = 1 - i;
        assert_true(both->op.input[0].size[axis] >= 2 * m->op.input[0].size[axis]);
        assert_int_equal(control->op.input[0].size[axis], m->op.input[0].size[axis]);
        assert_int_equal(control->op.input[0].size[i], both->op.input[0].size[i]);
        assert_true(memcmp(&control->op.hash, &both->op.hash, sizeof both->op.hash) != 0);
    }
    assert_true(modules_open(&a, &(ModulesAsk){.path = "l.py", .source = str_of(linear), .stretched = true},
                             &small, &e));
    assert_int_equal(small->domain.stretches, 0); // nothing became smaller
    arena_free(&a);
}

static Draw drawn(World *w, const DrawRequest *q) {
    Err e = {0};
    Pool *pool = pool_open(1);
    Draw d;
    if (!draw_make(&w->a, pool, q, &d, &e)) fail_msg("%s", e.msg);
    pool_close(pool);
    return d;
}

static const char wide_rows[] = "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n"
                                "    def forward(self, x):\n        return torch.relu(x)\n"
                                "batch_size, N = 4096, 65536\ndef get_inputs():\n    return "
                                "[torch.rand(batch_size, N)]\n"
                                "def get_init_inputs():\n    return []\n";

// Level quick draws smaller sizes of the same definition, unless a domain is named; level full draws its own.
static void quick_is_smaller(void **state) {
    (void)state;
    World w = {0};
    world_make(&w, wide_rows, LEVEL_FULL, 3);
    const Domain *quick = w.m->domain.quick;
    assert_non_null(quick);
    const ModulesDomain *of = modules_of(quick->op);
    assert_true(4 * of->values.shapes.small.work < w.m->values.shapes.small.work && !quick->quick);
    assert_true(of->full == &w.m->domain && of->published == w.m->published && of->published);
    assert_memory_equal(&of->op.hash, &w.m->op.hash, sizeof of->op.hash);
    assert_true(quick->kind->steps(quick) == w.m->domain.kind->steps(&w.m->domain)); // waste stays allowed
    assert_ptr_equal(w.d.op, &w.m->op);
    assert_ptr_equal(op_at_level(&w.m->op, LEVEL_FULL), &w.m->op);
    assert_ptr_equal(op_at_level(&w.m->op, LEVEL_QUICK), quick->op);
    assert_ptr_equal(op_at_level(quick->op, LEVEL_QUICK), quick->op);
    Draw small = drawn(&w, &(DrawRequest){.op = &w.m->op, .level = LEVEL_QUICK, .seed = 3});
    Draw named =
        drawn(&w, &(DrawRequest){.op = &w.m->op, .domain = &w.m->domain, .level = LEVEL_QUICK, .seed = 3});
    assert_true(small.op == quick->op && small.domain == quick && named.op == &w.m->op);
    assert_true(small.truth[0].expected->numel < named.truth[0].expected->numel);
    draw_free(&small);
    draw_free(&named);
    world_free(&w);
    // What is small already is judged as it is.
    world_make(&w, linear, LEVEL_QUICK, 3);
    assert_true(!w.m->domain.quick && w.d.op == &w.m->op);
    world_free(&w);
}

// Level full begins with a few of its cases, which are drawn as they are among all; smaller sizes have as
// many as all are, and level quick fewer. Where nothing is smaller, or at another level, there are all from
// the start.
static void a_few_come_first(void **state) {
    (void)state;
    World w = {0};
    world_make(&w, wide_rows, LEVEL_FULL, 3);
    const Domain *m = &w.m->domain, *few = domain_first(&w.m->op, LEVEL_FULL);
    PlannedCase *plan;
    const PlanRequest q = {.level = LEVEL_FULL, .seed = 3};
    assert_true(few == m->few && few && few->op == &w.m->op && few != m);
    assert_null(domain_first(&w.m->op, LEVEL_QUICK));
    assert_int_equal(few->kind->cases(&w.a, few, &q, &plan), 2);
    assert_int_equal(m->kind->cases(&w.a, m, &q, &plan), 12);
    assert_int_equal(m->quick->kind->cases(&w.a, m->quick, &q, &plan), 12);
    Draw first = drawn(&w, &(DrawRequest){.op = &w.m->op, .domain = few, .level = LEVEL_FULL, .seed = 3});
    assert_true(first.cases == 2 && w.d.cases == 12 && first.op == w.d.op);
    for (int i = 0; i < 2; i++) { // the first one, and the third
        const Bound *one = first.truth[i].expected, *other = w.d.truth[2 * i].expected;
        assert_true(one->numel == other->numel && one->numel >= 64);
        assert_memory_equal(one->v, other->v, 64 * sizeof(double));
    }
    draw_free(&first);
    world_free(&w);
    world_make(&w, linear, LEVEL_FULL, 3);
    assert_null(domain_first(&w.m->op, LEVEL_FULL)); // negative control
    world_free(&w);
}

// Sizes that were never long are told, and those that were.
static void what_is_never_long(void **state) {
    (void)state;
    static const char conv[] = "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n"
                               "    def __init__(self, i, o):\n        super().__init__()\n"
                               "        self.c = nn.Conv2d(i, o, (5, 9))\n"
                               "    def forward(self, x):\n        return self.c(x)\n"
                               "def get_inputs():\n    return [torch.rand(8, 32, 512, 512)]\n"
                               "i, o = 32, 64\ndef get_init_inputs():\n    return [i, o]\n";
    Arena a = {0};
    Err e = {0};
    ModulesDomain *m = NULL;
    assert_true(
        modules_open(&a, &(ModulesAsk){.path = "c.py", .source = STR(conv), .stretched = true}, &m, &e));
    Buf none = BUF(&a), all = BUF(&a);
    modules_long_words(&none, m, 0);
    assert_true(str_starts(buf_str(&none), "never long: ") && strstr(buf_cstr(&none), "o "));
    modules_long_words(&all, m, (1U << m->domain.stretches) - 1);
    bool any = m->domain.stretches > 0;
    assert_int_equal(str_starts(buf_str(&all), "long, one at a time: "), any);
    assert_true(any == (buf_str(&all).len != buf_str(&none).len));
    arena_free(&a);
}

// Other values in each case, of both signs and several scales; of the parameters, too. And the answer is that
// of what lies there.
static void cases_differ(void **state) {
    (void)state;
    World w = {0};
    world_make(&w, linear, LEVEL_FULL, 4);
    double largest[2] = {0, 0};
    bool negative = false, published = false;
    int kinds = 0;
    for (int i = 0; i < w.d.cases; i++) {
        double most = 0;
        bool positive = true;
        for (int64_t k = 0; k < 64 * 48; k++) {
            most = fmax(most, fabs(at(&w.d, i, 0, k)));
            positive &= at(&w.d, i, 0, k) >= 0;
        }
        negative |= !positive;
        published |= positive && most <= 1;
        largest[i % 2] = fmax(largest[i % 2], most);
        for (int input = 0; input < 5 && i > 0; input++)
            assert_true(at(&w.d, i, input, 0) != at(&w.d, i - 1, input, 0));
        assert_int_equal(w.d.truth[i].expected->numel, 64 * 24);
        kinds += w.d.truth[i].line_class[0] != CLASS_module;
        assert_int_equal(w.d.truth[i].lines > 1, w.d.truth[i].line_class[0] != CLASS_module);
    }
    assert_int_equal(kinds, 8);
    assert_true(negative && published && fmax(largest[0], largest[1]) > 8);
    DiagList diags = DIAGS(&w.a);
    const Bound *again = domain_answer(&w.a, w.d.domain, w.d.mapping, &w.d.spec[0], NULL, &diags);
    assert_non_null(again);
    assert_memory_equal(again->v, w.d.truth[0].expected->v, 64 * 24 * sizeof(double));
    // One element of a weight moves a column of the answer.
    const CaseTensor *t = &w.d.spec[0].input[3];
    uint8_t *changed = arena_raw(&w.a, (size_t)t->bytes, 64);
    memcpy(changed, w.d.mapping + t->at, (size_t)t->bytes);
    ((float *)changed)[5 * 48] += 1;
    const Bound *other =
        domain_answer(&w.a, w.d.domain, w.d.mapping, &w.d.spec[0], &(OtherBytes){3, changed}, &diags);
    assert_non_null(other);
    for (int64_t k = 0; k < 64 * 24; k++) assert_int_equal(other->v[k] != again->v[k], k % 24 == 5);
    world_free(&w);
}

static void same_seed_same_draw(void **state) {
    (void)state;
    World w[3] = {0};
    for (int i = 0; i < 3; i++) world_make(&w[i], linear, LEVEL_QUICK, i < 2 ? 7 : 8);
    assert_int_equal(w[0].d.bytes, w[1].d.bytes);
    assert_memory_equal(w[0].d.mapping, w[1].d.mapping, w[0].d.bytes);
    assert_true(w[0].d.bytes != w[2].d.bytes || memcmp(w[0].d.mapping, w[2].d.mapping, w[0].d.bytes) != 0);
    for (int i = 0; i < 3; i++) world_free(&w[i]);
}

static void what_is_none(void **state) {
    (void)state;
    static const struct {
        const char *body, *part;
    } none[] = {
        {"        return x.sum() * 0\n", "a program that never looks at its inputs"},
        {"        return y\n", "y"},
        {"        return torch.dropout(x)\n", "some/none.py:5"},
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        Arena a = {0};
        Err e = {0};
        ModulesDomain *m;
        const char *source =
            arena_printf(&a,
                         "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n    def "
                         "forward(self, x):\n%sdef get_inputs():\n    return [torch.rand(16, 16)]\n",
                         none[i].body);
        assert_false(
            modules_open(&a, &(ModulesAsk){.path = "some/none.py", .source = str_of(source)}, &m, &e));
        assert_int_equal(e.code, ERR_INPUT);
        if (!strstr(e.msg, none[i].part)) fail_msg("%s: %s", none[i].part, e.msg);
        arena_free(&a);
    }
}

// Products by TF32 allow more, and only they are another definition.
static void tf32_is_another_definition(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    ModulesDomain *m[3];
    const ModulesAsk ask[] = {{.path = "l.py", .source = STR(linear)},
                              {.path = "l.py", .source = STR(linear), .tf32 = true},
                              {.path = "l.py", .source = STR(linear), .gaps = true}};
    for (int i = 0; i < 3; i++) assert_true(modules_open(&a, &ask[i], &m[i], &e));
    for (int i = 1; i < 3; i++) assert_memory_not_equal(&m[0]->op.hash, &m[i]->op.hash, sizeof m[0]->op.hash);
    // Of the same values.
    World w = {0};
    world_make(&w, linear, LEVEL_QUICK, 3);
    DiagList d = DIAGS(&a);
    const Bound *plain = domain_answer(&a, w.d.domain, w.d.mapping, &w.d.spec[0], NULL, &d),
                *wide = modules_answer_tf32(&a, w.d.domain, w.d.mapping, &w.d.spec[0], &d);
    for (int64_t k = 0; k < plain->numel; k++)
        assert_true(plain->v[k] == wide->v[k] && plain->e[k] < wide->e[k]);
    assert_true(m[0]->op.domain.contiguous && !m[2]->op.domain.contiguous);
    world_free(&w);
    arena_free(&a);
}

// As published where that is little enough work, and else larger than the small ones.
static void timed_sizes(void **state) {
    (void)state;
    static const char form[] = "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n"
                               "    def forward(self, x):\n        return torch.tanh(x)\n"
                               "def get_inputs():\n    return [torch.rand(%d, %d)]\n"
                               "def get_init_inputs():\n    return []\n";
    static const int64_t published[][2] = {{4096, 2048}, {32768, 65536}};
    for (int i = 0; i < 2; i++) {
        Arena a = {0};
        Err e = {0};
        ModulesDomain *m, *timed;
        const char *text = arena_printf(&a, form, (int)published[i][0], (int)published[i][1]);
        assert_true(modules_open(&a, &(ModulesAsk){.path = "t.py", .source = str_of(text)}, &m, &e));
        assert_true(modules_timed(&a, &m->op, &timed, &e));
        const int64_t *small = m->op.input[0].size, *size = timed->op.input[0].size;
        assert_true(small[0] * small[1] < size[0] * size[1] && timed->op.form == &timed->domain);
        if (i == 0)
            assert_true(size[0] == 4096 && size[1] == 2048);
        else
            assert_true(size[0] * size[1] < published[i][0] * published[i][1]);
        assert_memory_not_equal(&m->op.hash, &timed->op.hash, sizeof m->op.hash);
        assert_true(str_eq(m->op.name, timed->op.name) && m->op.allow_tf32 == timed->op.allow_tf32);
        arena_free(&a);
    }
}

// What a file's reference cannot be judged at is not drawn: a case goes no further than it can.
static void as_far_as_it_is_judged(void **state) {
    (void)state;
    static const struct {
        const char *body;
        bool infinite, zeros, negative;
    } file[] = {{"torch.relu(x)", true, true, true},
                {"x / x.abs().mean(dim=1, keepdim=True)", false, true, true} /* of columns alone */,
                {"torch.log(x)", false, false, false}};
    for (size_t f = 0; f < sizeof file / sizeof *file; f++) {
        World w = {0};
        Arena a = {0};
        world_make(&w,
                   arena_printf(&a,
                                "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n    def "
                                "forward(self, x):\n        return %s\ndef get_inputs():\n    return "
                                "[torch.rand(64, 96)]\n",
                                file[f].body),
                   LEVEL_FULL, 5);
        bool infinite = false, zeros = false, negative = false, large = false;
        for (int i = 0; i < w.d.cases; i++) {
            for (int64_t k = 0; k < 64 * 96; k++) {
                double v = at(&w.d, i, 0, k);
                infinite |= isinf(v) != 0;
                zeros |= v == 0;
                negative |= v < 0;
                large |= fabs(v) > 900;
            }
            const CaseTruth *t = &w.d.truth[i];
            for (int64_t k = 0; k < 64 * 96; k++) assert_false(isnan(t->expected->v[k]));
            // An answer with the input's axes has its lines.
            int line = t->over ? (int)w.d.domain->kind->line_of(w.d.domain, t, t->expected, 96 + 1) : 0;
            assert_true(line < t->lines);
            if (t->over) assert_true(line < t->lines - 1);
        }
        assert_true(large);
        assert_int_equal(infinite, file[f].infinite);
        assert_int_equal(zeros, file[f].zeros);
        assert_int_equal(negative, file[f].negative);
        world_free(&w);
        arena_free(&a);
    }
}

// What a ModelNew is called with says how much it may leave to PyTorch: by what the reference takes from it.
static LibraryUse allowed(const char *source, int asked, int64_t *light) {
    Arena a = {0};
    Err e = {0};
    ModulesDomain *m;
    const ModulesAsk q = {.path = "some/linear.py", .source = str_of(source), .library = asked};
    if (!modules_open(&a, &q, &m, &e)) fail_msg("%s", e.msg);
    char *line = arena_printf(&a, "library = %d\n", (int)m->library);
    assert_non_null(strstr(str_cdup(&a, m->op.model), line));
    LibraryUse use = m->library;
    *light = m->light_bytes;
    arena_free(&a);
    return use;
}
static void the_library_follows_the_reference(void **state) {
    (void)state;
    static const char one[] =
        "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x):\n"
        "        return torch.relu(x.transpose(0, 1))\ndef get_inputs():\n    return [torch.rand(8, 8)]\n";
    int64_t light;
    assert_int_equal(allowed(linear, 0, &light), LIBRARY_LIGHT);
    assert_true(light > 0);
    assert_int_equal(allowed(linear, 1 + LIBRARY_NONE, &light), LIBRARY_NONE);
    assert_int_equal(allowed(linear, 1 + LIBRARY_ALL, &light), LIBRARY_ALL);
    assert_int_equal(allowed(one, 0, &light), LIBRARY_NONE);
    assert_int_equal(light, 2 * 8 * 8 * 4); // a view costs nothing
    assert_int_equal(allowed(one, 1 + LIBRARY_LIGHT, &light), LIBRARY_LIGHT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_sizes),
        cmocka_unit_test(quick_is_smaller),
        cmocka_unit_test(a_few_come_first),
        cmocka_unit_test(leaner_ones_lose_no_grid),
        cmocka_unit_test(odd_sizes_have_one_case),
        cmocka_unit_test(what_is_never_long),
        cmocka_unit_test(inputs_and_parameters),
        cmocka_unit_test(cases_differ),
        cmocka_unit_test(same_seed_same_draw),
        cmocka_unit_test(what_is_none),
        cmocka_unit_test(tf32_is_another_definition),
        cmocka_unit_test(timed_sizes),
        cmocka_unit_test(as_far_as_it_is_judged),
        cmocka_unit_test(the_library_follows_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
