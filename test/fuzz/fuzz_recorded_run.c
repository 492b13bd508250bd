// Any text as a recorded run: it is refused, or it is one that can be written and read again.
#include "gpu/recorded_run.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena a = {0};
    Err e = {0};
    RecordedRun run, back;
    Buf text = BUF(&a);
    for (int printed = 0; printed < 2; printed++) {
        if (!recorded_run_read(&a, "run", (Str){(const char *)data, size}, printed, &run, &e)) continue;
        text.len = 0;
        if (!recorded_run_write(&text, &run, &e)) continue; // numbers may take more room than they came in
        if (!recorded_run_read(&a, "run", buf_str(&text), printed, &back, &e)) abort();
    }
    arena_free(&a);
    return 0;
}
