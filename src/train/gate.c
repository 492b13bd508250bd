#include "train/gate.h"
#include "base/numeric/rng.h"
#include "model/draft.h"

static void row_add(GateRow *row, const GateVerdict *v) {
    int i = 0;
    while (i < row->statuses && strcmp(row->status[i], v->status) != 0) i++;
    if (i == GATE_STATUSES_MAX) return;
    if (i == row->statuses) row->status[row->statuses++] = v->status;
    row->count[i]++;
}

typedef struct {
    const Gate *g;
    const GateRun *r;
    int ask;
} Asking;

// The samples of one ask at one temperature.
static bool ask_once(Arena *a, const Asking *k, int heat, GateRow *row, Err *e) {
    enum { TOGETHER = 16 };
    const Gate *g = k->g;
    const GateRun *r = k->r;
    const GateAsk *what = &g->ask[k->ask];
    uint64_t seed = rng_mix(r->seed, (uint64_t)k->ask * GATE_TEMPERATURES_MAX + (uint64_t)heat);
    DraftRequest q = {.model = r->engine->model,
                      .tokenizer = r->tokenizer,
                      .adapter = r->engine->adapter,
                      .ask = draft_asks(a, what->prompt, 0, g->samples),
                      .count = g->samples,
                      .together = TOGETHER,
                      .max_tokens = g->max_tokens,
                      .sampling = {.temperature = g->temperature[heat], .top_p = 1},
                      .seed = seed,
                      .stop_id = &g->end,
                      .stop_ids = 1,
                      .kv = r->kv,
                      .wanted = r->wanted,
                      .arg = r->arg};
    Draft *draft = NEWN(a, Draft, (size_t)g->samples);
    GateReply *reply = NEWN(a, GateReply, (size_t)g->samples);
    GateVerdict *verdict = NEWN(a, GateVerdict, (size_t)g->samples);
    int done, valid = 0;
    if (!draft_run(a, &q, draft, &done, e)) return false;
    if (done < g->samples) return true; // not wanted any more
    for (int i = 0; i < g->samples; i++) reply[i] = (GateReply){draft[i].text, draft[i].end == DRAFT_LENGTH};
    if (!g->judge(g->arg, what->name, reply, g->samples, verdict, e)) return false;
    for (int i = 0; i < g->samples; i++) {
        valid += verdict[i].valid;
        row_add(row, &verdict[i]);
    }
    row->samples += g->samples;
    row->valid += valid;
    if (!heat) row->lowest = (double)valid / g->samples;
    return true;
}

bool gate_run(Arena *a, const Gate *g, const GateRun *r, GateResult *out, Err *e) {
    *out = (GateResult){.row = NEWN(a, GateRow, (size_t)g->asks), .rows = g->asks, .enough = g->asks > 0};
    for (int i = 0; i < g->asks; i++) {
        GateRow *row = &out->row[i];
        row->name = g->ask[i].name;
        for (int heat = 0; heat < g->temperatures; heat++) {
            ArenaMark mark = arena_mark(a);
            if (!ask_once(a, &(Asking){g, r, i}, heat, row, e))
                return err_ctx(e, "samples of %.*s", STR_ARG(row->name));
            arena_reset(a, mark);
        }
        out->samples += row->samples;
        out->valid += row->valid;
        if (row->samples < g->samples * g->temperatures || row->lowest < g->enough) out->enough = false;
    }
    return true;
}
