#include "cases/calls.h"

#include <assert.h>
#include <math.h>

#include "base/numeric/rng.h"
#include "cases/domain/domain.h"
#include "cases/domain/lines.h"
#include "cases/other_values.h"

enum {
    SMALL_BYTES = 1 << 14, // of all inputs of a case that is called several times
    FULL_SEQUENCES = 3,
    SOME_CALLS = 20,
    WARM_CALLS = 300, // before large ones
    LARGE_CALLS = 40, // of one large shape
    MANY_CALLS = 2000,
    ASKING_CALLS = 30, // enough to see what changes with each: then no more unless a condition waits for them
    DTYPE_CALLS = 400,
    FAR_CALLS = 20000,
    TO_NEWS = 3, // how many answers of calls that do something new are judged
    TOUR = 24,   // shapes that one object meets
};

static int64_t input_bytes(const CaseSpec *s) {
    int64_t n = 0;
    for (int i = 0; i < s->inputs; i++) n += s->input[i].bytes;
    return n;
}

static int smallest_case(const Draw *d, const CaseSpec *layout) {
    int least = 0;
    for (int i = 1; i < d->cases; i++)
        if (input_bytes(&layout[i]) < input_bytes(&layout[least])) least = i;
    return least;
}

// The first case of those with the most of something that is not too large to be called several times. -1:
// none.
typedef enum { BY_ELEMENTS, BY_LENGTH, BY_SLICES, BY_SHORT_SLICES } Most;

static int largest(const Draw *d, const CaseSpec *layout, Most what) {
    enum { SEVERAL = 5 };
    static const int64_t elements_most[] = {1 << 17, 1 << 18, 1 << 18, 1 << 15};
    int found = -1;
    int64_t most = 0;
    for (int i = 0; i < d->cases; i++) {
        int64_t slices = domain_slices(d->domain, d->truth[i].dim),
                length = domain_length(d->domain, d->truth[i].dim), elements = slices * length;
        if (d->truth[i].twin || input_bytes(&layout[i]) <= SMALL_BYTES) continue;
        if (elements > elements_most[what]) continue;
        if (what == BY_ELEMENTS && slices < SEVERAL) continue;
        int64_t value = what == BY_ELEMENTS ? elements : what == BY_LENGTH ? length : slices;
        value = 2 * value + (d->truth[i].dtype != DT_F32); // see swap_elements()
        if (value > most) most = value, found = i;
    }
    return found;
}

// False where the right answer may be 0 or next to it everywhere: a call that answers 0 instead, say since a
// counter has come to its end, would pass.
static bool shows(const CaseTruth *t) {
    static const bool nothing[CLASS_COUNT] = {
        [CLASS_zero] = true,    [CLASS_tiny_1e20] = true,    [CLASS_subnormal] = true,
        [CLASS_neg_inf] = true, [CLASS_neg_inf_most] = true, [CLASS_neg_inf_blocks] = true,
        [CLASS_below] = true,   [CLASS_near_zero] = true,    [CLASS_nearly_constant] = true};
    for (int64_t i = 0; t->line_class && i < t->lines; i++)
        if (!nothing[t->line_class[i]]) return true;
    return !t->line_class;
}

// How much the values of a case can show: of several slices, of longer lines.
static int worth(const Draw *d, int index) {
    enum { SLICES = 5, LENGTH = 16 };
    const CaseTruth *t = &d->truth[index];
    int64_t slices = calls_slices(d->domain, t), n = domain_length(d->domain, t->dim);
    return 4 * shows(t) + (slices >= SLICES && n >= LENGTH) + (slices > 1 && n > 1) + (n > 1);
}

// One of the small cases that are worth the most. A case of other shape and, if there is one, dtype than
// `first` and, if `longer`, with longer lines if there is one, or of `dtype` where first is -1. -1: none.
static int choose(const Draw *d, const CaseSpec *layout, int first, DType dtype, bool longer, Rng *r) {
    int found = -1, seen = 0, best = 0;
    for (int i = 0; i < d->cases; i++) {
        const CaseTruth *t = &d->truth[i], *f = first < 0 ? NULL : &d->truth[first];
        if (input_bytes(&layout[i]) > SMALL_BYTES || t->twin) continue;
        if (f ? memcmp(t->dim, f->dim, sizeof t->dim) == 0 : t->dtype != dtype) continue;
        int value = worth(d, i) + (f && t->dtype != f->dtype ? 10 : 0);
        if (longer && domain_length(d->domain, t->dim) > domain_length(d->domain, f->dim)) value += 20;
        if (found >= 0 && value < best) continue;
        if (value > best) seen = 0;
        best = value;
        if (rng_below(r, (uint64_t)++seen) == 0) found = i;
    }
    return found;
}

CallSpec *calls_add(CallPlan *p, const Draw *d, const CaseSpec *layout, int index, int flags) {
    CallSpec *c = &p->call[p->calls];
    *c = (CallSpec){.spec = layout[index], .flags = flags, .case_index = index, .same_as = -1, .repeats = 1};
    c->spec.input = NEWN(p->arena, CaseTensor, (size_t)c->spec.inputs + 1);
    for (int i = 0; i < c->spec.inputs; i++) {
        c->spec.input[i] = layout[index].input[i];
        c->spec.input[i].marks = 0;
    }
    CallTruth *t = &p->of[p->calls++];
    *t = (CallTruth){.dtype = d->truth[index].dtype, .strided = d->truth[index].strided};
    memcpy(t->dim, d->truth[index].dim, sizeof t->dim);
    return c;
}

// From its storage's beginning on, by its shape, strides and dtype.
static int64_t tensor_bytes(const CaseTensor *t) {
    int64_t last = t->offset + 1;
    for (int k = 0; k < t->rank; k++) last += (t->shape[k] - 1) * t->stride[k];
    return last * dtype_bytes((DType)t->dtype);
}

// ---- fewer slices

// False where the domain has none.
static bool fewer_slices(const Draw *d, CallPlan *p, Rng *r) {
    const Op *op = d->op;
    const Domain *m = d->domain;
    CallSpec *c = &p->call[p->calls - 1];
    int64_t *dim = p->of[p->calls - 1].dim, was[OP_DIMS_MAX],
            slices = calls_slices(m, &d->truth[c->case_index]);
    if (slices < 2) return false;
    for (int k = 0; k < op->dims; k++)
        if (op->dim[k].of == m->slices) return false;
    memcpy(was, dim, sizeof was);
    dim[m->slices] = rng_between(r, 1, slices - 1);
    plan_fit(op, dim);
    for (int k = 0; k < op->dims; k++)
        if (k != m->slices && dim[k] != was[k]) return false;
    if (dim[m->slices] >= slices) return false;
    for (int i = 0; i < c->spec.inputs; i++) {
        CaseTensor *t = &c->spec.input[i];
        if (m->slice_axis[i] < 0) continue;
        t->shape[m->slice_axis[i]] = dim[m->slices];
        t->bytes = tensor_bytes(t);
    }
    return true;
}

// ---- the same values laid out otherwise, or of another dtype

static void place(CaseTensor *t, int64_t *at) {
    t->bytes = tensor_bytes(t);
    t->at = *at;
    *at += (t->bytes + CALL_ALIGN - 1) / CALL_ALIGN * CALL_ALIGN;
}

// All that has rows gets twice the stride from each to the next, whatever it was: what an object has kept of
// the first tensors' layout finds other elements. False where nothing has rows, or the domain no gaps.
static bool other_layout(const Draw *d, CallPlan *p, int64_t *at) {
    CallSpec *c = &p->call[p->calls - 1];
    bool any = false;
    if (d->op->domain.contiguous) return false;
    for (int i = 0; i < c->spec.inputs; i++) {
        CaseTensor *t = &c->spec.input[i];
        if (t->rank < 2) continue;
        int64_t stride = 2 * t->stride[t->rank - 2];
        for (int k = t->rank - 2; k >= 0; k--) {
            t->stride[k] = stride;
            stride *= t->shape[k];
        }
        place(t, at);
        any = true;
    }
    p->of[p->calls - 1].strided = op_all_inputs(d->op);
    p->of[p->calls - 1].moved = any;
    return any;
}

static bool has_dtype(const Draw *d, DType t) {
    for (int i = 0; i < d->cases; i++)
        if (d->truth[i].dtype == t) return true;
    return false;
}

// Of a dtype that the draw has and whose range holds that of the first one. False: there is none.
static bool other_dtype(const Draw *d, CallPlan *p, int64_t *at, Rng *r) {
    CallSpec *c = &p->call[p->calls - 1];
    DType from = p->of[p->calls - 1].dtype, to = from == DT_F32 ? DT_BF16 : DT_F32;
    if (from == DT_F16 && has_dtype(d, DT_BF16) && rng_below(r, 2) == 0) to = DT_BF16;
    if (!has_dtype(d, to)) return false;
    bool any = false;
    for (int i = 0; i < c->spec.inputs; i++) {
        CaseTensor *t = &c->spec.input[i];
        if (!d->op->input[i].any_float) continue;
        t->dtype = (int32_t)to;
        place(t, at);
        any = true;
    }
    p->of[p->calls - 1].dtype = to;
    p->of[p->calls - 1].moved = any;
    return any;
}

// Finite numbers stay finite, and what is not 0 does not become 0.
static double as_dtype(DType t, double x) {
    double y = dtype_round(t, x);
    if (isfinite(x) && !isfinite(y)) y = copysign(dtype_max(t), x);
    return y == 0 && x != 0 ? dtype_next(t, 0, x > 0 ? 1 : -1) : y;
}

static void move_values(const CallSpec *c, const CaseSpec *from, uint8_t *map) {
    for (int i = 0; i < c->spec.inputs; i++) {
        const CaseTensor *to = &c->spec.input[i], *x = &from->input[i];
        int64_t numel = 1, size = dtype_bytes((DType)to->dtype);
        for (int k = 0; k < x->rank; k++) numel *= x->shape[k];
        for (int64_t k = 0; to->at != x->at && k < numel; k++) {
            const uint8_t *source = map + x->at + tensor_element(x, k) * dtype_bytes((DType)x->dtype);
            uint8_t *target = map + to->at + tensor_element(to, k) * size;
            if (to->dtype == x->dtype)
                memcpy(target, source, (size_t)size);
            else
                dtype_store((DType)to->dtype, target,
                            as_dtype((DType)to->dtype, dtype_load((DType)x->dtype, source)));
        }
    }
}

// ---- the plan

// Calls of other values, behind the first call of a sequence. The last has tensors of its own: an object that
// kept the first ones looks into them in vain.
static void other_values(const Draw *d, const CaseSpec *layout, int first, int flags, CallPlan *p,
                         int64_t *at) {
    for (Change k = CHANGE_ELEMENTS; k <= CHANGE_ALL; k++) {
        calls_add(p, d, layout, first, k == CHANGE_ALL ? flags : flags | CALL_RENEWS);
        other_values_plan(d, p, k, at);
    }
}

// A call that is made many times, each time with the values of one of the sequence's calls so far.
static void call_repeat(const Draw *d, CallPlan *p, int begin, int repeats) {
    CallSpec *c = &p->call[p->calls - 1];
    c->repeats = repeats;
    c->far = repeats == MANY_CALLS ? FAR_CALLS : repeats == ASKING_CALLS ? DTYPE_CALLS : 0;
    c->turn_of = begin;
    while (c->turn_of + c->turns < p->calls - 1 && p->call[begin + c->turns].repeats == 1) c->turns++;
    c->turn_seed = rng_mix(d->seed, 0x7475726e + (uint64_t)begin);
}

// Other values at a shape that was met long ago, then those of call `begin`.
static void come_back(const Draw *d, const CaseSpec *layout, int begin, int flags, CallPlan *p, int64_t *at) {
    int index = p->call[begin].case_index;
    calls_add(p, d, layout, index, flags);
    other_values_plan(d, p, CHANGE_BACK, at);
    calls_add(p, d, layout, index, flags)->same_as = begin;
}

// Right behind: the same but for the weights, which are other ones in the tensors that held them.
static void other_weights(const Draw *d, const CaseSpec *layout, int begin, CallPlan *p, int64_t *at) {
    bool any = false;
    for (int i = 0; i < d->op->inputs; i++) any |= other_weight(d->domain, i);
    if (!any) return;
    calls_add(p, d, layout, p->call[begin].case_index, CALL_RENEWS | CALL_OTHER);
    other_values_plan(d, p, CHANGE_WEIGHTS, at);
}

// The first sequence, which repeats a call, goes on to longer lines: what an object keeps for a shape has to
// grow there.
static void plan_sequence(const Draw *d, const CaseSpec *layout, int first, int repeats, CallPlan *p,
                          int64_t *at) {
    Rng r = rng_at(d->seed, rng_mix(d->seed, 0x63616c6c + (uint64_t)first));
    int begin = p->calls, other = choose(d, layout, first, DT_F32, repeats > 0, &r);
    const CaseSpec *spec = &layout[first];
    calls_add(p, d, layout, first, CALL_BUILDS);
    other_values(d, layout, first, 0, p, at);
    for (int k = 0; repeats > 0 && k < 2 * TO_NEWS; k++) {
        calls_add(p, d, layout, first, CALL_RENEWS | (k == TO_NEWS ? 0 : CALL_TO_NEWS));
        call_repeat(d, p, begin, repeats);
    }
    // What counts calls of one dtype waits for them in that sequence alone.
    if (repeats == 0) calls_add(p, d, layout, first, CALL_RENEWS), call_repeat(d, p, begin, ASKING_CALLS);
    // An object that goes over to what it has kept meets others.
    if (repeats > 0) calls_add(p, d, layout, first, CALL_RENEWS), other_values_plan(d, p, CHANGE_AFTER, at);
    // Right behind a call of that shape: what is kept for a shape has not been replaced yet.
    calls_add(p, d, layout, first, 0);
    if (!other_layout(d, p, at)) p->calls--;
    calls_add(p, d, layout, first, CALL_OTHER); // of other weights, too
    if (!other_dtype(d, p, at, &r)) p->calls--;
    calls_add(p, d, layout, first, 0);
    if (!fewer_slices(d, p, &r)) p->calls--;
    if (other >= 0) {
        CallSpec *c = calls_add(p, d, layout, other, CALL_OTHER);
        c->spec.processors = spec->processors; // one GPU
    }
    come_back(d, layout, begin, CALL_RENEWS, p, at);
    other_weights(d, layout, begin, p, at);
}

static bool has_shape(const CallPlan *p, int begin, const int64_t *dim) {
    for (int i = begin; i < p->calls; i++)
        if (memcmp(p->of[i].dim, dim, sizeof p->of[i].dim) == 0) return true;
    return false;
}

// One object meets many small shapes, then the first again: what it keeps for each of them has a limit.
static void plan_tour(const Draw *d, const CaseSpec *layout, CallPlan *p, int64_t *at) {
    int begin = p->calls;
    for (int i = 0; i < d->cases && p->calls - begin < TOUR; i++) {
        const CaseTruth *t = &d->truth[i];
        if (input_bytes(&layout[i]) > SMALL_BYTES || t->twin || has_shape(p, begin, t->dim)) continue;
        CallSpec *c = calls_add(p, d, layout, i, p->calls == begin ? CALL_BUILDS : CALL_OTHER);
        c->spec.processors = p->call[begin].spec.processors; // one GPU
    }
    if (p->calls > begin) come_back(d, layout, begin, 0, p, at);
}

// Another shape, on the GPU of call `begin`.
static void call_there(CallPlan *p, const Draw *d, const CaseSpec *layout, int i, int begin) {
    calls_add(p, d, layout, i, CALL_OTHER)->spec.processors = p->call[begin].spec.processors;
}

// What is counted or kept of large calls alone, and what an object goes over to after many calls: fewer
// slices, many times, and more of them; many slices, of which the last one changes, long lines, a small call,
// and the first large shape again. A block that has grown with long lines, and stays so, would be too much
// work for many slices. An object that was made for some weights meets those of that length.
static void plan_large(const Draw *d, const CaseSpec *layout, CallPlan *p, int64_t *at) {
    int begin = p->calls, first = largest(d, layout, BY_ELEMENTS), small = smallest_case(d, layout);
    const int longest = largest(d, layout, BY_LENGTH), many = largest(d, layout, BY_SHORT_SLICES),
              other[] = {largest(d, layout, BY_SLICES), longest, small};
    if (first < 0) return;
    Rng r = rng_at(d->seed, rng_mix(d->seed, 0x6c61726765));
    calls_add(p, d, layout, first, CALL_BUILDS);
    if (fewer_slices(d, p, &r)) {
        p->calls++;
        p->of[begin + 1] = p->of[begin];
        p->call[begin + 1] = p->call[begin];
        p->call[begin + 1].flags = CALL_RENEWS;
        call_repeat(d, p, begin, WARM_CALLS);
        calls_add(p, d, layout, first, 0);
    }
    int large = p->calls - 1;
    calls_add(p, d, layout, first, 0);
    other_values_plan(d, p, CHANGE_ELEMENTS, at);
    calls_add(p, d, layout, first, 0);
    call_repeat(d, p, large, LARGE_CALLS);
    for (int k = 0; k < 2 && many >= 0; k++) call_there(p, d, layout, many, begin);
    if (many >= 0) other_values_plan(d, p, CHANGE_LAST, at); // of many slices
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        if (other[k] < 0 || has_shape(p, begin, d->truth[other[k]].dim)) continue;
        call_there(p, d, layout, other[k], begin);
        if (other[k] != longest) continue;
        // With other values, too: an answer that is kept for such lines alone would be right each time.
        call_there(p, d, layout, longest, begin);
        other_values_plan(d, p, CHANGE_ELEMENTS, at);
        call_there(p, d, layout, longest, begin);
        call_repeat(d, p, p->calls - 3, LARGE_CALLS);
    }
    come_back(d, layout, large, 0, p, at);
}

// The case with the fewest programs whose values can show anything, of any dtype but these.
static int cheapest(const Draw *d, const CaseSpec *layout, const DType *other, int others) {
    enum { SHORTEST = 16, USUAL = 1024, HIDES = 1 << 30 }; // more than any work
    int best = -1;
    int64_t least = 0;
    for (int i = 0; i < d->cases; i++) {
        int64_t n = domain_length(d->domain, d->truth[i].dim), work = n < USUAL ? USUAL : n;
        bool had = false;
        for (int k = 0; k < others; k++) had |= d->truth[i].dtype == other[k];
        work *= domain_slices(d->domain, d->truth[i].dim);
        if (!shows(&d->truth[i])) work += HIDES;
        if (had || n < SHORTEST || input_bytes(&layout[i]) > SMALL_BYTES || (best >= 0 && work >= least))
            continue;
        best = i, least = work;
    }
    return best;
}

// A counter in a tensor chooses without a condition: as many calls as for a condition on what is kept. It may
// count those of one dtype alone, so the others have some, too.
static void plan_far(const Draw *d, const CaseSpec *layout, CallPlan *p, int64_t *at) {
    enum { DTYPES = 3 };
    int begin = p->calls, best = cheapest(d, layout, NULL, 0), had = 0;
    DType seen[DTYPES];
    if (best < 0) return;
    calls_add(p, d, layout, best, CALL_BUILDS | CALL_FAR);
    other_values(d, layout, best, CALL_FAR, p, at);
    calls_add(p, d, layout, best, CALL_RENEWS | CALL_FAR);
    call_repeat(d, p, begin, MANY_CALLS);
    for (seen[had++] = d->truth[best].dtype; had < DTYPES; seen[had++] = d->truth[best].dtype) {
        best = cheapest(d, layout, seen, had);
        if (best < 0) return;
        for (int k = 0; k < 2; k++)
            calls_add(p, d, layout, best, CALL_OTHER | CALL_FAR)->spec.processors =
                p->call[begin].spec.processors;
        call_repeat(d, p, p->calls - 2, DTYPE_CALLS);
    }
}

void calls_plan(Arena *a, const Draw *d, const CaseSpec *layout, bool thorough, CallPlan *p, int64_t *at) {
    enum { A_SEQUENCE = 13, REPEATED = 2 * TO_NEWS + 1, LARGE = 14, FAR = 9 };
    Rng r = rng_at(d->seed, rng_mix(d->seed, 0x63616c6c));
    uint64_t turn = rng_u64(&r);
    static const DType dtypes[FULL_SEQUENCES] = {DT_F32, DT_F16, DT_BF16};
    int sequences = 0;
    p->calls = 0;
    p->arena = a;
    assert(FULL_SEQUENCES * A_SEQUENCE + REPEATED + TOUR + 2 + LARGE + FAR < WIRE_CALLS_MAX);
    for (int k = 0; k < FULL_SEQUENCES && (thorough || !sequences); k++) {
        int first = choose(d, layout, -1, dtypes[(turn + (uint64_t)k) % FULL_SEQUENCES], false, &r);
        if (first < 0) continue;
        int repeats = sequences++ ? 0 : thorough ? MANY_CALLS : SOME_CALLS;
        plan_sequence(d, layout, first, repeats, p, at);
    }
    if (!sequences)
        plan_sequence(d, layout, smallest_case(d, layout), thorough ? MANY_CALLS : SOME_CALLS, p, at);
    if (thorough) plan_tour(d, layout, p, at);
    if (thorough) plan_large(d, layout, p, at);
    if (thorough) plan_far(d, layout, p, at);
}

// Somewhere the two answers are surely not taken for each other.
static bool outputs_differ(const Bound *x, const Bound *y) {
    const double clearly = 256 * BOUND_U;
    for (int64_t i = 0; i < x->numel && i < y->numel; i++) {
        double e = (x->e ? x->e[i] : 0) + (y->e ? y->e[i] : 0), ulp = fabs(x->v[i]) * 0x1p-7;
        if (isfinite(x->v[i]) && isfinite(y->v[i]) && fabs(x->v[i] - y->v[i]) > clearly * e + 4 * ulp)
            return true;
    }
    return false;
}

static bool tells_apart(const Bound *x, const Bound *y) {
    for (; x && y; x = x->also, y = y->also)
        if (outputs_differ(x, y)) return true;
    return false;
}

// NULL: the reference fails. Values that would show nothing are drawn again, a few times.
static const Bound *own_answer(Draw *d, const CallSpec *c, const CallTruth *t, uint8_t *map,
                               DiagList *diags) {
    enum { ATTEMPTS = 12 };
    const Bound *first = d->truth[c->case_index].expected, *b = NULL;
    for (int k = 0; k < ATTEMPTS; k++) {
        if (t->change) other_values_fill(d, c, t, k, map);
        b = domain_answer(diags->arena, d->domain, map, &c->spec, NULL, diags);
        if (!b || !t->change || tells_apart(first, b)) break;
    }
    return b;
}

bool calls_fill(Arena *a, Draw *d, const CallPlan *p, uint8_t *map, Err *e) {
    bool ok = true;
    d->calls = p->calls;
    d->called = NEWN(a, CallTruth, (size_t)p->calls + 1);
    Arena scratch = {0};
    ArenaMark mark = arena_mark(&scratch);
    for (int i = 0; i < p->calls && ok; i++) {
        const CallSpec *c = &p->call[i];
        const CaseSpec *from = &d->spec[c->case_index];
        CallTruth *t = &d->called[i];
        const CaseTruth *of = &d->truth[c->case_index];
        *t = p->of[i];
        bool own = false, rows = memcmp(t->dim, of->dim, sizeof t->dim) != 0;
        for (int k = 0; k < c->spec.inputs; k++) own |= c->spec.input[k].at != from->input[k].at;
        t->expected = of->expected;
        if (t->moved) {
            move_values(c, from, map);
            own = false;
        }
        if (!own && !rows && t->dtype == of->dtype) continue;
        DiagList diags = DIAGS(&scratch);
        CallTruth change = *t;
        if (!own) change.change = CHANGE_NONE;
        const Bound *b = own_answer(d, c, &change, map, &diags);
        const Diag *why = diag_first(&diags);
        ok = b || err_set(e, ERR_INPUT, "the reference of %.*s fails on its own domain: %s",
                          STR_ARG(d->op->name), why ? why->msg : "it failed");
        if (ok) t->expected = draw_keep(&d->kept[0], b);
        arena_reset(&scratch, mark);
    }
    arena_free(&scratch);
    return ok;
}

void calls_lay(Draw *d, CallPlan *p) {
    for (int i = 0; i < p->calls; i++) {
        CallSpec *c = &p->call[i];
        CaseSpec *s = &c->spec;
        s->again = s->contract = 0;
        s->origin_at = 0;
        draw_outputs(d->op, d->called[i].expected, s);
        s->output_at = (int64_t)d->output_bytes;
        c->kept_at = spec_output_at(s, 1);
        d->output_bytes = (size_t)(c->kept_at + s->output_bytes + CALL_ALIGN - 1) / CALL_ALIGN * CALL_ALIGN;
    }
}
