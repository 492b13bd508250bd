// Several calls on one object: each answer is judged as that of any case; those of the same values have the
// same bits; and what a call has returned stays what it was when later calls are made.
#include "judge/decide/decide.h"

typedef struct {
    Arena *arena;
    const Draw *draw;
    const ChildResult *child;
    Decision *decision;
    const CaseReport *of[WIRE_CALLS_MAX]; // NULL: not made
} Calls;

static void put_shape(Buf *b, const Draw *d, int call) {
    CaseTruth t = d->truth[d->call[call].case_index];
    Draw shown = *d;
    memcpy(t.dim, d->called[call].dim, sizeof t.dim);
    t.dtype = d->called[call].dtype;
    t.strided = d->called[call].strided;
    shown.truth = &t;
    truth_name(b, &shown, 0);
}

static void put_input(Buf *b, const Draw *d, int call) {
    int behind = d->called[call].behind - 1;
    bool hidden = d->truth[d->call[call].case_index].hidden;
    buf_puts(b, hidden ? ", on an input of secret size" : ", on input ");
    if (!hidden) put_shape(b, d, call);
    if (behind < 0) return;
    buf_puts(b, " behind ");
    put_shape(b, d, behind);
}

static void put_call(Buf *b, const Calls *z, int call) {
    buf_printf(b, "call %d on the same object", z->of[call]->nth);
    put_input(b, z->draw, call);
}

static bool settle(Calls *z, Status s, const char *rule, Buf *words) {
    decision_set(z->decision, s, rule, arena_strndup(z->arena, buf_cstr(words), words->len));
    return false;
}

static bool settle_protocol(Calls *z, const char *what) {
    decision_set(z->decision, STATUS_crash, "protocol", feedback_child(z->arena, what));
    return false;
}

static bool judge_values(Calls *z, int call, int output, const Bound *want) {
    Buf b = BUF(z->arena);
    Comparison c;
    const CaseSpec *spec = &z->draw->call[call].spec;
    uint8_t *judged = arena_raw(z->arena, (size_t)want->numel + 1, 1);
    compare_case(want, NULL, z->child->output + spec->output_at + spec->output[output].at, judged, &c);
    if (c.wrong == 0) return true;
    bool nan = match_of_class(c.worst);
    buf_puts(&b, nan ? "NaN or infinity does not match the reference"
                 : c.worst == MATCH_INACCURATE
                     ? "Values are off by more rounding than an honest float32 kernel makes"
                     : "Values are wrong");
    buf_printf(&b, " in %lld of %lld elements", (long long)(nan ? c.nans : c.wrong), (long long)c.total);
    put_output(&b, z->draw->op, output);
    buf_puts(&b, " in ");
    put_call(&b, z, call);
    buf_puts(&b, ", though a new object's first call is right. Something kept from an earlier call is used "
                 "again, or not cleared: compute the answer anew in each call.");
    return settle(z, match_status(c.worst), "calls", &b);
}

static bool judge_form(Calls *z, int call, int output, const Bound *want) {
    const ReportOutput *o = &z->of[call]->output[output];
    Str name = z->draw->op->output[output].name;
    Buf b = BUF(z->arena);
    bool shape = !shape_matches(o, want), dtype = o->dtype != (int32_t)want->dtype;
    if (!shape && !dtype && o->unwritten == 0) return true;
    if (shape || dtype) {
        buf_printf(&b, name.len ? "Output %.*s" : "The returned tensor", STR_ARG(name));
        buf_printf(&b, " has another %s than expected in ", shape ? "shape" : "dtype");
        put_call(&b, z, call);
        buf_puts(&b, ". Allocate what is returned for the inputs of each call.");
        return settle(z, shape ? STATUS_wrong_shape : STATUS_wrong_dtype, "calls", &b);
    }
    buf_printf(&b, "The kernel left %lld of %lld %s%.*s unwritten in ", (long long)o->unwritten,
               (long long)want->numel, name.len ? "elements of output " : "output elements", STR_ARG(name));
    put_call(&b, z, call);
    buf_puts(&b, ". Every call must store every element of what it returns.");
    return settle(z, STATUS_uncovered_output, "calls", &b);
}

// Its values were right in the call that has returned it. What was changed in place is the caller's, who has
// given other values since.
static bool judge_kept(Calls *z, int call) {
    const CallSpec *s = &z->draw->call[call];
    const uint8_t *returned = z->child->output + s->spec.output_at, *kept = z->child->output + s->kept_at;
    Buf b = BUF(z->arena);
    int k = 0;
    for (; k < s->spec.outputs; k++) {
        const CaseOutput *o = &s->spec.output[k];
        if (o->input < 0 && memcmp(returned + o->at, kept + o->at, (size_t)o->bytes) != 0) break;
    }
    if (k == s->spec.outputs) return true;
    Str name = z->draw->op->output[k].name;
    buf_printf(&b, name.len ? "Output %.*s that " : "What ", STR_ARG(name));
    put_call(&b, z, call);
    buf_puts(&b, ", has returned was overwritten by a later call");
    buf_puts(&b, ". A caller may still hold it: return a tensor of its own from each call.");
    return settle(z, STATUS_incorrect, "kept_answer", &b);
}

// The call before it that had the same values; -1: none.
static int same_values(const Calls *z, int call) {
    const CallSpec *s = &z->draw->call[call];
    return s->turns > 0 ? call_values(s, z->of[call]->nth) : s->same_as;
}

// The same config, the same order of programs. Atomics may be kept from call to call, and add in another
// order.
static bool judge_again(Calls *z, int call) {
    const CallSpec *s = &z->draw->call[call];
    int same = same_values(z, call);
    const CaseReport *r = z->of[call], *first = same >= 0 ? z->of[same] : NULL;
    Buf b = BUF(z->arena);
    if (!first || r->atomic_launches > 0 || first->atomic_launches > 0 || r->configs > 1) return true;
    if (memcmp(z->child->output + s->spec.output_at, z->child->output + z->draw->call[same].spec.output_at,
               (size_t)s->spec.output_bytes) == 0)
        return true;
    buf_puts(&b, "The result of ");
    put_call(&b, z, call);
    buf_printf(&b, ", has other bits than that of call %d, which had the same values", first->nth);
    buf_puts(&b, ". What is kept from call to call must not decide about values.");
    return settle(z, STATUS_nondeterministic, "calls", &b);
}

static bool judge_answer(Calls *z, int call) {
    int same = z->draw->call[call].turns > 0 ? same_values(z, call) : call;
    const Bound *b = z->draw->called[same].expected;
    for (int k = 0; b; k++, b = b->also)
        if (!judge_form(z, call, k, b) || !judge_values(z, call, k, b)) return false;
    return true;
}

// True when all calls that had to be made were. Frames are in order, and name calls of the draw.
static bool take_calls(Calls *z, bool *keeps) {
    const Draw *d = z->draw;
    const CaseReport *last = &z->child->report[z->child->reports - 1];
    *keeps = last->kind == REPORT_DONE && last->keeps;
    for (int i = d->cases; i < z->child->reports - 1; i++) {
        const CaseReport *r = &z->child->report[i];
        if (r->call > d->calls || r->case_index != d->call[r->call - 1].case_index)
            return settle_protocol(z, "a call was made that nobody asked for");
        z->of[r->call - 1] = r;
    }
    for (int i = 0; *keeps && i < d->calls; i++)
        if (!z->of[i] && !(d->call[i].flags & (CALL_OTHER | CALL_FAR)))
            return settle_protocol(z, "calls are missing");
    return true;
}

bool judge_calls(Arena *a, const Draw *d, Str source, const ChildResult *r, Decision *out) {
    Calls z = {.arena = a, .draw = d, .child = r, .decision = out};
    const CaseReport *last = &r->report[r->reports - 1];
    bool keeps;
    if (!take_calls(&z, &keeps)) return false;
    for (int i = 0; i < d->calls; i++)
        if (z.of[i] && !judge_answer(&z, i)) return false;
    if (last->kind == REPORT_FINDING) {
        if (last->call > d->calls || last->case_index != d->call[last->call - 1].case_index)
            return settle_protocol(&z, "a finding names a call that nobody asked for");
        const char *rule;
        Status status = finding_status((DiagKind)last->finding, &rule);
        out->found = true;
        out->placed = finding_place(source, last, &out->place);
        decision_set(out, status, rule, feedback_finding(a, d, source, last));
        return false;
    }
    for (int i = 0; i < d->calls; i++)
        if (z.of[i] && (!judge_kept(&z, i) || !judge_again(&z, i))) return false;
    return true;
}
