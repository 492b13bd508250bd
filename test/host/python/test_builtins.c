// Python's own functions, and members of lists, dictionaries and texts.
#include "host/doubling.h"
#include "host/world.h"

static void test_python(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "l = [1, 2]\nl.extend(l)\nl += l\nassert l == [1, 2, 1, 2, 1, 2, 1, 2]",
        "assert sum([1, 2]) == 3 and max(1, 5, 2) == 5 and min([4, 3]) == 3 and abs(-2) == 2 and round(2.5) "
        "== 2",
        "assert list(enumerate('ab', 1)) == [(1, 'a'), (2, 'b')] and sorted((3, 1, 2), reverse=True) == [3, "
        "2, 1]",
        "assert tuple(reversed([1, 2])) == (2, 1) and divmod(7, 2) == (3, 1) and any([0, 1]) and not all([0, "
        "1])",
        "assert isinstance(True, int) and isinstance(x, torch.Tensor) and not isinstance(1.0, (int, str))",
        "d = {'a': 1}\nd['b'], e = 2, 3\nd.update({'a': 4}, c=5)\nassert d == {'a': 4, 'b': 2, 'c': 5} and "
        "d.setdefault('z', 1) == 1 and d['z'] == 1 and d.setdefault('a', 0) == 4",
        "l = [1, 2, 3]\nassert l.pop() == 3 and l.pop(0) == 1 and l == [2]\nl.insert(0, 9)\nl.insert(-9, "
        "8)\nl.insert(99, 7)\nassert l == [8, 9, 2, 7]",
        "assert 'aBc'.upper() == 'ABC' and 'aBc'.lower() == 'abc' and 'abc'.startswith('ab') and not "
        "'abc'.endswith('b') and 'a'.endswith('') and not 'a'.startswith('ab')",
        "assert '-'.join(['a', 'b']) == 'a-b' and ''.join(()) == '' and ', '.join(str(i) for i in range(3)) "
        "== '0, 1, 2'",
        "assert 'a.b.c'.split('.') == ['a', 'b', 'c'] and 'a.b.c'.split('.', 1) == ['a', 'b.c'] and "
        "''.split(',') "
        "== [''] and ' a  b '.split() == ['a', 'b'] and ' a  b c '.split(None, 1) == ['a', 'b c'] and ' "
        "'.split() == "
        "[] and 'abab'.split('ab') == ['', '', '']",
        "assert ' a '.strip() == 'a' and ' a '.lstrip() == 'a ' and ' a '.rstrip() == ' a' and "
        "'xxax'.strip('x') == "
        "'a' and 'abc'.strip('') == 'abc' and ''.strip() == ''",
        "assert 'aXbX'.replace('X', 'yy') == 'ayybyy' and 'aXbX'.replace('X', '', 1) == 'abX' and "
        "'a'.replace('b', "
        "'c') == 'a' and '12'.isdigit() and not '1a'.isdigit() and not ''.isdigit()",
        "assert str(x.dtype).split('.')[-1] == 'float32' and str(x.dtype).replace('torch.', '').upper() == "
        "'FLOAT32' and '-'.join('a,b'.split(',')).split('-') == ['a', 'b']",
        "assert len(range(10**15)) == 10**15 and 10**14 in range(10**15)",
        "assert min([], default=3) == 3",
    };
    EXPECT_OK(bodies);
}

static void test_what_python_and_torch_raise(void **state) {
    (void)state;
    static const Case cases[] = {
        {DIAG_HOST, "no len()", "y = len(3)"},
        {DIAG_HOST, "pop from empty list", "l = []\nl.pop()"},
        {DIAG_HOST, "pop index out of range", "l = [1]\nl.pop(-2)"},
        {DIAG_HOST, "empty separator", "'a'.split('')"},
        {DIAG_UNSUPPORTED, "write an f-string", "'%d' % 3"},
        {DIAG_UNSUPPORTED, "of a value of type 'type'", "str.split('a b')"},
        {DIAG_HOST, "no attribute 'splits'", "str.splits('a b')"},
        {DIAG_HOST, "expects a text", "'a'.split(3)"},
        // Digits of numbers are asked for by arithmetic, which shows what it chooses.
        {DIAG_UNSUPPORTED, "a number's digits", "str(len(x)).split('7')"},
        {DIAG_UNSUPPORTED, "a number's digits", "f'{len(x)}'.strip('7')"},
        {DIAG_UNSUPPORTED, "a number's digits", "('7' * len(x)).replace('77', '')"},
        {DIAG_UNSUPPORTED, "a number's digits", "'1234'.replace(str(len(x)), '')"},
        {DIAG_UNSUPPORTED, "a number's digits", "''.join(['7', str(len(x))]).isdigit()"},
        {DIAG_UNSUPPORTED, "no other count than 1", "'a,b'.split(',', len(x))"},
        // What Python has, and what it has not.
        {DIAG_UNSUPPORTED, "'str': it is not part", "'a'.swapcase()"},
        {DIAG_UNSUPPORTED, "'list': it is not part", "[1].sort"},
        {DIAG_UNSUPPORTED, "'int': it is not part", "(3).bit_count()"},
        {DIAG_UNSUPPORTED, "'float': it is not part", "(3.5).hex()"},
        {DIAG_UNSUPPORTED, "'bool': it is not part", "True.to_bytes(1)"},
        {DIAG_UNSUPPORTED, "'set': it is not part", "{3}.isdisjoint({4})"},
        {DIAG_HOST, "'str' object has no attribute 'append'", "'a'.append('b')"},
        {DIAG_HOST, "'list' object has no attribute 'push'", "[1].push(2)"},
        {DIAG_HOST, "'dict' object has no attribute 'has_key'", "{}.has_key(1)"},
        {DIAG_HOST, "'int' object has no attribute 'split'", "(3).split()"},
        {DIAG_HOST, "'tuple' object has no attribute 'append'", "(3, 4).append(5)"},
    };
    EXPECT_FAILURES(cases);
}

static void test_features(void **state) {
    (void)state;
    static const Feature features[] = {
        {"isinstance(x, Tensor)",
         "from torch import Tensor\n" HOLDS("isinstance(x, Tensor) and not isinstance(1, Tensor)")},
        {"list: append, extend, insert, pop, item",
         RUN("    l = []\n    l.append(1)\n    l.extend((2, 3))\n    l.insert(0, 0)\n    l[1] = 7\n    "
             "assert "
             "l.pop() == 3 and l == [0, 7, 2]\n    return double(x)\n")},
        {"dict: item, update, setdefault, items",
         RUN("    d = {}\n    d['a'] = 1\n    d.update(b=2)\n    assert d.setdefault('c', 3) == 3 and [k for "
             "k, "
             "v in d.items()] == ['a', 'b', 'c'] and list(d.keys()) == list(d) and sum(d.values()) == 6\n    "
             "return double(x)\n")},
        {"str",
         HOLDS("'a' + 'b' == 'ab' and 'abc'[1:] == 'bc' and 'A'.lower() == 'a' and 'ab'.startswith('a') "
               "and '-'.join(['a', 'b']) == 'a-b' and str(1) == '1'")},
        {"len min max int float",
         HOLDS("len(x) == 4 and min(1, 2) == 1 and max([1, 2]) == 2 and int(2.5) == 2 and float(2) == 2.0")},
        {"isinstance",
         HOLDS("isinstance(x, torch.Tensor) and isinstance(1, int) and not isinstance(1, (str, float))")},
    };
    RUN_FEATURES(features);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_what_python_and_torch_raise),
        cmocka_unit_test(test_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
