// schedule.h - the learning rate of each step.
#pragma once
#include "base/str.h"
#include <stdint.h>

typedef enum {
#define SCHEDULE(name, does, share) SCHEDULE_##name,
#include "train/schedule.def"
    SCHEDULES
} ScheduleKind;

typedef struct {
    ScheduleKind kind;
    double rate, floor;    // floor: share of the rate that it ends with
    int64_t warmup, steps; // the rate grows linearly over the first `warmup` of `steps`
} Schedule;
MUST_CHECK bool schedule_named(const char *name, ScheduleKind *out, Err *e); // the error lists them
const char *schedule_name(ScheduleKind k);
double schedule_rate(const Schedule *s, int64_t step); // step: from 1 to steps
