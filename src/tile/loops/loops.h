// loops.h - the inner loops of the VM: one plain loop for each operation and type, vectorised by the
// compiler. The files loops*_simd.c are compiled once for each instruction set and fill one table each every
// time; all give the same bits. (The bits of a NaN inside a register are not defined: every way out of a
// register makes them canonical.)
//
// A loop reads n >= 1 lanes of each operand, or one lane where its mode says so, and writes n lanes of d.
// d may be the very address of an operand with n lanes; it overlaps nothing in any other way.
#pragma once
#include "base/isa.h"
#include "tile/code/code.h"

// What a loop returns: which lanes-have-no-meaning conditions it met, ORed over the lanes. d is defined
// anyway.
enum { LOOP_ZERO = 1, LOOP_QUOTIENT = 2, LOOP_SHIFT = 4, LOOP_OVERFLOW = 8 };
typedef uint32_t LoopFn(void *d, const void *a, const void *b, const void *c, size_t n);

// d[m, n] += a[m, k] x b[k, n], lanes row-major without gaps, in the order that insn.def gives.
typedef void DotFn(void *d, const void *a, const void *b, size_t m, size_t n, size_t k);

// *d = the fold of n lanes of a, by the pairs of REDUCE; scratch holds as many lanes.
typedef void TreeFn(void *d, const void *a, void *scratch, size_t n);

// Bits of a mode: which operands have one lane. With all of them one lane, run mode 0 with n = 1.
enum { ONE_A = 1, ONE_B = 2, ONE_C = 4 };
enum { OFFSET_BITS = 38 }; // ptradd: offsets of as many elements lead nowhere
enum { RACE_OTHER = 1, RACE_WROTE = 2, RACE_READ = 4 };

typedef struct {
    int64_t least, most;
    uint64_t bits;
} AddressSpan;

// Addresses, elements, masks and shadows.
typedef struct {
    LoopFn *ptradd[DT_COUNT][4]; // by the type of b; c points to the int64 element size
    LoopFn *read[DT_COUNT];      // d lanes from a memory elements
    LoopFn *write[DT_COUNT];     // d memory elements from a lanes; NaN becomes canonical
    bool (*consecutive)(const int64_t *address, size_t n, int64_t step);
    // The least and the most of the addresses whose mask is 1 (all, without a mask), and their bits ORed.
    // False: there are none.
    bool (*span)(const int64_t *address, const uint8_t *mask, size_t n, AddressSpan *out);
    // Elements by their addresses, of 1, 2, 4 or 8 bytes. least: the address of *from; it also stands in for
    // those whose mask is 0.
    void (*gather[9])(void *to, const uint8_t *from, const int64_t *address, const uint8_t *mask,
                      int64_t least, size_t n);
    // Elements by their offsets from *from.
    void (*pick[9])(void *to, const uint8_t *from, const int32_t *offset, size_t n);
    // The sectors of 32 bytes that the addresses with mask 1 lie in, in their order and without those that
    // repeat the one before; out has room for n. Returns how many.
    size_t (*sectors)(const int64_t *address, const uint8_t *mask, size_t n, uint64_t *out);
    uint8_t (*all_flags)(const uint8_t *p, size_t n); // AND
    uint8_t (*any_flag)(const uint8_t *p, size_t n);  // OR
    size_t (*count_ones)(const uint8_t *p, size_t n); // of bytes that are 0 or 1
    LoopFn *arange;                                   // d int32 lanes from one int32 a, counting up
    LoopFn *splat[9]; // n lanes of d from one lane a, by the bytes of a lane: 1, 4, 8
    LoopFn *copy[9];
    // Race words of n elements: RACE_OTHER when another program of the launch (serials from `first` on) has
    // written them (read), or written or read them (write); RACE_WROTE, RACE_READ when this program itself
    // has. Marks them as touched by `serial`.
    uint32_t (*race_read)(const uint32_t *writer, uint32_t *reader, size_t n, uint32_t first,
                          uint32_t serial);
    // race_write marks nothing when it finds RACE_OTHER. reader: NULL when nobody has read.
    uint32_t (*race_write)(uint32_t *writer, const uint32_t *reader, size_t n, uint32_t first,
                           uint32_t serial);
} MemoryLoops;

// Between types, [from][to]; a only.
typedef struct {
    LoopFn *cast[DT_COUNT][DT_COUNT]; // none between integers and 8-bit floats
    LoopFn *chop[DT_COUNT][DT_COUNT]; // float to narrower float, toward zero
} CastLoops;

// Reductions and matrix products.
typedef struct {
    TreeFn *tree[3][DT_COUNT]; // SUM, RMAX, RMIN of floats: all rounds in one call
    DotFn *dot[DT_COUNT];      // by the type of a and b
    DotFn *dot_half;           // float16 with a float16 d
    LoopFn *cut; // float32 as matrix units read it: of the bits those of one uint32 b alone; a NaN stays one
} FoldLoops;

typedef struct {
    // By the type of the operands (of b and c for WHERE); pointers are DT_I64. NULL: no such operation.
    LoopFn *op[INSN_COUNT][DT_COUNT][8];
    LoopFn *muladd[8];                   // float32: d = a * b + c with both roundings; c adds ONE_C
    LoopFn *propagate[INSN_COUNT][4][8]; // MAX, MIN with imm 1, by type - DT_F16
    LoopFn *checked[INSN_COUNT][4];      // ADD, SUB, MUL, SHL on int32 that report LOOP_OVERFLOW
    const CastLoops *cast;
    const FoldLoops *fold;
    const MemoryLoops *memory;
} TileLoops;

extern const TileLoops tile_loops_base;
extern const CastLoops cast_loops_base;
extern const FoldLoops fold_loops_base;
extern const MemoryLoops memory_loops_base;
// Defined where a build has vector variants.
extern const TileLoops tile_loops_avx2, tile_loops_avx512;
extern const CastLoops cast_loops_avx2, cast_loops_avx512;
extern const FoldLoops fold_loops_avx2, fold_loops_avx512;
extern const MemoryLoops memory_loops_avx2, memory_loops_avx512;
const TileLoops *tile_loops_of(IsaLevel isa); // the base table where a build has no other
const TileLoops *tile_loops(void);            // for this machine
