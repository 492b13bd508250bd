#include "base/isa.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static IsaLevel isa_of_machine(void) {
#if defined(PORTABLE) || !defined(__x86_64__)
    return ISA_BASE;
#else
    __builtin_cpu_init();
    // Conversions of float16 came before both; clang has no name to ask for them by.
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return ISA_BASE;
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return wide ? ISA_AVX512 : ISA_AVX2;
#endif
}

IsaLevel isa_level(void) {
    // Every thread computes the same value, so a lost race costs nothing but the second look.
    static _Atomic int known = -1;
    int level = known;
    if (level >= 0) return (IsaLevel)level;
    static const char *const name[ISA_COUNT] = {"base", "avx2", "avx512"};
    IsaLevel best = isa_of_machine();
    const char *wish = getenv("OUROBOROS_ISA");
    for (int i = 0; wish && i < (int)best; i++)
        if (strcmp(wish, name[i]) == 0) best = (IsaLevel)i;
    known = (int)best;
    return best;
}
