// launch.h - run checked kernels over shadowed memory, one program after another, in one thread.
// A launch runs every program of the grid; what a GPU leaves undefined is a finding here: see DIAG_OOB,
// UNINIT, WRITE, RACE, VALUE, BUDGET. The first finding ends the launch. Masked-off lanes never touch memory.
// Nothing is allocated while a program runs: the register file is taken from the machine's arena once a
// launch.
//
// Program order never shows in the results of a launch without findings: a race would be one. Budget: an
// instruction costs the lanes of its widest register, at least COST_MIN, paid before it runs; a launch itself
// costs one step for each instruction of its code, which decoding reads. A program that is copied instead of run
// (repeat.h) costs the bytes that it would have accessed.
#pragma once
#include "tile/compute/machine.h"

// Register files larger than this are refused as DIAG_COMPILE: no GPU has so many registers for one program.
enum { REGISTER_FILE_MAX = 128 << 20 };

// args: one 8-byte cell for each PARAM: tagged address, int64, or the bits of a double (rounded to float32
// first where the register's type says so). The grid's sizes are >= 0; zero anywhere launches nothing; a grid
// that CUDA refuses (more than 2^31 - 1, 65535, 65535 programs along the axes) is DIAG_HOST.
// The code must satisfy code_verify() and have been through code_layout().
// False when a finding was added to m->diags; the counters stay valid.
MUST_CHECK bool vm_launch(Machine *m, const Code *code, const int64_t *args, const int64_t grid[3]);
