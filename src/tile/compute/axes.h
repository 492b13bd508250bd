// axes.h - addresses and masks of several dimensions, kept by axis; see axes.c.
#pragma once
#include "tile/code/code.h"

// Places along all axes of a tile: so many numbers stand for its lanes.
enum { AXES_PLACES_MAX = 1536 };
static inline int axes_places(const TileType *t) {
    int n = 0;
    for (int i = 0; i < t->rank; i++) n += t->shape[i];
    return n;
}

void mark_axes(Arena *a,
               Code *c); // sets Register.form and .by_axes; needs the other forms, .tainted and .address
// One lane of a register that is kept by axis: a number, an address, or whether a mask has it.
int64_t axes_lane(const Register *r, const void *at, size_t lane);
// Whether some lane of it is not 0, or (holds false) is 0.
bool axes_any(const Register *r, const void *at, bool holds);

// An address or a mask that is written out for a while, in its own place.
typedef struct {
    int64_t places[AXES_PLACES_MAX];
} AxesKept;
void axes_write_out(const Register *r, void *at, AxesKept *kept);
void axes_take_back(const Register *r, void *at, const AxesKept *kept);

// The places of a mask along each axis, ascending: a lane is active where all of its places are. All axes' of
// a mask that is absent.
typedef struct {
    int count[TILE_RANK_MAX];
    const int16_t *place[TILE_RANK_MAX];
    size_t lanes; // active ones
    int16_t room[AXES_PLACES_MAX];
} AxesActive;
// reg: by_axes, whether or not it is written out; tile: what the access looks like.
void axes_active(const Code *c, int reg, const void *mask, const TileType *tile, AxesActive *out);
