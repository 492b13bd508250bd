// A kernel that is compiled first, asked for its registers, and launched then.
#include "host/normalized.h"

#define HEAD                                                                                       \
    "from triton.runtime import driver\nP = driver.active.utils.get_device_properties(0)\nREGS = " \
    "P['max_num_regs']\n"                                                                          \
    "D = {'n': -1}\n@triton.jit\ndef k(x, n, B: tl.constexpr):\n    pass\n"
#define WARM                                                                                              \
    HEAD "def run(x):\n    m, n = x.shape\n    B = 128\n    c = k.warmup(x, n, B=B, grid=(1,))\n    r = " \
         "c.n_regs\n"
#define GRID(expr) WARM "    c[(" expr ",)](x, n, B)\n    return x\n"

static void launched(void **state) {
    (void)state;
    const char *all = WARM "    c._init_handles()\n    s = c.metadata.shared\n    o = min(REGS // (r * 256), "
                           "P['max_shared_mem'] // s)\n    c[(min(o * 132, m),)](x, n, B)\n    return x\n";
    HAS(all, "k[min(o * 132, m),](x, n, B=B)");
    HAS(all, "32 if");
    LACKS(all, "n_regs");
    LACKS(all, "metadata");
    LACKS(all, "_init_handles");
    HAS(WARM "    c[(1,)](x, n, B)\n    return x\n", "k[1,](x, n, B=B)");
    HAS(GRID("r"), "k[");
    HAS(GRID("min(m, max(1, 65536 // r))"), "k[");
    HAS(GRID("triton.cdiv(m, r)"), "k[");
    HAS(WARM "    if m > 4:\n        r = r * 2\n    c[(r,)](x, n, B)\n    return x\n", "k[");
    HAS(WARM "    print(r)\n    k[(m // r,)](x, n, 128)\n    return x\n", "32 if");
}

static void other_arguments_stay(void **state) {
    (void)state;
    static const char *const stays[] = {
        WARM "    c[(1,)](x, 3, B)\n    return x\n",
        WARM "    c[(1,)](x, n)\n    return x\n",
        WARM "    n = 3\n    c[(1,)](x, n, B)\n    return x\n", // another value
        WARM "    for n in (1, 2):\n        c[(1,)](x, n, B)\n    return x\n",
        WARM "    x = x.view(-1)\n    c[(1,)](x, n, B)\n    return x\n", // a parameter
        WARM "    self.c = c\n    c[(1,)](x, n, B)\n    return x\n",
        WARM "    c[(1,)](x, n, B=B)\n    return x\n",
        WARM "    c[(1,)](x, n, B)\n    return c.n_spills\n",
    };
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) LACKS(stays[i], "k[1,]");
}

// Only grids may follow from these numbers, and go one way with them.
static void what_could_choose_stays(void **state) {
    (void)state;
    static const char *const stays[] = {
        WARM "    if r == 37:\n        return x\n    c[(1,)](x, n, B)\n    return x\n",
        WARM "    while r > 4:\n        m = 1\n    c[(1,)](x, n, B)\n    return x\n",
        WARM "    T = [m, 0][r]\n    c[(T,)](x, n, B)\n    return x\n",
        WARM "    c[(1,)](x, n, B)\n    k[(1,)](x, r, B=B)\n    return x\n",
        WARM "    c[(1,)](x, n, B)\n    return x[:r]\n",
        WARM "    y = torch.empty(r)\n    c[(1,)](x, n, B)\n    return x\n",
        WARM "    g = lambda meta: (r,)\n    c[(1,)](x, n, B)\n    return x\n",
        WARM "    u = m // max(1, 2 * min(1, r // 37))\n    u = r\n    c[(u,)](x, n, B)\n    return x\n",
        WARM "    c[(r,)](x, n, B)\n    k[(m // r,)](x, n, 128)\n    return x\n",
        GRID("m if r == 37 else 1"),
        GRID("m * (r != 37)"),
        GRID("r and m"),
        GRID("r - 37"),
        GRID("r % 37"),
        GRID("m + r"),
        GRID("abs(r)"),
        GRID("m // max(1, 2 * min(1, r // 37) * min(1, 37 // r))"), // both ways
        GRID("min(m // r, r)"),
        GRID("r, m // r"),
        GRID("r * -1"),
        GRID("r * D['n']"),
        GRID("r * x.n"),
        GRID("r * cdiv(m, 2)"),
        GRID("r ** 2"),
        GRID("r // 2.5"),
    };
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) HAS(stays[i], "c.n_regs");
    // Members that something of the file's own could give.
    HAS("class S:\n    shape = (-1, 2)\n" GRID("r * m"), "c.n_regs");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(launched), cmocka_unit_test(other_arguments_stay),
                                       cmocka_unit_test(what_could_choose_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
