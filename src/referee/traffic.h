// traffic.h - a first model of how kernels rank: a model of memory traffic, not a timing.
//
// Memory-bound kernels take about (bytes moved) / bandwidth + launches * (launch cost). Bytes moved are the
// 32-byte sectors that each program touches with each of its loads and stores, times 32, as the VM counts
// them, plus host-side copies; nothing is credited to caches. The unit is the fewest possible bytes: every
// input read once, the output written once. A launch costs what 9.5 MB of traffic cost (2.2 us at 4.3 TB/s),
// against the headline shape.
#pragma once
#include "referee/verdict.h"

double traffic_ratio(const Verdict *v); // bytes moved / fewest possible bytes
double traffic_cost(
    const Verdict *v); // ratio + launches * launch cost, in units of the headline shape's fewest bytes
