#include "referee/traffic.h"

double traffic_ratio(const Verdict *v) {
    if (v->bytes_ideal <= 0) return 0;
    return (double)(v->count.bytes_loaded + v->count.bytes_stored + v->count.bytes_copied) /
           (double)v->bytes_ideal;
}

double traffic_cost(const Verdict *v) {
    const double launch_bytes = 9.5e6,
                 headline_bytes = 2.0 * 8192 * 4096 * 2; // one input, one output, 16 bits
    return traffic_ratio(v) + (double)v->count.launches * launch_bytes / headline_bytes;
}
