// A kernel that is compiled first, asked for its registers, and launched then.
#include "host/normalized.h"

#define WARM "def run(x):\n    n = x.shape[1]\n    B = 128\n    c = k.warmup(x, n, B=B, grid=(1,))\n"

static void launched(void **state) {
    (void)state;
    const char *all =
        WARM "    c._init_handles()\n    r = c.n_regs + c.metadata.shared\n    c[(r,)](x, n)\n    return x\n";
    HAS(all, "k[r,](x, n, B=B)");
    HAS(all, "32 if");
    LACKS(all, "n_regs");
    LACKS(all, "_init_handles");
    HAS(WARM "    c[(1,)](x, n, B)\n    return x\n", "k[1,](x, n, B=B)");
}

static void others_stay(void **state) {
    (void)state;
    static const char *const stays[] = {
        WARM "    c[(1,)](x, 3)\n    return x\n",            // other arguments
        WARM "    n = 3\n    c[(1,)](x, n)\n    return x\n", // another value
        WARM "    self.c = c\n    c[(1,)](x, n)\n    return x\n",
        WARM "    c[(1,)](x, n, B=B)\n    return x\n",
        WARM "    return c.n_spills\n",
    };
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) LACKS(stays[i], "k[1,]");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(launched), cmocka_unit_test(others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
