#include "judge/verdict/verdict.h"

#include <jansson.h>
#include <math.h>

#include "judge/verdict/module_evidence.h"
#include "judge/verdict/traffic.h"

static const struct {
    const char *name, *doc;
    StatusClass class;
} status_info[STATUS_COUNT] = {
#define VERDICT(id, class, doc) {#id, doc, CLASS_##class},
#include "judge/verdict/verdict.def"
#undef VERDICT
};
const char *status_name(Status s) { return status_info[s].name; }
const char *status_doc(Status s) { return status_info[s].doc; }
StatusClass status_class(Status s) { return status_info[s].class; }
const char *status_class_name(StatusClass c) {
    return c == CLASS_ACCEPTED ? "accepted" : c == CLASS_REJECTED ? "rejected" : "undecided";
}
bool status_by_name(Str name, Status *out) {
    for (Status s = 0; s < STATUS_COUNT; s++) {
        if (!str_is(name, status_info[s].name)) continue;
        *out = s;
        return true;
    }
    return false;
}

const char *level_name(Level l) { return l == LEVEL_FULL ? "full" : "quick"; }
const char *level_words(Level l) {
    return l == LEVEL_FULL ? "short and long rows in every dtype, secret sizes, sizes that the source "
                             "compares with, addresses in tensors of over 2^31 elements"
                           : "short rows in every dtype; not covered: what level full adds, such as long "
                             "rows, secret sizes and tensors of over 2^31 elements";
}
bool level_by_name(Str name, Level *out) {
    if (str_is(name, "quick")) return *out = LEVEL_QUICK, true;
    if (str_is(name, "full")) return *out = LEVEL_FULL, true;
    return false;
}

// JSON has no infinity; a missing number says as much.
static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *bits(RowBits b) {
    return b == ROW_BITS_UNKNOWN ? json_null() : json_string(b == ROW_BITS_SAME ? "same" : "differ");
}

static json_t *large(const LargeTensors *g) {
    if (!g->asked) return json_null();
    json_t *o = json_pack("{s:I, s:o}", "safe_elements", (json_int_t)g->safe, "fails_at",
                          g->fails ? json_integer((json_int_t)g->fails) : json_null());
    if (g->at.line) json_object_set_new(o, "line", json_integer(g->at.line));
    if (*g->why) json_object_set_new(o, "why", json_quoted(str_of(g->why)));
    return o;
}

static json_t *production(const Production *p) {
    static const char *const said[] = {"right", "refused", "unknown"};
    json_t *list = json_array();
    for (int i = 0; i < p->notes; i++) {
        const ProductionNote *n = &p->note[i];
        json_t *o = json_pack("{s:s, s:s}", "shape", n->shape, "said", said[n->said]);
        if (n->few) json_object_set_new(o, "few_programs", json_true());
        if (*n->why) json_object_set_new(o, "why", json_string(n->why));
        json_array_append_new(list, o);
    }
    return list;
}

void large_tensors_words(Buf *out, const LargeTensors *g) {
    if (g->safe) buf_printf(out, "addresses are right up to %lld elements", (long long)g->safe);
    if (g->fails) {
        buf_printf(out, "%sat %lld elements", g->safe ? ", but " : "addresses are wrong ",
                   (long long)g->fails);
        if (g->at.line) buf_printf(out, ", line %d:%d", g->at.line, g->at.col);
        buf_printf(out,
                   ": %s. That is no rejection: the definition asks for no tensors that large (giant = True)",
                   g->why);
    } else if (!g->safe) {
        buf_printf(out, "addresses beyond 2^31 elements could not be tried: %s", g->why);
    } else {
        buf_puts(out, " (a few programs of each launch)");
    }
}

static void asked_shape(const Verdict *v, char out[64]) {
    snprintf(out, 64, "%lldx%lld", (long long)v->judged.only.m, (long long)v->judged.only.n);
}

bool verdict_shape_cut(const Verdict *v) {
    char asked[64];
    asked_shape(v, asked);
    return v->judged.only.m > 0 && *v->judged.drawn && strcmp(v->judged.drawn, asked) != 0;
}

// What was judged, and what was asked for or drawn where that is another shape.
static json_t *restricted(const Verdict *v) {
    const DrawFilter *only = &v->judged.only;
    char asked[64];
    asked_shape(v, asked);
    bool cut = verdict_shape_cut(v), copied = v->judged.copied;
    json_t *o = json_pack("{s:s?, s:s?}", "shape",
                          only->m <= 0     ? NULL
                          : cut && !copied ? v->judged.drawn
                                           : asked,
                          "dtype", only->dtype > 0 ? dtype_info[only->dtype].torch : NULL);
    if (cut)
        json_object_set_new(o, copied ? "drawn" : "asked", json_string(copied ? v->judged.drawn : asked));
    return o;
}

void restricted_words(Buf *out, const Verdict *v) {
    const DrawFilter *only = &v->judged.only;
    bool shape = only->m > 0, dtype = only->dtype > 0, cut = verdict_shape_cut(v) && !v->judged.copied;
    char asked[64];
    asked_shape(v, asked);
    buf_puts(out, " on");
    if (shape) buf_printf(out, " %s", cut ? v->judged.drawn : asked);
    if (dtype) buf_printf(out, " %s", dtype_info[only->dtype].torch);
    buf_puts(out, " only (restricted by ");
    if (shape) buf_printf(out, "--shape%s%s", cut ? " " : "", cut ? asked : "");
    buf_printf(out, "%s%s)", shape && dtype ? ", " : "", dtype ? "--dtype" : "");
}

void domain_words(Buf *out, const Verdict *v) {
    const OpDomain *d = &v->domain;
    if (d->module) {
        const char *rule = v->decision.rule;
        buf_puts(out, strcmp(rule, "gpu") == 0                        ? " on a GPU"
                      : v->evidence.published.said == PUBLISHED_WRONG ? " at the published sizes"
                      : !v->evidence.wrong_long                       ? " at small sizes"
                      : v->evidence.wrong_longs == 2                  ? " at two long sizes"
                                                                      : " at one long size");
        return buf_puts(out, d->contiguous ? "" : ", with gaps");
    }
    if (d->contiguous) buf_puts(out, " on contiguous inputs");
    if (d->published) buf_puts(out, d->contiguous ? " of the published domain" : " in the published domain");
}

static json_t *domain(const OpDomain *d) {
    return json_pack("{s:s, s:s}", "layout", d->contiguous ? "contiguous" : "any", "values",
                     d->published ? "published" : "declared");
}

static json_t *strided_only(const Gaps *g) {
    return json_pack("{s:s?}", "contiguous", g->judged ? status_name(g->contiguous) : NULL);
}

static json_t *strength(const MutationScore *p) {
    if (!p) return json_null();
    json_t *o = json_pack("{s:i, s:i, s:i, s:i, s:i}", "mutants", p->mutants, "killed", p->killed, "survived",
                          p->survived, "equivalent", p->equivalent, "undecided", p->undecided);
    json_object_set_new(o, "smallest_margin", p->margin > 0 ? json_real(p->margin) : json_null());
    json_object_set_new(o, "version", json_string(p->version));
    return o;
}

void proved_words(Buf *out, const MutationScore *p) {
    buf_printf(out, "test strength: these cases reject %d of %d small mistakes in a right kernel of this op",
               p->killed, p->killed + p->survived);
    if (p->margin > 0)
        buf_printf(out, ", the least of them wrong by %.3g times the allowed error", p->margin);
    buf_printf(out, " (measured by referee %s)", p->version);
}

void allowed_json(json_t *o, const Allowed *x) {
    if (*x->include_sha256) json_object_set_new(o, "include_sha256", json_string(x->include_sha256));
    if (x->old_names) json_object_set_new(o, "old_names", json_true());
}

json_t *verdict_object(const Verdict *v) {
    double ratio = traffic_ratio(&v->traffic);
    json_t *o = json_pack(
        "{s:o, s:s, s:b, s:s, s:s, s:o, s:i, s:i, s:{s:o, s:o, s:o, s:o}, s:{s:I, s:I, s:I, s:o, s:i}, s:I, "
        "s:b, "
        "s:s, s:o, s:s}",
        "op", json_quoted(v->op), "source_sha256", v->source_sha256, "accepted", verdict_accepted(v),
        "status", status_name(v->decision.status), "rule", v->decision.rule, "feedback",
        json_quoted(str_of(v->decision.feedback)), "cases_run", v->cases.run, "cases_passed", v->cases.passed,
        "worst", "case", json_quoted(str_of(v->cases.worst.where)), "error_ulp",
        number(v->cases.worst.error_ulp), "bound_ulp", number(v->cases.worst.bound_ulp), "share_of_bound",
        number(v->cases.worst.use), "traffic", "bytes_loaded", (json_int_t)v->traffic.count.bytes_loaded,
        "bytes_stored", (json_int_t)v->traffic.count.bytes_stored, "ideal_bytes",
        (json_int_t)v->traffic.bytes_ideal, "ratio", number(ratio), "launches",
        (int)v->traffic.count.launches, "seed", (json_int_t)v->judged.seed, "replay", v->judged.replay,
        "level", level_name(v->judged.level), "elapsed_ms", number(v->judged.elapsed_ms), "version",
        OUROBOROS_VERSION);
    if (o && *v->cases.worst.output)
        json_object_set_new(json_object_get(o, "worst"), "output",
                            json_quoted(str_of(v->cases.worst.output)));
    if (o && verdict_accepted(v)) {
        json_t *lines = json_array(), *sizes = json_array(), *as[2] = {json_array(), json_array()};
        for (int i = 0; i < v->evidence.coverage.lines; i++)
            json_array_append_new(lines, json_integer(v->evidence.coverage.line[i]));
        for (int i = 0; i < v->evidence.tries; i++) {
            json_array_append_new(sizes, json_integer((json_int_t)v->evidence.tried[i]));
            for (int k = 0; k < 2; k++)
                if (v->evidence.tried_as[i] & (k ? TRIED_SLICES : TRIED_LENGTH))
                    json_array_append_new(as[k], json_integer((json_int_t)v->evidence.tried[i]));
        }
        json_object_set_new(o, "row_bits", bits(v->evidence.row_bits));
        json_object_set_new(o, "invariant_bits", bits(v->evidence.metamorphic_bits));
        json_object_set_new(o, "giant", large(&v->evidence.large));
        json_object_set_new(o, "sizes", production(&v->evidence.production));
        json_object_set_new(o, "op_strength", strength(v->evidence.proved));
        json_object_set_new(o, "unexecuted", lines);
        json_object_set_new(o, "sizes_tried", sizes);
        json_object_set_new(o, "lengths_tried", as[0]);
        json_object_set_new(o, "rows_tried", as[1]);
        json_t *rest = json_array();
        for (int i = 0; i < v->evidence.untesteds; i++)
            json_array_append_new(rest, json_integer((json_int_t)v->evidence.untested[i]));
        if (v->evidence.coverage.more_sizes) json_array_append_new(rest, json_string("more"));
        json_object_set_new(o, "sizes_untested", rest);
        if (v->evidence.every_size > 0)
            json_object_set_new(o, "every_size", json_integer((json_int_t)v->evidence.every_size));
    }
    if (o) json_object_set_new(o, "domain", domain(&v->domain));
    if (o && v->rounding.len) json_object_set_new(o, "rounding", json_quoted(v->rounding));
    if (o && v->gaps.inputs && v->gaps.only) json_object_set_new(o, "strided_only", strided_only(&v->gaps));
    if (o && verdict_restricted(v)) json_object_set_new(o, "restricted", restricted(v));
    if (o) allowed_json(o, &v->allowed);
    if (o && v->module) json_object_set_new(o, "module", module_evidence_json(v));
    return o;
}

void verdict_json(Buf *out, const Verdict *v, const char *key, json_t *value) {
    json_t *o = verdict_object(v);
    if (value) {
        json_t *first = json_pack("{s:O}", key, value);
        json_object_update(first, o);
        json_decref(o);
        o = first;
    }
    json_put(out, o);
}
