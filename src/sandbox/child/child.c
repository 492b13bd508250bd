// What runs behind the closed door: the candidate's source against every case of a draw. No descriptor but
// the report pipe, no memory but the arena's. Nothing here judges: outputs and counts go to the parent as
// they are.
#include "sandbox/child/child.h"
#include "host/candidate/knocked.h"
#include "host/candidate/library_operators.h"
#include "lang/library.h"
#include "module/module.h"
#include "sandbox/child/explore.h"
#include "sandbox/record.h"
#include "sandbox/syscall_filter.h"
#include "tile/loops/loops.h"
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

// Sent together, they wake the parent once for all of a quick draw.
enum { SPARSE_PAGES = 1 << 17, CODE_FIRST = 1 << 20 };

static void send_waiting(Child *c) {
    if (!wire_send(c->job->report_fd, c->report, (size_t)c->waiting)) child_end(EXIT_PIPE);
    c->waiting = 0;
}

void send_report(Child *c, const CaseReport *r) {
    c->report[c->waiting++] = *r;
    bool last = r->kind != REPORT_RAN && r->kind != REPORT_CALL;
    if (c->waiting == REPORTS_TOGETHER || last) send_waiting(c);
}

CaseReport report_of(const Child *c, ReportKind kind) {
    return (CaseReport){.magic = WIRE_MAGIC,
                        .case_index = c->at,
                        .kind = (int32_t)kind,
                        .call = c->call_number,
                        .nth = c->nth};
}

void send_finding(Child *c, const Diag *d, const Counters *count) {
    CaseReport r = report_of(c, REPORT_FINDING);
    size_t at = d->span.at < c->source.len ? d->span.at : c->source.len;
    size_t len = d->span.len < c->source.len - at ? d->span.len : c->source.len - at;
    r.finding = (int32_t)d->kind;
    r.at = (uint32_t)at;
    r.len = (uint32_t)len;
    if (count) r.count = *count;
    wire_message(&r, d->msg);
    send_report(c, &r);
}

// A limit of ours, however generous: it says nothing about the program.
static void memory_gone(void *arg) {
    Child *c = arg;
    char text[128];
    snprintf(
        text, sizeof text,
        "out of memory: the program needs more than the %zu MiB that it may use: that is a limit of this "
        "version",
        c->job->arena_bytes >> 20);
    Diag d = {.kind = DIAG_UNSUPPORTED, .msg = text};
    send_finding(c, &d, NULL);
    child_end(EXIT_DONE);
}

bool within(int64_t at, int64_t bytes, size_t all) {
    return at >= 0 && bytes >= 0 && (uint64_t)at <= all && (uint64_t)bytes <= all - (uint64_t)at;
}

static bool watch_read(Child *c, int64_t at) {
    int64_t traces = c->cases * (int64_t)sizeof(Trace);
    if (at % (int64_t) _Alignof(Trace) || !within(at, traces, c->job->output_bytes)) return false;
    c->trace = (Trace *)(c->job->output + at);
    c->flags = c->job->output + at + traces;
    c->flags_bytes = c->job->output_bytes - (size_t)(at + traces);
    return true;
}

// The mappings are the parent's work; a fault in them is ours.
static bool job_read(Child *c) {
    const ChildJob *job = c->job;
    const JobHeader *h = (const JobHeader *)job->job;
    const DrawHeader *d = (const DrawHeader *)job->draw;
    if (job->job_bytes < sizeof *h || h->magic != WIRE_MAGIC || h->include_len < 0 || h->model_len < 0 ||
        h->source_len > job->job_bytes - sizeof *h)
        return false;
    size_t behind = job->job_bytes - sizeof *h - h->source_len;
    if ((uint64_t)h->include_len > behind || (uint64_t)h->model_len != behind - (size_t)h->include_len)
        return false;
    c->explores = job->draw_bytes >= sizeof *d && d->magic == EXPLORE_MAGIC && d->cases == 0 && d->calls == 0;
    c->records = job->draw_bytes >= sizeof *d && d->magic == RECORD_MAGIC && d->cases == 0 && d->calls == 0;
    if (job->draw_bytes < sizeof *d || (d->magic != WIRE_MAGIC && !c->explores && !c->records) ||
        d->cases > WIRE_CASES_MAX)
        return false;
    if (d->calls > WIRE_CALLS_MAX || (d->calls > 0 && d->cases == 0)) return false;
    if (job->draw_bytes < sizeof *d + d->cases * sizeof(CaseSpec) + d->calls * sizeof(CallSpec)) return false;
    if (h->sparse_bytes < 0 || (uint64_t)h->sparse_bytes > job->arena_bytes) return false;
    if (h->tune < 0 || h->tune > WIRE_CASES_MAX) return false;
    c->source = (Str){(const char *)(h + 1), h->source_len};
    c->extras.include = (Str){c->source.p + c->source.len, (size_t)h->include_len};
    c->extras.old_names = h->old_names != 0;
    c->extras.model = (Str){c->extras.include.p + c->extras.include.len, (size_t)h->model_len};
    if (h->knocked < 0 || h->knocked > KNOCKED_MAX) return false;
    c->knocked = (int)h->knocked;
    c->tune = (int)h->tune;
    c->sparse = (size_t)h->sparse_bytes;
    c->spec = (const CaseSpec *)(d + 1);
    c->cases = (int)d->cases;
    c->call_spec = (const CallSpec *)(c->spec + c->cases);
    c->calls = (int)d->calls;
    const CaseTensor *t = c->cases == 1 ? inputs_of(c, &c->spec[0]) : NULL;
    if (t) c->repeated = memory_repeated(t, c->spec[0].inputs);
    if (c->repeated > job->arena_bytes - c->sparse) return false;
    return h->watch_at == 0 || watch_read(c, h->watch_at);
}

// Autotuned kernels: every config is judged on the short rows. The short cases of each dtype count through
// the configs, and each dtype goes on where the one before it has stopped: up to as many configs as a dtype
// has short cases are run in every dtype, up to as many as there are short cases in one at least. The long
// cases do the same from a config drawn at random on. At level full the referee makes as many passes over the
// cases as there are configs, each turned by one: every config meets every case.
enum { SHORT_ROW = 1000 };
static bool is_short(const Child *c, const CaseSpec *spec) {
    const CaseTensor *all = inputs_of(c, spec);
    for (int i = 0; all && i < spec->inputs; i++) {
        const CaseTensor *t = &all[i];
        if (t->rank > 0 && t->rank <= TENSOR_RANK_MAX && t->shape[t->rank - 1] >= SHORT_ROW) return false;
    }
    return true;
}

static int32_t float_dtype(const Child *c, const CaseSpec *spec) {
    const CaseTensor *all = inputs_of(c, spec);
    for (int i = 0; all && i < spec->inputs; i++)
        if (all[i].dtype >= DT_F16 && all[i].dtype < DT_COUNT) return all[i].dtype;
    return -1;
}

// Once for all runs of all cases: each of them asks for all.
static void note_kinds(Child *c) {
    c->kind = NEWN(&c->code, CaseKind, (size_t)c->cases + 1);
    for (int i = 0; i < c->cases; i++) {
        c->kind[i] = (CaseKind){is_short(c, &c->spec[i]), float_dtype(c, &c->spec[i])};
        c->short_cases += c->kind[i].is_short;
    }
}

int case_tune(const Child *c) {
    const CaseKind *own = &c->kind[c->at];
    int place = own->is_short ? 0 : (int)(c->spec[0].order_seed >> 34);
    for (int i = 0; i < c->cases; i++) {
        const CaseKind *other = &c->kind[i];
        if (other->is_short != own->is_short) continue;
        place += other->dtype < own->dtype || (other->dtype == own->dtype && i < c->at);
    }
    return place;
}

// With cases of long rows alone (--shape) nothing can promise that each config is judged.
static bool too_many_configs(Child *c, const Machine *m, const Node *module) {
    if (c->spec[c->at].sampled) return false; // of addresses alone, which hardly any config changes
    if (c->spec[c->at].any_config) return false;
    if (c->short_cases == 0 || m->autotune.configs <= c->short_cases) return false;
    if (c->trace && c->cases == 1) return false; // a person's experiment, in as many passes as configs
    char text[160];
    snprintf(text, sizeof text,
             "an autotuned kernel has %d configs, more than the %d short cases that judge one each",
             m->autotune.configs, c->short_cases);
    Diag d = {.kind = DIAG_UNSUPPORTED, .msg = text, .span = {module->span.at, 0}};
    send_finding(c, &d, &m->count);
    return true;
}

// Code that one case has compiled serves the others: what was said about it then stays said.
void keep_note(Child *c, const DiagList *diags) {
    for (int i = 0; !c->note[0] && i < diags->count; i++)
        if (diags->at[i].kind == DIAG_WARNING) snprintf(c->note, sizeof c->note, "%s", diags->at[i].msg);
}

// Builds the program and calls it once. What building took has to be as it was after the call: then no call
// of it, whatever comes before, finds anything else than this one did. Large things are not compared, and
// count as changed.
static bool run_watched(Child *c, Machine *m, const Tensor *input, Tensor *out) {
    enum { COMPARED_MOST = 1 << 18 };
    const CaseSpec *spec = &c->spec[c->at];
    HostProgram *p = host_program(m, c->cache, c->module);
    outputs_expect(p, spec);
    ArenaMark mark = arena_mark(&c->call);
    if (!host_build(p, input, spec->inputs)) return false;
    c->binding = host_binding(p);
    ArenaCopy built;
    bool compared = !c->keeps && arena_copy(&c->call, mark, COMPARED_MOST, &built);
    if (!host_call(p, input, spec->inputs, out) || !outputs_apart(c, m, spec, input, out)) return false;
    if (!c->keeps) c->cover->keeps = c->keeps = !compared || !arena_copy_same(&built);
    return true;
}

// One of the runs of a case's program.
typedef struct {
    int number; // of its room
    bool reversed;
    ContractSide side;
    bool natural; // programs from the last to the first, for what is found then; `told`: something was
    bool told;
    bool unknown; // it has found what says nothing: its room is empty
} CaseRun;

// With contracted code. What other values lead to is said; that more steps or registers are needed is the
// business of how this machine contracts.
static bool contracted_finding(Child *c, CaseRun *run, const Diag *d, Diag *said) {
    *said = *d;
    if (run->side == CONTRACT_NONE) return true;
    run->unknown = d->kind != DIAG_OOB && d->kind != DIAG_UNINIT && d->kind != DIAG_VALUE;
    said->msg = arena_printf(
        &c->call, "%s (with a multiplication and the sum that it goes into fused, as compilers do)", d->msg);
    return !run->unknown;
}

// Of a store that goes too far, which of the two is met first depends on the order of the programs.
static bool order_chooses(const Diag *d) { return d->kind == DIAG_OOB || d->kind == DIAG_RACE; }

static bool run_once(Child *c, CaseRun *run, CaseReport *r, int *code);

static void knocked_take(const Child *c, Machine *m, CaseReport *r) {
    const Knocked *k = m->knocked;
    if (!k || r->knocked) return; // the first run of a case tells it
    knocked_end(m);
    r->knocked = k->at.len > 0;
    r->replaceable = k->replaceable;
    r->knocked_bytes = k->bytes;
    if (k->at.at > c->source.len || k->at.len > c->source.len - k->at.at) return;
    r->knocked_at = k->at.at;
    r->knocked_len = k->at.len;
}

// What a program is called must not depend on the seed: such a finding is that of one order, from the last
// program on, if there is one.
static void tell_finding(Child *c, const CaseRun *run, const Diag *d, const Machine *m, ArenaMark mark) {
    Diag first = *d;
    Counters count = m->count;
    char words[WIRE_MESSAGE_MAX];
    int code;
    CaseRun again = {.number = run->number, .side = run->side, .natural = true};
    if (order_chooses(d) && m->order.seed && !m->order.sampled) {
        snprintf(words, sizeof words, "%s", d->msg);
        first.msg = words;
        arena_reset(&c->call, mark);
        (void)run_once(c, &again, NULL, &code);
    }
    if (!again.told) send_finding(c, &first, &count);
}

// False when it ends the run of the program: *code is the exit code then.
static bool run_once(Child *c, CaseRun *run, CaseReport *r, int *code) {
    const CaseSpec *spec = &c->spec[c->at];
    *code = EXIT_WIRE;
    ArenaMark mark = arena_mark(&c->call);
    DiagList diags = DIAGS(&c->call);
    Machine *m = NEW(&c->call, Machine);
    machine_init(m, &c->call, &diags, run->side ? 2 * spec->steps : spec->steps);
    m->order = (ProgramOrder){.seed = spec->order_seed,
                              .reversed = run->reversed,
                              .period = spec->period,
                              .sampled = spec->sampled,
                              .tables = spec->windows != 0};
    if (run->natural) m->order = (ProgramOrder){.reversed = true};
    m->contraction.side = run->side;
    m->lane_order = case_lane_order(c, spec);
    m->tensor_bytes = memory_tensors(c->job->arena_bytes - c->sparse - c->repeated);
    m->storages.spare = memory_spare(c->job->arena_bytes - c->sparse - c->repeated);
    m->gpu.processors = spec->processors;
    m->watch.cover = c->cover;
    m->autotune.pruned = c->tuned;
    if (spec->sampled) storage_sparse_open(&m->storages, c->job->sparse, c->sparse, SPARSE_PAGES);
    m->autotune.config = case_tune(c) + c->tune;
    if (c->trace && run->number == 0) m->watch.trace = &c->trace[c->at];
    if (c->knocked) {
        m->knocked = NEW(&c->call, Knocked);
        m->knocked->which = c->knocked - 1;
    }
    Tensor input[WIRE_INPUTS_MAX], out[WIRE_OUTPUTS_MAX];
    if (!inputs_wrap(c, m, spec, input)) return false;
    m->storages.origins = spec->origin_at > 0 && run->number == 0;
    for (int i = 0; m->storages.origins && i < spec->inputs; i++)
        if (!marks_wrap(c, &c->call, &inputs_of(c, spec)[i], &input[i])) return false;

    if (run_watched(c, m, input, out)) {
        *code = EXIT_DONE;
        if (run->natural) return true;
        keep_note(c, &diags);
        if (too_many_configs(c, m, c->module)) return false;
        r->count = m->count;
        r->configs = m->autotune.configs;
        r->read_back = m->race.read_back;
        r->atomic_launches = m->race.atomic_launches;
        r->stores = m->order.stores;
        r->tables = m->order.whole;
        r->binding = c->binding;
        memcpy(r->library, m->library, sizeof r->library);
        knocked_take(c, m, r);
        if (run->number == 0) c->contracts = m->contraction.ways;
        outputs_take(c, spec, out, run->number, r);
        return true;
    }
    const Diag *d = diag_first(&diags);
    Diag said;
    *code = d ? EXIT_DONE : EXIT_SILENT;
    if (d && run->natural) {
        run->told = order_chooses(d) && contracted_finding(c, run, d, &said);
        if (run->told) send_finding(c, &said, &m->count);
        return false;
    }
    if (d && contracted_finding(c, run, d, &said)) tell_finding(c, run, &said, m, mark);
    return run->unknown;
}

// Without atomics, no order can show that races have not shown: one case in four makes sure of it.
enum { ORDERS_SAMPLED = 4 };
static bool run_again(const Child *c, const CaseReport *r) {
    return c->spec[c->at].again > 0 && r->count.programs > r->count.launches &&
           (r->atomic_launches > 0 || c->at % ORDERS_SAMPLED == 0);
}

// One side alone is run where the other would be the same.
static bool run_contracted(const Child *c, ContractSide side) {
    int asked = c->spec[c->at].contract;
    bool only = side == CONTRACT_RIGHT && !(c->contracts >> CONTRACT_RIGHT & 1);
    return c->contracts && asked >> side & 1 && !(only && asked >> CONTRACT_LEFT & 1);
}

// The case's own sizes are no news to whoever drew it.
void cover_case(Child *c) {
    const CaseSpec *spec = &c->spec[c->at];
    Cover *v = c->cover;
    v->case_index = c->at;
    v->owns = 0;
    const CaseTensor *all = inputs_of(c, spec);
    for (int i = 0; i < spec->inputs; i++) {
        const CaseTensor *t = &all[i];
        int64_t numel = 1;
        for (int d = 0; d < t->rank && v->owns + 3 < COVER_OWN_MAX; d++) {
            v->own[v->owns++] = t->shape[d];
            v->own[v->owns++] = t->stride[d];
            numel *= t->shape[d];
        }
        if (v->owns < COVER_OWN_MAX) v->own[v->owns++] = numel;
    }
}

static bool same_form(const ReportOutput *x, const ReportOutput *y) {
    return x->dtype == y->dtype && x->rank == y->rank && memcmp(x->shape, y->shape, sizeof x->shape) == 0;
}

static bool spec_runs_sane(const Child *c, const CaseSpec *spec) {
    if (spec->again < 0 || spec->again > 1 || spec->contract & ~(1 << CONTRACT_LEFT | 1 << CONTRACT_RIGHT))
        return false;
    return within(spec->output_at, spec->output_bytes, c->job->output_bytes) &&
           within(spec_output_at(spec, spec_last_run(spec)), spec->output_bytes, c->job->output_bytes);
}

static bool form_follows(const CaseSpec *spec, CaseReport *r, const CaseReport *further) {
    bool same = true;
    for (int k = 0; k < spec->outputs; k++) same &= same_form(&r->output[k], &further->output[k]);
    return same;
}

static void tell_unwritten(const CaseSpec *spec, CaseReport *r, const CaseReport *further) {
    for (int k = 0; k < spec->outputs; k++)
        if (r->output[k].unwritten == 0) r->output[k] = further->output[k];
}

static bool runs_further(Child *c, ArenaMark call, CaseReport *r, int *code) {
    const CaseSpec *spec = &c->spec[c->at];
    CaseReport further = report_of(c, REPORT_RAN);
    CaseRun reversed = {.number = 1, .reversed = true};
    if (run_again(c, r)) {
        arena_reset(&c->call, call);
        if (!run_once(c, &reversed, &further, code)) return false;
        r->again = form_follows(spec, r, &further) ? 1 : -1;
        if (r->again > 0) tell_unwritten(spec, r, &further);
    }
    for (ContractSide side = CONTRACT_LEFT; side <= CONTRACT_RIGHT; side++) {
        CaseRun run = {.number = spec_contracted(spec, side), .side = side};
        if (!run_contracted(c, side)) continue;
        arena_reset(&c->call, call);
        further = report_of(c, REPORT_RAN);
        if (!run_once(c, &run, &further, code)) return false;
        if (run.unknown) continue;
        tell_unwritten(spec, r, &further); // or another form
        r->contracted |= 1 << side;
    }
    return true;
}

static bool case_run(Child *c, int *code) {
    const CaseSpec *spec = &c->spec[c->at];
    *code = EXIT_WIRE;
    if (!inputs_of(c, spec) || !outputs_sane(spec) || !spec_runs_sane(c, spec)) return false;
    // A byte for each element: never more than the answer has bytes.
    if (spec->origin_at && !within(spec->origin_at, spec->output_bytes, c->job->output_bytes)) return false;
    cover_case(c);
    CaseReport r = report_of(c, REPORT_RAN);
    ArenaMark call = arena_mark(&c->call);
    CaseRun first = {0};
    if (!run_once(c, &first, &r, code) || !runs_further(c, call, &r, code)) return false;
    wire_message(&r, c->note);
    send_report(c, &r);
    return true;
}

// Kernels compiled for one case serve the next. A program that asks for many gets them compiled again rather
// than running out of room after some number of cases: each case finds nearly all of it free.
void code_make_room(Child *c) {
    if (c->cache && arena_left(&c->code) >= c->code_room - c->code_room / 8) return;
    if (c->cache) arena_reset(&c->code, c->code_mark);
    c->cover->conditions = NULL; // they lay there, too
    c->cache = code_cache_new(&c->code);
}

// What is the same in every case.
VariesInputs handed_over(const Child *c) {
    static_assert((int)VARIES_INPUTS_MAX >= (int)WIRE_INPUTS_MAX, "a rank for each input");
    const DrawHeader *h = (const DrawHeader *)c->job->draw;
    VariesInputs in = {.dense = h->contiguous != 0, .index = h->index};
    const CaseTensor *t = c->cases > 0 ? inputs_of(c, &c->spec[0]) : NULL;
    if (t) in.n = c->spec[0].inputs;
    for (int i = 0; i < in.n; i++) in.rank[i] = (uint8_t)t[i].rank;
    return in;
}

static int cases_run(Child *c) {
    ArenaMark call = arena_mark(&c->call);
    int exit_code;
    note_kinds(c);
    c->code_mark = arena_mark(&c->code);
    c->code_room = arena_left(&c->code);
    for (c->at = 0; c->at < c->cases; c->at++) {
        code_make_room(c);
        if (!case_run(c, &exit_code)) return exit_code;
        arena_reset(&c->call, call);
    }
    if (c->knocked) c->keeps = false; // the cases say enough
    if (c->keeps && !calls_run(c, &exit_code)) return exit_code;
    c->at = -1;
    c->call_number = c->nth = 0;
    CaseReport done = report_of(c, REPORT_DONE);
    done.keeps = c->keeps;
    Buf said = BUF(&c->call);
    VariesInputs inputs = handed_over(c);
    coverage_say(&c->call, c->module, c->cover, &inputs, &said);
    wire_message(&done, buf_cstr(&said));
    send_report(c, &done);
    return EXIT_DONE;
}

// The parent's work, too: what is wrong in it is ours.
static bool model_read(Child *c, Node *module) {
    DiagList d = DIAGS(&c->code);
    module->module.model = parse_module(&c->code, c->extras.model, &d);
    if (!module->module.model) return false;
    LibraryUse allowed = library_allowed(module);
    if (allowed == LIBRARY_NONE) return true;
    const Node *tree = module_library(&c->code, &d);
    module->module.operators = tree ? operators_open(&c->code, tree, allowed, &d) : NULL;
    return module->module.operators != NULL;
}

// False: so little memory that code and data do not lie as they usually do.
static bool memory_lay(Child *c) {
    const ChildJob *job = c->job;
    // Code seldom needs more than the beginning of a large page, and the first case's data may lie behind it
    // there: every further page that is touched has to be cleared first.
    size_t memory = job->arena_bytes - c->sparse, quarter = (memory - c->repeated) / 4 & ~(size_t)4095,
           first = quarter < CODE_FIRST ? quarter / 2 : CODE_FIRST, rest = memory - quarter;
    if (!c->code.fixed) arena_over(&c->code, job->arena, first);
    c->code.reserve = NULL;
    arena_reserve(&c->code, (char *)job->arena + rest, quarter);
    arena_over(&c->call, (char *)job->arena + first, rest - first);
    c->code.on_full = c->call.on_full = memory_gone;
    c->code.on_full_arg = c->call.on_full_arg = c;
    c->report = NEWN(&c->call, CaseReport, REPORTS_TOGETHER);
    return first == CODE_FIRST;
}

// The tree that all jobs share. False with an exit code, mostly behind a finding.
static bool source_read(Child *c, int *code) {
    DiagList diags = DIAGS(&c->code);
    Library *library = NULL;
    *code = EXIT_WIRE;
    if (c->extras.include.len && !library_open(&c->code, c->extras.include, &library)) return false;
    if (library) library->old_names = c->extras.old_names;
    Node *module = parse_module(&c->code, c->source, &diags);
    if (module) module->module.library = library, module->module.old_names = c->extras.old_names;
    if (module && c->extras.model.len && !model_read(c, module)) return false;
    c->module = module;
    if (module && host_normalize(&c->code, module, &diags) && host_screen(module, &diags)) return true;
    const Diag *d = diag_first(&diags);
    *code = d ? EXIT_DONE : EXIT_SILENT;
    if (d) send_finding(c, d, NULL);
    return false;
}

static int job_run(Child *c) {
    const ChildJob *job = c->job;
    c->cover = NEW(&c->code, Cover);
    c->cover->n = c->source.len;
    c->cover->arena = &c->code;
    // Only decorators of such names prune: autotune, libtuner.
    c->tuned = memmem(c->source.p, c->source.len, "tune", 4) ? tuned_new(&c->code) : NULL;
    c->cover->at = NEWN(&c->code, uint8_t, c->source.len + 1);
    c->cover->truth = NEWN(&c->code, CoverTruth, COVER_TRUTHS_MAX);
    if (c->records)
        return record_child(&(RecordChild){job, &c->code, &c->call, c->module, c->tuned, c->sparse});
    if (c->explores)
        return explore_child(
            &(ExploreChild){job, &c->code, &c->call, c->module, c->cover, c->tuned, c->sparse});
    c->cover->mixes = unreached_mixes(c->module);
    // At a module's published sizes nobody looks at values: what comes out there has to have come out in
    // cases.
    if (c->extras.model.len && c->cases > 0) c->cover->notes = c->spec[0].sampled ? NOTES_FAR : NOTES_ALL;
    return cases_run(c);
}

// The next job of the same source, as if it were the first: nothing is kept but the tree. False where that
// cannot be, or there is none.
static bool job_next(Child *c, ArenaMark tree) {
    const ChildJob *job = c->job->next;
    if (!job) return false;
    arena_reset(&c->code, tree);
    // What lies in the second piece would be in the way of other sizes.
    if (c->code.reserve_taken) return false;
    *c = (Child){.job = job, .at = -1, .code = c->code, .module = c->module};
    return job_read(c) && memory_lay(c);
}

int child_interpret(const ChildJob *job) {
    Child c = {.job = job, .at = -1};
    int code;
    if (!job_read(&c)) return EXIT_WIRE;
    bool usual = memory_lay(&c);
    if (!source_read(&c, &code)) return code;
    ArenaMark tree = arena_mark(&c.code);
    do code = job_run(&c);
    while (code == EXIT_DONE && usual && job_next(&c, tree));
    return code;
}

void child_prepare(void) {
    static const char source[] = "import torch\n"
                                 "import triton\n"
                                 "import triton.language as tl\n"
                                 "@triton.jit\n"
                                 "def k(x, out, N, BLOCK: tl.constexpr):\n"
                                 "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                                 "    v = tl.load(x + i, mask=i < N, other=0.0).to(tl.float32)\n"
                                 "    tl.store(out + i, tl.exp(v - tl.max(v, axis=0)), mask=i < N)\n"
                                 "def run(x):\n"
                                 "    out = torch.empty_like(x)\n"
                                 "    k[(triton.cdiv(x.numel(), 4),)](x, out, x.numel(), BLOCK=4)\n"
                                 "    return out\n";
    static const uint16_t data[6];
    Arena a = {0};
    DiagList diags = DIAGS(&a);
    const Node *module = parse_module(&a, STR(source), &diags);
    Machine *m = NEW(&a, Machine);
    machine_init(m, &a, &diags, 1000000);
    Tensor x = {.dtype = DT_F16, .rank = 1, .shape = {6}, .stride = {1}}, out;
    bool ok = module && host_screen(module, &diags) &&
              storage_wrap(&m->storages, DT_F16, data, sizeof data, &x.storage);
    if (ok) {
        tensor_expose(&x, SHADOW_ALLOC | SHADOW_INIT);
        ok = host_run(m, code_cache_new(&a), module, &x, 1, &out);
    }
    assert(ok);
    arena_free(&a);
}
