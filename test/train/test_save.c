// Checkpoints: what was saved comes back, loads as a model, and is never half there.
#include "folders.h"
#include "model/sample.h"
#include "train/save.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    Arena a;
    const Checkpoint *base;
    Parameters *p;
    Engine *engine;
    Pool *pool;
} Trained;
static Trained trained_open(const Checkpoint *base, Arch arch, int rank) {
    Trained t = {0};
    Err e = {0};
    ModelConfig c = base ? base->config : tiny_config(arch);
    t.base = base ? base : make_base(&t.a, &c, 31);
    t.p = parameters_lay(&t.a, &c, rank, 3, ALL_ROLES);
    stir(t.p, 32, 0.3);
    t.pool = pool_open(1);
    must(cpu_engine_open(&t.a, &(EngineChoice){t.base, t.p, t.pool, KV_F16, false}, &t.engine, &e), &e);
    return t;
}
static void trained_close(Trained *t) {
    t->engine->table->close(t->engine);
    pool_close(t->pool);
    arena_free(&t->a);
}

static void step(Trained *t, int number, double *loss) {
    Err e = {0};
    TrainSums sums = {0};
    double norm;
    TrainBatch b = make_batch(&t->a, &t->p->config, (int[]){9, 5 + number % 7}, 2, 2);
    must(t->engine->table->learn(t->engine, &b, 0.1f, &sums, &e), &e);
    TrainUpdate u = {
        .rate = 1e-2, .beta1 = 0.9, .beta2 = 0.95, .eps = 1e-8, .decay = 0.1, .clip = 1, .step = number};
    must(t->engine->table->update(t->engine, &u, &norm, &e), &e);
    *loss = sums.loss;
}

// Ten steps after coming back have the bits of ten steps without having been away.
static void going_on_is_exact(void **state) {
    (void)state;
    for (int rank = 0; rank < 4; rank += 3) {
        Err e = {0};
        Trained one = trained_open(NULL, ARCH_QWEN2, rank), two = trained_open(NULL, ARCH_QWEN2, rank);
        const char *run = folder_new(&one.a);
        double loss, again;
        for (int i = 1; i <= 3; i++) step(&one, i, &loss);
        SaveRequest q = {one.p,
                         one.base,
                         run,
                         {.step = 3,
                          .tokens = 99,
                          .epoch = 1,
                          .place = 2,
                          .seed = 1ull << 62,
                          .best = 0.1 + 0.2,
                          .plan = "p"},
                         2};
        must(training_save(&q, &e), &e);
        Str latest;
        TrainState s;
        must(training_latest(&one.a, run, &latest, &e) && training_load(two.p, latest.p, &s, &e), &e);
        assert_true(s.step == 3 && s.tokens == 99 && s.epoch == 1 && s.place == 2 && s.seed == 1ull << 62 &&
                    s.best == 0.1 + 0.2 && strcmp(s.plan, "p") == 0);
        for (int i = 4; i <= 13; i++) {
            step(&one, i, &loss);
            step(&two, i, &again);
            assert_memory_equal(&loss, &again, sizeof loss);
        }
        assert_memory_equal(one.p->value, two.p->value, one.p->numbers * sizeof(float));
        folder_gone(run);
        trained_close(&one);
        trained_close(&two);
    }
}

static float first_logprob(Trained *t) {
    Err e = {0};
    TrainBatch b = make_batch(&t->a, &t->p->config, (int[]){9}, 1, 7);
    float out[9] = {0};
    must(t->engine->table->logprobs(t->engine, &b, out, &e), &e);
    return out[7];
}

// A whole model opens as any published folder does, and computes the same numbers.
static void a_model_is_a_model(void **state) {
    (void)state;
    for (int arch = 0; arch < 2; arch++) {
        Err e = {0};
        Trained t = trained_open(NULL, arch ? ARCH_QWEN2 : ARCH_LLAMA, 0);
        const char *folder = folder_new(&t.a);
        must(training_export(t.p, t.base, folder, &e), &e);
        Checkpoint *c;
        must(checkpoint_open(&t.a, folder, &c, &e), &e);
        assert_true(c->config.tied == t.p->config.tied && c->config.eos[0] == 1 &&
                    c->config.norm_eps == 1e-5f);
        Trained again = trained_open(c, ARCH_LLAMA, 0);
        parameters_take(again.p, c);
        assert_memory_equal(again.p->value, t.p->value, t.p->numbers * sizeof(float));
        assert_true(first_logprob(&again) == first_logprob(&t));
        trained_close(&again);
        checkpoint_close(c);
        folder_gone(folder);
        trained_close(&t);
    }
}

// An adapter opens beside its base, also when the base's rows are in GGUF's order.
static void an_adapter_is_an_adapter(void **state) {
    (void)state;
    for (int neighbours = 0; neighbours < 2; neighbours++) {
        Err e = {0};
        Trained t = trained_open(NULL, ARCH_LLAMA, 3);
        ((Checkpoint *)(uintptr_t)t.base)->rope_neighbours = neighbours;
        const char *folder = folder_new(&t.a);
        must(training_export(t.p, t.base, folder, &e), &e);
        Adapter *ad;
        must(adapter_open(&t.a, folder, t.base, &ad, &e), &e);
        Parameters *back = parameters_lay(&t.a, &t.p->config, 3, 3, ALL_ROLES);
        must(parameters_take_adapter(back, ad, &e), &e);
        assert_memory_equal(back->value, t.p->value, t.p->numbers * sizeof(float));
        adapter_close(ad);
        folder_gone(folder);
        trained_close(&t);
    }
}

static void first_waited(Arena *a, const char *run) {
    Err e = {0};
    Str latest = {0};
    for (int i = 0; i < 20000 && !latest.len; i++) {
        must(training_latest(a, run, &latest, &e), &e);
        usleep(1000);
    }
    assert_true(latest.len > 0);
}

// A program that saves all the time, killed at moments of no choice: the latest checkpoint is always whole.
static void a_kill_loses_nothing(void **state) {
    (void)state;
    Trained t = trained_open(NULL, ARCH_LLAMA, 0);
    const char *run = folder_new(&t.a);
    int64_t last = 0;
    for (int round = 0; round < 12; round++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            Err e = {0};
            for (int64_t i = last + 1;; i++) {
                for (size_t k = 0; k < t.p->numbers; k++) t.p->value[k] = (float)i;
                if (!training_save(&(SaveRequest){t.p, t.base, run, {.step = i, .tokens = i, .plan = "p"}, 2},
                                   &e))
                    _exit(1);
            }
        }
        if (round) // any moment; a save takes a few milliseconds, or tens on a busy disk
            usleep(5000 + 9000 * (useconds_t)round);
        else
            first_waited(&t.a, run);
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status)); // it was saving to the end
        Err e = {0};
        Str latest;
        TrainState s;
        must(training_latest(&t.a, run, &latest, &e), &e);
        assert_true(latest.len > 0);
        must(training_load(t.p, latest.p, &s, &e), &e);
        assert_true(s.step >= last && s.tokens == s.step);
        for (size_t k = 0; k < t.p->numbers; k++) assert_true(t.p->value[k] == (float)s.step);
        last = s.step;
    }
    assert_true(last > 0);
    folder_gone(run);
    trained_close(&t);
}

static void others_are_refused(void **state) {
    (void)state;
    Err e = {0};
    Trained t = trained_open(NULL, ARCH_LLAMA, 3);
    const char *run = folder_new(&t.a);
    must(training_save(&(SaveRequest){t.p, t.base, run, {.step = 1, .plan = "p"}, 1}, &e), &e);
    Str latest;
    TrainState s;
    must(training_latest(&t.a, run, &latest, &e), &e);
    Parameters *other = parameters_lay(&t.a, &t.p->config, 2, 3, ALL_ROLES);
    assert_false(training_load(other, latest.p, &s, &e));
    assert_non_null(strstr(e.msg, "optimizer.safetensors"));
    folder_gone(run);
    trained_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(going_on_is_exact), cmocka_unit_test(a_model_is_a_model),
        cmocka_unit_test(an_adapter_is_an_adapter), cmocka_unit_test(a_kill_loses_nothing),
        cmocka_unit_test(others_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
