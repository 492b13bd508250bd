// What binds names: targets of assignments, heads of functions, parameters; and what is said of others.
#include "lang/parse/trees.h"

static void targets(void **state) {
    (void)state;
    static const char *const good[] = {"x = 1\n",
                                       "x.y = 1\n",
                                       "x[0] = 1\n",
                                       "a, b = 1, 2\n",
                                       "(a, [b, *c]) = d\n",
                                       "for x.y in z: pass\n",
                                       "for a, b in c: pass\n",
                                       "x += 1\n",
                                       "x[0] += 1\n",
                                       "del x, y[0]\n",
                                       "with a as (b, c): pass\n"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) parse_text(good[i]);
    static const struct {
        const char *source, *part;
    } bad[] = {{"1 = x\n", "a number"},
               {"f() = x\n", "a function call"},
               {"a + b = x\n", "an expression"},
               {"'a' = x\n", "a string"},
               {"None = x\n", "None"},
               {"a < b = x\n", "a comparison"},
               {"(a, 1) = x\n", "a number"},
               {"a, b += 1\n", "a tuple"},
               {"[a] += 1\n", "a list"},
               {"for f() in x: pass\n", "a function call"},
               {"del f()\n", "a function call"},
               {"lambda: 1 = x\n", "a lambda"},
               {"{} = x\n", "a dict display"},
               {"f'a' = x\n", "an f-string"},
               {"(x := 1) = 2\n", "a ':=' expression"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refused(str_of(bad[i].source), bad[i].part);
}

static void parameters(void **state) {
    (void)state;
    static const char *const good[] = {"def f(a, b=1, *c, d, e=2, **g): pass\n",
                                       "def f(a, /, b, *, c): pass\n",
                                       "def f(a: int = 1, *b: int) -> int: pass\n",
                                       "lambda a, *b, c=1, **d: 0\n",
                                       "def f(): pass\n",
                                       "def f(a,): pass\n"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) parse_text(good[i]);
    static const struct {
        const char *source, *part;
    } bad[] = {{"def f(a, a): pass\n", "a"},  {"def f(a=1, b): pass\n", "default"},
               {"def f(**a, b): pass\n", ""}, {"def f(*a, *b): pass\n", ""},
               {"def f(*): pass\n", ""},      {"def f(/, a): pass\n", ""},
               {"lambda a, a: 0\n", "a"},     {"def f(1): pass\n", ""},
               {"def 1(): pass\n", ""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refused(str_of(bad[i].source), bad[i].part);
}

static void a_head_has_its_parts(void **state) {
    (void)state;
    const Node *f = statement("def f(a, b=1, *c, d, **e): pass\n");
    assert_int_equal(f->kind, NODE_FUNCTION);
    assert_true(str_is(f->function.name, "f"));
    assert_int_equal(f->function.params.n, 5);
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    for (int i = 0; i < 5; i++) assert_true(str_is(f->function.params.at[i]->param.name, names[i]));
    assert_true(!f->function.params.at[0]->param.def && f->function.params.at[1]->param.def);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(targets), TEST(parameters), TEST(a_head_has_its_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
