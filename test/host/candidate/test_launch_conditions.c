// Conditions of a kernel that follow from the arguments of a launch.
#include "host/candidate/launch_conditions.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char source[] = "@triton.jit\n"
                             "def k(x, N, M, BLOCK):\n"
                             "    n = N // 2\n"
                             "    y = tl.where(N % 96 == 5, 1, 2)\n"
                             "    if n > 100 and M == 9:\n"
                             "        y = 3\n"
                             "    for i in range(0, N, BLOCK):\n"
                             "        n = i\n"
                             "        if n == 7:\n"
                             "            y = 4\n";

static void note(Outcomes *o, Cover *c, const Binding *b, const int64_t grid[3]) {
    Arena a = {0};
    Conditions *known = NULL, *of = conditions_of(&a, &known, b->kernel);
    assert_ptr_equal(of, conditions_of(&a, &known, b->kernel)); // read once
    conditions_note(of, o, c, b, grid);
    arena_free(&a);
}

static int news(Outcomes *o, const Binding *b) {
    static const int64_t grid[3] = {1, 1, 1};
    outcomes_begin(o, 0, 1);
    note(o, NULL, b, grid);
    outcomes_end(o, true);
    return o->news;
}

static void arguments_decide(void **state) {
    (void)state;
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, STR(source), &d);
    assert_non_null(m);
    Outcomes *o = outcomes_new(&a, NEWN(&a, uint8_t, sizeof source), sizeof source);
    LaunchArg arg[] = {{.name = STR("x"), .kind = ARG_TENSOR},
                       {.name = STR("N"), .value = {.kind = PY_INT, .i = 101}},
                       {.name = STR("M"), .value = {.kind = PY_INT, .i = 3}},
                       {.name = STR("BLOCK"), .value = {.kind = PY_INT, .i = 64}}};
    for (int i = 1; i < 4; i++) arg[i].kind = ARG_PLAIN;
    Binding b = {.kernel = m->module.body.at[0], .module = m, .arg = arg, .args = 4};
    assert_true(news(o, &b) > 0);
    // N % 96 == 5, n > 100, M == 9 and both together, N // 2, N % 96; n in the loop is not known.
    assert_int_equal(o->compareds, 6);
    assert_int_equal(news(o, &b), 0);
    arg[1].value.i = 102;
    assert_int_equal(news(o, &b), 1);
    arg[1].value.i = 300; // another comparison, and more turns
    assert_int_equal(news(o, &b), 2);
    arena_free(&a);
}

// The same for a program that keeps something: how comparisons and arithmetic of known numbers have come out.
static void ways_are_covered(void **state) {
    (void)state;
    static const char text[] = "@triton.jit\n"
                               "def k(x, n):\n"
                               "    y = tl.where(n > 50, 1, 2)\n"
                               "    y += n // 9\n"
                               "    y += tl.minimum(n, 7)\n"
                               "    z = tl.arange(0, 8) < n\n";
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, str_of(text), &d), *f = m->module.body.at[0];
    const Nodes *body = &f->function.body;
    const Node *compare = body->at[0]->assign.value->call.args.at[0],
               *quotient = body->at[1]->augassign.value, *least = body->at[2]->augassign.value,
               *lanes = body->at[3]->assign.value;
    Cover c = {.truth = NEWN(&a, CoverTruth, COVER_TRUTHS_MAX)};
    LaunchArg arg[] = {{.name = STR("x"), .kind = ARG_TENSOR},
                       {.name = STR("n"), .kind = ARG_PLAIN, .value = {.kind = PY_INT, .i = 3}}};
    Binding b = {.kernel = f, .module = m, .arg = arg, .args = 2};
    note(NULL, &c, &b, (const int64_t[3]){1, 1, 1});
    assert_int_equal(cover_truth_of(&c, compare), COVER_FALSE);
    assert_int_equal(cover_truth_of(&c, quotient), COVER_FALSE);
    assert_int_equal(cover_truth_of(&c, least), COVER_TRUE); // the first argument
    arg[1].value.i = 60;
    note(NULL, &c, &b, (const int64_t[3]){1, 1, 1});
    assert_int_equal(cover_truth_of(&c, compare), COVER_FALSE | COVER_TRUE);
    assert_int_equal(cover_truth_of(&c, quotient), COVER_FALSE | COVER_TRUE);
    assert_int_equal(cover_truth_of(&c, least), COVER_FALSE | COVER_TRUE);
    assert_int_equal(cover_truth_of(&c, lanes), 0);
    arena_free(&a);
}

// Whether some program, or some lane, has such a number.
static void places_in_the_grid_are_ranges(void **state) {
    (void)state;
    static const char text[] = "@triton.jit\n"
                               "def k(x, B):\n"
                               "    r = tl.program_id(0).to(tl.int64)\n"
                               "    c = tl.arange(0, B)\n"
                               "    y = tl.where((r == 4) & (c[None, :] >= 100), 1, 2)\n";
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, str_of(text), &d);
    assert_non_null(m);
    Outcomes *o = outcomes_new(&a, NEWN(&a, uint8_t, sizeof text), sizeof text);
    LaunchArg arg[] = {{.name = STR("x"), .kind = ARG_TENSOR},
                       {.name = STR("B"), .kind = ARG_PLAIN, .value = {.kind = PY_INT, .i = 64}}};
    Binding b = {.kernel = m->module.body.at[0], .module = m, .arg = arg, .args = 2};
    for (int64_t rows = 4; rows <= 5; rows++) {
        outcomes_begin(o, 0, 1);
        note(o, NULL, &b, (const int64_t[3]){rows, 1, 1});
        outcomes_end(o, true);
        assert_true(o->compareds == 2 && o->compared[0].sides == (rows == 4 ? 1 : 3));
        assert_int_equal(o->compared[1].sides, 1);
    }
    arg[1].value.i = 128;
    assert_int_equal(news(o, &b), 1);
    arena_free(&a);
}

// 75968 * 40503 is 3076931904, or -1218035392 in 32 bits, which leaves -2 of multiples of 65521.
static void numbers_wrap_as_on_a_gpu(void **state) {
    (void)state;
    static const char text[] = "@triton.jit\n"
                               "def k(n, c: tl.constexpr):\n"
                               "    y = n * 40503 % 65521 + 2\n"
                               "    y += n.to(tl.int64) * 40503 % 65521 + 2\n"
                               "    y += c * 40503 // 2147483648\n"
                               "    y += tl.minimum(1, tl.abs(n * 40503 % 65521 + 2))\n";
    Arena a = {0};
    DiagList d = DIAGS(&a);
    const Node *m = parse_module(&a, str_of(text), &d), *f = m->module.body.at[0];
    const Nodes *body = &f->function.body;
    const Node *narrow = body->at[0]->assign.value, *wide = body->at[1]->augassign.value,
               *python = body->at[2]->augassign.value, *least = body->at[3]->augassign.value;
    Cover c = {.truth = NEWN(&a, CoverTruth, COVER_TRUTHS_MAX)};
    LaunchArg arg[] = {{.name = STR("n"), .kind = ARG_PLAIN, .value = {.kind = PY_INT, .i = 75968}},
                       {.name = STR("c"), .kind = ARG_PLAIN, .value = {.kind = PY_INT, .i = 75968}}};
    Binding b = {.kernel = f, .module = m, .arg = arg, .args = 2};
    note(NULL, &c, &b, (const int64_t[3]){1, 1, 1});
    assert_int_equal(cover_truth_of(&c, narrow), COVER_FALSE);
    assert_int_equal(cover_truth_of(&c, wide), COVER_TRUE);
    assert_int_equal(cover_truth_of(&c, python), COVER_TRUE);
    assert_int_equal(cover_truth_of(&c, least), COVER_FALSE);
    arena_free(&a);
}

static bool local(void *arg, Str name) { return str_eq(*(const Str *)arg, name); }

// How many of a kernel's comparisons may come out otherwise where others do. `launch` is the last statement.
static int unsettled(const char *condition, const char *launch, Str name) {
    Arena a = {0};
    DiagList d = DIAGS(&a);
    Buf text = BUF(&a);
    buf_printf(&text,
               "@triton.jit\ndef k(x, M, h, B: tl.constexpr):\n    row = tl.program_id(0).to(tl.int64)\n"
               "    lane = tl.arange(0, B)\n    end = B - 1\n    y = tl.where(%s, 1, 2)\n\n%s\n",
               condition, launch);
    const Node *m = parse_module(&a, buf_str(&text), &d);
    assert_non_null(m);
    const Node *call = m->module.body.at[1]->value;
    Outcomes *o = outcomes_new(&a, NEWN(&a, uint8_t, text.len), text.len);
    LaunchArg arg[] = {{.name = STR("x"), .kind = ARG_TENSOR},
                       {.name = STR("M"), .kind = ARG_PLAIN, .value = {.kind = PY_INT, .i = 37}},
                       {.name = STR("h"), .kind = ARG_PLAIN, .value = {.kind = PY_INT, .i = 1}},
                       {.name = STR("B"), .kind = ARG_PLAIN, .value = {.kind = PY_INT, .i = 64}}};
    Binding b = {.kernel = m->module.body.at[0], .module = m, .arg = arg, .args = 4};
    Conditions *known = NULL, *of = conditions_of(&a, &known, b.kernel);
    outcomes_begin(o, 0, 1);
    conditions_launched(of, call, call->call.func->subscript.index, local, &name);
    conditions_note(of, o, NULL, &b, (const int64_t[3]){37, 1, 1});
    outcomes_end(o, true);
    int n = 0;
    for (int i = 0; i < o->compareds; i++) n += !o->compared[i].product && o->compared[i].unsettled;
    assert_true(o->compareds > 0);
    arena_free(&a);
    return n;
}

// The last lane of a block, the last program of a grid, a guard of rows with one program for each: no size
// changes how these come out. What only happens to be equal in this call may be another number in the next
// one.
static void some_are_settled_by_what_they_are_made_of(void **state) {
    (void)state;
    static const char plain[] = "k[(M,)](x, M, h, B=64)", named[] = "k[(M,)](x, B=64, h=h, M=M)";
    assert_int_equal(unsettled("lane == B - 1", plain, STR("M")), 0);
    assert_int_equal(unsettled("lane[None, :] == end", plain, STR("M")), 0);
    assert_int_equal(unsettled("row == tl.num_programs(0) - 1", plain, STR("-")), 0);
    assert_int_equal(unsettled("row < M", plain, STR("M")), 0);
    assert_int_equal(unsettled("row < M", named, STR("M")), 0);
    assert_int_equal(unsettled("(row < M) & (lane == h)", plain, STR("M")), 1);
    assert_int_equal(unsettled("lane == B - h", plain, STR("M")), 1);
    assert_int_equal(unsettled("lane == B + 1 - 2 * h", plain, STR("M")), 1);
    assert_int_equal(unsettled("lane < M", plain, STR("M")), 1);
    assert_int_equal(unsettled("row < M + 1", plain, STR("M")), 1); // it wraps around where M is the largest
    assert_int_equal(unsettled("row < M - h", plain, STR("M")), 1);
    assert_int_equal(unsettled("row < h", plain, STR("M")), 1);
    assert_int_equal(unsettled("row < M", plain, STR("-")), 1); // a name that others bind, too
    assert_int_equal(unsettled("row < M", "k[(M + h,)](x, M, h, B=64)", STR("M")), 1);
    assert_int_equal(unsettled("row < M", "k[(h,)](x, M, M, B=64)", STR("M")), 1);
    assert_int_equal(unsettled("row < M", "k[(M,)](x, (M := h), M, B=64)", STR("M")), 1);
    assert_int_equal(unsettled("row < M", "k[(M, f(M := h))](x, M, h, B=64)", STR("M")), 1);
    assert_int_equal(unsettled("row < M", "k[(M,)](*all, M, B=64)", STR("M")), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(arguments_decide), cmocka_unit_test(ways_are_covered),
                                       cmocka_unit_test(places_in_the_grid_are_ranges),
                                       cmocka_unit_test(some_are_settled_by_what_they_are_made_of),
                                       cmocka_unit_test(numbers_wrap_as_on_a_gpu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
