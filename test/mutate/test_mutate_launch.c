// Edits of host code: strides, launch arguments, grids.
#include "edits.h"

static const char host[] = "@triton.jit\n"
                           "def k(x_ptr, out_ptr, x_stride, out_stride, N):\n"
                           "    pass\n"
                           "\n"
                           "\n"
                           "def run(x, y):\n"
                           "    M, N = x.shape\n"
                           "    out = torch.empty_like(x)\n"
                           "    grid = (M, triton.cdiv(N, 8))\n"
                           "    k[grid](x, out, x.stride(0), out.stride(0), N)\n"
                           "    return out\n";
#define LAUNCH(args) "k[grid](" args ")"

static void host_edits(void **state) {
    (void)state;
    static const Expectation all[] = {
        {MUTATOR_contiguous, host, {LAUNCH("x, out, x.shape[-1], out.stride(0), N")}},
        {MUTATOR_launch_argument,
         host,
         {LAUNCH("out, x, x.stride(0), out.stride(0), N"), LAUNCH("x, x.stride(0), out, out.stride(0), N"),
          LAUNCH("x, out, out.stride(0), x.stride(0), N")}},
        {MUTATOR_grid,
         host,
         {"grid = M, N // 8", "grid = M - 1, triton.cdiv(N, 8)", "grid = M, triton.cdiv(N, 8) - 1"}},
        {MUTATOR_layout, host, {0}}, // the only other stride is of a tensor made here
        {MUTATOR_layout,
         "def run(x, y):\n    k[(M,)](x, y, x.stride(0), y.stride(0))\n",
         {"k[M,](x, y, y.stride(0), y.stride(0))", "k[M,](x, y, x.stride(0), x.stride(0))"}},
        {MUTATOR_capped_grid, "def run(x, y):\n    k[(M, 2)](x, y)\n", {"k[min(M, 65535), 2](x, y)"}},
        {MUTATOR_branch, "def run(x, y):\n    k[(M, 2)](x, y)\n", {"k[M - (x.numel() == 33792), 2](x, y)"}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) check_edits(all[i].body, &all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(host_edits, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
