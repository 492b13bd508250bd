// The lexer: every source beside its tokens.
#include "lang/lang_test.h"

#include "lang/parse/lex.h"

// "NAME(x) '+' INT(1) NEWLINE END" without the quotes.
static const char *tokens_of(const char *source) {
    static Lexer l;
    lex_start(&l, str_of(source));
    Buf b = BUF(&arena);
    for (;;) {
        Token t = lex_next(&l);
        const char *what = token_what(t.kind);
        bool fixed = what[0] == '\'';
        if (b.len) buf_putc(&b, ' ');
        switch (t.kind) {
        case TOK_NEWLINE: buf_puts(&b, "NL"); break;
        case TOK_INDENT: buf_puts(&b, "IN"); break;
        case TOK_DEDENT: buf_puts(&b, "DE"); break;
        case TOK_END: buf_puts(&b, "END"); return buf_cstr(&b);
        case TOK_ERROR: buf_printf(&b, "ERROR %s", l.error); return buf_cstr(&b);
        case TOK_FTEXT: buf_printf(&b, "<%.*s>", (int)t.len, source + t.at); break;
        default:
            if (fixed)
                buf_put(&b, what + 1, strlen(what) - 2);
            else
                buf_put(&b, source + t.at, t.len);
            if (fixed) assert_memory_equal(what + 1, source + t.at, t.len);
        }
    }
}

static void check(const char *source, const char *expected) {
    assert_string_equal(tokens_of(source), expected);
}

static void test_lines_and_blocks(void **state) {
    (void)state;
    check("", "END");
    check("\n\n  \n# c\n", "END");
    check("a", "a NL END");
    check("a\n", "a NL END");
    check("a ; b", "a ; b NL END");
    check("if a:\n  b\nc", "if a : NL IN b NL DE c NL END");
    check("if a:\n  if b:\n    c\n", "if a : NL IN if b : NL IN c NL DE DE END");
    check("if a:\n  b\n\n# x\n    # y\n  c", "if a : NL IN b NL c NL DE END");
    check("  a", "IN a NL DE END");
    check("a \\\n b", "a b NL END");
    check("(a\n  b\n#x\n)c", "( a b ) c NL END");
    check("a # tail", "a NL END");
    check("\fa\n\f  \fb", "a NL b NL END");
    check("\xef\xbb\xbf"
          "a",
          "a NL END");
    check("if a:\r\n\tb\r\nc\rd", "if a : NL IN b NL DE c NL d NL END");
    check("if a:\n  \\\n   b\n  c", "if a : NL ERROR a line must not begin with a line continuation");
    check("if a:\n  b\n\\\n  c", "if a : NL IN b NL ERROR a line must not begin with a line continuation");
    check("if a:\n  b \\\nc", "if a : NL IN b c NL DE END");
}

static void test_tabs(void **state) {
    (void)state;
    check("if a:\n\tb\n\tc", "if a : NL IN b NL c NL DE END");
    check("if a:\n        b\n\tc",
          "if a : NL IN b NL ERROR tabs and spaces in this indentation do not agree with the lines above");
    check(
        "if a:\n\tif b:\n        c",
        "if a : NL IN if b : NL ERROR tabs and spaces in this indentation do not agree with the lines above");
    check("if a:\n    b\n  c", "if a : NL IN b NL ERROR this indentation matches no block above");
    check(
        "if a:\n    if b:\n\tc",
        "if a : NL IN if b : NL ERROR tabs and spaces in this indentation do not agree with the lines above");
    check("if a:\n if b:\n  \tc\n  \td\n e", "if a : NL IN if b : NL IN c NL d NL DE e NL DE END");
}

static void test_numbers(void **state) {
    (void)state;
    check("0 00 1_000 0xFf_F 0B1_0 0o17 0_0", "0 00 1_000 0xFf_F 0B1_0 0o17 0_0 NL END");
    check("1. .5 1.5 1e5 1E-5 1_0.0_1e+1_0 1.e3 0.0 00.5 09.5 1e05",
          "1. .5 1.5 1e5 1E-5 1_0.0_1e+1_0 1.e3 0.0 00.5 09.5 1e05 NL END");
    check("1.real", "ERROR a number runs into a name");
    check("1..real 1 .real", "1. . real 1 . real NL END");
    check("1if x else 0and y", "1 if x else 0 and y NL END");
    check("1else", "1 else NL END");
    check("0x1for x", "0x1f or x NL END");
    check("1__0", "ERROR '_' in a number must stand between digits");
    check("1_", "ERROR '_' in a number must stand between digits");
    check("1e5_", "ERROR '_' in a number must stand between digits");
    check("012", "ERROR an integer must not start with 0; octal numbers are written 0o17");
    check("0x", "ERROR a hexadecimal number lacks a digit");
    check("0b12", "ERROR the digit '2' does not belong in a binary number");
    check("0or x", "ERROR an octal number lacks a digit");
    check("0o8", "ERROR an octal number lacks a digit");
    check("1j", "ERROR imaginary numbers are not part of this language");
    check("1.5e3J", "ERROR imaginary numbers are not part of this language");
    check("12abc", "ERROR a number runs into a name");
    check("1e", "ERROR a number runs into a name");
}

static void test_strings(void **state) {
    (void)state;
    check("'a' \"b\" ''", "'a' \"b\" '' NL END");
    check("'''a\n'b''c''' \"\"\"\"\"\"", "'''a\n'b''c''' \"\"\"\"\"\" NL END");
    check("r'\\\\' b'x' Rb\"y\" bR'z' u'w' U'v'", "r'\\\\' b'x' Rb\"y\" bR'z' u'w' U'v' NL END");
    check("'a\\'b' 'a\\\nb' 'a\\\r\nb'", "'a\\'b' 'a\\\nb' 'a\\\r\nb' NL END");
    check("r'\\'",
          "ERROR this string is not closed on its line"); // a raw string keeps the backslash but minds it
    check("ur'x'", "ur 'x' NL END");
    check("'abc", "ERROR this string is not closed on its line");
    check("'abc\n'", "ERROR this string is not closed on its line");
    check("'''abc'", "ERROR this string is never closed");
    check("'\\", "ERROR this string is not closed on its line");
}

static void test_fstrings(void **state) {
    (void)state;
    check("f''", "f' ' NL END");
    check("f'a{b}c'", "f' <a> { b } <c> ' NL END");
    check("f'{{a}}'", "f' <{{a}}> ' NL END");
    check("f'{a!r:>{w}.2f}'", "f' { a ! r : <>> { w } <.2f> } ' NL END");
    check("f'{a != b}'", "f' { a != b } ' NL END");
    check("f'{x=:5}{y:=5}'", "f' { x = : <5> } { y : <=5> } ' NL END");
    check("f'{d[\"k\"]}{d['k']}'", "f' { d [ \"k\" ] } { d [ 'k' ] } ' NL END");
    check("f'{f\"{f'{x}'}\"}'", "f' { f\" { f' { x } ' } \" } ' NL END");
    check("f'{ {1: 2}[1] }{(lambda: 1)()}'", "f' { { 1 : 2 } [ 1 ] } { ( lambda : 1 ) ( ) } ' NL END");
    check("F'''a\n{\nb # c\n}\"'''", "F''' <a\n> { b } <\"> ''' NL END");
    check("rf'\\{a}' fR'\\d'", "rf' <\\> { a } ' fR' <\\d> ' NL END");
    check("f'\\{a}'", "f' <\\> { a } ' NL END");
    check("f'{a:{b}{c:{d}}}'", "f' { a : { b } { c : { d } } } ' NL END");
    check("f'}'", "f' ERROR a single '}' in an f-string must be written '}}'");
    check("f'{a'", "f' { a ERROR this string is not closed on its line");
    check("f'{a", "f' { a ERROR this '{' of an f-string is never closed");
    check("f'abc", "f' ERROR this f-string is not closed on its line");
    check("f'''abc'", "f''' ERROR this f-string is never closed");
    check("f'abc\n'", "f' ERROR this f-string is not closed on its line");
    check("f'{a)}'", "f' { a ERROR ')' inside the braces of an f-string closes nothing");
    check("f'{a:5'", "f' { a : <5> ERROR expected '}' before the end of the f-string");
    check("f'\\N{DASH}'", "f' ERROR escapes by character name are not supported");
}

static void test_names(void **state) {
    (void)state;
    check("x _y1 \xcf\x83 m\xc3\xa9 match \xe4\xb8\xad",
          "x _y1 \xcf\x83 m\xc3\xa9 match \xe4\xb8\xad NL END");
    check("\xc2\xb5", "ERROR unexpected character U+00B5"); // micro sign: NFKC turns it into another letter
    check("\xe2\x80\x9cx", "ERROR typographic quote U+201C: strings take straight quotes");
    check("a \xe2\x89\xa4 b", "a ERROR unexpected character U+2264");
    check("x\xc2\xa0= 1", "ERROR unexpected character U+00A0");
}

static void test_every_keyword_is_found(void **state) {
    (void)state;
    const char *last = "";
#define TOKEN(id, what)
#define KEYWORD(id, text)                    \
    check(text, text " NL END");             \
    assert_true(strcmp(last, text) < 0);     \
    assert_true(token_is_keyword(TOK_##id)); \
    last = text;
#define PUNCT(id, text)
#define INFIX(id, text, oper, level, assigns)
#include "lang/token.def"
#undef TOKEN
#undef KEYWORD
#undef PUNCT
#undef INFIX
    assert_false(token_is_keyword(TOK_NAME));
    assert_false(token_is_keyword(TOK_LPAREN));
}

static void test_operators(void **state) {
    (void)state;
    check("+ - * ** / // % @ & | ^ ~ << >> < > <= >= == != -> := . ... , : ; =",
          "+ - * ** / // % @ & | ^ ~ << >> < > <= >= == != -> := . ... , : ; = NL END");
    check("+= -= *= **= /= //= %= @= &= |= ^= <<= >>=", "+= -= *= **= /= //= %= @= &= |= ^= <<= >>= NL END");
    check("a<-b a**-b x[1:] x[::] ..", "a < - b a ** - b x [ 1 : ] x [ : : ] . . NL END");
    check("a ? b", "a ERROR unexpected character '?'");
    check("a $ b", "a ERROR unexpected character '$'");
    check("a && b", "a ERROR unexpected '&&': it is written `and`");
    check("a || b", "a ERROR unexpected '||': it is written `or`");
    check("!a", "ERROR unexpected '!': negation is written `not`");
    check("a <> b", "a ERROR unexpected '<>': inequality is written '!='");
    TokenOper shl = token_oper(TOK_SHL_ASSIGN);
    assert_true(shl.infix && shl.assigns && shl.oper == OPER_SHL);
    assert_false(token_oper(TOK_EQ).infix);
}

static void test_brackets_match(void **state) {
    (void)state;
    check("(a]", "( a ERROR ']' does not close the '(' of line 1");
    check("a)", "a ERROR ')' closes nothing");
    check("(a\nb", "( a b ERROR this '(' is never closed");
    check("a \\b", "a ERROR only a line end may follow the backslash of a line continuation");
    check("a \\", "a ERROR the file ends after a line continuation");
    check("a \\\n", "a ERROR the file ends after a line continuation");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_lines_and_blocks),
        TEST(test_tabs),
        TEST(test_numbers),
        TEST(test_strings),
        TEST(test_fstrings),
        TEST(test_names),
        TEST(test_every_keyword_is_found),
        TEST(test_operators),
        TEST(test_brackets_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
