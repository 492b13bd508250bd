#include "cmd/judging.h"

#include "referee/line.h"
#include "referee/traffic.h"

bool op_for_judging(Referee *r, Arena *a, const char *text, Op *out, Err *e) {
    if (!op_resolve(a, text, out, e)) return false;
    return !out->user || referee_check_definition(r, a, out, e);
}

bool filter_of(const Shape *shape, const char *dtype, DrawFilter *out, Err *e) {
    *out = (DrawFilter){.m = shape->m, .n = shape->n, .dtype = -1};
    if (!dtype) return true;
    if (filter_dtype(str_of(dtype), &out->dtype)) return true;
    return err_set(e, ERR_USAGE, "--dtype is one of fp16, bf16, fp32, not \"%s\"", dtype);
}

int verdict_exit(const Verdict *v) {
    switch (status_class(v->status)) {
    case CLASS_ACCEPTED: return EXIT_OK;
    case CLASS_REJECTED: return EXIT_REJECTED;
    case CLASS_UNDECIDED: break;
    }
    return EXIT_UNDECIDED;
}

void verdict_text(Buf *out, const Verdict *v, const char *prefix) {
    static const char *const words[] = {"accepted", "rejected", "undecided"};
    buf_printf(out, "%s%.*s: %s (%s, level %s)\n", prefix, STR_ARG(v->op), words[status_class(v->status)],
               status_name(v->status), level_name(v->level));
    buf_printf(out, "%s%s\n", prefix, v->feedback);
    if (v->cases_run > 0) {
        buf_printf(out, "%scases: %d of %d passed", prefix, v->cases_passed, v->cases_run);
        if (*v->worst_case)
            buf_printf(out, "; worst %s: error %.3g ulp where the bound is %.3g ulp (plus rounding)",
                       v->worst_case, v->error_ulp, v->bound_ulp);
        buf_puts(out, "\n");
    }
    if (v->bytes_ideal > 0)
        buf_printf(out,
                   "%straffic model (not a timing): %lld bytes loaded, %lld stored, %.2f times the fewest "
                   "possible %lld, %lld launch%s\n",
                   prefix, (long long)v->count.bytes_loaded, (long long)v->count.bytes_stored,
                   traffic_ratio(v), (long long)v->bytes_ideal, (long long)v->count.launches,
                   v->count.launches == 1 ? "" : "es");
    buf_printf(out, "%ssource sha256 %s, seed %llu%s, referee %s\n", prefix, v->source_sha256,
               (unsigned long long)v->seed, v->replay ? " (replay)" : "", REFEREE_VERSION);
}
