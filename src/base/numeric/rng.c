#include "base/numeric/rng.h"
#include "base/isa.h"
#include "base/numeric/rng_simd.h"
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

Philox4 philox4x32(Philox4 c, uint32_t k0, uint32_t k1) {
    for (int round = 0; round < PHILOX_ROUNDS; round++, k0 += PHILOX_KEY0, k1 += PHILOX_KEY1) {
        uint64_t p0 = (uint64_t)c.v[0] * PHILOX_M0, p1 = (uint64_t)c.v[2] * PHILOX_M1;
        c = (Philox4){{(uint32_t)(p1 >> 32) ^ c.v[1] ^ k0, (uint32_t)p1, (uint32_t)(p0 >> 32) ^ c.v[3] ^ k1,
                       (uint32_t)p0}};
    }
    return c;
}

static Philox4 block_at(uint64_t seed, uint64_t stream, uint64_t position) {
    Philox4 c = {
        {(uint32_t)position, (uint32_t)(position >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    return philox4x32(c, (uint32_t)seed, (uint32_t)(seed >> 32));
}

static const RngLoops *loops(void) {
#ifdef PORTABLE
    return &rng_loops_base;
#else
    static const RngLoops *const table[ISA_COUNT] = {&rng_loops_base, &rng_loops_avx2, &rng_loops_avx512};
    return table[isa_level()];
#endif
}

Rng rng_at(uint64_t seed, uint64_t stream) { return (Rng){.seed = seed, .stream = stream}; }

// Eight blocks cost the vector units about as much as one costs otherwise.
static Philox4 next_block(Rng *r) {
    uint64_t at = r->position++;
    if (at - r->ahead_from >= r->ahead_known) {
        loops()->blocks(r->seed, r->stream, at, r->ahead);
        r->ahead_from = at;
        r->ahead_known = RNG_AHEAD;
    }
    return r->ahead[at - r->ahead_from];
}

uint32_t rng_u32(Rng *r) {
    if (!r->left) {
        r->block = next_block(r);
        r->left = 4;
    }
    return r->block.v[4 - r->left--];
}

uint64_t rng_u64(Rng *r) {
    uint64_t low = rng_u32(r);
    return low | (uint64_t)rng_u32(r) << 32;
}

// Lemire's method: the high half of a 128-bit product, with the few low halves that would favour some results
// drawn again.
uint64_t rng_below(Rng *r, uint64_t n) {
    assert(n);
    unsigned __int128 m = (unsigned __int128)rng_u64(r) * n;
    if ((uint64_t)m < n) {
        uint64_t uneven = -n % n; // 2^64 mod n
        while ((uint64_t)m < uneven) m = (unsigned __int128)rng_u64(r) * n;
    }
    return (uint64_t)(m >> 64);
}

int64_t rng_between(Rng *r, int64_t lo, int64_t hi) {
    assert(lo <= hi);
    uint64_t span = (uint64_t)hi - (uint64_t)lo + 1; // 0 stands for 2^64
    uint64_t step = span ? rng_below(r, span) : rng_u64(r);
    return (int64_t)((uint64_t)lo + step);
}

double rng_unit(Rng *r) { return (double)(rng_u64(r) >> 11) * 0x1p-53; }

double rng_normal(Rng *r) {
    r->left = 0;
    Philox4 b = next_block(r);
    return rng_normal_of(b.v[0], b.v[1], b.v[2], b.v[3]);
}

void rng_fill_normal(Rng *r, double *out, size_t n) {
    loops()->normals(r->seed, r->stream, r->position, out, n);
    r->position += n;
    r->left = n ? 0 : r->left;
}

// A block of the seed's own key at the label, in a stream that no Rng is asked for by chance.
uint64_t rng_mix(uint64_t seed, uint64_t label) {
    Philox4 b = block_at(seed, 0x6d69786564206c62u, label);
    return b.v[0] | (uint64_t)b.v[1] << 32;
}

bool rng_entropy(void *out, size_t n, Err *e) {
    unsigned char *p = out;
    while (n) {
        ssize_t got = getrandom(p, n, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return err_set(e, ERR_IO, "getrandom: %s", strerror(errno));
        p += got;
        n -= (size_t)got;
    }
    return true;
}
