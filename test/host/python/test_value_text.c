// What str() and f-strings of a program give: all of it, or nothing.
#include "host/world.h"

static void texts_are_whole(void **state) {
    (void)state;
    expect_ok("assert str([0] * 400) == '[' + '0, ' * 399 + '0]'");
    expect_ok("assert str((1,)) == '(1,)' and str(()) == '()' and f\"{['a', None, 2.5]!r}\" == \"['a', None, "
              "2.5]\"");
    expect_ok("assert f\"{'x' * 400}{x.shape}\" == 'x' * 400 + 'torch.Size([4, 8])'");
    expect_ok("assert str({'a': (1, 2)}) == \"{'a': (1, 2)}\" and str(torch.float16) == 'torch.float16'");
    expect_ok("assert f'{x.device} {torch.device(\"cuda\")}' == 'cuda:0 cuda'");
    expect_ok("assert x.ndim == 2, f'{run} {x} {x.device}'"); // a message that nobody asks for
}

static void what_has_no_text(void **state) {
    (void)state;
    const Case c[] = {{DIAG_UNSUPPORTED, "type 'function'", "y = str(run)"},
                      {DIAG_UNSUPPORTED, "type 'function'", "y = f'{[run]}'"},
                      {DIAG_UNSUPPORTED, "type 'torch.device'", "y = str([x.device])"},
                      {DIAG_UNSUPPORTED, "type 'str'", "y = str(['\xc3\xa4'])"},
                      {DIAG_REFUSED, "the text of a tensor", "y = f'{x}'"},
                      {DIAG_HOST, "RecursionError", "y = []\ny.append(y)\nz = str(y)"},
                      {DIAG_HOST, "MemoryError", "y = ['x' * 1000000]\nz = str(y + y)"},
                      {DIAG_HOST, "<function>", "raise ValueError(f'{run}')"}};
    expect_failures(c, sizeof c / sizeof *c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_whole),
        cmocka_unit_test(what_has_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
