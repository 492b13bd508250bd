#include "judge/verdict/traffic.h"

double traffic_ratio(const Traffic *t) {
    if (t->bytes_ideal <= 0) return 0;
    return (double)(t->count.bytes_loaded + t->count.bytes_stored + t->count.bytes_copied) /
           (double)t->bytes_ideal;
}
