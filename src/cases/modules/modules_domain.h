// modules_domain.h - the second implementation of a domain: a reference in module form (module/module.h), at
// the sizes to which its file was shrunk. Its inputs are those tensors that get_inputs gives, and behind them
// the parameters of Model; all of them are drawn anew for each case. No size is a symbol: every case has the
// same shapes. Nothing is a slice, so nothing is moved. Level quick has a domain of its own, at still smaller
// sizes. A size that became much smaller has a further domain, in which it is as it was published, or as near
// to it as work allows, and the others are small; so have a few pairs of such sizes.
#pragma once
#include <jansson.h>

#include "cases/domain/domain.h"
#include "host/policy/library_names.h"
#include "module/module.h"

typedef struct {
    Domain domain; // its op holds inputs, outputs and what a ModelNew is called with
    Op op;
    ModuleFile file;
    ModuleValues values; // at those sizes; its run has shapes alone
    Tensor *buffers;     // of each of Model's tensors: values of one that is no parameter; else no storage
    ModuleSize longs[MODULE_HELD_MAX]; // of one of another one's domain.stretched: its long sizes, as they
    int long_sizes;                    // are now; few cases. Of a control: the one that is small
    // The same at the published sizes: shapes alone, for addresses. NULL: no size is smaller.
    const Domain *published;
    // The same with sizes that keep more of what divides the published ones, for programs whose blocks need
    // that. NULL: the small ones keep as much, or it would be too much work.
    const Domain *aligned;
    bool is_aligned;      // of that one, and of the next: few cases
    const Domain *ragged; // the same with odd sizes; NULL: nobody has asked, or there are none
    bool ragged_counts;   // what is wrong there is rejected
    // Of that one a single case, which will do where it does not count and no line waits for it. NULL: it
    // counts.
    const Domain *ragged_one;
    bool is_one;         // of that one
    const Domain *full;  // of what level quick draws (Domain.quick): what level full does. Else NULL
    bool is_few;         // of Domain.few
    LibraryUse library;  // what a ModelNew may leave to PyTorch's library
    int64_t light_bytes; // of the reference's light operators (library.def), as FormOp.bytes
} ModulesDomain;

// What implements it. A domain of that kind is the first member of a ModulesDomain.
extern const DomainKind modules_kind;
static inline const ModulesDomain *modules_at(const Domain *m) { return (const ModulesDomain *)m; }
enum { MODULES_SEED = 1 }; // of what the reference draws to be opened

typedef struct {
    const char *path; // for its name and for messages
    Str source;
    bool gaps;      // inputs may have gaps between their rows; the parameters have none
    bool tf32;      // products may read float32 operands with 10 mantissa bits
    bool stretched; // makes domain.stretched, for level full
    bool shapes;    // whoever cannot be tried at the published sizes is undecided
    int library;    // as DomainAsked.library
    bool ragged;    // odd sizes count
} ModulesAsk;
// ERR_INPUT where nothing can be judged by it. Lives in the arena, which must outlive whatever is judged.
MUST_CHECK bool modules_open(Arena *a, const ModulesAsk *q, ModulesDomain **out, Err *e);
// Of an op that was opened so; NULL: it is no module.
const ModulesDomain *modules_of(const Op *op);
// The same at the sizes at which a program is timed: the published ones, or as near to them as the work of
// one evaluation allows. `op` was opened by modules_open(); out->op is what is drawn, recorded and compared
// there.
MUST_CHECK bool modules_timed(Arena *a, const Op *op, ModulesDomain **out, Err *e);
// Whether some size that `number` divides as it was published is no multiple of it in the small domain.
bool modules_lost_divisor(const ModulesDomain *m, int64_t number);
// The right answer of a case, and what is allowed with tf32, whatever was asked.
const Bound *modules_answer_tf32(Arena *a, const Domain *m, const uint8_t *mapping, const CaseSpec *spec,
                                 DiagList *diags);
// The outputs at the sizes of a module's domain, as one chain: shapes alone.
const Bound *modules_outputs(Arena *a, const Domain *m);
void modules_put_shape(Buf *out, DType t, int rank, const int64_t *shape); // float32[2, 3]
// What was judged: shapes, the published sizes that became smaller; lines for people, and members for JSON.
void modules_words(Buf *out, const ModulesDomain *m, const char *prefix);
// Of an accepted program at level full: which sizes it had long (Evidence.stretched), and which never.
void modules_long_words(Buf *out, const ModulesDomain *m, uint32_t passed);
// Of one that was rejected: which of domain.stretched it was wrong with, and what it was right with.
void modules_wrong_long_words(Buf *out, const ModulesDomain *m, int which);
json_t *modules_json(const ModulesDomain *m, uint32_t passed, int wrong_long); // wrong_long: -1: none
