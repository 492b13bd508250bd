// asked.h - what a call of a candidate asks of a GPU, as numbers that tell two calls apart
// (tile/cover/key_notes.h).
#pragma once
#include "tile/check/check.h"
#include "tile/cover/key_notes.h"

void asked_launch(KeyNotes *k, const Binding *b, const int64_t grid[3]);
void asked_fill(KeyNotes *k, const Tensor *t, double x);
void asked_copy(KeyNotes *k, const Tensor *from, const Tensor *to);
