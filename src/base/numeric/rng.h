// rng.h - counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers:
// as easy as 1, 2, 3", SC 2011). A number depends on (key, stream, position) alone, so any element of any
// input can be drawn in any order, on any thread, with the same bits. Test vectors: Random123's kat_vectors.
#pragma once
#include "base/err.h"
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t v[4];
} Philox4;
Philox4 philox4x32(Philox4 counter, uint32_t key0, uint32_t key1); // ten rounds

// A sequence: seed is the key, stream the upper half of the counter. What was computed ahead shows in no
// result.
enum { RNG_AHEAD = 8 };
typedef struct {
    uint64_t seed, stream, position; // position counts blocks of four
    Philox4 block;
    int left;
    uint64_t ahead_from, ahead_known; // position of ahead[0], and how many there are
    Philox4 ahead[RNG_AHEAD];         // blocks computed together
} Rng;

Rng rng_at(uint64_t seed, uint64_t stream);
uint32_t rng_u32(Rng *r);
uint64_t rng_u64(Rng *r);
uint64_t rng_below(Rng *r, uint64_t n);              // uniform in [0, n), exact; n >= 1
int64_t rng_between(Rng *r, int64_t lo, int64_t hi); // uniform in [lo, hi]
double rng_unit(Rng *r);                             // uniform in [0, 1), 53 bits
// The sum of the eight 16-bit halves of one block, scaled to variance 1: |z| < 4.9. Takes a whole block of
// its own; what is left of the one before is dropped.
double rng_normal(Rng *r);
void rng_fill_normal(Rng *r, double *out, size_t n);      // same sequence as n times rng_normal, faster
uint64_t rng_mix(uint64_t seed, uint64_t label);          // an independent seed for a labelled purpose
MUST_CHECK bool rng_entropy(void *out, size_t n, Err *e); // getrandom(2)
