// times.c - the times of a cell for people, and as JSON.
#include "measure/cell.h"

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

json_t *cell_json(const CellTimes *c) {
    json_t *o =
        json_pack("{s:[I,I],s:s,s:s,s:o}", "shape", (json_int_t)c->rows, (json_int_t)c->columns, "dtype",
                  dtype_info[c->dtype].torch, "status", times_name(c->status), "why", text_json(c->why));
    json_object_set_new(o, "device", figure_json(&c->device));
    json_object_set_new(o, "hot", figure_json(&c->hot));
    json_object_set_new(o, "call", figure_json(&c->call));
    json_object_set_new(o, "bytes", json_integer(c->bytes));
    json_object_set_new(o, "yardstick", figure_json(&c->yardstick));
    json_object_set_new(o, "share_of_yardstick",
                        c->device.rounds && c->yardstick.rounds ? json_real(c->yardstick.us / c->device.us)
                                                                : json_null());
    json_object_set_new(o, "bar", text_json(c->bar));
    json_object_set_new(o, "ratio", c->ratio > 0 ? json_real(c->ratio) : json_null());
    json_object_set_new(o, "configs", json_integer(c->configs));
    json_object_set_new(o, "config", text_json(c->config));
    json_object_set_new(o, "registers", json_integer(c->registers));
    json_object_set_new(o, "local_bytes", json_integer(c->local_bytes));
    json_object_set_new(o, "floor_us", json_real(c->floor_us));
    json_object_set_new(o, "sm_mhz", json_pack("[f,f]", c->sm_mhz_low, c->sm_mhz_high));
    json_object_set_new(o, "sets", json_integer(c->sets));
    json_object_set_new(o, "calls_of_window", json_integer(c->calls_of_window));
    json_object_set_new(o, "checked_sets", json_integer(c->checked));
    json_t *list = json_array();
    for (int i = 0; i < c->baselines; i++) json_array_append_new(list, baseline_json(&c->baseline[i]));
    json_object_set_new(o, "baselines", list);
    json_object_set_new(o, "torch", text_json(c->torch));
    json_object_set_new(o, "seconds",
                        json_pack("{s:f,s:f,s:f}", "compile", c->seconds_compile, "baseline",
                                  c->seconds_baseline, "timing", c->seconds_timing));
    return o;
}

void cell_text(Buf *out, const CellTimes *c) {
    buf_printf(out, "%lldx%lld %s: ", (long long)c->rows, (long long)c->columns, dtype_info[c->dtype].torch);
    if (c->status != TIMES_ok) {
        buf_printf(out, "%s: %.*s", times_name(c->status), STR_ARG(c->why));
        return;
    }
    buf_printf(out, "device %.2f us (spread %.1f %%)", c->device.us, 100 * c->device.spread);
    if (c->ratio > 0)
        buf_printf(out, ", %.3f times as fast as %.*s (%.2f us)", c->ratio, STR_ARG(c->bar), c->bar_us);
    if (c->yardstick.rounds)
        buf_printf(out, ", %.0f %% of plain streaming", 100 * c->yardstick.us / c->device.us);
    buf_printf(out, "; hot %.2f us; call by our launcher %.2f us", c->hot.us, c->call.us);
    if (c->configs) buf_printf(out, "; best of %d configs: %.*s", c->configs, STR_ARG(c->config));
}
