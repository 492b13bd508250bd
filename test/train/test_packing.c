// Packing: every document once an epoch, in an order that only the seed decides.
#include "making.h"
#include "train/packing.h"

enum { N = 20 };
static const Document *documents(Arena *a) {
    Document *d = NEWN(a, Document, N);
    for (int i = 0; i < N; i++) {
        int32_t *t = NEWN(a, int32_t, (size_t)(3 + i % 5));
        for (int k = 0; k < 3 + i % 5; k++) t[k] = i * 10 + k;
        d[i] = (Document){t, 3 + i % 5, 2, -1};
    }
    return d;
}

static void each_document_comes_once_an_epoch(void **state) {
    (void)state;
    Arena a = {0};
    Packing p;
    packing_open(&a, &p, documents(&a), N, 5);
    int first[N], seen[N] = {0}, at = 0;
    while (p.epoch == 0) {
        int n;
        int64_t tokens = 0;
        const int *i = packing_take(&p, 16, &n);
        for (int k = 0; k < n; k++) {
            tokens += p.at[i[k]].count;
            seen[i[k]]++;
            first[at++] = i[k];
        }
        assert_true(n >= 1 && tokens <= 16);
    }
    for (int i = 0; i < N; i++) assert_int_equal(seen[i], 1);
    // Going on from a place is as if all before had been taken; another epoch has another order.
    Packing q;
    packing_open(&a, &q, p.at, N, 5);
    q.place = 7;
    int n;
    assert_int_equal(packing_take(&q, 1, &n)[0], first[7]);
    assert_int_equal(n, 1); // one at least
    assert_memory_not_equal(packing_take(&p, 1000, &n), first, sizeof first);
    assert_int_equal(n, N);
    arena_free(&a);
}

static void completions_alone_are_learned(void **state) {
    (void)state;
    Arena a = {0};
    Packing p;
    packing_open(&a, &p, documents(&a), N, 5);
    int two[] = {0, 1}; // 3 and 4 tokens, prompts of 2
    TrainBatch b = packing_batch(&a, &p, two, 2);
    assert_int_equal(b.count, 7);
    static const float want[] = {0, 1, 0, 0, 1, 1, 0};
    assert_memory_equal(b.weight, want, sizeof want);
    assert_int_equal(b.target[1], 2);
    assert_int_equal(b.target[5], 13);
    assert_int_equal(packing_learned(&p, two, 2), 3);
    p.whole = true;
    b = packing_batch(&a, &p, two, 2);
    static const float all[] = {1, 1, 0, 1, 1, 1, 0};
    assert_memory_equal(b.weight, all, sizeof all);
    assert_int_equal(packing_learned(&p, two, 2), 5);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_document_comes_once_an_epoch),
                                       cmocka_unit_test(completions_alone_are_learned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
