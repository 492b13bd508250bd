// traffic.h - how much a kernel moves: a count, not a timing (rank.h makes an estimate of it).
//
// Bytes moved are the 32-byte sectors that each program touches with each of its loads and stores, times 32,
// as the VM counts them, plus host-side copies; nothing is credited to caches. The unit is the fewest
// possible bytes: every input read once, the output written once.
#pragma once
#include "judge/verdict/verdict.h"

double traffic_ratio(const Traffic *t); // bytes moved / fewest possible bytes
