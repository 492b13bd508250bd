// key_notes.h - under which keys a call of a candidate finds what an earlier call has left, and what it then
// asks of a GPU. Noted while shapes are looked for that meet under one key (sandbox/child/keys_search.h).
// Nothing is launched then.
//
// A key shows as a difference between two calls with the same shape on one object: what the second finds, and
// the first did not, was left by the first. So nothing has to be known of what a program keeps, or where.
#pragma once
#include "tensor/tensor.h"

enum { KEY_NOTES_MAX = 256, KEY_PARTS_MAX = 6 };

// A look-up that has found its key, a comparison of equal values, or an item of a list. `put`: a value that
// was put into an object, a dictionary or a list instead: two calls that put the same there may meet by any
// other arithmetic on it.
typedef struct {
    uint32_t at;    // its place in the source
    uint64_t key;   // of place and key
    uint64_t found; // the same, and what an item of a list is: two calls that find this are alike
    bool put;
    bool launched; // a whole number that a launch got beside a tensor older than the call: kernels may have
                   // left something under it there
    int parts;     // whole numbers that the key is made of, those in texts too
    int64_t part[KEY_PARTS_MAX];
} KeyNote;

// Of one call.
typedef struct {
    KeyNote note[KEY_NOTES_MAX]; // those beyond are left out
    int notes;
    // Launches, fills and copies with all their arguments, as a number. Of a tensor its view counts, and
    // whether it was there before the call; in `traced` also what has been done to it.
    uint64_t asked, traced;
} KeyHeard;

typedef struct KeyNotes {
    KeyHeard now;
    int there;                          // how many storages were there before the present call
    uint64_t history[STORAGES_MAX + 1]; // of each storage, by its id
} KeyNotes;

static inline uint64_t keys_mix(uint64_t h, uint64_t x) {
    x = (x + 1) * 0xff51afd7ed558ccdu; // small numbers side by side, as an offset and a size, must not cancel
    h = (h ^ x ^ x >> 32) * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    return h ^ h >> 29;
}
void keys_object(KeyNotes *k);             // a new one
void keys_call(KeyNotes *k, int storages); // begins; so many storages are older than it
void keys_note(KeyNotes *k, const KeyNote *n);
// One step of a call: numbers and tensors of it in turn, then its end.
typedef struct {
    uint64_t asked, traced;
    int touched, id[32]; // storages
} KeyStep;
void keys_number(KeyStep *s, uint64_t x);
void keys_tensor(const KeyNotes *k, KeyStep *s, const Tensor *t);
void keys_step(KeyNotes *k, const KeyStep *s);
void keys_copy(KeyHeard *to, const KeyHeard *from); // there is room for many notes, and mostly few are used
// Whether a call has noted the same.
bool keys_has(const KeyHeard *h, uint64_t found);
