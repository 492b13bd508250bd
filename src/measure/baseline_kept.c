#include "measure/baseline_kept.h"

#include "base/io.h"
#include "base/sha256.h"

enum { FILE_MOST = 256 << 20, DRIVER_TEXT_MAX = 4096 };

// NULL: it cannot be said what an answer would belong to.
static const char *file_of(Arena *a, const BaselineKept *k, const BaselineRequest *q) {
    const char *versions = k->folder ? torch_process_versions(k->baseline) : "";
    Err e = {0};
    Str driver;
    if (!*versions) return NULL;
    Buf b = BUF(a);
    buf_printf(&b, "ouroboros baseline 1\n%s\n%d sm_%d%d, %d processors\n%s\n", k->gpu->name, k->gpu->version,
               k->gpu->major, k->gpu->minor, k->gpu->processors, versions);
    // The driver's own version, where it is told: CUDA's alone does not change with each.
    if (io_read_file(a, "/proc/driver/nvidia/version", DRIVER_TEXT_MAX, &driver, &e)) buf_str_put(&b, driver);
    baseline_request_key(&b, q);
    char hex[65];
    sha256_hex(sha256_of(buf_str(&b)), hex);
    return arena_printf(a, "%s/%s.json", k->folder, hex);
}

bool baseline_kept_find(Arena *a, const BaselineKept *k, const BaselineRequest *q, BaselineTimes *out) {
    Arena scratch = {0};
    Str text;
    Err e = {0};
    Sha256 sum;
    const char *path = file_of(&scratch, k, q);
    bool ok = path && io_read_file(&scratch, path, FILE_MOST, &text, &e) && text.len > sizeof sum;
    if (ok) {
        Str answer = {text.p + sizeof sum, text.len - sizeof sum};
        sum = sha256_of(answer);
        ok = memcmp(text.p, &sum, sizeof sum) == 0 && baseline_read(a, answer, q->job, out, &e);
    }
    arena_free(&scratch);
    return ok;
}

void baseline_kept_put(const BaselineKept *k, const BaselineRequest *q, Str answer) {
    Arena scratch = {0};
    Err e = {0};
    const char *path = file_of(&scratch, k, q);
    Buf b = BUF(&scratch);
    Sha256 sum = sha256_of(answer);
    buf_put(&b, &sum, sizeof sum);
    buf_str_put(&b, answer);
    if (!path || !io_make_dirs(k->folder, &e) || !io_write_atomic(path, buf_str(&b), &e)) e = (Err){0};
    arena_free(&scratch);
}
