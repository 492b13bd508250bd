// `match`: a statement where one can stand, a name everywhere else.
#include "lang/parse/trees.h"

static void same_again(const char *source) {
    const Node *n = parse_text(source);
    assert_true(node_equal(n, parse_text(printed(n))));
}

static void statements_are_read(void **state) {
    (void)state;
    same_again("match x:\n    case 1 | -2.5 | 'a' | None:\n        pass\n    case a.b if c:\n        d\n    "
               "case _:\n        e\n");
    same_again("match (a, b):\n    case (1, [x, y]): pass\n    case 1, 2:\n        pass\n");
    same_again("if a:\n    match (x):\n        case y: pass\nelse:\n    b\n");
    same_again("match x, y:\n    case a: match = 3\n");
    assert_int_equal(parse_text("match (x):\n    case y: pass\n")->module.body.at[0]->match.subject->kind,
                     NODE_NAME);
    assert_int_equal(parse_text("match (x, y):\n    case z: pass\n")->module.body.at[0]->match.subject->kind,
                     NODE_TUPLE);
}

static void the_word_is_a_name(void **state) {
    (void)state;
    same_again("match = 1\nmatch(x)\nmatch[0] = 2\nmatch.a\nmatch: int = 3\ncase = match\n");
}

static void what_is_no_match(void **state) {
    (void)state;
    refused(str_of("match x:\n    pass\n"), "expected `case`");
    refused(str_of("match x:\n    case y: pass\n    case 1: pass\n"), "unreachable");
    refused(str_of("match x:\n    case (a, a): pass\n"), "multiple assignments");
    refused(str_of("a = 1; match x:\n    case 1: pass\n"), "end of the statement");
    refused(str_of("if a: match x:\n    case 1: pass\n"), "end of the statement");
    refused(str_of("match x:\n    case A(): pass\n"), "such patterns");
    refused(str_of("match x:\n    case {'a': 1}: pass\n"), "patterns");
    refused(str_of("match x:\n    case 1 as y: pass\n"), "`as`");
    refused(str_of("match x:\n    case a | 1: pass\n"), "patterns");
    refused(str_of("match (x,):\n    case a: pass\n"), "such heads");
    refused(str_of("match x:\n    case f'a': pass\n"), "patterns");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(statements_are_read),
        TEST(the_word_is_a_name),
        TEST(what_is_no_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
