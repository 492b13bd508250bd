// Pictures: what is in the metrics is in the picture, and what is wrong in them is told.
#include "making.h"
#include "train/plot.h"

static void a_run_becomes_lines(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    PlotRun run[2];
    static const char text[] =
        "{\"kind\":\"step\",\"step\":1,\"loss\":4.0}\n{\"kind\":\"step\",\"step\":2,\"loss\":3.0}\n"
        "{\"kind\":\"evaluation\",\"step\":2,\"loss\":3.5}\n"
        "{\"kind\":\"gate\",\"step\":2,\"samples\":4,\"valid\":1,\"ops\":{\"x\":{\"samples\":4,\"valid\":1}}}"
        "\n"
        "{\"kind\":\"step\",\"step\":3,\"lo";
    must(plot_read(&a, "f", STR("a<b&c"), str_of(text), &run[0], &e), &e);
    assert_int_equal(run[0].loss.n, 2);
    assert_true(run[0].held.at[0].value == 3.5 && run[0].valid.at[0].value == 0.25 &&
                run[0].group[0].at[0].value == 0.25);
    run[1] = run[0];
    Buf one = BUF(&a), two = BUF(&a);
    plot_svg(run, 1, &one);
    plot_svg(run, 2, &two);
    const char *svg = buf_cstr(&one);
    assert_non_null(strstr(svg, "a&lt;b&amp;c"));
    assert_non_null(
        strstr(svg, "points=\"198.0,30.0 348.0,240.0\"")); // steps 1 and 2 of 2, the largest loss on top
    assert_non_null(strstr(svg, "Samples that are accepted"));
    assert_null(strstr(svg, "nan"));
    assert_non_null(strstr(svg, ">0 %<"));
    assert_null(strstr(svg, ">-0"));
    assert_true(two.len > one.len);
    arena_free(&a);
}

// Losses that fall to a tenth and below get a logarithmic axis; others do not.
static void a_long_fall_is_logarithmic(void **state) {
    (void)state;
    static const char *const last[][2] = {{"0.4", "0.04"}, {"2", "0.5"}};
    for (int i = 0; i < 2; i++) {
        Arena a = {0};
        Err e = {0};
        PlotRun run;
        Buf text = BUF(&a), out = BUF(&a);
        buf_printf(&text,
                   "{\"kind\":\"step\",\"step\":1,\"loss\":4}\n{\"kind\":\"step\",\"step\":2,\"loss\":%s}\n"
                   "{\"kind\":\"step\",\"step\":3,\"loss\":%s}\n",
                   last[i][0], last[i][1]);
        must(plot_read(&a, "f", STR("n"), (Str){buf_cstr(&text), text.len}, &run, &e), &e);
        plot_svg(&run, 1, &out);
        const char *svg = buf_cstr(&out);
        assert_int_equal(strstr(svg, "Loss per token, logarithmic") != NULL, i == 0);
        // 4, 0.4 and 0.04 lie at equal distances, and 0.05 to 2 are marked.
        if (i == 0) assert_non_null(strstr(svg, "points=\"148.0,30.0 248.0,135.0 348.0,240.0\""));
        assert_int_equal(strstr(svg, ">0.05<") != NULL, i == 0);
        assert_null(strstr(svg, "nan"));
        arena_free(&a);
    }
}

// Whatever is in a run: a picture of numbers, in which something is to be seen, and that ends.
static void odd_numbers_make_pictures(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"0", "0"},          {"-2", "-1"},     {"-1e38", "1e38"},
        {"1e-12", "2e-12"},  {"1e17", "1e17"}, {"1e38", "1e-29"},
        {"3e38", "3e38"},    {"5e-324", "1"},  {"1e8", "100000000.00000002"},
        {"1e-300", "2e-300"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        Arena a = {0};
        Err e = {0};
        PlotRun run;
        Buf text = BUF(&a), out = BUF(&a);
        for (int k = 0; k < 600; k++) // each point stands for the mean of two
            buf_printf(&text, "{\"kind\":\"step\",\"step\":%d,\"loss\":%s}\n", k, pairs[i][k / 300]);
        must(plot_read(&a, "f", STR("n"), buf_str(&text), &run, &e), &e);
        plot_svg(&run, 1, &out);
        const char *svg = buf_cstr(&out);
        if (strstr(svg, "nan") || strstr(svg, "inf")) fail_msg("%s, %s: no number", pairs[i][0], pairs[i][1]);
        int levels = 0;
        for (const char *p = svg; (p = strstr(p, "class=\"g\"")); p++) levels++;
        if (levels < 2 || levels > 15) fail_msg("%s, %s: %d levels", pairs[i][0], pairs[i][1], levels);
        arena_free(&a);
    }
}

// A run of one step is seen, and a name that is no text of XML spoils nothing.
static void one_step_and_an_odd_name(void **state) {
    (void)state;
    Arena a = {0};
    Err e = {0};
    PlotRun run;
    Buf out = BUF(&a);
    static const char name[] = "a\xff\xef\xbf\xbf\x01<\xc3\xa9\xed\xa0\x80\xf0\x9f\x90\x8d\xe2\x82";
    must(plot_read(&a, "f", str_of(name), STR("{\"kind\":\"step\",\"step\":7,\"loss\":2}\n"), &run, &e), &e);
    plot_svg(&run, 1, &out);
    const char *svg = buf_cstr(&out);
    assert_non_null(strstr(svg, "<circle cx=\"348.0\""));
    assert_non_null(strstr(svg, ">a?\?\?&lt;\xc3\xa9?\?\?\xf0\x9f\x90\x8d?\?</text>"));
    assert_true(utf8_valid(buf_str(&out)));
    arena_free(&a);
}

static void what_is_wrong_is_told(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"{\"kind\":\"step\",\"loss\":1}\n", "f, line 1: \"step\" is missing"},
        {"{\"kind\":\"later\",\"step\":1}\n[]\n", "f, line 2"},
        {"", "no step is told"},
        {"{\"kind\":\"step\",\"step\":1,\"loss\":-1e300}\n", "\"loss\" is -1e+300, which no picture shows"},
        {"{\"kind\":\"gate\",\"step\":1,\"samples\":1,\"valid\":2}\n", "\"valid\""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Arena a = {0};
        Err e = {0};
        PlotRun run;
        assert_false(plot_read(&a, "f", STR("n"), str_of(bad[i][0]), &run, &e));
        if (!strstr(e.msg, bad[i][1])) fail_msg("\"%s\" does not say \"%s\"", e.msg, bad[i][1]);
        arena_free(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_becomes_lines), cmocka_unit_test(a_long_fall_is_logarithmic),
        cmocka_unit_test(odd_numbers_make_pictures), cmocka_unit_test(one_step_and_an_odd_name),
        cmocka_unit_test(what_is_wrong_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
