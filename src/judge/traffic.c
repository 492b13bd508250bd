#include "judge/traffic.h"

double traffic_ratio(const Verdict *v) {
    if (v->bytes_ideal <= 0) return 0;
    return (double)(v->count.bytes_loaded + v->count.bytes_stored + v->count.bytes_copied) /
           (double)v->bytes_ideal;
}
