// Rows of op.def that Triton defines in its own language: here they are jit functions of a module that every
// kernel sees. What goes wrong inside is reported at the call.
#include "tile/check/checker.h"
#include <assert.h>

// Philox, counter mode, as in base/numeric/rng.h; the constants of the 64-bit form are written as negative
// numbers, because a literal has 64 bits with sign.
static const char prelude[] =
    "@triton.jit\n"
    "def wide(x: tl.constexpr):\n"
    "    return tl.full((), x, tl.int64).to(tl.uint64, bitcast=True)\n"
    "@triton.jit\n"
    "def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds):\n"
    "    if c0.dtype == tl.uint32:\n"
    "        key_a = 0x9E3779B9\n"
    "        key_b = 0xBB67AE85\n"
    "        mul_a = 0xD2511F53\n"
    "        mul_b = 0xCD9E8D57\n"
    "    else:\n"
    "        tl.static_assert(c0.dtype == tl.uint64, 'dtype not supported in philox_impl')\n"
    "        key_a = wide(-0x61C8864680B583EB)\n"
    "        key_b = wide(-0x4498517A7B3558C5)\n"
    "        mul_a = wide(-0x2D18B8F11EB3936D)\n"
    "        mul_b = wide(-0x35A57D9C6AEDEEA9)\n"
    "    for r in tl.static_range(n_rounds):\n"
    "        old_0, old_2 = c0, c2\n"
    "        c0 = tl.umulhi(mul_b, old_2) ^ c1 ^ k0\n"
    "        c2 = tl.umulhi(mul_a, old_0) ^ c3 ^ k1\n"
    "        c1 = mul_b * old_2\n"
    "        c3 = mul_a * old_0\n"
    "        k0 = k0 + key_a\n"
    "        k1 = k1 + key_b\n"
    "    return c0, c1, c2, c3\n"
    "@triton.jit\n"
    "def philox(seed, c0, c1, c2, c3, n_rounds):\n"
    "    key = seed\n"
    "    tl.static_assert(key.dtype.is_int(), 'the seed of tl.philox must be an integer')\n"
    "    key = key.to(tl.uint64)\n"
    "    d0, d1, d2, d3 = c0, c1, c2, c3\n"
    "    if d0.dtype.primitive_bitwidth == 32:\n"
    "        t: tl.constexpr = tl.uint32\n"
    "        hi = ((key >> 32) & 0xffffffff).to(t)\n"
    "        lo = (key & 0xffffffff).to(t)\n"
    "    else:\n"
    "        tl.static_assert(d0.dtype.primitive_bitwidth == 64, 'bitwidth not supported in philox')\n"
    "        t: tl.constexpr = tl.uint64\n"
    "        hi = tl.full((1, ), 0, t)\n"
    "        lo = key\n"
    "    d0, d1 = d0.to(t, bitcast=True), d1.to(t, bitcast=True)\n"
    "    d2, d3 = d2.to(t, bitcast=True), d3.to(t, bitcast=True)\n"
    "    return philox_impl(d0, d1, d2, d3, lo, hi, n_rounds)\n"
    "@triton.jit\n"
    "def randint4x(seed, offset, n_rounds):\n"
    "    lo = offset.to(tl.uint32)\n"
    "    zero = lo * 0\n"
    "    hi = zero\n"
    "    if offset.dtype.primitive_bitwidth > 32:\n"
    "        hi = (offset >> 32).to(tl.uint32)\n"
    "    return philox(seed, lo, hi, zero, zero, n_rounds)\n"
    "@triton.jit\n"
    "def randint(seed, offset, n_rounds):\n"
    "    a, b, c, d = randint4x(seed, offset, n_rounds)\n"
    "    return a\n"
    "@triton.jit\n"
    "def uint_to_uniform_float(x):\n"
    "    if x.dtype == tl.uint32 or x.dtype == tl.int32:\n"
    "        y = x.to(tl.int32, bitcast=True)\n"
    "        scale = 4.6566127342e-10\n"
    "    else:\n"
    "        tl.static_assert(x.dtype == tl.uint64 or x.dtype == tl.int64, 'dtype not supported')\n"
    "        y = x.to(tl.int64, bitcast=True)\n"
    "        scale = 1.0842020432385337e-19\n"
    "    return tl.where(y < 0, -y - 1, y) * scale\n"
    "@triton.jit\n"
    "def rand(seed, offset, n_rounds):\n"
    "    return uint_to_uniform_float(randint(seed, offset, n_rounds))\n"
    "@triton.jit\n"
    "def rand4x(seed, offsets, n_rounds):\n"
    "    a, b, c, d = randint4x(seed, offsets, n_rounds)\n"
    "    return (uint_to_uniform_float(a), uint_to_uniform_float(b), uint_to_uniform_float(c),\n"
    "            uint_to_uniform_float(d))\n"
    "@triton.jit\n"
    "def pair_uniform_to_normal(u1, u2):\n"
    "    u = tl.maximum(1.0e-7, u1)\n"
    "    angle = 6.283185307179586 * u2\n"
    "    r = tl.sqrt(-2.0 * tl.log(u))\n"
    "    return r * tl.cos(angle), r * tl.sin(angle)\n"
    "@triton.jit\n"
    "def randn(seed, offset, n_rounds):\n"
    "    a, b, c, d = randint4x(seed, offset, n_rounds)\n"
    "    x, y = pair_uniform_to_normal(uint_to_uniform_float(a), uint_to_uniform_float(b))\n"
    "    return x\n"
    "@triton.jit\n"
    "def randn4x(seed, offset, n_rounds):\n"
    "    a, b, c, d = rand4x(seed, offset, n_rounds)\n"
    "    x, y = pair_uniform_to_normal(a, b)\n"
    "    z, w = pair_uniform_to_normal(c, d)\n"
    "    return x, y, z, w\n"
    "@triton.jit\n"
    "def swizzle2d(i, j, size_i, size_j, size_g):\n"
    "    at = i * size_j + j\n"
    "    group = size_g * size_j\n"
    "    first = at // group * size_g\n"
    "    rows = tl.minimum(size_i - first, size_g)\n"
    "    at = at % group\n"
    "    return first + at % rows, at // rows\n";

static bool load(Checker *c) {
    if (c->prelude) return true;
    DiagList d = DIAGS(c->arena);
    c->prelude = parse_module(c->arena, str_of(prelude), &d);
    assert(c->prelude); // it is ours
    return c->prelude != NULL;
}

// The arguments in the order of the row's signature, which is the function's.
static bool call(Call *k, const char *name, Val *out) {
    Checker *c = k->c;
    if (!load(c)) return false;
    Val f = {.kind = VAL_FUNCTION};
    f.function = module_function(c->prelude, str_of(name));
    f.home = c->prelude;
    const Node *outside = c->foreign;
    if (!outside) c->foreign = k->at;
    bool ok = check_apply(c, k->at, &f, k->arg, f.function->function.params.n, out);
    c->foreign = outside;
    return ok;
}
#define ROW(id) \
    bool check_##id(Call *k, Val *out) { return call(k, #id, out); }
ROW(philox_impl)
ROW(philox)
ROW(randint)
ROW(randint4x)
ROW(rand)
ROW(rand4x)
ROW(randn)
ROW(randn4x)
ROW(uint_to_uniform_float)
ROW(pair_uniform_to_normal)
ROW(swizzle2d)
