#include "measure/compile/compile_cache.h"
#include "base/io.h"
#include <stdio.h>

Sha256 compile_key(Arena *scratch, const RunKernel *k, int capability, const char *versions) {
    Buf b = BUF(scratch);
    buf_printf(&b, "ouroboros cubin 1\nsm_%d\n%s\n", capability, versions);
    run_kernel_form(&b, k);
    buf_putc(&b, '\n');
    buf_str_put(&b, k->source);
    return sha256_of(buf_str(&b));
}

static const char *file_of(Arena *a, const char *folder, Sha256 key) {
    char hex[65];
    sha256_hex(key, hex);
    return arena_printf(a, "%s/%s.cubin", folder, hex);
}

// A file is the sum of what follows, then the frame that a worker sent: half-written or changed ones do not
// count.
bool compile_cache_find(Arena *a, const char *folder, Sha256 key, const RunKernel *k, Cubin *out) {
    Arena scratch = {0};
    Str text;
    Err e = {0};
    CompileAnswer answer;
    Sha256 sum;
    bool ok =
        io_read_file(&scratch, file_of(&scratch, folder, key), CUBIN_MAX + ANSWER_TEXT_MAX, &text, &e) &&
        text.len > sizeof sum;
    if (ok) {
        Str frame = {text.p + sizeof sum, text.len - sizeof sum};
        sum = sha256_of(frame);
        ok = memcmp(text.p, &sum, sizeof sum) == 0 && compile_answer_read(a, frame, k, &answer, &e) &&
             answer.ok;
    }
    if (ok) *out = answer.cubin;
    arena_free(&scratch);
    return ok;
}

bool compile_cache_keep(const char *folder, Sha256 key, const Cubin *c, Err *e) {
    Arena scratch = {0};
    Buf b = BUF(&scratch);
    Str frame = compile_frame(&scratch, c);
    Sha256 sum = sha256_of(frame);
    buf_put(&b, &sum, sizeof sum);
    buf_str_put(&b, frame);
    bool ok = io_write_atomic(file_of(&scratch, folder, key), buf_str(&b), e);
    arena_free(&scratch);
    return ok;
}
