#include "base/rng.h"
#include "base/isa.h"
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#define INLINE static inline __attribute__((always_inline))

// Multipliers and key increments are those of the paper.
enum { ROUNDS = 10 };
static const uint32_t KEY0 = 0x9E3779B9u, KEY1 = 0xBB67AE85u;
INLINE void philox_round(uint32_t *c0, uint32_t *c1, uint32_t *c2, uint32_t *c3, uint32_t k0, uint32_t k1) {
    uint64_t p0 = *c0 * 0xD2511F53ull, p1 = *c2 * 0xCD9E8D57ull;
    *c0 = (uint32_t)(p1 >> 32) ^ *c1 ^ k0;
    *c1 = (uint32_t)p1;
    *c2 = (uint32_t)(p0 >> 32) ^ *c3 ^ k1;
    *c3 = (uint32_t)p0;
}

Philox4 philox4x32(Philox4 c, uint32_t k0, uint32_t k1) {
    for (int round = 0; round < ROUNDS; round++, k0 += KEY0, k1 += KEY1)
        philox_round(&c.v[0], &c.v[1], &c.v[2], &c.v[3], k0, k1);
    return c;
}

static Philox4 block_at(uint64_t seed, uint64_t stream, uint64_t position) {
    Philox4 c = {
        {(uint32_t)position, (uint32_t)(position >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    return philox4x32(c, (uint32_t)seed, (uint32_t)(seed >> 32));
}

Rng rng_at(uint64_t seed, uint64_t stream) { return (Rng){.seed = seed, .stream = stream}; }

uint32_t rng_u32(Rng *r) {
    if (!r->left) {
        r->block = block_at(r->seed, r->stream, r->position++);
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

// Eight 16-bit uniforms have mean 8 * 65535 / 2 and variance 8 * (2^32 - 1) / 12.
static const double normal_scale = 0x1.3988e1412ed76p-16; // 1 / sqrt(8 * (2^32 - 1) / 12)
INLINE double normal_of(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    uint32_t low = (a & 0xffff) + (b & 0xffff) + (c & 0xffff) + (d & 0xffff);
    uint32_t high = (a >> 16) + (b >> 16) + (c >> 16) + (d >> 16);
    return (double)((int32_t)(low + high) - 4 * 65535) * normal_scale;
}

double rng_normal(Rng *r) {
    r->left = 0;
    Philox4 b = block_at(r->seed, r->stream, r->position++);
    return normal_of(b.v[0], b.v[1], b.v[2], b.v[3]);
}

// One body for every vector width: no lane depends on another, so the width cannot show in the result.
enum { LANES = 16 };
INLINE size_t fill_body(uint64_t seed, uint64_t stream, uint64_t position, double *restrict out, size_t n) {
    uint32_t c0[LANES], c1[LANES], c2[LANES], c3[LANES];
    size_t at = 0;
    for (; n - at >= LANES; at += LANES, position += LANES) {
        for (unsigned i = 0; i < LANES; i++) {
            c0[i] = (uint32_t)(position + i);
            c1[i] = (uint32_t)((position + i) >> 32);
            c2[i] = (uint32_t)stream;
            c3[i] = (uint32_t)(stream >> 32);
        }
        uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
        for (int round = 0; round < ROUNDS; round++, k0 += KEY0, k1 += KEY1)
            for (unsigned i = 0; i < LANES; i++) philox_round(&c0[i], &c1[i], &c2[i], &c3[i], k0, k1);
        for (unsigned i = 0; i < LANES; i++) out[at + i] = normal_of(c0[i], c1[i], c2[i], c3[i]);
    }
    return at;
}
typedef size_t FillBody(uint64_t seed, uint64_t stream, uint64_t position, double *restrict out, size_t n);

static size_t fill_base(uint64_t seed, uint64_t stream, uint64_t position, double *restrict out, size_t n) {
    return fill_body(seed, stream, position, out, n);
}
#if defined(__x86_64__) && !defined(PORTABLE)
__attribute__((target("avx2"))) static size_t fill_avx2(uint64_t seed, uint64_t stream, uint64_t position,
                                                        double *restrict out, size_t n) {
    return fill_body(seed, stream, position, out, n);
}
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static size_t
fill_avx512(uint64_t seed, uint64_t stream, uint64_t position, double *restrict out, size_t n) {
    return fill_body(seed, stream, position, out, n);
}
static FillBody *const fill_at[ISA_COUNT] = {fill_base, fill_avx2, fill_avx512};
#else
static FillBody *const fill_at[ISA_COUNT] = {fill_base, fill_base, fill_base};
#endif

void rng_fill_normal(Rng *r, double *out, size_t n) {
    size_t done = fill_at[isa_level()](r->seed, r->stream, r->position, out, n);
    r->position += done;
    r->left = 0;
    for (; done < n; done++) out[done] = rng_normal(r);
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
