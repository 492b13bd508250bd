#include "judge/decide/guesses.h"

#include <math.h>

#include "cases/domain/domain.h"
#include "cases/modules/modules_domain.h"
#include "lang/pyvalue.h"

enum {
    ELEMENTS = 1024,  // of the rows that hypotheses are tried on, where rows are not longer
    WHOLE = 1 << 17,  // of a case that what was found is tried on, too
    EVALUATIONS = 24, // of the reference
    NUMBERS = 16,     // of a source, that may stand for others
    NUMBER_TEXT = 32,
};

typedef struct {
    Str text;
    double value;
    Span at;
} Number;
typedef struct {
    Arena *arena;
    Number at[NUMBERS];
    int n;
    Str source;
} Numbers;

// Some rows of the case that decided, as a case of their own.
typedef struct {
    const GuessRequest *q;
    Arena *a;
    CaseSpec spec;
    const uint8_t *output;
    int left; // evaluations
} Trying;

static const Bound *reference_of(Trying *t, const Op *op, const CaseSpec *spec) {
    DiagList diags = DIAGS(t->a);
    return draw_reference(t->a, op, t->q->draw->mapping, spec, NULL, &diags);
}

static bool right(Trying *t, const Bound *b, const uint8_t *output) {
    Comparison c;
    compare_case(b, NULL, output, arena_raw(t->a, (size_t)b->numel + 1, 1), &c);
    return c.wrong == 0 && c.unjudged < c.total;
}

// Whether the output is right by this op's reference: on the rows, then on the whole case.
static bool explains(Trying *t, const Op *op) {
    const GuessRequest *q = t->q;
    const Bound *want = q->draw->truth[q->index].expected;
    const CaseSpec *whole = &q->draw->spec[q->index];
    if (t->left-- <= 0) return false;
    const Bound *b = reference_of(t, op, &t->spec);
    if (!b || b->dtype != want->dtype || b->numel > want->numel || !right(t, b, t->output)) return false;
    if (b->numel == want->numel || want->numel > WHOLE) return true;
    b = reference_of(t, op, whole);
    return b && b->numel == want->numel && right(t, b, q->output + whole->output_at);
}

static bool take_rows(Trying *t) {
    const GuessRequest *q = t->q;
    const Draw *d = q->draw;
    const Op *op = d->op;
    const CaseTruth *truth = &d->truth[q->index];
    const Bound *want = truth->expected;
    const CaseSpec *whole = &d->spec[q->index];
    const Domain *m = d->domain;
    int64_t rows = truth->slices, row = domain_length(m, truth->dim), n = want->numel / (rows > 0 ? rows : 1);
    t->spec = *whole;
    t->spec.input = NEWN(t->a, CaseTensor, (size_t)whole->inputs + 1);
    memcpy(t->spec.input, whole->input, (size_t)whole->inputs * sizeof *whole->input);
    t->output = q->output + whole->output_at;
    if (rows * row <= ELEMENTS) return true;
    if (m->slices < 0 || want->rank < 1 || want->shape[0] != rows || n < 1) return want->numel <= ELEMENTS;
    int64_t some = ELEMENTS / row > 0 ? ELEMENTS / row : 1, first = q->worst->worst_at / n;
    if (some > rows) some = rows;
    if (first > rows - some) first = rows - some;
    for (int i = 0; i < op->inputs; i++) {
        CaseTensor *x = &t->spec.input[i];
        if (m->slice_axis[i] > 0) return false;
        if (m->slice_axis[i] < 0) continue;
        x->shape[0] = some;
        x->offset += first * x->stride[0];
    }
    t->output += first * n * dtype_bytes(want->dtype);
    const Bound *b = reference_of(t, op, &t->spec);
    return b && b->numel == some * n &&
           memcmp(b->v, want->v + first * n, (size_t)b->numel * sizeof *b->v) == 0;
}

// ---- numbers

static void numbers_of(void *arg, const Node *n) {
    Numbers *all = arg;
    if (n->kind == NODE_FLOAT && all->n < NUMBERS && n->span.len < NUMBER_TEXT)
        all->at[all->n++] = (Number){{all->source.p + n->span.at, n->span.len}, n->real, n->span};
    node_each_child(n, numbers_of, all); // a tree's height is bounded
}

static int digits_of(Str text) {
    int n = 0;
    for (size_t i = 0; i < text.len && text.p[i] != 'e' && text.p[i] != 'E'; i++)
        n += text.p[i] >= '0' && text.p[i] <= '9' && (n > 0 || text.p[i] != '0');
    return n;
}

static const Op *op_with(Trying *t, const Op *op, Str text) {
    DiagList diags = DIAGS(t->a);
    Op *made = NEW(t->a, Op);
    *made = *op;
    made->source = text;
    made->module = parse_module(t->a, text, &diags);
    return made->module ? made : NULL;
}

static Str text_with(Arena *a, Str text, Span at, Str instead) {
    return str_of(arena_printf(a, "%.*s%.*s%.*s", (int)at.at, text.p, STR_ARG(instead),
                               (int)(text.len - at.at - at.len), text.p + at.at + at.len));
}

static bool number_explains(Trying *t, const Op *op, const Number *n, Str instead) {
    const Op *other = op_with(t, op, text_with(t->a, op->source, n->at, instead));
    return other && explains(t, other);
}

// By its value, whatever its spelling: a verdict is kept for all of them. "1e-6", not Python's "1e-06".
static Str number_shown(Arena *a, double x) {
    Buf out = BUF(a);
    py_repr(&out, (PyValue){.kind = PY_FLOAT, .f = x});
    char *e = memmem(out.p, out.len, "e-0", 3);
    if (!e) return buf_str(&out);
    size_t head = (size_t)(e - out.p) + 2;
    return str_of(arena_printf(a, "%.*s%.*s", (int)head, out.p, (int)(out.len - head - 1), out.p + head + 1));
}

static bool is_small(double x) { return x > 0 && x < 0.01; }

// A number of the definition for which the candidate has another one.
static const char *guess_number(Trying *t, const Op *op, const Number *n, const Numbers *own) {
    static const struct {
        const char *text;
        double value;
    } usual[] = {{"0.0", 0},     {"1e-5", 1e-5},   {"1e-6", 1e-6},
                 {"1e-8", 1e-8}, {"1e-12", 1e-12}, {"1e-3", 1e-3}};
    for (int i = 0; i < own->n; i++) {
        const Number *o = &own->at[i];
        bool near =
            is_small(n->value) ? is_small(o->value) : fabs(o->value - n->value) <= 0.05 * fabs(n->value);
        if (o->value == n->value || !near || !number_explains(t, op, n, o->text)) continue;
        Str shown = number_shown(t->a, o->value);
        if (!is_small(n->value) && digits_of(o->text) < digits_of(n->text))
            return arena_printf(
                t->a, "They are right for %.*s instead of %.*s: write that constant with more digits.",
                STR_ARG(shown), STR_ARG(n->text));
        return arena_printf(t->a, "They are right for %.*s instead of %.*s: take the definition's number.",
                            STR_ARG(shown), STR_ARG(n->text));
    }
    for (size_t i = 0; is_small(n->value) && i < sizeof usual / sizeof *usual; i++)
        if (usual[i].value != n->value && number_explains(t, op, n, str_of(usual[i].text)))
            return arena_printf(t->a,
                                "They are right for %s instead of %.*s: add eps as the definition does.",
                                usual[i].text, STR_ARG(n->text));
    return NULL;
}

// ---- functions whose constants torch does not show

static Str replaced(Arena *a, Str text, const char *from, const char *to) {
    Buf b = BUF(a);
    size_t n = strlen(from);
    for (size_t i = 0; i < text.len; i++) {
        if (i + n <= text.len && memcmp(text.p + i, from, n) == 0) {
            buf_puts(&b, to);
            i += n - 1;
        } else {
            buf_putc(&b, text.p[i]);
        }
    }
    return buf_str(&b);
}

static const struct {
    const char *call, *end, *name, *code;
} written_out[] = {
#define WRITTEN_OUT(call, end, name, code) {call, end, name, code},
#include "host/reference/written_out.def"
};

static int times(Str text, const char *what) {
    int n = 0;
    size_t len = strlen(what);
    for (size_t i = 0; i + len <= text.len; i++) n += memcmp(text.p + i, what, len) == 0;
    return n;
}

// The definition with one of these functions as a formula, where each call of it ends as the row says: a call
// without that argument is another function. other: those calls instead that do not, all of them.
static const Op *written(Trying *t, const Op *op, bool other) {
    for (size_t i = 0; i < sizeof written_out / sizeof *written_out; i++) {
        bool argument = strlen(written_out[i].end) > 1;
        int calls = times(op->source, written_out[i].call),
            ends = argument ? times(op->source, written_out[i].end) : calls;
        if (calls == 0 || ends != (other ? 0 : calls)) continue;
        Str text = replaced(t->a, op->source, written_out[i].call, written_out[i].name);
        if (argument) text = replaced(t->a, text, written_out[i].end, ")");
        return op_with(t, op, str_of(arena_printf(t->a, "%.*s\n\n%s", STR_ARG(text), written_out[i].code)));
    }
    return other ? NULL : op;
}

static const char *guess_form(Trying *t, const Op *op) {
    static const char tanh_form[] = ", approximate=\"tanh\")";
    Str exact = replaced(t->a, op->source, tanh_form, ")");
    const Op *tried = exact.len < op->source.len ? op_with(t, op, exact) : written(t, op, true);
    if (!tried || !explains(t, tried)) return NULL;
    return exact.len < op->source.len
               ? "They are those of the exact form; the definition has approximate=\"tanh\"."
               : "They are those of the form with tanh; the definition has the exact one.";
}

// ---- sums and roundings

static const char *guess_order(Trying *t, const Op *op) {
    Op loose = *op;
    loose.any_order = true;
    return explains(t, &loose)
               ? "A long chain of additions explains that: accumulate in float32 in a tree or in at "
                 "least 128 lanes."
               : NULL;
}

// What all wrong elements of the case have in common.
static const char *guess_last_places(Trying *t) {
    enum { PLACES = 2 };
    const GuessRequest *q = t->q;
    const CaseSpec *spec = &q->draw->spec[q->index];
    const Bound *b = truth_output(&q->draw->truth[q->index], q->worst->output);
    const uint8_t *out = q->output + spec->output_at + spec->output[q->worst->output].at;
    int64_t size = dtype_bytes(b->dtype), wrong = 0, zeros = 0, near = 0;
    double least = b->dtype == DT_F16 ? 0x1p-14 : 0x1p-126;
    if (b->dtype != DT_F16 && b->dtype != DT_BF16) return NULL;
    for (int64_t i = 0; i < b->numel; i++) {
        double v = b->v[i], e = b->e ? b->e[i] : 0, got = dtype_load(b->dtype, out + i * size);
        if (!(e < INFINITY) || compare_needed(b->dtype, v, e, got) <= 1) continue;
        wrong++;
        zeros += got == 0 && fabs(v) < least;
        near += fabs(got - v) <= PLACES * 2 * dtype_half_ulp(b->dtype, v);
    }
    const char *type = dtype_info[b->dtype].torch;
    if (wrong > 0 && zeros == wrong)
        return arena_printf(t->a, "All of them are subnormal in %s and come out as zero: keep them.", type);
    if (wrong > 0 && near == wrong)
        return arena_printf(
            t->a,
            "Each is within %d units in the last place of %s: something is rounded to it on the way. "
            "Convert once, at the end.",
            PLACES, type);
    return NULL;
}

// Functions and constants of the definition; not its domain, nor its roundings.
static bool computes(const Op *op, const Node *n) {
    if (n->kind == NODE_ASSIGN) return n->assign.value->kind == NODE_FLOAT;
    if (n->kind != NODE_FUNCTION) return false;
    for (int i = 0; i < op->roundings; i++)
        if (str_eq(op->rounding[i].function, n->function.name)) return false;
    return true;
}

static const char *guess_values(Trying *t) {
    const GuessRequest *q = t->q;
    const Op *op = q->draw->op, *plain = written(t, op, false);
    DiagList diags = DIAGS(t->a);
    Numbers of_op = {.arena = t->a}, own = {.arena = t->a, .source = q->source};
    const Node *module = parse_module(t->a, q->source, &diags);
    if (module) numbers_of(&own, module);
    if (plain) {
        of_op.source = plain->source;
        const Nodes *body = &plain->module->module.body;
        for (int i = 0; i < body->n; i++)
            if (computes(op, body->at[i])) numbers_of(&of_op, body->at[i]);
    }
    const char *said = guess_order(t, op);
    for (int i = 0; !said && i < of_op.n; i++) said = guess_number(t, plain, &of_op.at[i], &own);
    if (!said) said = guess_form(t, op);
    return said;
}

// ---- what next

static bool mentions(const Op *op, const char *word) {
    return memmem(op->source.p, op->source.len, word, strlen(word));
}

static const char *advice_nan(const GuessRequest *q) {
    if (q->finite)
        return "Finite values are wrong, too: compare the formula with the reference first, its signs among "
               "others.";
    static const char *const powers[] = {"torch.softmax", "torch.log_softmax", "F.softmax",
                                         "F.log_softmax", "logsumexp",         "torch.exp("};
    bool any = false;
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) any |= mentions(q->draw->op, powers[i]);
    return any ? NULL : "Look for an overflow, or a division by zero.";
}

static const char *advice_inaccurate(const GuessRequest *q) {
    bool varies = mentions(q->draw->op, "var(") || mentions(q->draw->op, " - h.mean(");
    return varies ? NULL
                  : "Accumulate in float32 in a tree or in at least 128 lanes, write constants with all "
                    "digits, convert "
                    "to the output type once.";
}

// A ModelNew whose products take float32 operands with 10 mantissa bits, which nobody has allowed.
static const char *guess_tf32(const GuessRequest *q) {
    const Draw *d = q->draw;
    const CaseSpec *spec = &d->spec[q->index];
    bool all = !d->op->allow_tf32;
    Arena scratch = {0};
    DiagList diags = DIAGS(&scratch);
    const Bound *b = all ? modules_answer_tf32(&scratch, d->domain, d->mapping, spec, &diags) : NULL;
    all = b != NULL;
    for (int k = 0; b; k++, b = b->also) {
        uint8_t *judged = arena_raw(&scratch, (size_t)b->numel + 1, 1);
        Comparison c;
        compare_case(b, NULL, q->output + spec->output_at + spec->output[k].at, judged, &c);
        all &= c.wrong == 0;
    }
    arena_free(&scratch);
    return all ? "TF32 explains that: tl.dot reads float32 operands with 10 mantissa bits unless it is told "
                 "input_precision=\"ieee\"."
               : NULL;
}

const char *guess_advice(Arena *a, const GuessRequest *q) {
    Arena scratch = {0};
    Trying t = {.q = q, .a = &scratch, .left = EVALUATIONS};
    bool nan = match_of_class(q->worst->worst), one = q->draw->op->outputs == 1;
    const char *said = nan ? NULL : guess_last_places(&t);
    // A module has no short definition to try other numbers in.
    if (!said && one && !q->draw->op->form && take_rows(&t)) said = guess_values(&t);
    if (said) said = arena_strndup(a, said, strlen(said));
    arena_free(&scratch);
    if (!said && !nan && q->draw->op->form) said = guess_tf32(q);
    if (!said && nan && one) said = advice_nan(q);
    if (!said && one && q->worst->worst == MATCH_INACCURATE) said = advice_inaccurate(q);
    return said;
}
