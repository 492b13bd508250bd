// The parser: shapes of trees, syntax errors with their places, limits.
#include "lang/parse/trees.h"

static void test_numbers(void **state) {
    (void)state;
    const Node *n = expression("0xFFFF_FFFF");
    assert_int_equal(n->kind, NODE_INT);
    assert_int_equal(n->integer.value, 0xffffffff);
    assert_false(n->integer.too_big);
    assert_true(str_is(n->integer.text, "0xFFFF_FFFF"));
    assert_int_equal(expression("18446744073709551615")->integer.value, UINT64_MAX);
    assert_true(expression("18446744073709551616")->integer.too_big);
    assert_true(str_is(expression("0XFFFF_FFFF_FFFF_FFFF_F")->integer.text, "0xfffffffffffffffff"));
    assert_true(expression("1_0.5_0e-1_0")->real == 10.50e-10);
    assert_true(expression("4.9406564584124654e-324")->real > 0);
    assert_true(expression("1e999")->real > 1e308);
}

static void test_helpers(void **state) {
    (void)state;
    const Node *m = parse_text("def f(): pass\ndef g(): pass\ndef f(x): pass\n");
    assert_ptr_equal(module_function(m, STR("f")), m->module.body.at[2]);
    assert_null(module_function(m, STR("h")));
    Buf b = BUF(&arena);
    assert_true(node_dotted(expression("a.b.c.d"), &b));
    assert_string_equal(buf_cstr(&b), "a.b.c.d");
    assert_false(node_dotted(expression("a.b.c.d.e.f.g"), &b));
    assert_false(node_dotted(expression("a().b"), &b));
    assert_true(node_is_name(expression("tl"), "tl"));
    assert_false(node_is_name(expression("tl.x"), "tl"));
    assert_false(node_is_name(NULL, "tl"));
    assert_string_equal(oper_text(OPER_NOTIN), "not in");
    assert_string_equal(oper_method(OPER_POW), "__pow__");
    assert_string_equal(node_kind_name(NODE_WALRUS), "WALRUS");
}

// ---- errors

static const struct {
    const char *source, *msg;
    int line, col;
} errors[] = {
    {"if x\n  y", "expected ':' after the condition of `if`, found the end of the line", 1, 5},
    {"if x = 1:\n  y", "expected ':' after the condition of `if`, found '='; comparison is '=='", 1, 6},
    {"while x y: pass", "expected ':' after the condition of `while`, found 'y'", 1, 9},
    {"if a: pass\nelif b\n c", "expected ':' after the condition of `elif`, found the end of the line", 2, 7},
    {"if x:\ny", "expected an indented block after the condition of `if`, found 'y'", 2, 1},
    {"def f():\n", "expected an indented block after the head of the function, found the end of the file", 2,
     1},
    {"def f()\n  x", "expected ':' after the head of the function, found the end of the line", 1, 8},
    {"def (x): pass", "expected the name of the function after `def`, found '('", 1, 5},
    {"def f(a, a): pass", "this parameter name is taken by an earlier one", 1, 10},
    {"def f(a=1, b): pass", "a parameter without a default follows one with a default", 1, 12},
    {"def f(*): pass", "a named parameter must follow the bare '*'", 1, 7},
    {"def f(*, **k): pass", "a named parameter must follow the bare '*'", 1, 10},
    {"def f(**k, a): pass", "nothing may follow the '**' parameter", 1, 12},
    {"def f(*a, *b): pass", "only one '*' may stand among the parameters", 1, 11},
    {"def f(/, a): pass", "'/' must follow a parameter", 1, 7},
    {"def f(a, *, b, /): pass", "'/' must stand before '*'", 1, 16},
    {"def f(*a=1): pass", "a starred parameter takes no default", 1, 9},
    {"def f(a b): pass", "expected ',' or ')' after a parameter, found 'b'", 1, 9},
    {"def f(1): pass", "expected a parameter name, found '1'", 1, 7},
    {"def f[T](x): pass", "type parameters are not supported", 1, 6},
    {"class C\n  x", "expected ':' after the head of the class, found the end of the line", 1, 8},
    {"for x y: pass", "expected 'in' after the target of `for`, found 'y'", 1, 7},
    {"for f() in y: pass", "cannot assign to a function call", 1, 5},
    {"for x in: pass", "expected an expression, found ':'", 1, 9},
    {"x = ", "expected an expression, found the end of the line", 1, 5},
    {"x = = 1", "expected an expression, found '='", 1, 5},
    {"1 = x", "cannot assign to a number", 1, 1},
    {"f() = x", "cannot assign to a function call", 1, 1},
    {"a + b = c", "cannot assign to an expression", 1, 1},
    {"None = x", "cannot assign to None", 1, 1},
    {"x == 1 = y", "cannot assign to a comparison; perhaps '=' was meant instead of '=='", 1, 1},
    {"*a = b", "a starred expression needs a list or tuple around it; a comma makes one: *a,", 1, 1},
    {"*a, *b = c", "two starred targets in one assignment", 1, 5},
    {"(a, b) += 1", "cannot apply '+=' to a tuple", 1, 1},
    {"a, b: int = 1", "a tuple cannot carry an annotation", 1, 1},
    {"del f()", "cannot delete a function call", 1, 5},
    {"x = *a", "a starred expression needs a list or tuple around it; a comma makes one: *a,", 1, 5},
    {"x = (*a)", "a starred expression cannot stand alone in parentheses", 1, 6},
    {"f(a, b", "this '(' is never closed", 1, 2},
    {"-f\"vvvB b{K=", "this '{' of an f-string is never closed", 1, 10}, // shows its source, which has no end
    {"f(a b)", "expected ',' or ')', found 'b'", 1, 5},
    {"f(a,\nb\nc)", "expected ',' or ')' for the '(' of line 1, found 'c'", 3, 1},
    {"f(a=1, b)", "a positional argument follows a keyword argument", 1, 8},
    {"f(**a, b)", "a positional argument follows a '**' argument", 1, 8},
    {"f(**a, *b)", "a '*' argument follows a '**' argument", 1, 8},
    {"f(a=1, a=2)", "this keyword argument is given twice", 1, 8},
    {"f(a.b=1)", "only a plain name may stand before '=' in a call; comparison is '=='", 1, 6},
    {"f(x for x in y, 1)", "a generator needs parentheses unless it is the only argument of a call", 1, 3},
    {"class C(x for x in y): pass", "a generator needs parentheses unless it is the only argument of a call",
     1, 9},
    {"[a for b]", "expected 'in' after the target of `for`, found ']'", 1, 9},
    {"[*a for a in b]", "unpacking has no place in a comprehension", 1, 2},
    {"{**a for a in b}", "unpacking has no place in a comprehension", 1, 1},
    {"{a: b, c}", "expected ':' after a key, found '}'", 1, 9},
    {"{a, b: c}", "expected ',' or '}', found ':'", 1, 6},
    {"x[]", "expected an index, found ']'", 1, 3},
    {"x.1", "expected the end of the statement, found '.1'", 1, 2},
    {"x.", "expected a name after '.', found the end of the line", 1, 3},
    {"a if b", "expected 'else' in the conditional expression, found the end of the line", 1, 7},
    {"lambda x=1, y: 2", "a parameter without a default follows one with a default", 1, 13},
    {"1 + lambda: 2", "a lambda inside an operation needs parentheses", 1, 5},
    {"a == not b", "`not` after an operator needs parentheses", 1, 6},
    {"a + class", "expected an expression, found the keyword 'class'", 1, 5},
    {"return 1", "`return` outside a function", 1, 1},
    {"def f():\n class C:\n  return 1", "`return` outside a function", 3, 3},
    {"yield 1", "`yield` outside a function", 1, 1},
    {"break", "'break' outside a loop", 1, 1},
    {"for x in y:\n def f():\n  continue", "'continue' outside a loop", 3, 3},
    {"for x in y: pass\nelse: break", "'break' outside a loop", 2, 7},
    {"await x", "`await` outside an async function", 1, 1},
    {"nonlocal x", "`nonlocal` outside a function in a function", 1, 1},
    {"def f():\n nonlocal x", "`nonlocal` outside a function in a function", 2, 2},
    {"def f(a):\n return [a := 1 for a in b]", "`:=` rebinds a variable of the comprehension", 2, 10},
    {"x = [1 for a, (b, *c) in d if [c := e for f in g]]", "`:=` rebinds a variable of the comprehension", 1,
     32},
    {"x = [a for a in (b := c)]", "`:=` in what a comprehension iterates over", 1, 18},
    {"async for x in y: pass", "`async` outside an async function", 1, 1},
    {"else: pass", "'else' without an `if` or loop above it", 1, 1},
    {"except: pass", "'except' without a `try` above it", 1, 1},
    {"try: pass\nx", "expected `except` or `finally` after the block of `try`, found 'x'", 2, 1},
    {"try: pass\nexcept: pass\nexcept E: pass", "an `except` without a type must be the last", 2, 1},
    {"try: pass\nexcept A, B: pass", "several exception types need parentheses", 2, 9},
    {"with a as f(): pass", "cannot assign to a function call", 1, 11},
    {"x = 1 y", "expected the end of the statement, found 'y'", 1, 7},
    {"x = 1; if x: pass", "'if' must start a line of its own", 1, 8},
    {"print x", "print is a function: its arguments need parentheses", 1, 1},
    {"match x:\n case A(): pass", "such patterns of `match` statements are not supported", 2, 7},
    {"type X = int", "`type` statements are not supported", 1, 1},
    {"@f\nx = 1", "expected a function or class after its decorators, found 'x'", 2, 1},
    {"  x", "unexpected indentation", 1, 3},
    {"x\n    y", "unexpected indentation", 2, 5},
    {"import", "expected the name of a module, found the end of the line", 1, 7},
    {"from a import", "expected a name to import, found the end of the line", 1, 14},
    {"from a import b.c", "expected the end of the statement, found '.'", 1, 16},
    {"import a as b.c", "expected the end of the statement, found '.'", 1, 14},
    {"'a' b'c'", "bytes and text cannot be joined", 1, 5},
    {"b'\xc3\xa9'", "bytes hold ASCII characters only", 1, 3},
    {"'\\x4'", "'\\x' needs 2 hexadecimal digits", 1, 2},
    {"'\\ud800'", "U+D800 is half of a surrogate pair, no character", 1, 2},
    {"'\\U00110000'", "there is no character U+110000", 1, 2},
    {"'\\N{DASH}'", "escapes by character name are not supported", 1, 2},
    {"f'{}'", "expected an expression in the braces of the f-string, found '}'", 1, 4},
    {"f'{a!x}'", "expected 'r', 's' or 'a' right after '!', found 'x'", 1, 6},
    {"f'{a b}'", "expected '}' after the expression of the f-string, found 'b'", 1, 6},
    {"f'{lambda x: 1}'", "a lambda in the braces of an f-string needs parentheses", 1, 4},
    {"x := 1", "':=' as a statement needs parentheses, or '='", 1, 3},
    {"x = 3j", "imaginary numbers are not part of this language", 1, 5},
    {"\xce\xbb \xce\xbb", "expected the end of the statement, found a name", 1, 3},
    {"", "the source holds no statement", 1, 1},
    {"# only a comment\n", "the source holds no statement", 1, 1},
};

static void test_errors(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        Str source = str_of(errors[i].source);
        Diag found;
        if (try_parse(source, &found)) fail_msg("accepted: %s", errors[i].source);
        LineCol lc = line_col(source, found.span.at);
        if (strcmp(found.msg, errors[i].msg) != 0 || lc.line != errors[i].line || lc.col != errors[i].col)
            fail_msg("%s\n%d:%d: %s\nis not %d:%d: %s", errors[i].source, lc.line, lc.col, found.msg,
                     errors[i].line, errors[i].col, errors[i].msg);
    }
}

// Every prefix of a program is a program or an error, never a crash.
static void test_truncated_sources(void **state) {
    (void)state;
    static const char source[] =
        "@jit(a, *b, **{'c': [d for e in f if g]})\ndef h(i: j = k, *, l=lambda m: n) -> o:\n"
        "    try:\n        with (p as q, r as s): x[t:u, ::v] += f'{w!r:>{y}}' 'z' if not a < b else c\n"
        "    except d as e: raise f from g\n    finally: del h, i\n";
    for (size_t n = 0; n < sizeof source; n++) {
        ArenaMark mark = arena_mark(&arena);
        try_parse((Str){source, n}, NULL);
        arena_reset(&arena, mark);
    }
    assert_non_null(parse_text(source));
}

// Triton finds and unindents a kernel's text by patterns that know no strings: see lines_kept().
static void test_what_triton_would_read_otherwise(void **state) {
    (void)state;
    refused(STR("@j(a='''\ndef g(x): pass\n''')\ndef f(x): pass"), "several lines");
    refused(STR("@j\n@h(lambda a: f'''{a}\ndef g(''')\ndef f(x): pass"), "several lines");
    refused(STR("@j(a='x\\\ndef g(x):')\ndef f(x): pass"), "several lines");
    refused(STR("def f(x):\n  return g('''a\n  \nb''')"), "line of blanks");
    refused(STR("def f(x, y='''a\n\t\r\nb'''): pass"), "line of blanks");
    refused(STR("def f(x):\n  return f'''{x}\n  \n{x}'''"), "line of blanks");
    refused(STR("def f(x):\n  'doc'; x = '''a\n \n'''"), "line of blanks");
    refused(STR("def \\\n f(x): pass"), "one line");
    refused(STR("def f \\\n (x): pass"), "one line");
    refused(STR("@j\n\fdef f(x): pass"), "form feed");
    refused(STR("def f(x):\n  return x\n\\\n  def g(x): return x"), "begin with a line continuation");
    refused(STR("def f(x):\n  x\n  \\\n  return x"), "begin with a line continuation");
    // Controls: what is read the same by all.
    (void)parse_text("x = '''\ndef g(x): pass\n'''\n@j(a='b\\n'\n   'c')\ndef f(x): pass");
    (void)parse_text("def f(x):\n  '''doc\n  \n  '''\n  y = '''a\n\n  b\n  '''\n  'more\\\n  \\\n'\n  return "
                     "y + \\\n  \\\n x");
    (void)parse_text("x = '''\n  \n'''\n@j\n\f\ndef f (x): pass");
}

static void test_limit_of_size(void **state) {
    (void)state;
    Str s = repeated("x = 1\n", "#23456789abcdef\n", SOURCE_MAX / 16 - 1, "");
    parse_str(s);
    refused(repeated("x = 1\n", "#23456789abcdef\n", SOURCE_MAX / 16, ""), "bytes, more than");
    refused((Str){"x = 1\0", 6}, "NUL");
    refused(STR("x = '\xff'"), "UTF-8");
    refused(STR("x = '\xed\xa0\x80'"), "UTF-8");
    refused(STR("x = '\xc0\xaf'"), "UTF-8");
}

static void test_limit_of_tokens(void **state) {
    (void)state;
    parse_str(repeated("", "x;", TOKENS_MAX / 2 - 2, ""));
    refused(repeated("", "x;", TOKENS_MAX / 2, ""), "tokens");
}

// Chains that grow to the left, or downwards, need no nesting; the height of the tree stops them.
static void check_chain(const char *before, const char *link, int longest) {
    const Node *n = parse_str(repeated(before, link, longest, ""));
    assert_true(node_equal(n, parse_text(printed(n))));
    Buf b = BUF(&arena);
    print_canonical(&b, n);
    refused(repeated(before, link, longest + 1, ""), "links");
    refused(repeated(before, link, 40000, ""), "links");
}

static void test_limit_of_chains(void **state) {
    (void)state;
    enum { STATEMENT = HEIGHT_MAX - 3 }; // below the module, the statement and the first operand
    check_chain("x", " + 1", STATEMENT);
    check_chain("x", "*y", STATEMENT);
    check_chain("x", ".y", STATEMENT);
    check_chain("x", "[0]", STATEMENT);
    check_chain("x", "()", STATEMENT);
    check_chain("if x: pass\n", "elif y: pass\n", STATEMENT);
    // These are flat, however long.
    parse_str(repeated("x", " and y", 50000, ""));
    parse_str(repeated("x", " < y", 50000, ""));
    parse_str(repeated("x", ", y", 50000, ""));
    parse_str(repeated("", "x = ", 50000, "y"));
    parse_str(repeated("'a'", " 'b'", 50000, ""));
    parse_str(repeated("f'{a}'", " f'{b}'", 30000, ""));
    parse_str(repeated("x = y", "\\\n", 50000, "\n"));
    parse_str(repeated("@a\n", "@a\n", 50000, "def f(): pass"));
}

// CPython's compiler has these limits, whatever is never run.
static void test_limits_of_python(void **state) {
    (void)state;
    for (int n = BLOCKS_MAX; n <= BLOCKS_MAX + 1; n++) {
        Arena a = {0};
        Buf b = BUF(&a);
        buf_puts(&b, "def f():\n");
        for (int i = 0; i < n; i++)
            buf_printf(&b, "%*s%s\n", i + 1, "",
                       i % 3 == 0   ? "for x in y:"
                       : i % 3 == 1 ? "with x:"
                                    : "while x:");
        buf_printf(&b, "%*sdef g():\n%*sfor x in y: z\n", n + 1, "", n + 2, "");
        if (n == BLOCKS_MAX)
            (void)parse_text(buf_cstr(&b));
        else
            refused(buf_str(&b), "statically nested blocks");
        arena_free(&a);
    }
    refused(repeated("x = 1", "0", DIGITS_MAX, ""), "digits");
    refused(repeated("x = 1", "_0", DIGITS_MAX, ""), "digits");
    (void)parse_text("class C:\n def f(x):\n  class D:\n   nonlocal x\n  def g():\n   nonlocal x");
    (void)parse_text("x = [(lambda: (a := 1))() + (c := a) for a in (lambda: (b := d))()]");
}

// Memory stays in proportion to the source, whatever it is made of.
static void test_memory_is_linear(void **state) {
    (void)state;
    static const char *const parts[] = {"x\n",
                                        "x=1\n",
                                        "-1\n",
                                        "f(a=1)\n",
                                        "'a' 'b'\n",
                                        "f'{a}'\n",
                                        "[a for a in b]\n",
                                        "{a: b}\n",
                                        "def f(a): pass\n",
                                        "lambda: 0\n",
                                        "a<b\n",
                                        "if a: b\n",
                                        "()\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        Arena a = {0};
        DiagList d = DIAGS(&a);
        Str s = repeated("", parts[i], 10000, "");
        assert_non_null(parse_module(&a, s, &d));
        if (a.peak > 400 * s.len)
            fail_msg("%s%zu bytes of tree for each of source", parts[i], a.peak / s.len);
        arena_free(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_numbers),
        TEST(test_helpers),
        TEST(test_errors),
        TEST(test_truncated_sources),
        TEST(test_what_triton_would_read_otherwise),
        TEST(test_limit_of_size),
        TEST(test_limit_of_tokens),
        TEST(test_limit_of_chains),
        TEST(test_limits_of_python),
        TEST(test_memory_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
