// screened.h - for tests of host_screen(): sources that it refuses, each beside a near miss that it allows.
#pragma once
#include "host/policy/screen.h"
#include "host/support.h"

#define RUN "def run(x):\n"
typedef struct {
    DiagKind kind; // DIAG_COUNT: allowed
    const char *part, *source;
} Case;
#define REFUSE(part, source) \
    { DIAG_REFUSED, part, source }
#define LATER(part, source) \
    { DIAG_UNSUPPORTED, part, source }
#define ALLOW(source) \
    { DIAG_COUNT, "", source }

static inline void check_screen(const Case *c, size_t n) {
    for (size_t i = 0; i < n; i++) {
        Arena a = {0};
        DiagList d = DIAGS(&a);
        bool ok = host_screen(parsed(&a, c[i].source), &d);
        if (c[i].kind == DIAG_COUNT) {
            if (!ok || d.count) fail_msg("refused with '%s':\n%s", d.count ? d.at[0].msg : "", c[i].source);
        } else {
            if (ok) fail_msg("allowed, expected '%s':\n%s", c[i].part, c[i].source);
            expect_finding(&d, c[i].kind, c[i].part, c[i].source);
        }
        arena_free(&a);
    }
}
