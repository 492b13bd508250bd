// The sentences that a model or a person reads: what, where in its own source, on which kind of input, what
// next.
#include <math.h>

#include "cases/domain/domain.h"
#include "judge/decide/decide.h"
#include "judge/decide/input_gaps.h"

static const char *cut(Arena *a, Buf *b) {
    const char *s = buf_cstr(b);
    return b->len <= FEEDBACK_MAX ? s : arena_printf(a, "%.*s...", FEEDBACK_MAX - 3, s);
}

const char *feedback_join(Arena *a, const char *feedback, const char *sentence) {
    int room = FEEDBACK_MAX - (int)strlen(sentence) - 1, had = (int)strlen(feedback);
    if (had <= room) return arena_printf(a, "%s %s", feedback, sentence);
    return arena_printf(a, "%.*s... %s", room - 3, feedback, sentence);
}

static void put_case(Buf *b, const Draw *d, int index) {
    if (index < 0 || index >= d->cases) return;
    if (d->truth[index].hidden) {
        buf_puts(b, " on an input of secret size");
        return;
    }
    buf_puts(b, " on input ");
    truth_name(b, d, index);
}

static void put_note(Buf *b, const char *note) {
    size_t n = strlen(note);
    while (n && note[n - 1] == '.') n--;
    if (n) buf_printf(b, " Note that %.*s.", (int)n, note);
}

void put_output(Buf *b, const Op *op, int output) {
    Str name = op->output[output].name;
    if (name.len) buf_printf(b, " of output %.*s", STR_ARG(name));
}

const char *feedback_ok(Arena *a, const Draw *d, const CaseResults *c, const char *warning) {
    Buf b = BUF(a);
    buf_printf(&b,
               "Accepted: %d of %d cases passed (%s), all output bytes written by the kernel, no memory "
               "finding; largest error %.0f %% of the allowed error.",
               c->passed, c->run, level_name(d->level), 100 * c->worst.use);
    put_note(&b, warning);
    return cut(a, &b);
}

bool finding_place(Str source, const CaseReport *r, Span *out) {
    *out = (Span){r->at, r->len};
    return r->at < source.len || (r->at == source.len && r->len == 0);
}

// What next, for a finding of each kind.
static const char *const finding_next[DIAG_COUNT] = {
    [DIAG_WARNING] = "",
    [DIAG_SYNTAX] = "Correct that line so that it parses.",
    [DIAG_REFUSED] = "Only allocations, sizes and launches belong in host code.",
    [DIAG_COMPILE] = "Triton would refuse this: rewrite that expression.",
    [DIAG_UNSUPPORTED] = "This does not count against the program; write it without that to get a verdict.",
    [DIAG_HOST] = "Correct the host code there.",
    [DIAG_OOB] = "Guard that access, so that it stays inside the tensor.",
    [DIAG_UNINIT] = "Define whatever that line depends on.",
    [DIAG_WRITE] = "Write only to what you have allocated.",
    [DIAG_RACE] = "Separate the two accesses: by a second launch, by an atomic, or by different elements.",
    [DIAG_OVERLAP] = "Allocate each output for itself.",
    [DIAG_BUDGET] = "Make sure that it ends, and that it does less work.",
    [DIAG_VALUE] = "Keep such operands away from that operation.",
};

// A sentence about what host code is for helps whoever computes there; imports, missing functions and names
// say themselves what to do.
static bool says_itself(const CaseReport *r) {
    static const char *const begins[] = {
        "import",      "there is no function `", "module level: ", "`logging`", "@pointwise_dynamic",
        "`jit` alone", "@triton.jit stands"};
    static const char *const holds[] = {"NameError",    "SyntaxError",    "is bound a second time",
                                        "did you mean", "did you forget", "write `"};
    Str message = str_of(r->message);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (str_starts(message, begins[i])) return r->finding == DIAG_REFUSED;
    for (size_t i = 0; i < sizeof holds / sizeof *holds; i++)
        if (strstr(r->message, holds[i])) return r->finding == DIAG_REFUSED;
    return false;
}

// "outputs 1 and 2 share memory", as the child says it, in the definition's words.
static const char *named(Arena *a, const Op *op, const CaseReport *r) {
    int i, k;
    if (r->finding != DIAG_OVERLAP) return r->message;
    if (sscanf(r->message, "outputs %d and %d ", &i, &k) == 2 && i > 0 && k > 0 && i <= op->outputs &&
        k <= op->outputs)
        return arena_printf(a, "outputs %.*s and %.*s share memory", STR_ARG(op->output[i - 1].name),
                            STR_ARG(op->output[k - 1].name));
    if (sscanf(r->message, "output %d and input %d ", &i, &k) == 2 && i > 0 && k > 0 && i <= op->outputs &&
        k <= op->inputs)
        return arena_printf(a, "output %.*s and input %.*s share memory", STR_ARG(op->output[i - 1].name),
                            STR_ARG(op->input[k - 1].name));
    return r->message;
}

// A name of Triton's that this version does not run: it is that on any input.
static bool on_any_input(const CaseReport *r) {
    return r->finding == DIAG_UNSUPPORTED && str_starts(str_of(r->message), "triton.language.");
}

const char *feedback_finding(Arena *a, const Draw *d, Str source, const CaseReport *r) {
    const char *message = named(a, d->op, r);
    Buf b = BUF(a);
    Span place;
    if (finding_place(source, r, &place)) {
        LineCol at = line_col(source, place.at);
        buf_printf(&b, "line %d:%d: ", at.line, at.col);
    }
    size_t n = strlen(message);
    while (n && message[n - 1] == '.') n--;
    buf_put(&b, message, n);
    if (r->case_index >= 0 && !on_any_input(r)) {
        buf_puts(&b, ",");
        put_case(&b, d, r->case_index);
        if (r->call > 0) buf_printf(&b, ", in call %d on the same object", r->nth);
        int behind = r->call > 0 && r->call <= d->calls ? d->called[r->call - 1].behind : 0;
        if (behind > 0) buf_puts(&b, ", behind one"), put_case(&b, d, d->call[behind - 1].case_index);
    }
    bool asks = r->case_index < 0 && n && message[n - 1] == '?';
    buf_puts(&b, asks ? "" : ".");
    // Where rows have gaps, what to do is said by those who know more (gaps.h).
    bool gaps = r->finding == DIAG_OOB && r->call == 0 && gaps_inputs(d, r->case_index);
    bool name =
        r->finding == DIAG_COMPILE && strstr(r->message, "NameError") && strstr(r->message, "is not defined");
    if (name)
        buf_puts(
            &b,
            " Define that name at module level or import it; beside a manifest, in a form that can stay.");
    if (!gaps && !name && !says_itself(r)) buf_printf(&b, " %s", finding_next[r->finding]);
    return cut(a, &b);
}

// A matrix has rows and columns, what has one number for each row its rows. The elements of one line, and
// those of tensors of more dimensions, are told by their indices.
static void put_place(Buf *b, const Draw *d, const Bound *want, int64_t at, int64_t first) {
    int64_t n = want->rank > 1 ? want->shape[want->rank - 1] : 1, index[TENSOR_RANK_MAX], rest = at;
    if (want->rank == 1 && d->domain->slices < 0) {
        buf_printf(b, "element %lld", (long long)at);
    } else if (want->rank > 2) {
        for (int i = want->rank; i-- > 0;) index[i] = rest % want->shape[i], rest /= want->shape[i];
        index[0] += first;
        for (int i = 0; i < want->rank; i++)
            buf_printf(b, "%s%lld", i ? ", " : "element [", (long long)index[i]);
        buf_puts(b, "]");
    } else {
        buf_printf(b, "row %lld", (long long)(first + at / n));
        if (want->rank > 1 && n > 1) buf_printf(b, ", column %lld", (long long)(at % n));
    }
}

const char *feedback_unwritten(Arena *a, const Draw *d, const CaseReport *r, int output) {
    const Bound *want = truth_output(&d->truth[r->case_index], output);
    const ReportOutput *o = &r->output[output];
    Str name = d->op->output[output].name;
    Buf b = BUF(a);
    buf_printf(&b, "The kernel left %lld of %lld %s%.*s unwritten", (long long)o->unwritten,
               (long long)want->numel, name.len ? "elements of output " : "output elements", STR_ARG(name));
    put_case(&b, d, r->case_index);
    if (!d->truth[r->case_index].hidden && want->numel > 0) {
        buf_puts(&b, "; the first is ");
        put_place(&b, d, want, o->first_unwritten, 0);
    }
    buf_puts(
        &b,
        ". Every element must be stored by a kernel: check the grid, the loop bounds and the store's mask.");
    return cut(a, &b);
}

const char *feedback_too_few(Arena *a, const Draw *d, const CaseReport *r) {
    const Bound *want = d->truth[r->case_index].expected;
    int64_t elements = 0, size = dtype_bytes(want->dtype); // several outputs: of the first one's size
    for (int k = 0; want; k++, want = want->also)
        if (d->op->output[k].init < 0) elements += want->numel * dtype_bytes(want->dtype) / size;
    int64_t reached = r->stores / size;
    Buf b = BUF(a);
    buf_printf(&b, "The kernel left %lld of %lld output elements unwritten",
               (long long)(reached < elements ? elements - reached : 0), (long long)elements);
    put_case(&b, d, r->case_index);
    buf_puts(&b, " even if every program stores as many as the busiest of those that were run. Every element "
                 "must be stored by a kernel: check the grid, the loop bounds and the store's mask.");
    return cut(a, &b);
}

static void put_shape(Buf *b, const int64_t *shape, int rank) {
    buf_puts(b, "[");
    for (int i = 0; i < rank; i++) buf_printf(b, "%s%lld", i ? ", " : "", (long long)shape[i]);
    buf_puts(b, "]");
}

const char *feedback_shape(Arena *a, const Draw *d, const CaseReport *r, int output) {
    const Bound *want = truth_output(&d->truth[r->case_index], output);
    const ReportOutput *o = &r->output[output];
    Str name = d->op->output[output].name;
    bool dtype = shape_matches(o, want);
    Buf b = BUF(a);
    buf_printf(&b, name.len ? "Output %.*s has " : "The returned tensor has ", STR_ARG(name));
    if (dtype) {
        buf_printf(&b, "dtype %s, expected %s", dtype_info[o->dtype].torch, dtype_info[want->dtype].torch);
    } else {
        buf_puts(&b, "shape ");
        put_shape(&b, o->shape, o->rank);
        buf_puts(&b, ", expected ");
        put_shape(&b, want->shape, want->rank);
    }
    put_case(&b, d, r->case_index);
    buf_puts(&b, dtype ? ". Allocate what run() returns with the expected dtype."
                       : ". Allocate what run() returns with the expected shape.");
    return cut(a, &b);
}

// "about 1e-3": the decade of the right answer, which the kernel's author may know.
static void put_magnitude(Buf *b, double v) {
    double m = fabs(v);
    if (!isfinite(m) || m == 0) {
        buf_printf(b, "%s", m == 0 ? "zero" : "not finite");
        return;
    }
    int decade = 0;
    for (; m >= 10 && decade < 400; decade++) m /= 10;
    for (; m < 1 && decade > -400; decade--) m *= 10;
    buf_printf(b, "about 1e%d", decade);
}

const char *feedback_numeric(Arena *a, const Draw *d, int index, const Comparison *c, const char *note) {
    return feedback_numeric_with(a, d, index, c, NULL, note);
}

const char *feedback_numeric_with(Arena *a, const Draw *d, int index, const Comparison *c, const char *known,
                                  const char *note) {
    const CaseTruth *t = &d->truth[index];
    const Bound *want = truth_output(t, c->output);
    Str name = d->op->output[c->output].name;
    Buf b = BUF(a);
    const char *advice;
    if (match_of_class(c->worst)) {
        buf_puts(&b, "NaN or infinity does not match the reference");
        advice = "Look for an overflow, a division by zero, or a missing maximum subtraction.";
    } else if (c->worst == MATCH_INACCURATE) {
        buf_puts(&b, "Values are off by more rounding than an honest float32 kernel makes");
        advice = "Accumulate in float32 in a tree or in at least 128 lanes, avoid one-pass variance, convert "
                 "to the output type once.";
    } else {
        buf_puts(&b, "Values are wrong");
        advice =
            "This is not rounding: compare the formula, eps, the mask and the bounds with the reference.";
    }
    if (name.len && !dtype_is_float(want->dtype))
        advice = "Integers are compared exactly: check which index counts, and which of equal ones.";
    if (known) advice = known;
    ClassId cls = truth_class(d, index, c->output, c->worst_at);
    if (t->hidden) {
        put_output(&b, d->op, c->output);
        buf_printf(&b, " on an input of secret size (%s). %s", class_words(cls), advice);
        put_note(&b, note);
        return cut(a, &b);
    }
    bool line = want->rank == 1 && d->domain->slices < 0;
    buf_printf(&b, " in %lld of %lld elements", (long long)(match_of_class(c->worst) ? c->nans : c->wrong),
               (long long)c->total);
    put_output(&b, d->op, c->output);
    put_case(&b, d, index);
    if (d->op->form && cls == CLASS_module)
        buf_puts(&b, ", worst at ");
    else
        buf_printf(&b, line ? ", worst on %s at " : ", worst in a row of %s at ", class_words(cls));
    put_place(&b, d, want, c->worst_at, t->first_slice);
    buf_puts(&b, ", where the right answer is ");
    put_magnitude(&b, want->v[c->worst_at]);
    buf_printf(&b, ". %s", advice);
    put_note(&b, note);
    return cut(a, &b);
}

const char *feedback_unread(Arena *a, const Draw *d, const Dependence *n, int output, int64_t element) {
    const CaseTensor *t = &d->spec[n->case_index].input[n->input];
    const Bound *want = truth_output(&d->truth[n->case_index], output);
    int64_t row = t->rank ? t->shape[t->rank - 1] : 1;
    Buf b = BUF(a);
    buf_puts(&b, "What was stored at output ");
    put_place(&b, d, want, element, 0);
    put_output(&b, d->op, output);
    if (t->rank < 2)
        buf_printf(&b, " comes from no load of element %lld of %.*s", (long long)n->element,
                   STR_ARG(d->op->input[n->input].name));
    else
        buf_printf(&b, " comes from no load of row %lld, column %lld of %.*s", (long long)(n->element / row),
                   (long long)(n->element % row), STR_ARG(d->op->input[n->input].name));
    put_case(&b, d, n->case_index);
    buf_puts(&b,
             ", neither in its program nor through other tensors, but the right answer depends on it: it is "
             "right by luck. Check the load's mask and the loop bounds.");
    return cut(a, &b);
}

const char *feedback_rows(Arena *a, const Draw *d, int index, int output, int64_t row) {
    Str name = d->op->output[output].name;
    Buf b = BUF(a);
    buf_printf(&b, name.len ? "Row %lld of output %.*s" : "Row %lld of the result", (long long)row,
               STR_ARG(name));
    put_case(&b, d, index);
    buf_puts(
        &b,
        " has other bits than the same row at another place, though its program has loaded no other row: the "
        "computation depends on where a row stands. Rows are independent here; compute each of them the "
        "same way.");
    return cut(a, &b);
}

const char *feedback_orders(Arena *a, const Draw *d, int index, int output, int64_t element) {
    const Bound *want = truth_output(&d->truth[index], output);
    Str name = d->op->output[output].name;
    Buf b = BUF(a);
    buf_printf(&b, name.len ? "Output %.*s" : "The result", STR_ARG(name));
    buf_puts(&b, " depends on the order in which the programs of a launch run");
    put_case(&b, d, index);
    if (element >= 0 && !d->truth[index].hidden) {
        buf_puts(&b, ": two orders differ at ");
        put_place(&b, d, want, element, 0);
    }
    buf_puts(&b, ", by more than rounding. No order is promised: what an atomic returns, or which of several "
                 "writers comes last, "
                 "must not decide about values.");
    return cut(a, &b);
}

const char *feedback_child(Arena *a, const char *what) {
    Buf b = BUF(a);
    buf_printf(&b, "No verdict on the values: %s.", what);
    return cut(a, &b);
}

// At most so much of one line of the source, as printable ASCII.
static void put_quote(Buf *out, Str source, uint32_t at, uint32_t len) {
    enum { QUOTE_MAX = 100 };
    buf_puts(out, " (`");
    for (uint32_t i = 0; i < len && at + i < source.len; i++) {
        char c = source.p[at + i];
        if (c == '\n' || i == QUOTE_MAX) {
            buf_puts(out, " ...");
            break;
        }
        buf_putc(out, c >= ' ' && c <= '~' && c != '`' ? c : '?');
    }
    buf_puts(out, "`)");
}

// The innermost `if` or `while` around the place whose condition is another one.
typedef struct {
    uint32_t at, from; // the condition that was told, and what hangs on it
    const Node *around;
} Enclosing;
static void find_enclosing(void *arg, const Node *n) {
    Enclosing *f = arg;
    const Node *cond = n->kind == NODE_IF ? n->branch.cond : n->kind == NODE_WHILE ? n->whileloop.cond : NULL;
    uint32_t end = n->span.at + n->span.len;
    if (cond && n->span.at < f->at && f->at < end && f->from < end && cond->span.at + cond->span.len <= f->at)
        f->around = cond;                    // children come later: the innermost one stays
    node_each_child(n, find_enclosing, arg); // a tree's height is bounded
}
// An `elif` hangs on the conditions in front of it by what it says itself.
static void put_enclosing(Buf *b, Arena *a, Str source, const UnreachedPlace *x) {
    DiagList d = DIAGS(a);
    const Node *m = parse_module(a, source, &d);
    Enclosing f = {x->at, x->from, NULL};
    if (!m) return;
    find_enclosing(&f, m);
    if (!f.around) return;
    buf_printf(b, ", under that on line %d", line_col(source, f.around->span.at).line);
    put_quote(b, source, f.around->span.at, f.around->span.len);
}

const char *feedback_unreached(Arena *a, Str source, const Unreached *u) {
    const UnreachedPlace *x = &u->place[0];
    Buf b = BUF(a);
    int all = u->more;
    for (size_t i = 0; i < sizeof u->bit; i++) all += __builtin_popcount(u->bit[i]);
    if (u->places == 0) {
        buf_puts(&b, "No case reached some lines of the source");
    } else {
        uint32_t end = (uint32_t)source.len, at = x->at < end ? x->at : end;
        int line = line_col(source, x->from < end ? x->from : end).line, above = line_col(source, at).line;
        buf_printf(&b, "No case reached line %d", line);
        if (above != line) buf_printf(&b, ", which the condition on line %d decides", above);
        put_quote(&b, source, at, x->len);
        put_enclosing(&b, a, source, x);
        if (all > 1) buf_puts(&b, ", nor some others");
    }
    buf_puts(&b,
             ". Every check passed, but what no case has run is not judged. Use conditions that common sizes "
             "meet, or remove the special case.");
    return cut(a, &b);
}
