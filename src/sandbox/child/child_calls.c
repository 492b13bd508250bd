// Several calls of one program, on one interpreter and one ModelNew: what a program keeps (tensors and
// counters of its object, scratch that nobody clears, an answer of an earlier call) shows in nothing else.
// Every call's answer goes to the parent, and once more at the end of its sequence: an earlier answer has to
// be what it was. A program that has left nothing behind in any case is not asked: see run_watched() in
// child.c.
#include "sandbox/child/child.h"

#include <math.h>

// Of calls that are made many times in a row, all together; and while one of them may still do something new.
static const int64_t REPEATED_LANES = (int64_t)1 << 27, FAR_LANES = (int64_t)1 << 30;
enum { MEMORY_LEFT = 16 << 20, STORAGES_LEFT = 64, PRINTS = 24, STUCK_MOST = 16 };
static const size_t PRINTED_MOST = 16 << 20; // bytes

typedef struct {
    Child *c;
    Machine *m;
    HostProgram *program;
    DiagList diags;
    Tensor input[WIRE_INPUTS_MAX]; // of its first call
    int inputs, first;
    Tensor out[WIRE_CALLS_MAX][WIRE_OUTPUTS_MAX];
    bool made[WIRE_CALLS_MAX];
    const CallSpec *many;   // the last call that is made many times
    int repeated;           // calls that were made once more, for it and those before it with its values
    int64_t lanes;          // that they took
    uint64_t print[PRINTS]; // of what was kept after the first of them
    int prints;
    int stuck;         // calls whose memory is still in reach from what was there before
    bool asked, waits; // for more of them: what waits_for_calls() said last
} Sequence;

static bool turns_sane(const Child *c, const CallSpec *call, int i) {
    if (call->repeats == 1) return call->turns == 0;
    if (call->turns < 1 || call->turn_of < 0 || call->turn_of > i - call->turns) return false;
    for (int k = 0; k < call->turns; k++) {
        const CaseSpec *s = &c->call_spec[call->turn_of + k].spec;
        if (s->inputs != call->spec.inputs || s->output_bytes != call->spec.output_bytes) return false;
    }
    return true;
}

static bool call_sane(const Child *c, int i) {
    const CallSpec *call = &c->call_spec[i];
    const CaseSpec *s = &call->spec;
    return inputs_of(c, s) && outputs_sane(s) && s->again == 0 && s->contract == 0 && s->origin_at == 0 &&
           s->sampled == 0 && call->case_index >= 0 && call->case_index < c->cases && call->same_as >= -1 &&
           call->same_as < i && call->repeats >= 1 && call->repeats <= WIRE_REPEATS_MAX && call->far >= 0 &&
           call->far <= WIRE_REPEATS_MAX && turns_sane(c, call, i) && (i > 0 || call->flags & CALL_BUILDS) &&
           within(s->output_at, s->output_bytes, c->job->output_bytes) &&
           within(call->kept_at, s->output_bytes, c->job->output_bytes);
}

static void machine_ready(Sequence *q, const CallSpec *call) {
    Machine *m = q->m;
    m->steps_left = call->spec.steps;
    m->count = (Counters){0};
    m->race.atomic_launches = 0;
    m->order = (ProgramOrder){.seed = call->spec.order_seed};
    m->autotune.config = case_tune(q->c) + q->c->tune;
    m->autotune.configs = 0;
}

static bool sequence_begin(Sequence *q, Child *c, int first) {
    const CaseSpec *spec = &c->call_spec[first].spec;
    *q = (Sequence){.c = c, .first = first, .inputs = spec->inputs, .diags = DIAGS(&c->call)};
    q->m = NEW(&c->call, Machine);
    machine_init(q->m, &c->call, &q->diags, spec->steps);
    q->m->tensor_bytes = memory_tensors(c->job->arena_bytes - c->sparse);
    q->m->storages.spare = memory_spare(c->job->arena_bytes - c->sparse);
    q->m->gpu.processors = spec->processors;
    q->m->lane_order = case_lane_order(c, spec);
    q->m->watch.cover = c->cover;
    q->m->autotune.pruned = c->tuned;
    if (!inputs_wrap(c, q->m, spec, q->input)) return false;
    q->program = host_program(q->m, c->cache, c->module);
    outputs_expect(q->program, spec);
    return true;
}

// As a caller that copies new values into the tensors that it has: same objects, same addresses.
static bool inputs_renew(Sequence *q, const CaseSpec *spec) {
    StorageTable *all = &q->m->storages;
    Tensor t[WIRE_INPUTS_MAX];
    int count = all->count;
    if (!inputs_wrap(q->c, q->m, spec, t)) return false;
    for (int i = 0; i < spec->inputs; i++) {
        Storage *old = q->input[i].storage;
        int id = old->id;
        *old = *t[i].storage;
        old->id = id;
    }
    all->count = count;
    return true;
}

static bool call_inputs(Sequence *q, int i, Tensor input[WIRE_INPUTS_MAX]) {
    const CallSpec *call = &q->c->call_spec[i];
    if (call->spec.inputs != q->inputs) return false;
    if (call->flags & CALL_RENEWS && !inputs_renew(q, &call->spec)) return false;
    bool own = !(call->flags & (CALL_RENEWS | CALL_BUILDS));
    if (own) return inputs_wrap(q->c, q->m, &call->spec, input);
    memcpy(input, q->input, sizeof *input * (size_t)q->inputs);
    return true;
}

// Before one of many calls: the values whose turn it is, in the tensors that are there. What is changed in
// place has its values again.
static bool inputs_turn(const Sequence *q, const CaseSpec *spec, Tensor *input) {
    const CaseTensor *all = inputs_of(q->c, spec);
    for (int i = 0; i < spec->inputs; i++) {
        Storage *s = input[i].storage;
        if (s->bytes != (size_t)all[i].bytes || !within(all[i].at, all[i].bytes, q->c->job->draw_bytes))
            return false;
        if (!s->read_only && !input_restore(q->c, &all[i], &input[i])) return false;
        if (s->read_only) s->data = (uint8_t *)(uintptr_t)(q->c->job->draw + all[i].at);
    }
    return true;
}

// Memory that only several calls together have used up says nothing about the program.
static void finding_of_call(Sequence *q, const Diag *d) {
    Diag told = *d;
    if (q->c->later && d->kind == DIAG_HOST && str_starts(str_of(d->msg), "torch.OutOfMemoryError")) {
        told.kind = DIAG_UNSUPPORTED;
        told.msg = "several calls of the program together need more memory than there is here";
    }
    send_finding(q->c, &told, &q->m->count);
}

// The answer to the same values, earlier in the sequence.
static const uint8_t *answer_before(const Child *c, const CallSpec *call) {
    return c->job->output + c->call_spec[call_values(call, c->nth)].spec.output_at;
}

static bool same_bits(const Child *c, const CallSpec *call) {
    return memcmp(answer_before(c, call), c->job->output + call->spec.output_at,
                  (size_t)call->spec.output_bytes) == 0;
}

// Atomics add in another order each time. More than that is worth a look by the parent.
static bool about_the_same(const Child *c, const CallSpec *call, const Tensor *out) {
    const double near = 0x1p-6;
    const uint8_t *now = c->job->output + call->spec.output_at, *before = answer_before(c, call);
    for (int k = 0; k < call->spec.outputs; k++) {
        const CaseOutput *o = &call->spec.output[k];
        DType t = out[k].dtype;
        int64_t size = dtype_bytes(t), n = o->bytes / size;
        double most = 0;
        for (int64_t i = 0; i < n; i++) {
            double x = fabs(dtype_load(t, before + o->at + i * size));
            if (isfinite(x)) most = fmax(most, x);
        }
        for (int64_t i = 0; i < n; i++) {
            double x = dtype_load(t, before + o->at + i * size), y = dtype_load(t, now + o->at + i * size);
            if (!(x == y) && !(fabs(x - y) <= near * most) && !(isnan(x) && isnan(y))) return false;
        }
    }
    return true;
}

// Some line, or some way for a comparison to come out, waits for what the program keeps to change.
static bool waits_for_calls(Sequence *q) {
    Child *c = q->c;
    ArenaMark mark = arena_mark(&c->call);
    Unreached *u = NEW(&c->call, Unreached);
    VariesInputs inputs = handed_over(c);
    unreached_find(&c->call, c->module, c->cover, &inputs, u);
    bool waits = u->waits;
    arena_reset(&c->call, mark);
    return waits;
}

// Of all tensors that were there before the call: what a program keeps, and answers that stay as they are.
static uint64_t kept_print(const Sequence *q, int storages) {
    uint64_t x = 1;
    size_t all = 0;
    for (int i = 0; i < storages; i++) {
        Storage *s = q->m->storages.at[i];
        if (!s || !s->data || s->read_only) continue;
        if ((all += s->bytes) > PRINTED_MOST) return 0;
        storage_reach(s, 0, s->bytes);
        for (size_t at = 0; at < s->bytes; at += 8) {
            uint64_t word = 0;
            memcpy(&word, s->data + at, s->bytes - at < 8 ? s->bytes - at : 8);
            x = (x ^ word) * 0x9e3779b97f4a7c15u;
            x ^= x >> 29;
        }
    }
    return x;
}

// Kept numbers show where kernels get them. Scratch that follows from the last values, and from those before
// them, is soon the same again: four sets of values take turns. A counter is not.
static void note_kept(Sequence *q, int storages) {
    if (q->c->changes || q->prints == PRINTS) return;
    uint64_t now = kept_print(q, storages) ^ q->c->cover->launched;
    bool again = false;
    for (int i = 0; i < q->prints; i++) again |= q->print[i] == now;
    q->print[q->prints++] = now;
    if (again) q->prints = PRINTS;
    if (!again && q->prints == PRINTS) q->c->changes = true;
}

// Whether a call that is made many times goes on. Without atomics, other bits are the end of it.
static bool goes_on(Sequence *q, const CallSpec *call, const CaseReport *r, int news) {
    const Tensor *out = q->out[call - q->c->call_spec];
    if (r->atomic_launches > 0 ? !about_the_same(q->c, call, out) : !same_bits(q->c, call)) return false;
    if (arena_left(&q->c->call) <= MEMORY_LEFT || q->m->storages.count + STORAGES_LEFT >= STORAGES_MAX)
        return false;
    // What grows with each call is looked through after each.
    if (call->flags & CALL_FAR && q->stuck > STUCK_MOST) return false;
    bool new = q->c->cover->news != news;
    q->lanes += r->count.lanes;
    q->repeated++;
    if (q->repeated < call->repeats && q->lanes < REPEATED_LANES)
        return !(call->flags & CALL_TO_NEWS) || !new;
    // Too much work for a call of this size: those of a smaller one go on.
    if (q->lanes >= FAR_LANES && q->waits) q->c->changes = true;
    if (q->repeated >= call->far || q->lanes >= FAR_LANES) return false;
    if (!q->asked || new) q->waits = waits_for_calls(q);
    q->asked = true;
    return (q->waits || call->flags & CALL_FAR) && !new;
}

// Whether something of the last call is in reach from what was there before it. Of that, numbers of tensors
// are most, and no part of the program's; nor are reports, and a sequence knows of no call after its own.
static bool in_reach(const Sequence *q, ArenaMark mark, int storages) {
    ArenaPiece piece[STORAGES_MAX + 2];
    int n = 0;
    piece[n++] = (ArenaPiece){q->c->report, sizeof *q->c->report * REPORTS_TOGETHER};
    piece[n++] = (ArenaPiece){q, sizeof *q};
    for (int i = 0; i < storages; i++) {
        const Storage *s = q->m->storages.at[i];
        const void *at;
        size_t bytes = s ? storage_piece(s, &at) : 0;
        if (bytes > 0) piece[n++] = (ArenaPiece){at, bytes};
    }
    return arena_points_behind(&q->c->call, mark, piece, n);
}

// After a call whose answer nobody keeps: its memory is free again, unless something of it is in reach from
// what was there before.
static void forget(Sequence *q, int i, ArenaMark mark, int storages) {
    StorageTable *all = &q->m->storages;
    Storage *was[STORAGES_LEFT];
    int made = all->count - storages;
    if (made < 0 || made > STORAGES_LEFT) return;
    memcpy(was, all->at + storages, sizeof *was * (size_t)made);
    memset(all->at + storages, 0, sizeof *was * (size_t)made);
    memset(q->out[i], 0, sizeof q->out[i]);
    q->diags = DIAGS(&q->c->call);
    if (in_reach(q, mark, storages)) {
        memcpy(all->at + storages, was, sizeof *was * (size_t)made);
        q->stuck++;
        return;
    }
    all->count = storages;
    arena_reset(&q->c->call, mark);
}

// Calls that are made many times with the same values share their number.
static void begin_many(Sequence *q, const CallSpec *call) {
    if (!q->many || q->many->turn_of != call->turn_of) q->repeated = 0, q->lanes = 0;
    q->many = call;
}

static bool call_make(Sequence *q, int i, int *code) {
    Child *c = q->c;
    const CallSpec *call = &c->call_spec[i];
    Tensor input[WIRE_INPUTS_MAX];
    CaseReport r;
    *code = EXIT_WIRE;
    if (!call_inputs(q, i, input)) return false;
    if (call->repeats > 1) begin_many(q, call);
    for (bool more = false;;) {
        ArenaMark mark = arena_mark(&c->call);
        int storages = q->m->storages.count, news = c->cover->news;
        c->nth++;
        c->cover->launched = 0;
        if (call->repeats > 1 && !inputs_turn(q, &c->call_spec[call_values(call, c->nth)].spec, input))
            return false;
        machine_ready(q, call);
        q->diags = DIAGS(&c->call);
        bool ok = (i > q->first || host_build(q->program, input, q->inputs)) &&
                  host_call(q->program, input, q->inputs, q->out[i]) &&
                  outputs_apart(c, q->m, &call->spec, input, q->out[i]);
        if (!ok) {
            const Diag *d = diag_first(&q->diags);
            *code = d ? EXIT_DONE : EXIT_SILENT;
            if (d) finding_of_call(q, d);
            return false;
        }
        keep_note(c, &q->diags);
        r = report_of(c, REPORT_CALL);
        r.count = q->m->count;
        r.configs = q->m->autotune.configs;
        r.atomic_launches = q->m->race.atomic_launches;
        outputs_take(c, &call->spec, q->out[i], 0, &r);
        if (call->repeats > 1) note_kept(q, storages);
        more = call->repeats > 1 && goes_on(q, call, &r, news);
        if (!more) break;
        forget(q, i, mark, storages);
    }
    wire_message(&r, c->note);
    send_report(c, &r);
    q->made[i] = true;
    return true;
}

// The answers once more, but for those that belong to the caller: he has given other values since. One that
// had no room has the wrong shape, and the parent knows.
static void answers_again(const Sequence *q, int end) {
    for (int i = q->first; i < end; i++) {
        const CallSpec *call = &q->c->call_spec[i];
        for (int k = 0; q->made[i] && k < call->spec.outputs; k++) {
            const CaseOutput *o = &call->spec.output[k];
            const Tensor *t = &q->out[i][k];
            if (o->input < 0 && tensor_numel(t) <= o->bytes / dtype_bytes(t->dtype))
                tensor_gather(t, output_place(q->c, call->kept_at + o->at, o->bytes), NULL);
        }
    }
}

static bool sequence_run(Child *c, int first, int end, int *code) {
    Sequence *q = NEW(&c->call, Sequence);
    *code = EXIT_WIRE;
    c->nth = 0;
    if (!sequence_begin(q, c, first)) return false;
    for (int i = first; i < end; i++) {
        const CallSpec *call = &c->call_spec[i];
        if (i > first && call->flags & CALL_OTHER && host_bound(q->program)) continue;
        c->at = call->case_index;
        c->call_number = i + 1;
        c->later = i > first;
        cover_case(c);
        if (!call_make(q, i, code)) return false;
    }
    c->later = false;
    answers_again(q, end);
    return true;
}

bool calls_run(Child *c, int *code) {
    ArenaMark mark = arena_mark(&c->call);
    *code = EXIT_WIRE;
    for (int i = 0; i < c->calls; i++)
        if (!call_sane(c, i)) return false;
    for (int first = 0, end; first < c->calls; first = end) {
        end = first + 1;
        while (end < c->calls && !(c->call_spec[end].flags & CALL_BUILDS)) end++;
        if (c->call_spec[first].flags & CALL_FAR && !c->changes) continue;
        code_make_room(c);
        if (!sequence_run(c, first, end, code)) return false;
        arena_reset(&c->call, mark);
    }
    return true;
}
