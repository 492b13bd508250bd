// narrow.h - tiles whose last lanes are all alike; see narrow.c.
#pragma once
#include "tile/compute/affine.h"
#include "tile/compute/step.h"

enum { NARROW_MIN = 128 }; // lanes: of fewer, all are computed in the time that it takes to ask

// A register of many lanes as an operand: its lanes from *live on are those of lane *live - 1, and need not
// be there.
typedef struct {
    uint32_t *live;
    void *at;
    size_t size; // of a lane
} NarrowLanes;

// Beside a step that takes part. Lanes are counted in the order in which they lie in memory.
struct Narrow {
    uint32_t lanes; // of the tile
    uint32_t least; // that have to be computed: all of them where the result is needed whole
    uint32_t *d;    // how many live lanes the result has
    NarrowLanes of[3];
    int n;
    bool counting;   // a comparison of numbers that count up with one number
    uint32_t unused; // what d is where no register of the result's kind takes part
    uint32_t *mask;  // LOAD, STORE: live lanes of a mask that is written out; NULL: it is whole, or none
};

void mark_narrow(Code *c);          // sets Register.narrow; needs .tainted, .form, .address and .counting
size_t narrow_bytes(const Code *c); // that a launch needs for it
// Between two programs, once a load has had so few active lanes: those that come behind take part.
void narrow_steps(Arena *a, Vm *v);
static inline bool narrow_pays(size_t active, size_t lanes) {
    return active < lanes / 2 && lanes >= NARROW_MIN;
}

void narrow_widen(const NarrowLanes *of, uint32_t lanes); // so many of its lanes are written out
void narrow_whole(const Narrow *w); // all lanes of all operands are, and the result will have all
uint32_t narrow_ramp(const Vm *v, const Step *s); // how many lanes of its result live

// How many lanes a step has to compute: operands have as many, and so will the result.
static inline size_t narrow_lanes(const Vm *v, const Step *s) {
    const Narrow *w = s->narrow;
    uint32_t k = w->least;
    if (w->counting) {
        k = narrow_ramp(v, s);
    } else {
        for (int i = 0; i < w->n; i++)
            if (*w->of[i].live > k) k = *w->of[i].live;
    }
    for (int i = 0; i < w->n; i++)
        if (*w->of[i].live < k) narrow_widen(&w->of[i], k);
    *w->d = k;
    return k;
}

// Of a load whose active lanes end at `active`: how many lanes of its result are to be written.
size_t narrow_loaded(const Narrow *w, size_t active);
// The active lanes of a mask that is written out as far as it lives.
Interval narrow_mask(const Narrow *w, const uint8_t *mask);
