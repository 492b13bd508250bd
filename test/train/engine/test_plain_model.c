// A whole model in float64: every parameter of every tensor, by finite differences, full and LoRA, Llama and
// Qwen2.
#include "train/making.h"

static void try_model(Arch arch, int rank) {
    Arena a = {0};
    ModelConfig c = tiny_config(arch);
    c.hidden = 6, c.intermediate = 7, c.vocab = 9, c.heads = 2, c.kv_heads = 1;
    const Checkpoint *base = make_base(&a, &c, 21);
    Parameters *p = parameters_lay(&a, &c, rank, 3, ALL_ROLES);
    stir(p, 22, 0.4);
    TrainBatch b = make_batch(&a, &c, (int[]){4, 3}, 2, 1);
    double *x = doubles_of(&a, p), *d = NEWN(&a, double, p->numbers);
    PlainTask task = {p, x, base, &b, d};
    (void)plain_loss(&task);
    task.gradient = NULL;
    for (int i = 0; i < p->count; i++) {
        const TrainTensor *t = &p->tensor[i];
        double size = 0;
        for (int64_t k = 0; k < t->rows * t->cols; k++) size += fabs(d[t->at + (size_t)k]);
        assert_true(size > 0); // every tensor is reached
        for (int64_t k = 0; k < t->rows * t->cols; k += 1 + t->rows * t->cols / 8) {
            double *at = &x[t->at + (size_t)k], was = *at, h = 1e-5;
            *at = was + h;
            double up = plain_loss(&task);
            *at = was - h;
            double slope = (up - plain_loss(&task)) / (2 * h), g = d[t->at + (size_t)k];
            *at = was;
            if (!(fabs(slope - g) <= 1e-7 * (fabs(g) > 1 ? fabs(g) : 1)))
                fail_msg("role %d of layer %d, number %d: slope %.10g, gradient %.10g", (int)t->role,
                         t->layer, (int)k, slope, g);
        }
    }
    arena_free(&a);
}

static void llama_goes_back(void **state) { (void)state, try_model(ARCH_LLAMA, 0); }
static void qwen2_goes_back(void **state) { (void)state, try_model(ARCH_QWEN2, 0); }
static void llama_with_lora_goes_back(void **state) { (void)state, try_model(ARCH_LLAMA, 2); }
static void qwen2_with_lora_goes_back(void **state) { (void)state, try_model(ARCH_QWEN2, 2); }

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(llama_goes_back), cmocka_unit_test(qwen2_goes_back),
                                       cmocka_unit_test(llama_with_lora_goes_back),
                                       cmocka_unit_test(qwen2_with_lora_goes_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
