// Programs run in no order (vm.c), so that no two behind each other have memory in common: where there are
// many, most of their time would be that of waiting for it. Where an instruction begins is mostly a multiple
// of the program's number, and something; what the next program will find there is fetched while this one
// runs. Nothing follows from it but time.
#include "tile/vm/steps.h"

struct Ahead {
    uint64_t program; // that ran the instruction last, + 1
    int64_t offset;   // where it began
    int64_t stride;   // from program to program
};
enum { AHEAD_PROGRAMS = 2048, AHEAD_BYTES = 1024 }; // longer runs are fetched by the machine itself

size_t ahead_bytes(const Code *c, uint64_t programs) {
    return programs < AHEAD_PROGRAMS ? 0 : (size_t)c->insns * sizeof(Ahead) + 64;
}

void ahead_open(Arena *a, Vm *v, uint64_t programs) {
    if (programs >= AHEAD_PROGRAMS) v->ahead = NEWN(a, Ahead, (size_t)v->code->insns);
}

static void fetch(const void *p, size_t bytes) {
    enum { LINE = 64 };
    const char *at = p;
    for (size_t i = 0; i < bytes; i += LINE) __builtin_prefetch(at + i, 1);
    __builtin_prefetch(at + bytes - 1, 1);
}

void ahead_fetch(Vm *v, const Step *s, const Storage *m, int64_t offset, size_t size) {
    Ahead *x = &v->ahead[s->insn];
    if (x->program == v->program + 1 || size > AHEAD_BYTES) return;
    if (x->program == 0)
        x->stride = 0;
    else if (x->stride == 0)
        x->stride = (offset - x->offset) / (int64_t)(v->program + 1 - x->program);
    x->program = v->program + 1;
    x->offset = offset;
    int64_t next;
    if (x->stride == 0 || __builtin_mul_overflow(x->stride, v->further, &next) ||
        __builtin_add_overflow(next, offset, &next) || next < 0 || size > m->bytes ||
        (size_t)next > m->bytes - size)
        return;
    fetch(m->data + next, size);
    if (m->shadow) fetch(m->shadow + next, size);
    if (!m->writer) return;
    int unit = __builtin_ctz((unsigned)dtype_bytes(m->dtype));
    fetch(m->writer + (next >> unit), (size >> unit) * sizeof *m->writer + 1);
}
