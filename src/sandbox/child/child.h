// child.h - inside of the child: what its cases (child.c), their tensors (child_tensors.c) and its repeated
// calls (child_calls.c) share.
#pragma once
#include "host/host.h"
#include "sandbox/child/coverage.h"
#include "sandbox/fork_server.h"

// Exit codes other than 0 say that something is wrong with us, not with the candidate.
enum { EXIT_DONE, EXIT_WIRE = 10, EXIT_PIPE, EXIT_SILENT };
enum { REPORTS_TOGETHER = 64 };

typedef struct {
    bool is_short;
    int32_t dtype; // of the first floating input; -1: none is
} CaseKind;

typedef struct {
    const ChildJob *job;
    const CaseSpec *spec;
    int cases;
    const CallSpec *call_spec;
    int calls;
    Str source;
    Extras extras;
    Arena code;      // the syntax tree, then compiled kernels
    Arena call;      // everything of one case, or of one sequence of calls
    size_t sparse;   // JobHeader.sparse_bytes
    size_t repeated; // bytes of it for inputs that repeat themselves (memory_repeated())
    int tune;        // JobHeader.tune
    int knocked;     // JobHeader.knocked
    bool explores;   // the draw is an ExploreDomain
    bool records;    // the draw is a RecordOrder
    Trace *trace;    // of each case; NULL: nobody watches
    uint8_t *flags;  // behind the traces
    size_t flags_bytes;
    const Node *module;
    CodeCache *cache;
    ArenaMark code_mark; // behind the tree
    size_t code_room;
    int at;         // the case that runs, or whose inputs a call has; -1 before the first
    CaseKind *kind; // [cases]
    int short_cases;
    unsigned contracts;   // Contraction.ways of the case that runs
    int binding;          // CaseReport.binding
    bool keeps;           // some case has left something behind that a later call could find
    bool changes;         // calls leave tensors behind that differ from call to call, such as a counter, or
                          // some condition on what is kept waits for more calls than could be made
    int call_number, nth; // CaseReport.call and .nth of what is sent
    bool later;           // a call on an object that has been called before
    Cover *cover;
    Tuned *tuned;
    CaseReport *report;          // [REPORTS_TOGETHER], before all that a case has
    int waiting;                 // how many of them wait to be sent
    char note[WIRE_MESSAGE_MAX]; // the first warning that any case's kernels have met
} Child;

void send_report(Child *c, const CaseReport *r);
CaseReport report_of(const Child *c, ReportKind kind);
void send_finding(Child *c, const Diag *d, const Counters *count);
bool within(int64_t at, int64_t bytes, size_t all); // of [0, all)

// Of a case or call of the draw; NULL where they are not in its mapping.
static inline const CaseTensor *inputs_of(const Child *c, const CaseSpec *spec) {
    return wire_inputs(c->job->draw, c->job->draw_bytes, spec);
}
// Machine.lane_order, by the length of a row.
static inline int case_lane_order(const Child *c, const CaseSpec *spec) {
    const CaseTensor *t = inputs_of(c, spec);
    return lane_order_of(t && spec->inputs > 0 && t->rank > 0 ? t->shape[t->rank - 1] : 0);
}
// All inputs of a case in the machine's storages; those that are changed in place are copies.
bool inputs_wrap(const Child *c, Machine *m, const CaseSpec *spec, Tensor input[WIRE_INPUTS_MAX]);
// With marks of where each byte comes from, where the case has them.
bool marks_wrap(const Child *c, Arena *a, const CaseTensor *t, Tensor *input);
// One that is changed in place, as it was before the first call.
bool input_restore(const Child *c, const CaseTensor *t, Tensor *input);
// What the program has to give, of a case whose numbers are checked.
void outputs_expect(HostProgram *p, const CaseSpec *spec);
bool outputs_sane(const CaseSpec *spec);
// False with a finding where outputs share memory. Of several outputs: one alone can only be what it is.
bool outputs_apart(Child *c, Machine *m, const CaseSpec *spec, const Tensor *input, const Tensor *out);
// Where so many bytes are handed out, which are within the job's outputs: before they are written.
uint8_t *output_place(const Child *c, int64_t at, int64_t bytes);
void outputs_take(Child *c, const CaseSpec *spec, const Tensor *out, int order, CaseReport *r);
int case_tune(const Child *c); // Machine.autotune.config of case c->at
void keep_note(Child *c, const DiagList *diags);
void cover_case(Child *c);
VariesInputs handed_over(const Child *c); // to every call
void code_make_room(Child *c);

// All calls of the draw. False when one ends the run: *code is the exit code then.
bool calls_run(Child *c, int *code);
