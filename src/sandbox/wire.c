#include "sandbox/wire.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/numeric/rng.h"
#include "host/python/binding.h"

// Counters are sums that go into JSON and ratios: exact in a double, and far from any overflow.
static const int64_t count_max = (int64_t)1 << 53;

static void printable(char *p, size_t n) {
    size_t i = 0;
    for (; i + 1 < n && p[i]; i++)
        if (p[i] < ' ' || p[i] > '~') p[i] = p[i] == '\n' || p[i] == '\t' ? ' ' : '?';
    memset(p + i, 0, n - i); // the rest too: what lies behind a NUL is the child's
}

void wire_message(CaseReport *r, const char *text) {
    r->magic = WIRE_MAGIC;
    size_t n = strnlen(text, sizeof r->message - 1);
    memset(r->message, 0, sizeof r->message);
    memcpy(r->message, text, n);
    printable(r->message, sizeof r->message);
}

// Numbers that are even choose freely, those between them what neither neighbour has.
static int turn_at(const CallSpec *c, int64_t nth) {
    uint64_t x = rng_mix(c->turn_seed, (uint64_t)nth);
    if (c->turns < 3 || nth % 2 == 0) return (int)(x % (uint64_t)c->turns);
    int before = turn_at(c, nth - 1), after = turn_at(c, nth + 1);
    int least = before < after ? before : after, most = before < after ? after : before;
    int turn = (int)(x % (uint64_t)(c->turns - 1 - (least != most)));
    turn += turn >= least;
    return turn + (least != most && turn >= most);
}

int call_values(const CallSpec *c, int64_t nth) { return c->turn_of + turn_at(c, nth); }

size_t memory_needed(const CaseSpec *spec, int n) {
    enum { TIMES = 8 };
    const int64_t least = 64 << 20, most = 512 << 20;
    int64_t tensors = least;
    for (int i = 0; i < n; i++) {
        int64_t bytes = spec[i].output_bytes < most ? spec[i].output_bytes : most;
        for (int k = 0; spec[i].input && k < spec[i].inputs && bytes < most; k++)
            bytes += spec[i].input[k].bytes < most ? spec[i].input[k].bytes : most;
        if (bytes * TIMES > tensors) tensors = bytes * TIMES;
    }
    return (size_t)(tensors < most ? tensors : most) * MEMORY_PER_TENSORS;
}

size_t memory_repeated(const CaseTensor *input, int n) {
    enum { LINE = 128 };
    size_t sum = 0;
    for (int i = 0; i < n; i++)
        if (input[i].held > 0) sum += (size_t)(input[i].bytes / LINE + 2) * LINE;
    return sum;
}

void wire_put(uint8_t *map, int64_t *at, const CaseSpec *spec, CaseSpec *to) {
    size_t bytes = (size_t)spec->inputs * sizeof *spec->input;
    *to = *spec;
    to->input = NULL;
    to->inputs_at = *at;
    if (bytes) memcpy(map + *at, spec->input, bytes);
    *at += (int64_t)bytes;
}

const CaseTensor *wire_inputs(const uint8_t *map, size_t bytes, const CaseSpec *s) {
    if (s->inputs < 0 || s->inputs > WIRE_INPUTS_MAX || s->inputs_at < 0 || s->inputs_at % 8 ||
        (uint64_t)s->inputs_at > bytes ||
        (size_t)s->inputs * sizeof(CaseTensor) > bytes - (size_t)s->inputs_at)
        return NULL;
    return (const CaseTensor *)(map + s->inputs_at);
}

bool wire_send(int fd, const CaseReport *r, size_t n) {
    const char *p = (const char *)r;
    for (size_t left = sizeof *r * n; left;) {
        ssize_t sent = write(fd, p, left);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        p += sent;
        left -= (size_t)sent;
    }
    return true;
}

static bool counters_sane(const Counters *c) {
    const int64_t all[] = {c->lanes,        c->instructions,   c->programs,      c->launches,
                           c->bytes_loaded, c->bytes_stored,   c->bytes_copied,  c->tile_bytes,
                           c->warps,        c->function_lanes, c->library_calls, c->library_bytes,
                           c->light_bytes,  c->library_work};
    _Static_assert(sizeof all == sizeof *c, "a new counter has to be checked here too");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] < 0 || all[i] > count_max) return false;
    return true;
}

static const char *output_fault(ReportOutput *o) {
    if (o->dtype < 0 || o->dtype >= DT_COUNT) return "a report names no dtype";
    if (o->rank < 0 || o->rank > TENSOR_RANK_MAX) return "a report has an impossible rank";
    int64_t numel;
    if (!shape_numel(o->shape, o->rank, &numel)) return "a report has an impossible shape";
    for (int i = o->rank; i < TENSOR_RANK_MAX; i++) o->shape[i] = 0;
    if (o->unwritten < 0 || o->unwritten > numel) return "a report counts more elements than there are";
    if (o->repeats < 0 || o->repeats > 1) return "a report repeats an answer in an impossible way";
    if (o->unwritten == 0) o->first_unwritten = -1;
    if (o->unwritten > 0 && (o->first_unwritten < 0 || o->first_unwritten >= numel))
        return "a report names an element that does not exist";
    return NULL;
}

// NULL, or what is wrong with a REPORT_RAN.
static const char *ran_fault(CaseReport *r) {
    const char *why = NULL;
    for (int k = 0; !why && k < WIRE_OUTPUTS_MAX; k++) why = output_fault(&r->output[k]);
    if (why) return why;
    if (r->configs < 0 || r->configs > WIRE_CASES_MAX) return "a report has an impossible number of configs";
    if (r->again < -1 || r->again > 1) return "a report counts orders that were not asked for";
    if (r->contracted & ~(1 << CONTRACT_LEFT | 1 << CONTRACT_RIGHT))
        return "a report names a run that there is not";
    if (r->read_back < 0 || r->read_back > 1) return "a report has an impossible answer";
    if (r->atomic_launches < 0 || r->stores < 0 || r->tables < 0) return "a report has an impossible count";
    if (r->binding < 0 || r->binding > BIND_NONE) return "a report names a rule that there is not";
    if (r->knocked < 0 || r->knocked > 1 || r->replaceable < 0 || r->replaceable > 1 ||
        r->knocked_bytes < 0 || r->knocked_bytes > count_max)
        return "a report tells the impossible of a launch";
    r->finding = 0;
    r->at = r->len = 0;
    r->keeps = 0;
    return NULL;
}

static const char *call_fault(CaseReport *r, const CaseReport *before, int cases) {
    int last = before && before->kind == REPORT_CALL ? before->call : 0;
    if (r->call <= last || r->call > WIRE_CALLS_MAX) return "calls are out of order";
    if (r->case_index < 0 || r->case_index >= cases) return "a call names no case";
    if (r->nth < 1 || r->nth > WIRE_REPEATS_MAX) return "a call was made an impossible number of times";
    if (r->again != 0 || r->contracted != 0) return "a call has no other runs";
    return ran_fault(r);
}

static const char *finding_fault(CaseReport *r, size_t source_len) {
    if (r->finding <= DIAG_WARNING || r->finding >= DIAG_COUNT) return "a report names no finding";
    if (r->at > source_len || r->len > source_len - r->at) return "a finding lies outside the source";
    r->configs = r->read_back = 0;
    memset(r->output, 0, sizeof r->output);
    r->again = r->contracted = r->atomic_launches = r->keeps = 0;
    r->stores = r->tables = 0;
    r->knocked = r->replaceable = 0;
    r->knocked_bytes = 0;
    return NULL;
}

// The last frame: `index` cases have run, and perhaps calls after them.
static const char *last_fault(CaseReport *r, const CaseReport *before, int index, int cases,
                              size_t source_len) {
    int last = before && before->kind == REPORT_CALL ? before->call : 0;
    if (r->kind == REPORT_DONE) {
        if (r->case_index != -1) return "the closing report names a case";
        if (r->keeps < 0 || r->keeps > 1) return "a report has an impossible answer";
        if (last && !r->keeps) return "calls were made for nothing";
        r->call = r->nth = 0;
        return index != cases ? "cases are missing" : NULL;
    }
    if (r->kind != REPORT_FINDING)
        return r->kind == REPORT_RAN || r->kind == REPORT_CALL ? "the closing report is missing"
                                                               : "a report has no known kind";
    bool own = r->call == 0 && !last && r->case_index == index && index < cases;
    bool source = r->call == 0 && r->case_index == -1 && index == 0 && !last;
    bool call = r->call > last && r->call <= WIRE_CALLS_MAX && index == cases && r->case_index >= 0 &&
                r->case_index < cases && r->nth >= 1 && r->nth <= WIRE_REPEATS_MAX;
    if (!call) r->nth = 0;
    return own || source || call ? finding_fault(r, source_len) : "a finding names the wrong case";
}

// *index: cases that have run before.
static const char *report_fault(CaseReport *r, const CaseReport *before, bool last, int *index, int cases,
                                size_t source_len) {
    if (r->magic != WIRE_MAGIC) return "a report is not a report";
    printable(r->message, sizeof r->message);
    printable(r->library, sizeof r->library);
    if (!counters_sane(&r->count)) return "a report has an impossible count";
    if (last) return last_fault(r, before, *index, cases, source_len);
    if (r->kind == REPORT_CALL)
        return *index == cases ? call_fault(r, before, cases) : "calls come before the cases have run";
    if (r->kind != REPORT_RAN) return "a report has no known kind";
    if (before && before->kind == REPORT_CALL) return "reports are out of order";
    r->call = r->nth = 0;
    if (r->case_index != *index || *index >= cases) return "reports are out of order";
    ++*index;
    return ran_fault(r);
}

WireEnd wire_check(CaseReport *report, int n, int cases, size_t source_len, const char **why) {
    int index = 0;
    *why = "no report at all";
    for (int i = 0; i < n; i++)
        if ((*why =
                 report_fault(&report[i], i ? &report[i - 1] : NULL, i == n - 1, &index, cases, source_len)))
            return WIRE_BROKEN;
    if (*why) return WIRE_BROKEN;
    return report[n - 1].kind == REPORT_DONE ? WIRE_DONE : WIRE_FINDING;
}
