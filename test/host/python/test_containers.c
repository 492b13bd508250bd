// What lists and dictionaries give and take.
#include "host/doubling.h"
#include "host/world.h"

static void test_python(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "d = {1: 'a', 2: 'b', 3: 'c'}\nassert d.pop(2) == 'b' and list(d) == [1, 3] and d.pop(2, None) is "
        "None and "
        "d.pop(2, 7) == 7",
        "d = {1: 'a', 2: 'b'}\nassert d.popitem() == (2, 'b') and d == {1: 'a'}\nd.clear()\nassert not d and "
        "len(d) == 0\nd[5] = 6\nassert d == {5: 6}",
        "d = {1: 2, 3: 4, 5: 6}\ndel d[3]\nassert list(d.items()) == [(1, 2), (5, 6)]\nd[3] = 4\nassert "
        "list(d) "
        "== [1, 5, 3]",
        "d = dict([(1, 2), (3, 4)], a=5)\nassert d == {1: 2, 3: 4, 'a': 5} and dict(d) == d and dict(d) is "
        "not d and "
        "d.copy() == d\ne = d.copy()\ne[9] = 9\nassert 9 not in d",
        "l = [1, 2, 3, 2]\nl.remove(2)\nassert l == [1, 3, 2] and l.index(2) == 2\nl.reverse()\nassert l == "
        "[2, 3, "
        "1] and l.copy() == l and l.copy() is not l\nl.clear()\nassert l == []",
        "l = [0, 1, 2, 3, 4, 5]\ndel l[1]\ndel l[-1], l[0]\nassert l == [2, 3, 4]\ndel l[1:]\nassert l == "
        "[2]\nl = "
        "[0, 1, 2, 3, 4, 5]\ndel l[::-2]\nassert l == [0, 2, 4]\ndel l[5:]\nassert l == [0, 2, 4]",
        "s = {1, 2}\ns.add(3)\ns.discard(1)\ns.discard(9)\ns.remove(2)\nassert s == {3}\ns.update([4], "
        "{5})\nassert "
        "sorted(s) == [3, 4, 5]\ns.clear()\nassert not s",
        "d = {1: 2}\nd.update([(3, 4)], b=5)\nassert d == {1: 2, 3: 4, 'b': 5}",
    };
    EXPECT_OK(bodies);
}

static void test_what_python_raises(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_HOST, "KeyError: 2", "d = {1: 2}\nd.pop(2)"},
        {DIAG_HOST, "KeyError: 2", "d = {1: 2}\ndel d[2]"},
        {DIAG_HOST, "dictionary is empty", "d = {}\nd.popitem()"},
        {DIAG_HOST, "OrderedDict", "d = {1: 2}\nd.popitem(last=False)"},
        {DIAG_HOST, "at most 2", "d = {1: 2}\nd.pop(1, 2, 3)"},
        {DIAG_HOST, "move_to_end", "d = {1: 2}\nd.move_to_end(1)"},
        {DIAG_HOST, "KeyError: 2", "s = {1}\ns.remove(2)"},
        {DIAG_HOST, "not in list", "l = [1]\nl.remove(2)"},
        {DIAG_HOST, "not in the list", "l = [1]\nl.index(2)"},
        {DIAG_HOST, "out of range", "l = [1]\ndel l[1]"},
        {DIAG_HOST, "item deletion", "t = (1, 2)\ndel t[0]"},
        {DIAG_HOST, "pairs", "d = dict([(1, 2, 3)])"},
        {DIAG_HOST, "not iterable", "d = dict(3)"},
        {DIAG_HOST, "changed size", "d = {1: 2, 3: 4}\nfor k in d.keys():\n    d.pop(3, 0)"},
        {DIAG_HOST, "changed size", "d = {1: 2, 3: 4}\nfor k, v in d.items():\n    del d[k]"},
        {DIAG_HOST, "changed size", "d = {1: 2}\nfor v in d.values():\n    d[v] = 1"},
    };
    EXPECT_FAILURES(cases);
}

#define ORDERED "import functools\nfrom collections import OrderedDict\nimport collections\n"
static void test_features(void **state) {
    (void)state;
    static const Feature features[] = {
        {"collections.OrderedDict",
         ORDERED RUN(
             "    d = OrderedDict()\n    d['a'] = 1\n    d['b'] = 2\n    d['c'] = 3\n"
             "    d.move_to_end('a')\n    assert list(d) == ['b', 'c', 'a']\n"
             "    d.move_to_end('c', last=False)\n    assert list(d.keys()) == ['c', 'b', 'a']\n"
             "    assert d.popitem(last=False) == ('c', 3) and d.popitem() == ('a', 1) and d == {'b': 2}\n"
             "    assert isinstance(d, dict) and isinstance(d, OrderedDict) and not isinstance({}, "
             "OrderedDict)\n"
             "    e = collections.OrderedDict([(1, 2), (3, 4)])\n"
             "    assert e != OrderedDict([(3, 4), (1, 2)]) and e == {3: 4, 1: 2}\n    return double(x)\n")},
        {"next(iter())",
         ORDERED RUN(
             "    d = {4: 5, 6: 7}\n"
             "    assert next(iter(d)) == 4 and next(iter(d.values())) == 5 and next(reversed(d)) == 6\n"
             "    assert next(iter(d.items())) == (4, 5) and next(iter([]), 3) == 3 and next(iter(()), None) "
             "is None\n"
             "    assert next(b for b in (64, 128, 256) if b > 100) == 128\n"
             "    assert next((b for b in (1, 2) if b > 2), 9) == 9\n    return double(x)\n")},
    };
    RUN_FEATURES(features);
}

static void test_what_stays_refused(void **state) {
    (void)state;
    static const Refusal cases[] = {
        {DIAG_REFUSED, "`iter`", RUN("    i = iter([1])\n    return double(x)\n")},
        {DIAG_REFUSED, "`next`", RUN("    return next([double(x)])\n")},
        {DIAG_HOST, "StopIteration", ORDERED RUN("    next(iter([]))\n    return double(x)\n")},
        {DIAG_REFUSED, "copy", RUN("    return x.copy()\n")},
        {DIAG_UNSUPPORTED, "text", ORDERED RUN("    s = str(OrderedDict())\n    return double(x)\n")},
    };
    REFUSE_ALL(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_what_python_raises),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_what_stays_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
