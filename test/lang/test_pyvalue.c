// Python's arithmetic: every line is an expression and what Python prints for it, or the error it raises.
#include "lang_test.h"

#include <math.h>
#include <stdlib.h>

#include "base/numeric/rng.h"
#include "lang/pyvalue.h"

static bool eval(const Node *n, PyValue *out, const char **why);

static bool eval_compare(const Node *n, PyValue *out, const char **why) {
    PyValue l, r;
    if (!eval(n->compare.left, &l, why) || !eval(n->compare.rest.at[0], &r, why)) return false;
    out->kind = PY_BOOL;
    return py_compare(&arena, n->compare.ops[0], l, r, &out->b, why);
}

static bool eval(const Node *n, PyValue *out, const char **why) {
    PyValue l, r;
    switch (n->kind) {
    case NODE_BINARY:
        return eval(n->binary.left, &l, why) && eval(n->binary.right, &r, why) &&
               py_binary(&arena, n->binary.op, l, r, out, why);
    case NODE_COMPARE: return eval_compare(n, out, why);
    case NODE_UNARY:
        if (py_from_literal(n, out, why)) return true;
        return eval(n->unary.operand, &l, why) && py_unary(&arena, n->unary.op, l, out, why);
    case NODE_NAME: // inf and nan, which have no literal
        *out = (PyValue){.kind = PY_FLOAT, .f = node_is_name(n, "inf") ? INFINITY : NAN};
        return true;
    default: return py_from_literal(n, out, why);
    }
}

static const char *result(const char *source) {
    PyValue v;
    const char *why = NULL;
    if (!eval(parse_text(source)->module.body.at[0]->value, &v, &why)) {
        assert_non_null(why);
        return why;
    }
    Buf b = BUF(&arena);
    py_repr(&b, v);
    return buf_cstr(&b);
}

static void check(const char *source, const char *expected) {
    const char *got = result(source);
    if (strcmp(got, expected) != 0) fail_msg("%s = %s, not %s", source, got, expected);
}

static void test_integers(void **state) {
    (void)state;
    check("7 + 5", "12");
    check("-7 // 2", "-4");
    check("7 // -2", "-4");
    check("-7 // -2", "3");
    check("-7 % 3", "2");
    check("7 % -3", "-2");
    check("-6 % 3", "0");
    check("2 ** 10", "1024");
    check("(-2) ** 63", "-9223372036854775808");
    check("2 ** 62", "4611686018427387904");
    check("0 ** 0", "1");
    check("(-1) ** 9223372036854775807", "-1");
    check("7 & 12", "4");
    check("7 | 8", "15");
    check("7 ^ 2", "5");
    check("~7", "-8");
    check("1 << 62", "4611686018427387904");
    check("-1 << 63", "-9223372036854775808");
    check("0 << 1000000000000", "0");
    check("-5 >> 1", "-3");
    check("-5 >> 1000", "-1");
    check("5 >> 64", "0");
    check("-9223372036854775808", "-9223372036854775808");
    check("9223372036854775807", "9223372036854775807");
    check("-9223372036854775808 // -1", "OverflowError: integer does not fit 64 bits");
    check("-9223372036854775808 % -1", "0");
    check("9223372036854775808", "OverflowError: integer does not fit 64 bits");
    check("-9223372036854775809", "OverflowError: integer does not fit 64 bits");
    check("340282366920938463463374607431768211456", "OverflowError: integer does not fit 64 bits");
    check("9223372036854775807 + 1", "OverflowError: integer does not fit 64 bits");
    check("-(-9223372036854775807 - 1)", "OverflowError: integer does not fit 64 bits");
    check("3037000500 * 3037000500", "OverflowError: integer does not fit 64 bits");
    check("2 ** 63", "OverflowError: integer does not fit 64 bits");
    check("10 ** 10 ** 10", "OverflowError: integer does not fit 64 bits");
    check("1 << 63", "OverflowError: integer does not fit 64 bits");
    check("-2 << 63", "OverflowError: integer does not fit 64 bits");
    check("1 << -1", "ValueError: negative shift count");
    check("1 >> -1", "ValueError: negative shift count");
    check("1 // 0", "ZeroDivisionError: integer division or modulo by zero");
    check("1 % 0", "ZeroDivisionError: integer modulo by zero");
    check("1 / 0", "ZeroDivisionError: division by zero");
    check("0 ** -1", "ZeroDivisionError: 0.0 cannot be raised to a negative power");
}

static void test_division_of_integers_rounds_once(void **state) {
    (void)state;
    check("1 / 3", "0.3333333333333333");
    check("6 / 3", "2.0");
    check("-7 / 2", "-3.5");
    check("0 / -5", "-0.0");
    check("9223372036854775807 / 9223372036854775806", "1.0");
    check("9007199254740993 / 1", "9007199254740992.0");
    check("9007199254740995 / 1", "9007199254740996.0");
    check("9223372036854775807 / 3", "3.0744573456182584e+18");
    check("9223372036854775807 / 9007199254740993", "1023.9999999999999");
    check("1 / 9223372036854775807", "1.0842021724855044e-19");
}

static void test_bools(void **state) {
    (void)state;
    check("True + True", "2");
    check("True & False", "False");
    check("True | False", "True");
    check("True ^ True", "False");
    check("True & 3", "1");
    check("~True", "-2");
    check("-True", "-1");
    check("not 0", "True");
    check("not ''", "True");
    check("not 'a'", "False");
    check("not 0.0", "True");
    check("not None", "True");
    check("not nan", "False");
    check("True * 2.5", "2.5");
    check("True << 3", "8");
}

static void test_floats(void **state) {
    (void)state;
    check("0.1 + 0.2", "0.30000000000000004");
    check("1.5 - 1", "0.5");
    check("7.5 // 2", "3.0");
    check("-7.5 // 2", "-4.0");
    check("-7.5 % 2", "0.5");
    check("7.5 % -2", "-0.5");
    check("1e300 * 1e300", "inf");
    check("5.0 % inf", "5.0");
    check("-5.0 % inf", "inf");
    check("5 // -inf", "-1.0");
    check("inf % 2.0", "nan");
    check("0.0 % -1.0", "-0.0");
    check("-0.0 // 1.0", "-0.0");
    check("1e22 % 3.0", "1.0");
    check("1e308 % 5e-324", "0.0");
    check("1.0 // 0.1", "9.0");
    check("1.0 % 0.1", "0.09999999999999995");
    check("1.0 / 0", "ZeroDivisionError: float division by zero");
    check("1.0 // 0", "ZeroDivisionError: float floor division by zero");
    check("1.0 % 0", "ZeroDivisionError: float modulo");
    check("2 ** -1", "0.5");
    check("10 ** -5", "1e-05");
    check("10.0 ** 22", "1e+22");
    check("2.0 ** -1074", "5e-324");
    check("0.5 ** 3", "0.125");
    check("2 ** 0.5", "1.4142135623730951");
    check("4.0 ** 0.5", "2.0");
    check("(-2.0) ** 3", "-8.0");
    check("(-2.0) ** 2.5", "TypeError: complex numbers are not supported");
    check("(-8) ** 0.5", "TypeError: complex numbers are not supported");
    check("0.0 ** -1", "ZeroDivisionError: 0.0 cannot be raised to a negative power");
    check("1e200 ** 2", "OverflowError: (34, 'Numerical result out of range')");
    check("1e-200 ** 2", "0.0");
    check("inf ** 2", "inf");
    check("0.0 ** 0", "1.0");
    check("nan ** 0", "1.0");
    check("1.5 & 1", "TypeError: unsupported operand type(s) for &: 'float' and 'int'");
    check("~1.5", "TypeError: bad operand type for unary ~: 'float'");
    check("+1.5", "1.5");
}

static void test_text(void **state) {
    (void)state;
    check("'a' + \"b\"", "'ab'");
    check("'ab' * 3", "'ababab'");
    check("2 * 'x'", "'xx'");
    check("'a' * -1", "''");
    check("'a' * True", "'a'");
    check("'' * 9223372036854775807", "''");
    check("'a' * 9223372036854775807", "MemoryError: text of more than 1048576 bytes");
    check("'ab' * 600000", "MemoryError: text of more than 1048576 bytes");
    check("'a' * 1048576 + 'b'", "MemoryError: text of more than 1048576 bytes");
    check("'it\\'s'", "\"it's\"");
    check("'\"\\''", "'\"\\''");
    check("'\\n\\x00\\\\'", "'\\n\\x00\\\\'");
    check("'a' + 1", "TypeError: can only concatenate str (not \"int\") to str");
    check("1 + 'a'", "TypeError: unsupported operand type(s) for +: 'int' and 'str'");
    check("'a' * 1.0", "TypeError: can't multiply sequence by non-int of type 'float'");
    check("None ** 1", "TypeError: unsupported operand type(s) for ** or pow(): 'NoneType' and 'int'");
    check("'%d' % 1", "TypeError: formatting with % is not supported");
    check("-'a'", "TypeError: bad operand type for unary -: 'str'");
    check("None + 1", "TypeError: unsupported operand type(s) for +: 'NoneType' and 'int'");
    check("1 @ 2", "TypeError: unsupported operand type(s) for @: 'int' and 'int'");
    check("b'x'", "TypeError: bytes are not supported");
    check("[]", "TypeError: not a literal");
}

static void test_comparisons(void **state) {
    (void)state;
    check("1 < 2", "True");
    check("2 <= 1", "False");
    check("1 == 1.0", "True");
    check("True == 1", "True");
    check("1 == '1'", "False");
    check("None == None", "True");
    check("None != 0", "True");
    check("9007199254740993 == 9007199254740992.0", "False");
    check("9007199254740993 > 9007199254740992.0", "True");
    check("9223372036854775807 < 9223372036854775808.0", "True");
    check("-9223372036854775808 == -9223372036854775808.0", "True");
    check("2.5 > 2", "True");
    check("-2.5 < -2", "True");
    check("1 < inf", "True");
    check("inf > 9223372036854775807", "True");
    check("-9223372036854775808 > -inf", "True");
    check("nan == nan", "False");
    check("nan != 1", "True");
    check("1 < nan", "False");
    check("nan >= 1", "False");
    check("'a' < 'b'", "True");
    check("'ab' < 'a'", "False");
    check("'a' in 'cab'", "True");
    check("'' in ''", "True");
    check("'ac' not in 'cab'", "True");
    check("1 is 1", "True");
    check("1 is True", "False");
    check("None is None", "True");
    check("None is not False", "True");
    check("1 < 'a'", "TypeError: '<' not supported between instances of 'int' and 'str'");
    check("None >= 1", "TypeError: '>=' not supported between instances of 'NoneType' and 'int'");
    check("'a' in 1", "TypeError: argument of type 'int' is not iterable");
    check("1 in 'a'", "TypeError: 'in <string>' requires string as left operand, not int");
}

static void binary_int(Oper op, int64_t a, int64_t b, PyValue *out, bool *ok) {
    const char *why;
    PyValue l = {.kind = PY_INT, .i = a}, r = {.kind = PY_INT, .i = b};
    *ok = py_binary(&arena, op, l, r, out, &why);
}

// (a // b) * b + a % b == a, with the remainder on the divisor's side; and division against wide arithmetic.
static void test_division_laws(void **state) {
    (void)state;
    Rng rng = rng_at(7, 0);
    for (int i = 0; i < 20000; i++) {
        int64_t a = (int64_t)rng_u64(&rng) >> rng_below(&rng, 64),
                b = (int64_t)rng_u64(&rng) >> rng_below(&rng, 64);
        PyValue q, r, f;
        bool ok;
        if (b == 0) continue;
        binary_int(OPER_FLOORDIV, a, b, &q, &ok);
        assert_int_equal(ok, !(a == INT64_MIN && b == -1));
        if (!ok) continue;
        binary_int(OPER_MOD, a, b, &r, &ok);
        assert_true(ok);
        assert_true((__int128)q.i * b + r.i == a);
        assert_true(r.i == 0 || (r.i < 0) == (b < 0));
        assert_true(b == INT64_MIN || llabs(r.i) < llabs(b));
        binary_int(OPER_DIV, a, b, &f, &ok);
        assert_true(ok);
        // |f - a/b| is at most half a unit in the last place: 2 |f b - a| <= ulp |b|, in long doubles with
        // room to spare.
        long double off = fabsl((long double)f.f * b - a),
                    ulp = (long double)(nextafter(fabs(f.f), INFINITY) - fabs(f.f));
        assert_true(off <= ulp * fabsl((long double)b) * 0.5001L + fabsl((long double)a) * 0x1p-62L);
    }
}

static void test_names_of_types(void **state) {
    (void)state;
    static const char *const names[] = {"NoneType", "bool", "int", "float", "str"};
    for (int k = PY_NONE; k <= PY_STR; k++) assert_string_equal(py_type_name((PyKind)k), names[k]);
}

// Programs take floors of these: int(math.log2(n)), int(math.log10(n)).
static void test_exact_logarithms(void **state) {
    (void)state;
    for (int e = -1074; e < 1024; e++) assert_true(py_log2(ldexp(1, e)) == e);
    double power = 1;
    for (int e = 0; e <= 22; e++, power *= 10) assert_true(py_log10(power) == e);
    assert_true(py_log2(8.000001) > 3 && py_log2(7.999999) < 3);
    assert_true(py_log10(1000.0001) > 3 && py_log10(999.9999) < 3);
    assert_true(isnan(py_log2(-2)) && isnan(py_log10(-10)));
    assert_true(isinf(py_log2(INFINITY)) && isinf(py_log2(0)) && isinf(py_log10(0)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_integers),
        TEST(test_division_of_integers_rounds_once),
        TEST(test_bools),
        TEST(test_floats),
        TEST(test_text),
        TEST(test_comparisons),
        TEST(test_division_laws),
        TEST(test_names_of_types),
        TEST(test_exact_logarithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
