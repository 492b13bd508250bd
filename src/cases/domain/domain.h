// domain.h - what a definition is drawn, evaluated and compared on, said by symbols and axes. Rows x columns
// (rows_domain.h) is one implementation; draw.c, fill.c, twins.c, calls.c, metamorphic.c, repeated.c,
// columns.c and the judge know none of them by name.
//
// Symbols are the sizes that a case chooses (Op.dim), each with its constraints: a multiple, least, most, or
// a part of another one. The shape of an input is an expression of them (OpInput.dim, OpInput.size), of any
// rank up to OP_RANK_MAX. Its dtype, its values and whether its storage has gaps are said for each input.
//
// Two things matter about the axes of a tensor:
//   slices  Along one symbol a case falls into slices that have nothing to do with each other: the rows of a
//           matrix, the samples of a batch. They can be moved, repeated, left out, or judged alone.
//   lines   Along other axes a definition reduces: a sum, a maximum, a mean. A line is what one such
//           reduction runs over: all elements of an input whose indices on the other axes are the same. A
//           class of values (class.def) is what a line looks like. Lines are numbered row-major by the other
//           axes.
// A definition that reduces along several axes, or along one here and another there, has several reductions:
// each says for every input which of its axes a line runs along, and each case is of one of them.
//
// To add an implementation: fill in a Domain (symbols and inputs stand in its Op), write its DomainKind, and
// give it to draw_make(). test/cases/domain/test_domain.c holds one of rank 5, whose lines run along axis 2.
#pragma once
#include "cases/domain/case.h"
#include "cases/domain/plan.h"

// The axes of one input that a line runs along, outermost first. None: each element is a line.
typedef struct {
    int axes, axis[OP_RANK_MAX];
    bool by_class; // data of it takes the class of its line; otherwise its values are ordinary ones
} LineAxes;

typedef struct {
    int symbols, symbol[OP_RANK_MAX]; // the length of its lines is the product of these
    const LineAxes *input;            // of each input of the op
} Reduction;

// Which position along the reduced axes an element of an output has: element / inner % n.
typedef struct {
    int64_t n, inner;
} Positions;

struct FillRequest;
// How an implementation enumerates its cases, and what it says of answers. Plans are as in plan.h, which
// documents what each has to do. NULL: there are none of that sort.
typedef struct {
    const char *name;
    int (*cases)(Arena *a, const Domain *m, const PlanRequest *q, PlannedCase **out);
    int (*metamorphic)(Arena *a, const Domain *m, uint64_t seed, PlannedCase **out);
    int (*sizes)(Arena *a, const Draw *d, const DrawFilter *f, const Coverage *c, PlannedCase **out,
                 int *tried);
    int (*beyond)(Arena *a, const Draw *d, const DrawFilter *f, const Coverage *c, PlannedCase **out,
                  BeyondTried *tried);
    int (*points)(Arena *a, const Draw *d, const DrawFilter *f, const ExplorePoints *p, PlannedCase **out);
    int (*every_size)(Arena *a, const Domain *m, const EverySize *q, int64_t *next, PlannedCase **out);
    // How many lines have a class of their own in a case of these sizes, by one of the reductions.
    int64_t (*lines)(const Domain *m, int over, const int64_t *dim);
    // The line that an element of the answer is of; below CaseTruth.lines.
    int64_t (*line_of)(const Domain *m, const CaseTruth *t, const Bound *answer, int64_t element);
    // Of each of these positions some element has to be judged in some case.
    Positions (*positions)(const Domain *m, int output, const Bound *answer);
    // The right answer of a case; as draw_reference(). NULL: the op's reference, as it stands.
    const Bound *(*answer)(Arena *a, const Domain *m, const uint8_t *mapping, const CaseSpec *spec,
                           const OtherBytes *other, DiagList *diags);
    // Of a domain that draws its inputs itself, all of a case's into `map`. NULL: line by line (fill.h).
    bool (*fill)(Arena *scratch, const struct FillRequest *q, uint8_t *map, DiagList *diags);
    // What a case takes beyond what its inputs' sizes say, in lanes; NULL: nothing.
    int64_t (*steps)(const Domain *m);
    void (*put_sizes)(Buf *out, const Domain *m, const int64_t *dim); // "7x129": what evidence calls a case
} DomainKind;

// The same definition with one or two sizes near the published ones. A rejection there counts where each of
// the controls is passed, in which one of those sizes is small: else it is the other sizes that a program is
// not made for.
typedef struct {
    const Domain *domain;
    const Domain *leaner;     // less work at the same long size: who is right there is done; or NULL
    const Domain *control[2]; // as many as there are long sizes
    int longs;
} Stretched;

struct Domain {
    const DomainKind *kind;
    const Op *op;            // its symbols, inputs and outputs
    int slices;              // the symbol that counts slices; -1: a case is one slice
    bool moves;              // slices can be moved: all inputs that have them have them along one axis
    const int *slice_axis;   // of each input, the axis that counts slices; -1: all slices share the input
    const int *output_slice; // of each output the same, if its shape there is the number of slices
    const Reduction *reduction;
    int reductions;             // at least one; the first is the one that sizes are told by
    const Stretched *stretched; // what passed is judged there, too, at level full
    int stretches;
    const Domain *quick; // the same at smaller sizes, which level quick draws instead; NULL: this one
    // The same, of which level full draws a few cases: it has the others at those smaller sizes, and comes
    // back to this one for whoever is not right there, or comes further here (judge_module.h). NULL: all
    // cases are of this one.
    const Domain *few;
};

// The implementation that an op has: rows x columns. Lives in the arena, as long as the op does.
const Domain *domain_make(Arena *a, const Op *op);
// What a level draws of it: the op itself, or what stands for it at level quick (Domain.quick).
const Op *op_at_level(const Op *op, Level level);
// Of which a round of that level draws its first cases; NULL: that of op_at_level().
const Domain *domain_first(const Op *op, Level level);

int64_t domain_slices(const Domain *m, const int64_t *dim); // of a case; 1 where there are none
int64_t domain_length(const Domain *m, const int64_t *dim); // of the first reduction's lines
int domain_length_symbol(const Domain *m);                  // the last of theirs; -1: each element is a line
void domain_set_length(const Domain *m, int64_t n, int64_t *dim); // along the last of their symbols; others 1
// Slices stand behind each other in memory: along the first axis of each input that has them.
bool domain_slices_first(const Domain *m);
// Whether a symbol counts slices or is the length of a line: one that programs compare numbers with.
bool domain_counts(const Domain *m, int symbol);
bool domain_any_float(const Domain *m); // whether a case chooses the dtype of some input
const Bound *domain_answer(Arena *a, const Domain *m, const uint8_t *mapping, const CaseSpec *spec,
                           const OtherBytes *other, DiagList *diags);

// Shapes by symbols.
int64_t domain_size(const OpInput *in, int axis, const int64_t *dim); // of one axis in a case
int64_t domain_elements(const Op *op, const int64_t *dim);            // of all inputs
