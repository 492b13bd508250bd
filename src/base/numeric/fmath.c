// The argument reduction of sin and cos beyond 2^26, where pi/2 in five parts is too short.
#include "base/numeric/fmath.h"

// The bits of 2/pi behind the binary point, after 64 zeros that stand before it.
static const uint64_t two_over_pi[21] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
};

static uint64_t window(unsigned bit) { // 64 bits of the table from this one on
    unsigned at = bit / 64, shift = bit % 64;
    return shift ? two_over_pi[at] << shift | two_over_pi[at + 1] >> (64 - shift) : two_over_pi[at];
}

// x = m 2^e with integer m. Bits of 2/pi worth 4 2^-e and more give whole turns and are skipped; the next 192
// bits, times m and modulo 2^192, are the angle in quarter turns as a fixed-point number with two integer
// bits.
F64Quarter f64_reduce_huge(double x) {
    typedef unsigned __int128 Wide;
    uint64_t b = bits64(x);
    uint64_t m = (b & 0xfffffffffffffu) | 1ull << 52;
    unsigned e64 = (unsigned)(b >> 52 & 0x7ff) - 1075 + 64; // e + 64 >= 38
    unsigned bit = e64 - 2;
    Wide low = (Wide)m * window(bit + 128);
    Wide mid = (Wide)m * window(bit + 64) + (uint64_t)(low >> 64);
    uint64_t p2 = m * window(bit) + (uint64_t)(mid >> 64), p1 = (uint64_t)mid, p0 = (uint64_t)low;

    // To the nearest quarter: the fraction becomes a signed number in [-1/2, 1/2).
    uint64_t q = (p2 >> 62) + (p2 >> 61 & 1);
    uint64_t f2 = p2 << 2 | p1 >> 62, f1 = p1 << 2 | p0 >> 62, f0 = p0 << 2;
    bool minus = f2 >> 63;
    if (minus) {
        f0 = ~f0 + 1;
        f1 = ~f1 + !f0;
        f2 = ~f2 + (!f0 && !f1);
    }
    int zeros = 0; // no double comes nearer to a multiple of pi/2 than 2^-62, so this ends soon
    while (zeros < 128 && !(f2 >> 63)) {
        f2 = f2 << 1 | f1 >> 63;
        f1 = f1 << 1 | f0 >> 63;
        f0 <<= 1;
        zeros++;
    }
    double unit = ldexp(1.0, -53 - zeros);
    double hi = (double)(f2 >> 11) * unit;
    double lo = (double)((f2 & 0x7ff) << 42 | f1 >> 22) * (unit * 0x1p-53);

    F64Pair r = f64_two_prod(hi, 0x1.921fb54442d18p+0);
    r.lo += hi * 0x1.1a62633145c07p-54 + lo * 0x1.921fb54442d18p+0;
    double top = r.hi + r.lo;
    double rest = (r.hi - top) + r.lo;
    if (minus != (x < 0.0)) top = -top, rest = -rest;
    return (F64Quarter){top, rest, x < 0.0 ? -q : q};
}
