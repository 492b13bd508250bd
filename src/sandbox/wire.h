// wire.h - what crosses the boundary between the referee and the child that interprets a candidate. Plain
// data of fixed size, no pointers. The parent believes nothing in it without checking: a report can only make
// a candidate fail, never pass (passing needs the right bytes in every output; ReportOutput.repeats says in
// fewer bytes what they are).
//
// Input mapping (shared by all candidates of one draw, read-only for children):
//   DrawHeader, CaseSpec[cases], CallSpec[calls], the CaseTensors of each of them at CaseSpec.inputs_at, then
//   the tensors' bytes at CaseTensor.at.
// Job mapping (one for each candidate, read-only): JobHeader, the source text, the helper files
// (library_pack), what a ModelNew is called with (Extras.model). Output mapping (one for each candidate,
// fresh zero pages): outputs, row-major, at CaseSpec.output_at. Report pipe: CaseReport frames in case order:
// one REPORT_RAN for each case that ran, then, of a program that keeps anything between calls, a REPORT_CALL
// for each call that was made again on one object; then one REPORT_DONE (case_index -1) or one REPORT_FINDING
// (the case it happened in; -1: in the source itself). Nothing follows.
#pragma once
#include "tile/compute/machine.h"

enum { TENSOR_ZEROS = -1 };
enum { WIRE_MAGIC = 0x4f55524f, WIRE_INPUTS_MAX = 64, WIRE_CASES_MAX = 1024, WIRE_MESSAGE_MAX = 720 };
enum { WIRE_OUTPUTS_MAX = 8, WIRE_CALLS_MAX = 96, WIRE_REPEATS_MAX = 1 << 20 };

typedef struct {
    int32_t dtype, rank;
    int64_t shape[TENSOR_RANK_MAX], stride[TENSOR_RANK_MAX]; // elements
    int64_t offset;                                          // elements from the storage's first byte
    int64_t at, bytes;                                       // the storage within the input mapping, or
                                                             // TENSOR_ZEROS: bytes of zero, in no mapping
    int64_t marks; // in the input mapping: a mark (bits) for each of those bytes; 0: none
    int64_t held;  // not 0: only so many of those bytes are in the mapping, and repeat themselves
} CaseTensor;

// One of the tensors that a case's call has to give.
typedef struct {
    int64_t at, bytes; // its room, from the beginning of all outputs' room (CaseSpec.output_at)
    int32_t input;     // it is this input, changed in place; -1: a tensor of its own
} CaseOutput;

typedef struct {
    int32_t inputs, outputs;
    int32_t processors; // of the GPU that host code sees
    int32_t again;      // orders of the programs beyond the first that there is room for: 0 or 1
    int32_t contract;   // bits 1 << ContractSide: runs that there is room for behind those orders
    int32_t any_config; // 1: other cases have judged each config of an autotuned kernel
    int64_t inputs_at;  // in a mapping: where its CaseTensors lie, `inputs` of them
    CaseTensor *input;  // outside of one; in a mapping NULL: wire_inputs()
    CaseOutput output[WIRE_OUTPUTS_MAX];
    int64_t output_at, output_bytes; // room for all outputs in the output mapping
    int64_t origin_at; // in the output mapping, output k from CaseOutput.at on: for each element of the
                       // answer of order 0, row-major, the marks of the inputs' bytes that it comes from; 0:
                       // nobody asks
    int64_t period;    // Machine.order.period
    int64_t sampled;   // Machine.order.sampled; 0: every program runs
    int64_t windows;   // not 0: of each output's rows (its first dimension) only those of the windows are
                       // handed out, behind each other
    int64_t steps;     // step budget of this case, in lanes
    uint64_t order_seed; // of the program order; says nothing about the inputs' seed
} CaseSpec;

// A spec for the mapping `map`, its CaseTensors at `at` there, which is a multiple of eight; moves `at` on.
void wire_put(uint8_t *map, int64_t *at, const CaseSpec *spec, CaseSpec *to);
// The CaseTensors of a spec of a mapping of so many bytes; NULL where they do not lie in it.
const CaseTensor *wire_inputs(const uint8_t *map, size_t bytes, const CaseSpec *spec);

// Lays the outputs behind each other, `bytes` of each; sets how much room all of them take.
static inline void spec_outputs(CaseSpec *s, const int64_t *bytes) {
    s->output_bytes = 0;
    for (int k = 0; k < s->outputs; k++) {
        s->output_bytes = (s->output_bytes + 63) & ~(int64_t)63;
        s->output[k].at = s->output_bytes;
        s->output[k].bytes = bytes[k];
        s->output_bytes += bytes[k];
    }
}

// Where the outputs of run 0 lie, of run 1 (the programs in another order) and of those behind.
static inline int64_t spec_output_at(const CaseSpec *s, int run) {
    return s->output_at + run * ((s->output_bytes + 63) & ~(int64_t)63);
}
// The number of a run with contracted code, and of the last run that there is room for.
static inline int spec_contracted(const CaseSpec *s, ContractSide side) {
    int left = s->contract >> CONTRACT_LEFT & 1, right = s->contract >> CONTRACT_RIGHT & 1;
    return s->again + left + (side == CONTRACT_RIGHT ? right : 0);
}
static inline int spec_last_run(const CaseSpec *s) { return spec_contracted(s, CONTRACT_RIGHT); }

// A child's memory, and what the tensors of one call may take of it: each has data, shadow and race words
// beside it, and the syntax tree and compiled kernels have a quarter.
enum { MEMORY_PER_TENSORS = 8 };
static inline int64_t memory_tensors(size_t memory) { return (int64_t)(memory / MEMORY_PER_TENSORS); }
// What new tensors leave of it. Race words of 16-bit ones are four times as large as these: near the limit
// they would leave nothing to host values and to registers, and whoever needs some would look wrong.
static inline size_t memory_spare(size_t memory) { return memory / 32; }
// And beside that the inputs that repeat themselves, as the child sees them.
size_t memory_repeated(const CaseTensor *input, int n);
// What a child needs for the largest of these cases: a call may allocate several times what goes in and comes
// out, within bounds.
size_t memory_needed(const CaseSpec *spec, int n);

// The first rows, those at a quarter and at the middle, the last ones: where sampled programs are (vm.c).
enum { WINDOWS = 4, WINDOW_ROWS = 64 };
static inline int64_t spec_window_at(int64_t rows, int k) {
    const int64_t at[WINDOWS] = {0, rows / 4 - WINDOW_ROWS / 2, rows / 2 - WINDOW_ROWS / 2,
                                 rows - WINDOW_ROWS};
    return at[k];
}

// One of several calls of one program, made after all cases: see sandbox/child/child_calls.c.
enum {
    CALL_BUILDS = 1, // the first of a sequence: the program is built for it, as for a case
    CALL_RENEWS =
        2,          // the inputs lie where those of the sequence's first call lay, and have taken their place
    CALL_OTHER = 4, // other weights, or rows of another length: not for an object that was made for those
    // Repeats end with the call that has executed what no call had: its answer is the one that is judged.
    // What is left of them, the next such call of the sequence has.
    CALL_TO_NEWS = 8,
    CALL_FAR = 16 // of a sequence for programs alone whose kept tensors differ after each of several calls
};
typedef struct {
    CaseSpec spec; // output_bytes of room; no second order, no marks
    int32_t flags;
    int32_t case_index; // whose values they are, or were made of
    int32_t same_as;    // the call that had the same inputs: an index; -1: none
    int32_t repeats;    // how often it is made in a row, at most; only the last answer is kept
    int32_t far;        // the same while a condition on what the program keeps has come out one way only
    int32_t turns;      // of what is made many times: how many calls there are whose values take turns
    int32_t turn_of;    // the first of those: an index. All have the inputs' layout
    uint64_t turn_seed;
    int64_t kept_at; // in the output mapping: room for the same tensor's bytes at the end of the sequence
} CallSpec;
// The index of the call whose values call number `nth` of a sequence has, if it is one that is made many
// times. Where three or more take turns, never that of number nth - 1: an answer that was kept from then is
// wrong.
int call_values(const CallSpec *c, int64_t nth);

typedef struct {
    uint32_t magic, cases, calls;
    uint32_t contiguous; // 1: no call has inputs with gaps
    uint64_t index;      // bit i: input i holds indices, from 0 on
} DrawHeader;

typedef struct {
    uint32_t magic, source_len;
    int64_t arena_bytes; // the child's whole memory
    int64_t tune;        // how far the choice of configs is turned: 0 in the first pass over the cases
    int64_t watch_at; // in the output mapping, 0: nobody watches. Room for a Trace of each case, and behind
                      // them for the shadow flags of each output element, at CaseSpec.output_at from there
    int64_t sparse_bytes; // the last part of that memory, for StorageTable.sparse
    int64_t include_len;  // bytes of helper files behind the source
    int64_t old_names;    // Extras.old_names, 0 or 1
    int64_t model_len;    // bytes of Extras.model behind them
    int64_t knocked;      // 1 + the launch that leaves other numbers (host/candidate/knocked.h); 0: none
} JobHeader;

// An output of a case, as the child tells it.
typedef struct {
    int32_t dtype, rank;
    int64_t shape[TENSOR_RANK_MAX];
    int64_t unwritten,
        first_unwritten; // elements without SHADOW_STORED on every byte; row-major index, after wire_check()
                         // -1 where there is none. In what is changed in place nobody looks for them
    int32_t repeats; // 1: only the first CaseSpec.period rows were handed out, and all others are copies of
                     // them: what the answer's bytes are, in fewer words. 0 where nobody asks
} ReportOutput;

// How a case ended, as the child tells it.
typedef enum { REPORT_RAN, REPORT_FINDING, REPORT_DONE, REPORT_CALL } ReportKind;
typedef struct {
    uint32_t magic;
    int32_t case_index; // -1 with REPORT_DONE; -1 with REPORT_FINDING when the source itself is at fault
    int32_t kind;       // ReportKind
    int32_t finding;    // DiagKind; never DIAG_WARNING
    uint32_t at, len;   // span in the source
    ReportOutput output[WIRE_OUTPUTS_MAX]; // of a case or call that ran; the spec says how many there are
    int32_t configs;                       // most configs of an autotuned kernel; 0: none
    int32_t
        read_back; // 1: kernels have loaded what was written in this call; 0 where nobody asks (origin_at)
    int32_t call;  // 1 + index of the CallSpec, in a REPORT_CALL and a finding of a call; else 0
    int32_t nth;   // of both: which call on its object it was, from 1
    int32_t keeps; // of a REPORT_DONE: 1: the program keeps something between calls, which were made
    int32_t again; // further orders of the programs that were run and left their outputs, too; -1: with
                   // another shape
    int32_t contracted; // runs with contracted code that have left their outputs, too: as CaseSpec.contract
    int32_t atomic_launches; // of this case
    int32_t tables;          // ProgramOrder.whole
    int32_t binding;         // host_binding() of a case that ran
    int64_t stores;          // ProgramOrder.stores
    // With JobHeader.knocked, of a case that ran: whether its launch was made, whether what that has stored
    // is there without it, where it stands in the source, and the bytes that it has moved.
    int32_t knocked, replaceable;
    uint32_t knocked_at, knocked_len;
    int64_t knocked_bytes;
    char library[LIBRARY_NAMES_MAX]; // of a case that ran: Machine.library, as printable as a message
    Counters count;
    char message[WIRE_MESSAGE_MAX]; // NUL-terminated printable ASCII: of a finding, or the first warning
} CaseReport;

// What a child's reports amount to, after checking every field of every frame against what the parent knows.
typedef enum {
    WIRE_DONE,    // every case ran, in order, and the child said so
    WIRE_FINDING, // as many cases as there are frames before the last ran; the last frame is a finding
    WIRE_BROKEN,  // anything else: missing, out of order, impossible values. Never an acceptance
} WireEnd;
// Frames before the last are REPORT_RAN of cases 0, 1, 2 ..., then REPORT_CALL in the order of calls, some of
// them left out: whether those may be, whoever has the CallSpecs knows. Makes every message printable in
// place and puts zeros into fields that the frame's kind does not use. `why` (of WIRE_BROKEN) is a constant
// text.
WireEnd wire_check(CaseReport *report, int n, int cases, size_t source_len, const char **why);
// Fills in the magic and copies a message, shortened and made printable. Used by the child, needs no memory.
void wire_message(CaseReport *r, const char *text);
// Writes n frames to the report pipe, whole. False: nobody reads them.
bool wire_send(int fd, const CaseReport *r, size_t n);
