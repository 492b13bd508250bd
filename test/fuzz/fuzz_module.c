// Any text as a reference in module form: read, made smaller, evaluated. Nothing but findings may come out,
// and the same ones each time.
#include "module/module.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void values(Arena *a, Str source, Buf *report) {
    enum { WORK = 20000 };
    DiagList d = DIAGS(a);
    ModuleFile m = {0};
    ModuleValues *v = NEW(a, ModuleValues);
    bool ok = module_read(a, source, &m, &d) &&
              module_values(a, &m, &(ValuesAsk){.seed = 1, .sizes.work = WORK}, v, &d);
    if (ok == (diag_first(&d) != NULL)) abort(); // a finding exactly where there is no result
    if (ok) module_describe(report, &m, v);
    for (int i = 0; i < d.count; i++) {
        if (d.at[i].span.at > source.len) abort(); // a place of the library's
        buf_printf(report, "%s %u %s\n", diag_name(d.at[i].kind), d.at[i].span.at, d.at[i].msg);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena keep = {0};
    Buf first = BUF(&keep);
    for (int round = 0; round < 2; round++) {
        Arena a = {0};
        Buf report = BUF(&a);
        values(&a, (Str){(const char *)data, size}, &report);
        if (round && !str_eq(buf_str(&report), buf_str(&first))) abort();
        if (!round) buf_str_put(&first, buf_str(&report));
        arena_free(&a);
    }
    arena_free(&keep);
    return 0;
}
