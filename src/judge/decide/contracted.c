#include "judge/decide/contracted.h"

static bool worse(const Comparison *x, const Comparison *than) {
    return x->worst > than->worst || (x->worst == than->worst && x->use > than->use);
}

static Comparison compare_run(const Draw *d, int index, const uint8_t *outputs, uint8_t *judged) {
    const CaseTruth *truth = &d->truth[index];
    const CaseSpec *spec = &d->spec[index];
    const Rounded *rounded = truth->rounded;
    const Bound *b = truth->expected;
    Comparison worst = {0};
    for (int k = 0; b; k++, b = b->also, rounded = rounded_also(rounded)) {
        Comparison of;
        compare_case(b, rounded, outputs + spec->output[k].at, judged, &of);
        of.output = k;
        if (k == 0 || worse(&of, &worst)) worst = of;
    }
    return worst;
}

// Nearly always, and told by less than a comparison. Of a case whose own answer is right.
static bool surely_right(const Draw *d, int index, const uint8_t *outputs, int run, uint8_t *judged) {
    const CaseSpec *spec = &d->spec[index];
    const uint8_t *right = outputs + spec->output_at, *now = outputs + spec_output_at(spec, run);
    const Bound *b = d->truth[index].expected;
    for (int k = 0; b; k++, b = b->also)
        if (!compare_surely_right(b, now + spec->output[k].at, right + spec->output[k].at, judged))
            return false;
    return true;
}

static Comparison compare_runs(const Draw *d, int index, const CaseReport *r, const uint8_t *outputs,
                               uint8_t *judged, int *number) {
    const CaseSpec *spec = &d->spec[index];
    Comparison worst = {0};
    *number = 0;
    for (ContractSide side = CONTRACT_LEFT; side <= CONTRACT_RIGHT; side++) {
        if (!(r->contracted & spec->contract & 1 << side)) continue;
        int run = spec_contracted(spec, side);
        if (surely_right(d, index, outputs, run, judged)) continue;
        Comparison of = compare_run(d, index, outputs + spec_output_at(spec, run), judged);
        if (of.wrong == 0 || (worst.wrong > 0 && !worse(&of, &worst))) continue;
        worst = of;
        *number = run;
    }
    return worst;
}

Comparison contracted_compare(const Draw *d, int index, const CaseReport *r, const uint8_t *outputs,
                              uint8_t *judged) {
    int number;
    return compare_runs(d, index, r, outputs, judged, &number);
}

int contracted_run(Arena *a, const Draw *d, int index, const CaseReport *r, const uint8_t *outputs) {
    int64_t most = 0;
    for (const Bound *b = d->truth[index].expected; b; b = b->also)
        if (b->numel > most) most = b->numel;
    int number;
    (void)compare_runs(d, index, r, outputs, arena_raw(a, (size_t)most + 1, 1), &number);
    return number;
}

const char *contracted_feedback(Arena *a, const Draw *d, int index, const Comparison *c, const char *note) {
    static const char before[] =
        "With a multiplication and the sum or difference that it goes into fused, as compilers do: ";
    static const char advice[] =
        "Where a * c - b * c should be 0 or near it, the rounding of one product is left: write (a - b) * c, "
        "use -inf as the stand-in, or launch with enable_fp_fusion=False.";
    const char *said = feedback_numeric_with(a, d, index, c, advice, note);
    int room = FEEDBACK_MAX - (int)sizeof before + 1;
    if ((int)strlen(said) > room) said = feedback_numeric_with(a, d, index, c, advice, "");
    return arena_printf(a, "%s%.*s", before, room, said);
}
