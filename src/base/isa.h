// isa.h - which instruction set the vector loops use. Files named *_simd.c are compiled once for each of
// base, avx2 and avx512 with ISA defined to that word; each exports one table, and the table is chosen here
// once. Every table gives the same bits. OUROBOROS_ISA=base|avx2|avx512 in the environment lowers the choice
// (tests).
#pragma once
typedef enum { ISA_BASE, ISA_AVX2, ISA_AVX512, ISA_COUNT } IsaLevel;
IsaLevel isa_level(void);
#define ISA_NAME_(stem, isa)  stem##_##isa
#define ISA_NAME__(stem, isa) ISA_NAME_(stem, isa)
#define ISA_NAME(stem)        ISA_NAME__(stem, ISA) // in a *_simd.c: the name of this build's table
