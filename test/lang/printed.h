// printed.h - for tests of the printer.
#pragma once
#include "lang_test.h"

#include <dirent.h>
#include <math.h>

#include "base/io.h"
#include "lang/text.h"
#include "random_ast.h"

static inline void check_text(const char *source, const char *expected) {
    const char *got = printed(parse_text(source));
    if (strcmp(got, expected) != 0) fail_msg("%s\nprints as\n%s\ninstead of\n%s", source, got, expected);
    assert_string_equal(printed(parse_text(got)), expected);
}
