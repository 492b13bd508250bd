// Which batches are cut into units, and that a batch which was cut is the same as one that was not, but for
// rounding; test_cpu_engine.c has the numbers themselves, and threads.
#include "train/engine/batch_lanes.h"
#include "train/making.h"

static const int LENGTHS[] = {100, 256, 30, 256, 5, 5, 5, 200, 90};
enum { DOCUMENTS = 9 };

typedef struct {
    Arena a;
    CpuEngine *c;
    Parameters *p;
    Pool *pool;
    TrainBatch b;
} Made;

static Made made_open(int threads, double size) {
    Made m = {0};
    Err e = {0};
    Engine *engine;
    ModelConfig g = tiny_config(ARCH_LLAMA);
    const Checkpoint *base = make_base(&m.a, &g, 31);
    m.p = parameters_lay(&m.a, &g, 0, 0, 0);
    stir(m.p, 32, size);
    m.pool = pool_open(threads);
    must(cpu_engine_open(&m.a, &(EngineChoice){base, m.p, m.pool, KV_F16, false}, &engine, &e), &e);
    m.c = (CpuEngine *)engine;
    m.b = make_batch(&m.a, &g, LENGTHS, DOCUMENTS, 2);
    return m;
}
static void made_close(Made *m) {
    m->c->engine.table->close(&m->c->engine);
    pool_close(m->pool);
    arena_free(&m->a);
}

// Llama's shapes; the batch has documents of 400 tokens.
static int units_of(NewModel n, size_t numbers, int tokens) {
    Err e = {0};
    Model m = {0};
    Parameters p = {.numbers = numbers};
    CpuEngine c = {.m = &m, .engine = {.parameters = &p}};
    must(config_of_new(&n, &m.config, &e), &e);
    return lanes_units(&c, &(TrainBatch){.count = tokens, .documents = (tokens + 399) / 400});
}

static void sizes_say_what_is_cut(void **state) {
    (void)state;
    const NewModel seedling = {6, 192, 2048, 1024, 0}, gpt2 = {12, 768, 32000, 1024, 0},
                   billion = {16, 2048, 128000, 8192, 0};
    assert_int_equal(units_of(seedling, 3100000, 8192), 21);
    assert_int_equal(units_of(seedling, 3100000, 1 << 20), UNITS_MAX);
    assert_int_equal(units_of(seedling, 3100000, 400), 1);
    assert_int_equal(units_of(seedling, 25000000, 1 << 20), 9);
    assert_int_equal(units_of(seedling, 30000000, 1 << 20), 1);
    assert_int_equal(units_of(gpt2, 110000000, 8192), 1);
    assert_int_equal(units_of(billion, 11000000, 8192), 1); // of LoRA
}

static void units_add_up_to_the_whole(void **state) {
    (void)state;
    Err e = {0};
    TrainSums whole = {0}, cut = {0};
    Made one = made_open(1, 0.3), two = made_open(3, 0.3);
    must(batch_run(one.c, &one.b, &(LossAim){.scale = 1, .sums = &whole}, &e), &e);
    must(lanes_run(two.c, &two.b, &(LossAim){.scale = 1, .sums = &cut}, &e), &e);
    assert_null(one.c->lanes);
    assert_non_null(two.c->lanes);
    double off = relative_distance(
        two.p->gradient,
        doubles_of(&one.a, &(Parameters){.value = one.p->gradient, .numbers = one.p->numbers}),
        one.p->numbers);
    assert_true(off < 1e-5);
    assert_true(fabs(whole.loss - cut.loss) < 1e-9 * whole.loss && whole.weight > 1);
    assert_true(whole.tokens == cut.tokens && whole.learned == cut.learned);
    // Each number of the forward pass is the same, bit for bit.
    size_t count = (size_t)one.b.count;
    float *p = NEWN(&one.a, float, count), *q = NEWN(&one.a, float, count);
    must(batch_run(one.c, &one.b, &(LossAim){.logprob = p}, &e), &e);
    must(lanes_run(two.c, &two.b, &(LossAim){.logprob = q}, &e), &e);
    assert_memory_equal(p, q, count * sizeof *p);
    p[300] += 1; // the comparison sees one token
    assert_memory_not_equal(p, q, count * sizeof *p);
    made_close(&one);
    made_close(&two);
}

// One unit of several cannot be computed: the batch fails, on any number of threads, and what is next does
// not.
static void a_unit_that_fails_is_told(void **state) {
    (void)state;
    for (int threads = 1; threads < 6; threads += 4) {
        Err e = {0};
        TrainSums sums = {0};
        Made m = made_open(threads, 0.3);
        float *row = parameters_in(m.p, m.p->value, ROLE_K, 0, PART_WHOLE), was = *row;
        *row = 1e9f;
        assert_false(m.c->engine.table->learn(&m.c->engine, &m.b, 1, &sums, &e));
        assert_non_null(strstr(e.msg, "beyond 65504"));
        *row = was;
        e = (Err){0};
        must(m.c->engine.table->learn(&m.c->engine, &m.b, 1, &sums, &e), &e);
        made_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_say_what_is_cut),
                                       cmocka_unit_test(units_add_up_to_the_whole),
                                       cmocka_unit_test(a_unit_that_fails_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
