// safetensors.h - the reader of one .safetensors file: a length, a JSON header, data. Every rule of the
// format is checked: the tensors fill the data exactly, without holes, overlap or anything behind them.
#pragma once
#include "weights/format/stored.h"

// Adds what the file holds to `t`, whose sealing finds names that are there twice. m stays mapped as long as
// t is used. Names borrow from m or live in a.
MUST_CHECK bool safetensors_read(Arena *a, const Mapped *m, StoredTable *t, Err *e);
