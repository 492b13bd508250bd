// What tensors are: sizes, strides, types, devices.
#include "host/doubling.h"
#include "host/world.h"

static void test_python(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "assert torch.cuda.get_device_properties(0).multi_processor_count == 132 and "
        "torch.cuda.is_available()",
    };
    EXPECT_OK(bodies);
}

static void test_metadata(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "M, N = x.shape\nassert M == 4 and N == 8 and x.shape == (4, 8) and x.size() == x.shape and "
        "x.size(-1) == 8",
        "assert x.stride() == (8, 1) and s.stride(0) == 11 and s.stride(-1) == 1 and x.numel() == 32 and "
        "len(x) == 4",
        "assert x.dim() == x.ndim == 2 and x.dtype == torch.float32 and x.dtype is torch.float and s.dtype "
        "== torch.half",
        "assert x.dtype != s.dtype and x.element_size() == 4 and s.dtype.itemsize == 2 and "
        "x.dtype.is_floating_point",
        "assert x.is_cuda and x.device == torch.device('cuda:0') and x.device.type == 'cuda' and "
        "x.is_floating_point()",
        "assert x.is_contiguous() and not s.is_contiguous() and s.storage_offset() == 3 and x.nbytes == 128",
        "assert x[0].shape == (8,) and x[:, 1].stride() == (8,) and x[1:3, ::2].shape == (2, 4) and x[1:3, "
        "::2].stride() == (8, 2)",
        "assert x[..., None].shape == (4, 8, 1) and x[-1, 2:].storage_offset() == 26 and x[5:].shape == (0, "
        "8)",
        "assert f'{x.shape} {x.dtype} {x.device}' == 'torch.Size([4, 8]) torch.float32 cuda:0'",
        "assert tl.float16 != torch.float16 and tl.float32 == tl.float32",
    };
    EXPECT_OK(bodies);
}

static void test_what_python_and_torch_raise(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_HOST, "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
         "y = x.size(2)"},
    };
    EXPECT_FAILURES(cases);
}

static void test_features(void **state) {
    (void)state;
    static const Feature features[] = {
        {"dtypes and devices",
         HOLDS("x.dtype == torch.float32 and x.dtype in (torch.float16, torch.float32) and x.device == "
               "torch.device('cuda', 0) and x.device.type == 'cuda' and x.is_cuda")},
        {".shape .size .numel .dim .ndim",
         HOLDS("x.shape == (4, 8) and x.size(0) == 4 and x.size()[1] == 8 and x.numel() == 32 and x.dim() == "
               "x.ndim == 2 and x.shape[-1] == 8")},
        {".element_size", HOLDS("x.element_size() == 4 and x.itemsize == 4 and x.nbytes == 128")},
        {"device properties",
         HOLDS("torch.cuda.get_device_properties(x.device).multi_processor_count == 132 and "
               "torch.cuda.current_device() == 0")},
    };
    RUN_FEATURES(features);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_what_python_and_torch_raise),
        cmocka_unit_test(test_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
