// Functions that see a tensor otherwise: the shapes and strides that torch gives, and its errors.
#include "host/doubling.h"
#include "host/world.h"

static void test_python(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "assert x.to(x.device) is x and x.to(x.dtype) is x and x.to('cuda', torch.float32) is x and x.to(x) "
        "is x and x.cuda() is x and x.detach() is x and not x.requires_grad and x.to(device=x.device, "
        "dtype=torch.float, non_blocking=True) is x",
    };
    EXPECT_OK(bodies);
}

static void test_metadata(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "assert x.view(8, 4).shape == (8, 4) and x.view((2, -1)).shape == (2, 16) and x.view(-1).stride() == "
        "(1,)",
        "assert s.reshape(-1).shape == (24,) and s.view(4, 2, 3).stride() == (11, 3, 1)",
        "assert x.t().shape == (8, 4) and x.T.stride() == (1, 8) and x.mT.shape == (8, 4) and "
        "torch.transpose(x, 0, 1).shape == (8, 4)",
        "assert x.unsqueeze(0).shape == (1, 4, 8) and x.unsqueeze(-1).stride() == (8, 1, 1) and "
        "x[None].squeeze().shape == (4, 8)",
        "assert x.unsqueeze(1).squeeze(1).shape == (4, 8) and x.squeeze(0).shape == (4, 8)",
        "assert x.flatten().shape == (32,) and x[None].flatten(1).shape == (1, 32) and x[None].flatten(0, "
        "1).shape == (4, 8)",
        "y = x.view(2, 2, 8).permute(2, 0, 1)\nassert y.shape == (8, 2, 2) and y.stride() == (1, 16, 8)",
        "assert x.view(2, 2, 8).permute((1, 2, 0)).stride() == (8, 1, 16) and not x.t().is_contiguous()",
        "a, b = x.chunk(2, dim=-1)\nassert a.shape == (4, 4) and b.storage_offset() == 4 and a.stride() == "
        "(8, 1)",
        "assert [p.shape[0] for p in x.split(3)] == [3, 1] and len(x.split([1, 3])) == 2 and "
        "len(x.unbind(1)) == 8",
        "assert x.chunk(3)[1].shape == (2, 8) and len(x.chunk(3)) == 2",
        "assert t.expand(3, 4).stride() == (0, 1) and t[:, None].expand(-1, 5).shape == (4, 5) and "
        "t.expand_as(torch.empty(2, 4)).shape == (2, 4)",
        "assert x.narrow(1, 2, 3).shape == (4, 3) and x.select(0, -1).storage_offset() == 24 and "
        "x.view_as(x).shape == (4, 8)",
        "assert x.contiguous() is x and s.contiguous().stride() == (6, 1) and s.contiguous().is_contiguous()",
        "assert torch.empty_like(s).stride() == (6, 1) and torch.empty_like(x.t()).stride() == (1, 8) and "
        "torch.empty_like(x[:, :4].t()).stride() == (1, 4)",
    };
    EXPECT_OK(bodies);
}

static void test_refusals(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_REFUSED, "do it in a kernel", "y = x.view(torch.int32)"},
    };
    EXPECT_FAILURES(cases);
}

static void test_what_python_and_torch_raise(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_HOST, "shape '[5, 5]' is invalid for input of size 32", "y = x.view(5, 5)"},
        {DIAG_HOST, "shape '[3, -1]' is invalid", "y = x.view(3, -1)"},
        {DIAG_HOST, "only one dimension can be inferred", "y = x.view(-1, -1)"},
        {DIAG_HOST, "view size is not compatible", "y = s.view(-1)"},
        {DIAG_HOST, "view size is not compatible", "y = x.t().view(32)"},
        {DIAG_HOST, "Dimension out of range", "y = x.transpose(0, 5)"},
        {DIAG_HOST, "The expanded size", "y = x.expand(3, 4, 9)"},
        {DIAG_HOST, "duplicate dims", "y = x.permute(0, 0)"},
    };
    EXPECT_FAILURES(cases);
}

static void test_features(void **state) {
    (void)state;
    static const Feature features[] = {
        {".stride .is_contiguous .contiguous",
         HOLDS("x.stride() == (8, 1) and x.stride(0) == 8 and x.is_contiguous() and x.contiguous() is x and "
               "x.t().contiguous().is_contiguous()")},
        {".view .reshape", HOLDS("x.view(-1).shape == (32,) and x.reshape(2, 16).shape == (2, 16) and "
                                 "x.view(*x.shape[:-1], 2, 4).shape == (4, 2, 4)")},
    };
    RUN_FEATURES(features);
}

// Returned views show the bytes they should; fills and copies are billed and carry their shadow along.
static void test_bytes(void **state) {
    (void)state;
    static const struct {
        const char *expr;
        int n;
        double want[8];
    } cases[] = {
        {"x[1, 2:5]", 3, {10, 11, 12}},
        {"x[:, 1]", 4, {1, 9, 17, 25}},
        {"x.t()[7, 2:]", 2, {23, 31}},
        {"x.view(2, 2, 8).permute(2, 0, 1)[3]", 4, {3, 11, 19, 27}},
        {"s[1:3, :2]", 4, {14, 15, 25, 26}},
        {"s.contiguous()[2, 4:]", 2, {29, 30}},
        {"s.reshape(-1)[5:8]", 3, {8, 14, 15}},
        {"x.chunk(4, dim=1)[3][0]", 2, {6, 7}},
        {"t[:2, None].expand(2, 2)", 4, {0, 0, 1, 1}},
        {"x.unbind(1)[2][::2]", 2, {2, 18}},
        {"torch.full((2, 2), 2.5, device='cuda')", 4, {2.5, 2.5, 2.5, 2.5}},
        {"torch.ones_like(s)[0, :3]", 3, {1, 1, 1}},
        {"x.new_zeros(2, dtype=torch.int8)", 2, {0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        World w;
        world_open(&w, 1 << 20);
        const char *source = arena_printf(&w.arena, "def run(x, s, t):\n    return %s\n", cases[i].expr);
        if (!world_run(&w, source)) fail_msg("%s:\n%s", w.d.at[0].msg, source);
        assert_int_equal(tensor_numel(&w.out), cases[i].n);
        uint8_t raw[64], flags[8];
        tensor_gather(&w.out, raw, flags);
        for (int k = 0; k < cases[i].n; k++) {
            double got = dtype_load(w.out.dtype, raw + k * dtype_bytes(w.out.dtype));
            if (got != cases[i].want[k])
                fail_msg("%s: element %d is %g, not %g", cases[i].expr, k, got, cases[i].want[k]);
            if (!(flags[k] & SHADOW_INIT)) fail_msg("%s: element %d is not defined", cases[i].expr, k);
            if (flags[k] & SHADOW_STORED)
                fail_msg("%s: the host's work passes for a kernel's", cases[i].expr);
        }
        world_close(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python),   cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_what_python_and_torch_raise),
        cmocka_unit_test(test_features), cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
