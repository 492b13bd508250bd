#include "train/schedule.h"
#include "base/numeric/fmath.h"

static const char *const names[] = {
#define SCHEDULE(name, does, share) #name,
#include "train/schedule.def"
};

const char *schedule_name(ScheduleKind k) { return names[k]; }

bool schedule_named(const char *name, ScheduleKind *out, Err *e) {
    Arena a = {0};
    Buf known = BUF(&a);
    for (int i = 0; i < SCHEDULES; i++) {
        *out = (ScheduleKind)i;
        bool found = str_is(str_of(name), names[i]);
        if (found) arena_free(&a);
        if (found) return true;
        buf_printf(&known, "%s%s", i ? ", " : "", names[i]);
    }
    err_record(e, ERR_USAGE, "there is no schedule \"%s\"; there are: %s", name, buf_cstr(&known));
    arena_free(&a);
    return false;
}

// Of the full rate, above its floor.
static double share_of(ScheduleKind kind, double left) {
    double share[SCHEDULES] = {
#define SCHEDULE(name, does, share) [SCHEDULE_##name] = (share),
#include "train/schedule.def"
    };
    return share[kind];
}

double schedule_rate(const Schedule *s, int64_t step) {
    if (step <= s->warmup) return s->rate * (double)step / (double)s->warmup;
    int64_t rest = s->steps - s->warmup, done = step - s->warmup - 1;
    double left = rest > 1 ? 1 - (double)done / (double)(rest - 1) : 1;
    if (left < 0) left = 0;
    return s->rate * (s->floor + (1 - s->floor) * share_of(s->kind, left));
}
