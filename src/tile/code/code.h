// code.h - checked kernels: straight typed instructions over tile registers. Made by the checker for one
// launch signature (argument types, constexpr values, integers equal to 1), run by the VM. No instruction can
// be ill-typed: the checker guarantees it, code_verify() asserts it in debug builds and for hand-made code in
// tests.
//
// A register holds one tile (one lane for a scalar) of a fixed type. Lanes are stored as
//   float16, bfloat16, float32 -> float (16-bit values are exact in it; every operation rounds to its type)
//   float64 -> double;  bool -> uint8_t 0 or 1
//   integers up to 32 bits -> int32_t / uint32_t, always reduced to the range of their type
//   64-bit integers -> int64_t / uint64_t;  pointers -> int64_t tagged addresses (tensor.h)
#pragma once
#include "lang/diag.h"
#include "tensor/tensor.h"
#include "tile/code/shared_memory.h"

enum { TILE_RANK_MAX = 12, TILE_LANES_MAX = 1 << 20, REGISTERS_MAX = 1 << 14, INSNS_MAX = 1 << 18 };

typedef struct {
    DType elem; // of a pointer: what it points to
    bool pointer;
    int rank; // 0: a scalar
    int shape[TILE_RANK_MAX];
} TileType;
static inline int tile_lanes(const TileType *t) {
    int n = 1;
    for (int i = 0; i < t->rank; i++) n *= t->shape[i];
    return n;
}
void tile_type_name(Buf *out,
                    const TileType *t); // "fp32", "pointer<fp16>", "<['128'], fp32>" as Triton prints them
static inline int tile_lane_bytes(const TileType *t) {
    if (t->pointer) return 8;
    if (t->elem == DT_BOOL) return 1;
    return t->elem == DT_I64 || t->elem == DT_U64 || t->elem == DT_F64 ? 8 : 4;
}

typedef enum {
#define INSN(id, class, doc) INSN_##id,
#include "tile/code/insn.def"
#undef INSN
    INSN_COUNT
} InsnOp;
const char *insn_name(InsnOp op);

// imm of INSN_ATOMIC. float16 and bfloat16 know ADD alone; types of less than 32 bits are otherwise unknown;
// the bitwise ones want integers.
typedef enum {
    ATOMIC_ADD,
    ATOMIC_MAX,
    ATOMIC_MIN,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_XCHG,
    ATOMIC_COUNT,
    // Added to imm, that of INSN_CAS, too.
    ATOMIC_BLOCK = 16,   // among the threads of one block alone (scope="cta")
    ATOMIC_RELEASE = 32, // behind what its thread has done before (sem="release", "acq_rel")
    ATOMIC_ACQUIRE = 64, // its thread goes on when it is done (sem="acquire", "acq_rel")
    ATOMIC_UNSEEN = 128, // nobody uses the result; set by code_layout()
    ATOMIC_BITS = ATOMIC_BLOCK | ATOMIC_RELEASE | ATOMIC_ACQUIRE | ATOMIC_UNSEEN,
} AtomicOp;
// imm of INSN_LOAD: lanes are in several threads each, and what they hold reaches others of these than a
// store asks (lanes.h); set by code_layout().
enum { LOAD_SPREADS = 1, LOAD_NARROWEST = 4 }; // shift: the bytes of the narrowest accesses of such tiles
bool atomic_knows(AtomicOp op, DType elem);

// imm of INSN_MATH.
typedef enum {
#define MATH(id, operands, domain, cost, doc) MATH_##id,
#include "tile/code/math.def"
#undef MATH
    MATH_COUNT
} MathFn;
typedef struct {
    const char *name;
    int operands, cost;
    bool real; // of doubles, not of integers
} MathInfo;
extern const MathInfo math_info[MATH_COUNT];

typedef struct {
    InsnOp op;
    int d, a, b, c; // registers; -1: absent
    int64_t imm;
    Span span; // of the source, for findings
} Insn;
static inline Insn insn(InsnOp op, int d, int a, int b, int c, int64_t imm) {
    return (Insn){.op = op, .d = d, .a = a, .b = b, .c = c, .imm = imm};
}

// What a register holds at run time: all its lanes, or a short form of them (affine.c).
typedef enum {
    FORM_LANES,
    FORM_AFFINE,   // lane 0; lane i is `step` times i more
    FORM_INTERVAL, // a mask: the ends of the active lanes
    FORM_ROWS,     // of two dimensions: lane 0 of each row; lane i of a row is `step` times i more
    FORM_GRID,     // a mask of two dimensions: the ends of the active columns, then a byte for each row
    FORM_AXES, // of two dimensions or more: a number (of a mask: a byte) for each place of each axis (axes.c)
} RegisterForm;

typedef struct {
    TileType type;
    bool tainted;  // may hold undefined lanes: the VM carries a poison byte per lane beside it
    bool address;  // feeds an address: signed 32-bit overflow on the way there is a finding
    size_t offset; // byte offset in the register file, set by code_layout(); poison bytes follow at
                   // poison_offset
    size_t poison_offset;
    RegisterForm form;
    int64_t step;  // AFFINE, ROWS; of pointers in bytes
    bool late;     // in short form thanks to those of two dimensions, or a mask in lanes, alone
    bool by_axes;  // a lane is the sum (of masks: the product) of numbers that its places have (axes.c)
    bool counting; // signed integers, each 1 more than the one before
    bool narrow;   // lanes that are all alike need not be written out (narrow.c)
} Register;

// Which way a conditional jump has gone, in any launch.
enum {
    TAKEN_ON = 1,
    TAKEN_AWAY = 2,
    WANTS_FAR = 4,
    WANTS_CHANGE = 8,
    WANTS_EFFECT = 16,
    WANTS_CORNER = 32,
    WANTS_ORDERS = 64,
    WANTS_NOTE = 128, // nothing: it is kept how it comes out (lane_truths.h)
    COMPARED_MAX = 32
};
typedef struct {
    uint32_t at;   // in the source
    int first;     // of its instructions
    uint8_t wants; // of a comparison, TAKEN_* and WANTS_*: what lanes have to show (lane_truths.h)
    uint8_t axes;  // WANTS_CHANGE: along which axes of the grid, ...
    bool lanes;    // ... and whether from lane to lane, the number may differ
    uint8_t notes; // by which of CodeNotes it is worth a note
    int place;     // ... and its register
} CodeStatement;
// Of which comparisons it is noted how they come out, though nothing is wanted of them: those of places and
// arguments; of these, those with a number from 64 on.
typedef enum { NOTES_NONE, NOTES_ALL, NOTES_FAR } CodeNotes;
enum { TOUCHED_LOADED = 1, TOUCHED_CHANGED = 2 };
typedef struct Code Code;
struct Code {
    Insn *insn;
    int insns;
    Register *reg;
    int regs;
    size_t file_bytes; // size of the register file after code_layout()
    Str kernel;        // name, for messages
    bool scratch;      // uses a descriptor that it has made itself: on a GPU that takes memory of the host's
    const Insn *naked; // the first that makes a number of a pointer or a pointer of a number; NULL: none
    CodeStatement *statement; // of the source, those that instructions stand for
    int statements;
    CodeStatement *compare; // of the source, comparisons and what is made of them, of which it is kept how
                            // they come out: code_uniform()
    int compares;
    uint8_t meets;    // WANTS_FAR, WANTS_CORNER, WANTS_ORDERS: of all of its instructions (lane_truths.h)
    uint16_t *stored; // of each argument in a cell, what the numbers follow from that are stored there:
                      // Storage.holds
    uint8_t *touched; // of each of them, whether its tensor may be loaded from, or changed: TOUCHED_*
    int cells;
    bool loads;     // something from memory
    bool narrow;    // a register is, and may have fewer lanes than its type says
    uint8_t *taken; // TAKEN_* of each instruction that jumps, ON: of those where it held; the launches' own
    uint8_t *wild;  // of registers kept by axis, whether the lanes are written out after all: axes.c; the
                    // launches' own
    int64_t *compared; // integers that the source compares something with
    int compareds;
    SharedUse *shared; // what asks for shared memory
    int shareds;
    bool steered;        // loaded values decide whether, or where, something is stored
    bool atomics;        // has ATOMIC or CAS: with floats, results may depend on the order of the programs
    bool watched;        // the result of one of them is used: it may tell what other programs have done
    unsigned contracts;  // code_contracts() of it; 0 where nobody has asked
    Code *contracted[2]; // LEFT and RIGHT, once they are made
};

// Marks tainted registers (from masked loads without `other`, through data flow, loops included), computes
// live ranges and packs registers into as small a file as is cheap: offsets are 64-byte aligned; registers
// whose lifetimes (extended over loops) do not overlap share space. Must run before the VM.
void code_layout(Arena *a, Code *c);
Code *code_keep(Arena *a, const Code *c); // a copy that needs nothing of the arena that the other one is in
const Insn *code_row_fold(const Code *c); // the first that reduces a tile of one dimension; NULL: none
bool code_verify(const Code *c, const char **why);
void code_dump(Buf *out,
               const Code *c); // one line an instruction, types of registers included; for tests and bugs
