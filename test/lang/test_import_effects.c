// What a file does to others while it is imported: each row with a change that only the tree shows, and its
// like without one.
#include "lang_test.h"

#include "lang/library.h"

static bool has_effects(const char *text) {
    Buf b = BUF(&arena);
    Library *l = NULL;
    library_pack(&b, STR("sizes"),
                 STR("C = {}\nclass A:\n    s = 1\ndef put():\n    C['s'] = 2\ndef get():\n    return C\n"));
    library_pack(&b, STR("user"), str_of(text));
    assert_true(library_open(&arena, buf_str(&b), &l));
    const Node *module = library_module(l, &l->file[1]);
    if (!module) fail_msg("%s", text);
    return import_effects(module);
}

static void changes_are_seen(void **state) {
    (void)state;
    const char *const rows[] = {
        "from sizes import C\nC['s'] = 2\n",
        "from sizes import C\nC.update(s=2)\n",
        "from sizes import C\nD = C\nD['s'] = 2\n",
        "from sizes import C\nD = [C]\nD[0]['s'] = 2\n",
        "from sizes import A\nA.s = 2\n",
        "from sizes import A\nfor A.s in [2]:\n    pass\n",
        "from sizes import A\nclass B:\n    A.s = 2\n",
        "from sizes import put\nput()\n",
        "from sizes import put\nx = [put() for _ in [1]]\n",
        "from sizes import put as p\ndef g():\n    return p()\ng()\n",
        "C = {}\ndef note(f):\n    C[f] = 1\n    return f\n@note\ndef g():\n    pass\n",
        ("C = {}\ndef note(n):\n    def deco(f):\n        C[n] = f\n        return f\n    return "
         "deco\n@note(1)\ndef g():\n    pass\n"),
        "class P:\n    def __init__(self, c):\n        c['s'] = 2\nx = P(1)\n",
        "f = 1\ndef g():\n    global f\n    f = 2\nz = g()\n",
        "import triton\ntriton.__dict__.update(cdiv=1)\n",
        "import triton\nq = triton\nq.cdiv = 1\n",
        "import triton\ndef p(m):\n    m.cdiv = 1\np(triton)\n",
        "import torch\nimport other\nother.patch(torch)\n",
        "import torch\ntorch.set_default_dtype(torch.float64)\n",
        "__import__('triton').cdiv = 1\n",
        "exec('f = 2')\n",
        "globals().update(f=2)\n",
        "__builtins__['min'] = 1\n",
        "import operator\nfrom sizes import C\noperator.setitem(C, 's', 2)\n",
        "from sizes import C\ndel C['s']\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!has_effects(rows[i])) fail_msg("%s", rows[i]);
}

static void others_are_quiet(void **state) {
    (void)state;
    const char *const rows[] = {
        "from sizes import C, put\nx = C['s']\ndef g():\n    return put()\n",
        "from sizes import get\nX = get()\n",
        "D = {}\nfor b in (1, 2):\n    D[b] = 2\nD.update(a=1)\n",
        "class A:\n    pass\nA.s = 2\na = A()\na.t = 3\n",
        "class P:\n    def __init__(self, n):\n        self.n = n\nx = P(1)\n",
        "def configs():\n    out = []\n    out.append(1)\n    return out\nX = configs()\n",
        ("def same(f):\n    def g(*a):\n        return f(*a)\n    return g\n@same\ndef h(c):\n    c['s'] = "
         "2\n"),
        "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\n",
        "import os\nos.environ['X'] = '1'\n",
        "import triton.language as tl\nX = hasattr(tl, 'gather')\n",
        "from sizes import C\nif __name__ == '__main__':\n    C['s'] = 2\n",
        "class F:\n    def forward(ctx, x):\n        ctx.n = x\nf = F.forward\n",
        "import triton\n@triton.jit\ndef k(p):\n    p.x = 1\nX = [k]\n",
        "def a():\n    return b()\ndef b():\n    return a()\nx = 1 if a else 2\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (has_effects(rows[i])) fail_msg("%s", rows[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(changes_are_seen, arena_setup, arena_teardown),
        cmocka_unit_test_setup_teardown(others_are_quiet, arena_setup, arena_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
