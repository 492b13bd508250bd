#include "corpus/judge_again.h"

#include "corpus/module_pair.h"
#include "corpus/op_lookup.h"
#include "corpus/store_answer.h"

static const double TOGETHER_SECONDS = 0.5;

typedef struct {
    const VerifyRequest *q;
    VerifyTally *out;
    Ladder *ladder;
    Recorder recorder;
    OpLookup ops; // as long as verdicts come in
} Verify;

static bool is_interrupted(const Verify *v) { return v->q->interrupted && v->q->interrupted(v->q->arg); }

// ---- answers

static bool put_one(Verify *v, const Pending *k, const LadderAnswer *n, Err *e) {
    v->out->lost += n->lost;
    if (n->lost) return true;
    if (!record_verdict(&v->recorder, k, k->program.id, n, e)) return false;
    bool was = k->accepted;
    v->out->judged++;
    v->out->promoted += !was && n->accepted;
    v->out->demoted += was && !n->accepted;
    if (was && !n->accepted && v->q->demoted) v->q->demoted(v->q->arg, &k->program, n->status);
    return true;
}

static bool put_answers(Verify *v, double seconds, Err *e) {
    LadderAnswer *list = ladder_take(v->ladder, seconds);
    if (!list) return true;
    bool ok = store_begin(v->q->store, e);
    for (const LadderAnswer *n = list; ok && n; n = n->next) ok = put_one(v, n->of, n, e);
    ok = ok && store_commit(v->q->store, e);
    if (!ok) store_rollback(v->q->store);
    for (const LadderAnswer *n = list; n; n = n->next) pending_release(n->of);
    ladder_release(list);
    if (v->q->told) v->q->told(v->q->arg, v->out);
    return ok;
}

// ---- programs

static bool take_row(Verify *v, const StoredRow *row, Err *e) {
    v->out->programs++;
    OpFound of;
    if (!op_lookup(&v->ops, &row->program, &of, e)) return false;
    if (!of.op) {
        v->out->without_op++;
        return true;
    }
    bool stands = row->verdict.status.len && str_eq(row->verdict.build, v->q->build) &&
                  memcmp(&row->definition, &of.op->hash, sizeof row->definition) == 0;
    if (stands && !v->q->all) return true;
    Pending *k = pending_new();
    k->op = of.op;
    k->program = row->program;
    k->accepted = row->verdict.accepted && str_is(row->verdict.level, level_name(LEVEL_FULL));
    pending_keep(k);
    ModulePair pair = {.candidate = k->program.source};
    if (of.module && !module_pair(&k->arena, k->program.module, k->program.source, &pair))
        pair.candidate = k->program.source; // it was one when it came
    ladder_ask(v->ladder, of.op, &of.filter, pair.candidate, k);
    return true;
}

static bool take_all(Verify *v, Err *e) {
    Arena page = {0};
    StorePage *rows = NEW(&v->ops.arena, StorePage);
    StorePlace at = {0};
    bool ok = true;
    service_gather(v->q->service, GATHER_FAST);
    while (ok && !is_interrupted(v)) {
        Arena next = {0};
        ok = store_page(v->q->store, &next, &(StoreFilter){.verifiable = true}, &at, rows, e);
        arena_free(&page); // the place lived there
        page = next;
        if (!ok || !rows->n) break;
        for (int i = 0; ok && i < rows->n && !is_interrupted(v); i++) ok = take_row(v, &rows->row[i], e);
        ok = ok && put_answers(v, 0, e);
    }
    service_gather(v->q->service, GATHER_NONE);
    while (ok && ladder_waiting(v->ladder) > 0) {
        if (is_interrupted(v)) ladder_cancel(v->ladder);
        ok = put_answers(v, TOGETHER_SECONDS, e);
    }
    arena_free(&page);
    return ok;
}

bool corpus_verify(const VerifyRequest *q, VerifyTally *out, Err *e) {
    *out = (VerifyTally){0};
    Arena a = {0};
    Verify v = {.q = q,
                .out = out,
                .recorder = {.store = q->store, .build = q->build},
                .ops = {.store = q->store, .service = q->service}};
    bool ok = ladder_open(&a, q->service, &v.ladder, e);
    if (ok) ok = ladder_close(v.ladder, pending_drop, take_all(&v, e), e);
    op_lookup_free(&v.ops);
    arena_free(&a);
    return ok;
}
