// times.c - the times of a cell for people, and as JSON.
#include <stdlib.h>

#include "measure/cell.h"
#include "measure/timing/timing.h"

static json_t *figure_json(const Figure *f) {
    if (!f->rounds) return json_null();
    return json_pack("{s:f,s:f,s:i}", "us", f->us, "spread", f->spread, "rounds", f->rounds);
}

static json_t *text_json(Str s) { return s.len ? json_quoted(s) : json_null(); }

static json_t *baseline_json(const CellBaseline *b) {
    return json_pack("{s:o,s:o,s:o,s:o,s:o}", "name", json_quoted(b->name), "device", figure_json(&b->device),
                     "own_device", figure_json(&b->own), "own_call", figure_json(&b->own_call), "why",
                     text_json(b->why));
}

static json_t *user_calls_json(const CellTimes *c) {
    json_t *list = json_array();
    for (int i = 0; i < c->user_calls; i++) {
        const CellUserCall *u = &c->user_call[i];
        json_array_append_new(list, json_pack("{s:o,s:o,s:o,s:o}", "name", json_quoted(u->name), "call",
                                              figure_json(&u->call), "queued", figure_json(&u->queued), "why",
                                              text_json(u->why)));
    }
    return list;
}

static const CellUserCall *user_call_find(const CellTimes *c, const char *name) {
    for (int i = 0; i < c->user_calls; i++)
        if (str_is(c->user_call[i].name, name)) return &c->user_call[i];
    return NULL;
}

static int compare_reals(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The widest distance of several medians, as a share of theirs; 0 where one is missing.
static double spread_of(const double *x, int n) {
    double sorted[STABILITY_MAX];
    memcpy(sorted, x, (size_t)n * sizeof *x);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_reals);
    return n > 0 && sorted[0] > 0 ? (sorted[n - 1] - sorted[0]) / median_of(x, n) : 0;
}

static json_t *reals_json(const double *x, int n) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(list, json_real(x[i]));
    return list;
}

static json_t *stability_json(const CellTimes *c) {
    bool ratios = c->again > 0;
    for (int i = 0; i < c->again; i++) ratios &= c->again_ratio[i] > 0;
    return json_pack("{s:i,s:o,s:f,s:f,s:o,s:o}", "processes", c->again, "us",
                     reals_json(c->again_us, c->again), "median_us", median_of(c->again_us, c->again),
                     "spread", spread_of(c->again_us, c->again), "ratio",
                     ratios ? reals_json(c->again_ratio, c->again) : json_null(), "ratio_spread",
                     ratios ? json_real(spread_of(c->again_ratio, c->again)) : json_null());
}

static json_t *share_json(const Figure *of, const Figure *device) {
    return device->rounds && of->rounds ? json_real(of->us / device->us) : json_null();
}

json_t *cell_json(const CellTimes *c) {
    json_t *o = json_pack("{s:[I,I],s:s,s:s,s:o}", "shape", (json_int_t)c->place.rows,
                          (json_int_t)c->place.columns, "dtype", dtype_info[c->place.dtype].torch, "status",
                          times_name(c->status), "why", text_json(c->why));
    if (c->inputs.len) {
        json_object_set_new(o, "shape", json_array());
        json_object_set_new(o, "inputs", json_quoted(c->inputs));
    }
    json_object_set_new(o, "device", figure_json(&c->device));
    json_object_set_new(o, "hot", figure_json(&c->hot));
    json_object_set_new(o, "hot_why", text_json(c->hot_why));
    json_object_set_new(o, "call", figure_json(&c->call));
    json_object_set_new(o, "bytes", json_integer(c->bytes));
    json_object_set_new(o, "yardstick", figure_json(&c->yardstick));
    json_object_set_new(o, "yardstick_kept", json_boolean(c->yardstick_kept));
    json_object_set_new(o, "share_of_yardstick", share_json(&c->yardstick, &c->device));
    json_object_set_new(o, "copy", figure_json(&c->copy));
    json_object_set_new(o, "share_of_copy", share_json(&c->copy, &c->device));
    json_object_set_new(o, "bar", text_json(c->bar));
    json_object_set_new(o, "ratio", c->ratio > 0 ? json_real(c->ratio) : json_null());
    json_object_set_new(o, "configs", json_integer(c->configs));
    json_object_set_new(o, "config", text_json(c->config));
    json_object_set_new(o, "registers", json_integer(c->registers));
    json_object_set_new(o, "local_bytes", json_integer(c->local_bytes));
    json_object_set_new(o, "floor_us", json_real(c->floor_us));
    json_object_set_new(o, "sm_mhz", json_pack("[f,f]", c->sm_mhz_low, c->sm_mhz_high));
    json_object_set_new(o, "power_w",
                        c->power_w_high > 0 ? json_pack("[f,f]", c->power_w_low, c->power_w_high)
                                            : json_null());
    json_object_set_new(o, "sets", json_integer(c->sets));
    json_object_set_new(o, "calls_of_window", json_integer(c->calls_of_window));
    json_object_set_new(o, "windows_of_round", json_integer(c->windows));
    json_object_set_new(o, "checked_sets", json_integer(c->checked));
    json_t *list = json_array();
    for (int i = 0; i < c->baselines; i++) json_array_append_new(list, baseline_json(&c->baseline[i]));
    json_object_set_new(o, "baselines", list);
    json_object_set_new(o, "user_calls", user_calls_json(c));
    json_object_set_new(o, "torch", text_json(c->torch));
    json_object_set_new(o, "kept", json_boolean(c->kept));
    json_object_set_new(o, "stability", c->again ? stability_json(c) : json_null());
    json_object_set_new(o, "seconds",
                        json_pack("{s:f,s:f,s:f,s:f,s:f,s:f}", "prepare", c->seconds_prepare, "compile",
                                  c->seconds_compile, "baseline", c->seconds_baseline, "timing",
                                  c->seconds_timing, "windows", c->seconds_windows, "check",
                                  c->seconds_check));
    return o;
}

void cell_put_place(Buf *out, const CellTimes *c) {
    if (c->inputs.len)
        buf_str_put(out, c->inputs);
    else
        buf_printf(out, "%lldx%lld %s", (long long)c->place.rows, (long long)c->place.columns,
                   dtype_info[c->place.dtype].torch);
}

void cell_text(Buf *out, const CellTimes *c) {
    cell_put_place(out, c);
    buf_puts(out, ": ");
    if (c->status != TIMES_ok) {
        buf_printf(out, "%s: %.*s", times_name(c->status), STR_ARG(c->why));
        return;
    }
    buf_printf(out, "device %.2f us (spread %.1f %%)", c->device.us, 100 * c->device.spread);
    if (c->ratio > 0)
        buf_printf(out, ", %.3f times as fast as %.*s (%.2f us)", c->ratio, STR_ARG(c->bar), c->bar_us);
    if (c->yardstick.rounds)
        buf_printf(out, ", %.0f %% of plain streaming", 100 * c->yardstick.us / c->device.us);
    if (c->copy.rounds) buf_printf(out, ", %.0f %% of a copy", 100 * c->copy.us / c->device.us);
    if (c->hot.rounds) buf_printf(out, "; hot %.2f us", c->hot.us);
    buf_printf(out, "; call by our launcher %.2f us", c->call.us);
    if (c->hot_why.len) buf_printf(out, "; no hot time: %.*s", STR_ARG(c->hot_why));
    const CellUserCall *ours = user_call_find(c, "kernel"), *tuned = user_call_find(c, "max_autotune");
    if (ours && ours->call.rounds && tuned && tuned->call.rounds)
        buf_printf(out, "; call from Python %.1f us, of max_autotune %.1f us", ours->call.us, tuned->call.us);
    else if (ours && ours->why.len)
        buf_printf(out, "; not called from Python: %.*s", STR_ARG(ours->why));
    if (c->again)
        buf_printf(out, "; %d fresh processes: median %.2f us, spread %.2f %%", c->again,
                   median_of(c->again_us, c->again), 100 * spread_of(c->again_us, c->again));
    if (c->configs) buf_printf(out, "; best of %d configs: %.*s", c->configs, STR_ARG(c->config));
}

// ---- back

static bool figure_read(const Json *j, const json_t *o, const char *key, Figure *out) {
    enum { ROUNDS_MOST = 4096 };
    const json_t *f = json_object_get(o, key);
    int64_t rounds = 0;
    *out = (Figure){0};
    if (json_absent(f)) return true;
    if (!json_is_object(f))
        return err_set(j->e, ERR_INPUT, "%s: \"%s\": an object belongs here", j->file, key);
    bool ok = json_get_real(j, f, "us", &out->us) && json_get_real(j, f, "spread", &out->spread) &&
              json_get_int(j, f, "rounds", 1, ROUNDS_MOST, &rounds);
    out->rounds = (int)rounds;
    return ok && (out->us > 0 || err_set(j->e, ERR_INPUT, "%s: \"%s\": a time belongs here", j->file, key));
}

static bool text_read(Arena *a, const Json *j, const json_t *o, const char *key, Str *out) {
    if (!json_get_text(j, o, key, out)) return false;
    *out = str_dup(a, *out);
    return true;
}

static bool place_read(const Json *j, const json_t *o, CellPlace *out) {
    const json_t *shape = json_object_get(o, "shape"), *m = json_array_get(shape, 0),
                 *n = json_array_get(shape, 1);
    Str dtype = {0};
    if (!json_get_text(j, o, "dtype", &dtype)) return false;
    out->rows = json_is_integer(m) ? json_integer_value(m) : 0;
    out->columns = json_is_integer(n) ? json_integer_value(n) : 0;
    for (int t = 0; t < DT_COUNT; t++)
        if (str_is(dtype, dtype_info[t].torch)) {
            out->dtype = (DType)t;
            if (json_array_size(shape) == 2 && out->rows > 0 && out->columns > 0) return true;
        }
    return err_set(j->e, ERR_INPUT, "%s: a cell without a shape and a dtype", j->file);
}

static bool baselines_read(Arena *a, const Json *j, const json_t *o, CellTimes *out) {
    const json_t *list = json_object_get(o, "baselines");
    for (size_t i = 0; i < json_array_size(list) && i < BASELINE_MODES_MAX; i++) {
        CellBaseline *b = &out->baseline[out->baselines++];
        const json_t *from = json_array_get(list, i);
        if (!text_read(a, j, from, "name", &b->name) || !text_read(a, j, from, "why", &b->why) ||
            !figure_read(j, from, "device", &b->device) || !figure_read(j, from, "own_device", &b->own) ||
            !figure_read(j, from, "own_call", &b->own_call))
            return false;
    }
    return true;
}

static bool user_calls_read_back(Arena *a, const Json *j, const json_t *o, CellTimes *out) {
    const json_t *list = json_object_get(o, "user_calls");
    for (size_t i = 0; i < json_array_size(list) && i < USER_CALLS_MAX; i++) {
        CellUserCall *u = &out->user_call[out->user_calls++];
        const json_t *from = json_array_get(list, i);
        if (!text_read(a, j, from, "name", &u->name) || !text_read(a, j, from, "why", &u->why) ||
            !figure_read(j, from, "call", &u->call) || !figure_read(j, from, "queued", &u->queued))
            return false;
    }
    return true;
}

static bool again_read(const Json *j, const json_t *o, CellTimes *out) {
    const json_t *s = json_object_get(o, "stability"), *us = json_object_get(s, "us"),
                 *ratio = json_object_get(s, "ratio");
    for (size_t i = 0; i < json_array_size(us) && i < STABILITY_MAX; i++) {
        double t = json_number_value(json_array_get(us, i));
        if (!(t > 0)) return err_set(j->e, ERR_INPUT, "%s: \"stability\": times belong here", j->file);
        out->again_ratio[out->again] = json_number_value(json_array_get(ratio, i));
        out->again_us[out->again++] = t;
    }
    return true;
}

static bool counts_read(const Json *j, const json_t *o, CellTimes *out) {
    static const char *const key[] = {"configs", "registers",       "local_bytes",
                                      "sets",    "calls_of_window", "windows_of_round"};
    int *const to[] = {&out->configs, &out->registers,       &out->local_bytes,
                       &out->sets,    &out->calls_of_window, &out->windows};
    enum { COUNTS = sizeof key / sizeof *key };
    int64_t n[COUNTS] = {0};
    for (int i = 0; i < COUNTS; i++) {
        if (!json_get_int(j, o, key[i], 0, INT32_MAX, &n[i])) return false;
        *to[i] = (int)n[i];
    }
    if (!json_get_int(j, o, "checked_sets", 0, INT32_MAX, &n[0])) return false;
    out->checked = (int)n[0];
    return json_get_int(j, o, "bytes", 0, INT64_MAX, &out->bytes);
}

bool cell_read(Arena *a, const Json *j, const json_t *o, CellTimes *out) {
    Str status = {0};
    *out = (CellTimes){.status = TIMES_COUNT};
    if (!place_read(j, o, &out->place) || !json_get_text(j, o, "status", &status)) return false;
    for (int s = 0; s < TIMES_COUNT; s++)
        if (str_is(status, times_name((TimesStatus)s))) out->status = (TimesStatus)s;
    if (out->status == TIMES_COUNT) return err_set(j->e, ERR_INPUT, "%s: a cell without a status", j->file);
    const json_t *clocks = json_object_get(o, "sm_mhz"), *seconds = json_object_get(o, "seconds"),
                 *power = json_object_get(o, "power_w");
    out->sm_mhz_low = json_number_value(json_array_get(clocks, 0));
    out->sm_mhz_high = json_number_value(json_array_get(clocks, 1));
    out->power_w_low = json_number_value(json_array_get(power, 0));
    out->power_w_high = json_number_value(json_array_get(power, 1));
    out->seconds_compile = json_number_value(json_object_get(seconds, "compile"));
    out->seconds_baseline = json_number_value(json_object_get(seconds, "baseline"));
    out->seconds_timing = json_number_value(json_object_get(seconds, "timing"));
    out->seconds_windows = json_number_value(json_object_get(seconds, "windows"));
    out->seconds_prepare = json_number_value(json_object_get(seconds, "prepare"));
    out->seconds_check = json_number_value(json_object_get(seconds, "check"));
    bool ok = text_read(a, j, o, "why", &out->why) && figure_read(j, o, "device", &out->device) &&
              figure_read(j, o, "hot", &out->hot) && text_read(a, j, o, "hot_why", &out->hot_why) &&
              figure_read(j, o, "call", &out->call) && figure_read(j, o, "yardstick", &out->yardstick) &&
              figure_read(j, o, "copy", &out->copy) && text_read(a, j, o, "bar", &out->bar) &&
              json_get_real(j, o, "ratio", &out->ratio) && text_read(a, j, o, "config", &out->config) &&
              json_get_real(j, o, "floor_us", &out->floor_us) && text_read(a, j, o, "torch", &out->torch) &&
              json_get_bool(j, o, "kept", &out->kept) &&
              json_get_bool(j, o, "yardstick_kept", &out->yardstick_kept) && counts_read(j, o, out) &&
              baselines_read(a, j, o, out) && user_calls_read_back(a, j, o, out) && again_read(j, o, out);
    out->bar_us = out->ratio * out->device.us;
    return ok;
}
