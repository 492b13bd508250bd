// What a child says of sizes and of lines that no case reached, as any bytes: no crash, no read outside, and
// what is read is within its bounds and can be said again in the same words.
#include "judge/decide/decide.h"
#include "sandbox/child/coverage.h"
#include "sandbox/child/explore.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ExploreDomain domain(void) {
    ExploreDomain d = {.inputs = 2, .dims = 3, .slices = 0, .length = 1};
    for (int i = 0; i < 2; i++) d.input[i].rank = 2, d.input[i].dim[1] = 1 + i, d.input[i].dtype = -1;
    for (int i = 0; i < 3; i++) d.dim[i].of = -1;
    d.dim[1].multiple_of = 2;
    d.dim[2].of = 1;
    d.dim[2].divisor = 2;
    return d;
}

// One report for each line.
static void points(const char *text, size_t size) {
    CaseReport report[EXPLORE_POINTS_MAX + 3];
    int n = 0;
    for (const char *at = text; at < text + size && n <= EXPLORE_POINTS_MAX + 1; n++) {
        const char *end = memchr(at, '\n', (size_t)(text + size - at));
        size_t len = end ? (size_t)(end - at) : (size_t)(text + size - at);
        report[n] = (CaseReport){.magic = WIRE_MAGIC, .kind = REPORT_RAN, .case_index = n};
        if (len >= sizeof report[n].message) len = sizeof report[n].message - 1;
        memcpy(report[n].message, at, len);
        at += len + 1;
    }
    report[n++] = (CaseReport){.magic = WIRE_MAGIC, .kind = REPORT_DONE, .case_index = -1};
    ExploreDomain d = domain();
    ExplorePoints p;
    if (!explore_read(&d, report, n, &p)) {
        if (p.n) abort();
        return;
    }
    Arena a = {0};
    for (int i = 0; i < p.n; i++) {
        if (explore_elements(&d, p.size[i]) >= EXPLORE_ELEMENTS || !p.ways[i]) abort();
        Buf b = BUF(&a);
        explore_say(&d, &p, i, &b);
        if (strcmp(buf_cstr(&b), report[i].message) != 0) abort();
    }
    arena_free(&a);
}

static void coverage(const char *text) {
    Coverage c;
    coverage_read(text, &c);
    if (c.lines < 0 || c.lines > COVERAGE_LINES_MAX || c.unreached.places > UNREACHED_PLACES_MAX) abort();
    Coverage other = c;
    coverage_meet(&other, &c); // of a file with itself
    if (memcmp(&other.unreached, &c.unreached, sizeof other.unreached) != 0) abort();
    Arena a = {0};
    Buf b = BUF(&a);
    unreached_say(&c.unreached, &b);
    const char *said = buf_cstr(&b);
    Unreached again;
    if (!unreached_read(&said, &again) || *said) abort();
    if (memcmp(again.bit, c.unreached.bit, sizeof again.bit) != 0 || again.places != c.unreached.places)
        abort();
    (void)feedback_unreached(&a, STR("if N == 5:\n    s = 1\n"), &c.unreached);
    arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    char *text = malloc(size); // exactly as long as it is
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    if (data[0] & 1)
        points(text, size - 1);
    else
        coverage(text);
    free(text);
    return 0;
}
