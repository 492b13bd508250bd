// Statements that others stand for, wherever they are; names that an import brings.
#include "host/desugar/rewriting.h"
#include "host/support.h"
#include "lang/print.h"

// `pass` becomes two statements; `break` none.
static bool twice(void *arg, Node *n, Nodes *out) {
    Arena *a = arg;
    if (n->kind != NODE_PASS && n->kind != NODE_BREAK) return false;
    if (n->kind == NODE_BREAK) return true;
    *out = (Nodes){NEWN(a, Node *, 2), 2};
    for (int i = 0; i < 2; i++) out->at[i] = tree_of(a, i ? "two\n" : "one\n", n->span);
    return true;
}

static void everywhere_in_host_code(void **state) {
    (void)state;
    Arena a = {0};
    Node *m = (Node *)(uintptr_t)parsed(
        &a, "def f():\n    if x:\n        pass\n    else:\n        pass\n    while x:\n        break\n       "
            " z\n    try:\n"
            "        pass\n    except E:\n        pass\n    with x:\n        pass\nclass C:\n    pass\n"
            "@triton.jit\ndef k():\n    pass\n");
    statements_replace(&a, m, twice, &a);
    Buf b = BUF(&a);
    print_module(&b, m);
    const char *text = buf_cstr(&b);
    int ones = 0;
    for (const char *p = text; (p = strstr(p, "one\n")); p++) ones++;
    assert_int_equal(ones, 6);
    assert_null(strstr(text, "break"));
    assert_non_null(strstr(text, "z\n"));
    assert_non_null(strstr(text, "def k():\n    pass")); // a kernel's stay
    arena_free(&a);
}

static bool brought(const char *source, const char *use) {
    Arena a = {0};
    Bindings b;
    Node *m = (Node *)(uintptr_t)parsed(&a, source), *n = (Node *)(uintptr_t)parsed(&a, use);
    names_of_module(&b, &a, m);
    bool is = is_brought(m, &b, n->module.body.at[0]->value, "enum", "Enum");
    arena_free(&a);
    return is;
}

static void names_of_imports(void **state) {
    (void)state;
    assert_true(brought("from enum import Enum\n", "Enum\n"));
    assert_true(brought("from enum import Enum as E\n", "E\n"));
    assert_true(brought("import enum\n", "enum.Enum\n"));
    assert_true(brought("import enum as e\n", "e.Enum\n"));
    assert_false(brought("import enum\n", "enum.IntEnum\n"));
    assert_false(brought("from other import Enum\n", "Enum\n"));
    assert_false(brought("from .enum import Enum\n", "Enum\n"));
    assert_false(brought("from enum import Enum\nEnum = 3\n", "Enum\n"));
    assert_false(brought("Enum = 3\n", "Enum\n"));
}

static void loggers_are_those_of_logging(void **state) {
    (void)state;
    static const char *const source[] = {"import logging\nlog = logging.getLogger(__name__)\n",
                                         "import logging\nlog = logging.getLogger()\nlog = 3\n",
                                         "log = getLogger()\n"};
    for (size_t i = 0; i < sizeof source / sizeof *source; i++) {
        Arena a = {0};
        Bindings b;
        Node *m = (Node *)(uintptr_t)parsed(&a, source[i]);
        names_of_module(&b, &a, m);
        assert_int_equal(is_logger(m, &b, STR("log")), i == 0);
        arena_free(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere_in_host_code),
                                       cmocka_unit_test(names_of_imports),
                                       cmocka_unit_test(loggers_are_those_of_logging)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
