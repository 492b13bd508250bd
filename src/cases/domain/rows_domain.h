// rows_domain.h - rows x columns, the domain of every definition in the form of op.h: "M" counts rows, which
// are the slices, and the last dimension of the first input is their length. Lines run along the last axis of
// each input.
#pragma once
#include "cases/domain/domain.h"

const Domain *rows_domain(Arena *a, const Op *op);
