// Host functions of --include behind a kernel file: what is put there, and what is not.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "lang/library.h"
#include "service/manifest/included_host.h"

static Arena arena;

typedef struct {
    const char *name, *text;
} File;

static IncludedHost included(const char *source, const File *files, int n, const char *package) {
    Buf packed = BUF(&arena);
    for (int i = 0; i < n; i++) library_pack(&packed, str_of(files[i].name), str_of(files[i].text));
    IncludedHost out;
    included_host(&arena, str_of(source), n ? buf_str(&packed) : (Str){0}, str_of(package), &out);
    return out;
}

// `behind`: what is put behind the file, or NULL: nothing is, and the file is what it was.
static void expect(const char *source, const File *files, int n, const char *own, const char *behind) {
    IncludedHost got = included(source, files, n, "");
    Str whole = str_of(arena_printf(&arena, "%s%s", own, behind ? behind : ""));
    if (!str_eq(got.source, whole)) fail_msg("%.*s", STR_ARG(got.source));
    assert_int_equal(got.own, strlen(own));
}

static const File plain[] = {{"m", "import torch\nimport math\nfrom n import g\nA = 3\nB = 4\ndef f(x):\n    "
                                   "return g(x) + A\ndef other(x):\n    return B\n"},
                             {"n", "def g(x):\n    return p.pi\nimport math as p\n"}};

static void what_is_reached_is_put_behind(void **state) {
    (void)state;
    expect("from m import f\ndef run(x):\n    return f(x)\n", plain, 2,
           "pass           \ndef run(x):\n    return f(x)\n",
           "\n\n# Of n.py, which --include gives:\n\n\ndef g(x):\n    return p.pi\nimport math as p\n"
           "\n\n# Of m.py, which --include gives:\nA = 3\n\n\ndef f(x):\n    return g(x) + A\n");
    // What the file has already, and lines that stay what they are.
    expect("import math as p\nfrom m import (f,\n   g)\ndef run(x):\n    return f(x)\n", plain, 2,
           "import math as p\npass                  \n\ndef run(x):\n    return f(x)\n",
           "\n\n# Of n.py, which --include gives:\n\n\ndef g(x):\n    return p.pi\n"
           "\n\n# Of m.py, which --include gives:\nA = 3\n\n\ndef f(x):\n    return g(x) + A\n");
}

static void stays(const char *source, const File *files, int n) { expect(source, files, n, source, NULL); }

static void what_could_mean_two_things_stays(void **state) {
    (void)state;
    static const char *const all[] = {
        "from m import B\ndef run(x):\n    return B\n",                       // no function
        "from m import f as g\ndef run(x):\n    return g(x)\n",               // another name
        "from m import f\nA = 5\ndef run(x):\n    return f(x)\n",             // a name of both
        "from m import f\nimport torch as p\ndef run(x):\n    return f(x)\n", // a module of both
        "from m import f\ndef run(x):\n    return f(x) + A\n",                // one that it has not
        "from m import f\ndef run(x):\n    return f(x) + p.pi\n",             // the same of a module
        "from m import f\nC = f(3)\n",                                        // called when it is read
        "from m import f\ndef run(x, y=f):\n    return f(x)\n",
        "from m import f\nclass P(f):\n    pass\n",
        "from m import *\ndef run(x):\n    return f(x)\n",
        "from .k import f\ndef run(x):\n    return f(x)\n",
        "def broken(:\n"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) stays(all[i], plain, 2);
    stays("from m import f\ndef run(x):\n    return f(x)\n", NULL, 0);
    static const char own[] = "from m import f\ndef run(x):\n    return f(x)\n";
    static const struct {
        const char *m, *n;
    } odd[] = {
        {"def f(x):\n    return g(x)\ndef run(x):\n    return 1\ndef g(x):\n    return run(x)\n",
         ""},                                                           // its own run
        {"A = 1\ndef f(x):\n    return A\n", "import m\nm.A = 2\n"},    // changed
        {"from n import A as C\ndef f(x):\n    return C\n", "A = 1\n"}, // renamed
        {"from n import g\nA = 1\ndef f(x):\n    return g(A)\n",
         "A = 2\ndef g(x):\n    return A\n"},                          // two of a name
        {"def f(x):\n    return g(x)\n", "def g(x):\n    return 1\n"}, // alone this is no odd name: see below
    };
    for (size_t i = 0; i + 1 < sizeof odd / sizeof *odd; i++)
        stays(own, (File[]){{"m", odd[i].m}, {"n", odd[i].n}}, 2);
    // A name that one file lacks and another one has.
    stays("from m import f\nfrom n import g\ndef run(x):\n    return f(g(x))\n",
          (File[]){{"m", odd[4].m}, {"n", odd[4].n}}, 2);
    // Dots that would count from elsewhere.
    stays("from p.m import f\ndef run(x):\n    return f(x)\n",
          (File[]){{"p/", "\n"}, {"p.m", "from .away import g\ndef f(x):\n    return g(x)\n"}}, 2);
}

static void imports_by_dots_are_spelled_out(void **state) {
    (void)state;
    static const char text[] = "from .utils import calculate_settings\nfrom .own import x\n";
    IncludedHost got = included(text, NULL, 0, "unsloth.kernels");
    assert_true(
        str_is(got.source, "from unsloth.kernels.utils import calculate_settings\nfrom .own import x\n"));
    got = included("from ..kernels.utils import torch_gpu_device as d\n", NULL, 0, "unsloth.other");
    assert_true(str_is(got.source, "from unsloth.kernels.utils import torch_gpu_device as d\n"));
    static const char *const package[] = {"", "unsloth", "other.kernels"};
    for (size_t i = 0; i < sizeof package / sizeof *package; i++)
        assert_true(str_is(included(text, NULL, 0, package[i]).source, text));
    // A file that is here says itself what its names are.
    got = included(text, (File[]){{"utils", "def calculate_settings(n):\n    return n\n"}}, 1,
                   "unsloth.kernels");
    assert_true(str_starts(got.source, "pass "));
}

static int drop(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_reached_is_put_behind),
        cmocka_unit_test(what_could_mean_two_things_stays),
        cmocka_unit_test(imports_by_dots_are_spelled_out),
    };
    return cmocka_run_group_tests(tests, NULL, drop);
}
