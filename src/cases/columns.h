// columns.h - the columns of an op's output (DomainKind.positions) that some case of a draw can judge: one
// that no case judges would be right whatever stands in it. What an intermediate that overflows makes of a
// bound is the draw's luck.
#pragma once
#include "cases/draw.h"

typedef struct Columns Columns;

// Of each dtype and row length of the output, none of them judged yet. Lives in the arena.
Columns *columns_open(Arena *a, const Draw *d);
// One case: a flag for each element of the right answer, or NULL where all are judged.
void columns_note(Columns *c, int output, const Bound *expected, const uint8_t *judged);
// The first column that no case has judged, and of how many; -1: there is none.
int64_t columns_first_unjudged(const Columns *c, int64_t *of);
bool columns_all(const Columns *c); // every column of every case that was noted has been judged

// Whether every column can be judged in some case: some bound of it is finite.
bool columns_judgeable(const Draw *d);
