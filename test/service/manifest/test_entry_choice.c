// Which function of a file is called, and what is written behind it for that.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "service/manifest/entry_choice.h"

static Arena arena;
static Op op;
static Err error;
static const char *chosen;

// All of the text that is judged; NULL: an error.
static const char *judged(const char *name, const char *source) {
    Entered entered;
    error = (Err){0};
    if (!entry_apply(&arena, name, &op, str_of(source), &entered, &error)) return NULL;
    chosen = entered.chosen;
    return str_cdup(&arena, entered.source);
}
// The text behind a file all of which stays; NULL: an error.
static const char *written(const char *name, const char *source) {
    const char *out = judged(name, source);
    if (out) assert_memory_equal(out, source, strlen(source));
    return out ? out + strlen(source) : NULL;
}
static void expect(const char *name, const char *source, const char *part, bool there) {
    const char *out = judged(name, source);
    if (!out) fail_msg("%s", error.msg);
    if ((strstr(out, part) != NULL) != there)
        fail_msg("%s '%s' in:\n%s", there ? "no" : "there is", part, out);
}
#define STAYS(source, part) expect("soft", source SOFT, part, true)
#define GOES(source, part)  expect("soft", source SOFT, part, false)

#define KERNEL "@triton.jit\ndef kernel(x):\n    pass\n"
#define HELPER "def _helper(x):\n    return x\n"
#define SOFT   "def soft(x):\n    return x\n"
#define CALL   "\n\ndef run(x):\n    return soft(x)\n"

static void test_files_that_stay(void **state) {
    (void)state;
    assert_string_equal(written(NULL, KERNEL "def run(x):\n    return x\n"), "");
    assert_string_equal(written(NULL, "def soft(x):\n    return x\ndef run(x):\n    return x\n"), "");
    assert_string_equal(written(NULL,
                                "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
                                "        return x\ndef soft(x):\n    return x\n"),
                        "");
    assert_string_equal(written(NULL, KERNEL HELPER), "");               // nothing public
    assert_string_equal(written(NULL, "def soft(x:\n"), "");             // no Python
    assert_string_equal(written("run", "def soft(x):\n    pass\n"), ""); // nothing to write
    assert_null(chosen);
}

static void test_the_only_public_function(void **state) {
    (void)state;
    assert_string_equal(written(NULL, "def soft(x):\n    return x\n"), CALL);
    assert_string_equal(written(NULL, "def soft(x):\n    return x"), CALL); // no newline at the end
    assert_string_equal(written(NULL, "def soft(x):\n    return x\ndef soft(x):\n    return x\n"), CALL);
    assert_string_equal(chosen, "function soft, the file's only public one");
    expect(NULL, KERNEL HELPER "def soft(x):\n    return x\n", "_helper", true); // in words
    assert_string_equal(chosen,
                        "function soft, the file's only public one; left out, since the entry does not "
                        "reach it: kernel, _helper");
    assert_null(written(NULL, "def soft(x):\n    return x\ndef hard(x):\n    return x\n"));
    assert_int_equal(error.code, ERR_USAGE);
    assert_non_null(strstr(error.msg, "--entry NAME"));
    assert_non_null(strstr(error.msg, ": soft, hard"));
    // The parameter does not hide the function.
    assert_string_equal(written(NULL, "def x(a):\n    return a\n"), "\n\ndef run(x_):\n    return x(x_)\n");
}

static void test_a_named_function(void **state) {
    (void)state;
    const char *two = KERNEL SOFT "def hard(x):\n    return x\n";
    expect("soft", two, CALL, true);
    expect("soft", two, "def hard", false);
    assert_string_equal(chosen, "function soft; left out, since the entry does not reach it: kernel, hard");
    assert_string_equal(written("_helper", HELPER), "\n\ndef run(x):\n    return _helper(x)\n");
    assert_null(chosen);
    expect("soft", "def soft(x):\n    return x\ndef run(x):\n    return x\n", CALL, true);
    expect("run", "def soft(x):\n    return x\ndef run(x):\n    return x\n", "def soft", false);
    // What stays and speaks of another `run` would mean the one that is written. A member is none.
    assert_null(judged("soft", "def run(x):\n    return x\ndef soft(x):\n    return run(x)\n"));
    assert_int_equal(error.code, ERR_USAGE);
    assert_string_equal(written("soft", "def soft(x):\n    return x.run(x)\n"), CALL);
    assert_null(written("sof", two));
    assert_int_equal(error.code, ERR_USAGE);
    assert_non_null(strstr(error.msg, "did you mean soft?"));
    assert_null(written("elsewhere", two));
    assert_null(strstr(error.msg, "did you mean"));
    assert_null(written("kernel", two));
    assert_non_null(strstr(error.msg, "that is a kernel"));
}

#define MODULE(name) "class " name "(torch.nn.Module):\n    def forward(self, x):\n        return soft(x)\n"
static void test_a_module_of_another_name(void **state) {
    (void)state;
    const char *two = MODULE("Softmax") MODULE("Gelu");
    assert_string_equal(written(NULL, MODULE("Softmax")), "\n\nModelNew = Softmax\n");
    assert_string_equal(chosen, "class Softmax, the file's only nn.Module");
    expect(NULL, SOFT "def hard(x):\n    return x\n" MODULE("Softmax"), "\n\nModelNew = Softmax\n", true);
    expect(NULL, SOFT "def hard(x):\n    return x\n" MODULE("Softmax"), "def hard", false);
    assert_string_equal(written(NULL, SOFT MODULE("Softmax")), "\n\nModelNew = Softmax\n"); // it calls soft
    expect(NULL, SOFT "class Model(torch.nn.Module):\n    def forward(self, x):\n        return x\n", CALL,
           true); // a model that the function replaces
    assert_string_equal(written("Softmax", SOFT MODULE("Softmax")), "\n\nModelNew = Softmax\n");
    assert_null(chosen);
    expect("Gelu", two, "\n\nModelNew = Gelu\n", true);
    expect("Gelu", two, "class Softmax", false);
    assert_null(written(NULL, two));
    assert_non_null(strstr(error.msg, ": Softmax, Gelu"));
    assert_null(written("Softmx", two));
    assert_non_null(strstr(error.msg, "did you mean Softmax?"));
    // What stood for run or ModelNew goes, if nothing that stays asks for it.
    expect("Softmax", SOFT MODULE("Softmax") "def run(x):\n    return x\n", "def run", false);
    expect("Softmax", SOFT MODULE("Softmax") MODULE("ModelNew"), "class ModelNew", false);
    assert_null(judged(
        "Softmax", "class ModelNew:\n    pass\ndef soft(x):\n    return ModelNew(x)\n" MODULE("Softmax")));
    // No module: a class of another base, and one without a forward.
    assert_string_equal(written(NULL, "class A:\n    def forward(self, x):\n        return x\n"), "");
    assert_string_equal(written(NULL, "class A(torch.nn.Module):\n    def f(self, x):\n        return x\n"),
                        "");
}

#define LAUNCH(name) "def " name "(x):\n    kernel[(1,)](x)\n    return x\n"
#define SCRIPT       "torch.manual_seed(0)\nx = torch.rand(8, device='cuda')\ny = soft(x)\nprint(torch.max(y))\n"

// Of several public functions: tests, parts and what launches nothing are not meant.
static void test_which_launches(void **state) {
    (void)state;
    expect(NULL, KERNEL LAUNCH("soft") "def naive(x):\n    return x.exp()\ndef is_hip():\n    return False\n",
           "return soft(x)", true);
    assert_non_null(strstr(chosen, "only public one that launches kernels"));
    expect(NULL, KERNEL LAUNCH("soft") "def test_soft(x):\n    return soft(x)\n", "return soft(x)", true);
    expect(NULL, KERNEL LAUNCH("soft") "@triton.testing.perf_report(B)\ndef timed(n):\n    return soft(n)\n",
           "return soft(x)", true);
    expect(NULL, KERNEL LAUNCH("soft_fwd") "def soft(x):\n    return soft_fwd(x)\n", "return soft(x)", true);
    // By an autograd function, of which the backward half is a part, too.
    expect(NULL,
           KERNEL LAUNCH("soft_fwd")
               LAUNCH("soft_bwd") "class F(torch.autograd.Function):\n    @staticmethod\n"
                                  "    def forward(ctx, x):\n        return soft_fwd(x)\n    @staticmethod\n"
                                  "    def backward(ctx, d):\n        return soft_bwd(d)\ndef soft(x):\n    "
                                  "return F.apply(x)\n",
           "return soft(x)\n", true);
    assert_null(judged(NULL, KERNEL LAUNCH("soft") LAUNCH("hard")));
    assert_int_equal(error.code, ERR_USAGE);
}

// Inputs go in their order, unless their names stand in another one.
static const char *function_of(Str a, const char *between, Str b, Str c, const char *end) {
    return arena_printf(&arena, "def f(%.*s, %s%.*s, %.*s%s):\n    return 0\n", STR_ARG(a), between,
                        STR_ARG(b), STR_ARG(c), end);
}
static void test_inputs_by_name(void **state) {
    (void)state;
    Op one = op;
    assert_true(op_find(&arena, STR("add_rmsnorm"), &op));
    assert_int_equal(op.inputs, 3);
    Str a = op.input[0].name, b = op.input[1].name, c = op.input[2].name;
    const char *plain =
        arena_printf(&arena, "return f(%.*s, %.*s, %.*s)\n", STR_ARG(a), STR_ARG(b), STR_ARG(c));
    const char *named = arena_printf(&arena, "return f(%.*s=%.*s, %.*s=%.*s, %.*s=%.*s)\n", STR_ARG(a),
                                     STR_ARG(a), STR_ARG(b), STR_ARG(b), STR_ARG(c), STR_ARG(c));
    expect("f", function_of(a, "", b, c, ", eps=1"), plain, true);
    expect("f", function_of(c, "", a, b, ", eps=1"), named, true);
    expect("f", function_of(c, "", a, STR("other"), ""), plain, true); // not all of them
    expect("f", function_of(a, "*, ", b, c, ""), named, true);
    expect("f", function_of(c, "", a, b, ", /"), plain, true); // by place alone
    op = one;
}

static void test_an_autograd_function(void **state) {
    (void)state;
    const char *file =
        "from torch.autograd import Function\nclass Soft(Function):\n    @staticmethod\n"
        "    def forward(ctx, x):\n        return soft(x)\n" SOFT "def hard(x):\n    return x\n";
    expect("Soft", file, "def run(x):\n    return Soft.apply(x)\n", true);
    expect("Soft", file, "def hard", false);
    assert_string_equal(chosen, "class Soft; left out, since the entry does not reach it: hard");
    assert_null(judged("Sof", file));
    assert_non_null(strstr(error.msg, "did you mean Soft?"));
}

// A script around the entry goes: it makes tensors, calls, prints.
static void test_a_script_goes(void **state) {
    (void)state;
    expect("soft", KERNEL LAUNCH("soft") SCRIPT, "manual_seed", false);
    assert_non_null(strstr(chosen, "x, y, and 2 other statements"));
    GOES("configs = []\nfor b in (1, 2):\n    configs.append(b)\n", "configs.append");
    GOES("torch.backends.cuda.matmul.allow_tf32 = True\n", "allow_tf32");
    GOES("def test():\n    seen = {}\n    seen[1] = 2\ntest()\n", "test()");
    GOES("class Other:\n    n = 4\n", "class Other");
    GOES("@triton.jit\ndef other(x):\n    pass\n", "def other");
    GOES("import mine\n", "import mine");
    assert_non_null(strstr(chosen, "import of mine"));
    assert_memory_equal(judged("soft", "a = 4\n" SOFT), "     \ndef soft", 14); // lines stay what they are
}

// What changes something else when the file is imported stays, and is judged.
static void test_what_changes_something_stays(void **state) {
    (void)state;
    STAYS("tl.exp = tl.exp2\n", "tl.exp = tl.exp2");
    STAYS("def patch():\n    torch.softmax = None\npatch()\n", "patch()");
    STAYS("setattr(torch, 'softmax', None)\n", "setattr");
    STAYS("exec('soft = None')\n", "exec(");
    STAYS("globals()['soft'] = None\n", "globals()");
    STAYS("def spoil():\n    global soft\n    soft = None\nspoil()\n", "spoil()");
    STAYS("torch.set_default_dtype(torch.float16)\n", "set_default_dtype");
    STAYS("def twice(f):\n    torch.f = f\n    return f\n@twice\ndef other(x):\n    return x\n", "@twice");
    STAYS("class Other:\n    torch.softmax = None\n", "class Other");
    STAYS("import os\nos.environ['TRITON_INTERPRET'] = '1'\n", "os.environ");
#define TABLE "T = {'B': 4}\n"
#define ASKED "def soft(x):\n    return T['B']\n"
    expect("soft", TABLE ASKED "T['B'] = 8\n", "T['B'] = 8", true);
    expect("soft", TABLE ASKED "T.update(B=8)\n", "T.update(B=8)", true);
    expect("soft", TABLE ASKED "U = T\nU['B'] = 8\n", "U['B'] = 8", true);
    expect("soft", TABLE ASKED "def spoil(t):\n    t['B'] = 8\nspoil(T)\n", "spoil(T)", true);
    expect("soft", TABLE ASKED "[T.update(B=8) for i in (1,)]\n", "[T.update", true);
    expect("soft", TABLE ASKED "for i in (1,):\n    T['B'] = 8\n", "T['B'] = 8", true);
    expect("soft", TABLE ASKED "if True:\n    T = {'B': 8}\n", "T = {'B': 8}", true);
    expect("soft",
           ASKED "def fill(f):\n    T['B'] = f\n    return f\nT = {}\n@fill\ndef g(x):\n    return x\n",
           "@fill", true);
}

static const char *last_line(const char *text) {
    const char *at = text + strlen(text) - 1;
    while (at > text && at[-1] != '\n') at--;
    return at;
}

// A list, a dictionary or an object that stays may be read by what goes. Whoever else has it may change it.
static void test_what_stays_is_only_read(void **state) {
    (void)state;
    static const char *const changing[] = {
        "f = T.update\nf(B=8)\n",
        "list(map(T.update, ({'B': 8},)))\n",
        "functools.partial(T.update, B=8)()\n",
        "operator.setitem(T, 'B', 8)\n",
        "t = []\n[t.update(B=8) for t in [T]]\n",
        "t = []\n(lambda t: t.update(B=8))(T)\n",
        "t = []\ndef spoil(t):\n    t['B'] = 8\nspoil(T)\n",
        "def spoil(t):\n    t |= {'B': 8}\nspoil(T)\n",
        "def spoil():\n    t = {}\n    for t in (T,):\n        t['B'] = 8\nspoil()\n",
        "def spoil():\n    t = {}\n    t, u = T, 1\n    t['B'] = 8\nspoil()\n",
        "def spoil():\n    t = {}\n    t: dict = T\n    t['B'] = 8\nspoil()\n",
        "def spoil():\n    t = {}\n    if (t := T):\n        t['B'] = 8\nspoil()\n",
        "[0 for T['B'] in (8,)]\n",
        "match {'B': 8}:\n    case T:\n        pass\n",
    };
    static const char *const reading[] = {
        "print(T['B'], len(T), T.get('B'))\n",
        "for t in T:\n    print(t)\n",
        "seen = {}\nseen['a'] = T['B']\n",
        "seen = [t for t in T.items()]\nseen.append(1)\n",
        "def look():\n    rows = []\n    rows.append(T['B'])\n    return rows\nlook()\n",
    };
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) {
        const char *source = arena_printf(&arena, TABLE ASKED "%s", changing[i]);
        expect("soft", source, last_line(changing[i]), true);
    }
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++) {
        const char *source = arena_printf(&arena, TABLE ASKED "%s", reading[i]);
        expect("soft", source, last_line(reading[i]), false);
    }
#define TILE "class Tile:\n    def __init__(self, b):\n        self.b = b\nC = Tile(4)\n"
#define OF_C "def soft(x):\n    return C.b\n"
    expect("soft", TILE OF_C "class P:\n    def forward(ctx, v):\n        ctx.b = v\nP.forward(C, 8)\n",
           "P.forward(C", true);
    expect("soft", TILE OF_C "Tile.__init__(C, 8)\n", "Tile.__init__", true);
    expect("soft", TILE OF_C "D = Tile(8)\n", "D = ", false);
    expect("soft", TABLE ASKED "f = T.update\nf(B=8)\n", "\nf(B=8)", true);
    // A function that stays itself, and changes what calls change.
#define SET   "def put(v):\n    if v:\n        T['B'] = v\n"
#define OF_IT "def soft(x):\n    put(0)\n    return T['B']\n"
    expect("soft", TABLE SET OF_IT "put(8)\n", "\nput(8)", true);
    expect("soft", TABLE SET OF_IT "def other():\n    put(8)\nother()\n", "\nother()", true);
    expect("soft", TABLE SET OF_IT "def other():\n    return 8\nother()\n", "\nother()", false);
    STAYS("from torch import set_default_dtype\nset_default_dtype(torch.float16)\n", "set_default_dtype(");
}

static int setup(void **state) {
    (void)state;
    return op_find(&arena, STR("softmax"), &op) ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_that_stay),
        cmocka_unit_test(test_the_only_public_function),
        cmocka_unit_test(test_a_named_function),
        cmocka_unit_test(test_a_module_of_another_name),
        cmocka_unit_test(test_which_launches),
        cmocka_unit_test(test_an_autograd_function),
        cmocka_unit_test(test_inputs_by_name),
        cmocka_unit_test(test_a_script_goes),
        cmocka_unit_test(test_what_changes_something_stays),
        cmocka_unit_test(test_what_stays_is_only_read),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
