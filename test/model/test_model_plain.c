// The forward pass as the equations have it, against what transformers gave.
#include "model/logits.h"

static void test_plain_agrees(void **state) {
    (void)state;
    for (int i = 0; i < GOLDENS; i++) {
        Golden g = golden_open(GOLDEN[i], 1);
        int count, n;
        const int32_t *prompt = golden_find(&g, "prompt", &count);
        const float *lora = golden_find(&g, "prompt_lora", &n);
        count = 20;
        float *plain = NEWN(&g.a, float, (size_t)count *(size_t)g.vocab);
        model_plain(g.checkpoint, g.adapter, prompt, count, plain);
        double d = largest_difference(plain, lora, (size_t)count * (size_t)g.vocab);
        if (d > CLOSE) fail_msg("%s: %g away", GOLDEN[i], d);
        golden_close(&g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
