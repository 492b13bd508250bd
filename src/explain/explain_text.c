// How an explanation is told: as text, and as one JSON object with the same facts.
#include <math.h>

#include "explain/explain.h"
#include "judge/verdict/evidence.h"
#include "judge/verdict/module_evidence.h"
#include "judge/verdict/traffic.h"

static double passes(const Explanation *x) {
    return x->input_bytes > 0 ? (double)x->count.bytes_loaded / (double)x->input_bytes : 0;
}

static double times_fewest(const Explanation *x) {
    int64_t least = x->input_bytes + x->output_bytes;
    double relation = (double)(x->count.bytes_loaded + x->count.bytes_stored + x->count.bytes_copied);
    return least > 0 ? relation / (double)least : 0;
}

static void put_where(Buf *out, const Explanation *x) {
    buf_printf(out, "fails on %s", x->case_words);
    if (x->of_sizes) buf_puts(out, ", a case for sizes that the source compares with");
    if (x->any_class) {
        buf_puts(out, ", by its shape or layout: the class of the values does not decide\n");
        return;
    }
    buf_printf(out, ", class %s: %s\n", class_name(x->cls), class_words(x->cls));
    int64_t rows = 0, bad = 0;
    for (int i = 0; i < x->tallies; i++) {
        rows += x->tally[i].rows;
        bad += x->tally[i].bad;
    }
    if (bad == 0 || x->picture.line) return;
    enum { SHOWN = 10 };
    buf_printf(out, "rows with a wrong element in this case: %lld of %lld\n", (long long)bad,
               (long long)rows);
    if (bad == rows && x->tallies > 1) {
        buf_puts(out, "  of every class\n");
        return;
    }
    int shown = 0, left = 0;
    for (int i = 0; i < x->tallies; i++) {
        if (!x->tally[i].bad) continue;
        if (shown++ < SHOWN)
            buf_printf(out, "  %lld of %lld %s (%s)\n", (long long)x->tally[i].bad,
                       (long long)x->tally[i].rows, class_name(x->tally[i].cls),
                       class_words(x->tally[i].cls));
        else
            left++;
    }
    if (left) buf_printf(out, "  and of %d more classes\n", left);
}

static void put_picture(Buf *out, Arena *a, const ExplainRequest *q, const Explanation *x) {
    Str name = q->op->output[x->v.decision.output].name;
    buf_printf(out, name.len ? "\noutput %.*s: " : "\nthe output: ", STR_ARG(name));
    region_words(out, &x->picture, &x->region);
    buf_putc(out, '\n');
    if (x->picture.flat)
        buf_printf(out, "tiles of %lld elements run on over the ends of rows\n",
                   (long long)x->picture.tile_columns);
    region_map_put(out, a, &x->picture, "  ");
}

static void put_traffic(Buf *out, const Explanation *x) {
    buf_printf(out, "\nbytes by line, in sectors of 32 (%s%s):\n", x->traffic_words,
               x->traffic_cut ? ", until it was stopped" : "");
    for (int i = 0; i < x->lines; i++) {
        const LineTraffic *l = &x->line[i];
        buf_printf(out, "  line %d:", l->line);
        if (l->loaded) buf_printf(out, " %lld loaded", (long long)l->loaded);
        if (l->stored) buf_printf(out, "%s %lld stored", l->loaded ? "," : "", (long long)l->stored);
        buf_printf(out, "   %.*s\n", STR_ARG(l->text));
    }
    if (x->count.bytes_copied)
        buf_printf(out, "  copies and fills by the host: %lld\n", (long long)x->count.bytes_copied);
    buf_printf(out,
               "passes over the data: %.2f (%lld bytes loaded, the inputs have %lld); the fewest: 1.00\n",
               passes(x), (long long)x->count.bytes_loaded, (long long)x->input_bytes);
    if (!x->traffic_cut)
        buf_printf(out, "all traffic: %.2f times the fewest possible %lld bytes\n", times_fewest(x),
                   (long long)(x->input_bytes + x->output_bytes));
}

static void put_shape(Buf *out, const ExplainRequest *q, const Minimal *m) {
    bool any_float = false;
    for (int i = 0; i < q->op->inputs; i++) any_float |= q->op->input[i].any_float;
    if (any_float) buf_printf(out, "%s ", dtype_info[m->dtype].torch);
    if (m->line)
        buf_printf(out, "%lld element%s", (long long)m->row, m->row == 1 ? "" : "s");
    else
        buf_printf(out, "%lld row%s of %lld", (long long)m->rows, m->rows == 1 ? "" : "s", (long long)m->row);
    buf_puts(out, m->strided ? ", strided" : "");
}

static void put_minimal(Buf *out, const ExplainRequest *q, const Explanation *x) {
    const Minimal *m = &x->minimal;
    if (!m->found) {
        buf_printf(out, "\nsmallest failure: none of %d smaller inputs failed in the same way\n", m->runs);
        return;
    }
    buf_puts(out, "\nsmallest failure: ");
    put_shape(out, q, m);
    if (x->any_class)
        buf_printf(out, ", any values (%d runs)\n", m->runs);
    else
        buf_printf(out, ", class %s (%d runs)\n", class_name(m->cls), m->runs);
    if (m->out_row >= 0) {
        if (m->line)
            buf_printf(out, "  element %lld", (long long)m->out_column);
        else
            buf_printf(out, "  row %lld, column %lld", (long long)m->out_row, (long long)m->out_column);
        if (m->has_values)
            buf_printf(out, ": expected %.17g, got %.9g, allowed to be off by %.3g", m->expected, m->got,
                       m->bound);
        buf_putc(out, '\n');
    }
    if (m->input) buf_printf(out, "  with %s\n", m->input);
    buf_printf(out, "  %s\n", m->v.decision.feedback);
}

static void put_lines(Buf *out, Str text, const char *before, const char *sign) {
    while (text.len) {
        const char *end = memchr(text.p, '\n', text.len);
        size_t n = end ? (size_t)(end - text.p) : text.len;
        buf_printf(out, "%s    %s%.*s\n", before, sign, (int)n, text.p);
        text = (Str){text.p + n + (end != NULL), text.len - n - (end != NULL)};
    }
}

void strength_text(Buf *out, const Strength *s, const char *prefix) {
    buf_printf(
        out,
        "%show strong this test was: of %d small edits of this kernel, the very same cases rejected %d, "
        "accepted %d; %d never ran, %d undecided\n",
        prefix, s->mutants, s->killed, s->survived, s->refused, s->undecided);
    if (s->nearest) {
        buf_printf(out, "%ssmallest margin: line %d, %s, at %.3g times the bound\n", prefix, s->nearest->line,
                   mutator_name(s->nearest->kind), s->margin);
        put_lines(out, s->nearest->before, prefix, "- ");
        put_lines(out, s->nearest->after, prefix, "+ ");
    }
    int shown = (int)(sizeof s->left / sizeof *s->left);
    for (int i = 0; i < s->survived && i < shown; i++) {
        buf_printf(out, "%saccepted, too (perhaps it means the same): line %d, %s\n", prefix,
                   s->left[i]->line, mutator_name(s->left[i]->kind));
        put_lines(out, s->left[i]->before, prefix, "- ");
        put_lines(out, s->left[i]->after, prefix, "+ ");
    }
}

void explain_text(Buf *out, Arena *a, const ExplainRequest *q, const Explanation *x, const char *file) {
    const Verdict *v = &x->v;
    buf_printf(out, "%.*s: %s (%s, level %s)\n%s\n", STR_ARG(v->op),
               status_class_name(status_class(v->decision.status)), status_name(v->decision.status),
               level_name(v->judged.level), v->decision.feedback);
    evidence_text(out, v, "");
    if (v->module) module_evidence_text(out, v, "");
    if (x->finding.msg) {
        buf_putc(out, '\n');
        diag_render(out, file, q->source, &x->finding);
    }
    if (x->case_words || x->picture.pixel || x->traffic_words) buf_putc(out, '\n');
    if (x->case_words) put_where(out, x);
    if (x->picture.pixel) put_picture(out, a, q, x);
    if (x->traffic_words) put_traffic(out, x);
    if (q->minimize && x->case_words)
        put_minimal(out, q, x);
    else if (q->minimize && status_class(v->decision.status) == CLASS_REJECTED)
        buf_puts(out, "\nsmallest failure: not looked for: no single input fails here; --minimize makes a "
                      "failing one smaller\n");
    if (x->strength.asked)
        buf_putc(out, '\n'), strength_text(out, &x->strength, "");
    else if (q->prove)
        buf_puts(out, "\nno mutants: those of a kernel that is not accepted prove nothing\n");
    buf_printf(out, "\nrepeat with --seed %llu\n", (unsigned long long)q->seed);
}

// ---- JSON

static json_t *number(double v) { return isfinite(v) ? json_real(v) : json_null(); }
static json_t *integer(int64_t v) { return json_integer((json_int_t)v); }

static json_t *place_json(const ExplainRequest *q, const Diag *d) {
    LineCol at = line_col(q->source, d->span.at);
    json_t *o = json_pack("{s:i, s:i, s:o}", "line", at.line, "column", at.col, "message",
                          json_quoted(str_of(d->msg)));
    json_object_set_new(o, "text", json_quoted(source_line(q->source, at.line)));
    return o;
}

static json_t *case_json(const Explanation *x) {
    json_t *o = json_pack("{s:s, s:s, s:s, s:b}", "name", x->case_words, "class", class_name(x->cls),
                          "class_words", class_words(x->cls), "any_class", x->any_class);
    json_object_set_new(o, "of_sizes", json_boolean(x->of_sizes));
    json_t *rows = json_array();
    for (int i = 0; i < x->tallies; i++)
        json_array_append_new(rows,
                              json_pack("{s:s, s:I, s:I}", "class", class_name(x->tally[i].cls), "rows",
                                        (json_int_t)x->tally[i].rows, "wrong", (json_int_t)x->tally[i].bad));
    json_object_set_new(o, "rows_by_class", rows);
    return o;
}

static json_t *region_json(Arena *a, const ExplainRequest *q, const Explanation *x) {
    Str name = q->op->output[x->v.decision.output].name;
    const Region *r = &x->region;
    json_t *o = json_object(), *lines = json_array();
    Buf words = BUF(a);
    region_words(&words, &x->picture, r);
    json_object_set_new(o, "words", json_string(buf_cstr(&words)));
    if (name.len) json_object_set_new(o, "output", json_quoted(name));
    json_object_set_new(o, "rows", integer(x->picture.rows));
    json_object_set_new(o, "columns", integer(x->picture.columns));
    static const char *const key[PIXEL_COUNT] = {"right", "unjudged", "wrong", "nan", "unwritten"};
    for (int k = 0; k < PIXEL_COUNT; k++) json_object_set_new(o, key[k], integer(r->of[k]));
    if (r->bad) {
        json_object_set_new(o, "row_first", integer(r->row_first));
        json_object_set_new(o, "row_last", integer(r->row_last));
        json_object_set_new(o, "column_first", integer(r->column_first));
        json_object_set_new(o, "column_last", integer(r->column_last));
    }
    if (x->picture.tile_columns) {
        json_object_set_new(o, "tile_rows", integer(x->picture.tile_rows));
        json_object_set_new(o, "tile_columns", integer(x->picture.tile_columns));
        json_object_set_new(o, "tile_flat", json_boolean(x->picture.flat));
    }
    int n;
    char **line = region_map_lines(a, &x->picture, &n);
    for (int i = 0; i < n; i++) json_array_append_new(lines, json_string(line[i]));
    json_object_set_new(o, "picture", lines);
    return o;
}

static json_t *traffic_json(const Explanation *x) {
    json_t *o =
        json_pack("{s:s, s:b, s:I, s:I, s:I, s:I, s:I}", "case", x->traffic_words, "stopped", x->traffic_cut,
                  "bytes_loaded", (json_int_t)x->count.bytes_loaded, "bytes_stored",
                  (json_int_t)x->count.bytes_stored, "bytes_copied", (json_int_t)x->count.bytes_copied,
                  "input_bytes", (json_int_t)x->input_bytes, "output_bytes", (json_int_t)x->output_bytes);
    json_object_set_new(o, "passes", number(passes(x)));
    json_object_set_new(o, "fewest_passes", number(1));
    json_object_set_new(o, "ratio", number(times_fewest(x)));
    json_t *lines = json_array();
    for (int i = 0; i < x->lines; i++) {
        json_t *l = json_pack("{s:i, s:I, s:I}", "line", x->line[i].line, "loaded",
                              (json_int_t)x->line[i].loaded, "stored", (json_int_t)x->line[i].stored);
        json_object_set_new(l, "text", json_quoted(x->line[i].text));
        json_array_append_new(lines, l);
    }
    json_object_set_new(o, "lines", lines);
    return o;
}

static json_t *minimal_json(const Minimal *m) {
    json_t *o = json_pack("{s:b, s:i}", "found", m->found, "runs", m->runs);
    if (!m->found) return o;
    json_object_set_new(o, "rows", integer(m->rows));
    json_object_set_new(o, "row", integer(m->row));
    json_object_set_new(o, "dtype", json_string(dtype_info[m->dtype].torch));
    json_object_set_new(o, "strided", json_boolean(m->strided));
    json_object_set_new(o, "class", json_string(class_name(m->cls)));
    if (m->out_row >= 0) {
        json_object_set_new(o, "out_row", integer(m->out_row));
        json_object_set_new(o, "out_column", integer(m->out_column));
    }
    if (m->has_values) { // text where JSON has no number
        json_t *got = isfinite(m->got) ? json_real(m->got)
                                       : json_string(isnan(m->got) ? "nan"
                                                     : m->got > 0  ? "inf"
                                                                   : "-inf");
        json_object_set_new(o, "expected", number(m->expected));
        json_object_set_new(o, "got", got);
        json_object_set_new(o, "bound", number(m->bound));
    }
    if (m->input) json_object_set_new(o, "input", json_string(m->input));
    json_object_set_new(o, "feedback", json_quoted(str_of(m->v.decision.feedback)));
    return o;
}

static json_t *mutant_json(const Mutant *m) {
    json_t *o = json_pack("{s:i, s:s}", "line", m->line, "kind", mutator_name(m->kind));
    json_object_set_new(o, "before", json_quoted(m->before.p ? m->before : STR("")));
    json_object_set_new(o, "after", json_quoted(m->after.p ? m->after : STR("")));
    return o;
}

json_t *strength_json(const Strength *s) {
    json_t *o = json_pack("{s:i, s:i, s:i, s:i, s:i}", "mutants", s->mutants, "killed", s->killed, "survived",
                          s->survived, "refused", s->refused, "undecided", s->undecided);
    if (s->nearest) {
        json_object_set_new(o, "smallest_margin", number(s->margin));
        json_object_set_new(o, "nearest", mutant_json(s->nearest));
    }
    json_t *left = json_array();
    for (int i = 0; i < s->survived && i < (int)(sizeof s->left / sizeof *s->left); i++)
        json_array_append_new(left, mutant_json(s->left[i]));
    json_object_set_new(o, "accepted", left);
    return o;
}

void explain_json(Buf *out, Arena *a, const ExplainRequest *q, const Explanation *x) {
    json_t *o = verdict_object(&x->v);
    if (x->finding.msg) json_object_set_new(o, "place", place_json(q, &x->finding));
    if (x->case_words) json_object_set_new(o, "case", case_json(x));
    if (x->picture.pixel) json_object_set_new(o, "region", region_json(a, q, x));
    if (x->traffic_words) json_object_set_new(o, "by_line", traffic_json(x));
    if (q->minimize && x->case_words) json_object_set_new(o, "minimal", minimal_json(&x->minimal));
    if (x->strength.asked) json_object_set_new(o, "strength", strength_json(&x->strength));
    enum { DIGITS = 17 }; // two values that differ shall differ here, too
    if (!json_put_precise(out, o, DIGITS)) buf_puts(out, "null");
    buf_putc(out, '\n');
}
